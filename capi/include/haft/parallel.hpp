// What models over several ranks are made of, in C++17 over haft/parallel.h and haft/tensor_parallel.h. haft/haft.hpp
// includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_PARALLEL_HPP
#define HAFT_PARALLEL_HPP
#include <haft/nn.hpp>
#include <haft/process_group.hpp>

namespace haft {
namespace parallel {

namespace detail {

template <class F>
Tensor made(F&& f) {
  haft_tensor* t = nullptr;
  check(f(&t));
  return Tensor(t);
}
inline const std::int64_t* rows(const std::vector<std::int64_t>& v) { return v.empty() ? nullptr : v.data(); }
inline std::int64_t count(const std::vector<std::int64_t>& v) { return static_cast<std::int64_t>(v.size()); }
template <class F>
nn::Module module_of(F&& f) {
  haft_module* m = nullptr;
  check(f(&m));
  return nn::Module(m);
}

}  // namespace detail

/// The tensors of all ranks joined, for all; the gradient is that of all ranks joined in the same way.
inline Tensor all_reduce(const ProcessGroup& g, const Tensor& x, ReduceOp op = ReduceOp::SUM) {
  return detail::made(
      [&](haft_tensor** t) { return haft_parallel_all_reduce(g.get(), x.get(), static_cast<std::int32_t>(op), t); });
}
/// The root's tensor for all; the gradient is the sum over ranks at the root.
inline Tensor broadcast(const ProcessGroup& g, const Tensor& x, int root) {
  return detail::made([&](haft_tensor** t) { return haft_parallel_broadcast(g.get(), x.get(), root, t); });
}
/// The tensors of all ranks joined at the root, 0 elsewhere.
inline Tensor reduce(const ProcessGroup& g, const Tensor& x, int root, ReduceOp op = ReduceOp::SUM) {
  return detail::made(
      [&](haft_tensor** t) { return haft_parallel_reduce(g.get(), x.get(), root, static_cast<std::int32_t>(op), t); });
}
/// All ranks' tensors behind each other along dim. rows: each rank's size there; empty: the same.
inline Tensor all_gather(const ProcessGroup& g, const Tensor& x, std::int64_t dim = 0,
                         const std::vector<std::int64_t>& rows = {}) {
  return detail::made([&](haft_tensor** t) {
    return haft_parallel_all_gather(g.get(), x.get(), dim, detail::rows(rows), detail::count(rows), t);
  });
}
/// This rank's part, along dim, of the joined tensors.
inline Tensor reduce_scatter(const ProcessGroup& g, const Tensor& x, std::int64_t dim = 0, ReduceOp op = ReduceOp::SUM,
                             const std::vector<std::int64_t>& rows = {}) {
  return detail::made([&](haft_tensor** t) {
    return haft_parallel_reduce_scatter(g.get(), x.get(), dim, static_cast<std::int32_t>(op), detail::rows(rows),
                                        detail::count(rows), t);
  });
}
/// Rows of dimension 0 for each rank and from each; empty: equal parts.
inline Tensor all_to_all_single(const ProcessGroup& g, const Tensor& x,
                                const std::vector<std::int64_t>& output_rows = {},
                                const std::vector<std::int64_t>& input_rows = {}) {
  const std::int64_t n = output_rows.empty() ? detail::count(input_rows) : detail::count(output_rows);
  return detail::made([&](haft_tensor** t) {
    return haft_parallel_all_to_all_single(g.get(), x.get(), detail::rows(output_rows), detail::rows(input_rows), n, t);
  });
}
/// x itself, before ranks do different things with it; the gradient is the sum over ranks.
inline Tensor copy_to(const ProcessGroup& g, const Tensor& x) {
  return detail::made([&](haft_tensor** t) { return haft_parallel_copy_to(g.get(), x.get(), t); });
}
/// The sum over ranks, with which all go on alike; the gradient is as it is.
inline Tensor reduce_from(const ProcessGroup& g, const Tensor& x) {
  return detail::made([&](haft_tensor** t) { return haft_parallel_reduce_from(g.get(), x.get(), t); });
}
/// This rank's part of what all have; the gradient is all ranks' parts.
inline Tensor split_to(const ProcessGroup& g, const Tensor& x, std::int64_t dim = -1) {
  return detail::made([&](haft_tensor** t) { return haft_parallel_split_to(g.get(), x.get(), dim, t); });
}
/// All ranks' parts, with which all go on alike; the gradient is this rank's part.
inline Tensor gather_from(const ProcessGroup& g, const Tensor& x, std::int64_t dim = -1,
                          const std::vector<std::int64_t>& rows = {}) {
  return detail::made([&](haft_tensor** t) {
    return haft_parallel_gather_from(g.get(), x.get(), dim, detail::rows(rows), detail::count(rows), t);
  });
}
/// x (N, C, *) by the statistics of all ranks' batches; the last four may be empty tensors.
inline Tensor sync_batch_norm(const ProcessGroup& g, const Tensor& x, const Tensor& weight, const Tensor& bias,
                              const Tensor& running_mean, const Tensor& running_var, double momentum = 0.1,
                              double eps = 1e-5) {
  return detail::made([&](haft_tensor** t) {
    return haft_parallel_sync_batch_norm(g.get(), x.get(), weight.get(), bias.get(), running_mean.get(),
                                         running_var.get(), momentum, eps, t);
  });
}
/// Every BatchNorm of the tree becomes one over all ranks, with the same tensors. Answers the root, or what it has
/// become.
inline nn::Module convert_sync_batchnorm(const nn::Module& m, const ProcessGroup& g) {
  return detail::module_of(
      [&](haft_module** out) { return haft_module_convert_sync_batchnorm(m.get(), g.get(), out); });
}
/// Joins the gradients of parameters over ranks, in place, between backward and step.
inline void join_gradients(const ProcessGroup& g, const std::vector<Tensor>& parameters, ReduceOp op = ReduceOp::AVG) {
  std::vector<haft_tensor*> handles;
  for (const Tensor& t : parameters) handles.push_back(t.get());
  check(haft_parallel_join_gradients(g.get(), handles.data(), static_cast<std::int64_t>(handles.size()),
                                     static_cast<std::int32_t>(op)));
}
/// Makes gradients of a model that ranks have together as small as max_norm. copies: how many ranks have the same
/// gradient of a parameter; empty: each is this rank's alone. Answers the norm before.
inline double clip_grad_norm(const ProcessGroup& g, const std::vector<Tensor>& parameters,
                             const std::vector<std::int64_t>& copies, double max_norm, double norm_type = 2) {
  if (!copies.empty() && copies.size() != parameters.size())
    check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT,
                         "clip_grad_norm: takes a number of copies for each parameter, or none", 0));
  std::vector<haft_tensor*> handles;
  for (const Tensor& t : parameters) handles.push_back(t.get());
  double norm = 0;
  check(haft_parallel_clip_grad_norm(g.get(), handles.data(), detail::rows(copies),
                                     static_cast<std::int64_t>(handles.size()), max_norm, norm_type, &norm));
  return norm;
}
/// Sums over all ranks, of which metrics are made.
inline std::vector<double> sum_values(const ProcessGroup& g, const std::vector<double>& values) {
  std::vector<double> sums = values;
  check(haft_parallel_sum_values(g.get(), sums.data(), static_cast<std::int64_t>(sums.size())));
  return sums;
}
/// Of all ranks' processes one logs everything, the others errors only; -1: all, again.
inline void log_rank(const ProcessGroup& g, int rank = 0) { check(haft_parallel_log_rank(g.get(), rank)); }

