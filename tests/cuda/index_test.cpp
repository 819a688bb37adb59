// Reading, writing and ordering by index on the GPU: sizes, repetitions and mistakes that the operators' records do
// not have.
#include "core/backend/memory.h"
#include "core/backend/stream.h"
#include "tests/cuda/against_cpu.h"

namespace haft {
namespace {

using namespace testing;
struct CudaIndex : CudaTest {};

struct Deterministic {
  ScopedValue<uint32_t> flags{thread_state().call_flags, thread_state().call_flags | HAFT_CALL_DETERMINISTIC};
};

// ---- order ----

TEST_F(CudaIndex, SortsRowsOfAnyLength) {
  const std::vector<std::array<int64_t, 2>> shapes = {{3, 1},    {700, 7},  {5, 128},   {5, 129},
                                                      {3, 1025}, {5, 2048}, {2, 2049},  {17, 3000},
                                                      {3, 4500}, {1, 9000}, {1, 16384}, {2, 20011}};
  for (DType t :
       {DType::f32, DType::f64, DType::i64, DType::bf16, DType::f16, DType::i16, DType::i8, DType::u8})
    for (auto [rows, n] : shapes) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " " + std::to_string(rows) + " x " + std::to_string(n));
      const Tensor x = few({{rows, n}}, t, is_float(t)), y = is_float(t) ? real({{rows, n}}, t) : x;
      for (bool descending : {false, true}) {
        expect_same({y}, [&](const Tensors& in) -> Tensors {
          auto r = ops::sort(in[0], 1, descending);
          return {r[0], r[1]};
        });
        expect_same({x}, [&](const Tensors& in) -> Tensors {
          auto r = ops::sort(ops::transpose(in[0], 0, 1), 0, descending);
          return {r[0], r[1]};
        });
      }
    }
}

// The longest that blocks of most GPUs hold; others sort them as longer ones (cuda.small_blocks).
TEST_F(CudaIndex, SortsTheLongestRowsOfABlock) {
  for (int64_t n : {8192, 14336, 16384})
    for (DType t : {DType::f32, DType::f64, DType::i16}) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " " + std::to_string(n));
      expect_same({few({{2, n}}, t, is_float(t))}, [&](const Tensors& in) -> Tensors {
        auto r = ops::sort(in[0], 1, false);
        return {r[0], r[1]};
      });
    }
}

TEST_F(CudaIndex, TheFirstOfLongRowsAreThoseOfASort) {
  for (DType t : {DType::f32, DType::f64, DType::i32, DType::f16})
    for (int64_t k : {1, 64, 700}) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " " + std::to_string(k));
      for (const Tensor& x :
           {few({{18, 5000}}, t, is_float(t)), real({{3, 2500}}, is_float(t) ? t : DType::f32)})
        for (bool largest : {false, true})
          expect_same({x}, [&](const Tensors& in) -> Tensors {
            auto r = ops::topk(in[0], k, 1, largest);
            return {r[0], r[1]};
          });
    }
  expect_same({few({{9, 4, 33}}, DType::f32)}, [](const Tensors& in) -> Tensors {
    auto r = ops::topk(in[0], 3, 1, true);
    return {r[0], r[1]};
  });
}

TEST_F(CudaIndex, Searches) {
  const Tensor edges = ops::sort(few({{6, 100}}, DType::f32, true), 1, false)[0],
               x = few({{6, 70}}, DType::f32, true);
  for (bool right : {false, true}) {
    expect_same({edges, x},
                [&](const Tensors& in) -> Tensors { return {ops::searchsorted(in[0], in[1], right)}; });
    expect_same({ops::select(edges, 0, 2), x},
                [&](const Tensors& in) -> Tensors { return {ops::searchsorted(in[0], in[1], right)}; });
  }
  for (int64_t count : {0, 7, 3000})
    expect_same({indices({0, 0, 4, 7})}, [&](const Tensors& in) -> Tensors {
      return {ops::bag_numbers(ops::clamp(in[0], {}, Scalar(count)), count)};
    });
}

