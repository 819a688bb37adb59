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

#include "capi_testing.h"
#include "signatures.h"

namespace {

using signatures::Function;
using signatures::Handle;
using signatures::Kind;
using signatures::Type;
using signatures::Value;

constexpr int kRoom = 64;
void* const kUntouched = reinterpret_cast<void*>(uintptr_t(0x5e5e5e5e));

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
    module = haft::nn::Linear(3, 2).release();
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

  void* handle(Handle type) {
    const bool tensor = type == Handle::haft_tensor;
    switch (pick(8)) {
      case 0: return nullptr;
      case 1: return objects_.stale;
      case 2:
        return reinterpret_cast<void*>(
            one_of<uintptr_t>({1, 0x5a00000000000000, 0x5a0000010000ffff, ~uintptr_t(0), 64}));
      case 3: return tensor ? static_cast<void*>(objects_.generator) : objects_.tensors[0].get();
    }
    if (tensor) return objects_.tensors[pick(objects_.tensors.size())].get();
    if (type == Handle::haft_generator) return objects_.generator;
    if (type == Handle::haft_module) return objects_.module;
    if (type == Handle::haft_optimizer) return objects_.optimizer;
    if (type == Handle::haft_node) return objects_.node;
    return nullptr;
  }
  int64_t small() { return one_of<int64_t>({0, 1, 2, 3, 4, -1, 2, 1, 3, int64_t(1) << 40, INT64_MIN}); }

  void* pointer(const Type& t) {
    if (t.pointers == 1 && (t.kind == Kind::opaque || t.kind == Kind::nothing)) return nullptr;
    if (t.pointers == 1 && t.kind == Kind::handle) return handle(t.handle);
    if (!pick(10)) return nullptr;
    if (t.pointers == 2) {
      auto** places = static_cast<void**>(room(kRoom * sizeof(void*)));
      for (int i = 0; i < kRoom; ++i)
        places[i] = !t.constant ? kUntouched
                    : t.kind == Kind::handle
                        ? handle(t.handle)
                        : const_cast<char*>(one_of<const char*>({"weight", "bias", "a.b", "", "\xff"}));
      if (!t.constant && t.kind == Kind::handle) outs_.push_back({places, t.release});
      return places;
    }
    if (t.kind == Kind::text && t.constant)
      return const_cast<char*>(one_of<const char*>(
          {"", "weight", "cpu", "cuda:7", "/dev/null/folder/file", "\xff\xfe", "\xe2\x82", "x\ny", "lr"}));
    if (t.sized) {
      auto* bytes = static_cast<unsigned char*>(room(1 << 17));
      uint32_t size = one_of<uint32_t>({t.size, 0, 3, 4, t.size + 8, 65536, 1 << 20, ~0u});
      std::memcpy(bytes, &size, sizeof size);
      if (!pick(3)) bytes[t.size + pick(64)] = 1;
      return bytes;
    }
    // Numbers, or places for them; structs without a size are zero.
    void* p = room(std::max<size_t>(kRoom * t.size, 4096));
    for (int i = 0; i < kRoom; ++i) {
      if (t.kind == Kind::integer && t.size == 8) static_cast<int64_t*>(p)[i] = small();
      if (t.kind == Kind::real && t.size == 8) static_cast<double*>(p)[i] = double(small());
    }
    return p;
  }

 public:
  Arguments(std::mt19937& r, Objects& o) : random_(r), objects_(o) {}

  Value make(const Type& t) {
    const bool counts = after_array_;
    after_array_ = t.pointers > 0;
    Value v{};
    if (t.pointers) {
      v.pointer = pointer(t);
    } else if (t.kind == Kind::real) {
      v.real = one_of<double>({0, 1, -1, 0.5, 1e300, NAN, INFINITY, -INFINITY});
    } else if (t.kind == Kind::scalar) {
      v.scalar = one_of({haft_scalar_float(1.5), haft_scalar_int(2), haft_scalar_none(),
                         haft_scalar_float(NAN), haft_scalar_int(INT64_MAX)});
      if (!pick(4)) v.scalar.kind = one_of<int32_t>({-1, 4, 99, 1});
    } else if (t.size == 8 && counts) {
      v.integer = one_of<int64_t>({0, 1, 2, 3, 4, -1, INT64_MIN});
    } else if (t.size == 8) {
      v.integer =
          one_of<int64_t>({0, 1, 2, 3, -1, 5, 64, -7, HAFT_NONE, INT64_MAX, int64_t(1) << 40, 1 << 16});
    } else {
      v.integer = one_of<int64_t>(
          {0, 1, 2, 4, 9, 10, 11, 99, -1, INT32_MIN, INT32_MAX, HAFT_DEVICE_CPU, 0x20000, 3, 6});
    }
    return v;
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
                                              "haft_memory_add_pressure_callback",
                                              "haft_memory_remove_pressure_callback",
                                              "haft_scope_begin",
                                              "haft_scope_end",
                                              "haft_scope_keep",
                                              "haft_profiler_start",
                                              "haft_profiler_start_with",
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
                                              "haft_random_set_stream",
                                              "haft_set_current_stream",
                                              "haft_tensor_to_dlpack",
                                              "haft_tensor_to_dlpack_versioned",
                                              "haft_get_version_number"};
  return names.count(name) || ends_with(name, "_release") || ends_with(name, "_retain");
}

std::mt19937 random_numbers(20240917);
void call_wrongly(const Function& f) {
  const std::string name = f.name;
  if (is_excluded(name)) return;
  Objects objects;
  for (int round = 0; round < (f.count ? 60 : 1); ++round) {
    Arguments arguments(random_numbers, objects);
    std::vector<Value> made;
    for (size_t i = 0; i < f.count; ++i) made.push_back(arguments.make(f.types[i]));
    haft_error_clear();
    const haft_status s = f(made);
    if (!f.answers_status) continue;
    if (s == HAFT_OK || s == HAFT_END) {
      arguments.release_results();
      continue;
    }
    ASSERT_STRNE(haft_status_get_name(s), "HAFT_ERROR_UNKNOWN") << name << " answered " << s;
    ASSERT_NE(s, HAFT_ERROR_INTERNAL) << name << ": " << haft_error_get_message();
    arguments.expect_untouched();
    if (name == "haft_error_get_last") continue;
    haft_error_info record = last_error();
    ASSERT_EQ(record.code, s) << name;
    ASSERT_STRNE(record.message, "") << name;
    ASSERT_EQ(std::string(record.function).rfind("haft_", 0), 0u)
        << name << ": " << record.function << ": " << record.message;
  }
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
  for (const Function& f : signatures::functions()) {
    int64_t before = 0, after = 0;
    haft::check(haft_get_live_handles(&before));
    call_wrongly(f);
    haft::check(haft_get_live_handles(&after));
    ASSERT_EQ(after, before) << f.name << " left handles";
    ASSERT_FALSE(testing::Test::HasFailure()) << f.name;
  }
  haft::check(haft_memory_set_limit(HAFT_DEVICE_CPU, 0));
  EXPECT_GT(signatures::functions().size(), 500u);
}

}  // namespace
