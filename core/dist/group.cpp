#include "core/dist/group.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/descriptor.h"
#include "core/base/log.h"
#include "core/base/thread_state.h"
#include "core/dispatch/replay.h"
#include "core/dist/engines.h"
#include "core/dist/sha256.h"
#include "core/ops/functions.h"

namespace haft::dist {

namespace {

thread_local const Group* serving __attribute__((tls_model("initial-exec"))) =
    nullptr;  // by its thread or callbacks

Failure current_failure() noexcept {
  try {
    try {
      throw;
    } catch (const Error& e) {
      return {e.code, -1, e.message};
    } catch (const std::bad_alloc&) {
      return {Code::out_of_memory, -1, "out of memory"};
    } catch (const std::exception& e) {
      return {Code::internal, -1, e.what()};
    }
  } catch (...) {
    return {Code::out_of_memory, -1, {}};
  }
}

}  // namespace

Ref<Group> Group::create(Ref<Store> store, int rank, int size, GroupOptions options) {
  if (size < 1)
    fail(Code::invalid_argument, concat("a group has at least 1 rank, got size ", size), {}, "size");
  if (rank < 0 || rank >= size)
    fail(Code::invalid_argument, concat("rank must be 0 to ", size - 1, ", got ", rank), {}, "rank");
  const Deadline deadline = Deadline::in(options.timeout_ns);
  if (const char* id = secure_getenv("HAFT_HOSTID"); id && options.host.empty()) options.host = id;
  // A name may serve again.
  const std::string meeting = next_meeting(*store, concat("group/", options.name), rank);
  try {
    auto own = make_ref<PrefixStore>(meeting, store);
    Ref<Transport> transport = connect_ranks(*own, rank, size, options.engine, options.host, deadline);
    return Ref<Group>::adopt(new Group(store, own, std::move(transport), std::move(options)));
  } catch (...) {
    give_up_meeting(*store, meeting);
    throw;
  }
}

Group::Group(Ref<Store> store, Ref<Store> own, Ref<Transport> transport, GroupOptions options)
    : store_(std::move(store)),
      options_(std::move(options)),
      transport_(std::move(transport)),
      messages_(own, transport_->rank, transport_->size, options_.engine == "nccl",
                {[this](Work& w) { hold_message(w); }, [this] { die_of_current(); },
                 [this] { Ref<Group>::share(this).leak(); }, [this] { Ref<Group>::adopt(this); }}),
      direct_(*transport_, messages_),
      exchange_(*transport_, [this] { return progress_direct(); }),
      devices_(std::move(own), transport_->rank, transport_->size, options_.engine == "nccl") {}

Group::~Group() = default;

bool Group::inside() const { return serving == this; }

void Group::check_alive() {
  if (is_foreign())
    fail(Code::forked, "the process group was made before fork(), and belongs to the parent",
         "make groups in the process that uses them");
  std::lock_guard lock(mutex_);
  if (closed_) fail(Code::cancelled, "the process group is closed");
  if (failure_.code == Code::ok) transport_->aborted(&failure_);
  if (failure_.code != Code::ok) fail_with(failure_);
}

// ---- issuing ----

Ref<Work> Group::issue(Job job, bool async) {
  check_alive();
  check_job(job, rank(), size());
  if (is_recording() && (job.call.kind == Kind::barrier || job.call.kind == Kind::monitored_barrier))
    fail(Code::unsupported,
         concat("[", kind_name(job.call.kind),
                "] while a device records: it is the host that waits, which no replay would do again"),
         "call it between replays");
  if (job.timeout_ns < 0) job.timeout_ns = options_.timeout_ns;
  auto w = make_ref<Work>(Ref<Group>::share(this), std::move(job));
  if (w->job_.call.device && is_recording()) record_call(*w);
  w->prepare();
  w->deadline_ = Deadline::in(w->job_.timeout_ns);
  Header& call = w->job_.call;
  if (call.kind == Kind::send || call.kind == Kind::recv) {
    issue_direct(w, async);
    if (async) return w;
    w->wait(Deadline::never());
    w->check();
    return w;
  }
  if (inside() && !async)
    fail(Code::recursive, "a callback of the group waits for a collective, which only it could run",
         "start it asynchronously");
  const bool queued = async && !w->recorded_;
  std::unique_lock lock(mutex_);
  if (queued) start_thread_locked();
  if (w->by_device()) start_helpers_locked();
  call.seq = issued_ + 1;
  w->record_ = recorder_.add(call, -1, 0);
  if (queued) queue_.push_back(w);
  ++issued_;  // from here on nothing fails: others wait for its turn
  if (queued) {
    changed_.notify_all();
    if (thread_waits_) transport_->wake();
    return w;
  }
  ++callers_;
  while (turn_ != call.seq && !closed_ && failure_.code == Code::ok) changed_.wait(lock);
  lock.unlock();
  run_turn(*w);
  lock.lock();
  if (--callers_ == 0 && closed_) changed_.notify_all();
  lock.unlock();
  if (!async) w->order_behind();
  w->check();
  return w;
}

void Group::run_turn(Work& w) noexcept {
  try {
    {
      std::lock_guard lock(mutex_);
      if (closed_) fail(Code::cancelled, "the process group was released before the call was through");
      if (failure_.code != Code::ok) fail_with(failure_);
    }
    recorder_.set(w.record_, Recorder::State::started);
    if (w.job_.call.device) {
      if (run_on_device(w)) return hold_for_device(w);
    } else {
      await_agreements();
      run_collective(exchange_, w.job_.call, w.buffers(), w.deadline_);
    }
    w.finish_outputs();
    w.let_go();
    recorder_.set(w.record_, Recorder::State::finished);
    {
      std::lock_guard lock(mutex_);
      ++turn_;
      ++finished_;
    }
    answer(w, {});
    return;
  } catch (...) {
    die_of_current();
  }
  recorder_.set(w.record_, Recorder::State::failed);
  {
    std::lock_guard lock(mutex_);
    ++turn_;
  }
  answer(w, death_);
}

void Group::answer(Work& w, std::shared_ptr<const Error> error) noexcept {
  std::vector<Work::Done> done;
  {
    std::lock_guard lock(mutex_);
    w.error_ = std::move(error);
    buffered_ -= w.buffered_;
    w.state_.store(Work::State::answered, std::memory_order_release);
    done.swap(w.callbacks_);
    changed_.notify_all();
  }
  transport_->wake();
  const Group* before = std::exchange(serving, this);
  for (Work::Done& f : done) f(w);
  serving = before;
}

void Group::die_of_current() noexcept { die(current_failure()); }

void Group::die(const Failure& f) noexcept {
  transport_->fail_all(f);
  bool first;
  {
    std::lock_guard lock(mutex_);
    first = !std::exchange(dead_, true);
    if (first) {
      try {
        if (failure_.code == Code::ok && !transport_->aborted(&failure_)) failure_ = f;
        death_ = std::make_shared<Error>(failure_.code, failure_.text,
                                         "the group is dead; make a new one of the ranks that live");
      } catch (...) {
        failure_.code = Code::out_of_memory;
        death_ = no_memory_;
      }
    }
    changed_.notify_all();
  }
  // What a communicator has begun ends with it, and seems to be done: whoever sees that, sees that the group is dead.
  devices_.give_up();
  messages_.give_up();
  while (Ref<Work> w = direct_.take()) {
    recorder_.set(w->record_, Recorder::State::failed);
    answer(*w, death_);
  }
  for (;;) {
    Ref<Work> w;
    {
      std::lock_guard lock(mutex_);
      watching_.notify_all();
      auto& list = on_device_.empty() ? messages_on_device_ : on_device_;
      if (list.empty()) break;
      w = std::move(list.front());
      list.pop_front();
    }
    recorder_.set(w->record_, Recorder::State::failed);
    answer(*w, death_);
  }
  if (!first || f.code == Code::cancelled) return;
  try {
    log_text(LogLevel::error, "process group \"", options_.name, "\", rank ", rank(), " of ", size(), ": ",
             failure_.text);
    const char* folder = secure_getenv("HAFT_RECORDER_DIR");
    if (!folder) return;
    std::string name = options_.name;
    std::replace(name.begin(), name.end(), '/', '-');
    const std::string path = concat(folder, "/haft-", name, "-rank", rank(), "-", int64_t(getpid()), ".json");
    const std::string json = recorder_json();
    Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file || write(file.get(), json.data(), json.size()) != ssize_t(json.size()))
      log_warning("cannot write ", path, ": ", strerror(errno));
  } catch (...) {  // no memory to tell it
  }
}

