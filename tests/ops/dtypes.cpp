// Check 4: every dtype works or is refused as the record says, results have PyTorch's types, mixed inputs are
// promoted.
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

constexpr DType kEvery[] = {DType::boolean, DType::u8,  DType::i8,   DType::i16, DType::i32,
                            DType::i64,     DType::f16, DType::bf16, DType::f32, DType::f64};

// PyTorch's lattice, written down a second time.
DType meet(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) && is_float(b))
    return item_size(a) == item_size(b) ? DType::f32 : item_size(a) > item_size(b) ? a : b;
  if (is_float(a) || is_float(b)) return is_float(a) ? a : b;
  if (a == DType::boolean || b == DType::boolean) return a == DType::boolean ? b : a;
  if (a == DType::u8 || b == DType::u8) {
    DType other = a == DType::u8 ? b : a;
    return other == DType::i8 ? DType::i16 : other;
  }
  return item_size(a) > item_size(b) ? a : b;
}

void one_dtype(const Record& r, const Case& c, DType t, Random& random) {
  SCOPED_TRACE(dtype_name(t));
  Drawn d = draw(c, t, random);
  bool works = r.works & bit(t);
  if (!works && !(r.refuses & bit(t))) return;
  try {
    Outs got = c.call(d.tensors);
    if (!works) {
      ADD_FAILURE() << "was accepted";
      return;
    }
    for (size_t k = 0; k < got.size(); ++k)
      EXPECT_EQ(std::string(dtype_name(got[k].dtype())), dtype_name(r.rule(k, t))) << "result " << k;
    if (!c.reference) return;
    Arrays want = c.reference(d.arrays);
    for (size_t k = 0; k < got.size(); ++k) {
      if (!is_float(got[k].dtype()))
        for (double& v : want[k].v) v = rounded(v, got[k].dtype());
      Tolerance tol = tolerance(r, item_size(t) == 2 && is_float(t) ? t : got[k].dtype());
      expect_near(to_array(got[k]), want[k], tol, "result " + std::to_string(k));
    }
  } catch (const Error& e) {
    if (works)
      ADD_FAILURE() << "was refused: " << e.message;
    else
      EXPECT_EQ(int(e.code), int(Code::dtype)) << e.message;
  }
}

// Elementwise operators of two or three inputs take any mixture.
void mixed(const Record& r, const Case& c, Random& random) {
  std::vector<size_t> values;
  for (size_t i = 0; i < c.inputs.size(); ++i)
    if (c.inputs[i].kind == Input::kValue) values.push_back(i);
  if (values.size() < 2) return;
  for (DType a : kEvery)
    for (DType b : kEvery)
      for (int zero_dim :
           {0, 1}) {  // the second input has no dimension: it counts only with a higher category
        DType common = zero_dim && category(a) >= category(b) ? a : meet(a, b);
        if (zero_dim && category(b) > category(a)) common = b;
        if (!(r.works & bit(common))) continue;
        if (r.traits() & NOBOOL && (a == DType::boolean || b == DType::boolean)) continue;
        SCOPED_TRACE(std::string(dtype_name(a)) + " with " + dtype_name(b) +
                     (zero_dim ? " of dimension 0" : ""));
        Drawn d = draw(c, a, random);
        for (size_t j = 1; j < values.size(); ++j) {
          size_t i = values[j];
          Input in = c.inputs[i];
          if (zero_dim)
            in.sizes.clear(), in.low = std::max(in.low, in.away);  // negative numbers would wrap in uint8
          d.arrays[i] = draw_array(in, i, b, random, Spread::random);
          d.tensors[i] = to_tensor(d.arrays[i], b);
        }
        // The reference broadcasts, and sees what promotion makes of each number.
        for (size_t i : values)
          for (double& v : d.arrays[i].v) v = rounded(v, common);
        Outs got = c.call(d.tensors);
        DType want_type = r.rule(0, common);
        EXPECT_EQ(std::string(dtype_name(got[0].dtype())), dtype_name(want_type));
        Arrays want = c.reference(d.arrays);
        if (!is_float(want_type))
          for (double& v : want[0].v) v = rounded(v, want_type);
        Tolerance tol = tolerance(r, is_float(common) ? common : want_type);
        if (tol.relative > 0)
          tol.relative += 2e-2 * (item_size(common) == 2), tol.absolute += 1e-2 * (item_size(common) == 2);
        expect_near(to_array(got[0]), want[0], tol, "mixed dtypes");
      }
}

}  // namespace

void check_dtypes(const Record& r) {
  Random random = random_for(r, "dtypes");
  for (DType t : kEvery) one_dtype(r, r.cases[0], t, random);
  if (r.pointwise && !(r.traits() & MASK1)) mixed(r, r.cases[0], random);
}

}  // namespace haft::test
