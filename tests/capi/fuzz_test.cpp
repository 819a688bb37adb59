// Wrong calls of every C function, generated from its type: absent, stale and foreign handles, numbers that
// mean nothing, counts below 0, text that is no UTF-8. Nothing may crash; a failure is a status with a
// message, and leaves outs alone.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <set>
#include <tuple>
#include <type_traits>

#include "capi_testing.h"
#include "dlpack_structs.h"

namespace {

template <class T>
struct is_handle : std::false_type {};
template <>
struct is_handle<haft_tensor> : std::true_type {};
template <>
struct is_handle<haft_generator> : std::true_type {};
template <>
struct is_handle<haft_module> : std::true_type {};
template <>
struct is_handle<haft_optimizer> : std::true_type {};
template <>
struct is_handle<haft_scheduler> : std::true_type {};
template <>
struct is_handle<haft_dataset> : std::true_type {};
template <>
struct is_handle<haft_transform> : std::true_type {};
template <>
struct is_handle<haft_loader> : std::true_type {};
template <>
struct is_handle<haft_weights> : std::true_type {};
template <>
struct is_handle<haft_checkpoint> : std::true_type {};
template <>
struct is_handle<haft_writer> : std::true_type {};
template <>
struct is_handle<haft_profile> : std::true_type {};
template <>
struct is_handle<haft_session> : std::true_type {};
template <>
struct is_handle<haft_request> : std::true_type {};
template <>
struct is_handle<haft_cancel_token> : std::true_type {};
template <>
struct is_handle<haft_node> : std::true_type {};
template <>
struct is_handle<haft_stream> : std::true_type {};
template <>
struct is_handle<haft_event> : std::true_type {};

template <class T, class = void>
struct has_size : std::false_type {};
template <class T>
struct has_size<T, std::void_t<decltype(std::declval<T>().struct_size)>> : std::true_type {};

constexpr int kRoom = 64;
void* const kUntouched = reinterpret_cast<void*>(uintptr_t(0x5e5e5e5e));

void release(haft_tensor* h) { haft_tensor_release(h); }
void release(haft_generator* h) { haft_generator_release(h); }
void release(haft_module* h) { haft_module_release(h); }
void release(haft_optimizer* h) { haft_optimizer_release(h); }
void release(haft_scheduler* h) { haft_scheduler_release(h); }
void release(haft_dataset* h) { haft_dataset_release(h); }
void release(haft_transform* h) { haft_transform_release(h); }
void release(haft_loader* h) { haft_loader_release(h); }
void release(haft_weights* h) { haft_weights_release(h); }
void release(haft_checkpoint* h) { haft_checkpoint_release(h); }
void release(haft_writer* h) { haft_writer_release(h); }
void release(haft_profile* h) { haft_profile_release(h); }
void release(haft_session* h) { haft_session_release(h); }
void release(haft_request* h) { haft_request_release(h); }
void release(haft_cancel_token* h) { haft_cancel_token_release(h); }
void release(haft_node* h) { haft_node_release(h); }
void release(haft_stream* h) { haft_stream_release(h); }
void release(haft_event* h) { haft_event_release(h); }

// Live objects to call with; made anew for each function, since functions write into them.
struct Objects {
  std::vector<Tensor> tensors;
  void* stale;
  haft_generator* generator = nullptr;
  haft_module* module = nullptr;
  haft_optimizer* optimizer = nullptr;
  haft_node* node = nullptr;

  Objects() {
    tensors = {haft::reshape(haft::arange(0.0, 6.0), {2, 3}),
               haft::arange(0, 4),
               haft::full({}, 2.5),
               haft::ones({0, 3}),
               haft::ones({1, 2, 4, 4}),
               haft::gt_scalar(haft::arange(0, 3), 1)};
    tensors.push_back(haft::ones({2, 3}, HAFT_FLOAT64).set_requires_grad());
    Tensor gone = haft::ones({1});
    stale = gone.get();
    haft::check(haft_generator_create(1, &generator));
    haft::check(haft_linear_create(3, 2, 1, nullptr, HAFT_FLOAT32, HAFT_DEVICE_CPU, &module));
    haft_tensor* p = tensors.back().get();
    haft::check(haft_sgd_create(&p, 1, nullptr, &optimizer));
    haft::check(haft_tensor_grad_fn(haft::exp(tensors.back()).get(), &node));
  }
  ~Objects() {
    haft_node_release(node);
    haft_generator_release(generator);
    haft_module_release(module);
    haft_optimizer_release(optimizer);
  }
};

// Arguments of one call, made from their types.
class Arguments {
  std::mt19937& random_;
  Objects& objects_;
  bool after_array_ = false;  // what follows an array is its count, and must not promise more than there is
  std::vector<std::vector<unsigned char>> memory_;
  struct Out {
    void** places;
    void (*release)(void*);
  };
  std::vector<Out> outs_;

