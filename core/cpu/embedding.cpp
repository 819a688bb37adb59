// Rows of a table by index, and the sum of gradients back into the table.
#include "core/cpu/indices.h"
#include "core/cpu/kernel.h"

namespace haft::cpu {
namespace {

// All indices as int64, checked against the number of rows.
Scratch<int64_t> checked_indices(const haft_tensor_view& index, int64_t rows, const char* op) {
  const IndexReader reader(index, op);
  Scratch<int64_t> list(std::max<int64_t>(1, index.numel));
  for_runs(index, 0, index.numel, [&](int64_t at, int64_t done, int64_t run, int64_t step) {
    for (int64_t i = 0; i < run; ++i) {
      const int64_t v = reader[at + i * step];
      if (uint64_t(v) >= uint64_t(rows)) fail_index(op, index_position(index, done + i), v, 0, rows, false);
      list[done + i] = v;
    }
  });
  return list;
}

}  // namespace

// weight (V, D), index (*) -> (*, D)
void k_embedding(const haft_kernel_call& c) {
  const haft_tensor_view &weight = *c.in[0], &index = *c.in[1], &out = *c.out[0];
  const int64_t width = weight.sizes[1], row_step = weight.strides[0], step = weight.strides[1];
  const Scratch<int64_t> rows = checked_indices(index, weight.sizes[0], "embedding");
  if (width == 0) return;
  visit_size(dtype_of(weight), [&]<class T>() {
    const T* const table = static_cast<const T*>(weight.data);
    T* const dst = static_cast<T*>(out.data);
    parallel_for(index.numel, std::max<int64_t>(1, 32768 / width), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* const src = table + rows[i] * row_step;
        if (step == 1)
          std::copy_n(src, width, dst + i * width);
        else
          for (int64_t d = 0; d < width; ++d) dst[i * width + d] = src[d * step];
      }
    });
  });
}

// grad (*, D), index (*) -> (rows, D); attrs: rows, padding_idx. Each row of the table belongs to one thread,
// which adds its gradients in the order of the index, in float for the 16-bit types.
void k_embedding_backward(const haft_kernel_call& c) {
  const AttrReader attrs{c.attrs};
  const haft_tensor_view &grad = *c.in[0], &index = *c.in[1], &out = *c.out[0];
  const int64_t rows = attrs.i(0), padding = attrs.i(1), n = index.numel, width = out.sizes[1];
  const Scratch<int64_t> row = checked_indices(index, rows, "embedding_backward");
  if (width == 0) return;
  // Positions grouped by row: those of row r stand at order[start[r]] to order[start[r + 1]].
  Scratch<int64_t> start(rows + 2), order(std::max<int64_t>(1, n));
  std::fill_n(start.get(), rows + 2, 0);
  for (int64_t i = 0; i < n; ++i) ++start[row[i] + 2];
  for (int64_t r = 0; r < rows; ++r) start[r + 2] += start[r + 1];
  for (int64_t i = 0; i < n; ++i) order[start[row[i] + 1]++] = i;

  auto sum = [&]<class C>() {
    const bool direct_in = grad.contiguous && dtype_of(grad) == DTypeOf<C>::value;
    const bool direct_out = out.contiguous && dtype_of(out) == DTypeOf<C>::value;
    parallel_for(rows, std::max<int64_t>(1, 32768 / width), [&](int64_t begin, int64_t end) {
      Scratch<C> scratch(2 * width);
      for (int64_t r = begin; r < end; ++r) {
        C* const total = direct_out ? static_cast<C*>(out.data) + r * width : scratch.get();
        std::fill_n(total, width, C(0));
        for (int64_t k = start[r]; k < start[r + 1] && r != padding; ++k) {
          const C* g = static_cast<const C*>(grad.data) + order[k] * width;
          if (!direct_in) {
            load_range(grad, order[k] * width, width, scratch.get() + width);
            g = scratch.get() + width;
          }
          for (int64_t d = 0; d < width; ++d) total[d] += g[d];
        }
        if (!direct_out) store_range(total, out, r * width, width);
      }
    });
  };
  if (dtype_of(out) == DType::f64)
    sum.template operator()<double>();
  else
    sum.template operator()<float>();
}

// offsets (B) -> the bag of each of `count` places; attrs: count. All are in bag 0 where there is none.
void k_bag_numbers(const haft_kernel_call& c) {
  const haft_tensor_view& offsets = *c.in[0];
  const int64_t count = AttrReader{c.attrs}.i(0), bags = offsets.numel;
  const int64_t* const begin = static_cast<const int64_t*>(offsets.data);
  int64_t* const out = static_cast<int64_t*>(c.out[0]->data);
  if (bags == 0) std::fill_n(out, count, 0);
  for (int64_t b = 0, before = 0; b < bags; before = begin[b++])
    if (begin[b] < before || begin[b] > count || (b == 0 && begin[b] != 0))
      fail(Code::index,
           concat("embedding_bag: offset ", b, " is ", begin[b], ", ",
                  b ? concat("behind ", before) : std::string("the first"), ", of ", count, " indices"),
           "offsets begin with 0, do not fall and are at most the number of indices");
  for (int64_t b = 0; b < bags; ++b)
    std::fill(out + begin[b], out + (b + 1 < bags ? begin[b + 1] : count), b);
}

}  // namespace haft::cpu