// ---- messages ----

void Group::issue_direct(Ref<Work>& w, bool async) {
  const Job& job = w->job_;
  const bool sends = job.call.kind == Kind::send;
  if (!w->on_host_) {
    if (sends && !w->recorded_ && !messages_.may(w->device_, job.peer)) {
      w->stage();
    } else {
      if (sends && !w->recorded_ && w->dense_in_[0].bytes() <= kEager) w->buffer();
      std::lock_guard lock(mutex_);
      start_helpers_locked();
      buffered_ += w->buffered_;
    }
  }
  w->record_ = recorder_.add(job.call, job.peer, job.tag);
  try {
    direct_.enter(w);
  } catch (...) {
    recorder_.set(w->record_, Recorder::State::failed);
    std::lock_guard lock(mutex_);
    buffered_ -= w->buffered_;
    throw;
  }
  try {
    if (sends)
      direct_.send(w);
    else
      direct_.receive(w);
  } catch (...) {
    die_of_current();
  }
  progress_direct();
  if ((!async && !w->buffered_) || w->is_done()) return;
  bool late;
  {
    std::lock_guard lock(mutex_);
    start_thread_locked();
    changed_.notify_all();
    late = dead_;
  }
  if (late) die(failure());  // what died while this came in did not answer it, and nobody may wait for it
}

