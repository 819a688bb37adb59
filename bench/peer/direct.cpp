// What the libraries give when they are called directly, without an engine: oneDNN and OpenBLAS for matrix
// products, oneDNN in its blocked layouts (direct and Winograd, the faster counts) for convolutions. usage:
// direct LIBRARY THREADS [GROUP [NAME]]    LIBRARY: onednn or openblas; OMP_NUM_THREADS must be THREADS;
// GROUP: matmul or conv; NAME: only cases that contain it
#include <cblas.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "bench/shapes.h"
#include "bench/timing.h"
#include "dnnl.hpp"

extern "C" void openblas_set_num_threads(int);

namespace {

using dnnl::memory;
int threads = 1;
std::string only;
bool chosen(const std::string& name) { return name.find(only) != name.npos; }

timing time_of(const std::string& name, const std::function<void()>& f, double seconds) {
  return measure(
      name.c_str(),
      [](void* arg, int n) {
        for (int i = 0; i < n; ++i) (*static_cast<const std::function<void()>*>(arg))();
      },
      const_cast<std::function<void()>*>(&f), seconds, 5);
}

// Uninitialised memory may hold denormal numbers, which slow every kernel.
void fill(float* p, size_t n) {
  for (size_t i = 0; i < n; ++i) p[i] = float(i % 17) * 0.125f - 1;
}

void fill(const memory& m) {
  fill(static_cast<float*>(m.get_data_handle()), m.get_desc().get_size() / sizeof(float));
}

std::string matmul_name(const int64_t* s) {
  return "matmul " + std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
}

void openblas() {
  openblas_set_num_threads(threads);
  for (const auto& s : kMatmul) {
    if (!chosen(matmul_name(s))) continue;
    int m = int(s[0]), k = int(s[1]), n = int(s[2]);
    std::vector<float> a(size_t(m) * k), b(size_t(k) * n), c(size_t(m) * n);
    fill(a.data(), a.size());
    fill(b.data(), b.size());
    timing t = time_of(
        matmul_name(s),
        [&] {
          if (n == 1)
            cblas_sgemv(CblasRowMajor, CblasNoTrans, m, k, 1, a.data(), k, b.data(), 1, 0, c.data(), 1);
          else if (m == 1)
            cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1, b.data(), n, a.data(), 1, 0, c.data(), 1);
          else
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a.data(), k, b.data(), n, 0,
                        c.data(), n);
        },
        0.06);
    emit_time(matmul_name(s).c_str(), threads, "us", &t);
  }
}

void onednn_matmul(const dnnl::engine& engine, dnnl::stream& stream) {
  for (const auto& s : kMatmul) {
    if (!chosen(matmul_name(s))) continue;
    memory::desc da({s[0], s[1]}, memory::data_type::f32, memory::format_tag::ab);
    memory::desc db({s[1], s[2]}, memory::data_type::f32, memory::format_tag::ab);
    memory::desc dc({s[0], s[2]}, memory::data_type::f32, memory::format_tag::ab);
    memory a(da, engine), b(db, engine), c(dc, engine);
    fill(a);
    fill(b);
    dnnl::matmul product(dnnl::matmul::primitive_desc(dnnl::matmul::desc(da, db, dc), engine));
    timing t = time_of(
        matmul_name(s),
        [&] {
          product.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
          stream.wait();
        },
        0.06);
    emit_time(matmul_name(s).c_str(), threads, "us", &t);
  }
}

void onednn_conv(const dnnl::engine& engine, dnnl::stream& stream) {
  for (const conv_shape& s : kConv) {
    const std::string name = std::string("conv ") + s.name;
    if (!chosen(name)) continue;
    int64_t side = (s.side + 2 * s.padding - s.kernel) / s.stride + 1;
    auto any = memory::format_tag::any;
    memory::desc dx({kConvBatch, s.in, s.side, s.side}, memory::data_type::f32, any);
    memory::desc dw({s.out, s.in, s.kernel, s.kernel}, memory::data_type::f32, any);
    memory::desc dy({kConvBatch, s.out, side, side}, memory::data_type::f32, any);
    timing best{1e30, 1e30, 1e30, 0, 0};
    for (auto algorithm : {dnnl::algorithm::convolution_direct, dnnl::algorithm::convolution_winograd}) {
      try {
        dnnl::convolution_forward::primitive_desc pd(
            dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training, algorithm, dx, dw, dy,
                                            {s.stride, s.stride}, {s.padding, s.padding},
                                            {s.padding, s.padding}),
            engine);
        memory x(pd.src_desc(), engine), w(pd.weights_desc(), engine), y(pd.dst_desc(), engine);
        fill(x);
        fill(w);
        dnnl::convolution_forward conv(pd);
        timing t = time_of(
            name,
            [&] {
              conv.execute(stream, {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, w}, {DNNL_ARG_DST, y}});
              stream.wait();
            },
            0.1);
        if (judged(&t, threads) < judged(&best, threads)) best = t;
      } catch (const dnnl::error&) {  // Winograd does not exist for every shape
      }
    }
    emit_time(name.c_str(), threads, "us", &best);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    fprintf(stderr, "usage: direct onednn|openblas THREADS [GROUP [NAME]]\n");
    return 2;
  }
  threads = atoi(argv[2]);
  const std::string group = argc > 3 ? argv[3] : "";
  if (argc > 4) only = argv[4];
  if (std::string(argv[1]) == "openblas") {
    if (group != "conv") openblas();
    return 0;
  }
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  if (group != "conv") onednn_matmul(engine, stream);
  if (group != "matmul") onednn_conv(engine, stream);
}
