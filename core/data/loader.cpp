#include "core/data/loader.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>

#include "core/backend/memory.h"
#include "core/backend/pinned.h"
#include "core/base/fork.h"
#include "core/base/log.h"
#include "core/base/parallel.h"
#include "core/dispatch/host_access.h"
#include "core/ops/functions.h"
#include "core/tensor/host_allocator.h"

namespace haft {

namespace {

constexpr int kMaxWorkers = 256, kMaxPrefetch = 4096;
constexpr uint64_t kTransformStream = 16;
constexpr int64_t kPrefetchBytes = 1024;  // of the item after next: shuffled rows are cold

void fetch_ahead(const void* p, int64_t bytes) {
  auto* at = static_cast<const char*>(p);
  for (int64_t i = 0; i < bytes && i < kPrefetchBytes; i += 64) __builtin_prefetch(at + i);
}

}  // namespace

// Batch b lives in slot b % depth from the moment it is armed until it is delivered.
struct DataLoader::Slot {
  std::vector<Tensor> tensors;
  std::vector<void*> dst;
  std::exception_ptr error;
  bool ready = false;
};

// Fields of other sizes in each item, through the transforms to what all batches have.
struct DataLoader::Fitting {
  const DataLoader& loader;
  Pipeline pipeline;
  HostBuffer scratch;

