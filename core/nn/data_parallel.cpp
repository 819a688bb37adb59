#include "core/nn/data_parallel.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "core/backend/device.h"
#include "core/base/sync.h"
#include "core/base/thread_state.h"
#include "core/dispatch/generator.h"
#include "core/nn/stand_ins.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

// How the caller's operators run, and whether they are to stop: what the threads of other parts take over.
struct Manner {
  uint32_t modes, call_flags;
  bool grad, inference;
  int32_t dtype;
  AutocastState autocast;
  void* stop;

  explicit Manner(const ThreadState& ts)
      : modes(ts.modes & (kModeAutocast | kModeAnomaly | kModeStop)),
        call_flags(ts.call_flags),
        grad(ts.grad_enabled),
        inference(ts.inference),
        dtype(ts.default_dtype),
        autocast(ts.autocast),
        stop(ts.slots[kSlotStop]) {}
};

// A part of the batch, on its device.
struct Part {
  Module& module;
  const Manner& manner;
  Device device;
  Ref<Generator> generator;  // none: the caller's
  std::vector<Tensor> inputs, outputs = {};
  StandIns copies = {};
  std::exception_ptr failure = {};
  Thread thread = {};
  bool has_thread = false;

  void run() noexcept {
    ThreadState& ts = thread_state();
    ScopedValue<int32_t> here(ts.default_device, device.pack());
    RandomSource& source = random_source();
    ScopedValue<Generator*> draws(source.generator, generator ? generator.get() : source.generator);
    try {
      StandIns::Use use(copies);
      outputs = module.call_many(inputs);
    } catch (...) {
      failure = std::current_exception();
    }
  }

  static void* body(void* part) {
    enter_thread("haft-part");
    Part& p = *static_cast<Part*>(part);
    ThreadState& ts = thread_state();
    ts.modes = p.manner.modes;
    ts.call_flags = p.manner.call_flags;
    ts.grad_enabled = p.manner.grad;
    ts.inference = p.manner.inference;
    ts.default_dtype = p.manner.dtype;
    ts.autocast = p.manner.autocast;
    ts.slots[kSlotStop] = p.manner.stop;  // lent
    p.run();
    ts.slots[kSlotStop] = nullptr;
    return nullptr;
  }
};

// Names the device in what a part has failed with.
[[noreturn]] void rethrow(const Part& p, int64_t number) {
  try {
    std::rethrow_exception(p.failure);
  } catch (Error& e) {
    e.message = concat("DataParallel: part ", number, " on ", p.device, ": ", e.message);
    throw;
  }
}

// Results of parts behind each other on the first device; what has no dimensions becomes a vector of the parts'.
std::vector<Tensor> gather(std::span<Part> parts, int64_t dim) {
  for (const Part& p : parts)
    if (p.outputs.size() != parts[0].outputs.size())
      fail(Code::shape,
           concat("DataParallel: the module answered ", int64_t(parts[0].outputs.size()), " tensors on ",
                  parts[0].device, " and ", int64_t(p.outputs.size()), " on ", p.device));
  std::vector<Tensor> all;
  for (size_t i = 0; i < parts[0].outputs.size(); ++i) {
    std::vector<Tensor> row;
    for (const Part& p : parts) {
      const Tensor& y = p.outputs[i];
      if (!y)
        fail(Code::invalid_argument,
             concat("DataParallel: the module left result ", int64_t(i), " empty on ", p.device));
      row.push_back(ops::to(y, DType::none, parts[0].device));
    }
    all.push_back(row[0].ndim() ? ops::cat(row, dim) : ops::stack(row));
  }
  return all;
}

}  // namespace

DataParallel::DataParallel(Ref<Module> module, std::vector<Device> devices, int64_t dim)
    : Module("DataParallel"), devices_(std::move(devices)), dim_(dim) {
  if (devices_.empty())
    fail(Code::invalid_argument, "DataParallel: takes at least one device", {}, "devices");
  for (size_t i = 0; i < devices_.size(); ++i)
    if (std::find(devices_.begin(), devices_.begin() + int64_t(i), devices_[i]) !=
        devices_.begin() + int64_t(i))
      fail(Code::invalid_argument, concat("DataParallel: ", devices_[i], " is named twice"), {}, "devices");
  add_child("module", std::move(module));
}

