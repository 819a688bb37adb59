// What the C# shim is made of besides SWIG's text: handles that are lent to a call, blocks of numbers that
// carry lists, and the road of exceptions in both directions.
#ifndef HAFT_BINDINGS_CSHARP_HPP
#define HAFT_BINDINGS_CSHARP_HPP
#include <dlfcn.h>
#include <pthread.h>
#include <atomic>
#include <csignal>
#include <cstring>
#include <new>
#include <stdexcept>

#include "bindings/amp.hpp"
#include "bindings/callbacks.hpp"
#include "bindings/distributed.hpp"
#include "bindings/sharding.hpp"
#include "bindings/spoken.hpp"

namespace haft {
namespace csharp {
#ifndef SWIG

// A C# object holds the C handle itself. Every handle class of haft.hpp is one pointer, and lives here for
// one call without owning it.
template <class T>
union Lent {
  T object;
  Lent() : object(decltype(std::declval<T>().get())(nullptr)) {}  // T() may create something
  ~Lent() { (void)object.release(); }
  T* set(void* handle) {
    ::new (static_cast<void*>(&object)) T(static_cast<decltype(object.get())>(handle));
    return &object;
  }
};

template <class T>
class LentList {
  std::vector<T> objects_;

 public:
  LentList() = default;
  ~LentList() {
    for (T& o : objects_) (void)o.release();
  }
  // block: {n, handle, handle, ...}
  std::vector<T>* read(const std::int64_t* block) {
    using H = decltype(std::declval<T>().get());
    objects_.reserve(static_cast<std::size_t>(block[0]));
    for (std::int64_t i = 1; i <= block[0]; ++i) objects_.emplace_back(reinterpret_cast<H>(block[i]));
    return &objects_;
  }
};

// block: {n, name, handle, name, handle, ...}
class LentNamed {
  nn::NamedTensors entries_;

 public:
  ~LentNamed() {
    for (auto& e : entries_) (void)e.second.release();
  }
  nn::NamedTensors* read(const std::int64_t* block) {
    for (std::int64_t i = 0; i < block[0]; ++i)
      entries_.emplace_back(reinterpret_cast<const char*>(block[1 + 2 * i]),
                            Tensor(reinterpret_cast<haft_tensor*>(block[2 + 2 * i])));
    return &entries_;
  }
};

// block: pieces of bytes, each behind its length (8 bytes)
class ByteBlock {
  const char* at_;
  std::int64_t number() {
    std::int64_t n;
    std::memcpy(&n, at_, sizeof n);
    at_ += sizeof n;
    return n;
  }

