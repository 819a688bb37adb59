// Communication hooks that send less than the gradients: docs/data-parallel.md says what each sends and what it costs.
#pragma once
#include "core/parallel/comm_hook.h"

namespace haft::parallel {

// Values are those of haft/data_parallel.h.
enum class Compression : int32_t { f16 = 1, bf16, int8, one_bit, top_k, random_k, power_sgd };

struct CompressionOptions {
  Compression kind = Compression::f16;
  bool error_feedback = true, warm_start = true;
  double ratio = 0.01;     // of the elements that top_k and random_k send
  double min_rate = 2;     // power_sgd leaves matrices alone that it would not make smaller by this
  int64_t rank = 1;        // of power_sgd
  int64_t start_step = 0;  // gradients are joined as they are before
  int64_t seed = 0;
};

Ref<CommHook> make_compression(const CompressionOptions& options);
// From start_step on gradients are joined within `part` only (NULL: not at all); an averager joins the models now and
// then.
Ref<CommHook> make_post_local(Ref<dist::Group> part, int64_t start_step);

}  // namespace haft::parallel
