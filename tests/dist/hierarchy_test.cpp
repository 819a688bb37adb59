// Ranks that share hosts: what is joined is the same everywhere, and goes from host to host once.
#include <fstream>
#include <random>
#include <sstream>

#include "machines.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

#ifdef HAFT_WITH_GLOO

// Of each rank its host; they are said to be different ones.
using Layout = std::vector<int>;
const Layout kLayouts[] = {
    {0, 0, 1, 1}, {0, 0, 0, 1, 1}, {0, 1, 1}, {0, 1, 2, 0, 1, 2}, {0, 0, 1, 2, 2, 2, 1}};

GroupOptions over_gloo() {
  GroupOptions o = patient();
  o.engine = "gloo";
  return o;
}
Failures run_on(const Layout& layout, const std::function<void(Group&)>& f) {
  return run_threads(int(layout.size()), f, over_gloo(),
                     [&](int r) { return concat("h", layout[size_t(r)]); });
}

Tensor random_values(int64_t count, unsigned seed) {
  std::mt19937 rng(seed);
  return numbers({count}, DType::f32, [&](int64_t) { return std::ldexp(double(rng()), -32) - 0.5; });
}

// In one tensor and out of another, small and larger than what lies in rings and slots, with numbers whose sum
// depends on the order.
TEST(Hierarchy, EveryRankHasTheSameBits) {
  for (const Layout& layout : kLayouts) {
    const int n = int(layout.size());
    for (int64_t count : {1, 1000, 300007}) {
      std::vector<Tensor> results(size_t(n), Tensor{});
      expect_none(run_on(layout, [&](Group& g) {
        for (ReduceOp op : {ReduceOp::sum, ReduceOp::avg}) {
          Tensor x = random_values(count, unsigned(g.rank())), y = filled({count}, DType::f32, -7),
                 before = ops::clone(x);
          g.run(job(Kind::all_reduce, {x}, {y}, -1, op));
          if (!same_bits(x, before)) fail(Code::internal, "all_reduce changed its input");
          g.run(all_reduce(x, op));
          if (!same_bits(x, y)) fail(Code::internal, "in place it is another result");
          results[size_t(g.rank())] = x;
        }
      }));
      std::vector<double> want(size_t(count), 0.0);
      for (int r = 0; r < n; ++r) {
        Tensor x = random_values(count, unsigned(r));
        for (int64_t i = 0; i < count; ++i) want[size_t(i)] += at(x, i) / n;
      }
      for (int r = 0; r < n; ++r) {
        ASSERT_TRUE(same_bits(results[size_t(r)], results[0]))
            << "rank " << r << " of " << n << ", " << count;
        for (int64_t i = 0; i < count; ++i) ASSERT_NEAR(at(results[0], i), want[size_t(i)], 1e-6) << i;
      }
    }
  }
}

TEST(Hierarchy, WhatIsSpreadComesWhole) {
  for (const Layout& layout : kLayouts)
    expect_none(run_on(layout, [&](Group& g) {
      const int n = g.size(), me = g.rank();
      auto value = [](int rank, int64_t i) { return double((rank * 31 + i * 7 + i / 1000) % 1009); };
      auto made = [&](int rank, int64_t count) {
        return numbers({count}, DType::f32, [&](int64_t i) { return value(rank, i); });
      };
      for (int64_t count : {0, 5, 70001}) {
        std::vector<Tensor> out;  // of sizes that differ
        for (int r = 0; r < n; ++r) out.push_back(filled({count + r}, DType::f32, -1));
        g.run(job(Kind::all_gather, {made(me, count + me)}, out));
        for (int r = 0; r < n; ++r)
          if (!same_bits(out[size_t(r)], made(r, count + r)))
            fail(Code::internal, concat("all_gather, of rank ", r));
        std::vector<Tensor> in;
        for (int r = 0; r < n; ++r) in.push_back(made(me + r, count));
        Tensor own = filled({count}, DType::f32, -1);
        g.run(job(Kind::reduce_scatter, in, {own}));
        for (int64_t i = 0; i < count; ++i) {
          double sum = 0;
          for (int r = 0; r < n; ++r) sum += value(r + me, i);
          if (at(own, i) != sum) fail(Code::internal, concat("reduce_scatter, element ", i));
        }
        for (int root = 0; root < n; ++root) {
          Tensor x = made(me, count);
          g.run(job(Kind::broadcast, {}, {x}, root));
          if (!same_bits(x, made(root, count))) fail(Code::internal, concat("broadcast of rank ", root));
        }
      }
    }));
}

