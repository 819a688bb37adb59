// The slots of fused kernels: what a launch's views need, which text that is, and its launch.
#include "core/cuda/fuse.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "core/backend/pointwise_call.h"
#include "core/cuda/divider.h"
#include "core/cuda/fuse_cache.h"
#include "core/cuda/guard.h"
#include "core/cuda/nvrtc.h"
#include "core/cuda/slots.h"
#include "core/cuda/walk.h"

namespace haft::cuda {

namespace {

// A parameter of a kernel, written as fuse.cuh declares it.
class Bytes {
  std::vector<uint64_t> words_;
  size_t size_ = 0;

 public:
  template <class T>
  void add(const T& x) {
    const size_t end = size_ + sizeof(T);
    words_.resize((end + 7) / 8);
    std::memcpy(reinterpret_cast<char*>(words_.data()) + size_, &x, sizeof(T));
    size_ = end;
  }
  void* data() { return words_.data(); }
  size_t size() const { return words_.size() * 8; }
};
static_assert(sizeof(Divider) == 12 && alignof(Divider) == 4);

// How the elements of a row lie, which walks of rows leave out.
struct Row {
  int64_t n = 1, steps[kMaxOperands];
};

// Whether `pack` neighbours are dense and aligned, or one, along the innermost dimension: n elements of strides
// `inner`, within `outer` other dimensions of the walk. Joined operands are written once a row. Sizes that packs do
// not divide are finished by `rest` where outer is 0.
bool packs(const FusedProgram& p, const Walk& w, int64_t n, const int64_t* inner, int64_t pack, int outer,
           uint32_t* single) {
  *single = 0;
  if (outer && n % pack) return false;
  for (int k = 0; k < p.operands(); ++k) {
    const Operand& o = w.operands[k];
    if (k < p.n_out() && p.joins[size_t(k)]) continue;
    if (inner[k] == 0 && k >= p.n_out()) {
      *single |= 1u << k;
      continue;
    }
    const int64_t whole = std::min<int64_t>(16, o.item * pack);
    if (inner[k] != o.item || reinterpret_cast<uintptr_t>(o.data) % uint64_t(whole)) return false;
    for (int d = 0; d < outer; ++d)
      if (o.strides[d] % whole) return false;
  }
  return true;
}

// What the seam's number stands for: a program, and its kernels so far.
struct Fusion {
  const FusedProgram program;
  std::mutex mutex;
  std::map<std::array<int64_t, 4>, const void*> kernels;

