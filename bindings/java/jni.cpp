#include "bindings/java/jni.hpp"

#include <pthread.h>

#include "bindings/spoken.hpp"

namespace haft {
namespace java {
namespace {

JavaVM* vm;
pthread_key_t
    attached;  // set in threads that this shim attached; its destructor runs after those of thread_local
jclass failures, callbacks;
jmethodID failures_make, failures_closed, failures_status, object_to_string;
jmethodID context_of_this_thread, enter_context, leave_context;
jmethodID call_tensor, call_tensors, call_module_hook, call_rate, call_log, call_item, call_forward,
    call_backward, call_request, call_work, call_called, call_answered, call_begin, call_finish, call_pack,
    call_unpack, call_drop, call_run;

}  // namespace

jclass find(JNIEnv* e, const char* name) {
  jclass local = e->FindClass(name);
  if (!local) return nullptr;
  auto out = static_cast<jclass>(e->NewWeakGlobalRef(local));
  e->DeleteLocalRef(local);
  return out;
}

bool load(JavaVM* machine, JNIEnv* e) {
  vm = machine;
  if (pthread_key_create(&attached, [](void*) { vm->DetachCurrentThread(); })) return false;
  failures = find(e, "io/haft/Failures");
  callbacks = find(e, "io/haft/Callbacks");
  jclass object = failures && callbacks ? e->FindClass("java/lang/Object") : nullptr;
  if (!object) return false;
  object_to_string = e->GetMethodID(object, "toString", "()Ljava/lang/String;");
  e->DeleteLocalRef(object);
  failures_make = e->GetStaticMethodID(failures, "make",
                                       "(ILjava/lang/String;ILjava/lang/String;Ljava/lang/String;Ljava/lang/"
                                       "String;Ljava/lang/String;)Ljava/lang/Throwable;");
  if (!e->ExceptionCheck())
    failures_closed = e->GetStaticMethodID(failures, "closed", "(Ljava/lang/Object;)Ljava/lang/Throwable;");
  if (!e->ExceptionCheck())
    failures_status = e->GetStaticMethodID(failures, "status", "(Ljava/lang/Throwable;)I");
  auto method = [e](const char* name, const char* signature) {
    return e->ExceptionCheck() ? nullptr : e->GetStaticMethodID(callbacks, name, signature);
  };
  context_of_this_thread = method("context", "()Ljava/lang/ClassLoader;");
  enter_context = method("enter", "(Ljava/lang/ClassLoader;)Ljava/lang/ClassLoader;");
  leave_context = method("leave", "(Ljava/lang/ClassLoader;)V");
  call_tensor = method("tensor", "(Ljava/lang/Object;J)J");
  call_tensors = method("tensors", "(Ljava/lang/Object;[J)[J");
  call_module_hook = method("moduleHook", "(Ljava/lang/Object;[J[J)[J");
  call_rate = method("rate", "(Ljava/lang/Object;J)D");
  call_log = method("log", "(Ljava/lang/Object;ILjava/lang/String;)V");
  call_item = method("item", "(Ljava/lang/Object;J)[J");
  call_forward = method("forward", "(Ljava/lang/Object;J[J)[J");
  call_backward = method("backward", "(Ljava/lang/Object;J[J)[J");
  call_request = method("request", "(Ljava/lang/Object;JI)V");
  call_work = method("work", "(Ljava/lang/Object;JI)V");
  call_called = method("called", "(Ljava/lang/Object;J)V");
  call_answered = method("answered", "(Ljava/lang/Object;J)V");
  call_begin = method("begin", "(Ljava/lang/Object;J[J)V");
  call_finish = method("finish", "(Ljava/lang/Object;J[J)V");
  call_pack = method("pack", "(Ljava/lang/Object;J)J");
  call_unpack = method("unpack", "(Ljava/lang/Object;J)J");
  call_drop = method("drop", "(Ljava/lang/Object;J)V");
  call_run = method("run", "(Ljava/lang/Object;)V");
  return !e->ExceptionCheck();
}

void unload(JNIEnv* e) {
  pthread_key_delete(attached);  // threads of the engine that end later stay attached, as daemons
  e->DeleteWeakGlobalRef(failures);
  e->DeleteWeakGlobalRef(callbacks);
}

JNIEnv* env() {
  void* e = nullptr;
  if (vm->GetEnv(&e, JNI_VERSION_1_8) == JNI_OK) return static_cast<JNIEnv*>(e);
  JavaVMAttachArgs arguments = {JNI_VERSION_1_8, const_cast<char*>("haft"), nullptr};
  if (vm->AttachCurrentThreadAsDaemon(&e, &arguments) != JNI_OK || !e)
    check(haft_error_set(HAFT_ERROR_CALLBACK, "the Java virtual machine takes no more calls", 0));
  pthread_setspecific(attached, vm);
  return static_cast<JNIEnv*>(e);
}

// ---- text ----

std::string utf8(JNIEnv* e, jstring s) {
  if (!s) return {};
  const jsize n = e->GetStringLength(s);
  std::vector<jchar> units(static_cast<std::size_t>(n));
  if (n) e->GetStringRegion(s, 0, n, units.data());
  std::string out;
  out.reserve(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    std::uint32_t c = units[i];
    if (c >= 0xd800 && c < 0xe000) {
      const bool pair = c < 0xdc00 && i + 1 < units.size() && units[i + 1] >= 0xdc00 && units[i + 1] < 0xe000;
      c = pair ? 0x10000 + ((c - 0xd800) << 10) + (units[++i] - 0xdc00u) : 0xfffd;
    }
    if (c < 0x80) {
      out += static_cast<char>(c);
      continue;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out += static_cast<char>((0xff00 >> (more + 1) & 0xff) | c >> (6 * more));
    for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
  }
  return out;
}

jstring text(JNIEnv* e, const std::string& s) {
  std::vector<jchar> units;
  units.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    const auto lead = static_cast<unsigned char>(s[i++]);
    const int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    std::uint32_t c = more ? lead & (0x3f >> more) : lead;
    for (int k = 0; k < more && i < s.size(); ++k) c = c << 6 | (static_cast<unsigned char>(s[i++]) & 0x3f);
    if (c >= 0x10000) {
      units.push_back(static_cast<jchar>(0xd7c0 + (c >> 10)));
      c = 0xdc00 + (c & 0x3ff);
    }
    units.push_back(static_cast<jchar>(c));
  }
  return e->NewString(units.data(), static_cast<jsize>(units.size()));
}

bool texts(JNIEnv* e, jobjectArray from, const char* argument, std::vector<std::string>& to) {
  const jsize n = e->GetArrayLength(from);
  for (jsize i = 0; i < n; ++i) {
    auto s = static_cast<jstring>(e->GetObjectArrayElement(from, i));
    if (!s) {
      throw_argument(e, (std::string(argument) + "[" + std::to_string(i) + "] is null").c_str());
      return false;
    }
    to.push_back(utf8(e, s));
    e->DeleteLocalRef(s);
  }
  return true;
}

// ---- exceptions ----

std::shared_ptr<_jobject> global(JNIEnv* e, jobject o) {
  jobject ref = e->NewGlobalRef(o);
  if (!ref) throw std::bad_alloc();
  return std::shared_ptr<_jobject>(ref, [](jobject r) {
    try {
      env()->DeleteGlobalRef(r);
    } catch (const Error&) {  // the virtual machine is gone, and its references with it
    }
  });
}

Throwable::Throwable(JNIEnv* e, jthrowable t) : ref_(global(e, t)) {
  auto s = static_cast<jstring>(e->CallObjectMethod(t, object_to_string));
  if (e->ExceptionCheck()) e->ExceptionClear();
  what_ = s ? utf8(e, s) : "a Java exception";
  if (s) e->DeleteLocalRef(s);
  status_ = e->CallStaticIntMethod(failures, failures_status, t);
  if (e->ExceptionCheck()) {
    e->ExceptionClear();
    status_ = HAFT_ERROR_CALLBACK;
  }
}

void check_java(JNIEnv* e) {
  jthrowable t = e->ExceptionOccurred();
  if (!t) return;
  e->ExceptionClear();
  Throwable thrown(e, t);
  e->DeleteLocalRef(t);
  throw thrown;
}

namespace {

void throw_failure(JNIEnv* e, int code, const std::string& function, int index, const std::string& argument,
                   const std::string& message, const std::string& hint, const std::string& what) {
  if (e->ExceptionCheck()) return;
  if (e->PushLocalFrame(8)) return;
  auto t = static_cast<jthrowable>(e->CallStaticObjectMethod(
      failures, failures_make, static_cast<jint>(code), text(e, function), static_cast<jint>(index),
      text(e, argument), text(e, message), text(e, hint), text(e, what)));
  if (t && !e->ExceptionCheck()) e->Throw(t);
  e->PopLocalFrame(nullptr);
}

void throw_error(JNIEnv* e, const Error& failed) {
  using namespace bindings;
  constexpr Language java{Words::camel, Words::camel, "null"};
  const std::string message = spoken(failed.message(), failed.argument(), java),
                    hint = spoken(failed.hint(), failed.argument(), java);
  throw_failure(e, failed.code(), failed.function(), failed.argument_index(),
                cased(failed.argument(), java.arguments), message, hint,
                message.empty() ? failed.what() : spoken_text(failed.function(), message, hint, java));
}

}  // namespace

void throw_java(JNIEnv* e) noexcept {
  try {
    try {
      throw;
    } catch (const Error& failed) {
      bindings::rethrow_carried(failed);
      throw_error(e, failed);
    }
  } catch (const Throwable& t) {
    e->Throw(t.get());
  } catch (const std::bad_alloc&) {
    throw_failure(e, HAFT_ERROR_OUT_OF_MEMORY, "", -1, "", "out of memory", "", "out of memory");
  } catch (const std::exception& other) {
    throw_failure(e, HAFT_ERROR_INTERNAL, "", -1, "", other.what(), "", other.what());
  } catch (...) {
    throw_failure(e, HAFT_ERROR_INTERNAL, "", -1, "", "unknown failure", "", "unknown failure");
  }
}

void throw_status(JNIEnv* e, haft_status status) noexcept {
  try {
    throw_error(e, Error(status));
  } catch (...) {
    throw_java(e);
  }
}
void throw_closed(JNIEnv* e, jobject object) noexcept {
  auto t = static_cast<jthrowable>(e->CallStaticObjectMethod(failures, failures_closed, object));
  if (t && !e->ExceptionCheck()) e->Throw(t);
}
void throw_argument(JNIEnv* e, const char* message) noexcept {
  try {
    throw_failure(e, HAFT_ERROR_INVALID_ARGUMENT, "", -1, "", message, "", message);
  } catch (...) {
    throw_java(e);
  }
}

// ---- arrays ----

jlongArray longs(JNIEnv* e, const std::vector<std::int64_t>& v) {
  jlongArray out = e->NewLongArray(static_cast<jsize>(v.size()));
  if (out)
    e->SetLongArrayRegion(out, 0, static_cast<jsize>(v.size()), reinterpret_cast<const jlong*>(v.data()));
  return out;
}

jdoubleArray doubles(JNIEnv* e, const std::vector<double>& v) {
  jdoubleArray out = e->NewDoubleArray(static_cast<jsize>(v.size()));
  if (out) e->SetDoubleArrayRegion(out, 0, static_cast<jsize>(v.size()), v.data());
  return out;
}

jobjectArray give_named(JNIEnv* e, nn::NamedTensors&& from) {
  jclass object = e->FindClass("java/lang/Object"), string = e->FindClass("java/lang/String");
  jobjectArray out = e->NewObjectArray(2, object, nullptr);
  jobjectArray names = out ? e->NewObjectArray(static_cast<jsize>(from.size()), string, nullptr) : nullptr;
  if (!names) return nullptr;
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < from.size(); ++i) {
    jstring name = text(e, from[i].first);
    if (!name) return nullptr;
    e->SetObjectArrayElement(names, static_cast<jsize>(i), name);
    e->DeleteLocalRef(name);
    tensors.push_back(std::move(from[i].second));
  }
  jlongArray handles = give(e, std::move(tensors));
  if (!handles) return nullptr;
  e->SetObjectArrayElement(out, 0, names);
  e->SetObjectArrayElement(out, 1, handles);
  return out;
}

bool borrow_named(JNIEnv* e, jobjectArray from, nn::NamedTensors& to) {
  auto names = static_cast<jobjectArray>(e->GetObjectArrayElement(from, 0));
  auto handles = static_cast<jlongArray>(e->GetObjectArrayElement(from, 1));
  std::vector<Tensor> tensors;
  if (!borrow_all<LentTensor>(e, handles, tensors)) return false;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    auto name = static_cast<jstring>(e->GetObjectArrayElement(names, static_cast<jsize>(i)));
    to.emplace_back(utf8(e, name), std::move(tensors[i]));
    e->DeleteLocalRef(name);
  }
  return true;
}

