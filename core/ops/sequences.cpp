// Sequences of different lengths: padded side by side, or packed as rows of steps, the longest sequence first.
#include <algorithm>
#include <numeric>

#include "core/dispatch/host_access.h"
#include "core/ops/gradient.h"

namespace haft::ops {

namespace {

using Tensors = std::span<const Tensor>;
using Numbers = std::vector<int64_t>;

Numbers read_numbers(const Tensor& t, const char* op, const char* name) {
  if (t.dtype() != DType::i64 && t.dtype() != DType::i32)
    fail(Code::dtype, concat("[", op, "] ", name, " must be int64 or int32, got ", dtype_name(t.dtype())), {},
         name);
  if (t.ndim() != 1)
    fail(Code::shape, concat("[", op, "] ", name, " must be a vector, got shape ", t.sizes()), {}, name);
  Numbers out(static_cast<size_t>(t.numel()));
  if (!out.empty()) copy_to_host(contiguous(as_dtype(t, DType::i64)), out.data());
  return out;
}

Tensor to_tensor(const Numbers& v, Device device) {
  const int64_t n[] = {int64_t(v.size())};
  Tensor host = new_tensor(n, DType::i64);
  if (!v.empty()) copy_from_host(host, v.data());
  return to(host, DType::none, device);
}

Numbers inverse(const Numbers& order) {
  Numbers out(order.size());
  for (size_t i = 0; i < order.size(); ++i) out[size_t(order[i])] = int64_t(i);
  return out;
}

// (first, second, *) or (first * second, *) with the dimensions of x behind its own first `skip`.
Shape with_rest(std::initializer_list<int64_t> first, const Tensor& x, int64_t skip) {
  Shape sizes(first);
  for (int64_t d = skip; d < x.ndim(); ++d) sizes.push_back(x.size(d));
  return sizes;
}

// Where element (step, sequence) stands among the rows of a padded batch.
int64_t row_of(int64_t step, int64_t sequence, int64_t steps, int64_t sequences, bool batch_first) {
  return batch_first ? sequence * steps + step : step * sequences + sequence;
}

Numbers read_batch_sizes(const Tensor& t, const char* op) {
  Numbers sizes = read_numbers(t, op, "batch_sizes");
  if (sizes.empty())
    fail(Code::shape, concat("[", op, "] batch_sizes is empty; wanted the sequences of each step"), {},
         "batch_sizes");
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1 || (i && sizes[i] > sizes[i - 1]))
      fail(Code::invalid_argument,
           concat("[", op, "] batch_sizes must be positive and not rise, got ", sizes),
           "are they of a packed sequence?", "batch_sizes");
  return sizes;
}

}  // namespace

Tensor pad_sequence(Tensors sequences, bool batch_first, double padding_value, bool left) {
  if (sequences.empty())
    fail(Code::invalid_argument, "[pad_sequence] received an empty list of sequences", {}, "sequences");
  int64_t longest = 0;
  for (const Tensor& s : sequences) {
    if (s.ndim() < 1 || s.ndim() != sequences[0].ndim() ||
        !std::ranges::equal(with_rest({}, s, 1), with_rest({}, sequences[0], 1)))
      fail(Code::shape,
           concat("[pad_sequence] sequences may differ in their first size only, got shapes ",
                  sequences[0].sizes(), " and ", s.sizes()),
           {}, "sequences");
    longest = std::max(longest, s.size(0));
  }
  std::vector<Tensor> padded;
  for (const Tensor& s : sequences) {
    if (s.size(0) == longest) {
      padded.push_back(s);
      continue;
    }
    const Tensor fill = full(with_rest({longest - s.size(0)}, s, 1), padding_value, s.dtype(), s.device());
    const Tensor parts[] = {left ? fill : s, left ? s : fill};
    padded.push_back(cat(parts, 0));
  }
  return stack(padded, batch_first ? 0 : 1);
}

std::vector<Tensor> unpad_sequence(const Tensor& x, const Tensor& lengths, bool batch_first) {
  if (x.ndim() < 2)
    fail(Code::shape, concat("[unpad_sequence] wanted padded sequences (L, N, *), got shape ", x.sizes()), {},
         "padded_sequences");
  const Numbers n = read_numbers(lengths, "unpad_sequence", "lengths");
  const int64_t longest = x.size(batch_first ? 1 : 0), count = x.size(batch_first ? 0 : 1);
  if (int64_t(n.size()) != count)
    fail(Code::shape,
         concat("[unpad_sequence] ", int64_t(n.size()), " lengths for ", count, " sequences of shape ",
                x.sizes()),
         {}, "lengths");
  std::vector<Tensor> out = unbind(x, batch_first ? 0 : 1);
  for (int64_t i = 0; i < count; ++i) {
    if (n[size_t(i)] < 0 || n[size_t(i)] > longest)
      fail(Code::invalid_argument,
           concat("[unpad_sequence] lengths must be in 0..", longest, ", got ", n[size_t(i)]), {}, "lengths");
    out[size_t(i)] = slice(out[size_t(i)], 0, 0, n[size_t(i)]);
  }
  return out;
}

