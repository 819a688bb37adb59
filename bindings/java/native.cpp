// Native methods of io.haft.Native: what the proxies of SWIG do not say well in Java. The object behind a
// handle is an argument beside it, so that the collector leaves it alone during the call.
#include <dlfcn.h>
#include <sched.h>

#include <atomic>
#include <mutex>

#include "bindings/java/jni.hpp"

using namespace haft;
using namespace haft::java;

namespace {

template <class H>
H* as(jlong handle) {
  return reinterpret_cast<H*>(handle);
}
jlong number(void* handle) { return reinterpret_cast<jlong>(handle); }

// Runs f; what it throws is pending in Java afterwards.
template <class F>
auto guarded(JNIEnv* e, F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    throw_java(e);
    return decltype(f())();
  }
}
// A share for the time of a call; throws where Lent would leave a Java exception.
template <class T, class H, haft_status (*Retain)(H*)>
T share(jlong handle) {
  if (!handle) check(haft_error_set(HAFT_ERROR_STALE_HANDLE, "the object is closed", 0));
  check(Retain(as<H>(handle)));
  return T(as<H>(handle));
}
Tensor tensor(jlong h) { return share<Tensor, haft_tensor, haft_tensor_retain>(h); }
data::Loader loader(jlong h) { return share<data::Loader, haft_loader, haft_loader_retain>(h); }

jclass native_class;
jmethodID on_pressure;
std::mutex pressure_lock;
std::int64_t pressure_id = 0;
std::atomic<int> armed{0};  // how often the engine has our pressed()

std::vector<std::int64_t> sizes_of(JNIEnv* e, jlongArray from) {
  std::vector<std::int64_t> v(from ? static_cast<std::size_t>(e->GetArrayLength(from)) : 0);
  if (!v.empty())
    e->GetLongArrayRegion(from, 0, static_cast<jsize>(v.size()), reinterpret_cast<jlong*>(v.data()));
  return v;
}

// The primitive arrays, by the letter that the virtual machine has for their elements.
template <class Get>
void array_region(jchar kind, Get&& get) {
  switch (kind) {
    case 'F': return get(&JNIEnv::GetFloatArrayRegion, &JNIEnv::SetFloatArrayRegion, jfloatArray(), jfloat());
    case 'D':
      return get(&JNIEnv::GetDoubleArrayRegion, &JNIEnv::SetDoubleArrayRegion, jdoubleArray(), jdouble());
    case 'J': return get(&JNIEnv::GetLongArrayRegion, &JNIEnv::SetLongArrayRegion, jlongArray(), jlong());
    case 'I': return get(&JNIEnv::GetIntArrayRegion, &JNIEnv::SetIntArrayRegion, jintArray(), jint());
    case 'S': return get(&JNIEnv::GetShortArrayRegion, &JNIEnv::SetShortArrayRegion, jshortArray(), jshort());
    case 'Z':
      return get(&JNIEnv::GetBooleanArrayRegion, &JNIEnv::SetBooleanArrayRegion, jbooleanArray(), jboolean());
    default: return get(&JNIEnv::GetByteArrayRegion, &JNIEnv::SetByteArrayRegion, jbyteArray(), jbyte());
  }
}

void free_reference(void* user) {
  try {
    env()->DeleteGlobalRef(static_cast<jobject>(user));
  } catch (const Error&) {  // the virtual machine is gone
  }
}

void pressed(std::int64_t live, void*) {
  try {
    JNIEnv* e = env();
    if (e->ExceptionCheck()) return;
    auto c = static_cast<jclass>(e->NewLocalRef(native_class));
    if (!c) return;  // its class loader is gone
    e->CallStaticVoidMethod(c, on_pressure, static_cast<jlong>(live));
    if (e->ExceptionCheck()) e->ExceptionClear();
    e->DeleteLocalRef(c);
  } catch (const Error&) {
  }
}

