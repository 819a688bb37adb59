// Which ranks of a group are on which host, for collectives that send little from host to host.
#pragma once
#include <span>
#include <vector>

namespace haft::dist {

class Topology {
  std::vector<int> ranks_, first_;  // host by host, and where each host's begin

 public:
  const std::vector<int>& host;  // of each rank, numbered in the order in which ranks first name them
  std::vector<int> place;        // which one of its host each rank is
  // Of each host the rank that stands for this one; for this one's it is itself.
  std::vector<int> column;
  int slices;  // ranks of the smallest host

  Topology(const std::vector<int>& hosts, int rank);
  int size() const { return int(column.size()); }
  std::span<const int> members(int h) const {
    return {ranks_.data() + first_[size_t(h)], size_t(first_[size_t(h) + 1] - first_[size_t(h)])};
  }
  // The rank of a host that takes what is for `rank` of another, or of all of them.
  int stands_for(int rank, int h) const {
    const auto there = members(h);
    return there[size_t(place[size_t(rank)]) % there.size()];
  }
};

}  // namespace haft::dist