// ---- sums by repeated indices: chunks of sorted indices, several levels of them ----

TEST_F(CudaIndex, ManyMeetInFewPlaces) {
  for (int64_t places : {1, 3, 40, 3000})
    for (DType t : {DType::f32, DType::f64, DType::i64, DType::u8, DType::bf16}) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " " + std::to_string(places));
      // bfloat16 has 8 bits of mantissa: whole numbers that it holds, and sums that it rounds once.
      const Tensor x = few({{places}}, t), src = t == DType::bf16 ? few({{5000}}, t)
                                                 : is_float(t)    ? real({{5000}}, t)
                                                                  : few({{5000}}, t);
      const Tensor at = picks({{5000}}, places);
      // Where 5000 terms of either sign meet, what is left is small beside them.
      const double tolerance = t == DType::f32 ? 1e-4 : t == DType::f64 ? 1e-12 : t == DType::bf16 ? 1e-2 : 0;
      expect_same(
          {x, at, src},
          [](const Tensors& in) -> Tensors { return {ops::scatter_add(in[0], 0, in[1], in[2])}; }, tolerance);
      expect_same(
          {x, at, src}, [](const Tensors& in) -> Tensors { return {ops::index_add(in[0], 0, in[1], in[2])}; },
          tolerance);
      expect_same(
          {x, at, src},
          [](const Tensors& in) -> Tensors {
            return {ops::index_put(in[0], std::array{in[1]}, in[2], true)};
          },
          tolerance);
      expect_same({x, at, src}, [](const Tensors& in) -> Tensors {
        return {ops::scatter_amax(in[0], 0, in[1], in[2]), ops::scatter_amin(in[0], 0, in[1], in[2])};
      });
    }
  const Tensor ones = ops::add_scalar(ops::mul_scalar(few({{3000}}, DType::f64), 0.001), Scalar(1.0));
  expect_same(
      {ops::ones({{7}}, DType::f64, Device{}), picks({{3000}}, 7), ones},
      [](const Tensors& in) -> Tensors { return {ops::scatter_prod(in[0], 0, in[1], in[2])}; }, 1e-12);
}

TEST_F(CudaIndex, NaNWins) {
  const Tensor x = few({{5}}, DType::f32), at = picks({{900}}, 5), src = few({{900}}, DType::f32, true);
  expect_same(
      {x, at, src},
      [](const Tensors& in) -> Tensors {
        return {ops::scatter_amax(in[0], 0, in[1], in[2]), ops::scatter_amin(in[0], 0, in[1], in[2])};
      },
      1e-30);
}

// Few long lines, whose sides lie in memory in different orders.
TEST_F(CudaIndex, LinesHaveOneNumbering) {
  const Tensor x = few({{3, 9, 4}}, DType::f64), at = picks({{3, 300, 4}}, 9),
               src = few({{4, 300, 3}}, DType::f64);
  expect_same({x, at, src}, [](const Tensors& in) -> Tensors {
    const Tensor turned = ops::transpose(in[2], 0, 2);
    return {ops::scatter_add(in[0], 1, in[1], turned),
            ops::scatter_amax(ops::transpose(in[0], 0, 2), 1, ops::transpose(in[1], 0, 2), in[2])};
  });
}

TEST_F(CudaIndex, SlicesMeetInRows) {
  for (DType t : {DType::f32, DType::f16, DType::i32}) {
    SCOPED_TRACE(dtype_name(t));
    const double tolerance = t == DType::f32 ? 1e-5 : t == DType::f16 ? 4e-3 : 0;
    const Tensor x = few({{4, 11, 3}}, t), at = picks({{500}}, 11), src = few({{4, 500, 3}}, t);
    expect_same(
        {x, at, src}, [](const Tensors& in) -> Tensors { return {ops::index_add(in[0], 1, in[1], in[2])}; },
        tolerance);
    // Through a view: neither side is dense.
    expect_same(
        {x, at, src},
        [](const Tensors& in) -> Tensors {
          return {ops::index_add(ops::transpose(in[0], 0, 2), 1, in[1], ops::transpose(in[2], 0, 2))};
        },
        tolerance);
  }
}

