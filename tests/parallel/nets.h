// Small models and their data for the tests of data parallel: a chain of layers over a list of named parameters.
#pragma once
#include "core/autograd/engine.h"
#include "core/autograd/hooks.h"
#include "core/optim/optimizer.h"
#include "core/parallel/data_parallel.h"
#include "tests/dist/ranks.h"

namespace haft::parallel::testing {

using namespace haft::dist::testing;
using dist::Group;
using nn::NamedTensor;

inline Tensor normal(std::vector<int64_t> sizes, int64_t seed, double scale = 1, DType t = DType::f32) {
  NoGradGuard off;
  return ops::cast(ops::philox_normal(sizes, 0, scale, seed, 0, DType::f32, Device{}), t);
}

struct Net {
  std::vector<NamedTensor> parameters;

  // `layers` of width x width with a bias; another seed on each rank, for rank 0's is to count.
  Net(int layers, int64_t width, int64_t seed, DType t = DType::f32, Device d = {}) {
    for (int i = 0; i < layers; ++i) {
      add(concat(i, ".weight"), ops::to(normal({width, width}, seed * 100 + i, 0.4, t), DType::none, d));
      add(concat(i, ".bias"), ops::to(normal({width}, seed * 100 + 50 + i, 0.1, t), DType::none, d));
    }
  }
  void add(std::string name, Tensor t) {
    set_requires_grad(t, true);
    parameters.push_back({std::move(name), std::move(t)});
  }
  Tensor& operator[](size_t i) { return parameters[i].tensor; }
  std::vector<Tensor> tensors() const {
    std::vector<Tensor> out;
    for (const NamedTensor& n : parameters) out.push_back(n.tensor);
    return out;
  }
  Tensor layer(size_t i, const Tensor& x) {
    return ops::tanh(ops::add(ops::matmul(x, ops::cast(parameters[2 * i].tensor, x.dtype())),
                              ops::cast(parameters[2 * i + 1].tensor, x.dtype())));
  }
  Tensor forward(Tensor x) {
    for (size_t i = 0; 2 * i < parameters.size(); ++i) x = layer(i, x);
    return x;
  }
  void clear() {
    for (NamedTensor& n : parameters) set_gradient(n.tensor, {});
  }
};

inline void back(const Tensor& loss) { backward(std::span(&loss, 1), {}); }

// Rows of step's batch that a rank has; all: rank -1.
inline Tensor batch(int step, int64_t rows, int64_t width, int rank = -1, int ranks = 1) {
  Tensor all = normal({rows, width}, 7000 + step);
  if (rank < 0) return all;
  return ops::narrow(all, 0, rank * (rows / ranks), rows / ranks);
}
inline Tensor loss_of(Net& net, const Tensor& x) {
  return ops::mean(ops::square(ops::sub(net.forward(x), ops::tanh(x))));
}

inline Ref<DataParallel> parallel_over(Net& net, Group& g, DataParallelOptions o = {},
                                       std::vector<NamedTensor> buffers = {}) {
  return DataParallel::create(net.parameters, std::move(buffers), Ref<Group>::share(&g), o, {});
}
// Several small buckets.
inline DataParallelOptions small_buckets(int64_t bytes = 2000) {
  DataParallelOptions o;
  o.first_bucket_bytes = o.bucket_bytes = bytes;
  return o;
}
struct Closing {
  Ref<DataParallel> d;
  ~Closing() { d->close(); }
  DataParallel* operator->() const { return d.get(); }
};

inline void want(bool ok, std::string_view what) {
  if (!ok) fail(Code::internal, what);
}
// Bits of all ranks are rank 0's.
inline void want_same_bits(Group& g, std::span<const Tensor> ts) {
  for (const Tensor& t : ts) {
    Tensor zero = ops::clone(t);
    g.run(broadcast_job(zero, 0));
    want(same_bits(zero, t), "ranks differ");
  }
}
inline double largest_difference(std::span<const Tensor> a, std::span<const Tensor> b) {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (int64_t k = 0; k < a[i].numel(); ++k) most = std::max(most, std::abs(at(a[i], k) - at(b[i], k)));
  return most;
}
inline std::vector<Tensor> gradients(const Net& net) {
  std::vector<Tensor> out;
  for (const NamedTensor& n : net.parameters) out.push_back(gradient_of(n.tensor));
  return out;
}
// The text of what f fails with; empty: it did not.
inline std::string failure_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return concat(int(e.code), ": ", e.message);
  }
  return {};
}

}  // namespace haft::parallel::testing
