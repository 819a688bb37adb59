// Differentiable collectives, batch normalisation over ranks, metrics and whose messages are logged.
#include <haft/parallel.h>

#include "capi/src/group_handle.h"
#include "capi/src/module_handle.h"
#include "capi/src/shards.h"
#include "core/base/log.h"
#include "core/parallel/gradients.h"
#include "core/parallel/sync_batch_norm.h"

using namespace haft;
using namespace haft::capi;

namespace {

parallel::Rows to_rows(const int64_t* rows, int64_t count, int index, const char* name) {
  if (!rows) {
    if (count)
      fail_argument(Code::invalid_argument, concat(name, " is NULL with count ", count), index, name,
                    "give a size for each rank, or NULL and 0 for equal ones");
    return {};
  }
  const IntList list = int_list(rows, count, index, name);
  if (list.empty()) fail_argument(Code::invalid_argument, concat(name, " has no sizes"), index, name);
  return {list.begin(), list.end()};
}

// What a collective is asked for beside its tensor.
struct Asked {
  int64_t dim = 0;
  int32_t root = 0, op = 0;
  int op_index = -1;
  const int64_t *rows = nullptr, *other_rows = nullptr;
  int64_t count = 0, other_count = 0;
  int rows_index = 0;
};
using Call = Tensor (*)(const parallel::GroupRef&, const Tensor&, const Asked&, dist::ReduceOp,
                        const parallel::Rows&);

haft_status collective(const char* function, const haft_process_group* g, const haft_tensor* x,
                       haft_tensor** out, int out_index, Call call, const Asked& asked = {}) noexcept {
  return boundary(function, [&] {
    check_out(out, out_index, "out");
    const parallel::GroupRef group = group_of(g);
    const Tensor input = arg(x, 1, "x");
    const dist::ReduceOp op = asked.op_index < 0 ? dist::ReduceOp::sum : to_reduce(asked.op, asked.op_index);
    const parallel::Rows rows = to_rows(asked.rows, asked.count, asked.rows_index, "rows");
    CancelGuard guard;
    emit(out, call(group, input, asked, op, rows));
  });
}
#define CALL(...)                                                                   \
  [](const parallel::GroupRef& g, const Tensor& x, [[maybe_unused]] const Asked& a, \
     [[maybe_unused]] dist::ReduceOp op,                                            \
     [[maybe_unused]] const parallel::Rows& rows) -> Tensor { return parallel::__VA_ARGS__; }

}  // namespace

