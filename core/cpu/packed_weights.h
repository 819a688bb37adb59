// Weights in the layout that a library call wants. A view with a version key may be served from a cache
// shared by all threads: packed once, used until the tensor is written again, gone with its memory. Without a key
// the copy lives for one call.
#pragma once
#include <functional>
#include <memory>

#include "core/cpu/kernel.h"

namespace haft::cpu {

struct PackedEntry {
  HostBuffer buffer;
};

class PackedWeights {
  std::shared_ptr<PackedEntry> entry_;
  const void* data_;

 public:
  // `format` tells layouts of the same size apart; `bytes` of the packed form, 0: `plain` serves as it is.
  PackedWeights(const haft_tensor_view& weight, uint64_t format, int64_t bytes,
                const std::function<void(void*)>& pack, const void* plain);
  const void* data() const { return data_; }
};

// How often this version of the weights was asked about, this time included; 0 for a view without a key.
int64_t count_use(const haft_tensor_view& weight);

// True if such a copy is kept, or can be without displacing one in use: weights beyond the limit of all copies would
// displace each other in turn, and each call would pack its own.
bool packed_weight_fits(const haft_tensor_view& weight, uint64_t format, int64_t bytes);

struct PackedWeightsStats {
  int64_t bytes, entries, hits, packs;
};
PackedWeightsStats packed_weights_stats();
void clear_packed_weights() noexcept;  // what a running kernel reads lives until it ends
void connect_packed_weights();         // hears of memory that goes, of memory that is wanted, and of forks

}  // namespace haft::cpu
