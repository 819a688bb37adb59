// cuDNN 9's graphs: operators over tensors that become one plan, run by as many kernels as the library thinks best.
// Its backend is a C API of descriptors with numbered attributes, declared here without its headers.
//
// Calls on a graph may fail (a library that is too old, a pattern that it does not know): the graph keeps the first
// reason, ignores what comes after and has no plan. Plans can be made without a GPU, from a description of one.
#pragma once
#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/cuda/conv.h"
#include "core/cuda/runtime.h"
#include "core/tensor/dtype.h"

struct cudnnContext;

namespace haft::cuda::dnn {

using Handle = cudnnContext*;
using Raw = void*;  // a descriptor

struct Functions {
  int (*cudnnCreate)(Handle*);
  int (*cudnnSetStream)(Handle, Stream);
  const char* (*cudnnGetErrorString)(int);
  void (*cudnnGetLastErrorString)(char*, size_t);
  int (*cudnnBackendCreateDescriptor)(int type, Raw*);
  int (*cudnnBackendDestroyDescriptor)(Raw);
  int (*cudnnBackendSetAttribute)(Raw, int attribute, int type, int64_t n, const void*);
  int (*cudnnBackendGetAttribute)(Raw, int attribute, int type, int64_t room, int64_t* n, void*);
  int (*cudnnBackendFinalize)(Raw);
  int (*cudnnBackendExecute)(Handle, Raw plan, Raw variables);
};
const Functions* functions();  // NULL where the library is missing

// Values of the library's enumerations.
enum Mode : int {  // cudnnPointwiseMode_t
  kAdd = 0,
  kMultiply = 1,
  kSubtract = 9,
  kDivide = 6,
  kExp = 13,
  kLog = 15,
  kIdentity = 21,
  kReluForward = 100,
  kGreaterEqual = 303,
  kIndex = 501,
  kSelect = 601
};
enum Reduction : int { kSum = 0, kMaximum = 3 };  // cudnnReduceTensorOp_t

// How a tensor comes to a graph.
enum class Place {
  memory,
  between,
  value
};  // a pointer at each run, nowhere (within the plan), a number on the host at each run

struct Tensor {
  Raw raw = nullptr;
  int64_t id = 0;  // what a run knows it by
  int ndim = 0;
  std::array<int64_t, 8> sizes{}, strides{};
  DType type = DType::none;
};

// What one pointwise operator does beside its inputs.
struct PointwiseOptions {
  const Tensor* b = nullptr;
  const Tensor* mask = nullptr;  // of kSelect
  const Tensor* out = nullptr;   // NULL: a new tensor between
  DType type = DType::f32;       // of that
  DType compute = DType::f32;
  int64_t axis = -1;  // of kIndex
};

class Graph {
  const Functions& lib_;
  std::vector<Raw> owned_, operators_;
  int64_t ids_ = 0;
  std::string why_;
  friend class Plan;

  Raw make(int type);
  void set(Raw d, int attribute, int type, int64_t n, const void* p);
  void set(Raw d, int attribute, const Tensor& t) { set_raw(d, attribute, t.raw); }
  void set_raw(Raw d, int attribute, Raw v);
  void set_numbers(Raw d, int attribute, std::span<const int64_t> v);
  void set_type(Raw d, int attribute, DType t);
  void finish(Raw d);
  void add(Raw op);
  Tensor out_or_new(const Tensor* out, std::span<const int64_t> sizes, DType type);

 public:
  explicit Graph(const Functions& lib) : lib_(lib) {}
  ~Graph();
  Graph(const Graph&) = delete;

  bool good() const { return why_.empty(); }
  const std::string& why() const { return why_; }

  // Elements' strides; `alignment` of the address in bytes.
  Tensor tensor(std::span<const int64_t> sizes, std::span<const int64_t> strides, DType type,
                Place place = Place::memory, int64_t alignment = 16);
  Tensor packed(std::span<const int64_t> sizes, DType type, Place place = Place::memory);  // row-major
  Tensor number(int ndim, DType type = DType::f32);                                        // one, by value

  Tensor pointwise(Mode mode, const Tensor& x, const PointwiseOptions& o = {});
  Tensor reduce(Reduction op, const Tensor& x, std::span<const int64_t> sizes, const Tensor* out = nullptr);
  Tensor multiply(const Tensor& a, const Tensor& b, std::span<const int64_t> sizes,
                  const Tensor* out = nullptr);  // last two dimensions
  Tensor reshape(const Tensor& x, std::span<const int64_t> sizes, std::span<const int64_t> strides,
                 DType type);
  void convolve(ConvPass pass, const ConvShape& s, const Tensor& x, const Tensor& w, const Tensor& y,
                DType compute);
};

// Which plans will do.
struct Wanted {
  bool tf32 = true;    // factors of float32 products may be rounded
  bool exact = false;  // no Winograd, no transform
  int64_t most_workspace = int64_t(1) << 30;
  const std::string* device = nullptr;  // a description in place of the current device's
  int most_tries = 8;
};

struct Binding {
  int64_t id;
  const void* p;  // device memory, or the number on the host
};

class Plan {
  std::unique_ptr<Graph> graph_;
  Raw plan_ = nullptr, device_ = nullptr;
  int64_t workspace_ = 0;

  Plan() = default;
  bool build(Handle handle, const Wanted& wanted, std::string* why);
  bool acceptable(Raw config, const Wanted& wanted) const;

 public:
  ~Plan();
  // NULL with a reason where the library has no plan that will do. Always deterministic ones.
  static std::unique_ptr<Plan> make(std::unique_ptr<Graph> graph, Handle handle, const Wanted& wanted,
                                    std::string* why);

  int64_t workspace() const { return workspace_; }
  int configurations = 0;  // that the library proposed
  bool run(Handle handle, std::span<const Binding> bindings, void* workspace, std::string* why) const;
};

}  // namespace haft::cuda::dnn
