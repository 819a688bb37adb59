// What the schedules of collectives are written with.
#pragma once
#include <cstring>
#include <memory>

#include "core/dist/collectives.h"

namespace haft::dist {

using Scratch = std::vector<std::unique_ptr<std::byte[]>>;

struct Schedule {
  Exchange& x;
  const Header& call;
  Deadline deadline;
  const int64_t item = item_size(call.dtype);
  const int n = x.size(), me = x.rank(), root = call.root;

  // Elements that a rank sends; below it one hop is worth more than fewer bytes.
  bool is_small(int64_t count) const { return count * item <= 32 << 10; }
  template <class F>
  void peers(F&& f) {
    for (int p = 0; p < n; ++p)
      if (p != me) f(p);
  }
  // The p-th of so many nearly equal parts.
  [[gnu::noinline]] Block part(Block whole, int p, int parts) const {
    const int64_t from = whole.count * p / parts, to = whole.count * (p + 1) / parts;
    return {whole.at + from * item, to - from};
  }
  Block part(Block whole, int p) const { return part(whole, p, n); }
  [[gnu::noinline]] void send(int p, Block b, Ready ready = {}) { x.send(p, b.at, b.count * item, ready); }
  [[gnu::noinline]] const int64_t* receive(int p, Block b) { return x.receive(p, b.at, b.count * item); }
  const int64_t* reduce(Block to, Block own) { return x.reduce(to.at, own.at, to.count * item); }
  void copy(Block to, Block from) const {
    if (to.at != from.at && to.count) std::memmove(to.at, from.at, size_t(to.count * item));
  }
};

// The schedule of what is worth one of its own where ranks share hosts: within the hosts, between one rank of each,
// and back (hierarchy.cpp; slices by all ranks of a host take half of what one of them takes for all, at 1 MB).
// False: it is not. `scratch` lives until all is done.
bool run_over_hosts(Schedule& s, const Buffers& b, Scratch& scratch);

}  // namespace haft::dist