// ---- callbacks ----

namespace {

// One call of Java. A thread of the engine has neither a frame for local references nor a context class loader: it
// gets that of whoever handed the function in, for the time of the call, so that it keeps no application from being
// unloaded.
class Upcall {
  JNIEnv* e_;
  bool entered_ = false;
  jobject before_ = nullptr;

 public:
  Upcall(JNIEnv* e, jobject context) : e_(e) {
    if (e_->PushLocalFrame(16)) check_java(e_);
    if (!context || !pthread_getspecific(attached)) return;
    before_ = e_->CallStaticObjectMethod(callbacks, enter_context, context);
    e_->ExceptionClear();
    entered_ = true;
  }
  ~Upcall() {
    if (entered_) {
      jthrowable pending = e_->ExceptionOccurred();
      e_->ExceptionClear();
      e_->CallStaticVoidMethod(callbacks, leave_context, before_);
      e_->ExceptionClear();
      if (pending) e_->Throw(pending);
    }
    e_->PopLocalFrame(nullptr);
  }
  Upcall(const Upcall&) = delete;
};

std::vector<Tensor> take(JNIEnv* e, jlongArray handles) {
  check_java(e);
  const jsize n = handles ? e->GetArrayLength(handles) : 0;
  std::vector<jlong> raw(static_cast<std::size_t>(n));
  if (n) e->GetLongArrayRegion(handles, 0, n, raw.data());
  std::vector<Tensor> out;
  out.reserve(raw.size());
  for (jlong h : raw) out.emplace_back(reinterpret_cast<haft_tensor*>(h));
  return out;
}
jlongArray lend(JNIEnv* e, const std::vector<Tensor>& ts) {
  std::vector<Tensor> shares = ts;
  jlongArray out = give(e, std::move(shares));
  if (!out) check_java(e);
  return out;
}

// Base is one of the callback classes; the object is kept until the engine lets go.
template <class Base>
class Kept : public Base {
 protected:
  std::shared_ptr<_jobject> f_, context_;

