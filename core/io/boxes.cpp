#include "core/io/boxes.h"

#include <algorithm>
#include <cstring>

#include "core/base/text.h"

namespace haft {

int64_t Box::numel() const {
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  return n;
}
bool Box::operator==(const Box& o) const {
  return std::ranges::equal(offsets, o.offsets) && std::ranges::equal(sizes, o.sizes);
}
bool Box::operator<(const Box& o) const {
  if (!std::ranges::equal(offsets, o.offsets))
    return std::ranges::lexicographical_compare(offsets, o.offsets);
  return std::ranges::lexicographical_compare(sizes, o.sizes);
}

Box whole_box(std::span<const int64_t> shape) {
  Box b;
  b.offsets.resize(int64_t(shape.size()));
  b.sizes.assign(shape);
  return b;
}

std::string box_trouble(const Box& b, std::span<const int64_t> shape) {
  if (b.sizes.size() != int64_t(shape.size()) || b.offsets.size() != int64_t(shape.size()))
    return concat("has ", b.sizes.size(), " dimensions; the whole has ", int64_t(shape.size()));
  for (int64_t d = 0; d < b.sizes.size(); ++d)
    if (b.offsets[d] < 0 || b.sizes[d] < 0 || b.offsets[d] > shape[size_t(d)] ||
        b.sizes[d] > shape[size_t(d)] - b.offsets[d])
      return concat("of sizes ", b.sizes, " at ", b.offsets, " reaches beyond the whole of ", shape);
  return {};
}

std::optional<Box> intersect(const Box& a, const Box& b) {
  Box r;
  for (int64_t d = 0; d < a.sizes.size(); ++d) {
    const int64_t from = std::max(a.offsets[d], b.offsets[d]),
                  to = std::min(a.offsets[d] + a.sizes[d], b.offsets[d] + b.sizes[d]);
    if (from >= to) return {};
    r.offsets.push_back(from);
    r.sizes.push_back(to - from);
  }
  return r;
}

std::vector<Box> boxes_of_range(std::span<const int64_t> shape, int64_t first, int64_t count) {
  const int64_t n = int64_t(shape.size());
  Box::Sizes strides(n, 1);
  for (int64_t d = n - 1; d-- > 0;) strides[d] = strides[d + 1] * shape[size_t(d + 1)];
  std::vector<Box> out;
  while (count > 0) {
    // The outermost dimension of which whole slices begin here.
    int64_t d = 0;
    while (d < n - 1 && (first % strides[d] || strides[d] > count)) ++d;
    Box b;
    int64_t left = first;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = left / strides[i];
      left %= strides[i];
      b.offsets.push_back(at);
      b.sizes.push_back(i < d   ? 1
                        : i > d ? shape[size_t(i)]
                                : std::min(shape[size_t(i)] - at, count / strides[i]));
    }
    const int64_t taken = b.numel();
    out.push_back(std::move(b));
    first += taken;
    count -= taken;
  }
  return out;
}

std::string tiling_trouble(std::span<const Box* const> boxes, std::span<const int64_t> shape) {
  int64_t left = 1;
  for (int64_t s : shape) left *= s;
  std::vector<const Box*> sorted(boxes.begin(), boxes.end());
  for (const Box* b : sorted) {
    const int64_t n = b->numel();
    if (n > left) return concat("overlap: together they have more elements than the whole of ", shape);
    left -= n;
  }
  // Along the dimension that cuts them most: of those that reach where the next one begins, each is compared with it.
  // Compared are as many pairs as an honest cut of a million pieces needs; what takes more is refused, for time would
  // grow with the square.
  int64_t along = 0;
  size_t most = 0;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d) {
    std::vector<int64_t> starts;
    for (const Box* b : sorted) starts.push_back(b->offsets[d]);
    std::ranges::sort(starts);
    const size_t kinds = size_t(std::unique(starts.begin(), starts.end()) - starts.begin());
    if (kinds > most) most = kinds, along = d;
  }
  if (!shape.empty()) {
    std::ranges::sort(sorted, {}, [&](const Box* b) { return b->offsets[along]; });
    int64_t budget = 200'000'000;
    std::vector<const Box*> open;
    for (const Box* b : sorted) {
      std::erase_if(open,
                    [&](const Box* o) { return o->offsets[along] + o->sizes[along] <= b->offsets[along]; });
      budget -= int64_t(open.size()) + 1;
      if (budget < 0) return "are too many to be compared";
      for (const Box* o : open)
        if (auto both = intersect(*o, *b)) return concat("overlap at ", both->offsets);
      open.push_back(b);
    }
  } else if (sorted.size() > 1) {
    return "overlap";
  }
  return left ? concat("leave out ", left, " elements of the whole of ", shape) : std::string();
}

void copy_box(const Box& part, const Box& from, const void* source, const Box& to, void* target,
              int64_t item) {
  int64_t n = part.sizes.size();
  int64_t run = item;  // bytes that lie together on both sides
  Box::Sizes in(n), out(n), at(n);
  for (int64_t d = n - 1, i = item, o = item; d >= 0; --d) {
    in[d] = i, out[d] = o;
    i *= from.sizes[d], o *= to.sizes[d];
  }
  auto* s = static_cast<const char*>(source);
  auto* t = static_cast<char*>(target);
  for (int64_t d = 0; d < n; ++d) {
    s += (part.offsets[d] - from.offsets[d]) * in[d];
    t += (part.offsets[d] - to.offsets[d]) * out[d];
  }
  for (bool together = true; n && together; --n) {
    together = part.sizes[n - 1] == from.sizes[n - 1] && part.sizes[n - 1] == to.sizes[n - 1];
    run *= part.sizes[n - 1];
  }
  for (;;) {
    std::memcpy(t, s, size_t(run));
    int64_t d = n;
    while (d-- > 0) {
      s += in[d], t += out[d];
      if (++at[d] < part.sizes[d]) break;
      s -= in[d] * at[d], t -= out[d] * at[d];
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace haft
