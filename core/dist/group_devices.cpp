// Collectives that a device does: how they get there, who compares them, and who watches them. The communication
// stream runs them in the order of their numbers, so the oldest one under way is the one to look at.
#include <cstring>
#include <thread>
#include <utility>

#include "core/backend/stream.h"
#include "core/base/log.h"
#include "core/dispatch/replay.h"
#include "core/dist/group.h"

namespace haft::dist {

namespace {

constexpr int64_t kPatience = 5 * kSecond;
constexpr std::chrono::microseconds kGlance{50}, kLook{1000}, kIdle{20000};
constexpr int kGlances = 40;  // then looks

}  // namespace

// Until all calls before are compared: their bytes come first.
void Group::await_agreements() {
  std::unique_lock lock(mutex_);
  while (!unagreed_.empty() && !dead_ && !closed_) changed_.wait(lock);
  if (failure_.code != Code::ok) fail_with(failure_);
}

// By the device's engine; else through host memory. Nobody waits for other ranks here but to make the communicator,
// for a recording, which nobody compares later, and where the engine itself sets something up at a first use: so the
// call is compared from before on.
bool Group::run_on_device(Work& w) {
  const Header& call = w.job_.call;
  bool joins = w.by_device();
  w.agreed_ = !joins || !devices_.is_made() || w.recorded_ || size() == 1;
  if (w.agreed_) await_agreements();
  if (joins && w.agreed_) agree_on(exchange_, call, w.amounts(), w.deadline_);
  if (joins) joins = devices_.joins(w.device_, w.deadline_);
  if (!joins) {
    w.stage();
    run_collective(exchange_, call, w.buffers(), w.deadline_);
    return false;
  }
  if (!w.agreed_) {
    std::lock_guard lock(mutex_);
    if (!dead_) unagreed_.push_back({call, w.amounts(), w.deadline_});
    agreeing_.notify_all();
  }
  w.done_ = devices_.begin({call, w.device_, w.before_, w.dense_in_, w.dense_out_, w.buffers()},
                           [&](haft_raw_stream s) { w.finish_on(s); });
  return true;
}

// What can be recorded is what the communicator does that is there already. All ranks that record the same are
// refused alike.
void Group::record_call(Work& w) {
  const char* kind = kind_name(w.job_.call.kind);
  const auto refuse = [&](std::string_view why, std::string_view hint) {
    fail(Code::unsupported, concat("[", kind, "] while ", w.device_, " records: ", why), std::string(hint));
  };
  if (w.job_.call.kind == Kind::send || w.job_.call.kind == Kind::recv) {
    if (w.job_.peer < 0) refuse("a recording has to know from whom it receives", "name the peer");
    if (!messages_.is_made(w.job_.peer))
      refuse("the first message of a device between two ranks makes their communicator",
             "run the step once before it is recorded");
    w.recorded_ = true;
    return;
  }
  if (!w.by_device())
    refuse("it goes through host memory, which a recording cannot hold", "call it between replays");
  if (!devices_.is_made())
    refuse("the group's first call on a device makes its communicator",
           "run the step once before it is recorded");
  w.recorded_ = true;
}

void Work::order_behind() {
  if (state_.load(std::memory_order_acquire) == State::enqueued && done_)
    wait_event(device_, done_, current_stream(device_));
}

// It is the next one's turn. Its memory lives as long as its streams use it, whoever lets go of it.
void Group::hold_for_device(Work& w) {
  w.let_go();
  std::vector<Work::Done> told;
  bool dead;
  {
    std::lock_guard lock(mutex_);
    dead = dead_;
    if (!dead && !w.recorded_) on_device_.push_back(Ref<Work>::share(&w));
    if (w.agreed_) agreed_ = w.job_.call.seq;
    ++turn_;
    if (!dead) {
      w.state_.store(Work::State::enqueued, std::memory_order_release);
      if (w.recorded_) {
        ++finished_;
        has_recorded_ = true;
        told.swap(w.callbacks_);
      }
      watching_.notify_all();
    }
    changed_.notify_all();
  }
  if (dead) {
    recorder_.set(w.record_, Recorder::State::failed);
    return answer(w, death_);
  }
  if (w.recorded_) recorder_.set(w.record_, Recorder::State::finished);
  for (Work::Done& f : told) f(w);
}

// Enqueued, by its channel's thread.
void Group::hold_message(Work& w) {
  if (!direct_.leave(w)) return;  // the group's death has answered it
  w.let_go();
  std::vector<Work::Done> told;
  bool dead;
  {
    std::lock_guard lock(mutex_);
    dead = dead_;
    if (!dead) {
      if (!w.recorded_) messages_on_device_.push_back(Ref<Work>::share(&w));
      w.state_.store(Work::State::enqueued, std::memory_order_release);
      if (w.recorded_) {
        has_recorded_ = true;
        told.swap(w.callbacks_);
      }
      watching_.notify_all();
    }
    changed_.notify_all();
  }
  transport_->wake();
  if (dead || w.recorded_)
    recorder_.set(w.record_, dead ? Recorder::State::failed : Recorder::State::finished);
  if (dead) return answer(w, death_);
  for (Work::Done& f : told) f(w);
}

bool Group::reap_messages() noexcept {
  bool found = false;
  for (const Ref<Work>& w : messages_under_way()) {
    try {
      if (!query_event(w->device_, w->done_)) continue;
    } catch (...) {
      die_of_current();
      return true;
    }
    {
      std::lock_guard lock(mutex_);
      if (dead_) return found;
      if (!std::erase_if(messages_on_device_, [&](const Ref<Work>& one) { return one.get() == w.get(); }))
        continue;  // another thread answers it
      patience_ = Deadline::never();
    }
    recorder_.set(w->record_, Recorder::State::finished);
    answer(*w, {});
    found = true;
  }
  return found;
}

std::vector<Ref<Work>> Group::messages_under_way() {
  std::lock_guard lock(mutex_);
  return {messages_on_device_.begin(), messages_on_device_.end()};
}

void Group::look_after_messages() {
  const std::vector<Ref<Work>> under_way = messages_under_way();
  if (under_way.empty()) return;
  Failure why;
  if (transport_->aborted(&why)) fail_with(why);
  messages_.check();
  for (const Ref<Work>& w : under_way) {
    const char* kind = kind_name(w->job_.call.kind);
    const int p = w->job_.peer >= 0 ? w->job_.peer : w->source_;
    if (transport_->life(p) == Transport::Life::ended) {
      std::lock_guard lock(mutex_);
      if (patience_.is_never()) patience_ = Deadline::in(kPatience);
      if (patience_.passed())
        fail_with({Code::peer_lost, p, concat("rank ", p, " ended while the device did [", kind, "]")});
    }
    if (w->deadline_.passed())
      fail(Code::timeout, concat("[", kind, "] the device has not done it in time; rank ", p,
                                 " had come (tag ", w->job_.tag, ")"));
  }
}

// Answers those that the device has done; true when there was one.
bool Group::reap_devices() noexcept {
  bool found = false;
  for (;;) {
    Ref<Work> w;
    {
      std::lock_guard lock(mutex_);
      if (on_device_.empty() || on_device_.front()->job_.call.seq > agreed_) return found;
      w = on_device_.front();
    }
    try {
      if (!query_event(w->device_, w->done_)) return found;
    } catch (...) {
      die_of_current();
      return true;
    }
    {
      std::lock_guard lock(mutex_);
      if (dead_) return found;
      if (on_device_.empty() || on_device_.front().get() != w.get()) continue;  // another thread answers it
      on_device_.pop_front();
      ++finished_;
      patience_ = Deadline::never();
    }
    recorder_.set(w->record_, Recorder::State::finished);
    answer(*w, {});
    found = true;
  }
}

// Of the call under way; NULL: of replays, which have none.
void Group::look_at_peers(const Header* call) {
  Failure why;
  if (transport_->aborted(&why)) fail_with(why);
  if (devices_.is_made()) devices_.check(call ? kind_name(call->kind) : "a recording");
  messages_.check();
  for (int p = 0; p < size(); ++p) {
    if (p == rank() || transport_->life(p) != Transport::Life::ended) continue;
    std::lock_guard lock(mutex_);
    if (patience_.is_never()) patience_ = Deadline::in(kPatience);
    if (patience_.passed())
      fail_with({Code::peer_lost, p,
                 call ? concat("rank ", p, " ended while the device did [", kind_name(call->kind), "]")
                      : concat("rank ", p, " ended while the device did a recording")});
  }
}

void Group::look_after(const Work& w) {
  {
    std::lock_guard lock(mutex_);
    if (w.job_.call.seq > agreed_) return;  // who compares knows better who is late or gone
  }
  look_at_peers(&w.job_.call);
  if (w.deadline_.passed())
    fail(Code::timeout, concat("[", kind_name(w.job_.call.kind),
                               "] the device has not done it in time; all ranks had come"));
}

// ---- the threads that watch and compare ----

void Group::start_helpers_locked() {
  const auto start = [this](bool& has, Thread& thread, void* (*body)(void*)) {
    if (has) return;
    auto self = Ref<Group>::share(this);
    if (const int error = start_quiet_thread(thread, body, this))
      fail(Code::unavailable,
           concat("process group: the system starts no thread, which looks after calls of devices: ",
                  strerror(error)));
    self.leak();  // the thread's
    has = true;
  };
  start(has_watch_, watch_, watch_body);
  if (size() > 1) start(has_agree_, agree_, agree_body);
}

void* Group::agree_body(void* group) {
  enter_thread("haft-agree");
  Ref<Group>::adopt(static_cast<Group*>(group))->agree();
  return nullptr;
}

// Who has enqueued a call tells the others, and finds out whether they do the same.
void Group::agree() {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (dead_ || unagreed_.empty()) {
      agreeing_.wait(lock);
      continue;
    }
    const Unagreed next = unagreed_.front();
    lock.unlock();
    try {
      agree_on(exchange_, next.call, next.amounts, next.deadline);
    } catch (...) {
      die_of_current();
    }
    lock.lock();
    if (dead_) continue;
    agreed_ = next.call.seq;
    unagreed_.pop_front();
    changed_.notify_all();
    watching_.notify_all();
  }
}

void* Group::watch_body(void* group) {
  enter_thread("haft-watch");
  Ref<Group>::adopt(static_cast<Group*>(group))->watch();
  return nullptr;
}

void Group::watch() {
  std::unique_lock lock(mutex_);
  for (int glances = 0; !closed_;) {
    if (dead_ || (on_device_.empty() && messages_on_device_.empty() && !has_recorded_)) {
      glances = 0;
      watching_.wait(lock);
      continue;
    }
    const Ref<Work> w = on_device_.empty() ? Ref<Work>() : on_device_.front();
    const bool messages = !messages_on_device_.empty(), replays = has_recorded_;
    lock.unlock();
    bool found = false;
    try {
      found = reap_devices() | reap_messages();
      if (!found && w)
        look_after(*w);
      else if (!w && replays)
        look_at_peers(nullptr);
      if (!found && messages) look_after_messages();
    } catch (...) {
      die_of_current();
    }
    glances = found ? 0 : std::min(glances + 1, kGlances);
    lock.lock();
    if (!found && !closed_ && !dead_)
      watching_.wait_for(lock, !w && !messages ? kIdle : glances < kGlances ? kGlance : kLook);
  }
}

}  // namespace haft::dist
