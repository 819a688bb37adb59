#include "core/dist/exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/dist/reduce.h"

namespace haft::dist {

namespace {

constexpr size_t kLend = 64 << 10;  // bytes that are not worth a message of their own below

int64_t padding(int64_t bytes) { return -bytes & 15; }

}  // namespace

Exchange::Piece& Exchange::Stream::add(const void* p, int64_t bytes, Ready ready,
                                       const Reduction* reduction) {
  HAFT_ASSERT(count < room);
  return pieces[size_t(count++)] = {static_cast<std::byte*>(const_cast<void*>(p)), bytes, ready, reduction,
                                    0};
}

void Exchange::Stream::clear(int most) {
  count = at = 0;
  if (room >= most) return;
  pieces.reset(new Piece[size_t(most)]);
  room = most;
}

Exchange::Exchange(Transport& t, std::function<bool()> meanwhile)
    : transport_(t),
      links_(size_t(t.size)),
      all_(size_t(t.size)),
      sources_(size_t(t.size)),
      reductions_(new Reduction[size_t(t.size) + 1]),
      meanwhile_(std::move(meanwhile)) {
  for (int r = 0; r < t.size; ++r) all_[size_t(r)] = r;
  if (!t.hosts.empty()) hosts_.reset(new Topology(t.hosts, t.rank));
  if (hosts_ && hosts_->size() == t.size) hosts_.reset();  // nobody shares one
}

void Exchange::begin(const Header& call) {
  for (Link& l : links_) {
    l.in_use = false;
    l.out.at = l.out.count = l.in.at = l.in.count = 0;
  }
  reducing_ = 0;
  call_ = call;
  transport_.announce(call);
}

void Exchange::meet(int peer, int64_t sends, int64_t gets, int pieces) {
  Link& l = links_[size_t(peer)];
  l.out.clear(pieces);
  l.in.clear(pieces);
  l.in_use = true;
  l.to = call_;
  l.to.link = sends;
  l.expected = gets;
  l.out.add(&l.to, sizeof l.to, {}, nullptr);
  l.in.add(&l.from, sizeof l.from, {}, nullptr);
}

void Exchange::send(int peer, const void* from, int64_t bytes, Ready ready) {
  if (bytes) links_[size_t(peer)].out.add(from, bytes, ready, nullptr);
}

const int64_t* Exchange::receive(int peer, void* to, int64_t bytes) {
  return &links_[size_t(peer)].in.add(to, bytes, {}, nullptr).done;
}

const int64_t* Exchange::reduce(void* to, const void* own, int64_t bytes, std::span<const int> ranks,
                                Ready own_ready, int divisor) {
  HAFT_ASSERT(reducing_ <= size());
  Reduction& r = reductions_[size_t(reducing_++)];
  r = {static_cast<std::byte*>(to),
       static_cast<const std::byte*>(own),
       own_ready,
       bytes,
       0,
       ranks,
       divisor,
       bytes > 0};
  if (bytes)
    for (int p : ranks)
      if (p != rank()) links_[size_t(p)].in.add(nullptr, bytes, {}, &r);
  return &r.done;
}

bool Exchange::send_some(int peer) {
  Stream& out = links_[size_t(peer)].out;
  if (out.over()) return false;
  const size_t step = transport_.step(peer);
  if (Piece& p = out.now(); p.bytes - p.done >= int64_t(kLend)) {
    const size_t n = std::min(size_t(p.ready.of(p.bytes) - p.done), step);
    if (n >= kLend && transport_.lend(peer, kCollective, p.at + p.done, n)) {
      p.done += int64_t(n);
      out.at += p.done == p.bytes && !padding(p.bytes);
      return true;
    }
  }
  std::span<std::byte> room = transport_.room(peer, kCollective);
  size_t used = 0;
  while (!out.over() && used < step) {
    Piece& p = out.now();
    if (p.done < p.bytes) {
      const size_t n = std::min({size_t(p.ready.of(p.bytes) - p.done), room.size() - used, step});
      if (!n || (used && n >= kLend)) break;
      std::memcpy(room.data() + used, p.at + p.done, n);
      p.done += int64_t(n);
      used += n;
    }
    if (p.done == p.bytes) {
      const auto pad = size_t(padding(p.bytes));
      if (room.size() - used < pad) break;
      used += pad;
      ++out.at;
    }
  }
  if (used) transport_.push(peer, kCollective, used);
  return used;
}

bool Exchange::receive_some(int peer) {
  Link& l = links_[size_t(peer)];
  Stream& in = l.in;
  if (in.over()) return false;
  if (in.now().reduction) return false;
  std::span<const std::byte> come = transport_.waiting(peer, kCollective);
  const size_t step = transport_.step(peer);
  size_t used = 0;
  bool checked = false;
  while (!in.over() && !in.now().reduction && used < step) {
    Piece& p = in.now();
    if (p.done < p.bytes) {
      const size_t n = std::min({size_t(p.bytes - p.done), come.size() - used, step});
      if (!n) break;
      if (std::byte* to = p.at + p.done; to != come.data() + used) std::memcpy(to, come.data() + used, n);
      p.done += int64_t(n);
      used += n;
    }
    if (p.done == p.bytes) {
      const auto pad = size_t(padding(p.bytes));
      if (come.size() - used < pad) break;
      used += pad;
      if (in.at++ == 0) check(peer), checked = true;
    }
  }
  if (used) transport_.pop(peer, kCollective, used);
  if (checked) expect_largest(peer);
  return used;
}

// Once the peer is known to do the same; nothing is written before.
void Exchange::expect_largest(int peer) {
  const Stream& in = links_[size_t(peer)].in;
  const Piece* largest = nullptr;
  int64_t ahead = 0, at = 0;
  for (int i = in.at; i < in.count; ++i) {
    const Piece& p = in.pieces[size_t(i)];
    if (!p.reduction && p.bytes - p.done >= int64_t(kLend) && (!largest || p.bytes > largest->bytes))
      largest = &p, at = ahead;
    ahead += p.bytes - p.done + padding(p.bytes);
  }
  if (largest)
    transport_.expect(peer, size_t(at), largest->at + largest->done, size_t(largest->bytes - largest->done));
}

bool Exchange::reduce_some(Reduction& r) {
  if (!r.open) return false;
  const auto pad = size_t(padding(r.bytes));
  const bool at_end = r.done == r.bytes;  // but for the padding
  auto n = size_t(r.own_ready.of(r.bytes) - r.done);
  for (size_t i = 0; i < r.ranks.size(); ++i) {
    const int p = r.ranks[i];
    if (p == rank()) {
      sources_[i] = r.own + r.done;
      continue;
    }
    const Stream& in = links_[size_t(p)].in;
    if (in.over() || in.now().reduction != &r) return false;
    std::span<const std::byte> come = transport_.waiting(p, kCollective);
    sources_[i] = come.data();
    if (at_end && come.size() < pad) return false;
    n = std::min({n, come.size(), transport_.step(p)});
  }
  if (!at_end) {
    n -= n % size_t(item_size(call_.dtype));
    if (!n) return false;
    combine(call_.dtype, call_.reduce, r.to + r.done, sources_.data(), int(r.ranks.size()),
            int64_t(n) / item_size(call_.dtype), r.divisor);
    r.done += int64_t(n);
  } else {
    n = pad;
  }
  r.open = !at_end && (r.done < r.bytes || pad);
  for (int p : r.ranks)
    if (p != rank()) {
      if (n) transport_.pop(p, kCollective, n);
      links_[size_t(p)].in.at += !r.open;
    }
  return true;
}

bool Exchange::is_through(int peer) {
  Link& l = links_[size_t(peer)];
  if (!l.out.over() || transport_.has_lent(peer)) return false;
  if (l.in.over()) return true;
  // What is joined is read where it lies: that of the peer may be there, and only others are late.
  const Reduction* r = l.in.now().reduction;
  if (!r || l.in.at + 1 < l.in.count) return false;
  const auto least = size_t(r->done == r->bytes ? padding(r->bytes) : item_size(call_.dtype));
  return transport_.waiting(peer, kCollective).size() >= least;
}

bool Exchange::is_done(bool only_send) const {
  if (!only_send)
    for (int i = 0; i < reducing_; ++i)
      if (reductions_[size_t(i)].open) return false;
  for (int p = 0; p < size(); ++p) {
    const Link& l = links_[size_t(p)];
    if (l.in_use && (!(l.out.over() && (only_send || l.in.over())) || transport_.has_lent(p))) return false;
  }
  return true;
}

void Exchange::drive(Deadline deadline, bool only_send) {
  struct Rest {
    Transport& t;
    ~Rest() {
      t.keep_lent();
      t.forget();
      t.rest();
    }
  } rest{transport_};
  bool suspicious = false, dead = false;
  for (;;) {
    const uint32_t seen = transport_.signal();
    bool moved = false;
    for (int i = 1; i < size(); ++i) {
      const int peer = (rank() + i) % size();
      if (!links_[size_t(peer)].in_use) continue;
      moved |= send_some(peer);
      if (!only_send) moved |= receive_some(peer);
    }
    if (!only_send)
      for (int i = 0; i < reducing_; ++i) moved |= reduce_some(reductions_[size_t(i)]);
    if (is_done(only_send)) return;
    // What peers had written before may have come between the look at their streams and this one: who has all is
    // through.
    if (Failure f; transport_.aborted(&f) && std::exchange(dead, true)) fail_with(f);
    if (moved) transport_.carry_on();
    // What is no part of this call does not put its end off.
    if (moved || (meanwhile_() && !deadline.passed())) {
      suspicious = false;
      continue;
    }
    const bool carried = transport_.carry(seen);
    if (carried && !deadline.passed()) continue;
    if (carried) transport_.rest();  // time is over: below it waits, and others carry meanwhile
    // What a peer has written before it ended may have come between the look at its stream and that at its life.
    const bool once_more = !suspicious;
    for (int p = 0; p < size(); ++p) {
      const Link& l = links_[size_t(p)];
      if (!l.in_use || is_through(p)) continue;
      const Transport::Life life = transport_.life(p);
      if (life == Transport::Life::there) continue;
      if (!once_more)
        give_up(Code::peer_lost, p,
                concat("rank ", p, " ", life_text(life), "; rank ", rank(), " waits for it in ",
                       describe(call_)));
      suspicious = true;
    }
    if (suspicious && once_more) continue;
    compare_calls();
    if (deadline.passed()) fail_late(deadline);
    transport_.wait(seen, std::max(deadline.at(), now_ns() + kSecond / 200));
  }
}

}  // namespace haft::dist