  void run(int64_t index, void* dst, const double* const* draws) {
    const Tensor x = loader.dataset_->varied(index);
    const Field& wanted = loader.fields_[0];
    if (!std::ranges::equal(x.sizes(), pipeline.input().sizes)) {
      pipeline = Pipeline(loader.options_.transforms, Field{x.dtype(), Shape(x.sizes())});
      if (!std::ranges::equal(pipeline.output().sizes, wanted.sizes) ||
          pipeline.output().dtype != wanted.dtype)
        fail(Code::shape,
             concat("loader: item ", index, " of sizes ", x.sizes(), " comes to ",
                    IntList(pipeline.output().sizes), ", item 0 to ", IntList(wanted.sizes)),
             "transforms that end in one size, as a crop does, make batches of pictures of different sizes",
             "dataset");
      scratch = HostBuffer(pipeline.scratch_bytes() + 64);
    }
    if (pipeline.empty())
      std::memcpy(dst, x.data<void>(), size_t(wanted.bytes()));
    else
      pipeline.run(x.data<void>(), dst, draws, scratch.data());
  }
};

struct DataLoader::Shared {
  std::mutex mutex;
  std::condition_variable work, done;
  std::vector<Slot> slots;
  std::vector<pthread_t> threads;
  int64_t claimed = 0, armed = 0;  // under the mutex, like all below
  int active = 0, sleeping = 0;    // workers inside a batch; workers that wait for one
  bool stop = false;
  bool waiting = false;              // the caller waits on `done`
  std::atomic<bool> abandon{false};  // whatever is being made will not be used
  std::atomic<bool> cancelled{false};
};

DataLoader::DataLoader(Ref<Dataset> dataset, LoaderOptions options)
    : dataset_(std::move(dataset)),
      options_(std::move(options)),
      seed_(options_.seed),
      shared_(std::make_unique<Shared>()) {
  if (options_.batch_size <= 0)
    fail(Code::invalid_argument, concat("loader: batch_size must be positive, got ", options_.batch_size), {},
         "options");
  if (options_.num_workers < 0 || options_.num_workers > kMaxWorkers)
    fail(Code::invalid_argument,
         concat("loader: num_workers must be between 0 and ", kMaxWorkers, ", got ", options_.num_workers),
         {}, "options");
  if (options_.prefetch < 0 || options_.prefetch > kMaxPrefetch)
    fail(Code::invalid_argument,
         concat("loader: prefetch must be between 0 and ", kMaxPrefetch, ", got ", options_.prefetch), {},
         "options");
  if (!options_.device.is_cpu()) check_device(options_.device);
  sampler_ = Sampler(options_.sampler, dataset_->size());
  fields_.assign(dataset_->fields().begin(), dataset_->fields().end());
  if (!options_.transforms.empty()) {
    if (options_.transform_field < 0 || options_.transform_field >= field_count())
      fail(Code::index,
           concat("loader: transform_field is ", options_.transform_field, ", an item has ", field_count(),
                  " fields"),
           {}, "options");
    if (dataset_->varies() && options_.transform_field != 0)
      fail(Code::invalid_argument, "loader: the transforms of items of different sizes are those of field 0",
           {}, "options");
    Field& f = fields_[size_t(options_.transform_field)];
    pipeline_ = Pipeline(options_.transforms, f);
    f = pipeline_.output();
  }
  for (const Field& f : fields_)
    if (f.sizes.size() >= HAFT_MAX_DIMS)
      fail(Code::shape,
           concat("loader: items of ", f.sizes.size(), " dimensions leave none for the batch, which has ",
                  HAFT_MAX_DIMS, " at most"),
           {}, "dataset");
  const int64_t n = sampler_.size(), size = options_.batch_size;
  batches_ = n / size + (!options_.drop_last && n % size ? 1 : 0);
  depth_ = options_.num_workers ? (options_.prefetch ? options_.prefetch : 2 * options_.num_workers + 2) : 1;
  shared_->slots.resize(size_t(depth_));
}

DataLoader::~DataLoader() {
  if (copies_ && !in_forked_child()) {
    destroy_event(options_.device, arrived_);
    try {
      destroy_stream(options_.device, copies_);
    } catch (...) {  // a device that has failed has told so elsewhere
    }
  }
  if (!shared_->threads.empty() && fork_generation() != fork_generation_) {
    (void)shared_.release();  // the threads that use it stayed in the parent, its lock may be theirs
    return;
  }
  stop_threads();
}

int64_t DataLoader::samples() const {
  return options_.drop_last ? batches_ * options_.batch_size : sampler_.size();
}

void DataLoader::check_fork() const {
  if (!shared_->threads.empty() && fork_generation() != fork_generation_)
    fail(Code::forked, "loader: its threads stayed in the parent process",
         "create the loader after fork(), or with num_workers 0");
}

int64_t DataLoader::batch_items(int64_t batch) const {
  return std::min(options_.batch_size, sampler_.size() - batch * options_.batch_size);
}

std::vector<Tensor> DataLoader::allocate(int64_t batch) const {
  // The caller may be in inference mode now and out of it when the batch is delivered.
  ScopedValue<bool> recordable(thread_state().inference, false);
  std::vector<Tensor> out;
  for (const Field& f : fields_) {
    Shape sizes = f.sizes;
    sizes.insert(0, batch_items(batch));
    if (options_.device.is_cpu())
      out.push_back(new_tensor(sizes, f.dtype));
    else
      out.push_back(tensor_over(new_pinned_storage(options_.device, f.bytes() * batch_items(batch)), sizes,
                                contiguous_strides(sizes), f.dtype));
  }
  return out;
}

// To the device, beside what it computes: nobody waits but the stream that is current, and that when it comes to the
// batch.
void DataLoader::bring(std::vector<Tensor>& batch) {
  const Device d = options_.device;
  if (d.is_cpu() || options_.pin_memory) return;
  if (!copies_) {
    copies_ = create_stream(d);
    arrived_ = create_event(d);
  }
  ScopedValue<bool> recordable(thread_state().inference, false);
  const haft_raw_stream user = current_stream(d);
  {
    const StreamGuard on(d, copies_);
    for (Tensor& t : batch) t = copy_to_device(t, d, true);
    record_event(d, arrived_, copies_);
  }
  wait_event(d, arrived_, user);
  for (const Tensor& t : batch) record_stream(*t.impl()->storage, d, user);
}

void DataLoader::fill(int64_t batch, const std::vector<void*>& dst) const {
  const int64_t first = batch * options_.batch_size, n = batch_items(batch);
  const int64_t* order = order_.defined() ? order_.data<int64_t>() + first : nullptr;
  const int fields = field_count(), mapped = pipeline_.empty() ? -1 : options_.transform_field;
  auto index_of = [&](int64_t j) { return order ? order[j] : first + j; };

  // Item j of the epoch has block j of each random transform's stream.
  SmallVec<const double*, 8> draws;
  std::vector<Tensor> drawn;
  for (int r = 0; r < pipeline_.random_count(); ++r) {
    const int64_t count[] = {n * kDraws};
    uint64_t seed = mix_seed(seed_, uint64_t(epoch_), kTransformStream + uint64_t(r));
    drawn.push_back(ops::philox_uniform(count, 0, 1, int64_t(seed), first, DType::f64, Device{}));
    draws.push_back(drawn.back().data<double>());
  }
  const bool addressable = n > 0 && dataset_->address(0, index_of(0));
  HostBuffer scratch(pipeline_.scratch_bytes() + 64),
      raw(mapped >= 0 && !addressable && !dataset_->varies() ? pipeline_.input().bytes() + 64 : 64);
  Fitting fitting{*this, {}, {}};
  SmallVec<void*, 8> at;
  SmallVec<int64_t, 8> step;
  for (int f = 0; f < fields; ++f) {
    at.push_back(dst[size_t(f)]);
    step.push_back(fields_[size_t(f)].bytes());
  }
  SmallVec<void*, 8> target;
  target.resize(fields);
  for (int64_t j = 0; j < n; ++j) {
    if (shared_->abandon.load(std::memory_order_relaxed) ||
        shared_->cancelled.load(std::memory_order_relaxed))
      return;
    const int64_t index = index_of(j);
    if (addressable) {
      if (j + 2 < n) fetch_ahead(dataset_->address(0, index_of(j + 2)), dataset_->fields()[0].bytes());
      for (int f = 0; f < fields; ++f) {
        const void* src = dataset_->address(f, index);
        if (f == mapped)
          pipeline_.run(src, at[f], draws.data(), scratch.data());
        else if (step[f])
          std::memcpy(at[f], src, size_t(step[f]));
      }
    } else if (dataset_->varies()) {
      for (int f = 0; f < fields; ++f) target[f] = f ? at[f] : nullptr;
      dataset_->read(index, target.data());
      fitting.run(index, at[0], draws.data());
    } else {
      for (int f = 0; f < fields; ++f) target[f] = f == mapped ? raw.data() : at[f];
      dataset_->read(index, target.data());
      if (mapped >= 0) pipeline_.run(raw.data(), at[mapped], draws.data(), scratch.data());
    }
    for (int f = 0; f < fields; ++f) at[f] = static_cast<char*>(at[f]) + step[f];
    for (const double*& d : draws) d += kDraws;
  }
}

void* DataLoader::work(void* arg) {
  auto& loader = *static_cast<DataLoader*>(arg);
  Shared& s = *loader.shared_;
  enter_thread("haft-loader");
  thread_state().in_parallel = true;  // processors are for the training: a worker's operators stay on it
  thread_state().grad_enabled = false;
  std::unique_lock lock(s.mutex);
  while (true) {
    while (!s.stop && s.claimed == s.armed) {
      ++s.sleeping;
      s.work.wait(lock);
      --s.sleeping;
    }
    if (s.stop) return nullptr;
    const int64_t batch = s.claimed++;
    Slot& slot = s.slots[size_t(batch % loader.depth_)];
    ++s.active;
    lock.unlock();
    std::exception_ptr error;
    try {
      loader.fill(batch, slot.dst);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    --s.active;
    slot.error = std::move(error);
    slot.ready = true;
    if (s.waiting) s.done.notify_one();
  }
}

void DataLoader::start_threads() {
  Shared& s = *shared_;
  if (!s.threads.empty()) return;
  fork_generation_ = fork_generation();
  num_threads();  // settled here, not by the workers at once
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the host's signals are for the host's threads
  int error = 0;
  for (int i = 0; i < options_.num_workers && !error; ++i) {
    pthread_t t;
    error = pthread_create(&t, nullptr, work, this);
    if (!error) s.threads.push_back(t);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (s.threads.empty())
    fail(Code::unavailable, concat("loader: the system starts no thread (error ", error, ")"),
         "use num_workers 0");
  if (error)
    log_warning("loader: ", int64_t(s.threads.size()), " of ", options_.num_workers,
                " workers started: error ", error);
}

void DataLoader::stop_threads() noexcept {
  Shared& s = *shared_;
  {
    std::lock_guard lock(s.mutex);
    s.stop = true;
    s.abandon.store(true);
  }
  s.work.notify_all();
  for (pthread_t t : s.threads) pthread_join(t, nullptr);
  s.threads.clear();
}

// Nothing is being made any more, and what was made is dropped.
void DataLoader::quiesce() {
  Shared& s = *shared_;
  std::unique_lock lock(s.mutex);
  s.claimed = s.armed;
  s.abandon.store(true);
  s.waiting = true;
  while (s.active > 0) s.done.wait(lock);
  s.waiting = false;
  s.abandon.store(false);
  for (Slot& slot : s.slots) slot = Slot{};
}

void DataLoader::begin_epoch() {
  if (begun_) return;
  order_ = sampler_.order(seed_, uint64_t(epoch_));
  armed_ = delivered_;
  std::lock_guard lock(shared_->mutex);
  shared_->claimed = shared_->armed = delivered_;
  begun_ = true;
}

// Memory for the batches ahead. It comes from the caller's thread, which is also where batches die: the
// allocator's cache of that thread recycles them.
void DataLoader::arm() {
  Shared& s = *shared_;
  while (armed_ < std::min(batches_, delivered_ + depth_)) {
    Slot& slot = s.slots[size_t(armed_ % depth_)];
    slot.tensors = allocate(armed_);
    slot.dst.clear();
    for (const Tensor& t : slot.tensors) slot.dst.push_back(t.data<void>());
    std::unique_lock lock(s.mutex);
    s.armed = ++armed_;
    // Half a ring of work wakes a worker; less would switch threads for every batch.
    bool wake = s.sleeping > 0 && s.armed - s.claimed >= (depth_ + 1) / 2;
    lock.unlock();
    if (wake) s.work.notify_one();
  }
}

bool DataLoader::next_inline(std::vector<Tensor>* out) {
  if (delivered_ == batches_ || shared_->cancelled.load()) return false;
  begin_epoch();
  std::vector<Tensor> tensors = allocate(delivered_);
  std::vector<void*> dst;
  for (const Tensor& t : tensors) dst.push_back(t.data<void>());
  int64_t batch = delivered_++;  // a batch that fails is passed over, as with workers
  fill(batch, dst);
  if (shared_->cancelled.load()) {
    delivered_ = batch;
    return false;
  }
  bring(tensors);
  *out = std::move(tensors);
  return true;
}

bool DataLoader::next(std::vector<Tensor>* out) {
  if (options_.num_workers == 0) return next_inline(out);
  check_fork();
  Shared& s = *shared_;
  if (delivered_ == batches_ || s.cancelled.load()) return false;
  start_threads();
  begin_epoch();
  arm();
  Slot& slot = s.slots[size_t(delivered_ % depth_)];
  std::exception_ptr error;
  {
    std::unique_lock lock(s.mutex);
    while (!slot.ready && !s.cancelled.load()) {
      if (s.sleeping > 0 && s.claimed < s.armed) s.work.notify_one();
      s.waiting = true;
      s.done.wait(lock);
      s.waiting = false;
    }
    if (s.cancelled.load()) return false;
    slot.ready = false;
    error = std::move(slot.error);
    slot.error = nullptr;
  }
  std::vector<Tensor> taken = std::move(slot.tensors);
  ++delivered_;
  if (error) std::rethrow_exception(std::move(error));
  bring(taken);
  *out = std::move(taken);
  try {
    arm();
  } catch (const Error&) {
    // This batch is whole; the next call needs the memory and reports what is wrong.
  }
  return true;
}

void DataLoader::cancel() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->cancelled.store(true);
  }
  shared_->done.notify_all();
}

void DataLoader::reset() {
  LoaderState s = state();
  if (s.batch > 0) {
    ++s.epoch;
    s.batch = 0;
  }
  set_state(s);
}

void DataLoader::check_state(const LoaderState& state) const {
  check_fork();
  if (state.epoch < 0 || state.batch < 0 || state.batch > batches_)
    fail(Code::invalid_argument,
         concat("loader: cannot go to batch ", state.batch, " of epoch ", state.epoch, ": an epoch has ",
                batches_, " batches"),
         {}, "batch");
}

void DataLoader::set_state(const LoaderState& state) {
  check_state(state);
  bool same =
      state.seed == seed_ && state.epoch == epoch_ && state.batch == delivered_ && !shared_->cancelled.load();
  if (same && begun_) return;  // what is being made ahead stays right
  quiesce();
  seed_ = state.seed;
  epoch_ = state.epoch;
  delivered_ = armed_ = state.batch;
  begun_ = false;
  shared_->cancelled.store(false);
}

}  // namespace haft
