// Fused kernels: an interpreter that runs the steps with the CPU's kernels, one after the other, over memory
// of its own for what lies between.
#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "sim.h"

namespace sim {

namespace {

constexpr int kItemSize[] = {0, 1, 1, 1, 2, 4, 8, 2, 2, 4, 8};

struct Program {
  std::vector<haft_fused_step> steps;
  std::vector<uint8_t> dtypes;  // of all values
  std::vector<uint16_t> out;
  uint32_t n_in;
  std::string name;
};
using ProgramRef = std::shared_ptr<const Program>;

std::mutex programs_mutex;
std::map<haft_raw_fused, ProgramRef>& programs() {
  static auto& all = *new std::map<haft_raw_fused, ProgramRef>;
  return all;
}

haft_tensor_view dense_like(const haft_tensor_view& shape, uint8_t dtype, void* data) {
  haft_tensor_view v = shape;
  v.data = data;
  v.dtype = dtype;
  v.contiguous = 1;
  int64_t stride = 1;
  for (int d = v.ndim - 1; d >= 0; --d) {
    v.strides[d] = stride;
    stride *= v.sizes[d];
  }
  return v;
}

void copy_out(const haft_tensor_view& to, const char* from) {
  const int item = kItemSize[to.dtype];
  for (int64_t i = 0; i < to.numel; ++i) {
    int64_t at = 0, rest = i;
    for (int d = to.ndim - 1; d >= 0; --d) {
      at += rest % to.sizes[d] * to.strides[d];
      rest /= to.sizes[d];
    }
    std::memcpy(static_cast<char*>(to.data) + at * item, from + i * item, size_t(item));
  }
}

struct FusedLaunch {
  ProgramRef program;
  int device;
  std::vector<haft_tensor_view> in, out, values;
  // Of the steps' results; made at the launch, since nobody hears of what fails later.
  std::vector<std::vector<char>> memory;
  std::vector<uint64_t> words;
  std::vector<BlockRef> blocks;

  void run() const {
    const haft_tensor_view* next = values.data() + in.size();
    for (const haft_fused_step& step : program->steps) {
      const haft_tensor_view& result = *next++;
      const haft_tensor_view* inputs[6];
      for (int i = 0; i < step.n_in; ++i) inputs[i] = &values[step.in[i]];
      const haft_tensor_view* output = &result;
      char error[512] = "";
      haft_kernel_call c = {};
      c.struct_size = sizeof c;
      c.op = step.op;
      c.n_in = step.n_in;
      c.n_out = 1;
      c.dtype = step.kernel_dtype;
      c.in = inputs;
      c.out = &output;
      c.attrs = words.data() + step.attrs;
      c.n_attrs = step.n_attrs;
      c.error = error;
      c.error_size = sizeof error;
      if (int32_t status = host->cpu_kernel(step.op, step.kernel_dtype)(&c))
        return fail_device(device, status, program->name + ": " + error);
    }
    for (size_t i = 0; i < out.size(); ++i)
      copy_out(out[i], static_cast<const char*>(values[program->out[i]].data));
  }
};

}  // namespace

haft_raw_fused compile_fused(int, const haft_fused_program& p) {
  auto refuse = [&](const std::string& why) { throw Failure{kUnsupported, why}; };
  Program program{{p.steps, p.steps + p.n_steps},
                  {p.in_dtypes, p.in_dtypes + p.n_in},
                  {p.out, p.out + p.n_out},
                  p.n_in,
                  p.name};
  if (!p.n_out) refuse("a program without outputs");
  for (uint32_t k = 0; k < p.n_out; ++k)
    if (p.joins && p.joins[k] != HAFT_FUSED_STORE) refuse("it joins no rows");
  for (uint16_t value : program.out)
    if (value < p.n_in || value >= p.n_in + p.n_steps) refuse("an output that is no step's result");
  for (const haft_fused_step& step : program.steps) {
    const char* name = host->op_name(step.op);
    std::string reason;
    if (!name) refuse("there is no operator " + std::to_string(step.op));
    if (step.n_in > 6) refuse(std::string(name) + " has too many inputs");
    for (int i = 0; i < step.n_in; ++i)
      if (step.in[i] >= program.dtypes.size())
        refuse(std::string(name) + " reads a value that is not there yet");
    if (!find_kernel(step.op, step.kernel_dtype, &reason))
      refuse("it cannot fuse " + std::string(name) + ": " + reason);
    program.dtypes.push_back(step.dtype);
  }
  static haft_raw_fused next = 1;
  std::lock_guard lock(programs_mutex);
  programs()[next] = std::make_shared<const Program>(std::move(program));
  return next++;
}

void launch_fused(haft_raw_fused fused, const haft_kernel_call& call) {
  auto l = std::make_shared<FusedLaunch>();
  {
    std::lock_guard lock(programs_mutex);
    auto it = programs().find(fused);
    if (it == programs().end())
      throw Failure{kInvalidArgument, "sim has no fused kernel " + std::to_string(fused)};
    l->program = it->second;
  }
  if (call.n_in != l->program->n_in || call.n_out != l->program->out.size())
    throw Failure{kInvalidArgument,
                  l->program->name + " is launched with other numbers of inputs and outputs"};
  l->device = call.device_index;
  l->words.assign(call.attrs, call.attrs + call.n_attrs);
  auto add = [&](const haft_tensor_view& given, std::vector<haft_tensor_view>& list, const char* what) {
    haft_tensor_view v = given;
    int64_t last = kItemSize[v.dtype];
    for (int d = 0; d < v.ndim; ++d) last += (v.sizes[d] - 1) * v.strides[d] * kItemSize[v.dtype];
    if (v.numel) {
      Range r = translate(l->device, v.data, 0, last, l->program->name + ": " + what);
      v.data = r.real;
      l->blocks.push_back(std::move(r.block));
    }
    v.device_type = 1;
    v.device_index = 0;
    list.push_back(v);
  };
  for (int i = 0; i < call.n_in; ++i) add(*call.in[i], l->in, "an input");
  for (int i = 0; i < call.n_out; ++i) add(*call.out[i], l->out, "an output");
  l->values = l->in;
  for (const haft_fused_step& step : l->program->steps) {
    l->memory.emplace_back(size_t(l->out[0].numel * kItemSize[step.dtype]));
    l->values.push_back(dense_like(l->out[0], step.dtype, l->memory.back().data()));
  }
  if (l->out[0].numel)
    enqueue(l->device, call.stream,
            noted(l->device, call.stream, HAFT_PROFILED_KERNEL, "sim_fused", 0, [l] { l->run(); }));
}

void destroy_fused(haft_raw_fused fused) {
  std::lock_guard lock(programs_mutex);
  programs().erase(fused);
}

}  // namespace sim
