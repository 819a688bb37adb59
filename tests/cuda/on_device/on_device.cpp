// The plug-in on a GPU, alone: what the simulation cannot know of the driver. Exit status 77 where it finds none.
//
//   on_device PLUGIN
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/schema/op_hash.h"
#include "core/schema/op_id.h"
#include "core/tensor/dtype.h"
#include "haft/backend.h"
#include "haft/types.h"

namespace {

using namespace haft;

const haft_backend* cuda;
char error[512];
int failures = 0, checks = 0;

bool expect(bool right, const std::string& what) {
  ++checks;
  failures += !right;
  if (!right) std::printf("FAILED %s%s%s\n", what.c_str(), error[0] ? ": " : "", error);
  error[0] = 0;
  return right;
}
// A slot that must succeed on device 0.
#define MUST(slot, ...) expect(cuda->slot(0, ##__VA_ARGS__, error, sizeof error) == 0, #slot)

constexpr int64_t kMega = int64_t(1) << 20;

void* memory(int64_t bytes, haft_raw_stream s = 0) {
  void* p = nullptr;
  MUST(alloc, bytes, s, &p);
  return p;
}
std::vector<float> read(const void* p, size_t n, haft_raw_stream s = 0) {
  std::vector<float> v(n);
  MUST(copy_to_host, v.data(), p, int64_t(n * sizeof(float)), s, HAFT_COPY_BLOCKING);
  return v;
}
void write(void* p, const std::vector<float>& v, haft_raw_stream s = 0) {
  MUST(copy_from_host, p, v.data(), int64_t(v.size() * sizeof(float)), s, 0u);
}
int64_t free_bytes() {
  haft_backend_memory m{};
  MUST(memory_info, &m);
  return m.free;
}

haft_tensor_view view(void* p, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  haft_tensor_view v{};
  v.data = p;
  v.dtype = uint8_t(DType::f32);
  v.ndim = uint8_t(sizes.size());
  v.numel = 1;
  v.contiguous = 1;
  for (size_t d = sizes.size(); d-- > 0; v.numel *= sizes[d]) {
    v.contiguous = v.contiguous && strides[d] == v.numel;
    v.sizes[d] = sizes[d];
    v.strides[d] = strides[d];
  }
  return v;
}
int32_t run(OpId op, std::vector<haft_tensor_view> in, haft_tensor_view out, haft_raw_stream s = 0) {
  std::vector<const haft_tensor_view*> ins;
  for (auto& v : in) ins.push_back(&v);
  const haft_tensor_view* outs[] = {&out};
  haft_kernel_call c{};
  c.struct_size = sizeof c;
  c.op = uint32_t(op);
  c.n_in = uint16_t(in.size());
  c.n_out = 1;
  c.dtype = int32_t(DType::f32);
  c.in = ins.data();
  c.out = outs;
  c.stream = s;
  c.error = error;
  c.error_size = sizeof error;
  haft_kernel_fn f = cuda->kernel(c.op, c.dtype, error, sizeof error);
  return f ? f(&c) : HAFT_ERROR_UNSUPPORTED;
}

void facts() {
  haft_backend_properties p{};
  p.struct_size = sizeof p;
  MUST(properties, &p);
  std::printf("%s, %s, %d multiprocessors, %lld MiB\n", p.name, p.runtime, p.multiprocessors,
              (long long)(p.total_memory / kMega));
  expect(p.compute_major >= 8 && p.multiprocessors > 0 && p.total_memory > 1000 * kMega && p.l2_cache > 0 &&
             p.shared_memory >= 48 << 10 && !std::strncmp(p.uuid, "GPU-", 4) && std::strchr(p.pci, ':'),
         "properties");
  char text[16384];
  MUST(describe, text, sizeof text);
  std::printf("%s\n", text);
}

void kernels() {
  const int64_t rows = 513, columns = 260, n = rows * columns;
  void *a = memory(n * 4), *b = memory(n * 4), *c = memory(n * 4);
  std::vector<float> va, vb;
  for (int64_t i = 0; i < n; ++i) va.push_back(float(i % 1000)), vb.push_back(float(i % 7));
  write(a, va);
  write(b, vb);
  const haft_tensor_view dense = view(c, {rows, columns}, {columns, 1});
  expect(run(OpId::mul, {view(a, {rows, columns}, {columns, 1}), view(b, {rows, columns}, {columns, 1})},
             dense) == 0,
         "mul");
  std::vector<float> got = read(c, size_t(n));
  bool right = true;
  for (int64_t i = 0; i < n; ++i) right = right && got[size_t(i)] == va[size_t(i)] * vb[size_t(i)];
  expect(right, "the values of mul");
  // Turned, broadcast, and at an address that no vector has.
  expect(run(OpId::sub, {view(a, {rows, columns}, {1, rows}), view(b, {rows, columns}, {0, 1})}, dense) == 0,
         "sub of strides");
  got = read(c, size_t(n));
  right = true;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < columns; ++k)
      right = right && got[size_t(r * columns + k)] == va[size_t(r + k * rows)] - vb[size_t(k)];
  expect(right, "the values of sub of strides");
  expect(run(OpId::exp, {view(static_cast<float*>(a) + 1, {5}, {1})},
             view(static_cast<float*>(c) + 3, {5}, {1})) == 0,
         "exp");
  expect(read(static_cast<float*>(c) + 3, 1)[0] > 2.7182f && read(static_cast<float*>(c) + 3, 1)[0] < 2.7184f,
         "the value of exp");
  expect(run(OpId::copy, {dense, view(a, {rows, columns}, {1, rows})}, dense) == 0,
         "copy of a turned matrix");
  got = read(c, size_t(n));
  right = true;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < columns; ++k)
      right = right && got[size_t(r * columns + k)] == va[size_t(r + k * rows)];
  expect(right, "the values of copy");
  for (void* p : {a, b, c}) cuda->free(0, p, n * 4, 0);
}

