// Models over several ranks or devices as Java's and C#'s classes call them: options and results as plain values.
#ifndef HAFT_BINDINGS_PARALLEL_HPP
#define HAFT_BINDINGS_PARALLEL_HPP
#include "bindings/numbers.hpp"

namespace haft {
namespace bindings {

// One class, so that the languages keep them to themselves.
struct ParallelCalls {
  static Tensor all_reduce(const ProcessGroup& g, const Tensor& x, haft::ReduceOp op) {
    return parallel::all_reduce(g, x, op);
  }
  static Tensor broadcast(const ProcessGroup& g, const Tensor& x, int root) {
    return parallel::broadcast(g, x, root);
  }
  static Tensor reduce(const ProcessGroup& g, const Tensor& x, int root, haft::ReduceOp op) {
    return parallel::reduce(g, x, root, op);
  }
  static Tensor all_gather(const ProcessGroup& g, const Tensor& x, std::int64_t dim,
                           const std::vector<std::int64_t>& rows) {
    return parallel::all_gather(g, x, dim, rows);
  }
  static Tensor reduce_scatter(const ProcessGroup& g, const Tensor& x, std::int64_t dim, haft::ReduceOp op,
                               const std::vector<std::int64_t>& rows) {
    return parallel::reduce_scatter(g, x, dim, op, rows);
  }
  static Tensor all_to_all_single(const ProcessGroup& g, const Tensor& x,
                                  const std::vector<std::int64_t>& output_rows,
                                  const std::vector<std::int64_t>& input_rows) {
    if (!output_rows.empty() && !input_rows.empty() && output_rows.size() != input_rows.size())
      check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT,
                           "wanted as many rows that come as rows that go: one for each rank", 0));
    return parallel::all_to_all_single(g, x, output_rows, input_rows);
  }
  static Tensor copy_to(const ProcessGroup& g, const Tensor& x) { return parallel::copy_to(g, x); }
  static Tensor reduce_from(const ProcessGroup& g, const Tensor& x) { return parallel::reduce_from(g, x); }
  static Tensor split_to(const ProcessGroup& g, const Tensor& x, std::int64_t dim) {
    return parallel::split_to(g, x, dim);
  }
  static Tensor gather_from(const ProcessGroup& g, const Tensor& x, std::int64_t dim,
                            const std::vector<std::int64_t>& rows) {
    return parallel::gather_from(g, x, dim, rows);
  }
  static Tensor sync_batch_norm(const ProcessGroup& g, const Tensor& x, const Tensor& weight,
                                const Tensor& bias, const Tensor& running_mean, const Tensor& running_var,
                                double momentum, double eps) {
    return parallel::sync_batch_norm(g, x, weight, bias, running_mean, running_var, momentum, eps);
  }
  static nn::Module convert_sync_batchnorm(const nn::Module& m, const ProcessGroup& g) {
    return parallel::convert_sync_batchnorm(m, g);
  }
  static void join_gradients(const ProcessGroup& g, const std::vector<Tensor>& parameters,
                             haft::ReduceOp op) {
    parallel::join_gradients(g, parameters, op);
  }
  static double clip_grad_norm(const ProcessGroup& g, const std::vector<Tensor>& parameters,
                               const std::vector<std::int64_t>& copies, double max_norm, double norm_type) {
    return parallel::clip_grad_norm(g, parameters, copies, max_norm, norm_type);
  }
  /// Devices come as their numbers.
  static nn::Module data_parallel(const nn::Module& m, const std::vector<std::int64_t>& devices,
                                  std::int64_t dim) {
    return nn::DataParallel(m, std::vector<haft_device>(devices.begin(), devices.end()), dim);
  }
  static std::vector<double> sum_values(const ProcessGroup& g, const std::vector<double>& values) {
    return parallel::sum_values(g, values);
  }
  static void log_rank(const ProcessGroup& g, int rank) { parallel::log_rank(g, rank); }

  static DeviceMesh make_mesh(const ProcessGroup& g, const std::vector<std::int64_t>& shape,
                              const std::vector<std::string>& names) {
    return DeviceMesh(g, shape, names);
  }
  static nn::Module column_parallel_linear(const ProcessGroup& g, const nn::Module& dense, bool split_output,
                                           std::int64_t sequence_dim, std::int64_t blocks) {
    parallel::TensorParallelOptions o;
    o.split_output = split_output;
    o.sequence_dim = sequence_dim;
    o.blocks = blocks;
    return parallel::column_parallel_linear(g, dense, o);
  }
  static nn::Module row_parallel_linear(const ProcessGroup& g, const nn::Module& dense, bool split_input,
                                        std::int64_t sequence_dim) {
    parallel::TensorParallelOptions o;
    o.split_input = split_input;
    o.sequence_dim = sequence_dim;
    return parallel::row_parallel_linear(g, dense, o);
  }
  static nn::Module vocab_parallel_embedding(const ProcessGroup& g, const nn::Module& dense,
                                             std::int64_t sequence_dim) {
    parallel::TensorParallelOptions o;
    o.sequence_dim = sequence_dim;
    return parallel::vocab_parallel_embedding(g, dense, o);
  }
  static void sum_gradients(const nn::Module& m, const ProcessGroup& g) { parallel::sum_gradients(m, g); }
  static Tensor cross_entropy(const ProcessGroup& g, const Tensor& x, const Tensor& target,
                              std::int64_t classes, int reduction, std::int64_t ignore_index,
                              double label_smoothing) {
    return parallel::cross_entropy(g, x, target, classes, reduction, ignore_index, label_smoothing);
  }

  static Pipeline make_pipeline(const ProcessGroup& g, const std::vector<nn::Module>& stages, int schedule,
                                int micro_batches, const nn::Module& loss, bool scale_gradients) {
    return Pipeline(g, stages, static_cast<PipelineSchedule>(schedule), micro_batches, loss, scale_gradients);
  }
  /// The losses, empty where there are none, and behind them the outputs.
  static std::vector<Tensor> run_pipeline(const Pipeline& p, const std::vector<Tensor>& inputs,
                                          const Tensor& target, bool train, bool want_outputs) {
    PipelineResults r =
        train ? p.step(inputs, target, want_outputs) : p.evaluate(inputs, target, want_outputs);
    r.outputs.insert(r.outputs.begin(), std::move(r.losses));
    return std::move(r.outputs);
  }
  static std::vector<std::int64_t> pipeline_numbers(const Pipeline& p) {
    return PipelinePlaces::numbers(p.info());
  }
  static double pipeline_bubble(const Pipeline& p) { return p.info().bubble; }
  /// The numbers of each action, one behind the other.
  static std::vector<std::int64_t> pipeline_trace(const Pipeline& p) {
    std::vector<std::int64_t> out;
    for (const haft_pipeline_action& a : p.trace())
      for (std::int64_t n : ActionPlaces::numbers(a)) out.push_back(n);
    return out;
  }
  static nn::Module mixture_of_experts(const ProcessGroup& g, const nn::Module& router, int top_k,
                                       double capacity_factor, bool normalize,
                                       const std::vector<nn::Module>& experts) {
    return haft::mixture_of_experts(g, router, experts, top_k, capacity_factor, normalize);
  }
  static Tensor ring_attention(const ProcessGroup& g, const Tensor& query, const Tensor& key,
                               const Tensor& value, bool is_causal, double scale) {
    return haft::ring_attention(g, query, key, value, is_causal, scale);
  }
};

}  // namespace bindings
}  // namespace haft
#endif
