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
%define HAFT_PARALLEL(NAME)
%rename(parallel_##NAME) haft::parallel::NAME;
%enddef
%formacro(HAFT_PARALLEL, all_reduce, broadcast, reduce, all_gather, reduce_scatter, all_to_all_single,
          copy_to, reduce_from, split_to, gather_from, sync_batch_norm, log_rank, cross_entropy,
          join_gradients, clip_grad_norm)
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