bool Group::progress_direct() {
  std::vector<Ref<Work>> through;
  bool moved = false;
  try {
    moved = direct_.progress(through);
  } catch (...) {
    die_of_current();
    moved = true;
  }
  for (Ref<Work>& w : through) {
    if (!direct_.leave(*w)) continue;  // the group's death has answered it
    try {
      w->finish_outputs();
      recorder_.set(w->record_, Recorder::State::finished);
      answer(*w, {});
    } catch (...) {
      die_of_current();
      answer(*w, death_);
    }
  }
  return moved;
}

// One round of someone who waits for messages.
void Group::drive_direct(bool& sure, uint32_t seen, int64_t until) noexcept try {
  if (progress_direct()) {
    sure = false;
    return;
  }
  Failure why;
  if (transport_->aborted(&why)) return die(why);
  if (direct_.is_stuck(sure, &why)) {
    if (sure) die(why);
    sure = true;
    return;
  }
  sure = false;
  transport_->wait(seen, std::min(until, direct_.next_deadline()));
} catch (...) {
  die_of_current();
}

// Who waits for messages moves them; the group's thread does so while nobody waits.
class Driver {
  Group& g_;

 public:
  explicit Driver(Group& g) : g_(g) {
    std::lock_guard lock(g.mutex_);
    ++g.drivers_;
  }
  ~Driver() {
    std::lock_guard lock(g_.mutex_);
    if (--g_.drivers_ == 0 && g_.has_thread_) g_.changed_.notify_all();
  }
  Driver(const Driver&) = delete;
};

Work::Work(Ref<Group> group, Job job) : group_(std::move(group)), job_(std::move(job)) {
  if (!job_.in.empty() || !job_.out.empty()) device_ = (job_.in.empty() ? job_.out : job_.in)[0].device();
}
Work::~Work() {
  for (haft_raw_event e : {before_, done_})
    if (e) destroy_event(device_, e);
}

bool Work::test() {
  if (has_ended(true)) return true;
  const bool message = job_.call.kind == Kind::send || job_.call.kind == Kind::recv;
  if (message && !is_under_way())
    group_->progress_direct();
  else if (message)
    group_->reap_messages();
  else if (is_under_way())
    group_->reap_devices();
  return has_ended(true);
}

