// Times operators on a GPU, beside tests/gpu/speed.py, which has the same cases in PyTorch.
//
//   speed          the names of the cases
//   speed DEVICE   reads names, one a line, and answers each with the time of a run: milliseconds, the mean of 0.1 s,
//                  after three that are not counted; of names that begin with "host", microseconds of the caller
//                  alone, the least of 20 rounds that wait for nothing
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <string>

#include "haft/haft.hpp"

namespace {

namespace nn = haft::nn;
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
      {"attention 8x16x2048x64 bf16 with a mask",
       [] {
         const auto one = [] { return normal({8, 16, 2048, 64}, HAFT_BFLOAT16); };
         return [q = one(), k = one(), v = one(), mask = haft::ge_scalar(normal({8, 1, 2048, 2048}), -1)] {
           haft::scaled_dot_product_attention(q, k, v, mask);
         };
       }},
      {"attention 8x16x2048x64 bf16 with dropout and gradients",
       [] {
         const auto one = [] { return parameter({8, 16, 2048, 64}, HAFT_BFLOAT16); };
         return [q = one(), k = one(), v = one(), g = normal({8, 16, 2048, 64}, HAFT_BFLOAT16)] {
           haft::scaled_dot_product_attention(q, k, v, Tensor(), 0.1, true).backward(g);
           for (const Tensor& t : {q, k, v}) t.zero_grad();
         };
       }},
      {"attention of one query, 64x16x4096x64 bf16",
       [] {
         const auto keys = [] { return normal({64, 16, 4096, 64}, HAFT_BFLOAT16); };
         return [q = normal({64, 16, 1, 64}, HAFT_BFLOAT16), k = keys(), v = keys()] {
           haft::scaled_dot_product_attention(q, k, v);
         };
       }},
      {"lstm 512 in and out, 64 rows of 128 steps, f32, with gradients",
       [] {
         nn::Module net = nn::LSTM(512, 512);
         net.to(HAFT_DTYPE_NONE, device);
         return [net, x = normal({128, 64, 512}), g = normal({128, 64, 512})] {
           net(std::vector<Tensor>{x})[0].backward(g);
           net.zero_grad();
         };
       }},
      {"copy 64 Mi f32",
       [] { return [to = normal({64 << 20}), from = normal({64 << 20})] { haft::copy_(to, from); }; }},
      {"layer_norm 8192x4096 bf16 with gradients",
       [] {
         return [a = parameter({8192, 4096}, HAFT_BFLOAT16), w = parameter({4096}, HAFT_BFLOAT16),
                 b = parameter({4096}, HAFT_BFLOAT16), g = normal({8192, 4096}, HAFT_BFLOAT16)] {
           haft::layer_norm(a, {4096}, w, b).backward(g);
           for (const Tensor& t : {a, w, b}) t.zero_grad();
         };
       }},
      {"AdamW 64 Mi f32",
       [] {
         Tensor p = parameter({64 << 20});
         p.set_grad(normal({64 << 20}));
         return [p, optimizer = haft::optim::adamw({p})] { optimizer.step(); };
       }},
      {"linear 65536x768 to 3072 bf16 with gradients",
       [] {
         return [x = parameter({65536, 768}, HAFT_BFLOAT16), w = parameter({3072, 768}, HAFT_BFLOAT16),
                 b = parameter({3072}, HAFT_BFLOAT16), g = normal({65536, 3072}, HAFT_BFLOAT16)] {
           haft::linear(x, w, b).backward(g);
           for (const Tensor& t : {x, w, b}) t.zero_grad();
         };
       }},
      {"embedding 50304x768 of 65536 f32 with gradients",
       [] {
         return [w = parameter({50304, 768}), i = haft::randint(0, 50304, {65536}, HAFT_INT64, device),
                 g = normal({65536, 768})] {
           haft::embedding(w, i).backward(g);
           w.zero_grad();
         };
       }},
      {"small adds, 100 in a row",
       [] {
         return [a = normal({64}), b = normal({64})] {
           Tensor t = a;
           for (int i = 0; i < 100; ++i) t = haft::add(t, b);
         };
       }},
      {"host: add of 64", [] { return [a = normal({64}), b = normal({64})] { haft::add(a, b); }; }},
      {"host: linear 64x64 bf16",
       [] {
         return [x = normal({64, 64}, HAFT_BFLOAT16), w = normal({64, 64}, HAFT_BFLOAT16),
                 b = normal({64}, HAFT_BFLOAT16)] { haft::linear(x, w, b); };
       }},
      {"host: replay of 100 additions",
       [] {
         const haft::DeviceGraph graph(device);
         Tensor a = normal({64}), b = normal({64});
         graph.record([&] {
           for (int i = 0; i < 100; ++i) haft::add_(a, b);
         });
         return [graph, a, b] { graph.replay(); };
       }},
  };
  return all;
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

double milliseconds(const Run& run) {
  for (int count = 1;;) {
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i) run();
    haft::synchronize(device);
    const double seconds = since(begin);
    if (seconds >= 0.1) return seconds / count * 1e3;
    count = int(count * (seconds > 0.01 ? 0.13 / seconds : 8)) + 1;
  }
}
double host_microseconds(const Run& run) {
  double least = 1;
  for (int round = 0; round < 20; ++round) {
    haft::synchronize(device);
    const auto begin = Clock::now();
    for (int i = 0; i < 100; ++i) run();
    least = std::min(least, since(begin));
  }
  return least / 100 * 1e6;
}
double time(const std::string& name) {
  const Run run = cases().at(name)();
  for (int i = 0; i < 3; ++i) run();
  haft::synchronize(device);
  return name.compare(0, 4, "host") ? milliseconds(run) : host_microseconds(run);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& c : cases()) std::puts(c.first.c_str());
    return 0;
  }
  for (std::string name; std::getline(std::cin, name);) {
    try {
      device = haft::device(argv[1]);
      std::printf("%.5f\n", time(name));
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
    }
    std::fflush(stdout);
  }
}
