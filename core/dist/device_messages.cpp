#include "core/dist/device_messages.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/base/fork.h"
#include "core/base/thread_state.h"
#include "core/dist/device_calls.h"
#include "core/dist/sha256.h"

namespace haft::dist {

namespace {

// The engine of a type of device, whose library may be missing: why, then.
std::string missing(Device d) {
  static std::mutex mutex;
  static auto& known = *new std::map<uint16_t, std::string>;
  std::lock_guard lock(mutex);
  const auto at = known.find(d.type);
  if (at != known.end()) return at->second;
  haft_unique_id id;
  char error[512] = "it makes no groups";
  const bool works = collectives(d.type).unique_id(&id, error, sizeof error) == 0;
  return known[d.type] = works ? "" : error;
}

}  // namespace

// What a channel's thread begins with.
struct DeviceMessages::Start {
  DeviceMessages& messages;
  Channel& channel;
};

DeviceMessages::DeviceMessages(Ref<Store> store, int rank, int size, bool named, Owner owner)
    : store_(std::move(store)), rank_(rank), named_(named), owner_(std::move(owner)) {
  for (int p = 0; p < size; ++p) channels_.push_back(std::make_unique<Channel>(Channel{.peer = p}));
}

bool DeviceMessages::may(Device d, int peer) {
  if (!has_collectives(d)) return false;
  if (const std::string why = missing(d); !why.empty()) {
    if (named_)
      fail(Code::unavailable, concat("process group of ", collectives(d.type).name, ": ", why),
           "install the library, or make the group without naming an engine", "engine");
    return false;
  }
  std::lock_guard lock(mutex_);
  return !channels_[size_t(peer)]->by_host;
}

DeviceMessages::Facts DeviceMessages::facts(Device d) {
  const std::string all = device_identity(d), type = sha256(all.substr(0, all.find(' '))), one = sha256(all);
  Facts f;
  std::memcpy(&f[0], type.data(), sizeof f[0]);
  std::memcpy(&f[1], one.data(), sizeof f[1]);
  return f;
}

bool DeviceMessages::fits(Device d, int peer, const Facts& theirs) {
  if (!may(d, peer)) return false;
  const Facts mine = facts(d);
  const bool good = mine[0] == theirs[0] && mine[1] != theirs[1];
  if (!good && named_)
    fail(Code::device,
         concat("process group of ", collectives(d.type).name, ": ranks ", std::min(rank_, peer), " and ",
                std::max(rank_, peer),
                mine[0] == theirs[0] ? " share one device, " : " have devices of different types, here ",
                device_identity(d), " (", d,
                "); give each process a device of its own, by its local rank, or make the group without "
                "naming an engine"));
  if (!good) go_by_host(peer);
  return good;
}

void DeviceMessages::go_by_host(int peer) {
  std::lock_guard lock(mutex_);
  channels_[size_t(peer)]->by_host = true;
}

bool DeviceMessages::is_made(int peer) {
  std::lock_guard lock(mutex_);
  return channels_[size_t(peer)]->comm;
}

void DeviceMessages::add(Ref<Work> w, int peer) {
  std::lock_guard lock(mutex_);
  Channel& c = *channels_[size_t(peer)];
  if (!c.has_thread) {
    auto start = std::make_unique<Start>(Start{*this, c});
    if (const int error = start_quiet_thread(c.thread, body, start.get()))
      fail(Code::unavailable,
           concat("process group: the system starts no thread, which enqueues messages of devices: ",
                  strerror(error)));
    start.release();
    owner_.keep();
    c.has_thread = true;
  }
  c.queue.push_back(std::move(w));
  changed_.notify_all();
}

void* DeviceMessages::body(void* given) {
  enter_thread("haft-message");
  const std::unique_ptr<Start> start(static_cast<Start*>(given));
  const auto let_go = start->messages.owner_.let_go;
  start->messages.serve(start->channel);
  let_go();
  return nullptr;
}

void DeviceMessages::serve(Channel& c) noexcept {
  std::unique_lock lock(mutex_);
  while (!closed_) {
    if (given_up_) c.queue.clear();
    if (c.queue.empty()) {
      changed_.wait(lock);
      continue;
    }
    std::vector<Ref<Work>> batch;  // one step: both directions at once
    while (!c.queue.empty() && (batch.empty() || batch[0]->recorded_ == c.queue.front()->recorded_)) {
      batch.push_back(std::move(c.queue.front()));
      c.queue.pop_front();
    }
    c.busy = true;
    lock.unlock();
    try {
      if (!c.comm) make(c, batch[0]->device_, batch[0]->deadline_);
      enqueue(c, batch);
      for (const Ref<Work>& w : batch) owner_.enqueued(*w);
    } catch (...) {
      owner_.failed();
    }
    batch.clear();
    lock.lock();
    c.busy = false;
  }
}

void DeviceMessages::make(Channel& c, Device d, Deadline deadline) {
  const haft_collectives& engine = collectives(d.type);
  const int low = std::min(rank_, c.peer), high = std::max(rank_, c.peer);
  const std::string key = concat("messages/", low, "-", high);
  haft_unique_id id;
  char error[512] = "";
  if (rank_ == low) {
    if (const int32_t status = engine.unique_id(&id, error, sizeof error))
      fail(Code(status), concat("a communicator of ", engine.name, ": ", error));
    store_->set(key, std::string(reinterpret_cast<char*>(id.bytes), sizeof id.bytes));
  } else {
    const std::string told = store_->get(key, deadline);
    if (told.size() != sizeof id.bytes)
      fail(Code::corrupt, concat("rank ", low, " tells no id for messages of devices"));
    std::copy(told.begin(), told.end(), id.bytes);
  }
  uint64_t comm = 0;
  const int64_t ms = deadline.is_never() ? 0 : std::max<int64_t>(1, deadline.left() / 1'000'000);
  if (const int32_t status =
          engine.init(d.index, rank_ == low ? 0 : 1, 2, &id, ms, &comm, error, sizeof error))
    fail(Code(status), concat("a communicator of ", engine.name, " between ranks ", low, " and ", high,
                              " on ", d, ": ", error));
  const haft_raw_stream stream = create_stream(d, -1);
  std::lock_guard lock(mutex_);
  c.device = d;
  c.stream = stream;
  c.comm = comm;
  if (given_up_) (*engine.abort)(comm, error, sizeof error);
}

void DeviceMessages::enqueue(Channel& c, std::span<const Ref<Work>> batch) {
  const haft_collectives& e = collectives(c.device.type);
  const StreamGuard on(c.device, c.stream);
  const ScopedValue<bool> no_grad(thread_state().grad_enabled, false);
  const int peer = rank_ < c.peer ? 1 : 0;
  char error[512] = "", ended[512] = "";
  for (const Ref<Work>& w : batch) {
    if (w->device_ != c.device)
      fail(Code::device,
           concat("messages between ranks ", rank_, " and ", c.peer, " go by ", c.device,
                  ", the first one's device; got a tensor of ", w->device_),
           "keep a rank's tensors on one device");
    wait_event(c.device, w->before_, c.stream);
    for (const auto* list : {&w->dense_in_, &w->dense_out_})
      for (const Tensor& t : *list) record_stream(*t.impl()->storage, c.device, c.stream);
  }
  int32_t status = e.group_begin(error, sizeof error);
  const char* kind = kind_name(batch[0]->job_.call.kind);
  if (!status) {
    for (const Ref<Work>& w : batch) {
      kind = kind_name(w->job_.call.kind);
      const bool sends = w->job_.call.kind == Kind::send;
      const Tensor& t = sends ? w->dense_in_[0] : w->dense_out_[0];
      if (!t.numel()) continue;
      const auto dtype = int32_t(t.dtype());
      void* data = t.view().data;
      status = sends ? e.send(c.comm, data, t.numel(), dtype, peer, c.stream, error, sizeof error)
                     : e.recv(c.comm, data, t.numel(), dtype, peer, c.stream, error, sizeof error);
      if (status) break;
    }
    const int32_t last = e.group_end(ended, sizeof ended);
    if (!status && last) {
      status = last;
      std::copy(std::begin(ended), std::end(ended), error);
    }
  }
  if (status) fail(status > 0 ? Code(status) : Code::device, concat("[", kind, "] ", error));
  for (const Ref<Work>& w : batch) {
    w->finish_on(c.stream);
    w->done_ = create_event(c.device);
    record_event(c.device, w->done_, c.stream);
  }
}

bool DeviceMessages::is_idle() {
  std::lock_guard lock(mutex_);
  return std::ranges::all_of(channels_, [](const auto& c) { return !c->busy && c->queue.empty(); });
}

void DeviceMessages::check() {
  for (const auto& c : channels_) {
    if (!is_made(c->peer)) continue;
    char error[512] = "";
    int32_t status = 0;
    const int32_t asked = collectives(c->device.type).async_error(c->comm, &status, error, sizeof error);
    if (const int32_t found = asked ? asked : status)
      fail(found > 0 ? Code(found) : Code::device, concat("[a message with rank ", c->peer, "] ", error));
  }
}

void DeviceMessages::give_up() noexcept {
  std::lock_guard lock(mutex_);
  if (std::exchange(given_up_, true)) return;
  char error[64];
  for (const auto& c : channels_)
    if (c->comm) (*collectives(c->device.type).abort)(c->comm, error, sizeof error);
  changed_.notify_all();
}

void DeviceMessages::close(bool join) noexcept {
  for (const auto& c : channels_) {
    bool waits = join;
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
      changed_.notify_all();
      if (!std::exchange(c->has_thread, false)) continue;
      waits &= !given_up_ || !c->busy;  // it may wait for a peer that will never come, and keeps what it uses
    }
    if (waits)
      join_thread(c->thread);
    else
      detach_thread(c->thread);
  }
}

DeviceMessages::~DeviceMessages() {
  if (in_forked_child()) return;
  for (const auto& c : channels_) {
    if (!c->comm) continue;
    collectives(c->device.type).destroy(c->comm);
    try {
      destroy_stream(c->device, c->stream);
    } catch (...) {  // a device that has failed has told so elsewhere
    }
  }
}

}  // namespace haft::dist