haft_checkpoint_parts parts_of(JNIEnv* e, jlongArray handles) {
  jlong v[6];
  e->GetLongArrayRegion(handles, 0, 6, v);
  haft_checkpoint_parts p = HAFT_CHECKPOINT_PARTS_INIT;
  p.default_generator = v[0] != 0;
  p.module = as<haft_module>(v[1]);
  p.optimizer = as<haft_optimizer>(v[2]);
  p.scheduler = as<haft_scheduler>(v[3]);
  p.generator = as<haft_generator>(v[4]);
  p.loader = as<haft_loader>(v[5]);
  return p;
}
// Shares of the parts, so that nobody closes them meanwhile.
struct Parts {
  LentModule module;
  LentOptimizer optimizer;
  LentScheduler scheduler;
  LentGenerator generator;
  LentLoader loader;
  bool borrow(JNIEnv* e, const haft_checkpoint_parts& p) {
    return module.borrow(e, number(p.module)) && optimizer.borrow(e, number(p.optimizer)) &&
           scheduler.borrow(e, number(p.scheduler)) && generator.borrow(e, number(p.generator)) &&
           loader.borrow(e, number(p.loader));
  }
};

}  // namespace

#define NATIVE(type, name) extern "C" JNIEXPORT type JNICALL Java_io_haft_Native_##name

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* vm, void*) {
  void* p = nullptr;
  if (vm->GetEnv(&p, JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  auto* e = static_cast<JNIEnv*>(p);
  const std::int32_t got = haft_get_version_number();
  if (got / 1000000 != HAFT_VERSION_MAJOR || got < HAFT_VERSION_NUMBER) {
    Dl_info shim{};
    dladdr(reinterpret_cast<void*>(&JNI_OnLoad), &shim);
    const std::string version = std::to_string(got / 1000000) + "." + std::to_string(got / 1000 % 1000) +
                                "." + std::to_string(got % 1000);
    const std::string wanted = std::to_string(HAFT_VERSION_MAJOR) + "." + std::to_string(HAFT_VERSION_MINOR) +
                               "." + std::to_string(HAFT_VERSION_PATCH);
    const std::string text = "haft: the Java binding " + std::string(shim.dli_fname ? shim.dli_fname : "?") +
                             " wants libhaft " + wanted + " or newer of the same major version, and found " +
                             version + " at " + haft_get_library_path();
    if (jclass c = e->FindClass("java/lang/UnsatisfiedLinkError")) e->ThrowNew(c, text.c_str());
    return JNI_VERSION_1_8;
  }
  native_class = find(e, "io/haft/Native");
  if (!native_class) return JNI_ERR;
  on_pressure = e->GetStaticMethodID(native_class, "onPressure", "(J)V");
  return on_pressure && load(vm, e) ? JNI_VERSION_1_8 : JNI_ERR;
}

extern "C" JNIEXPORT void JNICALL JNI_OnUnload(JavaVM* vm, void*) {
  void* p = nullptr;
  if (pressure_id) haft_memory_remove_pressure_callback(pressure_id);
  while (armed) sched_yield();  // a call that another thread makes ends here
  if (vm->GetEnv(&p, JNI_VERSION_1_8) != JNI_OK) return;
  auto* e = static_cast<JNIEnv*>(p);
  e->DeleteWeakGlobalRef(native_class);
  unload(e);
}

// ---- handles ----

NATIVE(void, release)(JNIEnv*, jclass, jint kind, jlong h) {
  switch (kind) {
    case 0: return haft_tensor_release(as<haft_tensor>(h));
    case 1: return haft_module_release(as<haft_module>(h));
    case 2: return haft_optimizer_release(as<haft_optimizer>(h));
    case 3: return haft_scheduler_release(as<haft_scheduler>(h));
    case 4: return haft_dataset_release(as<haft_dataset>(h));
    case 5: return haft_transform_release(as<haft_transform>(h));
    case 6: return haft_loader_release(as<haft_loader>(h));
    case 7: return haft_weights_release(as<haft_weights>(h));
    case 8: return haft_writer_release(as<haft_writer>(h));
    case 9: return haft_checkpoint_release(as<haft_checkpoint>(h));
    case 10: return haft_generator_release(as<haft_generator>(h));
    case 11: return haft_profile_release(as<haft_profile>(h));
    case 12: return haft_session_release(as<haft_session>(h));
    case 13: return haft_request_release(as<haft_request>(h));
    case 14: return haft_cancel_token_release(as<haft_cancel_token>(h));
    case 15: return haft_store_release(as<haft_store>(h));
    case 16: return haft_process_group_release(as<haft_process_group>(h));
    case 17: return haft_work_release(as<haft_work>(h));
    case 18: return haft_data_parallel_release(as<haft_data_parallel>(h));
    case 19: return haft_model_averager_release(as<haft_model_averager>(h));
    case 20: return haft_device_mesh_release(as<haft_device_mesh>(h));
    case 21: return haft_pipeline_release(as<haft_pipeline>(h));
    case 22: return haft_rpc_release(as<haft_rpc>(h));
    case 23: return haft_rpc_request_release(as<haft_rpc_request>(h));
    case 24: return haft_future_release(as<haft_future>(h));
    case 25: return haft_parameter_server_release(as<haft_parameter_server>(h));
    case 26: return haft_parameter_client_release(as<haft_parameter_client>(h));
    case 27: return haft_fully_sharded_release(as<haft_fully_sharded>(h));
    case 28: return haft_grad_scaler_release(as<haft_grad_scaler>(h));
  }
}
NATIVE(void, retainTensor)(JNIEnv* e, jclass, jlong h, jobject) {
  if (haft_status s = haft_tensor_retain(as<haft_tensor>(h))) throw_status(e, s);
}

// ---- memory of the host ----

NATIVE(jlong, fromArray)(JNIEnv* e, jclass, jobject from, jchar kind, jlongArray size, jint dtype) {
  return guarded(e, [&] {
    const auto sizes = sizes_of(e, size);
    Tensor t = haft::empty(sizes, dtype, HAFT_DEVICE_CPU);
    const jsize n = static_cast<jsize>(t.numel());
    if (n)
      array_region(kind, [&](auto get, auto, auto array, auto element) {
        (e->*get)(static_cast<decltype(array)>(from), 0, n, static_cast<decltype(element)*>(t.data<void>()));
      });
    return number(t.release());
  });
}
NATIVE(void, toArray)(JNIEnv* e, jclass, jlong h, jobject, jobject to, jchar kind) {
  guarded(e, [&] {
    Tensor t = haft::contiguous(haft::to(tensor(h), HAFT_DTYPE_NONE, HAFT_DEVICE_CPU, false));
    const jsize n = static_cast<jsize>(t.numel());
    if (n)
      array_region(kind, [&](auto, auto set, auto array, auto element) {
        (e->*set)(static_cast<decltype(array)>(to), 0, n,
                  static_cast<const decltype(element)*>(t.data<void>()));
      });
  });
}
NATIVE(jlong, fromBuffer)(JNIEnv* e, jclass, jobject buffer, jlong offset, jlongArray size, jint dtype) {
  return guarded(e, [&] {
    auto* address = static_cast<char*>(e->GetDirectBufferAddress(buffer));
    if (!address)
      check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT,
                           "a direct buffer is wanted (ByteBuffer.allocateDirect)", 0));
    const auto sizes = sizes_of(e, size);
    jobject kept = e->NewGlobalRef(buffer);
    haft_tensor* out = nullptr;
    const haft_status s = haft_tensor_from_memory(address + offset, sizes.data(), nullptr,
                                                  static_cast<std::int64_t>(sizes.size()), dtype,
                                                  HAFT_DEVICE_CPU, free_reference, kept, &out);
    if (s != HAFT_OK) {
      Error failed(s);
      e->DeleteGlobalRef(kept);
      throw failed;
    }
    return number(out);
  });
}
NATIVE(jlong, fromBytes)(JNIEnv* e, jclass, jobject buffer, jlong offset, jlongArray size, jint dtype) {
  return guarded(e, [&] {
    auto* address = static_cast<char*>(e->GetDirectBufferAddress(buffer));
    const auto sizes = sizes_of(e, size);
    haft_tensor* out = nullptr;
    check(haft_tensor_from_data(address + offset, sizes.data(), static_cast<std::int64_t>(sizes.size()),
                                dtype, HAFT_DEVICE_CPU, &out));
    return number(out);
  });
}
NATIVE(jobject, buffer)(JNIEnv* e, jclass, jlong h, jobject) {
  return guarded(e, [&]() -> jobject {
    Tensor t = tensor(h);
    if (!t.is_contiguous() || t.device() != HAFT_DEVICE_CPU)
      check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT,
                           "a buffer needs a dense tensor on the CPU: contiguous() makes one", 0));
    static char nothing[1];
    void* address = t.data<void>();
    return e->NewDirectByteBuffer(address ? address : nothing, t.numel() * haft_dtype_get_size(t.dtype()));
  });
}
NATIVE(jlong, keepPressure)(JNIEnv* e, jclass, jlong mark) {
  return guarded(e, [&] {
    std::int64_t before;
    {
      std::lock_guard<std::mutex> lock(pressure_lock);
      before = pressure_id;
      ++armed;
      const haft_status s = haft_memory_add_pressure_callback(
          mark, pressed, nullptr, [](void*) { --armed; }, &pressure_id);
      if (s) --armed;
      check(s);
    }
    if (before) check(haft_memory_remove_pressure_callback(before));
    return jlong(0);
  });
}
NATIVE(jlongArray, memoryStats)(JNIEnv* e, jclass, jint device) {
  return guarded(e, [&] { return longs(e, bindings::MemoryPlaces::numbers(memory_stats(device))); });
}

