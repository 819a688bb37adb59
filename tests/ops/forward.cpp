// Check 1: results against the float64 reference, in every form that the operator has.
#include "core/autograd/engine.h"
#include "core/dispatch/host_access.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

void forward_once(const Record& r, const Case& c, DType t, Random& random) {
  Drawn d = draw(c, t, random);
  std::vector<uint32_t> versions;
  for (const Tensor& x : d.tensors) versions.push_back(x.defined() ? version_of(*x.impl()) : 0);
  poison(c.call(d.tensors));
  Outs got = c.call(d.tensors);
  for (size_t i = 0; i < d.tensors.size(); ++i) {
    if (!d.tensors[i].defined()) continue;
    EXPECT_EQ(version_of(*d.tensors[i].impl()), versions[i]) << "input " << i << " was written";
    expect_near(to_array(d.tensors[i]), d.arrays[i], kEqual,
                "input " + std::to_string(i) + " after the call");
  }
  if (!c.reference) return;
  Arrays want = c.reference(d.arrays);
  ASSERT_EQ(got.size(), want.size());
  for (size_t k = 0; k < want.size(); ++k) {
    EXPECT_EQ(dtype_name(got[k].dtype()), std::string(dtype_name(r.rule(k, t)))) << "result " << k;
    // What the float result holds is compared; references of bool and integer results are exact.
    if (!is_float(got[k].dtype()))
      for (double& v : want[k].v) v = rounded(v, got[k].dtype());
    Tolerance tol = tolerance(r, got[k].dtype());
    if (is_float(got[k].dtype()) && is_float(t) && item_size(t) < item_size(got[k].dtype()))
      tol = tolerance(r, t);
    expect_near(to_array(got[k]), want[k], tol, "result " + std::to_string(k) + " in " + dtype_name(t));
  }
}

// A tensor of x's values whose memory is transposed and part of something larger.
Tensor strided_copy(const Tensor& x) {
  Sizes big;
  for (int64_t d = x.ndim() - 1; d >= 0; --d) big.push_back(x.size(d) * 2 + 1);
  Tensor t = ops::full(big, -77, x.dtype());
  for (int64_t d = 0; d < t.ndim(); ++d) t = ops::slice(t, d, 1, 1 + 2 * x.size(x.ndim() - 1 - d), 2);
  Sizes reverse;
  for (int64_t d = 0; d < x.ndim(); ++d) reverse.push_back(x.ndim() - 1 - d);
  t = ops::permute(t, reverse);
  ops::copy_(t, x);
  return t;
}

void inplace_form(const Case& c, const RecordedCall& call, const Drawn& d, const Tensor& want) {
  RecordedCall form = call;
  form.inplace = true;
  for (bool strided : {false, true}) {
    std::vector<Tensor> in = call.in;
    Tensor self = in[0] = strided ? strided_copy(call.in[0]) : ops::clone(call.in[0]);
    uint32_t before = version_of(*self.impl());
    Tensor answer = run_call(form, in)[0];
    EXPECT_EQ(answer.impl(), self.impl()) << "the in-place form answers with another tensor";
    EXPECT_GT(version_of(*self.impl()), before) << "the in-place form did not raise the version";
    expect_near({self}, {want}, kEqual, strided ? "in-place form, strided" : "in-place form");
  }
  // Through the tape: x * 1, then in place.
  if (op_traits(call.op) & NODIFF || !is_float(want.dtype()) || !c.grad) return;
  uint64_t s = seed();
  std::vector<Tensor> functional = gradients(c, d.tensors, s);
  Case inplace = c;
  inplace.call = [&form, &call, &d](Ins t) -> Outs {
    std::vector<Tensor> in = call.in;
    for (Tensor& x : in)  // where the call has the case's inputs, put the given ones
      for (size_t i = 0; i < d.tensors.size(); ++i)
        if (x.defined() && d.tensors[i].defined() && x.impl() == d.tensors[i].impl()) {
          x = t[i];
          break;
        }
    in[0] = ops::mul_scalar(in[0], 1.0);
    return run_call(form, in)[0];
  };
  expect_near(gradients(inplace, d.tensors, s), functional, {1e-10, 1e-12}, "gradient of the in-place form");
}

template <class F>
void expect_refused(F&& f, Code code, const std::string& what) {
  try {
    f();
    ADD_FAILURE() << what << " was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(code)) << what << ": " << e.message;
  }
}

void out_form(const RecordedCall& call, const Tensor& want) {
  RecordedCall form = call;
  form.into = true;
  auto run_into = [&](Tensor out) {
    form.out = {out};
    run_call(form, call.in);
  };
  for (bool strided : {false, true}) {
    Tensor out = strided ? strided_copy(want) : ops::clone(want);
    ops::fill_(out, 93);
    uint32_t before = version_of(*out.impl());
    run_into(out);
    EXPECT_GT(version_of(*out.impl()), before) << "the out form did not raise the version";
    expect_near({out}, {want}, kEqual, strided ? "out form, strided" : "out form");
  }
  Sizes larger(want.sizes().begin(), want.sizes().end());
  larger.push_back(2);
  expect_refused([&] { run_into(ops::zeros(larger, want.dtype())); }, Code::shape,
                 "an out tensor of another shape");
  Tensor other = ops::zeros(want.sizes(), want.dtype() == DType::f64 ? DType::f32 : DType::f64);
  try {
    run_into(other);
    ADD_FAILURE() << "an out tensor of another dtype was accepted";
  } catch (const Error& e) {
    EXPECT_TRUE(e.code == Code::dtype || e.code == Code::shape) << e.message;
  }
  if (!is_float(want.dtype())) return;
  Tensor leaf = ops::zeros(want.sizes(), want.dtype());
  set_requires_grad(leaf, true);
  expect_refused([&] { run_into(leaf); }, Code::autograd, "an out tensor that requires a gradient");
}

// In-place and out forms are the functional call with another destination.
void other_forms(const Record& r, const Case& c, DType t, Random& random) {
  Drawn d = draw(c, t, random);
  Tensor want;
  auto calls = record_calls([&] { want = c.call(d.tensors)[0]; });
  // An operator with an in-place or out form is one call, after those that prepare its inputs.
  const RecordedCall call = calls.back().as_called();
  ASSERT_EQ(call.op, r.id);
  for (size_t i = 0; i + 1 < calls.size(); ++i) ASSERT_NE(calls[i].op, r.id);
  const Tensor& x = call.in[0];
  bool fits = x.dtype() == want.dtype() && std::ranges::equal(x.sizes(), want.sizes());
  if (r.traits() & INPLACE && fits) inplace_form(c, call, d, want);
  if (r.traits() & OUT) out_form(call, want);
}

}  // namespace

void check_forward(const Record& r) {
  Random random = random_for(r, "forward");
  for (size_t k = 0; k < r.cases.size() && !testing::Test::HasFatalFailure(); ++k)
    for (DType t : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i64}) {
      if (!(r.works & bit(t))) continue;
      SCOPED_TRACE("case " + std::to_string(k) + " in " + dtype_name(t));
      forward_once(r, r.cases[k], t, random);
      if (r.traits() & (INPLACE | OUT) && t != DType::f16) other_forms(r, r.cases[k], t, random);
    }
}

}  // namespace haft::test