 public:
  Kept(JNIEnv* e, jobject f) : f_(global(e, f)) {
    jobject context = e->CallStaticObjectMethod(callbacks, context_of_this_thread);
    check_java(e);
    if (context) context_ = global(e, context);
    e->DeleteLocalRef(context);
  }
  void on_release() override { delete this; }
};

class JavaTensor : public Kept<bindings::TensorCallback> {
 public:
  using Kept::Kept;
  Tensor call(const Tensor& x) override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    Tensor share = x;
    const jlong y =
        e->CallStaticLongMethod(callbacks, call_tensor, f_.get(), reinterpret_cast<jlong>(share.release()));
    check_java(e);
    return Tensor(reinterpret_cast<haft_tensor*>(y));
  }
};
class JavaTensors : public Kept<bindings::TensorsCallback> {
 public:
  using Kept::Kept;
  std::vector<Tensor> call(const std::vector<Tensor>& inputs) override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    return take(e, static_cast<jlongArray>(
                       e->CallStaticObjectMethod(callbacks, call_tensors, f_.get(), lend(e, inputs))));
  }
};
class JavaModuleHook : public Kept<bindings::ModuleHookCallback> {
 public:
  using Kept::Kept;
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    jlongArray in = lend(e, inputs), out = lend(e, outputs);
    return take(e, static_cast<jlongArray>(
                       e->CallStaticObjectMethod(callbacks, call_module_hook, f_.get(), in, out)));
  }
};
class JavaRate : public Kept<bindings::RateCallback> {
 public:
  using Kept::Kept;
  double rate(std::int64_t epoch) override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    const double out = e->CallStaticDoubleMethod(callbacks, call_rate, f_.get(), static_cast<jlong>(epoch));
    check_java(e);
    return out;
  }
};
class JavaLog : public Kept<bindings::LogCallback> {
 public:
  using Kept::Kept;
  void log(std::int32_t level, const std::string& line) override {
    JNIEnv* e = env();
    if (e->ExceptionCheck()) return;  // a line from inside a call that has failed already
    Upcall upcall(e, context_.get());
    e->CallStaticVoidMethod(callbacks, call_log, f_.get(), static_cast<jint>(level), text(e, line));
    check_java(e);
  }
};
class JavaItems : public Kept<bindings::ItemCallback> {
 public:
  using Kept::Kept;
  std::vector<Tensor> item(std::int64_t index) override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    return take(e, static_cast<jlongArray>(
                       e->CallStaticObjectMethod(callbacks, call_item, f_.get(), static_cast<jlong>(index))));
  }
};
class JavaFunction : public Kept<bindings::AutogradFunction> {
  std::vector<Tensor> run(jmethodID method, FunctionContext& ctx, const std::vector<Tensor>& in) {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    return take(e, static_cast<jlongArray>(e->CallStaticObjectMethod(
                       callbacks, method, f_.get(), reinterpret_cast<jlong>(&ctx), lend(e, in))));
  }

