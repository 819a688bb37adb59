// Times operators on a GPU, beside tests/gpu/speed.py, which has the same cases in PyTorch.
//
//   speed              the names of the cases
//   speed DEVICE NAME  milliseconds a run: the mean of 0.2 s, after three that are not counted
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "haft/haft.hpp"

namespace {

using haft::Tensor;
using Run = std::function<void()>;

haft_device device;

Tensor normal(std::initializer_list<std::int64_t> size, haft_dtype t = HAFT_FLOAT32) {
  return haft::cast(haft::randn(size, HAFT_FLOAT32, device), t);
}
Tensor parameter(std::initializer_list<std::int64_t> size, haft_dtype t = HAFT_FLOAT32) {
  Tensor p = normal(size, t);
  p.set_requires_grad();
  return p;
}
// What makes a case's tensors and answers its run.
const std::map<std::string, std::function<Run()>>& cases() {
  static const std::map<std::string, std::function<Run()>> all = {
      {"add 64 Mi f32", [] { return [a = normal({64 << 20}), b = normal({64 << 20})] { haft::add(a, b); }; }},
      {"gelu 64 Mi bf16", [] { return [a = normal({64 << 20}, HAFT_BFLOAT16)] { haft::gelu(a); }; }},
      {"fused silu(a) * b + c 64 Mi bf16",
       [] {
         const haft::Fused gate([](const std::vector<Tensor>& in) {
           return std::vector<Tensor>{haft::add(haft::mul(haft::silu(in[0]), in[1]), in[2])};
         });
         return [gate, a = normal({64 << 20}, HAFT_BFLOAT16), b = normal({64 << 20}, HAFT_BFLOAT16),
                 c = normal({64 << 20}, HAFT_BFLOAT16)] {
           gate({a, b, c});
         };
       }},
      {"sum 64 Mi f32", [] { return [a = normal({64 << 20})] { haft::sum(a); }; }},
      {"sum columns 8192x8192 f32",
       [] {
         return [a = normal({8192, 8192})] { haft::sum(a, {0}); };
       }},
      {"softmax 8192x4096 bf16",
       [] {
         return [a = normal({8192, 4096}, HAFT_BFLOAT16)] { haft::softmax(a, -1); };
       }},
      {"layer_norm 8192x4096 bf16",
       [] {
         return [a = normal({8192, 4096}, HAFT_BFLOAT16), w = normal({4096}, HAFT_BFLOAT16),
                 b = normal({4096}, HAFT_BFLOAT16)] { haft::layer_norm(a, {4096}, w, b); };
       }},
      {"cross_entropy 8192x50257 f32",
       [] {
         return [a = normal({8192, 50257}), t = haft::randint(0, 50257, {8192}, HAFT_INT64, device)] {
           haft::cross_entropy(a, t);
         };
       }},
      {"sort 4096x4096 f32",
       [] {
         return [a = normal({4096, 4096})] { haft::sort(a); };
       }},
      {"matmul 8192 bf16",
       [] {
         return [a = normal({8192, 8192}, HAFT_BFLOAT16), b = normal({8192, 8192}, HAFT_BFLOAT16)] {
           haft::matmul(a, b);
         };
       }},
      {"scaled_mm 8192 float8",
       [] {
         return [a = normal({8192, 8192}, HAFT_FLOAT8_E4M3FN),
                 b = haft::t(normal({8192, 8192}, HAFT_FLOAT8_E4M3FN)),
                 s = haft::ones({}, HAFT_FLOAT32, device)] { haft::scaled_mm(a, b, s, s); };
       }},
      {"scaled_mm 8192 float8 by rows",
       [] {
         return [a = normal({8192, 8192}, HAFT_FLOAT8_E4M3FN),
                 b = haft::t(normal({8192, 8192}, HAFT_FLOAT8_E4M3FN)),
                 s = haft::ones({8192, 1}, HAFT_FLOAT32, device),
                 t = haft::ones({1, 8192}, HAFT_FLOAT32, device)] { haft::scaled_mm(a, b, s, t); };
       }},
      {"cast 64 Mi f32 to float8",
       [] { return [a = normal({64 << 20})] { haft::cast(a, HAFT_FLOAT8_E4M3FN); }; }},
      {"matmul 4096 f32",
       [] {
         return [a = normal({4096, 4096}), b = normal({4096, 4096})] { haft::matmul(a, b); };
       }},
      {"conv2d 64x256x56x56 3x3 bf16",
       [] {
         return [x = normal({64, 256, 56, 56}, HAFT_BFLOAT16), w = normal({256, 256, 3, 3}, HAFT_BFLOAT16)] {
           haft::conv2d(x, w, Tensor(), {1, 1}, {1, 1}, {1, 1});
         };
       }},
      {"attention 8x16x2048x64 bf16 causal",
       [] {
         const auto one = [] { return normal({8, 16, 2048, 64}, HAFT_BFLOAT16); };
         return [q = one(), k = one(), v = one()] {
           haft::scaled_dot_product_attention(q, k, v, Tensor(), 0, true);
         };
       }},
      {"attention with gradients",
       [] {
         const auto one = [] { return parameter({8, 16, 2048, 64}, HAFT_BFLOAT16); };
         return [q = one(), k = one(), v = one(), g = normal({8, 16, 2048, 64}, HAFT_BFLOAT16)] {
           haft::scaled_dot_product_attention(q, k, v, Tensor(), 0, true).backward(g);
           for (const Tensor& t : {q, k, v}) t.zero_grad();
         };
       }},
      {"small adds, 100 in a row",
       [] {
         return [a = normal({64}), b = normal({64})] {
           Tensor t = a;
           for (int i = 0; i < 100; ++i) t = haft::add(t, b);
         };
       }},
  };
  return all;
}

double time(const Run& run) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point t) {
    return std::chrono::duration<double>(Clock::now() - t).count();
  };
  for (int i = 0; i < 3; ++i) run();
  haft::synchronize(device);
  int count = 1;
  for (;;) {
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i) run();
    haft::synchronize(device);
    const double seconds = since(begin);
    if (seconds >= 0.2) return seconds / count * 1e3;
    count = int(count * (seconds > 0.02 ? 0.25 / seconds : 8)) + 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    for (const auto& c : cases()) std::puts(c.first.c_str());
    return 0;
  }
  try {
    device = haft::device(argv[1]);
    std::printf("%.5f\n", time(cases().at(argv[2])()));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", argv[2], e.what());
    return 1;
  }
}
