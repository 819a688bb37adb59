// Batches of a dataset, made ahead by threads of the loader's own and delivered in order. What an epoch holds
// depends on (seed, epoch) alone, never on the number of threads.
#pragma once
#include <memory>
#include <vector>

#include "core/backend/stream.h"
#include "core/data/sampler.h"
#include "core/data/transform.h"

namespace haft {

struct LoaderOptions {
  int64_t batch_size = 1;
  bool drop_last = false;  // leave out a last batch that is smaller
  SamplerOptions sampler;
  uint64_t seed = 0;
  int num_workers = 0;      // 0: batches are made by the caller of next()
  int prefetch = 0;         // batches ahead of the caller; 0: 2 * num_workers + 2
  int transform_field = 0;  // the field of an item that goes through the transforms
  std::vector<Ref<Transform>> transforms;
  // Where batches are wanted; not the host: they are made in memory that it reads by itself, and.
  Device device;
  // Copied there on a stream of the loader's own; or, pinned, stay for the program to copy.
  bool pin_memory = false;
};

// Where a loader stands: enough to go on in another process with the same batches.
struct LoaderState {
  uint64_t seed = 0;
  int64_t epoch = 0, batch = 0;  // batches of the epoch that next() has delivered
};

// next, reset and set_state are one caller's at a time; cancel and the constants may be used at once with them.
class DataLoader : public RefCounted {
 public:
  DataLoader(Ref<Dataset> dataset, LoaderOptions options);
  ~DataLoader();  // stops the threads; waits for an item that is being read
  DataLoader(const DataLoader&) = delete;

  int64_t batches() const { return batches_; }  // of an epoch
  int64_t samples() const;                      // of an epoch, after drop_last
  int field_count() const { return int(fields_.size()); }

  // The next batch, one tensor (n, ...) a field; false when the epoch is over or was cancelled. What a read
  // of the dataset threw comes out here, in the batch's turn; the call after that goes on behind it.
  bool next(std::vector<Tensor>* out);
  // To the start of the next epoch. Does nothing before the first batch of an epoch.
  void reset();
  // Ends the epoch: a next() that waits, and those to come, answer false until reset().
  void cancel();

  LoaderState state() const { return {seed_, epoch_, delivered_}; }
  void set_state(const LoaderState& s);
  void check_state(const LoaderState& s) const;  // what set_state would refuse

 private:
  struct Shared;
  struct Slot;
  struct Fitting;

  void begin_epoch();
  void arm();
  void start_threads();
  void stop_threads() noexcept;
  void quiesce();
  void check_fork() const;
  bool next_inline(std::vector<Tensor>* out);
  std::vector<Tensor> allocate(int64_t batch) const;
  void bring(std::vector<Tensor>& batch);
  int64_t batch_items(int64_t batch) const;
  void fill(int64_t batch, const std::vector<void*>& dst) const;
  static void* work(void* loader);

  Ref<Dataset> dataset_;
  LoaderOptions options_;
  Sampler sampler_;
  Pipeline pipeline_;
  std::vector<Field> fields_;  // of a batch's items, after the transforms
  int64_t batches_ = 0, depth_ = 0;

  uint64_t seed_ = 0;
  int64_t epoch_ = 0;
  int64_t delivered_ = 0, armed_ = 0;  // batches taken by the caller; batches that have memory to go into
  bool begun_ = false;                 // order_ is that of epoch_
  Tensor order_;
  uint32_t fork_generation_ = 0;
  std::unique_ptr<Shared> shared_;
  haft_raw_stream copies_ = 0;  // made with the first batch that goes to a device
  haft_raw_event arrived_ = 0;
};

}  // namespace haft