 public:
  using Kept::Kept;
  std::vector<Tensor> forward(FunctionContext& ctx, const std::vector<Tensor>& inputs) override {
    return run(call_forward, ctx, inputs);
  }
  std::vector<Tensor> backward(FunctionContext& ctx, const std::vector<Tensor>& grads) override {
    return run(call_backward, ctx, grads);
  }
};

// Hands Java a share of what the engine lends.
template <class Base>
class Handed : public Kept<Base> {
 protected:
  template <class H, class... More>
  void hand(jmethodID method, const H& lent, More... more) {
    JNIEnv* e = env();
    Upcall upcall(e, this->context_.get());
    H share = lent;
    e->CallStaticVoidMethod(callbacks, method, this->f_.get(), reinterpret_cast<jlong>(share.release()),
                            more...);
    check_java(e);
  }

 public:
  using Kept<Base>::Kept;
};

class JavaRequest : public Handed<bindings::RequestCallback> {
 public:
  using Handed::Handed;
  void done(const Request& request, std::int32_t status) override {
    hand(call_request, request, static_cast<jint>(status));
  }
};

class JavaWork : public Handed<bindings::WorkCallback> {
 public:
  using Handed::Handed;
  void done(const Work& work, std::int32_t status) override {
    hand(call_work, work, static_cast<jint>(status));
  }
};

