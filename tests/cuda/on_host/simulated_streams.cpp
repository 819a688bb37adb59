#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <list>
#include <thread>
#include <utility>

#include "simulated.h"

namespace haft::cuda_on_host {

using namespace cuda;

namespace {

constexpr int kUnjoined = 904, kIsolation = 905, kCapturedEvent = 907;

struct Streams {
  std::list<CUstream_st> all;  // also those that are gone: events remember them
  int64_t streams = 0, events = 0, graphs = 0, run = 0, waits = 0;
  bool queries_run = true;
  int trouble[kDevices] = {};
  std::set<CUevent_st*> known;
  // The legacy default stream, and the one of a thread: here of all threads.
  Stream defaults[kDevices][2] = {};
  pid_t going_on = 0;  // the process whose devices have a thread that goes on by itself
};
Streams& state() {
  static Streams* s = new Streams;
  return *s;
}
thread_local CUctx_st* current = nullptr;
thread_local int last = 0;

int answer(int status) {
  if (status != kSuccess && status != kNotReady) last = status;
  return status;
}
double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

void check_event(Event e, const char* what) {
  if (!state().known.count(e)) mistake(std::string(what) + ": there is no such event");
}
int spoil(CUgraph_st* g, int status) {  // an illegal call ends the recording
  g->invalid = true;
  return answer(status);
}
void done_waiting() { show(-1); }

// As far as it goes; false: something there waits for another process.
bool go_until(Stream s, uint64_t position) {
  while (s->done < position) {
    if (const auto behind = s->queue.front().behind;
        behind && !behind->done && !go_until(behind->stream, behind->position))
      return false;
    CUstream_st::Task t = std::move(s->queue.front());
    s->queue.pop_front();
    show(s->device);
    ++s->done;  // also of one that throws
    if (!trouble(s->device) && !t.run()) {
      --s->done;
      s->queue.push_front(std::move(t));
      return false;
    }
    ++state().run;
  }
  return true;
}

int stream_create(Stream* out, int priority) {
  std::lock_guard guard(lock());
  if (priority != 0 && priority != -1) mistake("a stream of priority " + std::to_string(priority));
  CUstream_st s{};
  s.device = current_device();
  s.priority = priority;
  state().all.push_back(std::move(s));
  ++state().streams;
  *out = &state().all.back();
  return answer(trouble((*out)->device));
}
int stream_destroy(Stream s) {
  std::lock_guard guard(lock());
  if (is_of_current_device(s)) mistake("a default stream is destroyed");
  check_stream(s, "destroying a stream");
  if (s->graph) mistake("a stream is destroyed while it is being recorded");
  run_until(s, s->given);
  done_waiting();
  s->alive = false;
  --state().streams;
  return 0;
}
int stream_synchronize(Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "waiting for a stream");
  if (s->graph) return spoil(s->graph, kStreamCaptureUnsupported);
  run_until(s, s->given);
  done_waiting();
  return answer(trouble(s->device));
}
int stream_device(Stream s, int* device) {
  std::lock_guard guard(lock());
  for (CUstream_st& one : state().all)
    if (&one == s && s->alive) return *device = s->device, 0;
  return answer(kInvalidHandle);
}
int stream_query(Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "asking a stream");
  if (s->graph) return spoil(s->graph, kStreamCaptureUnsupported);
  if (const int failed = trouble(s->device)) return answer(failed);
  if (s->done == s->given) return 0;
  if (state().queries_run) go_until(s, s->given);  // meanwhile
  done_waiting();
  return kNotReady;
}
int device_synchronize() {
  std::lock_guard guard(lock());
  const int device = current_device();
  for (CUstream_st& s : state().all)
    if (s.device == device && s.graph) return spoil(s.graph, kStreamCaptureUnsupported);
  run_device(device);
  return answer(trouble(device));
}