  explicit Fusion(const haft_fused_program& p) : program(p) {}
  const void* kernel(const Call& c, const FusedShape& s) {
    const DeviceFacts& f = device_facts(c.device());
    std::lock_guard lock(mutex);
    const void*& k = kernels[{s.pack, s.ndim, s.single, f.major * 10 + f.minor}];
    if (!k) {
      c.use_device();
      k = fused_kernel(fused_text(program, s), program.name, c.device());
    }
    return k;
  }
};

void launch_piece(const Call& c, Fusion& fusion, const Walk& w, const Row* row, Bytes& words) {
  const FusedProgram& p = fusion.program;
  const int n = p.operands(), last = w.ndim - 1;
  FusedShape shape{.ndim = w.ndim};
  int64_t inner[kMaxOperands];
  for (int k = 0; k < n; ++k) inner[k] = row ? row->steps[k] : w.operands[k].strides[last];
  const int64_t length = row ? row->n : w.sizes[last];
  const int outer = row ? w.ndim : last;  // dimensions around it
  uint32_t single = 0;
  for (int pack = p.widest_pack(); pack > 1; pack /= 2)
    if (length >= pack && packs(p, w, length, inner, pack, outer, &single)) {
      shape.pack = pack;
      shape.single = single;
      break;
    }

  Bytes layout, steps;
  for (int k = 0; k < n; ++k) layout.add(w.operands[k].data);
  for (int k = 0; k < n; ++k)
    for (int d = last; d >= 0; --d)
      layout.add(w.operands[k].strides[d] * (!row && d == last ? shape.pack : 1));
  for (int d = last; d >= 0; --d)
    layout.add(Divider(uint32_t(w.sizes[d] / (!row && d == last ? shape.pack : 1))));
  const uint32_t count = uint32_t(row ? w.numel : w.numel / shape.pack);
  layout.add(count);
  layout.add(uint32_t(row ? 0 : w.numel % shape.pack));
  void* arguments[] = {layout.data(), words.data(), nullptr, nullptr};
  size_t sizes[] = {layout.size(), words.size(), 0, 0};
  int n_arguments = 2;

  Shape3 at = blocks_for(c, std::max(1u, count));
  if (row) {
    const int64_t items = row->n / shape.pack;
    int64_t threads = 1;
    while (threads < 32 && threads < items) threads *= 2;
    if (items > 128) threads = items > 1024 ? 512 : 128;
    steps.add(items);
    for (int k = 0; k < n; ++k) steps.add(row->steps[k] * shape.pack);
    steps.add(threads);
    arguments[n_arguments] = steps.data();
    sizes[n_arguments++] = steps.size();
    at = blocks_for(c, int64_t(count) * threads, 1, int(std::max<int64_t>(threads, 128)));
  }
  launch_kernel(
      c, {fusion.kernel(c, shape), nullptr, at.grid, at.block, arguments, 0, c.stream, sizes, n_arguments},
      p.name.c_str());
}

void launch(Fusion& fusion, const haft_kernel_call& call) {
  const FusedProgram& p = fusion.program;
  if (call.n_in != p.n_in || call.n_out != p.n_out())
    fail(Code::invalid_argument, concat(p.name, " has ", p.n_in, " inputs and ", p.n_out(), " outputs, got ",
                                        call.n_in, " and ", call.n_out));
  const Call c(call);
  Bytes words;
  for (size_t s = 0; s < p.steps.size(); ++s) {
    const haft_fused_step& step = p.steps[s];
    const OpId op = OpId(step.op);
    if (op == OpId::cast) continue;
    uint64_t params[kMaxPointwiseParams];
    const PointwiseArgs& args = kPointwiseArgs[int(op)];
    read_pointwise_params(args, op, DType(step.kernel_dtype), call.attrs + step.attrs, params);
    for (int i = 0; i < args.n_params; ++i) words.add(params[i]);
  }
  if (!p.n_words) words.add(uint64_t(0));

  // Walked as what is written lies; where rows are joined, row by row.
  std::vector<haft_tensor_view> views;
  for (int k = 0; k < p.operands(); ++k) {
    const haft_tensor_view& v = k < p.n_out() ? c.out(k) : c.in(k - p.n_out());
    if (v.dtype != int(p.operand_dtype(k)))
      fail(Code::invalid_argument, concat(p.name, ": tensor ", k, " is ", dtype_name(DType(v.dtype)),
                                          ", the kernel is for ", dtype_name(p.operand_dtype(k))));
    views.push_back(v);
  }
  Walk w;
  if (!p.rows) {
    for (const haft_tensor_view& v : views) w.add(v);
    if (w.numel == 0) return;
    w.merge();
    for (const Walk& piece : pieces(w)) launch_piece(c, fusion, piece, nullptr, words);
    return;
  }
  Row row;
  const haft_tensor_view& input = views[size_t(p.n_out())];
  const int last = input.ndim - 1;
  if (last >= 0) row.n = input.sizes[last];
  for (size_t k = 0; k < views.size(); ++k) {
    haft_tensor_view v = views[k];
    row.steps[k] = 0;
    if (last >= 0) {
      if (v.sizes[last] > 1) row.steps[k] = v.strides[last] * item_size(DType(v.dtype));
      v.sizes[last] = 1;
    }
    w.add(v);
  }
  w.numel = 1;
  for (int d = 0; d < last; ++d) w.numel *= w.sizes[d];
  if (w.numel == 0) return;
  w.merge();
  for (const Walk& piece : pieces(w)) launch_piece(c, fusion, piece, &row, words);
}

int32_t compile(int32_t index, const haft_fused_program* program, haft_raw_fused* out, char* error,
                uint32_t size) {
  return guard(error, size, [&] {
    device_facts(index);
    auto made = std::make_unique<Fusion>(*program);
    nvrtc_version();  // says what is missing
    *out = reinterpret_cast<haft_raw_fused>(made.release());
  });
}
int32_t launch_slot(haft_raw_fused fused, const haft_kernel_call* call) {
  return guard(call->error, call->error_size, [&] { launch(*reinterpret_cast<Fusion*>(fused), *call); });
}
void destroy(int32_t, haft_raw_fused fused) { delete reinterpret_cast<Fusion*>(fused); }

}  // namespace

const void* fused_kernel(const std::string& text, const std::string& name, int device) {
  const DeviceFacts& f = device_facts(device);
  const int compute = f.major * 10 + f.minor;
  // Kernels stay: recordings have them by address.
  static auto& loaded = *new std::map<std::string, const void*>;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const std::string key =
      concat("sm_", compute, " NVRTC ", nvrtc_version(), " haft ", fused_headers().hash, "\n", text);
  if (const auto found = loaded.find(key); found != loaded.end()) return found->second;

  std::string image;
  const void* kernel = nullptr;
  auto load = [&] {
    void* library = nullptr;
    if (const int failed = runtime().library_load(&library, image.data())) return failed;
    return runtime().kernel_of(&kernel, library, "haft_fused");
  };
  if (read_cache(key, &image)) {
    if (load() == kSuccess) return loaded[key] = kernel;
    runtime().last_error();  // a file that the driver does not take is written anew
  }
  image = compile_by_nvrtc(text, name, compute);
  check(load(), name.c_str());
  write_cache(key, image);
  return loaded[key] = kernel;
}

void fill_fused(haft_backend* t) {
  t->fused_compile = compile;
  t->fused_launch = launch_slot;
  t->fused_destroy = destroy;
}

}  // namespace haft::cuda
