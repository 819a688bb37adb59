#include "core/dist/direct.h"

#include <algorithm>
#include <cstring>

namespace haft::dist {

namespace {

constexpr int64_t kKeep = 64 << 20;  // bytes that may wait here for somebody to want them
// Of which a message counts as so many at least, for its place costs, too.
constexpr int64_t kWeight = 4 << 10;
constexpr int64_t kStep = 64 << 10;

// In units of 32, of which rings are multiples: a frame never lies in two pieces.
int64_t framed(int64_t bytes) { return 32 + ((bytes + 31) & ~int64_t(31)); }

}  // namespace

Direct::Direct(Transport& t, DeviceMessages& devices)
    : transport_(t), devices_(devices), peers_(size_t(t.size)) {}

void Direct::enter(Ref<Work> w) {
  std::lock_guard lock(mutex_);
  live_.push_back(std::move(w));
}

bool Direct::leave(const Work& w) noexcept {
  std::lock_guard lock(mutex_);
  auto at = std::find_if(live_.begin(), live_.end(), [&](const Ref<Work>& one) { return one.get() == &w; });
  if (at == live_.end()) return false;
  live_.erase(at);
  return true;
}

void Direct::send(Ref<Work> w) {
  std::lock_guard lock(mutex_);
  const Tensor& t = w->dense_in_[0];
  Peer& p = peers_[size_t(w->job_.peer)];
  Frame f;
  f.dtype = t.dtype();
  f.tag = w->job_.tag;
  f.id = ++last_id_;
  f.count = t.numel();
  f.recorded = w->recorded_;
  if (!w->on_host_) {
    f.way = Way::device;
    const auto [facts, fresh] = facts_.try_emplace(w->device_.pack());
    if (fresh) facts->second = DeviceMessages::facts(w->device_);
    p.offered.emplace(f.id, std::move(w));
    p.out.push_back({f, reinterpret_cast<const std::byte*>(&facts->second), sizeof facts->second});
    return;
  }
  f.eager = t.bytes() <= kEager;
  if (f.eager) {
    p.out.push_back({f, t.data<std::byte>(), t.bytes(), 0, std::move(w)});
  } else {
    p.offered.emplace(f.id, std::move(w));
    p.out.push_back({f});
  }
}

void Direct::receive(Ref<Work> w) {
  std::lock_guard lock(mutex_);
  wanted_.push_back(w);
  for (auto m = unexpected_.begin(); m != unexpected_.end(); ++m) {
    if (m->frame.tag != w->job_.tag || (w->job_.peer >= 0 && w->job_.peer != m->peer)) continue;
    fit(m->peer, m->frame, *w);
    wanted_.pop_back();
    w->source_ = m->peer;
    kept_ -= std::max(kWeight, int64_t(m->data.size()));
    if (m->frame.way == Way::device) {
      choose(m->peer, m->frame, m->data, std::move(w));
    } else if (m->frame.eager) {
      w->to_host();
      if (!m->data.empty()) std::memcpy(w->dense_out_[0].data<std::byte>(), m->data.data(), m->data.size());
      // Answered like everything else: by progress(), from a stream of its own.
      peers_[size_t(transport_.rank)].offered.emplace(++last_id_, std::move(w));
    } else {
      accept(m->peer, m->frame, std::move(w));
    }
    unexpected_.erase(m);
    return;
  }
}

// The lower rank enqueues when it accepts, the other one when it is told to go.
void Direct::accept(int p, const Frame& f, Ref<Work> w, Way way) {
  Frame yes;
  yes.type = Type::accept;
  yes.id = f.id;
  yes.way = way;
  yes.recorded = w->recorded_;
  peers_[size_t(p)].out.push_back({yes});
  if (way == Way::host) w->to_host();
  if (way == Way::device && transport_.rank < p)
    devices_.add(std::move(w), p);
  else
    peers_[size_t(p)].accepted.emplace(f.id, std::move(w));
}

// Of what was offered for a device, to a receive that fits.
void Direct::choose(int p, const Frame& f, std::span<const std::byte> facts, Ref<Work> w) {
  DeviceMessages::Facts theirs;
  std::memcpy(theirs.data(), facts.data(), sizeof theirs);
  const bool good = !w->on_host_ && devices_.fits(w->device_, p, theirs);
  if (f.recorded != w->recorded_ || (w->recorded_ && !good))
    fail(Code::unsupported,
         concat("rank ", p, f.recorded ? " records" : " does not record", " the message with tag ", f.tag,
                ", rank ", transport_.rank, w->recorded_ ? " records it" : " does not",
                good ? "" : "; it goes through host memory, which a recording cannot hold"));
  accept(p, f, std::move(w), good ? Way::device : Way::host);
}

// What this rank has offered.
void Direct::accepted(int p, const Frame& f) {
  Peer& peer = peers_[size_t(p)];
  const auto i = peer.offered.find(f.id);
  Ref<Work> w = std::move(i->second);
  peer.offered.erase(i);
  if (f.way == Way::device && transport_.rank > p) return devices_.add(std::move(w), p);
  Frame go;
  go.type = Type::data;
  go.dtype = w->dense_in_[0].dtype();
  go.id = f.id;
  go.count = w->dense_in_[0].numel();
  go.way = f.way;
  if (f.way == Way::device) {
    peer.out.push_back({go});
    return devices_.add(std::move(w), p);
  }
  if (!w->on_host_) devices_.go_by_host(p);
  w->to_host();
  const Tensor& t = w->dense_in_[0];
  const auto* data = t.data<std::byte>();
  peer.out.push_back({go, data, t.bytes(), 0, std::move(w)});
}

// What follows a frame.
int64_t Direct::bytes_of(const Frame& f) {
  if (f.type == Type::accept) return 0;
  if (f.way == Way::device) return f.type == Type::offer ? int64_t(sizeof(DeviceMessages::Facts)) : 0;
  return f.type == Type::data || f.eager ? f.count * item_size(f.dtype) : 0;
}

void Direct::fit(int p, const Frame& f, Work& w) {
  const Tensor& t = w.dense_out_[0];
  if (f.dtype == t.dtype() && f.count == t.numel()) return;
  fail(Code::mismatch,
       concat("rank ", p, " sent ", f.count, " elements of ",
              is_valid(int32_t(f.dtype)) ? dtype_name(f.dtype) : "an unknown type", " with tag ", f.tag,
              ", rank ", transport_.rank, " receives ", t.numel(), " of ", dtype_name(t.dtype())));
}

Ref<Work> Direct::match(int p, const Frame& f) {
  for (auto i = wanted_.begin(); i != wanted_.end(); ++i) {
    Work& w = **i;
    if (w.job_.tag != f.tag || (w.job_.peer >= 0 && w.job_.peer != p)) continue;
    fit(p, f, w);
    Ref<Work> r = std::move(*i);
    wanted_.erase(i);
    r->source_ = p;
    return r;
  }
  return {};
}

bool Direct::push_some(int p, std::vector<Ref<Work>>& through) {
  Peer& peer = peers_[size_t(p)];
  int64_t all = 0;
  while (!peer.out.empty() && all < kStep) {
    Outgoing& o = peer.out.front();
    std::span<std::byte> room = transport_.room(p, kDirect);
    const int64_t total = framed(o.bytes);
    const int64_t n = std::min({int64_t(room.size()), total - o.done, kStep});
    if (!n) break;
    int64_t at = 0;
    if (o.done == 0) {
      if (n < 32) break;
      std::memcpy(room.data(), &o.frame, 32);
      at = 32;
    }
    const int64_t from = o.done + at - 32, data = std::clamp<int64_t>(o.bytes - from, 0, n - at);
    if (data > 0) std::memcpy(room.data() + at, o.data + from, size_t(data));
    transport_.push(p, kDirect, size_t(n));
    o.done += n;
    all += n;
    if (o.done < total) continue;
    if (o.work) through.push_back(std::move(o.work));
    peer.out.pop_front();
  }
  return all;
}

void Direct::begin(int p) {
  Incoming& in = peers_[size_t(p)].in;
  const Frame& f = in.frame;
  auto broken = [&] {
    fail(Code::mismatch,
         concat("rank ", transport_.rank, " got a message from rank ", p, " that is none of haft's"));
  };
  if (f.magic != kMagic || f.count < 0 || f.count > kMaxNumel ||
      !(is_valid(int32_t(f.dtype)) || f.type == Type::accept))
    broken();
  Peer& peer = peers_[size_t(p)];
  if (f.way != Way::host && f.way != Way::device) broken();
  if (f.type == Type::offer) {
    const int64_t bytes = bytes_of(f);
    if (bytes > kEager) broken();
    if (f.way == Way::host) in.work = match(p, f);
    if (in.work) {
      in.work->to_host();
      in.to = in.work->dense_out_[0].data<std::byte>();
    } else {
      in.kept.resize(size_t(bytes));
      in.to = in.kept.data();
    }
  } else if (f.type == Type::accept) {
    const auto i = peer.offered.find(f.id);
    if (i == peer.offered.end() || (f.way == Way::device && i->second->on_host_)) broken();
  } else if (f.type == Type::data) {
    auto i = peer.accepted.find(f.id);
    if (i == peer.accepted.end() || i->second->dense_out_[0].numel() != f.count ||
        i->second->dense_out_[0].dtype() != f.dtype || i->second->on_host_ != (f.way == Way::host))
      broken();
    in.work = std::move(i->second);
    peer.accepted.erase(i);
    if (f.way == Way::host) in.to = in.work->dense_out_[0].data<std::byte>();
  } else {
    broken();
  }
}

void Direct::end(int p, std::vector<Ref<Work>>& through) {
  Incoming in = std::exchange(peers_[size_t(p)].in, {});
  if (in.frame.type == Type::offer && !in.work) {
    in.work = match(p, in.frame);  // a receive that came while it did
    if (in.work && in.frame.way == Way::device) return choose(p, in.frame, in.kept, std::move(in.work));
    if (in.work) in.work->to_host();
    if (in.work && !in.kept.empty())
      std::memcpy(in.work->dense_out_[0].data<std::byte>(), in.kept.data(), in.kept.size());
  }
  if (in.frame.type == Type::accept) {
    accepted(p, in.frame);
  } else if (in.frame.type == Type::data && in.frame.way == Way::device) {
    devices_.add(std::move(in.work), p);
  } else if (in.frame.type == Type::offer && !in.work) {
    const int64_t weight = std::max(kWeight, int64_t(in.kept.size()));
    unexpected_.push_back({p, in.frame, std::move(in.kept)});
    kept_ += weight;
  } else if (in.frame.type == Type::offer && !in.frame.eager) {
    accept(p, in.frame, std::move(in.work));
  } else {
    through.push_back(std::move(in.work));
  }
}

bool Direct::pop_some(int p, std::vector<Ref<Work>>& through) {
  Incoming& in = peers_[size_t(p)].in;
  int64_t all = 0;
  while (all < kStep && kept_ <= kKeep) {
    std::span<const std::byte> come = transport_.waiting(p, kDirect);
    if (in.got == 0) {
      if (come.size() < 32) break;
      std::memcpy(static_cast<void*>(&in.frame), come.data(), 32);
      begin(p);
      transport_.pop(p, kDirect, 32);
      in.got = 32;
      all += 32;
    } else {
      const int64_t bytes = bytes_of(in.frame), total = framed(bytes);
      const int64_t n = std::min({int64_t(come.size()), total - in.got, kStep});
      const int64_t data = std::clamp<int64_t>(bytes - (in.got - 32), 0, n);
      if (data > 0) std::memcpy(in.to + in.got - 32, come.data(), size_t(data));
      if (n) transport_.pop(p, kDirect, size_t(n));
      in.got += n;
      all += n;
      if (in.got == total)
        end(p, through);
      else if (!n)
        break;
    }
  }
  return all;
}

bool Direct::progress(std::vector<Ref<Work>>& through) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;  // somebody does it
  bool moved = false;
  auto& own = peers_[size_t(transport_.rank)].offered;
  for (auto& [id, w] : own) through.push_back(std::move(w));
  moved |= !own.empty();
  own.clear();
  for (int p = 0; p < transport_.size; ++p)
    if (p != transport_.rank) moved |= pop_some(p, through) | push_some(p, through);
  return moved;
}

