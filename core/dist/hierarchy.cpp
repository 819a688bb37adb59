// Collectives of ranks that share hosts. What goes from host to host goes once: between ranks of the same place, each
// of which serves all of its host for a slice, while the ranks of a host give each other the rest. All phases run at
// once: a piece goes on as far as it has come. Sums are joined within hosts first, then in the order of hosts, each
// by one rank: all get the same bits.
#include <algorithm>

#include "core/dist/schedule.h"

namespace haft::dist {

Topology::Topology(const std::vector<int>& hosts, int rank)
    : host(hosts), place(hosts.size()), slices(int(hosts.size())) {
  const int count = *std::max_element(hosts.begin(), hosts.end()) + 1, n = int(hosts.size());
  for (int h = 0; h < count; ++h) {
    first_.push_back(int(ranks_.size()));
    for (int r = 0; r < n; ++r)
      if (hosts[size_t(r)] == h) {
        place[size_t(r)] = int(ranks_.size()) - first_.back();
        ranks_.push_back(r);
      }
    slices = std::min(slices, int(ranks_.size()) - first_.back());
  }
  first_.push_back(n);
  for (int h = 0; h < count; ++h) column.push_back(stands_for(rank, h));
}

namespace {

struct OverHosts : Schedule {
  const Topology& t;
  Scratch& scratch;
  const int hosts = t.size(), here = t.host[size_t(me)], place = t.place[size_t(me)];
  const std::span<const int> near = t.members(here);  // of this host, this rank among them

  int place_of(int p) const { return t.place[size_t(p)]; }
  int host_of(int p) const { return t.host[size_t(p)]; }
  template <class F>
  void others_here(F&& f) {
    for (int p : near)
      if (p != me) f(p);
  }
  template <class F>
  void other_hosts(F&& f) {
    for (int h = 0; h < hosts; ++h)
      if (h != here) f(h, t.column[size_t(h)]);
  }
  Block memory(int64_t count) {
    return {scratch.emplace_back(new std::byte[size_t(count * item)]).get(), count};
  }
  // The ranks of other hosts for which `p`, of this one, stands here.
  template <class F>
  void served_by(int p, F&& f) const {
    for (int d = 0; d < n; ++d)
      if (host_of(d) != here && t.stands_for(d, here) == p) f(d);
  }
  // Those with which this rank has to do across hosts, and whether it stands for them here, and they for it there.
  template <class F>
  void across(F&& f) const {
    for (int d = 0; d < n; ++d) {
      if (host_of(d) == here) continue;
      const bool mine = t.stands_for(d, here) == me, theirs = t.column[size_t(host_of(d))] == d;
      if (mine || theirs) f(d, mine, theirs);
    }
  }

  [[gnu::noinline]] void all_reduce(Block in, Block out) {
    const bool small = is_small(in.count);  // one rank of each host joins all
    const int slices = small ? 1 : t.slices;
    auto slice = [&](Block b, int p) {
      return place_of(p) < slices ? part(b, place_of(p), slices) : Block{b.at, 0};
    };
    const Block own = slice(out, me), own_in = slice(in, me), mine = small ? own : part(own, here, hosts);
    const int pieces = hosts + 2;
    others_here([&](int p) {
      x.meet(p, slice(in, p).count, own.count, pieces);
      send(p, slice(in, p));
    });
    std::vector<Ready> come(size_t(hosts), Ready{});
    if (place < slices) {
      const Block sum = small ? memory(own.count) : own;  // of this host
      const int64_t* joined = x.reduce(sum.at, own_in.at, own.count * item, near, {}, 0);
      other_hosts([&](int h, int p) {
        const Block theirs = small ? sum : part(sum, h, hosts);
        x.meet(p, theirs.count, mine.count, pieces);
        send(p, theirs, {joined, theirs.at - sum.at});
      });
      const Block own_sum = small ? sum : mine;
      const int64_t* all =
          x.reduce(mine.at, own_sum.at, mine.count * item, t.column, {joined, own_sum.at - sum.at}, n);
      come[size_t(here)] = {all};
      if (!small)
        other_hosts([&](int h, int p) {
          send(p, mine, {all});
          come[size_t(h)] = {receive(p, part(own, h, hosts))};
        });
    }
    others_here([&](int p) {
      for (int h = 0; h < (small ? 1 : hosts); ++h) {
        if (place < slices) send(p, small ? own : part(own, h, hosts), come[size_t(small ? here : h)]);
        if (place_of(p) < slices) receive(p, small ? out : part(slice(out, p), h, hosts));
      }
    });
  }

  [[gnu::noinline]] void all_gather(Block in, const std::vector<Block>& out) {
    auto block = [&](int p) { return out[size_t(p)]; };
    auto relayed = [&](int p) {
      int64_t count = block(p).count;
      served_by(p, [&](int d) { count += block(d).count; });
      return count;
    };
    copy(block(me), in);
    others_here([&](int p) {
      x.meet(p, relayed(me), relayed(p), n + 1);
      send(p, block(me));
      receive(p, block(p));
    });
    std::vector<Ready> come(size_t(n), Ready{});
    across([&](int d, bool mine, bool theirs) {
      x.meet(d, theirs ? block(me).count : 0, mine ? block(d).count : 0);
      if (theirs) send(d, block(me));
      if (mine) come[size_t(d)] = {receive(d, block(d))};
    });
    others_here([&](int p) {
      served_by(me, [&](int d) { send(p, block(d), come[size_t(d)]); });
      served_by(p, [&](int d) { receive(p, block(d)); });
    });
  }

