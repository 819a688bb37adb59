#include "core/dist/device_calls.h"

#include <algorithm>

#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "core/backend/stream.h"
#include "core/base/log.h"
#include "core/base/thread_state.h"
#include "core/ops/functions.h"

namespace haft::dist {

namespace {

const haft_collectives& engine_of(Device d) { return collectives(d.type); }

[[noreturn]] void fail_engine(int32_t status, const char* error, const char* kind) {
  const std::string text = concat("[", kind, "] ", error);
  fail(status > 0 ? Code(status) : Code::device, text);
}

int32_t how(ReduceOp op) {
  switch (op) {
    case ReduceOp::prod: return HAFT_COLLECTIVE_PROD;
    case ReduceOp::min: return HAFT_COLLECTIVE_MIN;
    case ReduceOp::max: return HAFT_COLLECTIVE_MAX;
    case ReduceOp::avg: return HAFT_COLLECTIVE_AVG;
    default: return HAFT_COLLECTIVE_SUM;
  }
}

}  // namespace

bool has_collectives(Device d) { return backend(d).collectives.abi != 0; }

std::string device_identity(Device d) {
  haft_backend_properties p{};
  p.struct_size = sizeof p;
  char error[512] = "";
  if (const auto f = backend(d).table.properties; f && f(d.index, &p, error, sizeof error) == 0 && p.uuid[0])
    return concat(backend(d).name, " ", p.uuid);
  return concat(d);
}

bool DeviceCalls::knows(const Header& call, Device d) {
  if (!has_collectives(d)) return false;
  switch (call.kind) {
    case Kind::all_reduce:
    case Kind::reduce:
    case Kind::reduce_scatter: return call.reduce < ReduceOp::band && call.dtype != DType::i16;
    case Kind::broadcast:
    case Kind::all_gather:
    case Kind::gather:
    case Kind::scatter:
    case Kind::all_to_all: return true;
    default: return false;
  }
}

// What a program has asked for by name it gets, or hears why not; else it is told in the log, once.
void DeviceCalls::go_by_host(Device d, Code code, const std::string& why, const char* hint) {
  // In its text, which is all that a group's death tells.
  if (named_) fail(code, concat("process group of ", engine_of(d).name, ": ", why, "; ", hint));
  static std::atomic<bool> told{false};
  if (!told.exchange(true)) log_warning("tensors of ", d, " go through host memory between ranks: ", why);
}

void DeviceCalls::meet(Device d, Deadline deadline) {
  device_ = d;
  state_ = State::refused;
  const std::string mine = device_identity(d);
  store_->set(concat("device/", rank_), mine);
  std::vector<std::string> all;
  for (int r = 0; r < size_; ++r) all.push_back(store_->get(concat("device/", r), deadline));
  const auto type = [](const std::string& device) { return device.substr(0, device.find(' ')); };
  for (int r = 0; r < size_; ++r) {
    if (type(all[size_t(r)]) != type(all[0]))
      return go_by_host(d, Code::device, concat("rank 0 has ", all[0], ", rank ", r, " has ", all[size_t(r)]),
                        "give each rank a device of one type, or make the group without naming an engine");
    const auto same = std::find(all.begin(), all.begin() + r, all[size_t(r)]);
    if (same != all.begin() + r)
      return go_by_host(
          d, Code::device,
          concat("ranks ", same - all.begin(), " and ", r, " share one device, ", *same, " (here ", d, ")"),
          "give each process a device of its own, by its local rank, or make the group without naming an "
          "engine");
  }
  const haft_collectives& engine = engine_of(d);
  haft_unique_id id;
  char error[512] = "";
  // Where the library is missing, all go by way of the host.
  int32_t status = rank_ == 0 ? engine.unique_id(&id, error, sizeof error) : 0;
  if (rank_ == 0)
    store_->set("device/id", status ? concat("!", error)
                                    : std::string(reinterpret_cast<char*>(id.bytes), sizeof id.bytes));
  const std::string told = store_->get("device/id", deadline);
  if (told.size() != sizeof id.bytes)
    return go_by_host(d, Code::unavailable, told.substr(1),
                      "install the library, or make the group without naming an engine");
  std::copy(told.begin(), told.end(), id.bytes);
  status = engine.init(d.index, rank_, size_, &id,
                       deadline.is_never() ? 0 : std::max<int64_t>(1, deadline.left() / 1'000'000), &comm_,
                       error, sizeof error);
  if (status) fail(Code(status), concat("a communicator of ", engine.name, " on ", d, ": ", error));
  stream_ = create_stream(d, -1);
  state_ = State::made;
}

bool DeviceCalls::joins(Device d, Deadline deadline) {
  if (state_ == State::unknown) meet(d, deadline);
  if (state_ == State::made && d != device_)
    fail(Code::device,
         concat("the group's calls go by ", device_, ", its first call's device; got tensors of ", d),
         "keep a rank's tensors on one device");
  return state_ == State::made;
}

void DeviceCalls::enqueue(const DeviceCall& c) {
  const haft_collectives& e = engine_of(device_);
  const int32_t dtype = int32_t(c.call.dtype);
  char error[512] = "";
  auto made = [&](int32_t status) {
    if (status) fail_engine(status, error, kind_name(c.call.kind));
  };
  auto data = [](const Tensor& t) { return t.view().data; };
  // Several tensors for one of parts.
  auto joined = [](std::span<const Tensor> list) {
    if (list.size() == 1) return list[0];
    std::vector<Tensor> flat;
    for (const Tensor& t : list) flat.push_back(ops::reshape(t, Shape{t.numel()}));
    return ops::cat(flat, 0);
  };
  auto room = [&](std::span<const Tensor> list) {
    if (list.size() == 1) return list[0];
    int64_t n = 0;
    for (const Tensor& t : list) n += t.numel();
    return ops::empty(Shape{n}, list[0].dtype(), device_);
  };
  auto spread = [&](const Tensor& all, std::span<const Tensor> list) {
    if (list.size() == 1) return;
    int64_t at = 0;
    for (const Tensor& t : list) {
      ops::copy_(t, ops::reshape(ops::slice(all, 0, at, at + t.numel(), 1), Shape(t.sizes())));
      at += t.numel();
    }
  };
  switch (c.call.kind) {
    case Kind::broadcast:
      return made(e.broadcast(comm_, data(c.out[0]), data(c.out[0]), c.out[0].numel(), dtype, c.call.root,
                              stream_, error, sizeof error));
    case Kind::all_reduce:
      return made(e.all_reduce(comm_, data(c.in[0]), data(c.out[0]), c.in[0].numel(), dtype,
                               how(c.call.reduce), stream_, error, sizeof error));
    case Kind::reduce: {
      void* to = c.out.empty() ? data(c.in[0]) : data(c.out[0]);  // read at the root alone
      return made(e.reduce(comm_, data(c.in[0]), to, c.in[0].numel(), dtype, how(c.call.reduce), c.call.root,
                           stream_, error, sizeof error));
    }
    case Kind::all_gather: {
      if (c.call.uneven) return enqueue_parts(c);
      const Tensor all = room(c.out);
      made(e.all_gather(comm_, data(c.in[0]), data(all), c.in[0].numel(), dtype, stream_, error,
                        sizeof error));
      return spread(all, c.out);
    }
    case Kind::reduce_scatter: {
      const Tensor all = joined(c.in);
      return made(e.reduce_scatter(comm_, data(all), data(c.out[0]), c.out[0].numel(), dtype,
                                   how(c.call.reduce), stream_, error, sizeof error));
    }
    default: return enqueue_parts(c);
  }
}

// One rank cannot tell whether the parts of all are equal, so all send and receive what they have.
void DeviceCalls::enqueue_parts(const DeviceCall& c) {
  const haft_collectives& e = engine_of(device_);
  const char* kind = kind_name(c.call.kind);
  const int32_t dtype = int32_t(c.call.dtype);
  const int64_t item = item_size(c.call.dtype);
  const auto of = [](const std::vector<Block>& list, int r) {
    return list.empty() ? Block{} : list.size() == 1 ? list[0] : list[size_t(r)];
  };
  const bool gathers = c.call.kind == Kind::gather, scatters = c.call.kind == Kind::scatter,
             root = c.call.root == rank_;
  const auto to = [&](int r) {
    return (gathers && r != c.call.root) || (scatters && !root) ? Block{} : of(c.blocks.in, r);
  };
  const auto from = [&](int r) {
    return (scatters && r != c.call.root) || (gathers && !root) ? Block{} : of(c.blocks.out, r);
  };
  // What is written while others still send from it is sent from a copy.
  std::vector<Tensor> copies;
  std::vector<std::byte*> moved;  // of each rank's block
  const auto meets = [&](Block a, Block b) {
    return a.at < b.at + b.count * item && b.at < a.at + a.count * item;
  };
  bool overlaps = false;
  for (int r = 0; r < size_; ++r)
    for (int p = 0; p < size_; ++p)
      overlaps |= c.call.kind == Kind::all_to_all && (r != rank_ || p != rank_) && meets(to(p), from(r));
  for (int r = 0; r < size_; ++r) {
    std::byte* at = to(r).at;
    if (overlaps && to(r).count) {
      copies.push_back(ops::empty(Shape{to(r).count}, c.call.dtype, device_));
      at = static_cast<std::byte*>(copies.back().view().data);
      copy_bytes(device_, at, device_, to(r).at, to(r).count * item, false);
    }
    moved.push_back(at);
  }
  if (const Block mine = from(rank_); mine.count && mine.at != moved[size_t(rank_)])
    copy_bytes(device_, mine.at, device_, moved[size_t(rank_)], mine.count * item, false);
  if (size_ == 1) return;
  char error[512] = "";
  int32_t status = e.group_begin(error, sizeof error);
  if (status) fail_engine(status, error, kind);
  for (const bool sends : {true, false})
    for (int i = 1; i < size_ && !status; ++i) {
      const int p = (sends ? rank_ + i : rank_ + size_ - i) % size_;
      if (sends && to(p).count)
        status = e.send(comm_, moved[size_t(p)], to(p).count, dtype, p, stream_, error, sizeof error);
      if (!sends && from(p).count)
        status = e.recv(comm_, from(p).at, from(p).count, dtype, p, stream_, error, sizeof error);
    }
  char ended[512] = "";
  const int32_t last = e.group_end(ended, sizeof ended);
  if (status) fail_engine(status, error, kind);
  if (last) fail_engine(last, ended, kind);
}

haft_raw_event DeviceCalls::begin(const DeviceCall& c, const std::function<void(haft_raw_stream)>& finish) {
  const haft_raw_event done = create_event(device_);
  try {
    const StreamGuard on(device_, stream_);
    const ScopedValue<bool> no_grad(thread_state().grad_enabled, false);
    wait_event(device_, c.before, stream_);
    for (const Tensor& t : c.in) record_stream(*t.impl()->storage, device_, stream_);
    for (const Tensor& t : c.out) record_stream(*t.impl()->storage, device_, stream_);
    enqueue(c);
    finish(stream_);
    record_event(device_, done, stream_);
  } catch (...) {
    destroy_event(device_, done);
    throw;
  }
  return done;
}

void DeviceCalls::check(const char* kind) {
  char error[512] = "";
  int32_t status = 0;
  const int32_t asked = engine_of(device_).async_error(comm_, &status, error, sizeof error);
  if (asked || status) fail_engine(asked ? asked : status, error, kind);
}

void DeviceCalls::give_up() noexcept {
  if (state_ != State::made || given_up_.exchange(true)) return;
  char error[64];
  (*engine_of(device_).abort)(comm_, error, sizeof error);
}

DeviceCalls::~DeviceCalls() {
  if (state_ != State::made || in_forked_child()) return;
  engine_of(device_).destroy(comm_);
  try {
    destroy_stream(device_, stream_);
  } catch (...) {  // a device that has failed has told so elsewhere
  }
}

}  // namespace haft::dist
