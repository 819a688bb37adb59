// The library as a guest in C++17 over haft/runtime.h: devices, memory, random numbers, profiler, log, and scopes.
// haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_RUNTIME_HPP
#define HAFT_RUNTIME_HPP

namespace haft {

/// The library's version as major * 1000000 + minor * 1000 + patch, and as text.
inline std::int32_t version_number() { return haft_get_version_number(); }
inline std::string version() { return haft_get_version_string(); }
/// Path of the file that the library was loaded from.
inline std::string library_path() { return haft_get_library_path(); }
/// "HAFT_ERROR_SHAPE".
inline std::string status_name(haft_status status) { return haft_status_get_name(status); }

/// What this machine offers, as text.
inline std::string describe() { return detail::text_of(haft_describe); }
/// What the process does, in Prometheus' text format.
inline std::string metrics_text() { return detail::text_of(haft_metrics_to_text); }
/// Gives cached memory back; throws while handles are alive.
inline void shutdown() { check(haft_shutdown()); }
inline std::int64_t live_handles() {
  std::int64_t n = 0;
  check(haft_get_live_handles(&n));
  return n;
}

inline void set_num_threads(std::int32_t n) { check(haft_set_num_threads(n)); }
inline std::int32_t num_threads() {
  std::int32_t n = 0;
  check(haft_get_num_threads(&n));
  return n;
}

/// Reads "cpu" or "cuda:0".
inline haft_device device(const std::string& text) {
  haft_device d = 0;
  check(haft_device_parse(text.c_str(), &d));
  return d;
}
inline std::string device_text(haft_device d) {
  return detail::text_of(
      [d](char* b, std::int64_t n, std::int64_t* needed) { return haft_device_to_string(d, b, n, needed); });
}
/// Devices of a type, "cuda"; 0 where there are none.
inline std::int32_t device_count(const std::string& type) {
  std::int32_t n = 0;
  check(haft_device_get_count(type.c_str(), &n));
  return n;
}
/// What this thread means by a type's name alone, "cuda": the first, unless another one has been set.
inline void set_current_device(haft_device d) { check(haft_set_current_device(d)); }
inline haft_device current_device(const std::string& type) {
  haft_device d = 0;
  check(haft_get_current_device(type.c_str(), &d));
  return d;
}
/// Whether a device reads and writes memory of another one by itself.
inline bool can_access_peer(haft_device d, haft_device peer) {
  std::int32_t can = 0;
  check(haft_device_can_access_peer(d, peer, &can));
  return can != 0;
}
inline haft_device_properties device_properties(haft_device d = HAFT_DEVICE_DEFAULT) {
  haft_device_properties p = HAFT_DEVICE_PROPERTIES_INIT;
  check(haft_device_get_properties(d, &p));
  return p;
}
/// What a device is and what it leans on, as text: lines "name: value".
inline std::string describe_device(haft_device d = HAFT_DEVICE_DEFAULT) {
  return detail::text_of(
      [d](char* b, std::int64_t n, std::int64_t* needed) { return haft_device_describe(d, b, n, needed); });
}
inline void synchronize(haft_device d = HAFT_DEVICE_DEFAULT) { check(haft_device_synchronize(d)); }
inline void load_backend(const std::string& path) { check(haft_backend_load(path.c_str())); }
/// This thread's device and dtype for calls that name none.
inline void set_default_device(haft_device d) { check(haft_set_default_device(d)); }
inline haft_device default_device() {
  haft_device d = 0;
  check(haft_get_default_device(&d));
  return d;
}
inline void set_default_dtype(haft_dtype t) { check(haft_set_default_dtype(t)); }
inline haft_dtype default_dtype() {
  haft_dtype t = 0;
  check(haft_get_default_dtype(&t));
  return t;
}

/// "float32"; empty for a number that is no dtype.
inline std::string dtype_name(haft_dtype t) {
  const char* name = haft_dtype_get_name(t);
  return name ? name : "";
}
/// Bytes of an element; 0 for a number that is no dtype.
inline std::int64_t dtype_size(haft_dtype t) { return haft_dtype_get_size(t); }

/// How this thread's operators may compute float32: HAFT_MATH_EXACT, HAFT_MATH_FAST (unless set) or HAFT_MATH_TF32.
inline void set_math_precision(std::int32_t precision) { check(haft_set_math_precision(precision)); }
inline std::int32_t math_precision() {
  std::int32_t precision = 0;
  check(haft_get_math_precision(&precision));
  return precision;
}

/// Whether this thread's operators must give equal bits for equal inputs: HAFT_DETERMINISTIC_OFF (unless set), _WARN
/// or _ERROR.
inline void set_deterministic(std::int32_t determinism) { check(haft_set_deterministic(determinism)); }
inline std::int32_t deterministic() {
  std::int32_t determinism = 0;
  check(haft_get_deterministic(&determinism));
  return determinism;
}

/// A named range of this thread for the tools of the devices' vendors (NVTX), with or without haft's profiler.
inline void range_push(const std::string& name) { check(haft_range_push(name.c_str())); }
inline void range_pop() { check(haft_range_pop()); }

/// Which kernels compute where a device has several, for this thread's calls: HAFT_KERNELS_*, joined by |.
inline void set_kernel_choice(std::int32_t choice) { check(haft_set_kernel_choice(choice)); }
inline std::int32_t kernel_choice() {
  std::int32_t choice = 0;
  check(haft_get_kernel_choice(&choice));
  return choice;
}

inline haft_memory_stats memory_stats(haft_device d = HAFT_DEVICE_DEFAULT) {
  haft_memory_stats s = HAFT_MEMORY_STATS_INIT;
  check(haft_memory_get_stats(d, &s));
  return s;
}
/// Of each size of blocks that lie free in a device's cache: bytes of a block and how many, one behind the other, the
/// smallest first.
inline std::vector<std::int64_t> memory_free_blocks(haft_device d = HAFT_DEVICE_DEFAULT) {
  std::vector<haft_memory_class> blocks(512);
  std::int64_t n = 0;
  check(haft_memory_get_free_blocks(d, blocks.data(), 512, &n));
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < n; ++i) {
    out.push_back(blocks[static_cast<std::size_t>(i)].bytes);
    out.push_back(blocks[static_cast<std::size_t>(i)].count);
  }
  return out;
}
inline void reset_peak_memory(haft_device d = HAFT_DEVICE_DEFAULT) { check(haft_memory_reset_peak(d)); }
/// Gives cached blocks back; answers how many bytes.
inline std::int64_t trim_memory(haft_device d = HAFT_DEVICE_DEFAULT) {
  std::int64_t freed = 0;
  check(haft_memory_trim(d, &freed));
  return freed;
}
/// 0: no limit.
inline void set_memory_limit(std::int64_t bytes, haft_device d = HAFT_DEVICE_DEFAULT) {
  check(haft_memory_set_limit(d, bytes));
}