void streams() {
  haft_raw_stream s = 0, t = 0;
  haft_raw_event e = 0, first = 0, last = 0;
  MUST(stream_create, &s);
  MUST(stream_create, &t);
  MUST(event_create, 0u, &e);
  MUST(event_create, unsigned(HAFT_EVENT_TIMING), &first);
  MUST(event_create, unsigned(HAFT_EVENT_TIMING), &last);
  const int64_t n = 8 * kMega;
  void *p = memory(n, s), *q = memory(n, t), *pinned = nullptr;
  MUST(pinned_alloc, n, &pinned);
  std::memset(pinned, 0, size_t(n));
  static_cast<float*>(pinned)[n / 4 - 1] = 5;
  MUST(event_record, first, s);
  MUST(copy_from_host, p, pinned, n, s, unsigned(HAFT_COPY_PINNED));
  MUST(event_record, e, s);
  MUST(event_record, last, s);
  MUST(event_wait, e, t);
  expect(cuda->copy_peer(0, q, 0, p, n, t, error, sizeof error) == 0, "copy_peer");
  expect(read(static_cast<char*>(q) + n - 4, 1, t)[0] == 5, "the order of streams");
  MUST(copy_to_host, pinned, static_cast<char*>(q) + n - 4, int64_t(4), t, unsigned(HAFT_COPY_PINNED));
  MUST(stream_synchronize, t);
  expect(static_cast<float*>(pinned)[0] == 5, "a copy to pinned memory");
  int32_t done = 0;
  MUST(event_synchronize, last);
  MUST(event_query, last, &done);
  double ms = -1;
  expect(cuda->event_elapsed(0, first, last, &ms, error, sizeof error) == 0 && ms > 0 && ms < 1000 && done,
         "event_elapsed");
  std::printf("8 MiB from pinned memory: %.3f ms\n", ms);
  for (haft_raw_event x : {e, first, last}) cuda->event_destroy(0, x);
  cuda->free(0, p, n, s);
  cuda->free(0, q, n, t);
  cuda->pinned_free(0, pinned, n);
  cuda->stream_destroy(0, s);
  cuda->stream_destroy(0, t);
}

