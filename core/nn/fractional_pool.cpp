// FractionalMaxPool2d and 3d.
#include "core/nn/factories.h"
#include "core/nn/layer_checks.h"
#include "core/nn/text.h"
#include "core/ops/functions.h"

namespace haft::nn {

namespace {

class FractionalMaxPool final : public Module {
  int dims_;
  Shape kernel_, size_;
  std::array<double, 3> ratios_;  // of the last dimensions, where size_ is empty
  bool indices_;
  Ref<Generator> generator_;

 public:
  FractionalMaxPool(int dims, IntList kernel, IntList size, std::initializer_list<double> ratios,
                    bool indices, Ref<Generator> generator)
      : Module(dims == 2 ? "FractionalMaxPool2d" : "FractionalMaxPool3d"),
        dims_(dims),
        kernel_(kernel),
        size_(size),
        indices_(indices),
        generator_(std::move(generator)) {
    std::ranges::copy(ratios, ratios_.begin());
    const char* name = type().c_str();
    for (const auto& [what, list] : {std::pair("kernel_size", &kernel_), std::pair("output_size", &size_)}) {
      if (list->empty() ? what[0] == 'k' : list->size() != 1 && list->size() != dims)
        fail(Code::invalid_argument,
             concat(name, ": ", what, " is one number or ", dims, ", got ", IntList(*list)), {}, what);
      for (int64_t n : *list) check_size(n, name, what, 1);
    }
    for (double r : ratios)
      if (size_.empty() && !(r > 0 && r < 1))
        fail(Code::invalid_argument,
             concat(name, ": without an output_size ratios must be between 0 and 1, got ", r), {},
             "output_size");
  }
  int64_t output_count() const override { return indices_ ? 2 : 1; }
  Tensor forward(const Tensor& x) override {
    if (indices_)
      fail(Code::unsupported, concat("this ", type(), " answers two tensors"), "use forward_many");
    return pool(x, {})[0];
  }
  std::vector<Tensor> forward_many(std::span<const Tensor> xs) override {
    if (xs.empty() || xs.size() > 2 || !xs[0])
      fail(Code::invalid_argument,
           concat(type(), " takes x and perhaps its samples, got ", int64_t(xs.size()), " tensors"), {},
           "inputs");
    auto [values, indices] = pool(xs[0], xs.size() > 1 ? xs[1] : Tensor());
    return indices_ ? std::vector<Tensor>{values, indices} : std::vector<Tensor>{values};
  }
  std::string extra() const override {
    std::string s = concat("kernel_size=", tuple_text(kernel_));
    return s + (size_.empty() ? concat(", output_ratio=", float_text(ratios_[0]))
                              : ", output_size=" + tuple_text(size_));
  }

 private:
  // samples: (N, C, dimensions) from [0, 1), which say where windows begin; none: fresh ones.
  std::array<Tensor, 2> pool(const Tensor& x, const Tensor& samples) const {
    if (x.ndim() != dims_ + 1 && x.ndim() != dims_ + 2)
      fail(Code::shape,
           concat(type(), ": wanted x of ", dims_ + 1, " or ", dims_ + 2, " dimensions, got shape ",
                  x.sizes()),
           {}, "x");
    Shape size = size_;
    for (int d = 0; d < dims_ && size_.empty(); ++d)
      size.push_back(int64_t(double(x.size(d - dims_)) * ratios_[size_t(d)]));
    const bool single = x.ndim() == dims_ + 1;
    const Shape fresh{single ? 1 : x.size(0), x.size(single ? 0 : 1), dims_};
    const Tensor random = samples
                              ? samples
                              : ops::uniform(fresh, 0, 1, x.dtype() == DType::f64 ? DType::f64 : DType::f32,
                                             x.device(), generator_.get());
    return dims_ == 2 ? ops::fractional_max_pool2d(x, random, kernel_, size)
                      : ops::fractional_max_pool3d(x, random, kernel_, size);
  }
};

}  // namespace

Ref<Module> fractional_max_pool2d(IntList kernel_size, IntList output_size, double height_ratio,
                                  double width_ratio, bool return_indices, Generator* generator) {
  return make_ref<FractionalMaxPool>(2, kernel_size, output_size,
                                     std::initializer_list<double>{height_ratio, width_ratio}, return_indices,
                                     Ref<Generator>::share(generator));
}
Ref<Module> fractional_max_pool3d(IntList kernel_size, IntList output_size, double depth_ratio,
                                  double height_ratio, double width_ratio, bool return_indices,
                                  Generator* generator) {
  return make_ref<FractionalMaxPool>(3, kernel_size, output_size,
                                     std::initializer_list<double>{depth_ratio, height_ratio, width_ratio},
                                     return_indices, Ref<Generator>::share(generator));
}

}  // namespace haft::nn
