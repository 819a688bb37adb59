// Every collective against what one process computes, for every type, number of ranks and size.
#include "ranks.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

constexpr DType kTypes[] = {DType::boolean, DType::u8,  DType::i8,   DType::i16, DType::i32,
                            DType::i64,     DType::f16, DType::bf16, DType::f32, DType::f64};
constexpr int kRanks[] = {1, 2, 3, 4, 5, 8};
const std::vector<int64_t> kSizes = {0, 1, 7, 1000, 70001};  // the last: more than rings hold

// Small enough that sums are exact in every type but differ by rank and place.
double value(int rank, int64_t i) { return double((rank * 5 + i * 3 + i / 7) % 4); }
Tensor input(int rank, int64_t count, DType t) {
  return numbers({count}, t,
                 [=](int64_t i) { return t == DType::boolean ? value(rank, i) > 1 : value(rank, i); });
}

bool takes(DType t, ReduceOp op) {
  if (op == ReduceOp::avg) return is_float(t);
  return op < ReduceOp::band || !is_float(t);
}

// One element of all ranks, joined as the type joins it.
double joined(DType t, ReduceOp op, int ranks, int64_t i, int64_t shift = 0) {
  auto v = [&](int r) { return t == DType::boolean ? double(value(r, i + shift) > 1) : value(r, i + shift); };
  if (t == DType::boolean)
    op = op == ReduceOp::sum ? ReduceOp::bor : op == ReduceOp::prod ? ReduceOp::band : op;
  double a = v(0);
  for (int r = 1; r < ranks; ++r) {
    const double b = v(r);
    switch (op) {
      case ReduceOp::sum:
      case ReduceOp::avg: a += b; break;
      case ReduceOp::prod: a *= b; break;
      case ReduceOp::min: a = std::min(a, b); break;
      case ReduceOp::max: a = std::max(a, b); break;
      case ReduceOp::band: a = double(int64_t(a) & int64_t(b)); break;
      case ReduceOp::bor: a = double(int64_t(a) | int64_t(b)); break;
      case ReduceOp::bxor: a = double(int64_t(a) ^ int64_t(b)); break;
    }
  }
  if (op == ReduceOp::avg) a = t == DType::f64 ? a / ranks : double(float(a) / float(ranks));
  if (t == DType::f16) return double(float(Half(float(a))));
  if (t == DType::bf16) return double(float(BFloat16(float(a))));
  if (t == DType::i8) return double(int8_t(int64_t(a)));
  if (t == DType::u8) return double(uint8_t(int64_t(a)));
  return a;
}

#define EXPECT_ALL(count, got, want)                                                                        \
  for (int64_t i = 0; i < (count); ++i) {                                                                   \
    if ((got) == (want)) continue;                                                                          \
    fail(Code::internal, concat(__LINE__, ": element ", i, " of ", count, " is ", got, ", wanted ", want)); \
  }

class Collectives : public ::testing::TestWithParam<int> {};

TEST_P(Collectives, Reductions) {
  const int n = GetParam();
  expect_none(run_threads(n, [&](Group& g) {
    for (DType t : kTypes)
      for (int o = 0; o < kReduceOps; ++o) {
        const auto op = ReduceOp(o);
        if (!takes(t, op)) continue;
        for (int64_t count : kSizes) {
          if (count > 1000 && op != ReduceOp::sum && op != ReduceOp::avg) continue;
          Tensor x = input(g.rank(), count, t);
          g.run(all_reduce(x, op));
          EXPECT_ALL(count, at(x, i), joined(t, op, n, i));
          const int root = int(count + o) % n;
          Tensor y = input(g.rank(), count, t), before = ops::clone(y);
          g.run(job(Kind::reduce, {y}, g.rank() == root ? std::vector<Tensor>{y} : std::vector<Tensor>{},
                    root, op));
          if (g.rank() != root && !same_bits(y, before)) fail(Code::internal, "reduce changed a rank's own");
          if (g.rank() == root) EXPECT_ALL(count, at(y, i), joined(t, op, n, i));
          const int64_t part = count / n;
          Tensor z = input(g.rank(), part * n, t), own = new_tensor(std::vector<int64_t>{part}, t);
          Job j = job(Kind::reduce_scatter, {z}, {own}, -1, op);
          j.in_parts.assign(size_t(n), part);
          g.run(std::move(j));
          EXPECT_ALL(part, at(own, i), joined(t, op, n, i, g.rank() * part));
        }
      }
  }));
}

