// What haft.distributed's modules for sharded and spread models stand on: the collectives that take part in gradients.
%ignore haft::DeviceMesh::DeviceMesh;
%ignore haft::parallel::TensorParallelOptions;
%ignore haft::parallel::column_parallel_linear;  // Python's modules have parts of their own: haft.distributed.tensor.parallel
%ignore haft::parallel::row_parallel_linear;
%ignore haft::parallel::vocab_parallel_embedding;
%ignore haft::parallel::sum_gradients;
%ignore haft::parallel::sum_values;
%ignore haft::parallel::convert_sync_batchnorm;
// Namespaces are flat there: the group's own calls and the operators have some of these names.
%rename(parallel_all_reduce) haft::parallel::all_reduce;
%rename(parallel_broadcast) haft::parallel::broadcast;
%rename(parallel_reduce) haft::parallel::reduce;
%rename(parallel_all_gather) haft::parallel::all_gather;
%rename(parallel_reduce_scatter) haft::parallel::reduce_scatter;
%rename(parallel_all_to_all_single) haft::parallel::all_to_all_single;
%rename(parallel_copy_to) haft::parallel::copy_to;
%rename(parallel_reduce_from) haft::parallel::reduce_from;
%rename(parallel_split_to) haft::parallel::split_to;
%rename(parallel_gather_from) haft::parallel::gather_from;
%rename(parallel_sync_batch_norm) haft::parallel::sync_batch_norm;
%rename(parallel_log_rank) haft::parallel::log_rank;
%rename(parallel_cross_entropy) haft::parallel::cross_entropy;
%rename(parallel_join_gradients) haft::parallel::join_gradients;
%rename(parallel_clip_grad_norm) haft::parallel::clip_grad_norm;
%include "haft/parallel.hpp"
%inline %{
namespace haft {
namespace python {
inline haft::DeviceMesh make_mesh(const haft::ProcessGroup& g, const std::vector<std::int64_t>& shape, const std::vector<std::string>& names) {
  return haft::DeviceMesh(g, shape, names);
}
}
}
%}