class JavaCalled : public Handed<bindings::RpcCallback> {
 public:
  using Handed::Handed;
  void call(const RpcRequest& request) override { hand(call_called, request); }
};

class JavaAnswered : public Handed<bindings::FutureCallback> {
 public:
  using Handed::Handed;
  void done(const Future& future, std::int32_t) override { hand(call_answered, future); }
};

class JavaGradients : public Kept<bindings::GradientCallback> {
  void run(jmethodID method, std::int64_t bucket, const std::vector<Tensor>& tensors) {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    e->CallStaticVoidMethod(callbacks, method, f_.get(), static_cast<jlong>(bucket), lend(e, tensors));
    check_java(e);
  }

 public:
  using Kept::Kept;
  void begin(std::int64_t bucket, const std::vector<Tensor>& tensors) override {
    run(call_begin, bucket, tensors);
  }
  void finish(std::int64_t bucket, const std::vector<Tensor>& tensors) override {
    run(call_finish, bucket, tensors);
  }
};

class JavaSavedTensors : public Kept<bindings::SavedTensorsCallback> {
 public:
  using Kept::Kept;
  std::int64_t pack(const Tensor& x) override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    Tensor share = x;
    const jlong packed =
        e->CallStaticLongMethod(callbacks, call_pack, f_.get(), reinterpret_cast<jlong>(share.release()));
    check_java(e);
    return packed;
  }
  Tensor unpack(std::int64_t packed) override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    const jlong x = e->CallStaticLongMethod(callbacks, call_unpack, f_.get(), static_cast<jlong>(packed));
    check_java(e);
    return Tensor(reinterpret_cast<haft_tensor*>(x));
  }
  void drop(std::int64_t packed) override {
    JNIEnv* e = env();
    // A graph may die while an exception is on its way; Java must not be called with one pending.
    jthrowable pending = e->ExceptionOccurred();
    e->ExceptionClear();
    {
      Upcall upcall(e, context_.get());
      e->CallStaticVoidMethod(callbacks, call_drop, f_.get(), static_cast<jlong>(packed));
      e->ExceptionClear();
    }
    if (pending) e->Throw(pending);
  }
};
class JavaAction : public Kept<bindings::ActionCallback> {
 public:
  using Kept::Kept;
  void run() override {
    JNIEnv* e = env();
    Upcall upcall(e, context_.get());
    e->CallStaticVoidMethod(callbacks, call_run, f_.get());
    check_java(e);
  }
};