extern "C" {

haft_status haft_parallel_all_reduce(haft_process_group* g, const haft_tensor* x, int32_t op,
                                     haft_tensor** out) noexcept {
  return collective("haft_parallel_all_reduce", g, x, out, 3, CALL(all_reduce(g, x, op)),
                    {.op = op, .op_index = 2});
}

haft_status haft_parallel_broadcast(haft_process_group* g, const haft_tensor* x, int32_t root,
                                    haft_tensor** out) noexcept {
  return collective("haft_parallel_broadcast", g, x, out, 3, CALL(broadcast(g, x, a.root)), {.root = root});
}

haft_status haft_parallel_reduce(haft_process_group* g, const haft_tensor* x, int32_t root, int32_t op,
                                 haft_tensor** out) noexcept {
  return collective("haft_parallel_reduce", g, x, out, 4, CALL(reduce(g, x, a.root, op)),
                    {.root = root, .op = op, .op_index = 3});
}

haft_status haft_parallel_all_gather(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                     const int64_t* rows, int64_t count, haft_tensor** out) noexcept {
  return collective("haft_parallel_all_gather", g, x, out, 5, CALL(all_gather(g, x, a.dim, rows)),
                    {.dim = dim, .rows = rows, .count = count, .rows_index = 3});
}

haft_status haft_parallel_reduce_scatter(haft_process_group* g, const haft_tensor* x, int64_t dim, int32_t op,
                                         const int64_t* rows, int64_t count, haft_tensor** out) noexcept {
  return collective("haft_parallel_reduce_scatter", g, x, out, 6, CALL(reduce_scatter(g, x, a.dim, op, rows)),
                    {.dim = dim, .op = op, .op_index = 3, .rows = rows, .count = count, .rows_index = 4});
}

haft_status haft_parallel_all_to_all_single(haft_process_group* g, const haft_tensor* x,
                                            const int64_t* output_rows, const int64_t* input_rows,
                                            int64_t count, haft_tensor** out) noexcept {
  return collective(
      "haft_parallel_all_to_all_single", g, x, out, 5,
      CALL(all_to_all_single(g, x, rows, to_rows(a.other_rows, a.other_count, 3, "input_rows"))),
      {.rows = output_rows,
       .other_rows = input_rows,
       .count = output_rows ? count : 0,
       .other_count = input_rows ? count : 0,
       .rows_index = 2});
}

haft_status haft_parallel_copy_to(haft_process_group* g, const haft_tensor* x, haft_tensor** out) noexcept {
  return collective("haft_parallel_copy_to", g, x, out, 2, CALL(copy_to(g, x)));
}

haft_status haft_parallel_reduce_from(haft_process_group* g, const haft_tensor* x,
                                      haft_tensor** out) noexcept {
  return collective("haft_parallel_reduce_from", g, x, out, 2, CALL(reduce_from(g, x)));
}

haft_status haft_parallel_split_to(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                   haft_tensor** out) noexcept {
  return collective("haft_parallel_split_to", g, x, out, 3, CALL(split_to(g, x, a.dim)), {.dim = dim});
}

haft_status haft_parallel_gather_from(haft_process_group* g, const haft_tensor* x, int64_t dim,
                                      const int64_t* rows, int64_t count, haft_tensor** out) noexcept {
  return collective("haft_parallel_gather_from", g, x, out, 5, CALL(gather_from(g, x, a.dim, rows)),
                    {.dim = dim, .rows = rows, .count = count, .rows_index = 3});
}
#undef CALL

haft_status haft_parallel_sync_batch_norm(haft_process_group* g, const haft_tensor* x,
                                          const haft_tensor* weight, const haft_tensor* bias,
                                          haft_tensor* running_mean, haft_tensor* running_var,
                                          double momentum, double eps, haft_tensor** out) noexcept {
  return boundary("haft_parallel_sync_batch_norm", [&] {
    check_out(out, 8, "out");
    const parallel::GroupRef group = group_of(g);
    CancelGuard guard;
    emit(out, parallel::sync_batch_norm(group, arg(x, 1, "x"), optional_arg(weight, 2, "weight"),
                                        optional_arg(bias, 3, "bias"),
                                        optional_arg(running_mean, 4, "running_mean"),
                                        optional_arg(running_var, 5, "running_var"), momentum, eps));
  });
}

haft_status haft_module_convert_sync_batchnorm(haft_module* m, haft_process_group* g,
                                               haft_module** out) noexcept {
  return boundary("haft_module_convert_sync_batchnorm", [&] {
    check_out(out, 2, "out");
    *out = hand_out_module(parallel::convert_sync_batchnorm(module_arg(m, 0, "m"), group_of(g, 1)));
  });
}

haft_status haft_parallel_join_gradients(haft_process_group* g, haft_tensor* const* parameters, int64_t count,
                                         int32_t op) noexcept {
  return boundary("haft_parallel_join_gradients", [&] {
    auto group = group_of(g);
    const ListArg list = list_arg(parameters, count, 1, "parameters");
    const dist::ReduceOp how = to_reduce(op, 3);
    CancelGuard guard;
    parallel::join_gradients(*group, list, how);
  });
}

haft_status haft_parallel_clip_grad_norm(haft_process_group* g, haft_tensor* const* parameters,
                                         const int64_t* copies, int64_t count, double max_norm,
                                         double norm_type, double* norm) noexcept {
  return boundary("haft_parallel_clip_grad_norm", [&] {
    auto group = group_of(g);
    const ListArg list = list_arg(parameters, count, 1, "parameters");
    const IntList same = copies ? int_list(copies, count, 2, "copies") : IntList();
    CancelGuard guard;
    refuse_shards(list, "clip_grad_norm", true);
    const double before = parallel::clip_grad_norm(*group, list, same, max_norm, norm_type);
    if (norm) *norm = before;
  });
}

haft_status haft_parallel_sum_values(haft_process_group* g, double* values, int64_t count) noexcept {
  return boundary("haft_parallel_sum_values", [&] {
    auto group = group_of(g);
    if (count < 0 || (count && !values))
      fail_argument(Code::invalid_argument,
                    concat("values must be an array of count >= 0 numbers, got ",
                           values ? "count " : "NULL with count ", count),
                    1, "values");
    CancelGuard guard;
    parallel::sum_values(*group, values, count);
  });
}

haft_status haft_parallel_log_rank(const haft_process_group* g, int32_t rank) noexcept {
  return boundary("haft_parallel_log_rank", [&] {
    auto group = group_of(g);
    if (rank != HAFT_ANY_SOURCE && (rank < 0 || rank >= group->size()))
      fail_argument(Code::invalid_argument,
                    concat("rank must be 0 to ", group->size() - 1, " or HAFT_ANY_SOURCE, got ", rank), 1,
                    "rank");
    set_log_limit(rank == HAFT_ANY_SOURCE || rank == group->rank() ? LogLevel::debug : LogLevel::error);
  });
}

}  // extern "C"
