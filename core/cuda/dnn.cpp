#include "core/cuda/dnn.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/cuda/library.h"

namespace haft::cuda::dnn {

namespace {

// cudnnBackendDescriptorType_t
enum : int {
  kPointwise = 0,
  kConvolution = 1,
  kEngineConfig = 3,
  kHeuristics = 4,
  kExecutionPlan = 5,
  kConvolutionForward = 10,
  kConvolutionWeight = 11,
  kConvolutionInput = 12,
  kPointwiseOp = 13,
  kOperationGraph = 15,
  kVariables = 16,
  kTensor = 17,
  kMatmul = 18,
  kMatmulOp = 19,
  kReduce = 21,
  kReduceOp = 22,
  kReshapeOp = 31,
  kDeviceDescription = 38,
  kEngine = 2
};
// cudnnBackendAttributeType_t
enum : int {
  kHandleType = 0,
  kDataType = 1,
  kBool = 2,
  kInt64 = 3,
  kFloat = 4,
  kDouble = 5,
  kPointer = 6,
  kConvolutionMode = 7,
  kHeuristicMode = 8,
  kNote = 11,
  kPointwiseMode = 14,
  kDescriptor = 15,
  kReductionType = 18,
  kChar = 24
};
enum : int { kInstant = 0, kFallback = 2 };  // cudnnBackendHeurMode_t
// cudnnBackendNumericalNote_t
enum : int {
  kTensorCore = 0,
  kConvertsDown = 1,
  kRoundsSums = 2,
  kTransforms = 3,
  kNotDeterministic = 4,
  kWinograd = 5,  // and its tiles' sizes behind it
  kStrictNan = 9,
  kNotes = 10
};

int data_type(DType t) {
  switch (t) {
    case DType::f64: return 1;
    case DType::f16: return 2;
    case DType::i32: return 4;
    case DType::bf16: return 9;
    case DType::i64: return 10;
    case DType::boolean: return 11;
    default: return 0;
  }
}

std::string reason(const Functions& lib, const char* what, int status) {
  char text[512] = {};
  lib.cudnnGetLastErrorString(text, sizeof text);
  return concat(what, ": ", lib.cudnnGetErrorString(status), text[0] ? ", " : "", text);
}

}  // namespace

const Functions* functions() {
  static constexpr const char* kNames[] = {
      "cudnnCreate",
      "cudnnSetStream",
      "cudnnGetErrorString",
      "cudnnGetLastErrorString",
      "cudnnBackendCreateDescriptor",
      "cudnnBackendDestroyDescriptor",
      "cudnnBackendSetAttribute",
      "cudnnBackendGetAttribute",
      "cudnnBackendFinalize",
      "cudnnBackendExecute",
  };
  return functions_of<Functions>(Library::cudnn, kNames);
}

Graph::~Graph() {
  for (size_t i = owned_.size(); i--;) lib_.cudnnBackendDestroyDescriptor(owned_[i]);
}

Raw Graph::make(int type) {
  Raw d = nullptr;
  if (!good()) return d;
  if (const int s = lib_.cudnnBackendCreateDescriptor(type, &d)) {
    why_ = reason(lib_, "a descriptor", s);
    return nullptr;
  }
  owned_.push_back(d);
  return d;
}
void Graph::set(Raw d, int attribute, int type, int64_t n, const void* p) {
  if (!good()) return;
  if (const int s = lib_.cudnnBackendSetAttribute(d, attribute, type, n, p))
    why_ = reason(lib_, concat("attribute ", attribute).c_str(), s);
}
void Graph::set_raw(Raw d, int attribute, Raw v) { set(d, attribute, kDescriptor, 1, &v); }
void Graph::set_numbers(Raw d, int attribute, std::span<const int64_t> v) {
  set(d, attribute, kInt64, int64_t(v.size()), v.data());
}
void Graph::set_type(Raw d, int attribute, DType t) {
  const int v = data_type(t);
  set(d, attribute, kDataType, 1, &v);
}
void Graph::finish(Raw d) {
  if (!good()) return;
  if (const int s = lib_.cudnnBackendFinalize(d)) why_ = reason(lib_, "a descriptor is refused", s);
}
void Graph::add(Raw op) {
  finish(op);
  operators_.push_back(op);
}

Tensor Graph::tensor(std::span<const int64_t> sizes, std::span<const int64_t> strides, DType type,
                     Place place, int64_t alignment) {
  Tensor t;
  t.raw = make(kTensor);
  t.id = ++ids_;
  t.ndim = int(sizes.size());
  t.type = type;
  std::copy(sizes.begin(), sizes.end(), t.sizes.begin());
  std::copy(strides.begin(), strides.end(), t.strides.begin());
  set_type(t.raw, 901, type);
  set_numbers(t.raw, 902, sizes);
  set_numbers(t.raw, 903, strides);
  set_numbers(t.raw, 906, {&t.id, 1});
  set_numbers(t.raw, 900, {&alignment, 1});
  const bool yes = true;
  if (place != Place::memory) set(t.raw, place == Place::between ? 907 : 908, kBool, 1, &yes);
  finish(t.raw);
  return t;
}
Tensor Graph::packed(std::span<const int64_t> sizes, DType type, Place place) {
  std::array<int64_t, 8> strides{};
  int64_t step = 1;
  for (size_t d = sizes.size(); d--; step *= sizes[d]) strides[d] = step;
  return tensor(sizes, {strides.data(), sizes.size()}, type, place);
}
Tensor Graph::number(int ndim, DType type) {
  const std::array<int64_t, 8> ones{1, 1, 1, 1, 1, 1, 1, 1};
  return tensor({ones.data(), size_t(ndim)}, {ones.data(), size_t(ndim)}, type, Place::value);
}
Tensor Graph::out_or_new(const Tensor* out, std::span<const int64_t> sizes, DType type) {
  return out ? *out : packed(sizes, type, Place::between);
}

Tensor Graph::pointwise(Mode mode, const Tensor& x, const PointwiseOptions& o) {
  const Raw what = make(kPointwise);
  const int m = mode;
  set(what, 0, kPointwiseMode, 1, &m);
  set_type(what, 1, o.compute);
  if (o.axis >= 0) set_numbers(what, 9, {&o.axis, 1});
  finish(what);
  // What lies between keeps the order of x.
  const size_t n = size_t(x.ndim);
  const Tensor y =
      o.out ? *o.out : tensor({x.sizes.data(), n}, {x.strides.data(), n}, o.type, Place::between);
  const Raw op = make(kPointwiseOp);
  set_raw(op, 750, what);
  set(op, 751, x);
  if (o.b) set(op, 752, *o.b);
  if (o.mask) set(op, 758, *o.mask);
  set(op, 753, y);
  add(op);
  return y;
}
Tensor Graph::reduce(Reduction how, const Tensor& x, std::span<const int64_t> sizes, const Tensor* out) {
  const Raw what = make(kReduce);
  const int m = how;
  set(what, 1600, kReductionType, 1, &m);
  set_type(what, 1601, DType::f32);
  finish(what);
  const Tensor y = out_or_new(out, sizes, DType::f32);
  const Raw op = make(kReduceOp);
  set_raw(op, 1612, what);
  set(op, 1610, x);
  set(op, 1611, y);
  add(op);
  return y;
}
Tensor Graph::multiply(const Tensor& a, const Tensor& b, std::span<const int64_t> sizes, const Tensor* out) {
  const Raw what = make(kMatmul);
  set_type(what, 1500, DType::f32);
  finish(what);
  const Tensor y = out_or_new(out, sizes, DType::f32);
  const Raw op = make(kMatmulOp);
  set(op, 1520, a);
  set(op, 1521, b);
  set(op, 1522, y);
  set_raw(op, 1523, what);
  add(op);
  return y;
}
Tensor Graph::reshape(const Tensor& x, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                      DType type) {
  const Tensor y = tensor(sizes, strides, type, Place::between);
  const Raw op = make(kReshapeOp);
  set(op, 2200, x);
  set(op, 2201, y);
  add(op);
  return y;
}

void Graph::convolve(ConvPass pass, const ConvShape& s, const Tensor& x, const Tensor& w, const Tensor& y,
                     DType compute) {
  const Raw what = make(kConvolution);
  const size_t first = size_t(3 - s.dims), n = size_t(s.dims);
  const int mode = 1;  // cross-correlation
  const int64_t dims = s.dims;
  set_type(what, 100, compute);
  set(what, 101, kConvolutionMode, 1, &mode);
  set_numbers(what, 102, {s.dilation + first, n});
  set_numbers(what, 103, {s.stride + first, n});
  set_numbers(what, 104, {s.padding + first, n});
  set_numbers(what, 105, {s.padding + first, n});
  set_numbers(what, 106, {&dims, 1});
  finish(what);
  // The three operators' attributes: alpha, beta, geometry, weight, maps x, maps y.
  struct {
    int op, alpha, beta, geometry, w, x, y;
  } const of = pass == ConvPass::forward ? decltype(of){kConvolutionForward, 700, 701, 702, 703, 704, 705}
               : pass == ConvPass::input ? decltype(of){kConvolutionInput, 706, 707, 708, 709, 710, 711}
                                         : decltype(of){kConvolutionWeight, 712, 713, 714, 715, 716, 717};
  const Raw op = make(of.op);
  set_raw(op, of.geometry, what);
  set(op, of.x, x);
  set(op, of.w, w);
  set(op, of.y, y);
  // Factors are read in the type of computation, whatever type they are said to have.
  const auto factor = [&](int attribute, double v) {
    const float narrow = float(v);
    if (compute == DType::f64)
      set(op, attribute, kDouble, 1, &v);
    else
      set(op, attribute, kFloat, 1, &narrow);
  };
  factor(of.alpha, 1);
  factor(of.beta, 0);
  add(op);
}

std::unique_ptr<Plan> Plan::make(std::unique_ptr<Graph> graph, Handle handle, const Wanted& wanted,
                                 std::string* why) {
  std::unique_ptr<Plan> p(new Plan);
  p->graph_ = std::move(graph);
  if (p->build(handle, wanted, why)) return p;
  return nullptr;
}

Plan::~Plan() {
  if (plan_) graph_->lib_.cudnnBackendDestroyDescriptor(plan_);
}

// Numerical notes of an engine tell what it does to numbers.
bool Plan::acceptable(Raw config, const Wanted& wanted) const {
  const Functions& lib = graph_->lib_;
  Raw engine = nullptr;
  int64_t n = 0;
  int notes[kNotes] = {};
  bool known = lib.cudnnBackendCreateDescriptor(kEngine, &engine) == 0 &&
               lib.cudnnBackendGetAttribute(config, 300, kDescriptor, 1, &n, &engine) == 0 &&
               lib.cudnnBackendGetAttribute(engine, 1303, kNote, kNotes, &n, notes) == 0;
  if (engine) lib.cudnnBackendDestroyDescriptor(engine);
  if (!known) return false;
  for (int64_t i = 0; i < n; ++i) {
    if (notes[i] == kNotDeterministic || notes[i] == kRoundsSums || notes[i] == kConvertsDown) return false;
    if (!wanted.tf32 && notes[i] == kTensorCore) return false;
    if (wanted.exact && notes[i] >= kTransforms && notes[i] < kStrictNan) return false;
  }
  return true;
}

bool Plan::build(Handle handle, const Wanted& wanted, std::string* why) {
  Graph& g = *graph_;
  const Functions& lib = g.lib_;
  const Raw whole = g.make(kOperationGraph);
  g.set(whole, 801, kDescriptor, int64_t(g.operators_.size()), g.operators_.data());
  if (handle) g.set(whole, 800, kHandleType, 1, &handle);
  g.finish(whole);
  if (wanted.device) {
    device_ = g.make(kDeviceDescription);
    g.set(device_, 2702, kChar, int64_t(wanted.device->size()) + 1, wanted.device->c_str());
    g.finish(device_);
  }
  if (!g.good()) return *why = g.why(), false;

  std::string last = "the library proposes nothing that will do";
  int tries = 0;
  for (const int mode : {kInstant, kFallback}) {
    const Raw ask = g.make(kHeuristics);
    g.set_raw(ask, 201, whole);
    g.set(ask, 200, kHeuristicMode, 1, &mode);
    if (device_) g.set_raw(ask, 204, device_);
    g.finish(ask);
    int64_t n = 0;
    if (!g.good() || lib.cudnnBackendGetAttribute(ask, 202, kDescriptor, 0, &n, nullptr)) {
      if (!g.good()) last = g.why(), g.why_.clear();
      continue;
    }
    std::vector<Raw> configs;
    for (int64_t i = 0; i < n; ++i) configs.push_back(g.make(kEngineConfig));
    if (!g.good() || lib.cudnnBackendGetAttribute(ask, 202, kDescriptor, n, &n, configs.data())) continue;
    configurations += int(n);
    for (int64_t i = 0; i < n && tries < wanted.most_tries; ++i) {
      if (!acceptable(configs[size_t(i)], wanted)) continue;
      ++tries;
      Raw plan = nullptr;
      int s = lib.cudnnBackendCreateDescriptor(kExecutionPlan, &plan);
      if (!s) s = lib.cudnnBackendSetAttribute(plan, 401, kDescriptor, 1, &configs[size_t(i)]);
      if (!s && handle) s = lib.cudnnBackendSetAttribute(plan, 400, kHandleType, 1, &handle);
      if (!s && device_) s = lib.cudnnBackendSetAttribute(plan, 407, kDescriptor, 1, &device_);
      if (!s) s = lib.cudnnBackendFinalize(plan);
      if (s) last = reason(lib, "a plan", s);
      int64_t got = 0;
      if (!s && lib.cudnnBackendGetAttribute(plan, 402, kInt64, 1, &got, &workspace_) == 0 &&
          workspace_ <= wanted.most_workspace) {
        plan_ = plan;
        return true;
      }
      if (plan) lib.cudnnBackendDestroyDescriptor(plan);
    }
  }
  *why = last;
  return false;
}

bool Plan::run(Handle handle, std::span<const Binding> bindings, void* workspace, std::string* why) const {
  const Functions& lib = graph_->lib_;
  std::array<int64_t, 32> ids;
  std::array<const void*, 32> pointers;
  const int64_t n = int64_t(bindings.size());
  for (size_t i = 0; i < bindings.size(); ++i) ids[i] = bindings[i].id, pointers[i] = bindings[i].p;
  Raw variables = nullptr;
  int s = lib.cudnnBackendCreateDescriptor(kVariables, &variables);
  if (!s) s = lib.cudnnBackendSetAttribute(variables, 1001, kPointer, n, pointers.data());
  if (!s) s = lib.cudnnBackendSetAttribute(variables, 1000, kInt64, n, ids.data());
  if (!s) s = lib.cudnnBackendSetAttribute(variables, 1003, kPointer, 1, &workspace);
  if (!s) s = lib.cudnnBackendFinalize(variables);
  if (!s) s = lib.cudnnBackendExecute(handle, plan_, variables);
  if (s) *why = reason(lib, "a run", s);
  if (variables) lib.cudnnBackendDestroyDescriptor(variables);
  return s == 0;
}

}  // namespace haft::cuda::dnn
