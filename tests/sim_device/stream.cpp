// Streams, events, failures: everything that happens late.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "sim.h"

namespace sim {

namespace {

std::atomic<bool> forked{false};
std::atomic<bool> exiting{false};

using Work = std::function<void()>;

// What the streams that belong to it were asked to do, in that order.
struct Recording {
  const haft_raw_stream origin;
  std::mutex mutex;
  std::vector<Work> work;
  std::set<haft_raw_stream> joined;  // other streams that belong to it
  std::set<haft_raw_stream> open;    // those whose latest work nobody has waited for
  bool ended = false;
  explicit Recording(haft_raw_stream s) : origin(s) {}
};
using RecordingRef = std::shared_ptr<Recording>;

void at_exit();

class Stream {
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> tasks_;
  uint64_t submitted_ = 0, finished_ = 0;
  bool stop_ = false, held_ = false;
  RecordingRef recording_;
  std::thread thread_;

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || (!held_ && !tasks_.empty()); });
      if (tasks_.empty()) return;
      Work task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      task = nullptr;  // gives up its memory before anybody learns that it is done
      // Again, behind what libraries have made meanwhile that goes at the end of the process, too.
      if (const uint64_t n = finished_ + 1; (n & (n - 1)) == 0) std::atexit(at_exit);
      lock.lock();
      ++finished_;
      changed_.notify_all();
    }
  }

 public:
  Stream() : thread_([this] { run(); }) {}

  void push(Work task) {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++submitted_;
    changed_.notify_all();
  }
  // Until what was submitted before the call is done.
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&, until = submitted_] { return finished_ >= until; });
  }
  bool is_idle() {
    std::lock_guard lock(mutex_);
    return finished_ == submitted_;
  }
  void hold(bool on) {
    std::lock_guard lock(mutex_);
    held_ = on;
    changed_.notify_all();
  }
  RecordingRef recording() {
    std::lock_guard lock(mutex_);
    return recording_;
  }
  void set_recording(RecordingRef r) {
    std::lock_guard lock(mutex_);
    recording_ = std::move(r);
  }
  void finish() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }
};

// Counts its recordings; a waiter waits for the recording that was last when it asked.
struct Event {
  const bool timing;
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t recorded = 0, done = 0;
  std::chrono::steady_clock::time_point at;  // of the recording `done`
  RecordingRef captured;                     // where it was recorded last, if that was part of a recording
  haft_raw_stream captured_on = 0;
  explicit Event(bool t) : timing(t) {}
};
using EventRef = std::shared_ptr<Event>;

struct DeviceState {
  std::mutex mutex;
  std::map<haft_raw_stream, std::shared_ptr<Stream>> streams;  // 0: made at first use
  std::optional<Failure> failure;
};

struct State {
  DeviceState devices[kDevices];
  std::mutex events_mutex;
  std::map<haft_raw_event, EventRef> events;  // of all devices: streams wait for each other's
  std::mutex graphs_mutex;
  std::map<haft_raw_graph, std::shared_ptr<std::vector<Work>>> graphs;
  std::atomic<uint64_t> next_id{1};
};

State& state() {
  static State* s = new State;
  return *s;
}

std::shared_ptr<Stream> stream(int device, haft_raw_stream s) {
  DeviceState& d = state().devices[device];
  std::lock_guard lock(d.mutex);
  auto it = d.streams.find(s);
  if (it != d.streams.end()) return it->second;
  if (s != 0)
    throw Failure{kInvalidArgument, "sim:" + std::to_string(device) + " has no stream " + std::to_string(s)};
  return d.streams[0] = std::make_shared<Stream>();
}

EventRef event(haft_raw_event e) {
  State& st = state();
  std::lock_guard lock(st.events_mutex);
  auto it = st.events.find(e);
  if (it == st.events.end()) throw Failure{kInvalidArgument, "sim has no event " + std::to_string(e)};
  return it->second;
}

std::vector<std::shared_ptr<Stream>> all_streams(int device) {
  DeviceState& d = state().devices[device];
  std::lock_guard lock(d.mutex);
  std::vector<std::shared_ptr<Stream>> out;
  for (auto& [id, s] : d.streams) out.push_back(s);
  return out;
}

bool failed(int device) {
  DeviceState& d = state().devices[device];
  std::lock_guard lock(d.mutex);
  return d.failure.has_value();
}

// Threads must end before the libraries that their kernels run in.
void at_exit() {
  if (forked) return;
  exiting = true;
  abandon_collectives();
  for (int device = 0; device < kDevices; ++device)
    for (auto& s : all_streams(device)) s->finish();
}

}  // namespace