std::string DataParallel::extra() const {
  std::string s;
  for (Device d : devices_) s += concat(s.empty() ? "devices=" : ", ", d);
  return s;
}

void DataParallel::check_home(const std::vector<Tensor>& tensors, const char* what) const {
  for (const Tensor& t : tensors)
    if (t.device() != devices_[0])
      fail(Code::device,
           concat("DataParallel: the module has a ", what, " on ", t.device(), ", its first device is ",
                  devices_[0]),
           "move the module to the first of the devices");
}

std::vector<std::vector<Tensor>> DataParallel::scatter(std::span<const Tensor> xs) const {
  const Tensor* first = nullptr;
  for (const Tensor& x : xs) {
    if (!x || !x.ndim()) continue;  // all parts get it
    if (!first) first = &x;
    if (x.size(wrap_dim(dim_, x.ndim(), "DataParallel")) !=
        first->size(wrap_dim(dim_, first->ndim(), "DataParallel")))
      fail(Code::shape,
           concat("DataParallel: inputs of shapes ", first->sizes(), " and ", x.sizes(),
                  " have no common batch in dimension ", dim_),
           {}, "inputs");
  }
  if (!first) fail(Code::shape, "DataParallel: no input has a dimension to split", {}, "inputs");
  const int64_t rows = first->size(wrap_dim(dim_, first->ndim(), "DataParallel")),
                n = int64_t(devices_.size());
  const int64_t each = std::max<int64_t>(1, (rows + n - 1) / n);
  std::vector<std::vector<Tensor>> parts;
  for (int64_t begin = 0; begin == 0 || begin < rows; begin += each) {
    parts.emplace_back();
    const Device device = devices_[parts.size() - 1];
    for (const Tensor& x : xs) {
      const bool whole = !x || !x.ndim();
      const Tensor part = whole ? x
                                : ops::narrow(x, wrap_dim(dim_, x.ndim(), "DataParallel"), begin,
                                              std::min(each, rows - begin));
      parts.back().push_back(part ? ops::to(part, DType::none, device) : part);
    }
  }
  return parts;
}

std::vector<Tensor> DataParallel::forward_many(std::span<const Tensor> xs) {
  Module& module = *children()[0].module;
  const std::vector<Tensor> parameters = module.parameters();
  std::vector<Tensor> buffers;
  for (NamedTensor& b : module.named_buffers()) buffers.push_back(std::move(b.tensor));
  check_home(parameters, "parameter");
  check_home(buffers, "buffer");

  const Manner manner(thread_state());
  std::vector<Part> parts;
  for (std::vector<Tensor>& inputs : scatter(xs))
    parts.push_back({module, manner, devices_[parts.size()], {}, std::move(inputs)});
  for (size_t k = 1; k < parts.size(); ++k) {
    Part& p = parts[k];
    p.generator = make_ref<Generator>(next_seed());  // parts draw at once: each has numbers of its own
    for (const Tensor& t : parameters) p.copies.add(t, ops::to(t, DType::none, p.device));
    NoGradGuard off;
    for (const Tensor& t : buffers) p.copies.add(t, ops::to(t, DType::none, p.device));
  }
  for (size_t k = 1; k < parts.size(); ++k)
    parts[k].has_thread = start_thread(parts[k].thread, &Part::body, &parts[k]) == 0;
  for (Part& p : parts)
    if (!p.has_thread) p.run();
  for (Part& p : parts)
    if (p.has_thread) join_thread(p.thread);
  for (size_t k = 0; k < parts.size(); ++k)
    if (parts[k].failure) rethrow(parts[k], int64_t(k));
  return gather(parts, dim_);
}

}  // namespace haft::nn