// What each rank sends to other hosts in a call, beside headers: for a host together, by the numbers of ranks on it
// and of hosts.
TEST(Hierarchy, DataCrossHostsOnce) {
  constexpr int hosts = 3, each = 2, n = hosts * each;
  constexpr int64_t count = 6 * 60000, bytes = count * 4, headers = 4096;
  std::vector<uint64_t> sent(n);
  auto all_of = [&](const char* what, const Layout& layout, const std::function<void(Group&)>& f,
                    int64_t want, int host = 0) {
    expect_none(run_on(layout, [&](Group& g) {
      const uint64_t before = g.bytes_across();
      f(g);
      sent[size_t(g.rank())] = g.bytes_across() - before;
    }));
    const auto got = int64_t(sent[size_t(each * host)] + sent[size_t(each * host) + 1]);
    EXPECT_GE(got, want) << what;
    EXPECT_LE(got, want + headers) << what;
  };
  const Layout shared = {0, 0, 1, 1, 2, 2}, alone = {0, 1, 2, 3, 4, 5};
  auto reduce = [](Group& g) {
    Tensor x = filled({count}, DType::f32, 1);
    g.run(all_reduce(x));
  };
  all_of("all_reduce", shared, reduce, 2 * bytes * (hosts - 1) / hosts);
  all_of("all_reduce of ranks that share none", alone, reduce, each * 2 * bytes * (n - 1) / n);
  auto small = [](Group& g) {
    Tensor x = filled({2000}, DType::f32, 1);
    g.run(all_reduce(x));
  };
  all_of("small all_reduce", shared, small, (hosts - 1) * 8000);
  all_of(
      "all_gather", shared,
      [](Group& g) {
        Job j = job(Kind::all_gather, {filled({count / n}, DType::f32, 1)}, {filled({count}, DType::f32, 0)});
        j.out_parts.assign(n, count / n);
        g.run(std::move(j));
      },
      each * (hosts - 1) * (bytes / n));
  all_of(
      "reduce_scatter", shared,
      [](Group& g) {
        Job j =
            job(Kind::reduce_scatter, {filled({count}, DType::f32, 1)}, {filled({count / n}, DType::f32, 0)});
        j.in_parts.assign(n, count / n);
        g.run(std::move(j));
      },
      (n - each) * (bytes / n));
  auto broadcast = [](Group& g) {
    Tensor x = filled({count}, DType::f32, 1);
    g.run(job(Kind::broadcast, {}, {x}, 1));
  };
  all_of("broadcast, of the root's host", shared, broadcast, bytes);
  all_of("broadcast, of another", shared, broadcast, bytes / 2, 1);
}

// The recorder's text tells it, too.
TEST(Hierarchy, TheRecorderTellsWhatCrossed) {
  expect_none(run_on({0, 0, 1}, [](Group& g) {
    Tensor x = filled({100000}, DType::f32, 1);
    g.run(all_reduce(x));
    if (g.recorder_json().find(concat("\"bytes_across_hosts\": ", g.bytes_across())) == std::string::npos)
      fail(Code::internal, g.recorder_json());
    if (g.bytes_across() == 0 && g.rank() != 1) fail(Code::internal, "nothing crossed");
  }));
}

TEST(Hierarchy, ALateRankIsNamedByAll) {
  const Layout layout = {0, 0, 1, 1};
  for (int64_t count : {10, 100000}) {
    const Failures failures = run_threads(
        4,
        [&](Group& g) {
          Tensor x = filled({count}, DType::f32, 1);
          g.run(all_reduce(x));
          if (g.rank() == 3) {  // comes when the others have given up
            while (g.failure().code == Code::ok) usleep(10000);
            g.check_alive();
          }
          g.run(within(2, all_reduce(x)));
        },
        over_gloo(), [&](int r) { return concat("h", layout[size_t(r)]); });
    for (int r = 0; r < 4; ++r)
      EXPECT_NE(failures[size_t(r)].find("for ranks [3], which have not called it"), std::string::npos)
          << r << ": " << failures[size_t(r)];
  }
}

// Bytes that have left a machine by its cable.
int64_t cable_bytes() {
  std::ifstream devices("/proc/thread-self/net/dev");
  for (std::string line; std::getline(devices, line);) {
    const size_t name = line.find("eth0:");
    if (name == line.npos) continue;
    std::istringstream fields(line.substr(name + 5));
    int64_t v = 0;
    for (int i = 0; i < 9; ++i) fields >> v;
    return v;
  }
  fail(Code::internal, "no eth0");
}

// Two ranks on each of two machines: together they send over the cable what one rank a machine would.
TEST(Machines, RanksOfOneSendTogether) {
  Machines machines;
  if (!machines.why_not().empty()) GTEST_SKIP() << machines.why_not();
  constexpr int n = 4, times = 8;
  constexpr int64_t count = 1 << 20, bytes = times * count * 4;
  for (bool together : {true, false}) {
    Processes ps(n, [&](Ref<Store> store, int r) -> std::string {
      machines.enter(r / 2);
      GroupOptions o = patient();
      if (!together) o.host = concat(r);  // every rank sends its own
      Member g(Group::create(std::move(store), r, n, o));
      Tensor x = filled({count}, DType::f32, r);
      g->run(barrier());
      const int64_t before = cable_bytes();
      g->run(barrier());
      for (int i = 0; i < times; ++i) g->run(all_reduce(x));
      g->run(barrier());
      const int64_t sent = cable_bytes() - before;
      g->run(barrier());
      return std::to_string(sent);
    });
    for (int r = 0; r < n; ++r) {
      const std::string told = ps.told(r);
      const double sent = std::atof(told.c_str()), want = double(bytes) * (together ? 1 : 2);
      EXPECT_GT(sent, 0.95 * want) << told;
      EXPECT_LT(sent, 1.15 * want) << told;
    }
  }
}

#endif  // HAFT_WITH_GLOO

}  // namespace