void watch_process() {
  static const bool once = [] {
    pthread_atfork(nullptr, nullptr, [] { forked = true; });
    std::atexit(at_exit);
    return true;
  }();
  (void)once;
}

void check_index(int32_t index) {
  if (forked) throw Failure{kForked, "sim does not survive fork()"};
  if (index < 0 || index >= kDevices)
    throw Failure{kDevice, "there is no sim:" + std::to_string(index) + "; there are sim:0..3"};
}

namespace {

void push_work(int device, Stream& s, Work work) {
  int64_t delay = env_number("HAFT_SIM_DELAY_US", 0);
  s.push([device, delay, work = std::move(work)] {
    if (exiting || failed(device)) return;
    if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
    work();
  });
}

}  // namespace

void enqueue(int device, haft_raw_stream s, Work work) {
  std::shared_ptr<Stream> on = stream(device, s);
  RecordingRef r = on->recording();
  if (!r) return push_work(device, *on, std::move(work));
  std::lock_guard lock(r->mutex);
  r->work.push_back(std::move(work));
  if (s != r->origin) r->open.insert(s);
}

void hold_stream(int device, haft_raw_stream s, bool on) { stream(device, s)->hold(on); }

void fail_device(int device, int32_t code, const std::string& text) {
  DeviceState& d = state().devices[device];
  std::lock_guard lock(d.mutex);
  if (!d.failure)
    d.failure = Failure{code, "an earlier call failed on sim:" + std::to_string(device) + ": " + text};
}

void throw_if_failed(int device) {
  DeviceState& d = state().devices[device];
  std::lock_guard lock(d.mutex);
  if (d.failure) throw *d.failure;
}

void wait_device(int device) {
  for (auto& s : all_streams(device))
    if (s->recording()) throw Failure{kUnsupported, "waiting for a device cannot be recorded"};
  for (auto& s : all_streams(device)) s->wait();
}

void synchronize_device(int device) {
  wait_device(device);
  DeviceState& d = state().devices[device];
  std::optional<Failure> f;
  {
    std::lock_guard lock(d.mutex);
    f.swap(d.failure);
  }
  if (f) throw *f;
}

void synchronize_stream(int device, haft_raw_stream s) {
  refuse_recording(device, s, "waiting for a stream");
  stream(device, s)->wait();
  throw_if_failed(device);
}

bool is_idle(int device, haft_raw_stream s) {
  refuse_recording(device, s, "asking a stream");
  return stream(device, s)->is_idle();
}

haft_raw_stream create_stream(int device) {
  DeviceState& d = state().devices[device];
  haft_raw_stream id = state().next_id++;
  auto made = std::make_shared<Stream>();
  std::lock_guard lock(d.mutex);
  d.streams[id] = made;
  return id;
}

void destroy_stream(int device, haft_raw_stream s) {
  std::shared_ptr<Stream> old = stream(device, s);
  old->finish();
  DeviceState& d = state().devices[device];
  std::lock_guard lock(d.mutex);
  d.streams.erase(s);
}

haft_raw_event create_event(bool timing) {
  State& st = state();
  haft_raw_event id = st.next_id++;
  std::lock_guard lock(st.events_mutex);
  st.events[id] = std::make_shared<Event>(timing);
  return id;
}

void destroy_event(haft_raw_event e) {
  State& st = state();
  std::lock_guard lock(st.events_mutex);
  st.events.erase(e);
}

void record_event(int device, haft_raw_event e, haft_raw_stream s) {
  EventRef ev = event(e);
  std::shared_ptr<Stream> on = stream(device, s);
  RecordingRef r = on->recording();
  uint64_t ticket;
  {
    std::lock_guard lock(ev->mutex);
    ev->captured = r;
    ev->captured_on = s;
    if (r) return;
    ticket = ++ev->recorded;
  }
  on->push([ev, ticket] {
    std::lock_guard lock(ev->mutex);
    if (ev->done < ticket) {
      ev->done = ticket;
      ev->at = std::chrono::steady_clock::now();
    }
    ev->changed.notify_all();
  });
}

