#include "core/dist/exchange.h"

#include <algorithm>
#include <cstring>

#include "core/dist/reduce.h"

namespace haft::dist {

namespace {

constexpr size_t kStep = 64 << 10;  // bytes that are told of at once, so that the peer works meanwhile

int64_t padding(int64_t bytes) { return -bytes & 15; }

}  // namespace

void fail_with(const Failure& f) {
  fail(f.code, f.text, "the group is dead; make a new one of the ranks that live");
}

const char* life_text(Transport::Life life) {
  return life == Transport::Life::left ? "has released the group" : "has ended";
}

Exchange::Piece& Exchange::Stream::add(const void* p, int64_t bytes, const int64_t* ready) {
  HAFT_ASSERT(count < kPieces);
  return pieces[size_t(count++)] = {static_cast<std::byte*>(const_cast<void*>(p)), bytes, ready, 0, false};
}

Exchange::Exchange(Transport& t, std::function<bool()> meanwhile)
    : transport_(t), links_(size_t(t.size)), sources_(size_t(t.size)), meanwhile_(std::move(meanwhile)) {}

void Exchange::begin(const Header& call) {
  for (Link& l : links_) {
    l.in_use = l.checked = false;
    l.out.count = l.out.at = l.in.count = l.in.at = 0;
  }
  reduction_.open = false;
  call_ = call;
  transport_.announce(call);
}

void Exchange::meet(int peer, int64_t sends, int64_t gets) {
  Link& l = links_[size_t(peer)];
  l.in_use = true;
  l.to = call_;
  l.to.link = sends;
  l.expected = gets;
  l.out.add(&l.to, sizeof l.to, nullptr);
  l.in.add(&l.from, sizeof l.from, nullptr);
}

void Exchange::send(int peer, const void* from, int64_t bytes, const int64_t* ready) {
  if (bytes) links_[size_t(peer)].out.add(from, bytes, ready);
}

const int64_t* Exchange::receive(int peer, void* to, int64_t bytes) {
  return &links_[size_t(peer)].in.add(to, bytes, nullptr).done;
}

const int64_t* Exchange::reduce(void* to, const void* own, int64_t bytes) {
  reduction_ = {static_cast<std::byte*>(to), static_cast<const std::byte*>(own), bytes, 0, bytes > 0};
  return &reduction_.done;
}

bool Exchange::send_some(int peer) {
  Stream& out = links_[size_t(peer)].out;
  if (out.over()) return false;
  std::span<std::byte> room = transport_.room(peer, kCollective);
  size_t used = 0;
  while (!out.over() && used < kStep) {
    Piece& p = out.pieces[size_t(out.at)];
    const int64_t limit = p.ready ? *p.ready : p.bytes;
    if (p.done < p.bytes) {
      const size_t n = std::min({size_t(limit - p.done), room.size() - used, kStep});
      if (!n) break;
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
  std::span<const std::byte> come = transport_.waiting(peer, kCollective);
  size_t used = 0;
  while (!in.over() && used < kStep) {
    if (in.at > 0 && reduction_.open) break;  // comes first
    Piece& p = in.pieces[size_t(in.at)];
    if (p.done < p.bytes) {
      const size_t n = std::min({size_t(p.bytes - p.done), come.size() - used, kStep});
      if (!n) break;
      std::memcpy(p.at + p.done, come.data() + used, n);
      p.done += int64_t(n);
      used += n;
    }
    if (p.done == p.bytes) {
      const auto pad = size_t(padding(p.bytes));
      if (come.size() - used < pad) break;
      used += pad;
      if (in.at++ == 0) check(peer);
    }
  }
  if (used) transport_.pop(peer, kCollective, used);
  return used;
}

bool Exchange::reduce_some() {
  Reduction& r = reduction_;
  if (!r.open) return false;
  const auto pad = size_t(padding(r.bytes));
  size_t n = std::min(size_t(r.bytes - r.done), kStep);
  for (int p = 0; p < size(); ++p) {
    if (p == rank()) {
      sources_[size_t(p)] = r.own + r.done;
      continue;
    }
    if (!links_[size_t(p)].checked) return false;
    std::span<const std::byte> come = transport_.waiting(p, kCollective);
    sources_[size_t(p)] = come.data();
    if (r.done == r.bytes && come.size() < pad) return false;
    n = std::min(n, come.size());
  }
  const bool at_end = r.done == r.bytes;  // but for the padding
  if (!at_end) {
    n -= n % size_t(item_size(call_.dtype));
    if (!n) return false;
    combine(call_.dtype, call_.reduce, r.to + r.done, sources_.data(), size(),
            int64_t(n) / item_size(call_.dtype));
    r.done += int64_t(n);
  } else {
    n = pad;
  }
  for (int p = 0; p < size(); ++p)
    if (p != rank() && n) transport_.pop(p, kCollective, n);
  if (at_end || (r.done == r.bytes && !pad)) r.open = false;
  return true;
}

bool Exchange::is_done(bool only_send) const {
  if (reduction_.open && !only_send) return false;
  for (const Link& l : links_)
    if (l.in_use && !(l.out.over() && (only_send || l.in.over()))) return false;
  return true;
}

void Exchange::check(int peer) {
  Link& l = links_[size_t(peer)];
  if (!agree(call_, l.from) || l.from.link != l.expected) {
    // Who went on meanwhile tells of a later call: those of one number are what differs.
    Header mine = l.to, theirs = l.from;
    if (theirs.seq > mine.seq) transport_.announced(peer, mine.seq, &theirs);
    else if (theirs.seq < mine.seq) transport_.announced(rank(), theirs.seq, &mine);
    give_up(Code::mismatch, peer, mismatch_text(rank(), mine, peer, theirs));
  }
  l.checked = true;
}

// Ranks that do different things may wait for each other for ever: what they have told is compared, too.
void Exchange::compare_calls() {
  for (int p = 0; p < size(); ++p) {
    Header theirs;
    if (p != rank() && transport_.announced(p, call_.seq, &theirs) && !agree(call_, theirs))
      give_up(Code::mismatch, p, mismatch_text(rank(), call_, p, theirs));
  }
}

void Exchange::give_up(Code code, int culprit, std::string text) {
  transport_.fail_all({code, culprit, text});
  Failure first;
  fail_with(transport_.aborted(&first) ? first : Failure{code, culprit, text});
}

void Exchange::fail_late(Deadline deadline) {
  std::vector<int64_t> absent, slow;
  for (int p = 0; p < size(); ++p) {
    const Link& l = links_[size_t(p)];
    if (p == rank()) continue;
    if (transport_.started(p) < call_.seq)
      absent.push_back(p);
    else if (l.in_use && !(l.out.over() && l.in.over()))
      slow.push_back(p);
  }
  std::string text = concat("rank ", rank(), " has waited ", deadline.given_text(), " in ", describe(call_));
  if (!absent.empty()) text += concat(" for ranks ", absent, ", which have not called it");
  for (int64_t p : absent)
    text +=
        concat(p == absent[0] ? ": rank " : ", rank ", p, " came as far as #", transport_.started(int(p)));
  if (absent.empty()) text += concat(" for data of ranks ", slow);
  give_up(Code::timeout, absent.empty() ? slow.empty() ? -1 : int(slow[0]) : int(absent[0]), std::move(text));
}

void Exchange::drive(Deadline deadline, bool only_send) {
  bool suspicious = false;
  for (;;) {
    const uint32_t seen = transport_.signal();
    bool moved = false;
    for (int i = 1; i < size(); ++i) {
      const int peer = (rank() + i) % size();
      if (!links_[size_t(peer)].in_use) continue;
      moved |= send_some(peer);
      if (!only_send) moved |= receive_some(peer);
    }
    if (!only_send) moved |= reduce_some();
    if (is_done(only_send)) return;
    if (Failure f; transport_.aborted(&f)) fail_with(f);
    if (moved || meanwhile_()) {
      suspicious = false;
      continue;
    }
    // What a peer has written before it ended may have come between the look at its stream and that at its life.
    const bool once_more = !suspicious;
    for (int p = 0; p < size(); ++p) {
      const Link& l = links_[size_t(p)];
      if (!l.in_use || (l.out.over() && l.in.over())) continue;
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
    transport_.wait(seen, deadline.at());
  }
}

}  // namespace haft::dist