/// What haft_tensor_parallel_options holds, with its defaults; set fields by name.
struct TensorParallelOptions : haft_tensor_parallel_options {
  TensorParallelOptions() : haft_tensor_parallel_options(HAFT_TENSOR_PARALLEL_OPTIONS_INIT) {}
};
/// A linear layer of whose outputs each rank computes a part; made of a dense one, of which rank 0's values count.
inline nn::Module column_parallel_linear(const ProcessGroup& g, const nn::Module& dense,
                                         const TensorParallelOptions& options = TensorParallelOptions()) {
  return detail::module_of(
      [&](haft_module** m) { return haft_column_parallel_linear_create(g.get(), dense.get(), &options, m); });
}
/// A linear layer of whose inputs each rank has a part.
inline nn::Module row_parallel_linear(const ProcessGroup& g, const nn::Module& dense,
                                      const TensorParallelOptions& options = TensorParallelOptions()) {
  return detail::module_of(
      [&](haft_module** m) { return haft_row_parallel_linear_create(g.get(), dense.get(), &options, m); });
}
/// An embedding of whose rows each rank has a part.
inline nn::Module vocab_parallel_embedding(const ProcessGroup& g, const nn::Module& dense,
                                           const TensorParallelOptions& options = TensorParallelOptions()) {
  return detail::module_of(
      [&](haft_module** m) { return haft_vocab_parallel_embedding_create(g.get(), dense.get(), &options, m); });
}
/// Adds up the gradients of the module's parameters over ranks as they come.
inline void sum_gradients(const nn::Module& m, const ProcessGroup& g) {
  check(haft_module_sum_gradients(m.get(), g.get()));
}
/// Cross entropy over classes of which each rank has a part. reduction: HAFT_REDUCTION_*.
inline Tensor cross_entropy(const ProcessGroup& g, const Tensor& x, const Tensor& target, std::int64_t classes,
                            std::int32_t reduction = HAFT_REDUCTION_MEAN, std::int64_t ignore_index = -100,
                            double label_smoothing = 0) {
  haft_cross_entropy_loss_options o = HAFT_CROSS_ENTROPY_LOSS_OPTIONS_INIT;
  o.reduction = reduction;
  o.ignore_index = ignore_index;
  o.label_smoothing = label_smoothing;
  return detail::made(
      [&](haft_tensor** t) { return haft_parallel_cross_entropy(g.get(), x.get(), target.get(), classes, &o, t); });
}

}  // namespace parallel

