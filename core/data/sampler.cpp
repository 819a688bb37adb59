#include "core/data/sampler.h"

#include "core/ops/functions.h"

namespace haft {

namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
uint64_t finalise(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr uint64_t kOrderStream = 1;

}  // namespace

uint64_t mix_seed(uint64_t seed, uint64_t a, uint64_t b) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;
  return finalise(finalise(finalise(seed + kGolden) + a + kGolden) + b + kGolden);
}

Sampler::Sampler(const SamplerOptions& options, int64_t dataset_size)
    : options_(options), population_(dataset_size) {
  NoGradGuard no_grad;
  if (options_.indices.defined()) {
    const Tensor& t = options_.indices;
    if (t.dtype() != DType::i64 || t.ndim() != 1 || !t.device().is_cpu())
      fail(Code::dtype,
           concat("sampler: indices must be a 1-d int64 host tensor, got ", dtype_name(t.dtype()),
                  " of shape ", t.sizes()),
           {}, "indices");
    options_.indices = ops::clone(ops::contiguous(t));
    population_ = t.numel();
    for (int64_t i = 0; i < population_; ++i)
      if (int64_t v = options_.indices.data<int64_t>()[i]; v < 0 || v >= dataset_size)
        fail(Code::index, concat("sampler: index ", v, " is outside the dataset of ", dataset_size, " items"),
             {}, "indices");
  }
  if (options_.weights.defined()) {
    const Tensor& w = options_.weights;
    if (!is_float(w.dtype()) || w.ndim() != 1 || w.numel() != population_ || !w.device().is_cpu())
      fail(Code::shape,
           concat("sampler: weights must be ", population_, " floating host values, got ",
                  dtype_name(w.dtype()), " of shape ", w.sizes()),
           {}, "weights");
    options_.weights = ops::clone(ops::contiguous(w));
  }
  whole_ = options_.num_samples < 0 ? population_ : options_.num_samples;
  bool drawn = options_.replacement;
  if (whole_ > population_ && !drawn)
    fail(Code::invalid_argument,
         concat("sampler: ", whole_, " samples from ", population_, " items need replacement"), {},
         "num_samples");
  if (drawn && !options_.shuffle && !options_.weights.defined())
    fail(Code::invalid_argument, "sampler: replacement needs shuffle or weights", {}, "replacement");
  if (drawn && population_ == 0 && whole_ > 0)
    fail(Code::invalid_argument, "sampler: nothing to draw from", {}, "num_samples");
  const int64_t n = options_.num_replicas;
  if (n < 1)
    fail(Code::invalid_argument, concat("sampler: num_replicas must be at least 1, got ", n), {},
         "num_replicas");
  if (options_.rank < 0 || options_.rank >= n)
    fail(Code::invalid_argument, concat("sampler: rank must be 0 to ", n - 1, ", got ", options_.rank), {},
         "rank");
  size_ = (options_.drop_uneven ? whole_ : whole_ + n - 1) / n;
}

Tensor Sampler::whole_order(Generator& g) const {
  Tensor at;
  const int64_t sizes[] = {whole_};
  if (whole_ == 0) return new_tensor(sizes, DType::i64);
  if (options_.weights.defined())
    at = ops::multinomial(options_.weights, whole_, options_.replacement, &g);
  else if (options_.shuffle && options_.replacement)
    at = ops::randint(0, population_, sizes, DType::i64, Device{}, &g);
  else if (options_.shuffle)
    at = ops::randperm(population_, DType::i64, Device{}, &g);
  if (!options_.indices.defined()) return at;
  return at.defined() ? ops::index_select(options_.indices, 0, at) : options_.indices;
}

Tensor Sampler::order(uint64_t seed, uint64_t epoch) const {
  NoGradGuard no_grad;
  Generator g(mix_seed(seed, epoch, kOrderStream));
  const Tensor whole = whole_order(g);
  if (options_.num_replicas == 1) return whole;
  const Tensor mine = new_tensor(IntList(&size_, 1), DType::i64);
  for (int64_t i = 0; i < size_; ++i) {
    const int64_t at = (options_.rank + i * options_.num_replicas) % whole_;
    mine.data<int64_t>()[i] = whole.defined() ? whole.data<int64_t>()[at] : at;
  }
  return mine;
}

}  // namespace haft