// ---- the library ----

NATIVE(jint, parseDevice)(JNIEnv* e, jclass, jstring name) {
  return guarded(e, [&] { return haft::device(utf8(e, name)); });
}
NATIVE(jstring, deviceText)(JNIEnv* e, jclass, jint device) {
  return guarded(e, [&] { return text(e, device_text(device)); });
}

// ---- modes of a thread ----

NATIVE(jboolean, setGradEnabled)(JNIEnv* e, jclass, jboolean on) {
  return guarded(e, [&] { return jboolean(bindings::swap_grad_enabled(on)); });
}
NATIVE(jboolean, setInferenceMode)(JNIEnv* e, jclass, jboolean on) {
  return guarded(e, [&] { return jboolean(bindings::swap_inference_mode(on)); });
}
NATIVE(jboolean, setAnomalyMode)(JNIEnv* e, jclass, jboolean on) {
  return guarded(e, [&] { return jboolean(bindings::swap_anomaly_mode(on)); });
}

// ---- the context of a function of one's own ----

NATIVE(void, contextSave)(JNIEnv* e, jclass, jlong context, jlong h, jobject) {
  guarded(e, [&] { as<FunctionContext>(context)->save(tensor(h)); });
}
NATIVE(jlong, contextSaved)(JNIEnv* e, jclass, jlong context, jlong index) {
  return guarded(e, [&] { return number(as<FunctionContext>(context)->saved(index).release()); });
}
NATIVE(jboolean, contextNeedsGrad)(JNIEnv* e, jclass, jlong context, jlong index) {
  return guarded(e, [&] { return jboolean(as<FunctionContext>(context)->needs_grad(index)); });
}

