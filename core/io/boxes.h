// Boxes: what of a tensor somebody has, a range of each dimension. Data of a box are dense and row-major.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/small_vec.h"

namespace haft {

struct Box {
  using Sizes = SmallVec<int64_t, 8>;
  Sizes offsets, sizes;

  int64_t numel() const;  // of one that is known to fit
  bool operator==(const Box& o) const;
  bool operator<(const Box& o) const;  // some order
};

Box whole_box(std::span<const int64_t> shape);
// Why it is no box of that shape; empty: it is one.
std::string box_trouble(const Box& b, std::span<const int64_t> shape);
// What two boxes have in common; nothing when that is empty.
std::optional<Box> intersect(const Box& a, const Box& b);
// The elements [first, first + count) of a row-major tensor, in their order: at most two boxes a dimension. They are
// in it.
std::vector<Box> boxes_of_range(std::span<const int64_t> shape, int64_t first, int64_t count);
// Why these boxes of a shape, none of them empty, are not all of it once: "overlap at [..]", "leave out .. elements".
// Empty: they are.
std::string tiling_trouble(std::span<const Box* const> boxes, std::span<const int64_t> shape);
// Copies `part`, which lies in both.
void copy_box(const Box& part, const Box& from, const void* source, const Box& to, void* target,
              int64_t item);

}  // namespace haft