bool Work::wait(Deadline deadline) {
  Group& g = *group_;
  const bool forever = deadline.is_never();
  if (is_done()) return true;
  if (g.is_foreign())
    fail(Code::forked, "the process group was made before fork(), and belongs to the parent");
  if (job_.call.kind == Kind::send || job_.call.kind == Kind::recv) {
    Driver driver(g);
    bool sure = false;
    while (!has_ended(!forever)) {
      if (deadline.passed()) return false;
      if (is_under_way()) {
        if (!g.reap_messages()) std::this_thread::sleep_for(std::chrono::microseconds(20));
        continue;
      }
      const uint32_t seen = g.transport_->signal();
      if (has_ended(!forever) || is_under_way()) continue;
      g.drive_direct(sure, seen, deadline.at());
    }
    order_behind();
    return true;
  }
  if (!is_under_way() && g.inside())
    fail(Code::recursive, "a callback of the group waits for a collective, which only its thread could run",
         "wait outside of callbacks");
  std::unique_lock lock(g.mutex_);
  while (!has_ended(!forever)) {
    if (deadline.passed()) return false;
    if (is_under_way()) {
      lock.unlock();
      if (!g.reap_devices()) std::this_thread::sleep_for(std::chrono::microseconds(20));
      lock.lock();
    } else if (forever) {
      g.changed_.wait(lock);
    } else {
      g.changed_.wait_for(lock, std::chrono::nanoseconds(deadline.left()));
    }
  }
  lock.unlock();
  order_behind();
  return true;
}

void Work::check() {
  if (error_) throw Error(*error_);
}

void Work::on_done(Done done) {
  if (group_->is_foreign() && !is_done()) fail_with(group_->failure());
  if (!group_->is_foreign()) {
    std::lock_guard lock(group_->mutex_);
    if (!has_ended(true)) return callbacks_.push_back(std::move(done));
  }
  done(*this);
}

// ---- the group's thread ----

void Group::start_thread_locked() {
  if (has_thread_) return;
  auto self = Ref<Group>::share(this);
  const int error = start_quiet_thread(thread_, thread_body, this);
  if (!error) self.leak();  // the thread's
  if (error)
    fail(Code::unavailable, concat("process group: the system starts no thread: ", strerror(error)),
         "call without a work, which needs none");
  has_thread_ = true;
}

void* Group::thread_body(void* group) {
  enter_thread("haft-group");
  Ref<Group>::adopt(static_cast<Group*>(group))->serve();
  return nullptr;
}

void Group::serve() {
  serving = this;
  std::unique_lock lock(mutex_);
  bool sure = false;
  while (!closed_ || !queue_.empty()) {
    if (!queue_.empty() && (turn_ == queue_.front()->job_.call.seq || failure_.code != Code::ok || closed_)) {
      Ref<Work> w = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      run_turn(*w);
      w.reset();
      lock.lock();
      continue;
    }
    if (!drivers_ && !dead_ && !direct_.idle()) {
      thread_waits_ = true;
      const uint32_t seen = transport_->signal();
      lock.unlock();
      drive_direct(sure, seen, INT64_MAX);
      lock.lock();
      thread_waits_ = false;
      continue;
    }
    changed_.wait(lock);
  }
}

void Group::close() noexcept {
  if (is_foreign()) return;
  // What is under way cannot be finished without this rank: the others learn that it has gone.
  bool busy;
  {
    std::unique_lock lock(mutex_);
    if (std::exchange(closing_, true)) return;  // another thread does
    // What the program has sent, until it is received, or its time over.
    while (buffered_ && !dead_ && !inside()) changed_.wait(lock);
    busy = !queue_.empty() || turn_ <= issued_ || !direct_.idle() || (inside() && !unagreed_.empty());
  }
  const bool dead = transport_->aborted(nullptr);
  if (busy && !dead) die_saying(" released the group while calls were under way");
  std::unique_lock lock(mutex_);
  // The device ends these when all ranks have come, or their time does.
  while (!(on_device_.empty() && messages_on_device_.empty() && messages_.is_idle()) && !dead_ && !inside())
    changed_.wait_for(lock, std::chrono::milliseconds(1));
  closed_ = true;
  changed_.notify_all();
  watching_.notify_all();
  agreeing_.notify_all();
  lock.unlock();
  transport_->wake();
  for (auto [has, thread] :
       {std::pair{has_thread_, &thread_}, std::pair{has_watch_, &watch_}, std::pair{has_agree_, &agree_}}) {
    if (!has) continue;
    if (inside())
      detach_thread(*thread);
    else
      join_thread(*thread);
  }
  lock.lock();
  const bool died = dead_;
  lock.unlock();
  if (died) messages_.give_up();  // who has found the death may be on his way there still
  messages_.close(!inside());
  lock.lock();
  while (callers_ && !inside()) changed_.wait(lock);
  lock.unlock();
  if (!busy && !transport_->aborted(nullptr)) transport_->leave();
}

