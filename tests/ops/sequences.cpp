// Records of sequences of different lengths: padded and packed.
#include "tests/ops/record.h"

namespace haft::test {

namespace {

// Four sequences of up to 3 steps; sorted by length they are 1, 0, 3, 2 (equal lengths stay in order).
const std::vector<double> kLengths{2, 3, 1, 2}, kSorted{1, 0, 3, 2}, kUnsorted{1, 0, 3, 2};
// Which (step, sequence) each packed row is: by steps, the longest first.
const std::vector<std::array<int64_t, 2>> kRows{{0, 1}, {0, 0}, {0, 3}, {0, 2},
                                                {1, 1}, {1, 0}, {1, 3}, {2, 1}};
// The same of sequences that come sorted, 3, 2, 2, 1, and stay where they are.
const std::vector<std::array<int64_t, 2>> kInOrder{{0, 0}, {0, 1}, {0, 2}, {0, 3},
                                                   {1, 0}, {1, 1}, {1, 2}, {2, 0}};

Array packed(const Array& x, bool batch_first, const std::vector<std::array<int64_t, 2>>& rows) {
  return make_array({int64_t(rows.size()), x.size(2)}, [&](const Sizes& i) {
    auto [step, sequence] = rows[size_t(i[0])];
    return batch_first ? x[{sequence, step, i[1]}] : x[{step, sequence, i[1]}];
  });
}
Array padded(const Array& data, bool batch_first, int64_t length, double with,
             const std::vector<std::array<int64_t, 2>>& rows) {
  Array out(batch_first ? Sizes{4, length, data.size(1)} : Sizes{length, 4, data.size(1)}, with);
  for (size_t r = 0; r < rows.size(); ++r)
    for (int64_t k = 0; k < data.size(1); ++k) {
      auto [step, sequence] = rows[r];
      (batch_first ? out[{sequence, step, k}] : out[{step, sequence, k}]) = data[{int64_t(r), k}];
    }
  return out;
}
Array vector_of(const std::vector<double>& v) { return Array({int64_t(v.size())}, v); }

void add_packing(Records& r) {
  Record& pack =
      r.op("pack_padded_sequence").on(kAll).gives({same, always_i64}).host_only().depends_on_values();
  for (bool batch_first : {false, true}) {
    const Input x = real(batch_first ? Sizes{4, 3, 2} : Sizes{3, 4, 2});
    pack.add({x, index_values({4}, kLengths)},
             CALL(ops::pack_padded_sequence(t[0], t[1], batch_first, false)),
             [=](const Arrays& in) -> Arrays {
               return {packed(in[0], batch_first, kRows), vector_of({4, 3, 1}), vector_of(kSorted),
                       vector_of(kUnsorted)};
             });
    pack.add({x, index_values({4}, {3, 2, 2, 1})}, CALL(ops::pack_padded_sequence(t[0], t[1], batch_first)),
             [=](const Arrays& in) -> Arrays {
               return {packed(in[0], batch_first, kInOrder), vector_of({4, 3, 1}), vector_of({0, 1, 2, 3}),
                       vector_of({0, 1, 2, 3})};
             });
  }
  const Input x = real({3, 2, 2});
  pack.bad({real({3}), index_values({1}, {1})}, CALL(ops::pack_padded_sequence(t[0], t[1])), Code::shape,
           {"[pack_padded_sequence]", "[3]"})
      .bad({x, index_values({1}, {1})}, CALL(ops::pack_padded_sequence(t[0], t[1])), Code::shape,
           {"[pack_padded_sequence]", "2 sequences"})
      .bad({x, index_values({2}, {1, 2})}, CALL(ops::pack_padded_sequence(t[0], t[1])),
           Code::invalid_argument, {"[pack_padded_sequence]", "enforce_sorted"})
      .bad({x, index_values({2}, {1, 0})}, CALL(ops::pack_padded_sequence(t[0], t[1])),
           Code::invalid_argument, {"[pack_padded_sequence]", "1..3", "0"})
      .bad({x, index_values({2}, {4, 1})}, CALL(ops::pack_padded_sequence(t[0], t[1])),
           Code::invalid_argument, {"[pack_padded_sequence]", "1..3", "4"})
      .bad({x, real({2})}, CALL(ops::pack_padded_sequence(t[0], t[1])), Code::dtype,
           {"[pack_padded_sequence]", "lengths", "float32"});

  r.op("pack_sequence")
      .on(kAll)
      .depends_on_values()  // the order of the sequences stands in the program
      .gives({same, always_i64})
      .host_only()
      .add({real({1, 2}), real({3, 2})}, CALL(ops::pack_sequence(t, false)),
           [](const Arrays& in) -> Arrays {
             return {make_array({4, 2},
                                [&](const Sizes& i) {
                                  const int64_t row[] = {0, 0, 1, 2};
                                  return in[i[0] == 1 ? 0 : 1][{row[i[0]], i[1]}];
                                }),
                     vector_of({2, 1, 1}), vector_of({1, 0}), vector_of({1, 0})};
           })
      .bad({real({1, 2}), real({3, 2})}, CALL(ops::pack_sequence(t)), Code::invalid_argument,
           {"[pack_padded_sequence]", "enforce_sorted"});

  Record& pad =
      r.op("pad_packed_sequence").on(kAll).gives({same, always_i64}).host_only().depends_on_values();
  const Input data = real({8, 2}), sizes = index_values({3}, {4, 3, 1});
  for (bool batch_first : {false, true}) {
    pad.add({data, sizes, index_values({4}, kUnsorted)},
            CALL(ops::pad_packed_sequence(t[0], t[1], t[2], batch_first, 1)),
            [=](const Arrays& in) -> Arrays {
              return {padded(in[0], batch_first, 3, 1, kRows), vector_of(kLengths)};
            });
    pad.add({data, sizes, absent()}, CALL(ops::pad_packed_sequence(t[0], t[1], t[2], batch_first, 0, 5)),
            [=](const Arrays& in) -> Arrays {
              return {padded(in[0], batch_first, 5, 0, kInOrder), vector_of({3, 2, 2, 1})};
            });
  }
  auto call = CALL(ops::pad_packed_sequence(t[0], t[1], t[2]));
  pad.bad({data, index_values({0}, {}), absent()}, call, Code::shape, {"[pad_packed_sequence]", "empty"})
      .bad({data, index_values({2}, {3, 4}), absent()}, call, Code::invalid_argument,
           {"[pad_packed_sequence]", "not rise", "[3, 4]"})
      .bad({data, index_values({2}, {4, 3}), absent()}, call, Code::shape,
           {"[pad_packed_sequence]", "[4, 3]", "[8, 2]"})
      .bad({data, sizes, index_values({4}, {0, 0, 1, 2})}, call, Code::invalid_argument,
           {"[pad_packed_sequence]", "unsorted_indices", "[0, 0, 1, 2]"})
      .bad({data, sizes, absent()}, CALL(ops::pad_packed_sequence(t[0], t[1], t[2], false, 0, 2)),
           Code::invalid_argument, {"[pad_packed_sequence]", "total_length", "2"});

  auto rows_of = [](const Array& data, std::vector<int64_t> rows) {
    return make_array({int64_t(rows.size()), data.size(1)}, [&](const Sizes& i) {
      return data[{rows[size_t(i[0])], i[1]}];
    });
  };
  r.op("unpack_sequence")
      .on(kAll)
      .host_only()
      .depends_on_values()
      .add({data, sizes, index_values({4}, kUnsorted)}, CALL(ops::unpack_sequence(t[0], t[1], t[2])),
           [rows_of](const Arrays& in) -> Arrays {
             return {rows_of(in[0], {1, 5}), rows_of(in[0], {0, 4, 7}), rows_of(in[0], {3}),
                     rows_of(in[0], {2, 6})};
           })
      .bad({data, index_values({0}, {}), absent()}, CALL(ops::unpack_sequence(t[0], t[1], t[2])), Code::shape,
           {"[pad_packed_sequence]", "empty"});
}

}  // namespace

void add_sequences(Records& r) {
  Record& pad = r.op("pad_sequence").on(kAll);
  for (bool batch_first : {false, true})
    for (bool left : {false, true})
      pad.add({real({2, 2}), real({3, 2}), real({1, 2})}, CALL(ops::pad_sequence(t, batch_first, 1, left)),
              [=](const Arrays& in) -> Arrays {
                return {make_array(batch_first ? Sizes{3, 3, 2} : Sizes{3, 3, 2}, [&](const Sizes& i) {
                  const Array& s = in[size_t(batch_first ? i[0] : i[1])];
                  const int64_t step = (batch_first ? i[1] : i[0]) - (left ? 3 - s.size(0) : 0);
                  return step >= 0 && step < s.size(0) ? s[{step, i[2]}] : 1;
                })};
              });
  pad.bad({real({2, 2}), real({2, 3})}, CALL(ops::pad_sequence(t)), Code::shape,
          {"[pad_sequence]", "[2, 2]", "[2, 3]"})
      .bad({real({})}, CALL(ops::pad_sequence(t)), Code::shape, {"[pad_sequence]"});

  Record& cut = r.op("unpad_sequence").on(kAll).host_only().depends_on_values();
  for (bool batch_first : {false, true})
    cut.add({real(batch_first ? Sizes{2, 3, 2} : Sizes{3, 2, 2}), index_values({2}, {1, 3})},
            CALL(ops::unpad_sequence(t[0], t[1], batch_first)), [=](const Arrays& in) -> Arrays {
              auto one = [&](int64_t n, int64_t b) {
                return make_array({n, 2}, [&](const Sizes& i) {
                  return batch_first ? in[0][{b, i[0], i[1]}] : in[0][{i[0], b, i[1]}];
                });
              };
              return {one(1, 0), one(3, 1)};
            });
  cut.bad({real({3}), index_values({1}, {1})}, CALL(ops::unpad_sequence(t[0], t[1])), Code::shape,
          {"[unpad_sequence]", "[3]"})
      .bad({real({3, 2}), index_values({1}, {1})}, CALL(ops::unpad_sequence(t[0], t[1])), Code::shape,
           {"[unpad_sequence]", "1 lengths", "2 sequences"})
      .bad({real({3, 2}), index_values({2}, {1, 4})}, CALL(ops::unpad_sequence(t[0], t[1])),
           Code::invalid_argument, {"[unpad_sequence]", "0..3", "4"});
  add_packing(r);
}

}  // namespace haft::test