/// Bytes that may be live at once; 0: no limit.
inline std::int64_t memory_limit(haft_device d = HAFT_DEVICE_DEFAULT) { return memory_stats(d).limit; }

/// Calls fn with the live bytes when host memory rises above a mark, on the thread that allocates; an empty function:
/// no more. What it throws is dropped.
inline void set_memory_pressure_callback(std::int64_t mark, std::function<void(std::int64_t live)> fn) {
  using Fn = std::function<void(std::int64_t)>;
  if (!fn) return check(haft_memory_set_pressure_callback(mark, nullptr, nullptr, nullptr));
  auto own = std::make_unique<Fn>(std::move(fn));
  check(haft_memory_set_pressure_callback(
      mark,
      [](std::int64_t live, void* user) {
        try {
          (*static_cast<Fn*>(user))(live);
        } catch (...) {
        }
      },
      own.get(), detail::destroy<Fn>));
  own.release();
}

#ifndef SWIG /* the bindings have one of their own */
/// One more such function, called as well before a memory limit says no; answers its number for
/// haft_memory_remove_pressure_callback.
inline std::int64_t add_memory_pressure_callback(std::int64_t mark, std::function<void(std::int64_t live)> fn) {
  using Fn = std::function<void(std::int64_t)>;
  auto own = std::make_unique<Fn>(std::move(fn));
  std::int64_t id = 0;
  check(haft_memory_add_pressure_callback(
      mark,
      [](std::int64_t live, void* user) {
        try {
          (*static_cast<Fn*>(user))(live);
        } catch (...) {
        }
      },
      own.get(), detail::destroy<Fn>, &id));
  own.release();
  return id;
}
#endif

/// The host's own source of host memory, for as long as the process lives; before the first tensor only. Both are
/// called on any thread and must not throw.
inline void set_allocator(void* (*alloc)(std::int64_t bytes, std::int64_t alignment, void* user),
                          void (*free)(void* p, std::int64_t bytes, void* user), void* user = nullptr) {
  check(haft_memory_set_allocator(alloc, free, user));
}