  size_t pick(size_t n) { return random_() % n; }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[pick(values.size())];
  }
  void* room(size_t bytes) {
    memory_.emplace_back(bytes + 64);
    void* p = memory_.back().data();
    return reinterpret_cast<void*>((uintptr_t(p) + 63) / 64 * 64);
  }

  template <class H>
  H* handle() {
    switch (pick(8)) {
      case 0: return nullptr;
      case 1: return static_cast<H*>(objects_.stale);
      case 2:
        return reinterpret_cast<H*>(
            one_of<uintptr_t>({1, 0x5a00000000000000, 0x5a0000010000ffff, ~uintptr_t(0), 64}));
      case 3:
        return reinterpret_cast<H*>(std::is_same_v<H, haft_tensor> ? static_cast<void*>(objects_.generator)
                                                                   : objects_.tensors[0].get());
    }
    if constexpr (std::is_same_v<H, haft_tensor>)
      return objects_.tensors[pick(objects_.tensors.size())].get();
    if constexpr (std::is_same_v<H, haft_generator>) return objects_.generator;
    if constexpr (std::is_same_v<H, haft_module>) return objects_.module;
    if constexpr (std::is_same_v<H, haft_optimizer>) return objects_.optimizer;
    if constexpr (std::is_same_v<H, haft_node>) return objects_.node;
    return nullptr;
  }
  int64_t small() { return one_of<int64_t>({0, 1, 2, 3, 4, -1, 2, 1, 3, int64_t(1) << 40, INT64_MIN}); }

 public:
  Arguments(std::mt19937& r, Objects& o) : random_(r), objects_(o) {}

  template <class T>
  T make() {
    bool counts = after_array_;
    after_array_ = std::is_pointer_v<T>;
    if constexpr (std::is_same_v<T, int64_t>) {
      if (counts) return one_of<int64_t>({0, 1, 2, 3, 4, -1, INT64_MIN});
      return one_of<int64_t>({0, 1, 2, 3, -1, 5, 64, -7, HAFT_NONE, INT64_MAX, int64_t(1) << 40, 1 << 16});
    } else if constexpr (std::is_same_v<T, double>) {
      return one_of<double>({0, 1, -1, 0.5, 1e300, NAN, INFINITY, -INFINITY});
    } else if constexpr (std::is_integral_v<T>) {
      return T(one_of<int64_t>(
          {0, 1, 2, 4, 9, 10, 11, 99, -1, INT32_MIN, INT32_MAX, HAFT_DEVICE_CPU, 0x20000, 3, 6}));
    } else if constexpr (std::is_same_v<T, haft_scalar>) {
      haft_scalar s = one_of({haft_scalar_float(1.5), haft_scalar_int(2), haft_scalar_none(), haft_scalar_float(NAN),
                              haft_scalar_int(INT64_MAX)});
      if (!pick(4)) s.kind = one_of<int32_t>({-1, 4, 99, 1});
      return s;
    } else {
      return pointer<std::remove_pointer_t<T>>();
    }
  }

  template <class P>
  P* pointer() {
    using T = std::remove_const_t<P>;
    if constexpr (std::is_function_v<T> || std::is_void_v<T> || std::is_same_v<T, haft_function_context>) {
      return nullptr;
    } else if constexpr (is_handle<T>::value) {
      return handle<T>();
    } else if (!pick(10)) {
      return nullptr;
    } else if constexpr (std::is_same_v<P, const char>) {
      return one_of<const char*>(
          {"", "weight", "cpu", "cuda:7", "/dev/null/folder/file", "\xff\xfe", "\xe2\x82", "x\ny", "lr"});
    } else if constexpr (std::is_pointer_v<T>) {
      using H = std::remove_const_t<std::remove_pointer_t<T>>;
      auto** places = static_cast<void**>(room(kRoom * sizeof(void*)));
      if constexpr (std::is_const_v<P>) {  // an array of inputs
        for (int i = 0; i < kRoom; ++i) {
          if constexpr (is_handle<H>::value)
            places[i] = handle<H>();
          else
            places[i] = const_cast<char*>(one_of<const char*>({"weight", "bias", "a.b", "", "\xff"}));
        }
      } else {
        for (int i = 0; i < kRoom; ++i) places[i] = kUntouched;
        if constexpr (is_handle<H>::value)
          outs_.push_back({places, [](void* h) { release(static_cast<H*>(h)); }});
      }
      return static_cast<P*>(static_cast<void*>(places));
    } else if constexpr (std::is_class_v<T> && has_size<T>::value) {
      auto* bytes = static_cast<unsigned char*>(room(1 << 17));
      uint32_t size =
          one_of<uint32_t>({uint32_t(sizeof(T)), 0, 3, 4, uint32_t(sizeof(T)) + 8, 65536, 1 << 20, ~0u});
      std::memcpy(bytes, &size, sizeof size);
      if (!pick(3)) bytes[sizeof(T) + pick(64)] = 1;
      return reinterpret_cast<P*>(bytes);
    } else {  // numbers, or places for them; structs without a size are zero
      auto* p = static_cast<T*>(room(std::max<size_t>(kRoom * sizeof(T), 4096)));
      if constexpr (std::is_same_v<T, int64_t>)
        for (int i = 0; i < kRoom; ++i) p[i] = small();
      if constexpr (std::is_same_v<T, double>)
        for (int i = 0; i < kRoom; ++i) p[i] = double(small());
      return p;
    }
  }