TEST_F(CudaIndex, SeveralIndicesMeetInElements) {
  const Tensor x = few({{6, 4, 5}}, DType::f32);
  for (int64_t n : {7, 600}) {
    const Tensor a = picks({{n, 2}}, 6), b = ops::sub_scalar(picks({{n, 2}}, 5), 2),
                 values = real({{n, 2, 4}}, DType::f32);
    auto put = [&](const Tensors& in) -> Tensors {
      const std::vector<Tensor> apart{in[1], Tensor(), in[2]},
          together{Tensor(), ops::remainder_scalar(in[1], 4), in[2]};
      const Tensor spread =
          ops::permute(ops::expand(ops::slice(in[3], 2, 0, 1, 1), {{n, 2, 6}}), {{2, 0, 1}});
      return {ops::index_put(in[0], apart, in[3], true), ops::index_put(in[0], together, spread, true)};
    };
    expect_same({x, a, b, values}, put, 1e-5);
    expect_same({x, a, b}, [](const Tensors& in) -> Tensors {
      return {ops::index(in[0], std::vector<Tensor>{in[1], Tensor(), in[2]}),
              ops::index(in[0], std::vector<Tensor>{in[1]}),
              ops::index(in[0], std::vector<Tensor>{Tensor(), Tensor(), ops::transpose(in[2], 0, 1)})};
    });
  }
}

TEST_F(CudaIndex, EmbeddingSumsRowsInOrder) {
  for (DType t : {DType::f32, DType::bf16, DType::f64})
    for (int64_t width : {1, 24}) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " " + std::to_string(width));
      const Tensor table = real({{50, width}}, t), at = picks({{40, 30}}, 50), g = few({{40, 30, width}}, t);
      expect_same({table, at},
                  [](const Tensors& in) -> Tensors { return {ops::embedding(in[0], in[1], -1, false)}; });
      for (int64_t padding : {-1, 3})
        expect_same(
            {g, at},
            [&](const Tensors& in) -> Tensors {
              return {ops::embedding_backward(in[0], in[1], 50, padding)};
            },
            t == DType::bf16 ? 8e-3 : 1e-6);
      expect_same(
          {ops::transpose(g, 0, 1), ops::transpose(at, 0, 1)},
          [&](const Tensors& in) -> Tensors { return {ops::embedding_backward(in[0], in[1], 50, -1)}; },
          t == DType::bf16 ? 8e-3 : 1e-6);
    }
}

TEST_F(CudaIndex, EqualCallsGiveEqualBits) {
  const Tensor x = on(real({{9}}, DType::f32), cuda()), at = on(picks({{7000}}, 9), cuda()),
               src = on(real({{7000}}, DType::f32), cuda());
  const std::vector<char> once = raw(on(ops::scatter_add(x, 0, at, src), Device{}));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(raw(on(ops::scatter_add(x, 0, at, src), Device{})) == once);
}

// The CPU writes in the order of the index.
TEST_F(CudaIndex, TheLastWriteWinsWhereCallsAreDeterministic) {
  Deterministic on_purpose;
  for (DType t : {DType::f32, DType::i64, DType::u8, DType::bf16})
    for (int64_t n : {40, 4000}) {
      SCOPED_TRACE(std::string(dtype_name(t)) + " " + std::to_string(n));
      const Tensor x = few({{13}}, t), at = picks({{n}}, 13), src = few({{n}}, t);
      expect_same({x, at, src}, [](const Tensors& in) -> Tensors {
        return {ops::scatter(in[0], 0, in[1], in[2]), ops::index_put(in[0], std::array{in[1]}, in[2], false)};
      });
    }
  const Tensor x = few({{6, 3, 5}}, DType::f32), at = picks({{6, 500, 5}}, 3),
               src = real({{6, 500, 5}}, DType::f32);
  expect_same({x, at, src},
              [](const Tensors& in) -> Tensors { return {ops::scatter(in[0], 1, in[1], in[2])}; });
}