std::array<Tensor, 4> pack_padded_sequence(const Tensor& x, const Tensor& lengths, bool batch_first,
                                           bool enforce_sorted) {
  const char* op = "pack_padded_sequence";
  if (x.ndim() < 2 || x.size(0) == 0 || x.size(1) == 0)
    fail(Code::shape,
         concat("[", op, "] wanted padded sequences (L, N, *) that are not empty, got shape ", x.sizes()), {},
         "input");
  Numbers n = read_numbers(lengths, op, "lengths");
  const int64_t longest = x.size(batch_first ? 1 : 0), count = x.size(batch_first ? 0 : 1);
  if (int64_t(n.size()) != count)
    fail(Code::shape,
         concat("[", op, "] wanted a length for each of ", count, " sequences, got ", int64_t(n.size())), {},
         "lengths");
  Numbers order(n.size());
  std::iota(order.begin(), order.end(), 0);
  if (!enforce_sorted)
    std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return n[size_t(a)] > n[size_t(b)]; });
  int64_t total = 0;
  for (size_t i = 0; i < n.size(); ++i) {
    const int64_t now = n[size_t(order[i])];
    if (now < 1 || now > longest)
      fail(Code::invalid_argument, concat("[", op, "] lengths must be in 1..", longest, ", got ", now), {},
           "lengths");
    if (i && now > n[size_t(order[i - 1])])
      fail(Code::invalid_argument,
           concat("[", op, "] lengths must not rise with enforce_sorted, got ", now, " behind ",
                  n[size_t(order[i - 1])]),
           "pass enforce_sorted = false", "lengths");
    total += now;
  }
  Numbers rows, sizes;
  rows.reserve(size_t(total));
  size_t alive = n.size();
  for (int64_t step = 0; step < n[size_t(order[0])]; ++step) {
    while (n[size_t(order[alive - 1])] <= step) --alive;
    sizes.push_back(int64_t(alive));
    for (size_t b = 0; b < alive; ++b) rows.push_back(row_of(step, order[b], longest, count, batch_first));
  }
  const Tensor flat = reshape(x, with_rest({longest * count}, x, 2));
  return {index_select(flat, 0, to_tensor(rows, x.device())), to_tensor(sizes, Device{}),
          to_tensor(order, x.device()), to_tensor(inverse(order), x.device())};
}

std::array<Tensor, 4> pack_sequence(Tensors sequences, bool enforce_sorted) {
  Numbers lengths;
  for (const Tensor& s : sequences) lengths.push_back(s.ndim() ? s.size(0) : 0);
  return pack_padded_sequence(pad_sequence(sequences, true), to_tensor(lengths, Device{}), true,
                              enforce_sorted);
}

std::array<Tensor, 2> pad_packed_sequence(const Tensor& data, const Tensor& batch_sizes,
                                          const Tensor& unsorted_indices, bool batch_first,
                                          double padding_value, int64_t total_length) {
  const char* op = "pad_packed_sequence";
  const Numbers sizes = read_batch_sizes(batch_sizes, op);
  const int64_t longest = int64_t(sizes.size()), count = sizes[0],
                length = total_length == kNone ? longest : total_length;
  if (data.ndim() < 1 || data.size(0) != std::accumulate(sizes.begin(), sizes.end(), int64_t(0)))
    fail(Code::shape,
         concat("[", op, "] batch_sizes ", sizes, " do not add up to the rows of data of shape ",
                data.sizes()),
         {}, "batch_sizes");
  if (length < longest)
    fail(
        Code::invalid_argument,
        concat("[", op, "] total_length must be at least the longest sequence's ", longest, ", got ", length),
        {}, "total_length");
  Numbers back(static_cast<size_t>(count));
  std::iota(back.begin(), back.end(), 0);
  Numbers order = back;
  if (unsorted_indices.defined()) {
    back = read_numbers(unsorted_indices, op, "unsorted_indices");
    Numbers seen = back;
    std::ranges::sort(seen);
    if (seen != order)
      fail(Code::invalid_argument,
           concat("[", op, "] unsorted_indices must be the numbers below ", count, ", each once, got ", back),
           {}, "unsorted_indices");
    order = inverse(back);
  }
  Numbers rows, lengths(static_cast<size_t>(count));
  for (int64_t step = 0; step < longest; ++step)
    for (int64_t b = 0; b < sizes[size_t(step)]; ++b) {
      rows.push_back(row_of(step, order[size_t(b)], length, count, batch_first));
      lengths[size_t(order[size_t(b)])] = step + 1;
    }
  const Tensor room = full(with_rest({length * count}, data, 1), padding_value, data.dtype(), data.device());
  const Tensor padded = index_copy(room, 0, to_tensor(rows, data.device()), data);
  return {reshape(padded,
                  batch_first ? with_rest({count, length}, data, 1) : with_rest({length, count}, data, 1)),
          to_tensor(lengths, Device{})};
}

std::vector<Tensor> unpack_sequence(const Tensor& data, const Tensor& batch_sizes,
                                    const Tensor& unsorted_indices) {
  auto [padded, lengths] = pad_packed_sequence(data, batch_sizes, unsorted_indices, true);
  return unpad_sequence(padded, lengths, true);
}

}  // namespace haft::ops