// NULL with a Java exception pending when f is null.
template <class C>
C* kept(JNIEnv* e, jobject f) {
  if (!f) {
    throw_argument(e, "the function is null");
    return nullptr;
  }
  try {
    return new C(e, f);
  } catch (...) {
    throw_java(e);
    return nullptr;
  }
}

}  // namespace

bindings::TensorCallback* tensor_callback(JNIEnv* e, jobject f) { return kept<JavaTensor>(e, f); }
bindings::TensorsCallback* tensors_callback(JNIEnv* e, jobject f) { return kept<JavaTensors>(e, f); }
bindings::ModuleHookCallback* module_hook_callback(JNIEnv* e, jobject f) {
  return kept<JavaModuleHook>(e, f);
}
bindings::RateCallback* rate_callback(JNIEnv* e, jobject f) { return kept<JavaRate>(e, f); }
bindings::LogCallback* log_callback(JNIEnv* e, jobject f) { return kept<JavaLog>(e, f); }
bindings::ItemCallback* item_callback(JNIEnv* e, jobject f) { return kept<JavaItems>(e, f); }
bindings::RequestCallback* request_callback(JNIEnv* e, jobject f) { return kept<JavaRequest>(e, f); }
bindings::WorkCallback* work_callback(JNIEnv* e, jobject f) { return kept<JavaWork>(e, f); }
bindings::GradientCallback* gradient_callback(JNIEnv* e, jobject f) { return kept<JavaGradients>(e, f); }
bindings::RpcCallback* rpc_callback(JNIEnv* e, jobject f) { return kept<JavaCalled>(e, f); }
bindings::FutureCallback* future_callback(JNIEnv* e, jobject f) { return kept<JavaAnswered>(e, f); }
bindings::SavedTensorsCallback* saved_tensors_callback(JNIEnv* e, jobject f) {
  return kept<JavaSavedTensors>(e, f);
}
bindings::ActionCallback* action_callback(JNIEnv* e, jobject f) { return kept<JavaAction>(e, f); }
bindings::AutogradFunction* autograd_function(JNIEnv* e, jobject f) { return kept<JavaFunction>(e, f); }

}  // namespace java
}  // namespace haft