TEST_F(CudaIndex, GathersByNarrowAndStridedIndices) {
  const Tensor x = real({{20, 33, 4}}, DType::f64), at = picks({{20, 50, 4}}, 33);
  auto gather = [](const Tensors& in) -> Tensors { return {ops::gather(in[0], 1, in[1])}; };
  expect_same({x, at}, gather);
  expect_same({x, ops::cast(at, DType::i32)}, gather);
  expect_same({ops::cast(x, DType::f16), at}, [](const Tensors& in) -> Tensors {
    return {ops::gather(ops::transpose(in[0], 0, 2), 1, ops::transpose(in[1], 0, 2)),
            ops::index_select(in[0], 1, ops::select(ops::select(in[1], 0, 0), 1, 1))};
  });
}

// ---- masks ----

TEST_F(CudaIndex, MasksOfManyBlocks) {
  for (int64_t n : {1, 255, 257, 4096, 60001}) {
    SCOPED_TRACE(n);
    const Tensor x = few({{n}}, DType::f32, true), mask = ops::gt_scalar(few({{n}}, DType::f32), 1.0);
    expect_same({x, mask}, [](const Tensors& in) -> Tensors { return {ops::masked_select(in[0], in[1])}; });
    expect_same({x}, [](const Tensors& in) -> Tensors { return {ops::nonzero(in[0])}; });
  }
  const Tensor x = few({{30, 70, 3}}, DType::i16);
  expect_same({x}, [](const Tensors& in) -> Tensors {
    return {ops::nonzero(ops::permute(in[0], {{2, 0, 1}}))};
  });
  expect_same({x}, [](const Tensors& in) -> Tensors {
    const Tensor t = ops::permute(in[0], {{2, 0, 1}});
    return {ops::masked_select(t, ops::lt_scalar(ops::select(t, 0, 1), Scalar(int64_t(4)))),
            ops::masked_select(t, ops::lt_scalar(t, Scalar(int64_t(-100))))};
  });
}

// ---- copies ----

TEST_F(CudaIndex, JoinsManyAndRearranges) {
  for (DType t : {DType::f32, DType::u8, DType::f16, DType::f64}) {
    SCOPED_TRACE(dtype_name(t));
    Tensors parts;
    for (int i = 0; i < 60; ++i) parts.push_back(few({{7, 1 + below(9), 8}}, t));
    parts.push_back(ops::transpose(few({{7, 8, 5}}, t), 1, 2));
    parts.push_back(few({{7, 0, 8}}, t));
    expect_same(parts, [](const Tensors& in) -> Tensors { return {ops::cat(in, 1)}; });
    const Tensor x = few({{6, 40, 32}}, t);
    expect_same({x}, [](const Tensors& in) -> Tensors {
      return {ops::roll(in[0], {{3, -5}}, {{0, 1}}), ops::roll(in[0], {{7, 1, 50}}, {{2, 0, 1}}),
              ops::roll(in[0], {{1001}}, {}), ops::roll(ops::transpose(in[0], 0, 2), {{2}}, {{1}})};
    });
    expect_same({x}, [](const Tensors& in) -> Tensors {
      return {ops::flip(in[0], {{0, 2}}),
              ops::flip(ops::transpose(in[0], 0, 1), {{1}}),
              ops::tril(in[0], 3),
              ops::triu(in[0], -7),
              ops::tril(ops::transpose(in[0], 1, 2), 0),
              ops::triu(ops::slice(in[0], 2, 1, 20, 1), 1)};
    });
  }
}

