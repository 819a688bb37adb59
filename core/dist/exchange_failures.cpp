// How an exchange finds that it will not end well, and what it says then.
#include "core/dist/exchange.h"

namespace haft::dist {

namespace {

// For who waits for what another waits for: that one knows better whose fault it is.
constexpr int64_t kGrace = kSecond / 2;

}  // namespace

void fail_with(const Failure& f) {
  fail(f.code, f.text, "the group is dead; make a new one of the ranks that live");
}

const char* life_text(Transport::Life life) {
  return life == Transport::Life::left ? "has released the group" : "has ended";
}

bool Exchange::keeps_us_waiting(int peer) {
  Link& l = links_[size_t(peer)];
  if (l.in.over() || l.in.at > 1) return false;
  const Reduction* r = l.in.now().reduction;
  return (!r || !r->own_ready.count) && transport_.waiting(peer, kCollective).empty();
}

void Exchange::check(int peer) {
  Link& l = links_[size_t(peer)];
  transport_.heard(peer, l.from);
  if (!agree(call_, l.from) || l.from.link != l.expected) {
    // Who went on meanwhile tells of a later call: those of one number are what differs.
    Header mine = l.to, theirs = l.from;
    if (theirs.seq > mine.seq)
      transport_.announced(peer, mine.seq, &theirs);
    else if (theirs.seq < mine.seq)
      transport_.announced(rank(), theirs.seq, &mine);
    give_up(Code::mismatch, peer, mismatch_text(rank(), mine, peer, theirs));
  }
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

// Comes back where another rank is to tell.
void Exchange::fail_late(Deadline deadline) {
  std::vector<int64_t> absent, slow, first;
  bool linked = false;
  for (int p = 0; p < size(); ++p) {
    const Link& l = links_[size_t(p)];
    // Of a call that nobody leaves before all have come to it, everyone counts; who waits has told all others.
    if (p == rank() || !(l.in_use || (hosts_ && call_.root < 0))) continue;
    if (transport_.started(p) < call_.seq) {
      absent.push_back(p);
      linked |= l.in_use;
    } else if (l.in_use && !is_through(p)) {
      (keeps_us_waiting(p) ? first : slow).push_back(p);
    }
  }
  if (!linked && first.empty() && !deadline.passed_by(kGrace)) return;
  if (!first.empty()) slow.swap(first);
  std::string text = concat("rank ", rank(), " has waited ", deadline.given_text(), " in ", describe(call_));
  if (!absent.empty()) text += concat(" for ranks ", absent, ", which have not called it");
  const char* between = ": ";
  for (int64_t p : absent)
    if (links_[size_t(p)].in_use) {
      text += concat(between, "rank ", p, " came as far as #", transport_.started(int(p)));
      between = ", ";
    }
  if (absent.empty()) text += concat(" for data of ranks ", slow);
  give_up(Code::timeout, absent.empty() ? slow.empty() ? -1 : int(slow[0]) : int(absent[0]), std::move(text));
}

}  // namespace haft::dist