int event_create(Event* out, int timing) {
  std::lock_guard guard(lock());
  *out = new CUevent_st{current_device(), timing != 0, nullptr};
  state().known.insert(*out);
  ++state().events;
  return 0;
}
int event_destroy(Event e) {
  std::lock_guard guard(lock());
  check_event(e, "destroying an event");
  state().known.erase(e);
  --state().events;
  delete e;
  return 0;
}
int event_record(Event e, Stream s) {
  std::lock_guard guard(lock());
  check_event(e, "recording an event");
  check_stream(s, "recording an event");
  if (e->device != s->device) return answer(kInvalidHandle);
  if (const int failed = trouble(s->device)) return answer(failed);
  e->graph = s->graph;
  e->stream = s;
  if (s->graph) {
    e->last = nullptr;
    return 0;
  }
  auto r = std::make_shared<Recording>(Recording{s, s->given + 1});
  e->last = r;
  give(s, [r] {
    r->milliseconds = now();
    r->done = true;
  });
  return 0;
}
int stream_wait_event(Stream s, Event e) {
  std::lock_guard guard(lock());
  check_event(e, "waiting for an event");
  check_stream(s, "waiting for an event");
  if (e->graph) {
    if (s->graph && s->graph != e->graph) return spoil(s->graph, kIsolation);
    s->graph = e->graph;
    e->graph->streams.emplace(s, true);
    if (s != e->stream) e->graph->streams[e->stream] = true;
    return 0;
  }
  if (!e->last) return 0;
  if (s->graph) return spoil(s->graph, kIsolation);
  ++s->given;
  s->queue.push_back({[] { return true; }, e->last});
  return 0;
}
int event_query(Event e) {
  std::lock_guard guard(lock());
  check_event(e, "asking an event");
  if (e->graph) return spoil(e->graph, kCapturedEvent);
  if (const int failed = trouble(e->device)) return answer(failed);
  if (!e->last || e->last->done) return 0;
  if (state().queries_run) go_until(e->last->stream, e->last->position);  // meanwhile
  done_waiting();
  return kNotReady;
}
int event_synchronize(Event e) {
  std::lock_guard guard(lock());
  check_event(e, "waiting for an event");
  if (e->graph) return spoil(e->graph, kCapturedEvent);
  if (e->last) run_until(e->last->stream, e->last->position);
  done_waiting();
  return answer(trouble(e->device));
}
int event_elapsed(float* ms, Event a, Event b) {
  std::lock_guard guard(lock());
  check_event(a, "the time between events");
  check_event(b, "the time between events");
  if (!a->timing || !b->timing || !a->last || !b->last) return answer(kInvalidHandle);
  if (!a->last->done || !b->last->done) return kNotReady;
  *ms = float(b->last->milliseconds - a->last->milliseconds);
  return 0;
}

int capture_begin(Stream s) {
  std::lock_guard guard(lock());
  const bool legacy = s == kLegacyStream;
  check_stream(s, "a recording's begin");
  if (s->graph || legacy) return answer(kStreamCaptureUnsupported);
  s->graph = new CUgraph_st;
  s->graph->origin = s;
  s->graph->streams[s] = true;
  ++state().graphs;
  return answer(trouble(s->device));
}
int capture_end(Stream s, Graph* out) {
  std::lock_guard guard(lock());
  check_stream(s, "a recording's end");
  *out = nullptr;
  CUgraph_st* g = s->graph;
  if (!g || g->origin != s) return answer(kStreamCaptureInvalidated);
  bool joined = true;
  for (auto [stream, waited] : g->streams) {
    joined = joined && (stream == s || waited);
    stream->graph = nullptr;
  }
  for (Event e : state().known)
    if (e->graph == g) e->graph = nullptr;
  const int status = g->invalid ? int(kStreamCaptureInvalidated) : joined ? 0 : kUnjoined;
  if (status == 0) {
    *out = g;
    return 0;
  }
  --state().graphs;
  delete g;
  return answer(status);
}
int capture_status(Stream s, CaptureStatus* out) {
  std::lock_guard guard(lock());
  check_stream(s, "a stream's state");
  *out = !s->graph ? kNotCapturing : s->graph->invalid ? kCaptureInvalidated : kCapturing;
  return 0;
}
int graph_instantiate(GraphExec* out, Graph g) {
  std::lock_guard guard(lock());
  *out = new CUgraphExec_st{std::make_shared<std::vector<std::function<bool()>>>(g->nodes), g->meets};
  ++state().graphs;
  return 0;
}
int graph_launch(GraphExec e, Stream s) {
  std::lock_guard guard(lock());
  check_stream(s, "a graph's replay");
  if (const int failed = trouble(s->device)) return answer(failed);
  auto give_to = e->meets ? give_meeting : give_steps;
  give_to(s, [nodes = *e->nodes, at = size_t(0), call = cupti_call()]() mutable {
    run_replay(call, [&] {
      while (at < nodes.size() && nodes[at]()) ++at;
    });
    return at == nodes.size();
  });
  return 0;
}
int graph_exec_destroy(GraphExec e) {
  std::lock_guard guard(lock());
  --state().graphs;
  delete e;
  return 0;
}
int graph_destroy(Graph g) {
  std::lock_guard guard(lock());
  --state().graphs;
  delete g;
  return 0;
}

}  // namespace

