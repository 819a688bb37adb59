// What the Java shim needs beside SWIG: the environment of a thread, text, exceptions both ways, and
// arguments that stay alive for the time of a call.
#ifndef HAFT_BINDINGS_JAVA_JNI_HPP
#define HAFT_BINDINGS_JAVA_JNI_HPP
#include <jni.h>

#include "bindings/amp.hpp"
#include "bindings/callbacks.hpp"
#include "bindings/distributed.hpp"
#include "bindings/sharding.hpp"

namespace haft {
namespace java {

/// This thread's environment. A native thread is attached once, as a daemon, and detached when it ends.
JNIEnv* env();
/// Looks up classes and methods; answers false with a Java exception pending.
bool load(JavaVM* vm, JNIEnv* e);
/// What load() holds goes, before the shim does with the class loader that has loaded it.
void unload(JNIEnv* e);
/// A class of haft's, held weakly: a class that runs code is there, and the shim must not keep its own class loader
/// alive.
jclass find(JNIEnv* e, const char* name);

// ---- text: Java's own "modified UTF-8" is not UTF-8 ----

std::string utf8(JNIEnv* e, jstring s);
jstring text(JNIEnv* e, const std::string& s);
/// False with a Java exception pending when one of them is null.
bool texts(JNIEnv* e, jobjectArray from, const char* argument, std::vector<std::string>& to);

// ---- exceptions ----

/// A Java exception on its way through the engine.
class Throwable : public bindings::HostException {
  std::shared_ptr<_jobject> ref_;
  std::string what_;
  haft_status status_;

 public:
  Throwable(JNIEnv* e, jthrowable t);
  const char* what() const noexcept override { return what_.c_str(); }
  haft_status status() const noexcept override { return status_; }
  jthrowable get() const { return static_cast<jthrowable>(ref_.get()); }
};
/// Throws the pending Java exception, if there is one, as a C++ one.
void check_java(JNIEnv* e);
/// In a catch block: makes the exception in flight the pending Java one.
void throw_java(JNIEnv* e) noexcept;
/// Makes a failed call's record the pending Java exception.
void throw_status(JNIEnv* e, haft_status status) noexcept;
/// The object itself has been closed.
void throw_closed(JNIEnv* e, jobject object) noexcept;
void throw_argument(JNIEnv* e, const char* message) noexcept;

/// A global reference that shared owners drop on any thread.
std::shared_ptr<_jobject> global(JNIEnv* e, jobject o);

// ---- handles ----

// An argument as a share of its own: close() in another thread, or a callback, cannot take it away during the
// call.
template <class T, class H, haft_status (*Retain)(H*)>
class Lent {
 public:
  T value{static_cast<H*>(nullptr)};
  /// False with a Java exception pending.
  bool borrow(JNIEnv* e, jlong handle) {
    H* h = reinterpret_cast<H*>(handle);
    if (!h) return true;
    if (haft_status s = Retain(h)) {
      throw_status(e, s);
      return false;
    }
    value = T(h);
    return true;
  }
  bool self(JNIEnv* e, jlong handle, jobject object) {
    if (handle) return borrow(e, handle);
    throw_closed(e, object);
    return false;
  }
};
using LentTensor = Lent<Tensor, haft_tensor, haft_tensor_retain>;
using LentModule = Lent<nn::Module, haft_module, haft_module_retain>;
using LentOptimizer = Lent<optim::Optimizer, haft_optimizer, haft_optimizer_retain>;
using LentScheduler = Lent<optim::Scheduler, haft_scheduler, haft_scheduler_retain>;
using LentDataset = Lent<data::Dataset, haft_dataset, haft_dataset_retain>;
using LentTransform = Lent<data::Transform, haft_transform, haft_transform_retain>;
using LentLoader = Lent<data::Loader, haft_loader, haft_loader_retain>;
using LentWeights = Lent<io::Weights, haft_weights, haft_weights_retain>;
using LentWriter = Lent<io::Writer, haft_writer, haft_writer_retain>;
using LentCheckpoint = Lent<io::Checkpoint, haft_checkpoint, haft_checkpoint_retain>;
using LentGenerator = Lent<Generator, haft_generator, haft_generator_retain>;
using LentSession = Lent<Session, haft_session, haft_session_retain>;
using LentRequest = Lent<Request, haft_request, haft_request_retain>;
using LentCancelToken = Lent<CancelToken, haft_cancel_token, haft_cancel_token_retain>;
using LentStore = Lent<Store, haft_store, haft_store_retain>;
using LentProcessGroup = Lent<ProcessGroup, haft_process_group, haft_process_group_retain>;
using LentWork = Lent<Work, haft_work, haft_work_retain>;
using LentDataParallel = Lent<DataParallel, haft_data_parallel, haft_data_parallel_retain>;
using LentModelAverager = Lent<ModelAverager, haft_model_averager, haft_model_averager_retain>;
using LentGradScaler = Lent<GradScaler, haft_grad_scaler, haft_grad_scaler_retain>;
using LentDeviceMesh = Lent<DeviceMesh, haft_device_mesh, haft_device_mesh_retain>;
using LentPipeline = Lent<Pipeline, haft_pipeline, haft_pipeline_retain>;
using LentRpc = Lent<Rpc, haft_rpc, haft_rpc_retain>;
using LentRpcRequest = Lent<RpcRequest, haft_rpc_request, haft_rpc_request_retain>;
using LentFuture = Lent<Future, haft_future, haft_future_retain>;
using LentParameterServer = Lent<ParameterServer, haft_parameter_server, haft_parameter_server_retain>;
using LentParameterClient = Lent<ParameterClient, haft_parameter_client, haft_parameter_client_retain>;
using LentFullySharded = Lent<FullySharded, haft_fully_sharded, haft_fully_sharded_retain>;
using LentProfile = Lent<Profile, haft_profile, haft_profile_retain>;

template <class L, class T>
bool borrow_all(JNIEnv* e, jlongArray handles, std::vector<T>& to) {
  const jsize n = handles ? e->GetArrayLength(handles) : 0;
  std::vector<jlong> raw(static_cast<std::size_t>(n));
  if (n) e->GetLongArrayRegion(handles, 0, n, raw.data());
  to.reserve(raw.size());
  for (jlong h : raw) {
    L one;
    if (!one.borrow(e, h)) return false;
    to.push_back(std::move(one.value));
  }
  return true;
}
/// Handles that Java owns from now on.
template <class T>
jlongArray give(JNIEnv* e, std::vector<T>&& from) {
  jlongArray out = e->NewLongArray(static_cast<jsize>(from.size()));
  if (!out) return nullptr;
  std::vector<jlong> raw;
  raw.reserve(from.size());
  for (T& t : from) raw.push_back(reinterpret_cast<jlong>(t.release()));
  e->SetLongArrayRegion(out, 0, static_cast<jsize>(raw.size()), raw.data());
  return out;
}

// Sizes and the like; few numbers need no memory.
class Numbers {
  static constexpr jsize kFew = 16;
  std::int64_t few_[kFew];
  std::vector<std::int64_t> many_;