// ---- the group as a whole ----

void Group::die_saying(std::string_view what) noexcept {
  try {
    die({Code::cancelled, rank(), concat("rank ", rank(), what)});
  } catch (...) {
    die({Code::cancelled, rank(), {}});
  }
}

void Group::kill(const std::string& reason) {
  if (!is_foreign()) die_saying(concat(" aborted the group: ", reason));
}

Failure Group::failure() {
  if (is_foreign())
    return {Code::forked, -1, "the process group was made before fork(), and belongs to the parent"};
  std::lock_guard lock(mutex_);
  if (failure_.code == Code::ok) transport_->aborted(&failure_);
  return failure_;
}

// A thread that stayed in the parent may hold the locks of a child's copy.
uint64_t Group::issued() {
  if (is_foreign()) return 0;
  std::lock_guard lock(mutex_);
  return issued_;
}
uint64_t Group::finished() {
  if (is_foreign()) return 0;
  std::lock_guard lock(mutex_);
  return finished_;
}

std::string Group::recorder_json() {
  const Failure f = failure();
  if (is_foreign()) fail_with(f);
  std::string about = concat("\"group\": ", json_text(options_.name), ", \"engine\": \"", engine(),
                             "\", \"rank\": ", rank(), ", \"size\": ", size());
  about += concat(", \"bytes_across_hosts\": ", bytes_across());
  if (f.code != Code::ok) about += concat(", \"failure\": ", json_text(f.text), ", \"culprit\": ", f.culprit);
  return recorder_.json(about);
}

Ref<Group> Group::subgroup(const std::vector<int64_t>& ranks, std::optional<GroupOptions> options) {
  check_alive();
  std::vector<bool> seen(size_t(size()), false);
  int mine = -1;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const int64_t r = ranks[i];
    if (r < 0 || r >= size() || seen[size_t(r)])
      fail(Code::invalid_argument,
           concat("ranks must be different ones of 0 to ", size() - 1, ", got ", ranks), {}, "ranks");
    seen[size_t(r)] = true;
    if (r == rank()) mine = int(i);
  }
  if (ranks.empty()) fail(Code::invalid_argument, "a group has at least 1 rank, got none", {}, "ranks");
  uint64_t number;
  {
    std::lock_guard lock(mutex_);
    number = ++subgroups_;
  }
  if (mine < 0) return {};
  GroupOptions o = options ? *std::move(options) : options_;
  std::string members;
  for (int64_t r : ranks) members += concat(members.empty() ? "" : ",", r);
  o.name = concat(options_.name, "/", number, ":", members);
  constexpr size_t kLongest = 200;  // for keys of stores and the recorder's file, which have limits
  if (o.name.size() > kLongest) o.name = concat("group-", to_hex(sha256(o.name)));
  return create(store_, mine, int(ranks.size()), std::move(o));
}

Ref<Group> Group::split(int64_t color, int64_t key, std::optional<GroupOptions> options) {
  const int64_t two = 2, all[] = {size(), 2};
  Tensor mine = new_tensor(IntList(&two, 1), DType::i64), every = new_tensor(all, DType::i64);
  mine.data<int64_t>()[0] = color;
  mine.data<int64_t>()[1] = key;
  Job job;
  job.call.kind = Kind::all_gather;
  job.in = {mine};
  job.out = {every};
  job.out_parts.assign(size_t(size()), 2);
  run(std::move(job));
  const int64_t* a = every.data<int64_t>();
  std::vector<int64_t> members;
  for (int r = 0; r < size(); ++r)
    if (a[2 * r] == color) members.push_back(r);
  std::stable_sort(members.begin(), members.end(),
                   [&](int64_t x, int64_t y) { return a[2 * x + 1] < a[2 * y + 1]; });
  if (color >= 0) return subgroup(members, std::move(options));
  std::lock_guard lock(mutex_);
  ++subgroups_;
  return {};
}

}  // namespace haft::dist
