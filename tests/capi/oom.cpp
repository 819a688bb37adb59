// Allocation failures over the C interface: the n-th request for memory fails, for n = 1, 2, ... until a call
// needs no more. Every failure is HAFT_ERROR_OUT_OF_MEMORY, leaves no handle behind and nothing broken. Both
// sources of memory are the test's: operator new, which it replaces, and tensor memory, through
// haft_set_allocator.
#include <gtest/gtest.h>
#include <haft/haft.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <string>
#include <thread>

namespace {

// Requests until one fails; 0: none does. Only while a C function runs.
std::atomic<int64_t> countdown{0};
std::atomic<bool> failed{false};

bool refuse() {
  int64_t n = countdown.load(std::memory_order_relaxed);
  while (n > 0 && !countdown.compare_exchange_weak(n, n - 1)) {
  }
  if (n != 1) return false;
  failed = true;
  return true;
}

void* get(std::size_t bytes, std::size_t alignment) {
  if (refuse()) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes ? bytes : 1);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void* get_or_throw(std::size_t bytes, std::size_t alignment) {
  void* p = get(bytes, alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t n) { return get_or_throw(n, 1); }
void* operator new[](std::size_t n) { return get_or_throw(n, 1); }
void* operator new(std::size_t n, std::align_val_t a) { return get_or_throw(n, std::size_t(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return get_or_throw(n, std::size_t(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return get(n, 1); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return get(n, 1); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return get(n, std::size_t(a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

void must(haft_status s) {
  if (s == HAFT_OK) return;
  std::fprintf(stderr, "%s\n", haft_error_message());
  std::abort();
}
int64_t live() {
  int64_t n = 0;
  must(haft_live_handles(&n));
  return n;
}

const int64_t k23[] = {2, 3}, k32[] = {3, 2}, kLarge[] = {64, 256};

struct Memory : testing::Test {
  std::filesystem::path folder;
  haft_tensor *a = nullptr, *b = nullptr, *w = nullptr, *large = nullptr, *images = nullptr, *ids = nullptr;

  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / ("haft-oom-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    must(haft_randn(k23, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, &a));
    must(haft_randn(k32, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, &b));
    must(haft_randn(k23, 2, HAFT_FLOAT64, HAFT_DEVICE_CPU, nullptr, &w));
    must(haft_tensor_set_requires_grad(w, 1));
    must(haft_randn(kLarge, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, &large));
    const int64_t image[] = {2, 16, 8, 8};
    must(haft_randn(image, 4, HAFT_FLOAT32, HAFT_DEVICE_CPU, nullptr, &images));
    must(haft_arange(haft_int_scalar(0), haft_int_scalar(2), haft_int_scalar(1), HAFT_INT64, HAFT_DEVICE_CPU,
                     &ids));
  }
  void TearDown() override {
    for (haft_tensor* t : {a, b, w, large, images, ids}) haft_tensor_release(t);
    std::filesystem::remove_all(folder);
  }

  // `call` does one thing and releases what it got; it is repeated with a later failure each time, on this
  // thread, where everything is warm, and on new ones, whose pools, caches and error records are empty.
  void sweep(const char* what, const std::function<haft_status()>& call) {
    int64_t before = live();
    must(call());  // what stays cached or is made once is there now
    ASSERT_EQ(live(), before) << what << " leaks without failures";
    for (bool fresh : {false, true}) {
      for (int64_t n = 1;; ++n) {
        ASSERT_LT(n, 20000) << what << " never gets through";
        must(haft_memory_trim(HAFT_DEVICE_CPU, nullptr));
        failed = false;
        haft_status s = HAFT_OK;
        std::string text;
        auto attempt = [&] {
          countdown = n;
          s = call();
          countdown = 0;
          text = haft_error_message();
        };
        if (fresh)
          std::thread(attempt).join();
        else
          attempt();
        if (s != HAFT_OK) {
          ASSERT_EQ(s, HAFT_ERROR_OUT_OF_MEMORY)
              << what << " at request " << n << ": " << haft_status_name(s) << ", " << text;
          ASSERT_NE(text, "") << what;
        }
        ASSERT_EQ(live(), before) << what << " leaks at request " << n;
        ASSERT_EQ(call(), HAFT_OK) << what << " is broken after the failure of request " << n << ": "
                                   << haft_error_message();
        if (!failed) break;
      }
    }
  }
};

haft_status drop(haft_status s, haft_tensor* t) {
  if (s == HAFT_OK) haft_tensor_release(t);
  return s;
}
#define DROP(call)              \
  [&]() -> haft_status {        \
    haft_tensor* out = nullptr; \
    haft_status s = call;       \
    return drop(s, out);        \
  }
#define TRY(call)                                          \
  do {                                                     \
    if (haft_status s_ = (call); s_ != HAFT_OK) return s_; \
  } while (0)

// Releases at the end of a call whatever it got so far.
template <class T, void (*Release)(T*)>
struct Held {
  T* h = nullptr;
  ~Held() { Release(h); }
  operator T*() const { return h; }
  T** operator&() { return &h; }
};
using HeldTensor = Held<haft_tensor, haft_tensor_release>;
using HeldModule = Held<haft_module, haft_module_release>;

TEST_F(Memory, Operators) {
  const float data[6] = {};
  const int64_t flat[] = {6}, dims[] = {1, 0};
  sweep("from_data", DROP(haft_tensor_from_data(data, k23, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &out)));
  sweep("zeros", DROP(haft_zeros(kLarge, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &out)));
  sweep("add", DROP(haft_add(a, a, &out)));
  sweep("add promoted", DROP(haft_add(a, w, &out)));
  sweep("mm", DROP(haft_mm(a, b, &out)));
  sweep("large", DROP(haft_exp(large, &out)));
  sweep("view", DROP(haft_view(a, flat, 1, &out)));
  sweep("permute", DROP(haft_permute(a, dims, 2, &out)));
  sweep("reshape copy", [&]() -> haft_status {
    HeldTensor t, r;
    TRY(haft_transpose(large, 0, 1, &t));
    const int64_t all[] = {-1};
    return haft_reshape(t, all, 1, &r);
  });
  sweep("cat", [&]() -> haft_status {
    haft_tensor* xs[] = {a, a, a};
    HeldTensor out;
    return haft_cat(0, xs, 3, &out);
  });
  sweep("split", [&]() -> haft_status {
    haft_tensor* parts[3];
    int64_t n = 0;
    TRY(haft_split(a, 1, 1, parts, 3, &n));
    haft_tensor_release_many(parts, n);
    return HAFT_OK;
  });
  sweep("sort", [&]() -> haft_status {
    HeldTensor v, i;
    return haft_sort(large, 1, 0, &v, &i);
  });
  sweep("sum", DROP(haft_sum(large, dims, 1, 0, HAFT_DTYPE_NONE, &out)));
  sweep("var", DROP(haft_var(large, nullptr, 0, 1, 0, &out)));
  sweep("softmax", DROP(haft_softmax(large, 1, &out)));
  sweep("cumsum", DROP(haft_cumsum(large, 0, &out)));
  sweep("index_select", DROP(haft_index_select(large, 0, ids, &out)));
  sweep("nonzero", DROP(haft_nonzero(large, &out)));
  sweep("randperm", DROP(haft_randperm(1000, HAFT_INT64, HAFT_DEVICE_CPU, nullptr, &out)));
  sweep("in place", [&] { return haft_mul_scalar_(large, haft_float_scalar(1)); });
  sweep("text", [&]() -> haft_status {
    char text[4096];
    return haft_tensor_to_string(a, text, sizeof text, nullptr);
  });
}

TEST_F(Memory, Autograd) {
  sweep("backward", [&]() -> haft_status {
    HeldTensor y, z, s;
    TRY(haft_exp(w, &y));
    TRY(haft_mul(y, w, &z));
    TRY(haft_sum(z, nullptr, 0, 0, HAFT_DTYPE_NONE, &s));
    TRY(haft_backward(s, nullptr, 0));
    return haft_tensor_set_grad(w, nullptr);
  });
  sweep("grad", [&]() -> haft_status {
    HeldTensor y, g;
    TRY(haft_sum(w, nullptr, 0, 0, HAFT_DTYPE_NONE, &y));
    haft_tensor *outs[] = {y}, *ins[] = {w};
    return haft_grad(outs, nullptr, 1, ins, 1, HAFT_BACKWARD_CREATE_GRAPH, &g);
  });
  sweep("in place on a view", [&]() -> haft_status {
    HeldTensor h, row, s;
    TRY(haft_mul_scalar(w, haft_float_scalar(2), &h));
    TRY(haft_select(h, 0, 1, &row));
    TRY(haft_mul_scalar_(row, haft_float_scalar(3)));
    TRY(haft_sum(h, nullptr, 0, 0, HAFT_DTYPE_NONE, &s));
    return haft_backward(s, nullptr, 0);
  });
  sweep("hook", [&]() -> haft_status {
    HeldTensor s;
    int64_t id = 0;
    TRY(haft_tensor_add_hook(
        w, [](haft_tensor* g, haft_tensor** r, void*) { return haft_neg(g, r); }, nullptr, nullptr, &id));
    haft_status status = haft_sum(w, nullptr, 0, 0, HAFT_DTYPE_NONE, &s);
    if (status == HAFT_OK) status = haft_backward(s, nullptr, 0);
    haft_status removed = haft_tensor_remove_hook(w, id);
    // A hook that lacked memory answers for it itself.
    return status == HAFT_ERROR_CALLBACK ? HAFT_ERROR_OUT_OF_MEMORY : status ? status : removed;
  });
  static int destroyed;
  static int accepted;
  destroyed = accepted = 0;
  sweep("custom function", [&]() -> haft_status {
    haft_tensor *ins[] = {w}, *out = nullptr;
    haft_status s = haft_function_apply(
        "Square",
        [](haft_function_context* c, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t,
           void*) -> haft_status {
          TRY(haft_function_save(c, in[0]));
          return haft_square(in[0], out);
        },
        [](haft_function_context* c, haft_tensor* const* g, int64_t, haft_tensor** r, int64_t,
           void*) -> haft_status {
          HeldTensor x, two;
          TRY(haft_function_saved(c, 0, &x));
          TRY(haft_mul_scalar(x, haft_float_scalar(2), &two));
          return haft_mul(g[0], two, r);
        },
        nullptr, [](void*) { ++destroyed; }, ins, 1, &out, 1);
    if (s == HAFT_ERROR_CALLBACK) return HAFT_ERROR_OUT_OF_MEMORY;
    TRY(s);
    ++accepted;
    s = haft_backward(out, out, 0);
    haft_tensor_release(out);
    return s == HAFT_ERROR_CALLBACK ? HAFT_ERROR_OUT_OF_MEMORY : s;
  });
  EXPECT_EQ(destroyed, accepted);
}

TEST_F(Memory, Scopes) {
  sweep("scope", [&]() -> haft_status {
    TRY(haft_scope_begin());
    haft_status s = HAFT_OK;
    for (int i = 0; i < 20 && s == HAFT_OK; ++i) {
      haft_tensor* t = nullptr;
      s = haft_add(a, a, &t);
    }
    must(haft_scope_end());
    return s;
  });
  EXPECT_EQ(haft_scope_end(), HAFT_ERROR_INVALID_ARGUMENT);
}

TEST_F(Memory, ModulesAndOptimizers) {
  sweep("linear", [&]() -> haft_status {
    HeldModule m;
    return haft_linear_create(3, 4, 1, nullptr, HAFT_FLOAT32, HAFT_DEVICE_CPU, &m);
  });
  haft_conv2d_options o = HAFT_CONV2D_OPTIONS_INIT;
  o.in_channels = o.out_channels = 16;
  o.kernel_size[0] = o.kernel_size[1] = 3;
  std::string file = folder / "m.safetensors";
  sweep("train", [&]() -> haft_status {
    HeldModule conv, relu, flat, net;
    TRY(haft_conv2d_create(&o, &conv));
    TRY(haft_relu_create(&relu));
    TRY(haft_flatten_create(1, -1, &flat));
    haft_module* parts[] = {conv, relu, flat};
    TRY(haft_sequential_create(parts, 3, &net));
    haft_tensor* ps[4];
    int64_t n = 0;
    TRY(haft_module_parameters(net, ps, 4, &n));
    Held<haft_optimizer, haft_optimizer_release> opt;
    haft_status s = haft_adam_create(ps, n, nullptr, &opt);
    haft_tensor_release_many(ps, n);
    TRY(s);
    HeldTensor y, loss;
    TRY(haft_module_forward(net, images, &y));
    TRY(haft_mean(y, nullptr, 0, 0, &loss));
    TRY(haft_backward(loss, nullptr, 0));
    TRY(haft_optimizer_step(opt));
    TRY(haft_module_save(net, file.c_str()));
    return haft_module_load(net, file.c_str(), 1);
  });
}

TEST_F(Memory, Loader) {
  sweep("loader", [&]() -> haft_status {
    Held<haft_dataset, haft_dataset_release> d;
    Held<haft_loader, haft_loader_release> l;
    haft_tensor* ts[] = {large};
    TRY(haft_tensor_dataset_create(ts, 1, &d));
    haft_loader_options o = HAFT_LOADER_OPTIONS_INIT;
    o.batch_size = 16;
    TRY(haft_loader_create(d, &o, &l));
    for (int i = 0; i < 3; ++i) {
      haft_tensor* batch[2];
      int64_t n = 0;
      TRY(haft_loader_next(l, batch, 2, &n));
      haft_tensor_release_many(batch, n);
    }
    return HAFT_OK;
  });
}

TEST_F(Memory, Files) {
  std::string npy = folder / "a.npy", weights = folder / "w.safetensors";
  sweep("npy", [&]() -> haft_status {
    HeldTensor back;
    TRY(haft_npy_save(a, npy.c_str()));
    return haft_npy_load(npy.c_str(), &back);
  });
  sweep("safetensors", [&]() -> haft_status {
    const char* names[] = {"a", "large"};
    haft_tensor* ts[] = {a, large};
    TRY(haft_safetensors_save(names, ts, 2, weights.c_str()));
    Held<haft_weights, haft_weights_release> f;
    HeldTensor back;
    TRY(haft_weights_open(weights.c_str(), &f));
    return haft_weights_find(f, "large", &back);
  });
  sweep("generator and profiler", [&]() -> haft_status {
    Held<haft_generator, haft_generator_release> g;
    TRY(haft_generator_create(3, &g));
    TRY(haft_profiler_start(1));
    HeldTensor y;
    haft_status s = haft_add(a, a, &y);
    Held<haft_profile, haft_profile_release> p;
    haft_status stopped = haft_profiler_stop(&p);
    if (stopped != HAFT_OK) {
      int64_t n = countdown.exchange(0);
      Held<haft_profile, haft_profile_release> again;
      haft_profiler_stop(&again);
      countdown = n;
      return stopped;
    }
    return s;
  });
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  haft_status s = haft_set_allocator(
      [](int64_t bytes, int64_t alignment, void*) -> void* {
        return refuse() ? nullptr
                        : std::aligned_alloc(std::size_t(alignment),
                                             std::size_t((bytes + alignment - 1) / alignment * alignment));
      },
      [](void* p, int64_t, void*) { std::free(p); }, nullptr);
  if (s != HAFT_OK) {
    std::fprintf(stderr, "%s\n", haft_error_message());
    return 1;
  }
  must(haft_set_num_threads(1));
  return RUN_ALL_TESTS();
}