void mapped_memory() {
  const int64_t n = 512 * kMega;
  void *p = memory(n), *q = memory(64);
  MUST(synchronize);
  const int64_t with_it = free_bytes();
  write(p, {1, 2, 3});
  expect(cuda->copy_peer(0, q, 0, p, 12, 0, error, sizeof error) == 0, "copy_peer");
  MUST(decommit, p, n);
  expect(read(q, 3) == std::vector<float>({1, 2, 3}), "what was read before memory went");
  MUST(synchronize);
  expect(free_bytes() >= with_it + n - 8 * kMega, "decommitted memory is free");
  MUST(commit, p, n);
  expect(free_bytes() <= with_it + 8 * kMega, "committed memory is taken");
  write(static_cast<char*>(p) + n - 12, {4, 5, 6});
  expect(read(static_cast<char*>(p) + n - 12, 3) == std::vector<float>({4, 5, 6}),
         "memory under its old address");
  cuda->free(0, p, n, 0);
  cuda->free(0, q, 64, 0);
  MUST(synchronize);
  expect(free_bytes() >= with_it + n - 8 * kMega, "freed memory is free");
  void* too_much = nullptr;
  for (int64_t bytes : {int64_t(1) << 42, int64_t(1) << 44}) {
    expect(cuda->alloc(0, bytes, 0, &too_much, error, sizeof error) == HAFT_ERROR_OUT_OF_MEMORY &&
               std::strstr(error, "out of memory"),
           "out of memory");
  }
  int64_t freed = 0;
  MUST(trim, &freed);
}

void recordings() {
  haft_raw_stream s = 0, other = 0;
  haft_raw_event there = 0, back = 0;
  haft_raw_arena arena = 0;
  haft_raw_graph graph = 0;
  MUST(stream_create, &s);
  MUST(stream_create, &other);
  MUST(event_create, 0u, &there);
  MUST(event_create, 0u, &back);
  MUST(arena_create, &arena);
  const int64_t n = 1 << 20;
  void *in = memory(n * 4, s), *out = memory(n * 4, s), *between = nullptr, *refused = nullptr;
  MUST(synchronize);
  const auto flat = [&](void* p) { return view(p, {n}, {1}); };
  MUST(capture_begin, s);
  MUST(arena_alloc, arena, n * 4, &between);
  expect(run(OpId::exp, {flat(in)}, flat(between), s) == 0, "a recorded kernel");
  expect(cuda->alloc(0, 64, s, &refused, error, sizeof error) == HAFT_ERROR_UNSUPPORTED, "alloc is refused");
  expect(cuda->stream_synchronize(0, s, error, sizeof error) == HAFT_ERROR_UNSUPPORTED, "waiting is refused");
  MUST(event_record, there, s);
  MUST(event_wait, there, other);
  expect(run(OpId::square, {flat(between)}, flat(out), other) == 0, "a kernel of a joined stream");
  MUST(event_record, back, other);
  MUST(event_wait, back, s);
  void* late = nullptr;
  expect(cuda->alloc(0, 1024, 0, &late, error, sizeof error) == 0, "memory of a stream beside the recording");
  cuda->free(0, late, 1024, s);  // of the recorded stream: afterwards
  MUST(capture_end, s, &graph);
  for (float x : {0.f, 1.f}) {
    write(in, std::vector<float>(size_t(n), x), s);
    MUST(graph_replay, graph, s);
    const float got = read(static_cast<float*>(out) + n - 1, 1, s)[0], want = x == 0 ? 1.f : 7.389056f;
    expect(got > want - 1e-4f && got < want + 1e-4f, "what a replay computes");
  }
  cuda->graph_destroy(0, graph);
  cuda->arena_destroy(0, arena);
  cuda->free(0, in, n * 4, s);
  cuda->free(0, out, n * 4, s);
  for (haft_raw_event x : {there, back}) cuda->event_destroy(0, x);
  cuda->stream_destroy(0, s);
  cuda->stream_destroy(0, other);
}

// The host program's context is as it was, which is none at all.
void contexts() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  auto current = driver ? reinterpret_cast<int (*)(void**)>(dlsym(driver, "cuCtxGetCurrent")) : nullptr;
  void* context = &driver;
  expect(current && current(&context) == 0 && context == nullptr, "the thread has no context of its own");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto entry =
      library ? reinterpret_cast<haft_backend_entry_fn>(dlsym(library, HAFT_BACKEND_ENTRY)) : nullptr;
  if (!entry) return std::printf("%s\n", dlerror()), 1;
  static haft_backend_host host{sizeof(haft_backend_host),
                                HAFT_BACKEND_ABI,
                                "1.0.0",
                                kOpsHash,
                                kOpCount,
                                nullptr,
                                nullptr,
                                nullptr,
                                nullptr,
                                [](int32_t, const char* text) { std::printf("log: %s\n", text); }};
  cuda = entry(&host, error, sizeof error);
  if (!cuda) return std::printf("no GPU: %s\n", error), 77;
  facts();
  kernels();
  streams();
  mapped_memory();
  recordings();
  contexts();
  MUST(synchronize);
  std::printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
