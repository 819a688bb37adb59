// Layers that draw numbers while they train.
#include "core/nn/factories.h"
#include "core/nn/function_module.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

Ref<Module> dropout(double p, Generator* generator) {
  return make_ref<Dropout>(p, Ref<Generator>::share(generator));
}

Dropout::Dropout(double p, Ref<Generator> generator)
    : Module("Dropout"), p_(p), generator_(std::move(generator)) {
  if (!(p >= 0 && p <= 1))
    fail(Code::invalid_argument, concat("Dropout: p must be in [0, 1], got ", p), {}, "p");
}

Tensor Dropout::forward(const Tensor& x) {
  if (!training()) return x;
  return ops::dropout(x, p_, true, generator_.get());
}

std::string Dropout::extra() const { return concat("p=", float_text(p_), ", inplace=False"); }

namespace {

// A function of the input, the mode and the generator.
template <class F>
class Noise final : public Module {
  std::string extra_;
  F fn_;
  Ref<Generator> generator_;  // null: the default one

 public:
  Noise(const char* type, std::string extra, F fn, Generator* generator)
      : Module(type),
        extra_(std::move(extra)),
        fn_(std::move(fn)),
        generator_(Ref<Generator>::share(generator)) {}
  Tensor forward(const Tensor& x) override {
    return training() ? fn_(x, generator_.get()) : fn_(x, nullptr, false);
  }
  std::string extra() const override { return extra_; }
};

template <class F>
Ref<Module> noise(const char* type, double p, Generator* generator, F fn) {
  check_range(type, "p", p, "in [0, 1]");
  return make_ref<Noise<F>>(type, concat("p=", float_text(p), ", inplace=False"), std::move(fn), generator);
}

// Whole channels of (N, C, *), or of (C, *) of this many dimensions; 0: there is no such form.
Ref<Module> channels(const char* type, double p, Generator* generator, int64_t single) {
  return noise(type, p, generator, [=](const Tensor& x, Generator* g, bool train = true) {
    if (!train) return x;
    if (x.ndim() != single) return ops::feature_dropout(x, p, true, g);
    return ops::squeeze(ops::feature_dropout(ops::unsqueeze(x, 0), p, true, g), 0);
  });
}

}  // namespace

Ref<Module> dropout1d(double p, Generator* generator) { return channels("Dropout1d", p, generator, 2); }
Ref<Module> dropout2d(double p, Generator* generator) { return channels("Dropout2d", p, generator, 0); }
Ref<Module> dropout3d(double p, Generator* generator) { return channels("Dropout3d", p, generator, 4); }
Ref<Module> alpha_dropout(double p, Generator* generator) {
  return noise("AlphaDropout", p, generator, [=](const Tensor& x, Generator* g, bool train = true) {
    return ops::alpha_dropout(x, p, train, g);
  });
}
Ref<Module> feature_alpha_dropout(double p, Generator* generator) {
  return noise("FeatureAlphaDropout", p, generator, [=](const Tensor& x, Generator* g, bool train = true) {
    return ops::feature_alpha_dropout(x, p, train, g);
  });
}
Ref<Module> rrelu(double lower, double upper, Generator* generator) {
  auto fn = [=](const Tensor& x, Generator* g, bool train = true) {
    return ops::rrelu(x, lower, upper, train, g);
  };
  return make_ref<Noise<decltype(fn)>>(
      "RReLU", concat("lower=", float_text(lower), ", upper=", float_text(upper)), fn, generator);
}

}  // namespace haft::nn
