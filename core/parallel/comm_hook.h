// How the gradients of a bucket are joined over ranks, where that is not a plain mean: who trains chooses one
// (haft_data_parallel_set_hook, haft_data_parallel_set_compression), the reducer calls it for each bucket.
#pragma once
#include <string>
#include <vector>

#include "core/parallel/calls.h"

namespace haft::parallel {

struct Bucket {
  int index = 0;
  Tensor buffer;                  // 1-d: the gradients, one behind the other
  std::vector<int> parameters;    // by their numbers, as they lie in the buffer
  std::vector<Tensor> gradients;  // views of the buffer
};

class CommHook : public RefCounted {
 public:
  virtual ~CommHook() = default;
  // During backward, in the order of buckets: issues calls of the group and does not wait.
  virtual void begin(Bucket& b, dist::Group& g) = 0;
  // At the end of backward, in the same order: waits; the buffer holds the mean afterwards.
  virtual void finish(Bucket& b, dist::Group& g) = 0;
  // Before the first, and when buckets were made anew: residuals are moved by the caller.
  virtual void laid_out(const std::vector<Bucket*>& buckets) { pending.resize(buckets.size()); }
  virtual bool has_residuals() const { return false; }

  std::vector<Tensor> residuals;         // by bucket, float32: what of its gradients was not sent so far
  std::vector<Tensor> warm;              // by parameter: where the next step begins; undefined: nowhere
  std::vector<Ref<dist::Work>> pending;  // by bucket
  int64_t step = 0;                      // steps that were joined
  int64_t sent = 0;                      // bytes that this rank gave to the group

 protected:
  void start(Bucket& b, dist::Group& g, dist::Job job, int64_t bytes) {
    pending[size_t(b.index)] = g.start(std::move(job));
    sent += bytes;
  }
  void wait(Bucket& b) { finish_work(pending[size_t(b.index)]); }
};

}  // namespace haft::parallel