// ---- data ----

NATIVE(jlongArray, loaderNext)(JNIEnv* e, jclass, jlong h, jobject) {
  return guarded(e, [&]() -> jlongArray {
    std::vector<Tensor> batch;
    return loader(h).next(batch) ? give(e, std::move(batch)) : nullptr;
  });
}
NATIVE(jlongArray, loaderState)(JNIEnv* e, jclass, jlong h, jobject) {
  return guarded(e, [&] {
    const data::Loader::State s = loader(h).state();
    return longs(e, {s.seed, s.epoch, s.batch});
  });
}
NATIVE(void, setLoaderState)(JNIEnv* e, jclass, jlong h, jobject, jlong seed, jlong epoch, jlong batch) {
  guarded(e, [&] { loader(h).set_state({seed, epoch, batch}); });
}
NATIVE(jlongArray, generatorState)(JNIEnv* e, jclass, jlong h, jobject) {
  return guarded(e, [&] {
    std::int64_t seed = 0, offset = 0;  // 0: the default generator
    check(haft_generator_get_state(as<haft_generator>(h), &seed, &offset));
    return longs(e, {seed, offset});
  });
}
NATIVE(void, setGeneratorState)(JNIEnv* e, jclass, jlong h, jobject, jlong seed, jlong offset) {
  guarded(e, [&] { check(haft_generator_set_state(as<haft_generator>(h), seed, offset)); });
}

// ---- checkpoints ----

