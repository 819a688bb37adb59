#include "core/dist/collectives.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/dist/reduce.h"
#include "core/dist/schedule.h"

namespace haft::dist {

namespace {

struct Run : Schedule {
  void all_reduce(Block in, Block out) {
    if (is_small(in.count * (n - 1))) {
      peers([&](int p) {
        x.meet(p, in.count, in.count);
        send(p, in);
      });
      if (in.at == out.at) x.flush(deadline);
      reduce(out, in);
      return;
    }
    // Each rank joins one part of all and sends it to all. In place, too: what overwrites a part of `in` was joined
    // by the peer from what we have sent of it.
    const Block mine = part(out, me);
    peers([&](int p) {
      x.meet(p, part(in, p).count, mine.count);
      send(p, part(in, p));
    });
    const int64_t* joined = reduce(mine, part(in, me));
    peers([&](int p) {
      send(p, mine, {joined});
      receive(p, part(out, p));
    });
  }

  void broadcast(Block b) {
    const bool direct = n == 2 || is_small(b.count * (n - 1));
    if (direct) {
      if (me != root)
        x.meet(root, 0, b.count), receive(root, b);
      else
        peers([&](int p) { x.meet(p, b.count, 0), send(p, b); });
      return;
    }
    // The root sends each rank a part, which that one sends on to all others.
    const Block mine = part(b, me), of_root = part(b, root);
    if (me == root) {
      peers([&](int p) {
        x.meet(p, b.count, 0);
        send(p, part(b, p));
        send(p, of_root);
      });
      return;
    }
    x.meet(root, 0, b.count);
    const int64_t* come = receive(root, mine);
    receive(root, of_root);
    peers([&](int p) {
      if (p == root) return;
      x.meet(p, mine.count, part(b, p).count);
      send(p, mine, {come});
      receive(p, part(b, p));
    });
  }

  void every(const Buffers& b) {
    const Block first_in = b.in.empty() ? Block{} : b.in[0], first_out = b.out.empty() ? Block{} : b.out[0];
    switch (call.kind) {
      case Kind::broadcast: return broadcast(first_out);
      case Kind::all_reduce: return all_reduce(first_in, first_out);
      case Kind::reduce:
        if (me != root) return x.meet(root, first_in.count, 0), send(root, first_in);
        peers([&](int p) { x.meet(p, 0, first_in.count); });
        reduce(first_out, first_in);
        return;
      case Kind::all_gather:
        copy(b.out[size_t(me)], first_in);
        return peers([&](int p) {
          x.meet(p, first_in.count, b.out[size_t(p)].count);
          send(p, b.out[size_t(me)]);  // the input may be a part of the output
          receive(p, b.out[size_t(p)]);
        });
      case Kind::gather:
        if (me != root) return x.meet(root, first_in.count, 0), send(root, first_in);
        copy(b.out[size_t(me)], first_in);
        return peers([&](int p) { x.meet(p, 0, b.out[size_t(p)].count), receive(p, b.out[size_t(p)]); });
      case Kind::scatter:
        if (me != root) return x.meet(root, 0, first_out.count), void(receive(root, first_out));
        copy(first_out, b.in[size_t(me)]);
        return peers([&](int p) { x.meet(p, b.in[size_t(p)].count, 0), send(p, b.in[size_t(p)]); });
      case Kind::reduce_scatter:
        peers([&](int p) { x.meet(p, b.in[size_t(p)].count, first_out.count), send(p, b.in[size_t(p)]); });
        reduce(first_out, b.in[size_t(me)]);
        return;
      case Kind::all_to_all:
        copy(b.out[size_t(me)], b.in[size_t(me)]);
        return peers([&](int p) {
          x.meet(p, b.in[size_t(p)].count, b.out[size_t(p)].count);
          send(p, b.in[size_t(p)]);
          receive(p, b.out[size_t(p)]);
        });
      default: return peers([&](int p) { x.meet(p, 0, 0); });
    }
  }

  // Writing one block may spoil another that is yet to be sent.
  bool overlaps(const Buffers& b) const {
    auto meets = [&](Block s, Block t) {
      return s.at < t.at + t.count * item && t.at < s.at + s.count * item &&
             (s.at != t.at || s.count != t.count);
    };
    const bool several = call.kind == Kind::reduce_scatter || call.kind == Kind::all_to_all;
    if (!several && call.kind != Kind::all_reduce && call.kind != Kind::reduce) return false;
    for (Block o : b.out)
      for (size_t i = 0; i < b.in.size(); ++i)
        if (meets(o, b.in[i]) ||
            (several && o.count && o.at == b.in[i].at && (call.kind == Kind::all_to_all || int(i) != me)))
          return true;
    return false;
  }
};

}  // namespace

void agree_on(Exchange& x, const Header& call, const Amounts& amounts, Deadline deadline) {
  Run run{{x, call, deadline}};
  const auto of = [](const std::vector<int64_t>& list, int p) { return list.empty() ? 0 : list[size_t(p)]; };
  x.begin(call);
  run.peers([&](int p) { x.meet(p, of(amounts.gives, p), of(amounts.gets, p)); });
  if (x.size() > 1) x.run(deadline);
}

void run_collective(Exchange& x, const Header& call, const Buffers& given, Deadline deadline) {
  Run run{{x, call, deadline}};
  Buffers b = given;
  Scratch copies;
  if (run.overlaps(b))
    for (Block& i : b.in) {
      auto& own = copies.emplace_back(new std::byte[size_t(i.count * run.item) + 1]);
      std::memcpy(own.get(), i.at, size_t(i.count * run.item));
      i.at = own.get();
    }
  x.begin(call);
  if (!run_over_hosts(run, b, copies)) run.every(b);
  if (x.size() == 1 &&
      (call.kind == Kind::all_reduce || call.kind == Kind::reduce || call.kind == Kind::reduce_scatter)) {
    const void* one = b.in[0].at;
    if (b.out[0].count) combine(call.dtype, call.reduce, b.out[0].at, &one, 1, b.out[0].count, 1);
  } else {
    x.run(deadline);
  }
}

}  // namespace haft::dist
