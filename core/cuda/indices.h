// What an index names, for all operators that read or write by one: elements (gather, scatter), slices
// (index_select, index_add, embedding) and NumPy's advanced indexing.
#pragma once
#include "core/cuda/walk.h"

namespace haft::cuda {

// How elements that meet at one place are joined; `last` is the write that comes last.
enum class Join : int32_t { sum, product, largest, smallest, last };

// Every element of the flat side, what is read out or written in, stands beside one of the table; an index says
// which along one dimension of it. Dimensions are those of the flat side. All strides are in bytes, but for the
// places of indices in their tensor.
struct Indexed {
  int ndim = 0;
  int64_t sizes[HAFT_MAX_DIMS];
  int64_t flat_strides[HAFT_MAX_DIMS], table_strides[HAFT_MAX_DIMS], index_strides[HAFT_MAX_DIMS],
      place_strides[HAFT_MAX_DIMS];
  bool runs[HAFT_MAX_DIMS];  // the index changes along it; they stand together
  haft_tensor_view flat, table;
  const char* index;
  bool wide;                // int64, else int32
  bool negative;            // counted from the end
  bool checked;             // by who made it; what is wrong is -1
  int64_t size, step, dim;  // of the dimension: elements, bytes from one to the next, its number for messages

  void add(int64_t n, int64_t flat_stride, int64_t table_stride, int64_t index_stride, int64_t place_stride,
           bool run);
};

// index has one dimension, or none, and names slices of table along `dim`.
Indexed along_dim(const Call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                  const haft_tensor_view& flat, int64_t dim);
// index (*) names rows of table (rows, width), flat is (*, width).
Indexed rows_of(const Call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                const haft_tensor_view& flat);
// index has flat's sizes, and names one coordinate of each element.
Indexed by_element(const Call& c, const haft_tensor_view& table, const haft_tensor_view& index,
                   const haft_tensor_view& flat, int64_t dim);
// indices[k] names dimension k, NULL for a whole one; all have equal sizes. The flat side is (before, index, after).
Indexed advanced(const Call& c, const haft_tensor_view& table, const haft_tensor_view* const* indices, int n,
                 const haft_tensor_view& flat);

// flat = table[index]
void take(const Call& c, const Indexed& x);
// table[index] = join(table[index], flat), in an order that only the shape decides; where it is `last` and the call
// need not be deterministic, any of the writes that meet may be the last.
void put(const Call& c, const Indexed& x, Join join);
// The same, where `plan(table)` makes the Indexed: sums and products of 16-bit floats are kept in float, for one of
// many steps would stand still.
template <class F>
void put_into(const Call& c, const haft_tensor_view& table, Join join, F&& plan) {
  const DType t = DType(table.dtype);
  if ((t != DType::f16 && t != DType::bf16) || (join != Join::sum && join != Join::product))
    return put(c, plan(table), join);
  const haft_tensor_view wide = scratch_view(c, sizes(table), DType::f32);
  copy_view(c, wide, table);
  put(c, plan(wide), join);
  copy_view(c, table, wide);
}

// The same for sums of rows, in the order of the index whatever the shape; those of row `skipped` are left out.
void sum_rows(const Call& c, const Indexed& x, int64_t skipped);

}  // namespace haft::cuda