void wait_event(int device, haft_raw_event e, haft_raw_stream s) {
  EventRef ev = event(e);
  std::shared_ptr<Stream> on = stream(device, s);
  RecordingRef mine = on->recording(), of_event;
  uint64_t ticket;
  {
    std::lock_guard lock(ev->mutex);
    ticket = ev->recorded;
    of_event = ev->captured;
    if (of_event) {
      std::lock_guard inner(of_event->mutex);
      if (of_event->ended)
        throw Failure{kInvalidArgument, "the recording that the event belongs to has ended"};
      of_event->open.erase(ev->captured_on);
      if (s != of_event->origin && of_event->joined.insert(s).second) of_event->open.insert(s);
    }
  }
  if (mine && mine != of_event)
    throw Failure{kUnsupported, "a stream that records waits for an event outside of the recording"};
  // The order of the recorded work is the order that it waits in.
  if (of_event) return on->set_recording(of_event);
  on->push([ev, ticket] {
    std::unique_lock lock(ev->mutex);
    ev->changed.wait(lock, [&] { return ev->done >= ticket; });
  });
}

namespace {

void refuse_captured(const Event& ev) {
  if (ev.captured) throw Failure{kUnsupported, "an event of a recording does not pass: it is replayed"};
}

}  // namespace

bool event_done(haft_raw_event e) {
  EventRef ev = event(e);
  std::lock_guard lock(ev->mutex);
  refuse_captured(*ev);
  return ev->done >= ev->recorded;
}

void synchronize_event(haft_raw_event e) {
  EventRef ev = event(e);
  std::unique_lock lock(ev->mutex);
  refuse_captured(*ev);
  ev->changed.wait(lock, [&, until = ev->recorded] { return ev->done >= until; });
}

double elapsed_ms(haft_raw_event start, haft_raw_event end) {
  auto time = [](haft_raw_event e) {
    EventRef ev = event(e);
    std::lock_guard lock(ev->mutex);
    std::string name = "event " + std::to_string(e);
    if (!ev->timing) throw Failure{kInvalidArgument, name + " was made without HAFT_EVENT_TIMING"};
    if (!ev->recorded) throw Failure{kInvalidArgument, name + " was never recorded"};
    if (ev->done < ev->recorded) throw Failure{kInvalidArgument, name + " has not passed yet"};
    return ev->at;
  };
  return std::chrono::duration<double, std::milli>(time(end) - time(start)).count();
}

// ---- recordings ----

bool is_recording(int device, haft_raw_stream s) { return stream(device, s)->recording() != nullptr; }

void refuse_recording(int device, haft_raw_stream s, const char* what) {
  if (is_recording(device, s)) throw Failure{kUnsupported, std::string(what) + " cannot be recorded"};
}

void begin_recording(int device, haft_raw_stream s) {
  std::shared_ptr<Stream> on = stream(device, s);
  if (on->recording()) throw Failure{kInvalidArgument, "stream " + std::to_string(s) + " records already"};
  on->set_recording(std::make_shared<Recording>(s));
}

haft_raw_graph end_recording(int device, haft_raw_stream s, bool keep) {
  std::shared_ptr<Stream> on = stream(device, s);
  RecordingRef r = on->recording();
  if (!r || r->origin != s)
    throw Failure{kInvalidArgument, "no recording began on stream " + std::to_string(s)};
  on->set_recording(nullptr);
  std::lock_guard lock(r->mutex);
  for (haft_raw_stream other : r->joined) stream(device, other)->set_recording(nullptr);
  r->ended = true;
  if (!keep) return 0;
  if (!r->open.empty())
    throw Failure{kInvalidArgument, "the recording ends before its stream has waited for stream " +
                                        std::to_string(*r->open.begin())};
  State& st = state();
  haft_raw_graph id = st.next_id++;
  std::lock_guard graphs(st.graphs_mutex);
  st.graphs[id] = std::make_shared<std::vector<Work>>(std::move(r->work));
  return id;
}

void replay(int device, haft_raw_graph graph, haft_raw_stream s) {
  std::shared_ptr<std::vector<Work>> work;
  {
    State& st = state();
    std::lock_guard lock(st.graphs_mutex);
    auto it = st.graphs.find(graph);
    if (it == st.graphs.end()) throw Failure{kInvalidArgument, "sim has no graph " + std::to_string(graph)};
    work = it->second;
  }
  enqueue(device, s, replayed([work] {
            for (const Work& w : *work) w();
          }));
}

void destroy_graph(haft_raw_graph graph) {
  State& st = state();
  std::shared_ptr<std::vector<Work>> last;  // destroyed outside the lock
  std::lock_guard lock(st.graphs_mutex);
  auto it = st.graphs.find(graph);
  if (it == st.graphs.end()) return;
  last = std::move(it->second);
  st.graphs.erase(it);
}

}  // namespace sim
