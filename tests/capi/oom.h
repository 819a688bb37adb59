// Allocation failures: the n-th request for memory fails, for n = 1, 2, ... until a call needs no more. Both
// sources of memory are the test's: operator new, which it replaces, and tensor memory, through
// haft_memory_set_allocator.
#pragma once
#include <gtest/gtest.h>
#include <haft/haft.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace oom {

// What a request that fails does to those behind it.
enum class Fail { once, from_then_on };

void arm(int64_t n, Fail how = Fail::once);  // the n-th request from now fails
bool disarm();                               // whether one did
bool refuse();                               // for a source of memory: fail this request?
int64_t outstanding();                       // blocks of operator new that are alive
int64_t live();                              // handles that are alive
void must(haft_status s);
inline haft_status create_linear(int64_t in, int64_t out, haft_module** m) {
  haft_linear_options o = HAFT_LINEAR_OPTIONS_INIT;
  o.in_features = in;
  o.out_features = out;
  return haft_linear_create(&o, m);
}

constexpr uintptr_t kUntouched = 0x5e5e5e5e5e5e5e5e;

// One attempt at one call. Setting up and looking at results runs without failures, only run() with them.
class Attempt {
  int64_t n_;
  Fail how_;
  bool failed_ = false, ran_ = false, callbacks_ = false;
  haft_status status_ = HAFT_OK;
  std::vector<void**> outs_;
  std::string function_;

 public:
  Attempt(std::string function, int64_t n, Fail how) : n_(n), how_(how), function_(std::move(function)) {}
  // A place that a failure must leave alone.
  void out(void** place) {
    *place = reinterpret_cast<void*>(kUntouched);
    outs_.push_back(place);
  }
  // The call runs callbacks, which may be what lacked memory: HAFT_ERROR_CALLBACK.
  void may_fail_in_callbacks() { callbacks_ = true; }
  // Calls f, the function under test, which may fail with HAFT_ERROR_OUT_OF_MEMORY and nothing else, and
  // checks what such a failure leaves.
  template <class F>
  haft_status run(F&& f) {
    arm(n_, how_);
    haft_status s = f();
    finish(s);
    return s;
  }
  // The same for functions that answer no status and cannot fail.
  template <class F>
  void run_void(F&& f) {
    arm(n_, how_);
    f();
    failed_ = disarm();
    ran_ = true;
  }
  bool ok() const { return status_ == HAFT_OK; }
  bool failed() const { return failed_; }  // a request did
  bool ran() const { return ran_; }
  haft_status status() const { return status_; }

 private:
  void finish(haft_status s);
};

// The body makes what it needs, calls run() once and releases what it got. It is repeated with a later
// failure each time: on this thread, where everything is warm, and on new ones, whose pools, caches and error
// records are empty; with one failure, and with memory that stays short.
// Nothing may stay behind. Where a call fills caches of the library (packed weights), blocks are not counted.
enum class Caches { steady, growing };
void sweep(const std::string& function, const std::function<void(Attempt&)>& body,
           Caches caches = Caches::steady);

// Releases at the end what it got.
template <class T, void (*Release)(T*)>
struct Held {
  T* h = nullptr;
  Held() = default;
  explicit Held(Attempt& a) { a.out(reinterpret_cast<void**>(&h)); }
  Held(const Held&) = delete;
  ~Held() {
    if (h != reinterpret_cast<T*>(kUntouched)) Release(h);
  }
  operator T*() const { return h; }
  T** operator&() { return &h; }
};
using Tensor = Held<haft_tensor, haft_tensor_release>;
using Module = Held<haft_module, haft_module_release>;
using Optimizer = Held<haft_optimizer, haft_optimizer_release>;
using Scheduler = Held<haft_scheduler, haft_scheduler_release>;
using Dataset = Held<haft_dataset, haft_dataset_release>;
using Transform = Held<haft_transform, haft_transform_release>;
using VariableTransform = Held<haft_variable_transform, haft_variable_transform_release>;
using Loader = Held<haft_loader, haft_loader_release>;
using Weights = Held<haft_weights, haft_weights_release>;
using Checkpoint = Held<haft_checkpoint, haft_checkpoint_release>;
using Writer = Held<haft_writer, haft_writer_release>;
using Profile = Held<haft_profile, haft_profile_release>;
using Session = Held<haft_session, haft_session_release>;
using Request = Held<haft_request, haft_request_release>;
using Token = Held<haft_cancel_token, haft_cancel_token_release>;
using Store = Held<haft_store, haft_store_release>;
using Group = Held<haft_process_group, haft_process_group_release>;
using DataParallel = Held<haft_data_parallel, haft_data_parallel_release>;
using ModelAverager = Held<haft_model_averager, haft_model_averager_release>;
using GradScaler = Held<haft_grad_scaler, haft_grad_scaler_release>;
using FullySharded = Held<haft_fully_sharded, haft_fully_sharded_release>;
using Work = Held<haft_work, haft_work_release>;
using Mesh = Held<haft_device_mesh, haft_device_mesh_release>;
using Pipeline = Held<haft_pipeline, haft_pipeline_release>;
using Rpc = Held<haft_rpc, haft_rpc_release>;
using RpcRequest = Held<haft_rpc_request, haft_rpc_request_release>;
using Future = Held<haft_future, haft_future_release>;
using ParameterServer = Held<haft_parameter_server, haft_parameter_server_release>;
using ParameterClient = Held<haft_parameter_client, haft_parameter_client_release>;
using Node = Held<haft_node, haft_node_release>;
using Generator = Held<haft_generator, haft_generator_release>;
using Stream = Held<haft_stream, haft_stream_release>;
using Event = Held<haft_event, haft_event_release>;
using DeviceGraph = Held<haft_device_graph, haft_device_graph_release>;
using Fused = Held<haft_fused, haft_fused_release>;
using Evaluator = Held<haft_evaluator, haft_evaluator_release>;
using Distribution = Held<haft_distribution, haft_distribution_release>;
using VariableTransform = Held<haft_variable_transform, haft_variable_transform_release>;

std::string folder();  // of the process, for files

std::vector<char> bytes_of(const haft_tensor* t);

// Functions whose calls are written by hand, by name; the others' calls are made from their types.
using Case = std::function<void(Attempt&)>;
const std::vector<std::pair<std::string, Case>>& cases();

}  // namespace oom