template <class F>
void Direct::each(F&& f) {
  for (int p = 0; p < transport_.size; ++p) {
    Peer& peer = peers_[size_t(p)];
    for (Outgoing& o : peer.out)
      if (o.work) f(p, o.work);
    if (peer.in.work) f(p, peer.in.work);
    for (auto& [id, w] : peer.offered)
      if (w) f(p, w);
    for (auto& [id, w] : peer.accepted)
      if (w) f(p, w);
  }
  for (Ref<Work>& w : wanted_)
    if (w) f(w->job_.peer, w);
}

bool Direct::is_stuck(bool sure, Failure* why) {
  std::lock_guard lock(mutex_);
  bool stuck = false;
  each([&](int p, Ref<Work>& w) {
    if (stuck) return;
    const char* what = kind_name(w->job_.call.kind);
    const std::string who = p >= 0 ? concat("rank ", p) : "any rank";
    int gone = p;
    if (p < 0) {  // any source: all others are gone
      for (int q = 0; q < transport_.size && p < 0; ++q)
        if (q != transport_.rank && transport_.life(q) == Transport::Life::there) return void(stuck = false);
      gone = transport_.rank ? 0 : transport_.size - 1;
    }
    if (gone == transport_.rank || transport_.life(gone) == Transport::Life::there) return;
    stuck = true;
    if (sure)
      *why = {Code::peer_lost, gone,
              concat("rank ", gone, " ", life_text(transport_.life(gone)), "; rank ", transport_.rank,
                     " waits in ", what, " for ", who, " (tag ", w->job_.tag, ")")};
  });
  if (stuck) return true;
  each([&](int p, Ref<Work>& w) {
    if (stuck || !w->deadline_.passed()) return;
    stuck = true;
    if (sure)
      *why = {Code::timeout, p,
              concat("rank ", transport_.rank, " has waited ", w->deadline_.given_text(), " in ",
                     kind_name(w->job_.call.kind), " for ", p >= 0 ? concat("rank ", p) : "any rank",
                     " (tag ", w->job_.tag, ")")};
  });
  return stuck;
}

bool Direct::idle() {
  std::lock_guard lock(mutex_);
  bool any = false;
  each([&](int, Ref<Work>&) { any = true; });
  for (const Peer& p : peers_) any |= !p.out.empty();
  return !any;
}

int64_t Direct::next_deadline() {
  std::lock_guard lock(mutex_);
  int64_t at = INT64_MAX;
  each([&](int, Ref<Work>& w) { at = std::min(at, w->deadline_.at()); });
  return at;
}

Ref<Work> Direct::take() noexcept {
  std::lock_guard lock(mutex_);
  for (Peer& p : peers_) {
    p.out.clear();
    p.offered.clear();
    p.accepted.clear();
    p.in.work.reset();
    p.in.kept.clear();
    p.in.got = 0;
  }
  wanted_.clear();
  unexpected_.clear();
  kept_ = 0;
  if (live_.empty()) return {};
  Ref<Work> one = std::move(live_.back());
  live_.pop_back();
  return one;
}

}  // namespace haft::dist