  [[gnu::noinline]] void reduce_scatter(const std::vector<Block>& in, Block out) {
    int64_t joined_here = out.count;  // by this rank
    served_by(me, [&](int) { joined_here += out.count; });
    others_here([&](int p) {
      int64_t by_peer = out.count;
      served_by(p, [&](int) { by_peer += out.count; });
      x.meet(p, by_peer, joined_here, n + 1);
      served_by(p, [&](int d) { send(p, in[size_t(d)]); });
      send(p, in[size_t(p)]);
    });
    const int64_t bytes = out.count * item;
    std::vector<Block> sums(size_t(n), Block{});
    std::vector<Ready> ready(size_t(n), Ready{});
    served_by(me, [&](int d) {
      sums[size_t(d)] = memory(out.count);
      ready[size_t(d)] = {x.reduce(sums[size_t(d)].at, in[size_t(d)].at, bytes, near, {}, 0)};
    });
    const int64_t* own = x.reduce(out.at, in[size_t(me)].at, bytes, near, {}, 0);
    across([&](int d, bool mine, bool theirs) {
      x.meet(d, mine ? out.count : 0, theirs ? out.count : 0);
      if (mine) send(d, sums[size_t(d)], ready[size_t(d)]);
    });
    x.reduce(out.at, out.at, bytes, t.column, {own}, n);
  }

  // In slices by places as in all_reduce. The root's host gives each other host a part of a slice, which they then
  // exchange.
  [[gnu::noinline]] void broadcast(Block b) {
    const bool small = is_small(b.count);
    const int slices = small ? 1 : t.slices, parts = small ? 1 : hosts - 1, from = host_of(root),
              of_root = place_of(root);
    auto slice = [&](int s) { return s < slices ? part(b, s, slices) : Block{b.at, 0}; };
    auto part_of = [&](int s, int h) { return small ? slice(s) : part(slice(s), h - (h > from), parts); };
    const Block own = slice(place);
    const int pieces = hosts + 2;
    if (here == from) {
      const int64_t* come = nullptr;
      others_here([&](int p) {
        const Block theirs = slice(place_of(p));
        if (me == root) {  // to each its slice, and the root's
          x.meet(p, theirs.count + own.count, 0, pieces);
          send(p, theirs);
          send(p, own);
        } else if (p == root) {
          x.meet(p, 0, own.count + slice(of_root).count, pieces);
          come = receive(p, own);
          receive(p, slice(of_root));
        } else {
          x.meet(p, own.count, theirs.count, pieces);
        }
      });
      if (me != root)
        others_here([&](int p) {
          if (p == root) return;
          send(p, own, {come});
          receive(p, slice(place_of(p)));
        });
      if (place >= slices) return;
      other_hosts([&](int h, int p) {
        const Block theirs = part_of(place, h);
        x.meet(p, theirs.count, 0, pieces);
        send(p, theirs, {come, theirs.at - own.at});
      });
      return;
    }
    others_here([&](int p) { x.meet(p, own.count, slice(place_of(p)).count, pieces); });
    std::vector<Ready> come(size_t(hosts), Ready{});
    if (place < slices) {
      const Block mine = part_of(place, here);
      const int above = t.column[size_t(from)];
      x.meet(above, 0, mine.count, pieces);
      come[size_t(here)] = {receive(above, mine)};
      other_hosts([&](int h, int p) {
        if (h == from || small) return;
        const Block theirs = part_of(place, h);
        x.meet(p, mine.count, theirs.count, pieces);
        send(p, mine, come[size_t(here)]);
        come[size_t(h)] = {receive(p, theirs)};
      });
    }
    others_here([&](int p) {
      for (int h = 0; h < hosts; ++h) {
        if (h == from || (small && h != here)) continue;
        if (place < slices) send(p, part_of(place, h), come[size_t(h)]);
        if (place_of(p) < slices) receive(p, part_of(place_of(p), h));
      }
    });
  }
};

}  // namespace

bool run_over_hosts(Schedule& s, const Buffers& b, Scratch& scratch) {
  const Topology* hosts = s.x.hosts();
  if (!hosts) return false;
  OverHosts over{{s.x, s.call, s.deadline}, *hosts, scratch};
  switch (s.call.kind) {
    case Kind::all_reduce: return over.all_reduce(b.in[0], b.out[0]), true;
    case Kind::all_gather: return over.all_gather(b.in[0], b.out), true;
    case Kind::reduce_scatter: return over.reduce_scatter(b.in, b.out[0]), true;
    case Kind::broadcast: return over.broadcast(b.out[0]), true;
    default: return false;
  }
}

}  // namespace haft::dist