TEST_F(CudaIndex, NothingIsFineToo) {
  const Tensor x = few({{3, 4}}, DType::f32), none = indices({}, {{0}}), nothing = few({{0, 4}}, DType::f32);
  expect_same({x, none, nothing}, [](const Tensors& in) -> Tensors {
    return {ops::index_select(in[0], 0, in[1]),
            ops::index_add(in[0], 0, in[1], in[2]),
            ops::index(in[0], std::array{in[1]}),
            ops::embedding(in[0], in[1], -1, false),
            ops::embedding_backward(in[2], in[1], 5, -1),
            ops::sort(in[2], 1, false)[0],
            ops::nonzero(in[2]),
            ops::cat(std::array{in[2], in[2]}, 0),
            ops::flip(in[2], {{0}}),
            ops::tril(in[2], 0)};
  });
}

// ---- mistakes are told at the next wait, by operator, position and size; the device goes on ----

TEST_F(CudaIndex, WhatIsOutOfRangeIsTold) {
  const Tensor x = on(real({{5, 3}}, DType::f32), cuda()), src = on(real({{4, 3}}, DType::f32), cuda());
  auto told = [&](auto&& call, std::initializer_list<const char*> parts) {
    try {
      call();
      synchronize(cuda());
      ADD_FAILURE() << "nothing was told; wanted: " << *parts.begin();
    } catch (const Error& e) {
      EXPECT_EQ(int(e.code), int(Code::index)) << e.message;
      for (const char* part : parts)
        EXPECT_NE(e.message.find(part), std::string::npos) << e.message << " lacks " << part;
    }
    expect_same({on(x, Device{})}, [](const Tensors& in) -> Tensors { return {ops::flip(in[0], {{0}})}; });
  };
  const Tensor wrong = on(indices({1, 4, 5, 0}), cuda()), below_zero = on(indices({0, 2, 1, -6}), cuda());
  told([&] { ops::index_select(x, 0, wrong); }, {"index_select", "position 2", "5", "size 5"});
  told([&] { ops::index_add(x, 0, wrong, src); }, {"index_add", "position 2"});
  told([&] { ops::embedding(x, wrong, -1, false); }, {"embedding", "position 2"});
  told([&] { ops::embedding_backward(src, wrong, 5, -1); }, {"embedding_backward", "position 2"});
  told([&] { ops::index(x, std::array{below_zero}); }, {"index", "-6", "position 3", "size 5"});
  told([&] { ops::index_put(x, std::array{below_zero}, src, true); }, {"index_put", "-6", "position 3"});
  const Tensor element = ops::expand(ops::unsqueeze(wrong, 1), {{4, 3}});
  told([&] { ops::gather(x, 0, element); }, {"gather", "dimension 0", "size 5"});
  auto offsets = [](std::vector<int64_t> v) {
    return on(vector_of(v, DType::i64, {{int64_t(v.size())}}), cuda());
  };
  told(
      [&] {
        ops::bag_numbers(offsets({0, 3, 9}), 4);
      },
      {"embedding_bag", "offset 2 is 9", "behind 3", "of 4 indices"});
  told([&] { ops::bag_numbers(offsets({0, 3, 2}), 4); }, {"embedding_bag", "offset 2 is 2", "behind 3"});
  told([&] { ops::bag_numbers(offsets({0, -1}), 4); }, {"embedding_bag", "offset 1 is -1"});
  told([&] { ops::bag_numbers(offsets({1, 2}), 4); }, {"embedding_bag", "offset 0 is 1", "the first"});
  told([&] { ops::scatter(x, 0, element, src); }, {"scatter", "size 5"});
  told([&] { ops::scatter_add(x, 0, element, src); }, {"scatter_add", "size 5"});
  told([&] { ops::gather(ops::slice(x, 0, 0, 0, 1), 0, element); }, {"gather", "size 0"});
}

}  // namespace
}  // namespace haft
