// Modules with parameters or a state: their shapes, initial values and texts are PyTorch's.
#pragma once
#include <array>

#include "core/dispatch/generator.h"
#include "core/nn/module.h"
#include "core/schema/attrs.h"

namespace haft::nn {

using Pair = std::array<int64_t, 2>;  // height, width

// Where a layer's parameters live and where their initial numbers come from.
struct Build {
  DType dtype = DType::none;  // the default float
  Device device = kDefaultDevice;
  Generator* generator = nullptr;  // the default one
};

// x (*, in) -> (*, out); weight (out, in), bias (out).
class Linear final : public Module {
  int64_t in_, out_;

 public:
  Linear(int64_t in_features, int64_t out_features, bool bias = true, const Build& build = {},
         const char* type = "Linear");
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

// HAFT_PADDING_*
enum class PaddingMode : int32_t { zeros, reflect, replicate, circular };

// An empty list is the default, one number stands for all dimensions.
struct ConvOptions {
  int64_t in_channels = 0, out_channels = 0;
  // Padding of kSame in all dimensions: what keeps the size.
  Shape kernel_size{}, stride{}, padding{}, dilation{};
  int64_t groups = 1;
  bool bias = true;
  PaddingMode padding_mode = PaddingMode::zeros;
  Shape output_padding{};  // of a transposed one
  bool transposed = false;
};
constexpr int64_t kSame = -1;

// x (N, C, *) or (C, *) with `dims` more dimensions -> (N, O, *'); weight (O, C / groups, k...), or transposed (C, O
// / groups, k...), bias (O). padding_mode says what stands in the padding.
class Conv : public Module {
  ConvOptions o_;
  int dims_;
  bool same_ = false, pads_first_ = false;
  Shape sides_;  // padding before and after each dimension, the last one first

 public:
  Conv(int dims, const ConvOptions& options, const Build& build = {});
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

struct BatchNormOptions {
  int64_t num_features = 0;
  double eps = 1e-5, momentum = 0.1;  // of BatchNorm; below 0: running statistics are plain averages
  bool affine = true, track_running_stats = true, bias = true;
};

// Weight, bias and running statistics. Training updates these, so one thread at a time may train through it.
class RunningNorm : public Module {
  std::atomic<bool> updating_{false};

 public:
  const BatchNormOptions& options() const { return o_; }
  std::string extra() const override;
  // For who computes the statistics anew (averaged.h); nobody may run it meanwhile.
  void set_momentum(double momentum) { o_.momentum = momentum; }
  void reset_running_stats();

 protected:
  BatchNormOptions o_;
  int dims_;  // 1 to 3
  RunningNorm(std::string type, int dims, const BatchNormOptions& options, const Build& build, bool averages);
  template <class F>
  Tensor updating(F&& run);  // alone
};

// x (N, C) or (N, C, L) for BatchNorm1d, (N, C, H, W) for BatchNorm2d, (N, C, D, H, W) for BatchNorm3d.
class BatchNorm final : public RunningNorm {
 public:
  BatchNorm(int dims, const BatchNormOptions& options, const Build& build = {});
  Tensor forward(const Tensor& x) override;

 private:
  Tensor forward_averaging(const Tensor& x);
};

// Normalises over the last dimensions, which have the given shape.
class LayerNorm final : public Module {
  Shape shape_;
  double eps_;
  bool affine_;

 public:
  LayerNorm(IntList shape, double eps = 1e-5, bool affine = true, bool bias = true, const Build& build = {});
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

// One weight, or one a channel.
class PReLU final : public Module {
 public:
  PReLU(int64_t num_parameters = 1, double init = 0.25, const Build& build = {});
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

class Dropout final : public Module {
  double p_;
  Ref<Generator> generator_;  // null: the default one

 public:
  explicit Dropout(double p = 0.5, Ref<Generator> generator = {});
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

struct TableOptions {
  int64_t padding_idx = kNone;  // a row that starts at 0 and gets no gradient
  bool sparse = false;
  double max_norm = -1, norm_type = 2;  // of rows that are looked up; max_norm below 0: as they are
  bool scale_grad_by_freq = false;
  Tensor weight{};  // the table itself
  bool freeze = false;
};

// Integer x (*) -> (*, D); weight (V, D).
class Embedding final : public Module {
  int64_t rows_, dim_;
  TableOptions o_;

 public:
  Embedding(int64_t num_embeddings, int64_t embedding_dim, TableOptions options = {},
            const Build& build = {});
  const TableOptions& options() const { return o_; }
  Tensor forward(const Tensor& x) override;
  std::string extra() const override;
};

}  // namespace haft::nn
