// Our matrix product against oneDNN and OpenBLAS called directly. usage: gemm [threads]
#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#include <cstdlib>

#include "bench/micro/measure.h"
#include "core/base/parallel.h"
#include "core/cpu/matmul.h"

using namespace haft;
extern "C" void omp_set_num_threads(int) __attribute__((weak));

namespace {

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float,
                       float*, int);

Sgemm openblas(int threads) {
  void* lib = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!lib) return nullptr;
  if (auto set = reinterpret_cast<void (*)(int)>(dlsym(lib, "openblas_set_num_threads"))) set(threads);
  return reinterpret_cast<Sgemm>(dlsym(lib, "cblas_sgemm"));
}

struct Direct {  // oneDNN's matmul primitive
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t primitive = nullptr;
  dnnl_exec_arg_t args[3];
  Direct(long m, long n, long k, bool ta, bool tb, float* a, float* b, float* c) {
    dnnl_engine_create(&engine, dnnl_cpu, 0);
    dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
    dnnl_dims_t da = {m, k}, db = {k, n}, dc = {m, n};
    dnnl_memory_desc_t ma, mb, mc;
    dnnl_memory_desc_init_by_tag(&ma, 2, da, dnnl_f32, ta ? dnnl_ba : dnnl_ab);
    dnnl_memory_desc_init_by_tag(&mb, 2, db, dnnl_f32, tb ? dnnl_ba : dnnl_ab);
    dnnl_memory_desc_init_by_tag(&mc, 2, dc, dnnl_f32, dnnl_ab);
    dnnl_matmul_desc_t op;
    dnnl_matmul_desc_init(&op, &ma, &mb, nullptr, &mc);
    dnnl_primitive_desc_t pd;
    if (dnnl_primitive_desc_create(&pd, &op, nullptr, engine, nullptr) != dnnl_success) std::abort();
    dnnl_primitive_create(&primitive, pd);
    int ids[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    float* data[] = {a, b, c};
    dnnl_memory_desc_t* mds[] = {&ma, &mb, &mc};
    for (int i = 0; i < 3; ++i) {
      args[i].arg = ids[i];
      dnnl_memory_create(&args[i].memory, mds[i], engine, data[i]);
    }
  }
  void operator()() { dnnl_primitive_execute(primitive, stream, 3, args); }
};

}  // namespace

int main(int argc, char** argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  set_num_threads(threads);
  if (omp_set_num_threads) omp_set_num_threads(threads);
  Sgemm blas = openblas(threads);
  struct Shape {
    long m, n, k;
    bool ta, tb;
  };
  const Shape shapes[] = {
      {8, 8, 8, 0, 0},          {16, 16, 16, 0, 0},     {24, 24, 24, 0, 0},     {32, 32, 32, 0, 0},
      {32, 32, 32, 0, 1},       {16, 32, 64, 0, 1},     {64, 16, 16, 0, 1},     {48, 48, 48, 0, 0},
      {48, 48, 48, 0, 1},       {64, 64, 64, 0, 0},     {64, 64, 64, 0, 1},     {64, 64, 64, 1, 0},
      {128, 128, 128, 0, 0},    {256, 256, 256, 0, 0},  {512, 512, 512, 0, 0},  {1024, 1024, 1024, 0, 0},
      {2048, 2048, 2048, 0, 0}, {64, 128, 784, 0, 1},   {64, 10, 128, 0, 1},    {10, 128, 64, 1, 0},
      {64, 128, 10, 0, 0},      {128, 784, 64, 1, 0},   {64, 128, 9216, 0, 1},  {64, 9216, 128, 0, 0},
      {128, 9216, 64, 1, 0},    {32, 768, 768, 0, 0},   {32, 768, 768, 0, 1},   {32, 3072, 768, 0, 1},
      {32, 768, 3072, 0, 1},    {512, 768, 3072, 0, 1}, {512, 3072, 768, 0, 1}, {3072, 768, 512, 1, 0},
      {2048, 256, 1024, 0, 1},  {4, 1024, 1024, 0, 1},  {1, 128, 784, 0, 1},    {1, 128, 9216, 0, 1},
      {1, 1024, 1024, 0, 0},    {1, 1024, 1024, 0, 1},  {1024, 1, 1024, 0, 0}};
  std::printf(
      "%d thread(s), GFLOP/s: ours, oneDNN matmul, oneDNN sgemm, OpenBLAS, ours / best of the others\n",
      threads);
  for (const Shape& s : shapes) {
    std::vector<float> a(size_t(s.m * s.k), 0.5f), b(size_t(s.k * s.n), 0.25f), c(size_t(s.m * s.n));
    long lda = s.ta ? s.m : s.k, ldb = s.tb ? s.k : s.n;
    double flops = 2.0 * double(s.m) * double(s.n) * double(s.k) * 1e-9;
    cpu::Gemm<float> g;
    g.m = s.m;
    g.n = s.n;
    g.k = s.k;
    g.a = a.data();
    g.a_row = s.ta ? 1 : lda;
    g.a_col = s.ta ? lda : 1;
    g.b = b.data();
    g.b_row = s.tb ? 1 : ldb;
    g.b_col = s.tb ? ldb : 1;
    g.c = c.data();
    g.ldc = s.n;
    double ours = flops / bench::measure(threads, [&] { cpu::gemm(g); });
    Direct direct(s.m, s.n, s.k, s.ta, s.tb, a.data(), b.data(), c.data());
    double primitive = flops / bench::measure(threads, direct);
    double sgemm = flops / bench::measure(threads, [&] {
                     dnnl_sgemm(s.ta ? 'T' : 'N', s.tb ? 'T' : 'N', s.m, s.n, s.k, 1, a.data(), lda, b.data(),
                                ldb, 0, c.data(), s.n);
                   });
    double other = 0;
    if (blas)
      other = flops / bench::measure(threads, [&] {
                blas(101, s.ta ? 112 : 111, s.tb ? 112 : 111, int(s.m), int(s.n), int(s.k), 1, a.data(),
                     int(lda), b.data(), int(ldb), 0, c.data(), int(s.n));
              });
    double best = std::max({primitive, sgemm, other});
    std::printf("%4ld %4ld %4ld %c%c  %7.1f %7.1f %7.1f %7.1f  %.2f\n", s.m, s.n, s.k, s.ta ? 't' : 'n',
                s.tb ? 't' : 'n', ours, primitive, sgemm, other, ours / best);
    std::fflush(stdout);
  }
}