 public:
  IntArray array;
  bool read(JNIEnv* e, jlongArray from) {
    const jsize n = from ? e->GetArrayLength(from) : 0;
    std::int64_t* to = few_;
    if (n > kFew) {
      many_.resize(static_cast<std::size_t>(n));
      to = many_.data();
    }
    if (n) e->GetLongArrayRegion(from, 0, n, reinterpret_cast<jlong*>(to));
    array = IntArray(to, n);
    return true;
  }
};
jlongArray longs(JNIEnv* e, const std::vector<std::int64_t>& v);
jdoubleArray doubles(JNIEnv* e, const std::vector<double>& v);

/// Object[]{String[] names, long[] handles}.
jobjectArray give_named(JNIEnv* e, nn::NamedTensors&& from);
bool borrow_named(JNIEnv* e, jobjectArray from, nn::NamedTensors& to);

// ---- callbacks: a Java object behind each of the callback classes ----

bindings::TensorCallback* tensor_callback(JNIEnv* e, jobject f);
bindings::TensorsCallback* tensors_callback(JNIEnv* e, jobject f);
bindings::ModuleHookCallback* module_hook_callback(JNIEnv* e, jobject f);
bindings::RateCallback* rate_callback(JNIEnv* e, jobject f);
bindings::LogCallback* log_callback(JNIEnv* e, jobject f);
bindings::ItemCallback* item_callback(JNIEnv* e, jobject f);
bindings::AutogradFunction* autograd_function(JNIEnv* e, jobject f);
bindings::SavedTensorsCallback* saved_tensors_callback(JNIEnv* e, jobject f);
bindings::ActionCallback* action_callback(JNIEnv* e, jobject f);
bindings::RequestCallback* request_callback(JNIEnv* e, jobject f);
bindings::WorkCallback* work_callback(JNIEnv* e, jobject f);
bindings::GradientCallback* gradient_callback(JNIEnv* e, jobject f);
bindings::RpcCallback* rpc_callback(JNIEnv* e, jobject f);
bindings::FutureCallback* future_callback(JNIEnv* e, jobject f);

}  // namespace java
}  // namespace haft
#endif