 public:
  explicit ByteBlock(const void* block) : at_(static_cast<const char*>(block)) {}
  std::string next() {
    const auto size = static_cast<std::size_t>(number());
    at_ += size;
    return std::string(at_ - size, size);
  }
  // Behind how many there are.
  std::vector<std::string> all() {
    std::vector<std::string> out;
    for (std::int64_t n = number(); n > 0; --n) out.push_back(next());
    return out;
  }
};

// What a call answers beyond one number; read by C# before the same thread calls again.
struct Answer {
  std::vector<std::int64_t> block;
  std::string text;
  std::vector<std::string> texts;
};
inline Answer& answer() {
  static thread_local Answer a;
  return a;
}
inline const char* give_text(std::string s) {
  answer().text = std::move(s);
  return answer().text.c_str();
}
// {how many, where}
inline void* give_bytes(std::string s) {
  Answer& a = answer();
  a.text = std::move(s);
  a.block = {static_cast<std::int64_t>(a.text.size()), reinterpret_cast<std::int64_t>(a.text.data())};
  return a.block.data();
}
inline void* give_numbers(const std::vector<std::int64_t>& v) {
  auto& b = answer().block;
  b.assign(1, static_cast<std::int64_t>(v.size()));
  b.insert(b.end(), v.begin(), v.end());
  return b.data();
}
inline void* give_doubles(const std::vector<double>& v) {
  std::vector<std::int64_t> bits(v.size());
  if (!v.empty()) std::memcpy(bits.data(), v.data(), v.size() * sizeof(double));
  return give_numbers(bits);
}
template <class T>
void* give_list(std::vector<T> v, std::vector<std::int64_t>& b = answer().block) {
  b.clear();
  b.reserve(v.size() + 1);  // from here on nothing fails
  b.push_back(static_cast<std::int64_t>(v.size()));
  for (T& t : v) b.push_back(reinterpret_cast<std::int64_t>(t.release()));
  return b.data();
}
// An argument of a callback, which may have two lists; C# reads all of them before it does anything else.
template <class T>
void* give_argument(const std::vector<T>& v) {
  static thread_local std::vector<std::int64_t> blocks[2];
  static thread_local unsigned turn = 0;
  return give_list(std::vector<T>(v), blocks[turn++ % 2]);
}
inline void* give_named(nn::NamedTensors v) {
  Answer& a = answer();
  a.block.clear();
  a.block.reserve(2 * v.size() + 1);
  a.texts.clear();
  a.texts.reserve(v.size());
  for (auto& e : v) a.texts.push_back(std::move(e.first));
  a.block.push_back(static_cast<std::int64_t>(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i) {
    a.block.push_back(reinterpret_cast<std::int64_t>(a.texts[i].c_str()));
    a.block.push_back(reinterpret_cast<std::int64_t>(v[i].second.release()));
  }
  return a.block.data();
}
template <class T>
void take(T& result, void* handle) {
  result = T(static_cast<decltype(result.get())>(handle));
}
// A director's result: the block holds handles that the engine now owns.
inline std::vector<Tensor> take_list(const void* block) {
  std::vector<Tensor> out;
  auto b = static_cast<const std::int64_t*>(block);
  if (b)
    for (std::int64_t i = 1; i <= b[0]; ++i) out.emplace_back(reinterpret_cast<haft_tensor*>(b[i]));
  return out;
}

/// True from the end of the process on: then the runtime stops, and no thread may enter it any more.
inline std::atomic<bool>& closing() {
  static std::atomic<bool> yes{false};
  return yes;
}
/// Whether this thread is the engine's own.
inline bool& is_engine_thread() {
  static thread_local bool yes = false;
  return yes;
}
/// Before C# runs on a thread. The engine's own threads block all signals, so that those of the host stay the
/// host's; but the runtime stops threads for its collector by signals, and would wait for such a thread for
/// ever.
inline void enter_thread() {
  static thread_local bool entered = false;
  if (entered) return;
  entered = true;
  sigset_t wanted;
  sigemptyset(&wanted);
  for (int s : {SIGPWR, SIGXCPU, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) sigaddset(&wanted, s);
  for (int s = SIGRTMIN; s <= SIGRTMAX; ++s) sigaddset(&wanted, s);
  sigset_t before;
  pthread_sigmask(SIG_UNBLOCK, &wanted, &before);
  is_engine_thread() = sigismember(&before, SIGPWR) == 1;
}
/// In a director: as enter_thread, or an error when it is too late.
inline void enter_callback() {
  if (closing().load()) check(haft_error_set(HAFT_ERROR_CANCELLED, "the process ends", 0));
  enter_thread();
}

// ---- exceptions

struct Hooks {
  void (*raise)(std::int32_t code, const char* text, const char* function, const char* argument,
                const char* message, const char* hint) = nullptr;
  void (*rethrow)(void* exception) = nullptr;  // takes the GCHandle over
  void (*forget)(void* exception) = nullptr;   // frees a GCHandle; on any thread
};
inline Hooks& hooks() {
  static Hooks h;
  return h;
}

// A C# exception on its way through native frames.
class Carried : public bindings::HostException {
  struct Owner {
    void* exception;
    explicit Owner(void* e) : exception(e) {}
    ~Owner() {
      if (!exception || closing().load()) return;
      enter_thread();
      hooks().forget(exception);
    }
  };
  std::shared_ptr<Owner> owner_;
  std::string text_;
  haft_status status_;

 public:
  Carried(void* exception, std::string text, haft_status status)
      : owner_(std::make_shared<Owner>(exception)), text_(std::move(text)), status_(status) {}
  const char* what() const noexcept override { return text_.c_str(); }
  haft_status status() const noexcept override { return status_; }
  void* take() const { return std::exchange(owner_->exception, nullptr); }
};

struct Failure {
  void* exception = nullptr;
  std::string text;
  haft_status status = HAFT_ERROR_CALLBACK;
};
inline Failure& failure() {
  static thread_local Failure f;
  return f;
}
// After each call of a C# method: what it threw goes on as a C++ exception.
inline void rethrow_failure() {
  Failure& f = failure();
  if (f.exception) throw Carried(std::exchange(f.exception, nullptr), std::move(f.text), f.status);
}

// In the handler of a wrapper: tells C# what happened.
inline void raise_current() noexcept {
  try {
    try {
      throw;
    } catch (const Error& e) {
      bindings::rethrow_carried(e);
      constexpr bindings::Language csharp{bindings::Words::pascal, bindings::Words::camel, "null"};
      const std::string message = bindings::spoken(e.message(), e.argument(), csharp),
                        hint = bindings::spoken(e.hint(), e.argument(), csharp),
                        text = message.empty() ? e.what()
                                               : bindings::spoken_text(e.function(), message, hint, csharp);
      hooks().raise(e.code(), text.c_str(), e.function().c_str(),
                    bindings::cased(e.argument(), csharp.arguments).c_str(), message.c_str(), hint.c_str());
    }
  } catch (const Carried& e) {
    hooks().rethrow(e.take());
  } catch (const std::bad_alloc&) {
    hooks().raise(HAFT_ERROR_OUT_OF_MEMORY, "out of memory", "", "", "out of memory", "");
  } catch (const std::out_of_range& e) {
    hooks().raise(HAFT_ERROR_INDEX, e.what(), "", "", e.what(), "");
  } catch (const std::exception& e) {
    hooks().raise(HAFT_ERROR_INTERNAL, e.what(), "", "", e.what(), "");
  } catch (...) {
    hooks().raise(HAFT_ERROR_INTERNAL, "unknown exception", "", "", "unknown exception", "");
  }
}

// ---- what the layer in C# needs and haft.hpp has in C++'s manner only

using Release = void (*)(void*);
// C#'s one function for arrays that no tensor needs any more.
inline std::atomic<Release>& release_memory() {
  static std::atomic<Release> function{nullptr};
  return function;
}

#endif
/// Collects what a checkpoint shall hold or restore.
class CheckpointParts {
  nn::Module module_;
  optim::Optimizer optimizer_;
  optim::Scheduler scheduler_;
  data::Loader loader_;
  Generator generator_;
  bool default_generator_ = true;
  struct Value {
    std::string key, text;
    haft_scalar number;
    bool is_text;
  };
  std::vector<Value> values_;
  haft_checkpoint_parts parts() const {
    haft_checkpoint_parts p = HAFT_CHECKPOINT_PARTS_INIT;
    p.default_generator = default_generator_;
    p.module = module_.get();
    p.optimizer = optimizer_.get();
    p.scheduler = scheduler_.get();
    p.loader = loader_.get();
    p.generator = generator_.get();
    return p;
  }

 public:
  CheckpointParts() = default;
  void set_module(const nn::Module& m) { module_ = m; }
  void set_optimizer(const optim::Optimizer& o) { optimizer_ = o; }
  void set_scheduler(const optim::Scheduler& s) { scheduler_ = s; }
  void set_loader(const data::Loader& l) { loader_ = l; }
  void set_generator(const Generator& g) { generator_ = g; }
  void set_default_generator(bool on) { default_generator_ = on; }
  void add_number(const std::string& key, double v) {
    values_.push_back({key, "", haft_scalar_float(v), false});
  }
  void add_integer(const std::string& key, std::int64_t v) {
    values_.push_back({key, "", haft_scalar_int(v), false});
  }
  void add_text(const std::string& key, const std::string& v) {
    values_.push_back({key, v, haft_scalar_none(), true});
  }
  void save(const std::string& path) const {
    std::vector<haft_key_value> kv;
    for (const Value& v : values_)
      kv.push_back(v.is_text ? io::value(v.key.c_str(), v.text.c_str()) : io::value(v.key.c_str(), v.number));
    auto p = parts();
    io::save_checkpoint(path, p, kv);
  }
  io::Checkpoint load(const std::string& path) const {
    auto p = parts();
    return io::Checkpoint(path, p);
  }
};
// One class, so that C# keeps them to itself.
struct Support {
  static Tensor from_data(const void* data, const IntArray& size, haft_dtype dtype, haft_device device) {
    haft_tensor* out = nullptr;
    check(haft_tensor_from_data(data, size.data(), size.size(), dtype, device, &out));
    return Tensor(out);
  }
  /// release(user) runs when the last tensor on the memory is gone, on any thread.
  static Tensor from_memory(void* data, const IntArray& size, haft_dtype dtype, void* release, void* user) {
    haft_tensor* out = nullptr;
    release_memory() = reinterpret_cast<Release>(release);
    auto trampoline = [](void* u) {
      if (closing().load()) return;
      enter_thread();
      release_memory().load()(u);
    };
    check(haft_tensor_from_memory(data, size.data(), nullptr, size.size(), dtype, HAFT_DEVICE_CPU, trampoline,
                                  user, &out));
    return Tensor(out);
  }
  static void read_into(const Tensor& t, void* to, std::int64_t bytes) {
    check(haft_tensor_read(t.get(), to, bytes));
  }
  static void write_from(const Tensor& t, const void* from, std::int64_t bytes) {
    check(haft_tensor_write(t.get(), from, bytes));
  }
  static void* address(const Tensor& t) { return t.data<void>(); }
  static std::string dtype_text(haft_dtype dtype) {
    const char* name = haft_dtype_get_name(dtype);
    return name ? name : "none";
  }
  static haft_device parse_device(const std::string& text) { return haft::device(text); }
  static std::string device_name(haft_device d) { return haft::device_text(d); }
  static std::int64_t dtype_bytes(haft_dtype dtype) { return haft_dtype_get_size(dtype); }
  static bool swap_grad_enabled(bool on) { return bindings::swap_grad_enabled(on); }
  static bool swap_inference_mode(bool on) { return bindings::swap_inference_mode(on); }
  static bool swap_anomaly_mode(bool on) { return bindings::swap_anomaly_mode(on); }
  static nn::Module new_module_dict() { return nn::ModuleDict(); }
  static void start_profiler(bool shapes) { check(haft_profiler_start(shapes)); }
  static void start_profiler_with(unsigned what) { check(haft_profiler_start_with(what)); }
  static Profile stop_profiler() {
    haft_profile* p = nullptr;
    check(haft_profiler_stop(&p));
    return Profile(p);
  }
  static void push_range(const std::string& name) { check(haft_profiler_push(name.c_str())); }
  static void pop_range() { check(haft_profiler_pop()); }
  static std::vector<std::int64_t> memory_numbers(haft_device d) {
    return bindings::MemoryPlaces::numbers(memory_stats(d));
  }
  /// Beside others' collectors; in place of the one with the number `before`, which is 0 at first. Answers the new
  /// number.
  static std::int64_t on_pressure(std::int64_t mark, void* callback, std::int64_t before) {
    auto trampoline = [](std::int64_t live, void* user) {
      if (closing().load()) return;
      enter_thread();
      reinterpret_cast<void (*)(std::int64_t, void*)>(user)(live, user);
    };
    std::int64_t id = 0;
    check(haft_memory_add_pressure_callback(mark, trampoline, callback, nullptr, &id));
    if (before) check(haft_memory_remove_pressure_callback(before));
    return id;
  }
  static std::vector<double> session_numbers(const Session& session) {
    return bindings::SessionPlaces::numbers(session.metrics());
  }
  static void take_cancel_token(const CancelToken& token) { check(haft_set_cancel_token(token.get())); }

  /// Empty at the end of the epoch.
  static std::vector<Tensor> next_batch(const data::Loader& loader) {
    std::vector<Tensor> batch;
    loader.next(batch);
    return batch;
  }
  static std::vector<std::int64_t> loader_state(const data::Loader& loader) {
    auto s = loader.state();
    return {s.seed, s.epoch, s.batch};
  }
  static void set_loader_state(const data::Loader& loader, std::int64_t seed, std::int64_t epoch,
                               std::int64_t batch) {
    loader.set_state({seed, epoch, batch});
  }
  static std::vector<std::int64_t> generator_state(const Generator& g) {
    auto s = g.state();
    return {s.first, s.second};
  }
  static void set_generator_state(const Generator& g, std::int64_t seed, std::int64_t offset) {
    g.set_state({seed, offset});
  }

  /// to: rank and number of processes
  static Store rendezvous(const std::string& url, std::int32_t rank, std::int32_t world_size,
                          std::int64_t timeout_us, void* to) {
    Rendezvous met = haft::rendezvous(url, rank, world_size, timeout_us);
    const std::int64_t numbers[2] = {met.rank, met.world_size};
    std::memcpy(to, numbers, sizeof numbers);
    return met.store;
  }

  static double checkpoint_number(const io::Checkpoint& c, const std::string& key) {
    haft_scalar s = c.number(key);
    return s.kind == HAFT_SCALAR_FLOAT ? s.v.d : static_cast<double>(s.v.i);
  }
  static std::int64_t checkpoint_integer(const io::Checkpoint& c, const std::string& key) {
    haft_scalar s = c.number(key);
    return s.kind == HAFT_SCALAR_FLOAT ? static_cast<std::int64_t>(s.v.d) : s.v.i;
  }
};

}  // namespace csharp
}  // namespace haft
#endif