NATIVE(void, saveCheckpoint)
(JNIEnv* e, jclass, jstring path, jlongArray handles, jobject, jobjectArray keys, jobjectArray texts,
 jintArray kinds, jlongArray bits) {
  guarded(e, [&] {
    const haft_checkpoint_parts parts = parts_of(e, handles);
    Parts shares;
    if (!shares.borrow(e, parts)) return;
    const jsize n = e->GetArrayLength(keys);
    std::vector<std::string> names, strings;
    std::vector<jint> kind(static_cast<std::size_t>(n));
    std::vector<jlong> value(static_cast<std::size_t>(n));
    e->GetIntArrayRegion(kinds, 0, n, kind.data());
    e->GetLongArrayRegion(bits, 0, n, value.data());
    for (jsize i = 0; i < n; ++i) {
      auto key = static_cast<jstring>(e->GetObjectArrayElement(keys, i)),
           string = static_cast<jstring>(e->GetObjectArrayElement(texts, i));
      names.push_back(utf8(e, key));
      strings.push_back(utf8(e, string));
      e->DeleteLocalRef(key);
      e->DeleteLocalRef(string);
    }
    std::vector<haft_key_value> values;
    for (std::size_t i = 0; i < names.size(); ++i) {
      haft_key_value v = HAFT_KEY_VALUE_INIT;
      v.key = names[i].c_str();
      if (kind[i] == HAFT_SCALAR_NONE)
        v.text = strings[i].c_str();
      else
        v.number.kind = kind[i], v.number.v.i = value[i];  // of a double its bits
      values.push_back(v);
    }
    io::save_checkpoint(utf8(e, path), parts, values);
  });
}
NATIVE(jlong, loadCheckpoint)(JNIEnv* e, jclass, jstring path, jlongArray handles, jobject) {
  return guarded(e, [&]() -> jlong {
    const haft_checkpoint_parts parts = parts_of(e, handles);
    Parts shares;
    if (!shares.borrow(e, parts)) return 0;
    return number(io::Checkpoint(utf8(e, path), parts).release());
  });
}
NATIVE(jlongArray, checkpointNumber)(JNIEnv* e, jclass, jlong h, jobject, jstring key) {
  return guarded(e, [&] {
    const haft_scalar s =
        share<io::Checkpoint, haft_checkpoint, haft_checkpoint_retain>(h).number(utf8(e, key));
    return longs(e, {s.kind, s.v.i});
  });
}
NATIVE(jstring, checkpointText)(JNIEnv* e, jclass, jlong h, jobject, jstring key) {
  return guarded(e, [&] {
    return text(e, share<io::Checkpoint, haft_checkpoint, haft_checkpoint_retain>(h).text(utf8(e, key)));
  });
}

// ---- sessions ----

NATIVE(jdoubleArray, sessionMetrics)(JNIEnv* e, jclass, jlong h, jobject) {
  return guarded(e, [&] {
    return doubles(
        e, bindings::SessionPlaces::numbers(share<Session, haft_session, haft_session_retain>(h).metrics()));
  });
}
NATIVE(void, setCancelToken)(JNIEnv* e, jclass, jlong h, jobject) {
  LentCancelToken token;
  if (!token.borrow(e, h)) return;
  guarded(e, [&] { check(haft_set_cancel_token(token.value.get())); });
}

// ---- profiler ----

NATIVE(void, startProfiler)(JNIEnv* e, jclass, jboolean shapes) {
  guarded(e, [&] { check(haft_profiler_start(shapes)); });
}
NATIVE(void, startProfilerWith)(JNIEnv* e, jclass, jint what) {
  guarded(e, [&] { check(haft_profiler_start_with(uint32_t(what))); });
}
NATIVE(jlong, stopProfiler)(JNIEnv* e, jclass) {
  return guarded(e, [&] {
    haft_profile* p = nullptr;
    check(haft_profiler_stop(&p));
    return number(p);
  });
}
NATIVE(void, pushRange)(JNIEnv* e, jclass, jstring name) {
  guarded(e, [&] { check(haft_profiler_push(utf8(e, name).c_str())); });
}
NATIVE(void, popRange)(JNIEnv* e, jclass) {
  guarded(e, [&] { check(haft_profiler_pop()); });
}

// ---- processes ----

/// The store, this process's rank, how many there are.
NATIVE(jlongArray, rendezvous)(JNIEnv* e, jclass, jstring url, jint rank, jint world_size, jlong timeout_us) {
  return guarded(e, [&]() -> jlongArray {
    Rendezvous met = haft::rendezvous(utf8(e, url), rank, world_size, timeout_us);
    jlongArray out = longs(e, {reinterpret_cast<jlong>(met.store.get()), met.rank, met.world_size});
    if (out) (void)met.store.release();
    return out;
  });
}
