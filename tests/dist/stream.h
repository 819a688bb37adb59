// A stream of random collectives and messages, the same on every rank of a seed, each checked against what the ranks
// gave; and what a process holds, to see whether it grows.
#pragma once
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "core/tensor/host_allocator.h"
#include "ranks.h"

namespace haft::dist::testing {

class Stream {
  std::mt19937 rng_;
  int step_ = 0;

  int64_t below(int64_t n) { return int64_t(rng_() % uint32_t(n)); }

  // Sums of these are exact in float32.
  static int64_t value(int64_t rank, int64_t i, int64_t base) { return (rank * 7 + i * 3 + base) & 63; }
  template <class T>
  static Tensor mine(int64_t count, int64_t rank, int64_t base) {
    Tensor x = new_tensor(IntList(&count, 1), DTypeOf<T>::value);
    for (int64_t i = 0; i < count; ++i) x.data<T>()[i] = T(value(rank, i, base));
    return x;
  }
  template <class T, class Want>
  void expect(const Tensor& x, int64_t first, int64_t count, const char* what, Want&& want) {
    for (int64_t i = 0; i < count; ++i)
      if (const T got = x.data<T>()[first + i]; got != T(want(i)))
        fail(Code::internal, concat("step ", step_, ", ", what, ": element ", i, " of ", count, " is ",
                                    double(got), ", not ", want(i)));
  }
  static void run(Group& g, Job j, bool async) {
    if (!async) return g.run(std::move(j));
    Ref<Work> w = g.start(std::move(j));
    w->wait(Deadline::never());
    w->check();
  }

  template <class T>
  void take(Group& g) {
    static constexpr int64_t kCounts[] = {1, 1, 9, 60, 500, 3000, 10000, 30000};
    const int64_t kind = below(10), count = kCounts[below(std::size(kCounts))], base = below(50);
    const bool async = below(3) == 0;
    const int n = g.size(), me = g.rank(), root = int(below(n));
    const std::vector<int64_t> parts(size_t(n), count);
    auto sum = [&](int64_t at) {
      int64_t s = 0;
      for (int r = 0; r < n; ++r) s += value(r, at, base);
      return s;
    };
    if (kind == 0) {
      Tensor x = mine<T>(count, me, base);
      run(g, job(Kind::broadcast, {}, {x}, root), async);
      expect<T>(x, 0, count, "broadcast", [&](int64_t i) { return value(root, i, base); });
    } else if (kind == 1 || kind == 2) {
      Tensor x = mine<T>(count, me, base);
      run(g, all_reduce(x), async);
      expect<T>(x, 0, count, "all_reduce", sum);
    } else if (kind == 3) {
      Tensor x = mine<T>(count, me, base);
      run(g, job(Kind::reduce, {x}, me == root ? std::vector{x} : std::vector<Tensor>{}, root), async);
      if (me == root) expect<T>(x, 0, count, "reduce", sum);
    } else if (kind == 4) {
      Tensor all = mine<T>(count * n, 0, 0);
      Job j = job(Kind::all_gather, {mine<T>(count, me, base)}, {all});
      j.out_parts = parts;
      run(g, std::move(j), async);
      for (int r = 0; r < n; ++r)
        expect<T>(all, r * count, count, "all_gather", [&](int64_t i) { return value(r, i, base); });
    } else if (kind == 5 || kind == 6) {  // tensors of their own, of sizes that differ
      std::vector<Tensor> all;
      for (int r = 0; r < n; ++r) all.push_back(mine<T>(count + r, r, kind == 5 ? 0 : base));
      std::vector<Tensor> ofroot = me == root ? all : std::vector<Tensor>{};
      Tensor x = mine<T>(count + me, me, base);
      if (kind == 5) {
        run(g, job(Kind::gather, {x}, ofroot, root), async);
        for (size_t r = 0; r < ofroot.size(); ++r)
          expect<T>(all[r], 0, count + int64_t(r), "gather",
                    [&](int64_t i) { return value(int64_t(r), i, base); });
      } else {
        run(g, job(Kind::scatter, ofroot, {x}, root), async);
        expect<T>(x, 0, count + me, "scatter", [&](int64_t i) { return value(me, i, base); });
      }
    } else if (kind == 7) {
      Tensor x = mine<T>(count * n, me, base), own = mine<T>(count, 0, 0);
      Job j = job(Kind::reduce_scatter, {x}, {own});
      j.in_parts = parts;
      run(g, std::move(j), async);
      expect<T>(own, 0, count, "reduce_scatter", [&](int64_t i) { return sum(me * count + i); });
    } else if (kind == 8) {
      Tensor x = mine<T>(count * n, me, base), y = mine<T>(count * n, 0, 0);
      Job j = job(Kind::all_to_all, {x}, {y});
      j.in_parts = j.out_parts = parts;
      run(g, std::move(j), async);
      for (int r = 0; r < n; ++r)
        expect<T>(y, r * count, count, "all_to_all",
                  [&](int64_t i) { return value(r, me * count + i, base); });
    } else if (n > 1) {  // around the ring
      const int to = (me + 1) % n, from = (me + n - 1) % n;
      Tensor y = mine<T>(count, 0, 0);
      Ref<Work> sent = g.start(send(mine<T>(count, me, base), to, step_));
      run(g, recv(y, from, step_), async);
      expect<T>(y, 0, count, "recv", [&](int64_t i) { return value(from, i, base); });
      sent->wait(Deadline::never());
      sent->check();
    }
    if (below(8) == 0) run(g, barrier(), async);
  }

 public:
  explicit Stream(unsigned seed) : rng_(seed) {}
  // All ranks together; fails with Code::internal when a number is wrong.
  void step(Group& g) {
    ++step_;
    if (below(2))
      take<float>(g);
    else
      take<int32_t>(g);
  }
};

// What the process holds now.
struct Held {
  int64_t threads = 0, descriptors = 0, mappings = 0;  // of shared memory
  int64_t tensors = 0, heap = 0;                       // bytes

  static Held now() {
    Held h;
    using Entries = std::filesystem::directory_iterator;
    for ([[maybe_unused]] auto& e : Entries("/proc/self/task")) ++h.threads;
    for ([[maybe_unused]] auto& e : Entries("/proc/self/fd")) ++h.descriptors;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) h.mappings += line.find("memfd:") != std::string::npos;
    h.tensors = host_memory_stats().live;
    h.heap = int64_t(mallinfo2().uordblks);
    return h;
  }
  bool is_within(const Held& h) const {
    return threads <= h.threads && descriptors <= h.descriptors && mappings <= h.mappings &&
           tensors <= h.tensors;
  }
  // No more than before, or what is there after a while: a group's thread may hold a call's tensors a moment longer
  // than who waits for it; before, too.
  static Held after(const Held& before) {
    Held h = now();
    for (int i = 0; i < 6000 && !h.is_within(before); ++i, h = now()) usleep(10000);
    return h;
  }
  std::string text() const {
    return concat(threads, " threads, ", descriptors, " descriptors, ", mappings, " mappings, ", tensors,
                  " bytes of tensors");
  }
};

}  // namespace haft::dist::testing