/// Where haft's log lines go, on any thread; an empty function: nowhere. What it throws is dropped.
inline void set_log_sink(std::int32_t level, std::function<void(std::int32_t level, const std::string& text)> sink) {
  using Fn = std::function<void(std::int32_t, const std::string&)>;
  if (!sink) return check(haft_set_log_sink(level, nullptr, nullptr, nullptr));
  auto own = std::make_unique<Fn>(std::move(sink));
  check(haft_set_log_sink(
      level,
      [](std::int32_t at, const char* text, void* user) {
        try {
          (*static_cast<Fn*>(user))(at, text);
        } catch (...) {
        }
      },
      own.get(), detail::destroy<Fn>));
  own.release();
}

/// A scope of this thread while it lives: its end releases the handles born inside that still have an owner, those of C
/// functions above all. A Tensor that is to outlive it is kept.
class Scope {
 public:
  Scope() { check(haft_scope_begin()); }
  ~Scope() { haft_scope_end(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  /// Takes t out of the innermost scope that holds it: into the enclosing one, or its owner's alone.
  const Tensor& keep(const Tensor& t) const {
    check(haft_scope_keep(t.get()));
    return t;
  }
};

/// A position in a stream of random numbers.
class Generator : public detail::Handle<haft_generator, haft_generator_retain, haft_generator_release> {
 public:
  using Handle::Handle;
  explicit Generator(std::int64_t seed) {
    haft_generator* g = nullptr;
    check(haft_generator_create(seed, &g));
    *this = Generator(g);
  }
  void seed(std::int64_t seed) const { check(haft_generator_seed(get(), seed)); }
  /// Seed and offset.
  std::pair<std::int64_t, std::int64_t> state() const {
    std::pair<std::int64_t, std::int64_t> s;
    check(haft_generator_get_state(get(), &s.first, &s.second));
    return s;
  }
  void set_state(const std::pair<std::int64_t, std::int64_t>& s) const {
    check(haft_generator_set_state(get(), s.first, s.second));
  }
};
/// Seeds the default generator.
inline void manual_seed(std::int64_t seed) { check(haft_generator_seed(nullptr, seed)); }

/// Random operators of this thread draw apart from those of threads and ranks with another number; 0: as everywhere.
/// Answers what it was.
inline std::int64_t set_random_stream(std::int64_t stream) {
  std::int64_t before = 0;
  check(haft_random_set_stream(stream, &before));
  return before;
}
/// The same for the length of a scope.
class RandomStream {
  const std::int64_t before_;

 public:
  explicit RandomStream(std::int64_t stream) : before_(set_random_stream(stream)) {}
  ~RandomStream() { haft_random_set_stream(before_, nullptr); }
  RandomStream(const RandomStream&) = delete;
  RandomStream& operator=(const RandomStream&) = delete;
};

/// What the profiler recorded.
class Profile : public detail::Handle<haft_profile, haft_profile_retain, haft_profile_release> {
 public:
  using Handle::Handle;
  std::string table() const {
    return detail::text_of(
        [this](char* b, std::int64_t n, std::int64_t* needed) { return haft_profile_get_table(get(), b, n, needed); });
  }
  void write_trace(const std::string& path) const { check(haft_profile_write_trace(get(), path.c_str())); }
  /// What write_trace writes.
  std::string trace() const {
    return detail::text_of(
        [this](char* b, std::int64_t n, std::int64_t* needed) { return haft_profile_get_trace(get(), b, n, needed); });
  }
};
/// Records this thread's operators from its construction to stop(): with the inputs' shapes, with what devices ran,
/// with operators and ranges for the devices' vendors' tools (NVTX), with a range a module.
class Profiler {
  bool on_ = false;

 public:
  Profiler(bool shapes, bool devices, bool ranges = false, bool modules = false) {
    check(haft_profiler_start_with(
        (shapes ? std::uint32_t{HAFT_PROFILE_SHAPES} : 0u) | (devices ? std::uint32_t{HAFT_PROFILE_DEVICES} : 0u) |
        (ranges ? std::uint32_t{HAFT_PROFILE_RANGES} : 0u) | (modules ? std::uint32_t{HAFT_PROFILE_MODULES} : 0u)));
    on_ = true;
  }
  explicit Profiler(bool shapes = false) {
    check(haft_profiler_start(shapes));
    on_ = true;
  }
  ~Profiler() {
    haft_profile* p = nullptr;
    if (on_ && haft_profiler_stop(&p) == HAFT_OK) haft_profile_release(p);
  }
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;
  Profile stop() {
    haft_profile* p = nullptr;
    check(haft_profiler_stop(&p));
    on_ = false;
    return Profile(p);
  }
};
/// A named range in this thread's profile while it lives.
class ProfilerRange {
 public:
  explicit ProfilerRange(const std::string& name) { check(haft_profiler_push(name.c_str())); }
  ~ProfilerRange() { haft_profiler_pop(); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace haft
#endif
