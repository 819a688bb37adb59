#include "core/dist/collectives.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/dist/reduce.h"

namespace haft::dist {

namespace {

constexpr int64_t kDirectBytes = 32 << 10;  // sent by a rank; below it one hop is worth more than fewer bytes

struct Run {
  Exchange& x;
  const Header& call;
  Deadline deadline;
  const int64_t item = item_size(call.dtype);
  const int n = x.size(), me = x.rank(), root = call.root;

  template <class F>
  void peers(F&& f) {
    for (int p = 0; p < n; ++p)
      if (p != me) f(p);
  }
  // The p-th of n nearly equal parts.
  Block part(Block whole, int p) const {
    const int64_t from = whole.count * p / n, to = whole.count * (p + 1) / n;
    return {whole.at + from * item, to - from};
  }
  void send(int p, Block b, const int64_t* ready = nullptr) { x.send(p, b.at, b.count * item, ready); }
  const int64_t* receive(int p, Block b) { return x.receive(p, b.at, b.count * item); }
  const int64_t* reduce(Block to, Block own) { return x.reduce(to.at, own.at, to.count * item); }
  void copy(Block to, Block from) const {
    if (to.at != from.at && to.count) std::memmove(to.at, from.at, size_t(to.count * item));
  }

  void all_reduce(Block in, Block out) {
    if (in.count * item * (n - 1) <= kDirectBytes) {
      peers([&](int p) {
        x.meet(p, in.count, in.count);
        send(p, in);
      });
      if (in.at == out.at) x.flush(deadline);
      reduce(out, in);
      return;
    }
    // Each rank joins one part of all and sends it to all. In place, too: what overwrites a part of `in` was joined by the
    // peer from what we have sent of it.
    const Block mine = part(out, me);
    peers([&](int p) {
      x.meet(p, part(in, p).count, mine.count);
      send(p, part(in, p));
    });
    const int64_t* joined = reduce(mine, part(in, me));
    peers([&](int p) {
      send(p, mine, joined);
      receive(p, part(out, p));
    });
  }

  void broadcast(Block b) {
    const bool direct = n == 2 || b.count * item * (n - 1) <= kDirectBytes;
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
      send(p, mine, come);
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

void run_collective(Exchange& x, const Header& call, const Buffers& given, Deadline deadline) {
  Run run{x, call, deadline};
  Buffers b = given;
  std::vector<std::unique_ptr<std::byte[]>> copies;
  if (run.overlaps(b))
    for (Block& i : b.in) {
      auto& own = copies.emplace_back(new std::byte[size_t(i.count * run.item) + 1]);
      std::memcpy(own.get(), i.at, size_t(i.count * run.item));
      i.at = own.get();
    }
  x.begin(call);
  run.every(b);
  if (x.size() == 1 &&
      (call.kind == Kind::all_reduce || call.kind == Kind::reduce || call.kind == Kind::reduce_scatter)) {
    const void* one = b.in[0].at;
    if (b.out[0].count) combine(call.dtype, call.reduce, b.out[0].at, &one, 1, b.out[0].count);
  } else {
    x.run(deadline);
  }
}

}  // namespace haft::dist