TEST_P(Collectives, Moves) {
  const int n = GetParam();
  expect_none(run_threads(n, [&](Group& g) {
    const int me = g.rank();
    for (DType t : kTypes)
      for (int64_t count : kSizes) {
        // Data move as bytes: what rings do not hold is tried with a type of each size.
        if (count > 1000 && t != DType::u8 && t != DType::bf16 && t != DType::f32 && t != DType::i64)
          continue;
        auto v = [&](int r, int64_t i) {
          return t == DType::boolean ? double(value(r, i) > 1) : value(r, i);
        };
        const int root = int(count) % n;
        Tensor x = input(me, count, t);
        g.run(job(Kind::broadcast, {}, {x}, root));
        EXPECT_ALL(count, at(x, i), v(root, i));

        // Rank r has count + r elements: uneven.
        std::vector<Tensor> outs;
        for (int r = 0; r < n; ++r) outs.push_back(new_tensor(std::vector<int64_t>{count + r}, t));
        g.run(job(Kind::all_gather, {input(me, count + me, t)}, outs));
        for (int r = 0; r < n; ++r) EXPECT_ALL(count + r, at(outs[size_t(r)], i), v(r, i));

        Tensor all = new_tensor(std::vector<int64_t>{count * n}, t);
        Job into = job(Kind::all_gather, {input(me, count, t)}, {all});
        into.out_parts.assign(size_t(n), count);
        g.run(std::move(into));
        EXPECT_ALL(count * n, at(all, i), v(int(i / count), i % count));

        for (Tensor& o : outs) o = filled({o.numel()}, t, 1);
        g.run(job(Kind::gather, {input(me, count + me, t)}, me == root ? outs : std::vector<Tensor>{}, root));
        if (me == root)
          for (int r = 0; r < n; ++r) EXPECT_ALL(count + r, at(outs[size_t(r)], i), v(r, i));

        std::vector<Tensor> ins;
        for (int r = 0; r < n; ++r) ins.push_back(input(r + 10 * root, count + r, t));
        Tensor mine = new_tensor(std::vector<int64_t>{count + me}, t);
        g.run(job(Kind::scatter, me == root ? ins : std::vector<Tensor>{}, {mine}, root));
        EXPECT_ALL(count + me, at(mine, i), v(me + 10 * root, i));

        // From rank a to rank b: count + a + 2 b elements.
        std::vector<Tensor> to, from;
        for (int r = 0; r < n; ++r) {
          to.push_back(input(me + r, count + me + 2 * r, t));
          from.push_back(new_tensor(std::vector<int64_t>{count + r + 2 * me}, t));
        }
        g.run(job(Kind::all_to_all, to, from));
        for (int r = 0; r < n; ++r) EXPECT_ALL(count + r + 2 * me, at(from[size_t(r)], i), v(r + me, i));
        g.run(barrier());
      }
  }));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, ::testing::ValuesIn(kRanks));

// Numbers that rounding would tell apart: the same bits everywhere, and those of adding in the order of ranks.
TEST(Groups, EveryRankGetsTheSameBits) {
  constexpr int n = 5;
  for (DType t : {DType::f16, DType::bf16, DType::f32, DType::f64})
    for (int64_t count : {33, 100003}) {
      auto random = [&](int r) {
        return numbers({count}, t, [=](int64_t i) {
          return std::sin(double(i * 31 + r * 977)) * std::exp(double((i + r) % 9));
        });
      };
      std::vector<Tensor> results(n);
      expect_none(run_threads(n, [&](Group& g) {
        Tensor x = random(g.rank());
        g.run(all_reduce(x));
        results[size_t(g.rank())] = x;
      }));
      std::vector<Tensor> ins;
      for (int r = 0; r < n; ++r) ins.push_back(random(r));
      for (int r = 1; r < n; ++r)
        EXPECT_TRUE(same_bits(results[0], results[size_t(r)])) << dtype_name(t) << " rank " << r;
      for (int64_t i = 0; i < count; ++i) {
        double sum = at(ins[0], i);
        for (int r = 1; r < n; ++r)
          sum = t == DType::f64 ? sum + at(ins[size_t(r)], i)
                                : double(float(sum) + float(at(ins[size_t(r)], i)));
        if (t == DType::f16) sum = float(Half(float(sum)));
        if (t == DType::bf16) sum = float(BFloat16(float(sum)));
        ASSERT_EQ(at(results[0], i), sum) << dtype_name(t) << " " << i;
      }
    }
}

TEST(Groups, TensorsOfAnyStrides) {
  expect_none(run_threads(3, [&](Group& g) {
    Tensor whole = filled({6, 4}, DType::f32, g.rank() + 1), t = ops::transpose(whole, 0, 1);
    g.run(all_reduce(ops::slice(t, 0, 0, 2, 1)));  // columns 0 and 1
    for (int64_t i = 0; i < 24; ++i)
      if (const double want = i % 4 < 2 ? 6 : g.rank() + 1; at(whole, i) != want)
        fail(Code::internal, concat("element ", i, " is ", at(whole, i), ", wanted ", want));
    Tensor b = filled({5, 2}, DType::i32, g.rank()), row = ops::select(b, 1, 1);
    g.run(job(Kind::broadcast, {}, {row}, 2));
    for (int64_t i = 0; i < 10; ++i)
      if (at(b, i) != (i % 2 ? 2 : g.rank())) fail(Code::internal, concat("broadcast wrote element ", i));
  }));
}

// A block that is written lies over one that is to be sent.
TEST(Groups, InPlaceParts) {
  constexpr int n = 4;
  expect_none(run_threads(n, [&](Group& g) {
    for (int64_t part : {3, 40000}) {
      Tensor x =
          numbers({part * n}, DType::i32, [&](int64_t i) { return double(g.rank() * 1000 + i / part); });
      Job j = job(Kind::all_to_all, {x}, {x});
      j.in_parts.assign(n, part);
      j.out_parts.assign(n, part);
      g.run(std::move(j));
      EXPECT_ALL(part * n, at(x, i), double(i / part * 1000 + g.rank()));
      Tensor y = filled({part * n}, DType::i64, g.rank());
      Tensor first = ops::slice(y, 0, 0, part, 1);
      Job s = job(Kind::reduce_scatter, {y}, {first});
      s.in_parts.assign(n, part);
      g.run(std::move(s));
      EXPECT_ALL(part * n, at(y, i), i < part ? 6.0 : double(g.rank()));
    }
  }));
}

}  // namespace
