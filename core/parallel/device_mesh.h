// Ranks of a group seen as an array: along each dimension stand the ranks that work together in one way, such as data
// or tensor parallel.
#pragma once
#include <string>
#include <vector>

#include "core/parallel/functional.h"

namespace haft::parallel {

class DeviceMesh : public RefCounted {
 public:
  // shape in row-major order of ranks; every rank of the group calls it. No names, or one a dimension. Its groups are
  // the caller's to close.
  static Ref<DeviceMesh> create(const GroupRef& world, IntList shape, std::vector<std::string> names);

  int64_t ndim() const { return int64_t(dims_.size()); }
  int64_t size(int64_t dim) const { return at(dim).size; }
  int64_t coordinate(int64_t dim) const { return at(dim).coordinate; }  // this rank's
  const std::string& name(int64_t dim) const { return at(dim).name; }
  // The ranks that differ from this one in that dimension only, in its order.
  const GroupRef& group(int64_t dim) const { return at(dim).group; }
  int64_t find(std::string_view name) const;  // fails naming those there are
  // Some dimensions of this one, in any order: the ranks that share the others' coordinates.
  Ref<DeviceMesh> slice(const std::vector<int64_t>& dims) const;

 private:
  struct Dim {
    std::string name;
    int64_t size, coordinate;
    GroupRef group;
  };
  const Dim& at(int64_t dim) const;

  std::vector<Dim> dims_;
};

}  // namespace haft::parallel