int& trouble(int device) { return state().trouble[device]; }
void fail_device(int device, int error) {
  std::lock_guard guard(lock());
  trouble(device) = error;
}
std::vector<std::string>& ranges() {
  thread_local std::vector<std::string> mine;
  return mine;
}
int64_t tasks_run() {
  std::lock_guard guard(lock());
  return state().run;
}

int64_t waits() {
  std::lock_guard guard(lock());
  return state().waits;
}
void let_queries_run(bool on) {
  std::lock_guard guard(lock());
  state().queries_run = on;
}

bool has_device() { return current != nullptr; }
int current_device() {
  if (!current) mistake("no device is current: a DeviceScope is missing");
  return current->device;
}
void check_stream_alone(Stream& s, const char* what) {
  if (!s) mistake(std::string(what) + ": on the legacy default stream, which waits for all others");
  if (is_of_current_device(s)) {
    Stream& real = state().defaults[current_device()][s == kStreamOfThread];
    if (!real) {
      state().all.emplace_back();
      real = &state().all.back();
      real->device = current_device();
    }
    s = real;
  }
  if (!s->alive) mistake(std::string(what) + ": the stream was destroyed");
}
void check_stream(Stream& s, const char* what) {
  check_stream_alone(s, what);
  const int device = current_device();
  if (s->device != device)
    mistake(std::string(what) + ": the stream is of device " + std::to_string(s->device) +
            ", the current one is " + std::to_string(device));
}

void give(Stream s, std::function<void()> run) {
  give_steps(s, [run = std::move(run)] {
    run();
    return true;
  });
}
void give_steps(Stream s, std::function<bool()> step) {
  if (s->graph) {
    s->graph->nodes.push_back(std::move(step));
    s->graph->streams[s] = s == s->graph->origin;  // until another waits for it
    return;
  }
  ++s->given;
  s->queue.push_back({std::move(step), nullptr});
}
void give_meeting(Stream s, std::function<bool()> step) {
  give_steps(s, std::move(step));
  if (s->graph)
    s->graph->meets = true;
  else
    s->meets = s->given;
}
// A device goes on by itself: what other processes wait for, and was there when somebody waited last, ends although
// nobody waits for it here.
static void go_on() {
  const auto meet = [] {
    std::lock_guard guard(lock());
    bool met = true;
    for (CUstream_st& s : state().all) met = go_until(&s, s.goes_on) && met;
    done_waiting();
    if (met) state().going_on = 0;
    return met;
  };
  while (!meet()) std::this_thread::sleep_for(std::chrono::microseconds(100));
}
// What waits for another process lets this one go on: its other streams, and other threads.
void run_until(Stream s, uint64_t position) {
  if (s->done < position) ++state().waits;
  while (!go_until(s, position)) {
    for (CUstream_st& other : state().all) go_until(&other, other.given);
    done_waiting();
    lock().unlock();
    sched_yield();
    lock().lock();
  }
  bool met = true;
  for (CUstream_st& other : state().all) met = go_until(&other, other.goes_on = other.meets) && met;
  if (!met && std::exchange(state().going_on, getpid()) != getpid()) std::thread(go_on).detach();
}
// The stream made last goes first: an order that nobody should count on.
void run_device(int device) {
  for (auto s = state().all.rbegin(); s != state().all.rend(); ++s)
    if (s->device == device) run_until(&*s, s->given);
  done_waiting();
}

