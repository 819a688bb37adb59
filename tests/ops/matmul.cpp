// Records of matrix products.
#include "tests/ops/record.h"
#include "tests/ops/values.h"

namespace haft::test {

namespace {

Array transposed(const Array& a) {
  return make_array({a.size(1), a.size(0)}, [&](const Sizes& i) { return a[{i[1], i[0]}]; });
}

// (..., M, K) x (..., K, N) with equal leading dimensions.
Array product(const Array& a, const Array& b) {
  Sizes sizes = a.sizes;
  sizes.back() = b.size(-1);
  return make_array(sizes, [&](const Sizes& i) {
    double s = 0;
    Sizes p = i, q = i;
    for (int64_t k = 0; k < a.size(-1); ++k) {
      p.back() = k;
      q[q.size() - 2] = k;
      s += a[p] * b[q];
    }
    return s;
  });
}

Array reshaped(Array a, Sizes sizes) {
  a.sizes = std::move(sizes);
  return a;
}

Array expanded(const Array& a, const Sizes& sizes) {
  return make_array(sizes, [&](const Sizes& i) {
    Sizes from(a.sizes.size());
    for (size_t d = 0; d < from.size(); ++d) from[d] = a.sizes[d] == 1 ? 0 : i[i.size() - from.size() + d];
    return a[from];
  });
}

// PyTorch's matmul: vectors become matrices, batches are broadcast.
Array matmul(Array a, Array b) {
  bool row = a.ndim() == 1, column = b.ndim() == 1;
  if (row) a.sizes.insert(a.sizes.begin(), 1);
  if (column) b.sizes.push_back(1);
  Sizes batch;
  size_t rank = std::max(a.sizes.size(), b.sizes.size());
  for (size_t d = rank; d-- > 2;) {
    int64_t s = 1;
    for (const Array* x : {&a, &b})
      if (x->sizes.size() > d && x->sizes[x->sizes.size() - 1 - d] != 1)
        s = x->sizes[x->sizes.size() - 1 - d];
    batch.push_back(s);
  }
  auto full = [&](const Array& x) {
    Sizes s = batch;
    s.insert(s.end(), x.sizes.end() - 2, x.sizes.end());
    return expanded(x, s);
  };
  Array y = product(full(a), full(b));
  if (column) y.sizes.pop_back();
  if (row) y.sizes.erase(y.sizes.end() - 1 - !column);
  return y;
}

// Floats as 8-bit ones; everything else as it is, to be refused.
Tensor eight(const Tensor& t, DType as = DType::f8e4m3fn) {
  return is_float(t.dtype()) ? ops::cast(t, as) : t;
}
Tensor single(const Tensor& t) { return ops::cast(t, DType::f32); }
Array eight(Array a, DType as = DType::f8e4m3fn) {
  for (double& v : a.v) v = rounded(v, as);
  return a;
}
// Products times one number each, or one a row and a column, and a row more.
Array scaled(const Arrays& in, DType a = DType::f8e4m3fn, DType b = DType::f8e4m3fn) {
  Array y = product(eight(in[0], a), eight(in[1], b));
  const int64_t n = y.size(1);
  for (int64_t i = 0; i < y.numel(); ++i) {
    y.v[size_t(i)] *=
        in[2].v[in[2].numel() > 1 ? size_t(i / n) : 0] * in[3].v[in[3].numel() > 1 ? size_t(i % n) : 0];
    if (in.size() > 4) y.v[size_t(i)] += in[4].v[size_t(i % n)];
  }
  return y;
}
DType always_f32(DType) { return DType::f32; }

}  // namespace

void add_matmul(Records& r) {
  auto plain = [](const Arrays& in) -> Arrays { return {product(in[0], in[1])}; };
  Record& mm = r.op("mm").on(kNumbers).tolerance(4).specials();
  for (auto [m, k, n] : {std::array{2, 3, 4}, std::array{1, 1, 1}, std::array{0, 3, 2}, std::array{2, 0, 3},
                         std::array{17, 33, 19}, std::array{1, 40, 3}, std::array{5, 7, 1}}) {
    mm.add({real({m, k}), real({k, n})}, CALL(ops::mm(t[0], t[1])), plain);
    if (m * k > 100) mm.no_grad();
  }
  mm.bad({real({2, 3}), real({2, 3})}, CALL(ops::mm(t[0], t[1])), Code::shape,
         {"[mm]", "[2, 3]", "columns and rows"})
      .bad({real({3}), real({3, 2})}, CALL(ops::mm(t[0], t[1])), Code::shape, {"[mm]", "2 dimensions", "[3]"})
      .bad({real({2, 3}), index_below({3, 2}, 4)}, CALL(ops::mm(t[0], t[1])), Code::dtype,
           {"[mm]", "int64", "float32"});

  Record& bmm = r.op("bmm").on(kNumbers).tolerance(4).specials();
  for (auto [b, m, k, n] : {std::array{2, 3, 2, 3}, std::array{1, 2, 3, 1}, std::array{0, 2, 3, 2},
                            std::array{2, 2, 0, 2}, std::array{3, 9, 17, 5}}) {
    bmm.add({real({b, m, k}), real({b, k, n})}, CALL(ops::bmm(t[0], t[1])), plain);
    if (m > 8) bmm.no_grad();
  }
  bmm.bad({real({2, 2, 3}), real({3, 3, 2})}, CALL(ops::bmm(t[0], t[1])), Code::shape,
          {"[bmm]", "[2, 2, 3]", "[3, 3, 2]", "batches"})
      .bad({real({2, 3}), real({3, 2})}, CALL(ops::bmm(t[0], t[1])), Code::shape, {"[bmm]", "3 dimensions"});

  Record& addmm = r.op("addmm").on(kNumbers).tolerance(4);
  for (const Sizes& bias : {Sizes{3, 4}, Sizes{4}, Sizes{3, 1}, Sizes{}})
    for (int beta : {1, 2})
      addmm.add(
          {real(bias), real({3, 2}), real({2, 4})},
          [beta](Ins t) -> Outs { return ops::addmm(t[0], t[1], t[2], beta, beta == 1 ? 1 : -3); },
          [beta](const Arrays& in) -> Arrays {
            Array y = product(in[1], in[2]), b = expanded(in[0], y.sizes);
            for (size_t k = 0; k < y.v.size(); ++k) y.v[k] = beta * b.v[k] + (beta == 1 ? 1 : -3) * y.v[k];
            return {y};
          });
  addmm
      .bad({real({5}), real({3, 2}), real({2, 4})}, CALL(ops::addmm(t[0], t[1], t[2])), Code::shape,
           {"[addmm]", "input", "[5]", "[3, 4]"})
      .bad({real({4}), real({3, 2}), real({3, 4})}, CALL(ops::addmm(t[0], t[1], t[2])), Code::shape,
           {"[addmm]", "[3, 2]", "[3, 4]"})
      .bad({real({4}), real({3, 2}), real({2, 4})}, CALL(ops::addmm(t[0], t[1], t[2], 0.5)), Code::dtype,
           {"[addmm]", "beta", "0.5", "int32"}, DType::i32);

  Record& linear = r.op("linear").on(kNumbers).tolerance(4);
  for (const Sizes& x : {Sizes{3, 4}, Sizes{4}, Sizes{2, 3, 4}, Sizes{0, 4}, Sizes{65, 4}})
    for (bool bias : {true, false}) {
      linear.add({real(x), real({5, 4}), bias ? real({5}) : absent()}, CALL(ops::linear(t[0], t[1], t[2])),
                 [](const Arrays& in) -> Arrays {
                   int64_t rows = in[0].numel() / 4;
                   Array y = product(reshaped(in[0], {rows, 4}), transposed(in[1]));
                   if (in[2].defined)
                     for (size_t k = 0; k < y.v.size(); ++k) y.v[k] += in[2].v[k % 5];
                   y.sizes = in[0].sizes;
                   y.sizes.back() = 5;
                   return {y};
                 });
      if (x[0] > 60) linear.no_grad();
    }
  linear
      .bad({real({2, 3}), real({5, 4}), absent()}, CALL(ops::linear(t[0], t[1], t[2])), Code::shape,
           {"[linear]", "[2, 3]", "[5, 4]"})
      .bad({real({2, 4}), real({5, 4}), real({4})}, CALL(ops::linear(t[0], t[1], t[2])), Code::shape,
           {"[linear]", "bias", "[5]", "[4]"})
      .bad({real({2, 4}), real({4}), absent()}, CALL(ops::linear(t[0], t[1], t[2])), Code::shape,
           {"[linear]", "weight", "[4]"});

  Record& any = r.op("matmul").on(kNumbers).tolerance(4);
  const std::pair<Sizes, Sizes> pairs[] = {{{3}, {3}},
                                           {{2, 3}, {3}},
                                           {{3}, {3, 2}},
                                           {{2, 3}, {3, 4}},
                                           {{2, 2, 3}, {3, 2}},
                                           {{2, 2, 3}, {3}},
                                           {{3}, {2, 3, 2}},
                                           {{2, 2, 3}, {2, 3, 1}},
                                           {{2, 1, 2, 3}, {3, 3, 2}},
                                           {{1, 2, 3}, {2, 3, 2}},
                                           {{2, 0, 3}, {3, 2}}};
  for (const auto& [a, b] : pairs)
    any.add({real(a), real(b)}, CALL(ops::matmul(t[0], t[1])),
            [](const Arrays& in) -> Arrays { return {matmul(in[0], in[1])}; });
  any.bad({real({}), real({3})}, CALL(ops::matmul(t[0], t[1])), Code::shape, {"[matmul]", "[]", "[3]"})
      .bad({real({2, 3}), real({2, 3})}, CALL(ops::matmul(t[0], t[1])), Code::shape,
           {"[matmul]", "3 columns", "2 rows"})
      .bad({real({2, 2, 3}), real({3, 3, 2})}, CALL(ops::matmul(t[0], t[1])), Code::shape,
           {"[matmul]", "[2]", "[3]"});

  r.op("mv")
      .on(kNumbers)
      .tolerance(4)
      .add({real({3, 4}), real({4})}, CALL(ops::mv(t[0], t[1])),
           [](const Arrays& in) -> Arrays { return {matmul(in[0], in[1])}; })
      .add({real({0, 4}), real({4})}, CALL(ops::mv(t[0], t[1])),
           [](const Arrays& in) -> Arrays { return {matmul(in[0], in[1])}; })
      .bad({real({3, 4}), real({3})}, CALL(ops::mv(t[0], t[1])), Code::shape, {"[mv]", "[3, 4]", "[3]"});
  r.op("dot")
      .on(kNumbers)
      .tolerance(4)
      .add({real({7}), real({7})}, CALL(ops::dot(t[0], t[1])),
           [](const Arrays& in) -> Arrays { return {matmul(in[0], in[1])}; })
      .add({real({0}), real({0})}, CALL(ops::dot(t[0], t[1])),
           [](const Arrays& in) -> Arrays { return {matmul(in[0], in[1])}; })
      .bad({real({3}), real({4})}, CALL(ops::dot(t[0], t[1])), Code::shape, {"[dot]", "[3]", "[4]"});
  r.op("outer")
      .on(kAll)
      .add({real({3}), real({4})}, CALL(ops::outer(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             return {product(reshaped(in[0], {3, 1}), reshaped(in[1], {1, 4}))};
           })
      .bad({real({3, 1}), real({4})}, CALL(ops::outer(t[0], t[1])), Code::shape,
           {"[outer]", "[3, 1]", "[4]"});
  Record& baddbmm = r.op("baddbmm").on(kNumbers).tolerance(4);
  for (const Sizes& bias : {Sizes{2, 3, 2}, Sizes{2}, Sizes{3, 1}})
    for (int alpha : {1, 2})
      baddbmm.add(
          {real(bias), real({2, 3, 2}), real({2, 2, 2})},
          [alpha](Ins t) -> Outs { return ops::baddbmm(t[0], t[1], t[2], 3, alpha); },
          [alpha](const Arrays& in) -> Arrays {
            Array y = product(in[1], in[2]), b = expanded(in[0], y.sizes);
            for (size_t k = 0; k < y.v.size(); ++k) y.v[k] = 3 * b.v[k] + alpha * y.v[k];
            return {y};
          });
  baddbmm.bad({real({5}), real({2, 3, 2}), real({2, 2, 2})}, CALL(ops::baddbmm(t[0], t[1], t[2])),
              Code::shape, {"[baddbmm]", "[5]"});

  auto cross = [](int64_t dim) {
    return [dim](const Arrays& in) -> Arrays {
      return {make_array(in[0].sizes, [&](Sizes i) {
        Sizes j = i;
        i[dim] = (i[dim] + 1) % 3;
        j[dim] = (j[dim] + 2) % 3;
        const Array y = expanded(in[1], in[0].sizes);
        return in[0][i] * y[j] - in[0][j] * y[i];
      })};
    };
  };
  r.op("cross")
      .on(kNumbers)
      .tolerance(4)
      .add({real({3}), real({3})}, CALL(ops::cross(t[0], t[1])), cross(0))
      .add({real({2, 3, 3}), real({2, 3, 3})}, CALL(ops::cross(t[0], t[1])), cross(1))
      .add({real({2, 3, 4}), real({3, 1})}, CALL(ops::cross(t[0], t[1], -2)), cross(1))
      .add({real({0, 3}), real({0, 3})}, CALL(ops::cross(t[0], t[1], 1)), cross(1))
      .bad({real({2, 4}), real({2, 4})}, CALL(ops::cross(t[0], t[1])), Code::shape,
           {"[cross]", "3 elements", "[2, 4]"})
      .bad({real({2, 3}), real({2, 3})}, CALL(ops::cross(t[0], t[1], 0)), Code::shape, {"[cross]", "[2, 3]"})
      .bad({real({3}), index_below({3}, 4)}, CALL(ops::cross(t[0], t[1])), Code::dtype, {"[cross]", "int64"});

  auto added = [](const Array& bias, Array y) {  // 3 * bias - 2 * y
    Array b = expanded(bias, y.sizes);
    for (size_t k = 0; k < y.v.size(); ++k) y.v[k] = 3 * b.v[k] - 2 * y.v[k];
    return y;
  };
  Record &addbmm = r.op("addbmm").on(kNumbers).tolerance(4),
         &addr = r.op("addr").on(kNumbers, 0).tolerance(4).long_sums();
  for (const Sizes& bias : {Sizes{3, 2}, Sizes{2}, Sizes{}}) {
    addbmm.add({real(bias), real({2, 3, 2}), real({2, 2, 2})}, CALL(ops::addbmm(t[0], t[1], t[2], 3, -2)),
               [added](const Arrays& in) -> Arrays {
                 Array each = product(in[1], in[2]);
                 return {added(in[0], make_array({3, 2}, [&](const Sizes& i) {
                                 return each[{0, i[0], i[1]}] + each[{1, i[0], i[1]}];
                               }))};
               });
    addr.add({real(bias), real({3}), real({2})}, CALL(ops::addr(t[0], t[1], t[2], 3, -2)),
             [added](const Arrays& in) -> Arrays {
               return {added(in[0], product(reshaped(in[1], {3, 1}), reshaped(in[2], {1, 2})))};
             });
  }
  addbmm.bad({real({5}), real({2, 3, 2}), real({2, 2, 2})}, CALL(ops::addbmm(t[0], t[1], t[2])), Code::shape,
             {"[addbmm]", "[5]"});
  addr.bad({real({3}), real({3}), real({2})}, CALL(ops::addr(t[0], t[1], t[2])), Code::shape,
           {"[addr]", "[3, 2]"});
  Record& addmv = r.op("addmv").on(kNumbers).tolerance(4);
  for (const Sizes& bias : {Sizes{3}, Sizes{1}, Sizes{}})
    addmv.add({real(bias), real({3, 4}), real({4})}, CALL(ops::addmv(t[0], t[1], t[2], 3, -2)),
              [added](const Arrays& in) -> Arrays { return {added(in[0], matmul(in[1], in[2]))}; });
  addmv
      .bad({real({2, 3}), real({3, 4}), real({4})}, CALL(ops::addmv(t[0], t[1], t[2])), Code::shape,
           {"[addmv]", "[2, 3]", "[3]"})
      .bad({index_below({3}, 5), real({3, 4}), real({4})}, CALL(ops::addmv(t[0], t[1], t[2])), Code::dtype,
           {"[addmv]", "int64", "float32"});

  // An input that requires a gradient is refused.
  auto given = [](Sizes sizes) { return real(std::move(sizes)).constant(); };
  constexpr DType e5m2 = DType::f8e5m2, f32 = DType::f32;
  auto plain_scaled = [](const Arrays& in) -> Arrays { return {scaled(in)}; };
  // Tensor cores add products of 8-bit floats with some 14 bits.
  Record& scaled_mm = r.op("scaled_mm").gives({always_f32}).tolerance(4).long_sums().on_devices(16);
  for (auto [m, k, n] :
       {std::array{3, 16, 4}, std::array{16, 32, 48}, std::array{1, 1, 1}, std::array{0, 3, 2},
        std::array{2, 0, 3}, std::array{5, 7, 1}, std::array{33, 40, 17}}) {
    scaled_mm.add({given({m, k}), given({k, n}), given({}), given({1})},
                  CALL(ops::scaled_mm(eight(t[0]), eight(t[1]), single(t[2]), single(t[3]), Tensor(), f32)),
                  plain_scaled);
    // As a linear layer's weight lies, scales of rows and columns, and a bias.
    scaled_mm.add({given({m, k}), given({k, n}), given({m, 1}), given({1, n}), given({n})},
                  CALL(ops::scaled_mm(
                      eight(t[0]), ops::transpose(ops::contiguous(ops::transpose(eight(t[1]), 0, 1)), 0, 1),
                      single(t[2]), single(t[3]), t[4], f32)),
                  plain_scaled);
    scaled_mm.add(
        {given({m, k}), given({k, n}), given({}), given({1, n})},
        CALL(ops::scaled_mm(eight(t[0]), eight(t[1], e5m2), single(t[2]), single(t[3]), Tensor(), f32)),
        [](const Arrays& in) -> Arrays { return {scaled(in, DType::f8e4m3fn, e5m2)}; });
    scaled_mm.add(
        {given({m, k}), given({k, n}), given({}), given({})},
        CALL(ops::scaled_mm(eight(t[0], e5m2), eight(t[1], e5m2), single(t[2]), single(t[3]), Tensor(), f32)),
        [](const Arrays& in) -> Arrays { return {scaled(in, e5m2, e5m2)}; });
  }
  scaled_mm
      .bad({real({2, 3}), real({3, 2}), real({}), real({})},
           CALL(ops::scaled_mm(t[0], eight(t[1]), t[2], t[3])), Code::dtype,
           {"[scaled_mm]", "input", "float8_e4m3fn", "float32"})
      .bad({real({2, 3}), real({3, 2}), real({}), real({})},
           CALL(ops::scaled_mm(eight(t[0]), t[1], t[2], t[3])), Code::dtype,
           {"[scaled_mm]", "mat2", "float8_e4m3fn", "float32"})
      .bad({real({2, 3}), real({2, 3}), real({}), real({})},
           CALL(ops::scaled_mm(eight(t[0]), eight(t[1]), t[2], t[3])), Code::shape,
           {"[scaled_mm]", "[2, 3]", "(K, N)"})
      .bad({real({2, 3}), real({3, 4}), real({4, 1}), real({})},
           CALL(ops::scaled_mm(eight(t[0]), eight(t[1]), t[2], t[3])), Code::shape,
           {"[scaled_mm]", "scale_a", "[2, 1]", "[4, 1]"})
      .bad({real({2, 3}), real({3, 4}), real({}), real({4})},
           CALL(ops::scaled_mm(eight(t[0]), eight(t[1]), t[2], t[3])), Code::shape,
           {"[scaled_mm]", "scale_b", "[1, 4]", "[4]"})
      .bad({real({2, 3}), real({3, 4}), real({}), real({})},
           CALL(ops::scaled_mm(eight(t[0]), eight(t[1]), ops::cast(t[2], DType::f64), t[3])), Code::dtype,
           {"[scaled_mm]", "scale_a", "float64"})
      .bad({real({2, 3}), real({3, 4}), real({}), real({}), real({3})},
           CALL(ops::scaled_mm(eight(t[0]), eight(t[1]), t[2], t[3], t[4])), Code::shape,
           {"[scaled_mm]", "bias", "[4]", "[3]"})
      .bad({real({2, 3}), real({3, 4}), real({}), real({})},
           CALL(ops::scaled_mm(eight(t[0]), eight(t[1]), t[2], t[3], Tensor(), DType::f64)), Code::dtype,
           {"[scaled_mm]", "float64"});
}

}  // namespace haft::test
