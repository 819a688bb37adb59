#include "core/serve/signature.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/functions.h"

namespace haft::serve {

namespace {

constexpr int64_t kAny = -1;

}  // namespace

std::string Signature::Spec::text() const {
  std::string s = concat(dtype_name(dtype), " [");
  for (size_t i = 0; i < sizes.size(); ++i)
    s += (i ? ", " : "") + (sizes[i] == kAny ? std::string("any") : std::to_string(sizes[i]));
  return s + "]";
}

bool Signature::fits(std::span<const Tensor> inputs, bool rows) const {
  const size_t skip = rows;
  return std::ranges::equal(inputs, inputs_, [&](const Tensor& t, const Spec& s) {
    return t.dtype() == s.dtype && t.device() == s.device && t.sizes().size() == s.sizes.size() &&
           std::ranges::equal(t.sizes().subspan(skip), std::span(s.sizes).subspan(skip));
  });
}

void Signature::learn(std::span<const Tensor> inputs, std::span<const Tensor> outputs, bool rows) noexcept {
  auto seen = [&](const Tensor& t, const Spec& s) {
    return t.dtype() == s.dtype && t.device() == s.device && t.sizes().size() == s.sizes.size();
  };
  if (is_known() && fits(inputs, rows) && std::ranges::equal(outputs, outputs_, seen)) {
    if (rows && inputs[0].size(0) != inputs_[0].sizes[0]) return;  // the outputs have other rows, too
    for (size_t i = 0; i < outputs.size(); ++i)
      for (size_t d = 0; d < outputs_[i].sizes.size(); ++d)
        if (int64_t& size = outputs_[i].sizes[d]; size != outputs[i].size(int64_t(d))) size = kAny;
    return;
  }
  auto note = [](std::vector<Spec>& specs, std::span<const Tensor> ts) {
    specs.resize(ts.size());
    for (size_t i = 0; i < ts.size(); ++i) {
      specs[i].dtype = ts[i].dtype();
      specs[i].device = ts[i].device();
      specs[i].sizes.assign(ts[i].sizes().begin(), ts[i].sizes().end());
    }
  };
  try {
    note(inputs_, inputs);
    note(outputs_, outputs);
  } catch (const std::bad_alloc&) {
    inputs_.clear();
  }
}

std::vector<Tensor> Signature::sample() const {
  std::vector<Tensor> out;
  for (const Spec& s : inputs_) out.push_back(ops::zeros(s.sizes, s.dtype, s.device));
  return out;
}

void Signature::check(std::span<const Tensor> outputs) const {
  auto refuse = [&](Code code, const std::string& got, const std::string& wanted) {
    std::string of;
    for (const Spec& s : inputs_) of += (of.empty() ? "" : ", ") + s.text();
    fail(
        code,
        concat("the new module answers ", got, " for inputs of ", of, ", the session's answers are ", wanted),
        "the session goes on with the module it has; a module of another kind needs a session of its own",
        "module");
  };
  if (outputs.size() != outputs_.size())
    refuse(Code::shape, concat(int64_t(outputs.size()), " tensors"), concat(int64_t(outputs_.size())));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& t = outputs[i];
    const Spec &wanted = outputs_[i], got{t.dtype(), t.device(), {t.sizes().begin(), t.sizes().end()}};
    const std::string name = outputs.size() > 1 ? concat("output ", int64_t(i), " as ") : std::string();
    if (got.dtype != wanted.dtype) refuse(Code::dtype, name + got.text(), wanted.text());
    if (!std::ranges::equal(got.sizes, wanted.sizes,
                            [](int64_t g, int64_t w) { return w == kAny || g == w; }))
      refuse(Code::shape, name + got.text(), wanted.text());
  }
}

}  // namespace haft::serve