Live count_streams() {
  Live l;
  l.streams = state().streams;
  l.events = state().events;
  l.graphs = state().graphs;
  return l;
}

namespace {
CUctx_st contexts[kDevices] = {{0}, {1}, {2}, {3}};

// A device that code of others makes current for a call.
struct OnDevice {
  CUctx_st* before = current;
  explicit OnDevice(int device) { current = &contexts[device]; }
  ~OnDevice() { current = before; }
};
}  // namespace

void fill_streams(Runtime& r) {
  r.set_device = [](int d) {
    if (d < 0 || d >= kDevices) return answer(kInvalidDevice);
    current = &contexts[d];
    return 0;
  };
  r.get_context = [](Context* c) { return *c = current, 0; };
  r.set_context = [](Context c) { return current = c, 0; };
  r.last_error = [] { return std::exchange(last, 0); };
  r.stream_create = stream_create;
  r.stream_destroy = stream_destroy;
  r.stream_synchronize = stream_synchronize;
  r.stream_query = stream_query;
  r.stream_device = stream_device;
  r.stream_wait_event = stream_wait_event;
  r.device_synchronize = device_synchronize;
  r.event_create = event_create;
  r.event_destroy = event_destroy;
  r.event_record = event_record;
  r.event_query = event_query;
  r.event_synchronize = event_synchronize;
  r.event_elapsed = event_elapsed;
  r.capture_begin = capture_begin;
  r.capture_end = capture_end;
  r.capture_status = capture_status;
  r.graph_instantiate = graph_instantiate;
  r.graph_launch = graph_launch;
  r.graph_exec_destroy = graph_exec_destroy;
  r.graph_destroy = graph_destroy;
}

}  // namespace haft::cuda_on_host

// For programs that see the simulation as a plug-in.
extern "C" {
[[gnu::visibility("default")]] int64_t haft_simulated_tasks() { return haft::cuda_on_host::tasks_run(); }
[[gnu::visibility("default")]] int64_t haft_simulated_waits() { return haft::cuda_on_host::waits(); }
[[gnu::visibility("default")]] void haft_simulated_queries(int run) {
  haft::cuda_on_host::let_queries_run(run != 0);
}

// Code of others: it makes streams (0: the legacy default stream), gives them a kernel that adds to n numbers, and
// waits for them.
[[gnu::visibility("default")]] void* haft_simulated_stream(int device) {
  using namespace haft::cuda_on_host;
  OnDevice there(device);
  Stream s;
  stream_create(&s, 0);
  return s;
}
[[gnu::visibility("default")]] void haft_simulated_stream_destroy(void* stream, int device) {
  using namespace haft::cuda_on_host;
  OnDevice there(device);
  stream_destroy(static_cast<Stream>(stream));
}
[[gnu::visibility("default")]] void haft_simulated_add(void* stream, int device, float* p, int64_t n,
                                                       float value) {
  using namespace haft::cuda_on_host;
  OnDevice there(device);
  std::lock_guard guard(lock());
  Stream s = stream ? static_cast<Stream>(stream) : haft::cuda::kLegacyStream;
  check_stream(s, "a kernel of others");
  const Block& b = check_range(p, size_t(n) * sizeof *p, device, "a kernel of others");
  give(s, [p, n, value, &b] {
    if (!b.there) mistake("a kernel of others: the memory is not there yet, or no longer");
    for (int64_t i = 0; i < n; ++i) p[i] += value;
  });
}
[[gnu::visibility("default")]] void haft_simulated_wait(void* stream, int device) {
  using namespace haft::cuda_on_host;
  OnDevice there(device);
  stream_synchronize(stream ? static_cast<Stream>(stream) : haft::cuda::kLegacyStream);
}
}