/// Ranks seen as an array, with a group of those along each dimension.
class DeviceMesh : public detail::Handle<haft_device_mesh, haft_device_mesh_retain, haft_device_mesh_release> {
 public:
  using Handle::Handle;
  /// Every rank of the group calls it; shape multiplies to its size. names: empty, or one a dimension.
  DeviceMesh(const ProcessGroup& g, const std::vector<std::int64_t>& shape,
             const std::vector<std::string>& names = {}) {
    std::vector<const char*> texts;
    for (const std::string& s : names) texts.push_back(s.c_str());
    if (!texts.empty() && texts.size() != shape.size())
      check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "device mesh: takes a name for each dimension, or none", 0));
    haft_device_mesh* m = nullptr;
    check(haft_device_mesh_create(g.get(), shape.data(), texts.empty() ? nullptr : texts.data(),
                                  static_cast<std::int64_t>(shape.size()), &m));
    *this = DeviceMesh(m);
  }
  std::int64_t ndim() const {
    std::int64_t n = 0;
    check(haft_device_mesh_get_dim_count(get(), &n));
    return n;
  }
  std::int64_t size(std::int64_t dim) const {
    std::int64_t n = 0;
    check(haft_device_mesh_get_dim(get(), dim, &n, nullptr));
    return n;
  }
  /// Where this rank stands along a dimension.
  std::int64_t coordinate(std::int64_t dim) const {
    std::int64_t n = 0;
    check(haft_device_mesh_get_dim(get(), dim, nullptr, &n));
    return n;
  }
  std::string name(std::int64_t dim) const {
    return haft::detail::text_of([this, dim](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return haft_device_mesh_get_dim_name(get(), dim, buffer, capacity, needed);
    });
  }
  /// The dimension of a name.
  std::int64_t find(const std::string& name) const {
    std::int64_t n = 0;
    check(haft_device_mesh_get_dim_of_name(get(), name.c_str(), &n));
    return n;
  }
  /// The group of the ranks along a dimension.
  ProcessGroup group(std::int64_t dim) const {
    haft_process_group* g = nullptr;
    check(haft_device_mesh_group(get(), dim, &g));
    return ProcessGroup(g);
  }
  /// A mesh of some dimensions, in the order given.
  DeviceMesh slice(const std::vector<std::int64_t>& dims) const {
    haft_device_mesh* m = nullptr;
    check(haft_device_mesh_slice(get(), dims.data(), static_cast<std::int64_t>(dims.size()), &m));
    return DeviceMesh(m);
  }
};

}  // namespace haft
#endif
