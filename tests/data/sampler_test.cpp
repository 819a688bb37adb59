// The order of an epoch, whole and shared by several processes.
#include "core/data/sampler.h"

#include <gtest/gtest.h>

#include <set>

#include "core/init.h"
#include "core/ops/functions.h"

namespace haft {
namespace {

std::vector<int64_t> list(const Tensor& t) { return {t.data<int64_t>(), t.data<int64_t>() + t.numel()}; }

std::vector<int64_t> share(int64_t items, int n, int rank, bool drop, bool shuffle = false,
                           uint64_t epoch = 0) {
  SamplerOptions o;
  o.shuffle = shuffle;
  o.num_replicas = n;
  o.rank = rank;
  o.drop_uneven = drop;
  const Sampler s(o, items);
  const std::vector<int64_t> order = list(s.order(7, epoch));
  EXPECT_EQ(int64_t(order.size()), s.size());
  return order;
}

// The values that torch.utils.data.DistributedSampler gives.
TEST(Sampler, ReplicasTakeTurnsAndGoOnFromTheStart) {
  init();
  using L = std::vector<int64_t>;
  EXPECT_EQ(share(10, 3, 0, false), (L{0, 3, 6, 9}));
  EXPECT_EQ(share(10, 3, 1, false), (L{1, 4, 7, 0}));
  EXPECT_EQ(share(10, 3, 2, false), (L{2, 5, 8, 1}));
  EXPECT_EQ(share(10, 3, 2, true), (L{2, 5, 8}));
  EXPECT_EQ(share(2, 5, 4, false), (L{0}));
  EXPECT_EQ(share(2, 5, 4, true), L{});
  EXPECT_EQ(share(0, 2, 1, false), L{});
  EXPECT_EQ(share(6, 3, 1, true), (L{1, 4}));
}

TEST(Sampler, ReplicasShareOneRandomOrderOfTheEpoch) {
  init();
  for (bool drop : {false, true}) {
    std::multiset<int64_t> seen;
    for (int r = 0; r < 4; ++r)
      for (int64_t i : share(23, 4, r, drop, true, 2)) seen.insert(i);
    EXPECT_EQ(seen.size(), drop ? 20u : 24u);
    EXPECT_EQ(std::set<int64_t>(seen.begin(), seen.end()).size(), drop ? 20u : 23u);
  }
  EXPECT_NE(share(23, 4, 1, false, true, 2), share(23, 4, 1, false, true, 3));
  SamplerOptions alone, first;
  alone.shuffle = first.shuffle = true;
  first.num_replicas = 2;
  const std::vector<int64_t> all = list(Sampler(alone, 9).order(1, 0)),
                             half = list(Sampler(first, 9).order(1, 0));
  for (size_t i = 0; i < half.size(); ++i) EXPECT_EQ(half[i], all[2 * i]);
}

TEST(Sampler, ReplicasOfChosenItemsAndOfSamples) {
  init();
  SamplerOptions o;
  const int64_t size[] = {5};
  o.indices = ops::full(size, Scalar(int64_t(4)), DType::i64);
  o.num_replicas = 2;
  EXPECT_EQ(list(Sampler(o, 9).order(0, 0)), (std::vector<int64_t>{4, 4, 4}));
  SamplerOptions drawn;
  drawn.shuffle = drawn.replacement = true;
  drawn.num_samples = 7;
  drawn.num_replicas = 3;
  EXPECT_EQ(Sampler(drawn, 2).size(), 3);
}

TEST(Sampler, RefusesWrongReplicas) {
  for (auto [n, rank] : {std::pair{0, 0}, {2, 2}, {2, -1}}) {
    SamplerOptions o;
    o.num_replicas = n;
    o.rank = rank;
    EXPECT_THROW(Sampler(o, 3), Error) << n << " " << rank;
  }
}

}  // namespace
}  // namespace haft
