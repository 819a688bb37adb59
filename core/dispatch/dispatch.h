// The hot path of every operator: checks, promotion, broadcast, memory, kernel, tape. See core/README.md.
#pragma once
#include "core/dispatch/call.h"

namespace haft {

// Runs the call: fills c.out or, in place, writes into c.in[0]. The record itself stays as it is.
void dispatch(const Call& c);

inline Tensor call1(OpId op, std::initializer_list<const Tensor*> in, std::span<uint64_t> words = {}) {
  Tensor out;
  Call c{.op = op, .n_in = uint16_t(in.size()), .in = in.begin(), .words = words, .out = &out};
  dispatch(c);
  return out;
}

template <int N>
std::array<Tensor, N> call_many(OpId op, std::initializer_list<const Tensor*> in, std::span<uint64_t> words) {
  std::array<Tensor, N> out;
  Call c{
      .op = op, .n_in = uint16_t(in.size()), .n_out = N, .in = in.begin(), .words = words, .out = out.data()};
  dispatch(c);
  return out;
}
inline std::array<Tensor, 2> call2(OpId op, std::initializer_list<const Tensor*> in,
                                   std::span<uint64_t> words = {}) {
  return call_many<2>(op, in, words);
}
inline std::array<Tensor, 3> call3(OpId op, std::initializer_list<const Tensor*> in,
                                   std::span<uint64_t> words = {}) {
  return call_many<3>(op, in, words);
}
inline std::array<Tensor, 4> call4(OpId op, std::initializer_list<const Tensor*> in,
                                   std::span<uint64_t> words = {}) {
  return call_many<4>(op, in, words);
}
inline std::array<Tensor, 5> call5(OpId op, std::initializer_list<const Tensor*> in,
                                   std::span<uint64_t> words) {
  return call_many<5>(op, in, words);
}
inline std::array<Tensor, 6> call6(OpId op, std::initializer_list<const Tensor*> in,
                                   std::span<uint64_t> words) {
  return call_many<6>(op, in, words);
}

inline Tensor call1_inplace(OpId op, std::initializer_list<const Tensor*> in,
                            std::span<uint64_t> words = {}) {
  Call c{
      .op = op, .n_in = uint16_t(in.size()), .n_out = 1, .inplace = true, .in = in.begin(), .words = words};
  dispatch(c);
  return **in.begin();
}

// `out` has the shape and dtype of the result and takes part in no gradient.
[[gnu::always_inline]] inline void call_out(OpId op, std::initializer_list<const Tensor*> in,
                                            std::span<uint64_t> words, const Tensor& out) {
  Tensor o = out;
  Call c{.op = op, .n_in = uint16_t(in.size()), .into = true, .in = in.begin(), .words = words, .out = &o};
  dispatch(c);
}

// Operators whose last input is a list.
Tensor call1_list(OpId op, std::initializer_list<const Tensor*> fixed, std::span<const Tensor> list,
                  std::span<uint64_t> words = {});
Tensor call1_list_inplace(OpId op, std::initializer_list<const Tensor*> fixed, std::span<const Tensor> list,
                          std::span<uint64_t> words = {});
// Operators that only write into the tensors of their list (the fused optimizer steps).
void call_lists_effect(OpId op, std::initializer_list<std::span<const Tensor>> lists,
                       std::span<uint64_t> words);

}  // namespace haft