  void expect_untouched() {
    for (Out& o : outs_)
      for (int i = 0; i < kRoom; ++i)
        if (o.places[i] != kUntouched) {
          ADD_FAILURE() << "an out was written on failure";
          return;
        }
  }
  void release_results() {
    for (Out& o : outs_)
      for (int i = 0; i < kRoom; ++i)
        if (o.places[i] != kUntouched) o.release(o.places[i]);
  }
};

bool ends_with(const std::string& s, const std::string& end) {
  return s.size() >= end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
}

// What changes the process or the thread under the test; each has tests of its own.
bool is_excluded(const std::string& name) {
  static const std::set<std::string> names = {"haft_memory_set_allocator",
                                              "haft_set_num_threads",
                                              "haft_set_log_sink",
                                              "haft_memory_set_limit",
                                              "haft_memory_set_pressure_callback",
                                              "haft_scope_begin",
                                              "haft_scope_end",
                                              "haft_scope_keep",
                                              "haft_profiler_start",
                                              "haft_profiler_stop",
                                              "haft_set_grad_enabled",
                                              "haft_set_inference_mode",
                                              "haft_set_anomaly_mode",
                                              "haft_set_default_device",
                                              "haft_set_default_dtype",
                                              "haft_error_set",
                                              "haft_error_clear",
                                              "haft_error_get_message",
                                              "haft_tensor_release_many",
                                              "haft_set_math_precision",
                                              "haft_set_current_stream",
                                              "haft_tensor_to_dlpack",
                                              "haft_tensor_to_dlpack_versioned",
                                              "haft_get_version_number"};
  return names.count(name) || ends_with(name, "_release") || ends_with(name, "_retain");
}

std::mt19937 random_numbers(20240917);
template <class R, class... A>
void call_wrongly(const char* name, R (*fn)(A...)) {
  if (is_excluded(name)) return;
  Objects objects;
  for (int round = 0; round < (sizeof...(A) ? 60 : 1); ++round) {
    Arguments arguments(random_numbers, objects);
    std::tuple<A...> made{arguments.make<A>()...};
    haft_error_clear();
    if constexpr (std::is_same_v<R, haft_status>) {
      haft_status s = std::apply(fn, made);
      if (s == HAFT_OK || s == HAFT_END) {
        arguments.release_results();
        continue;
      }
      ASSERT_STRNE(haft_status_get_name(s), "HAFT_ERROR_UNKNOWN") << name << " answered " << s;
      ASSERT_NE(s, HAFT_ERROR_INTERNAL) << name << ": " << haft_error_get_message();
      arguments.expect_untouched();
      if (std::string(name) == "haft_error_get_last") continue;
      haft_error_info record = last_error();
      ASSERT_EQ(record.code, s) << name;
      ASSERT_STRNE(record.message, "") << name;
      ASSERT_EQ(std::string(record.function).rfind("haft_", 0), 0u)
          << name << ": " << record.function << ": " << record.message;
    } else {
      std::apply(fn, made);
    }
  }
}
template <class R, class... A>
void call_wrongly(const char* name, R (*fn)(A...) noexcept) {
  call_wrongly(name, static_cast<R (*)(A...)>(fn));
}

// Functions that take a path are given the fuzz's words: what they write stays in a folder of its own.
class WorkingFolder {
  std::filesystem::path before_ = std::filesystem::current_path(), own_;

 public:
  WorkingFolder() {
    char name[] = "/tmp/haft_fuzz_XXXXXX";
    own_ = mkdtemp(name);
    std::filesystem::current_path(own_);
  }
  ~WorkingFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(own_);
  }
};

TEST(Fuzz, EveryFunctionSurvivesWrongCalls) {
  WorkingFolder folder;
  haft::check(haft_memory_set_limit(HAFT_DEVICE_CPU, 64 << 20));
  int functions = 0;
#define FUNCTION(f)                                    \
  {                                                    \
    int64_t before = 0, after = 0;                     \
    haft::check(haft_get_live_handles(&before));       \
    call_wrongly(#f, &f);                              \
    haft::check(haft_get_live_handles(&after));        \
    ASSERT_EQ(after, before) << #f << " left handles"; \
    ASSERT_FALSE(testing::Test::HasFailure()) << #f;   \
    ++functions;                                       \
  }
#include "functions.inc"
#undef FUNCTION
  haft::check(haft_memory_set_limit(HAFT_DEVICE_CPU, 0));
  EXPECT_GT(functions, 500);
}

}  // namespace
