#include "core/parallel/device_mesh.h"

#include <algorithm>

namespace haft::parallel {

Ref<DeviceMesh> DeviceMesh::create(const GroupRef& world, IntList shape, std::vector<std::string> names) {
  const auto bad = [](Code code, std::string text, const char* argument) {
    fail(code, concat("device mesh: ", text), {}, argument);
  };
  if (shape.empty()) bad(Code::invalid_argument, "takes at least one dimension", "shape");
  if (!names.empty() && names.size() != shape.size())
    bad(Code::invalid_argument,
        concat("takes a name for each of ", shape.size(), " dimensions, got ", names.size()), "names");
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i].empty() ||
        std::find(names.begin(), names.begin() + int64_t(i), names[i]) != names.begin() + int64_t(i))
      bad(Code::invalid_argument,
          concat("names must differ and not be empty, got \"", names[i], "\" as number ", i), "names");
  int64_t ranks = 1;
  for (int64_t n : shape) {
    if (n < 1 || n > world->size())
      bad(Code::shape, concat("sizes must be 1 to ", world->size(), ", got ", shape), "shape");
    ranks *= n;
  }
  if (ranks != world->size())
    bad(Code::shape, concat("a shape of ", shape, " wants ", ranks, " ranks, the group has ", world->size()),
        "shape");

  auto mesh = make_ref<DeviceMesh>();
  int64_t behind = ranks;  // ranks between neighbours, from the first dimension to the last
  for (size_t d = 0; d < shape.size(); ++d) {
    behind /= shape[d];
    const int64_t me = world->rank(), coordinate = me / behind % shape[d];
    mesh->dims_.push_back({names.empty() ? std::string() : std::move(names[d]), shape[d], coordinate,
                           world->split(me - coordinate * behind, coordinate, {})});
  }
  return mesh;
}

const DeviceMesh::Dim& DeviceMesh::at(int64_t dim) const {
  return dims_[size_t(wrap_dim(dim, ndim(), "device mesh"))];
}

int64_t DeviceMesh::find(std::string_view name) const {
  std::string known;
  for (size_t d = 0; d < dims_.size(); ++d) {
    if (!name.empty() && dims_[d].name == name) return int64_t(d);
    known += concat(d ? ", \"" : "\"", dims_[d].name, "\"");
  }
  fail(Code::invalid_argument,
       concat("device mesh: no dimension is called \"", name, "\"; there are ", known), {}, "name");
}

Ref<DeviceMesh> DeviceMesh::slice(const std::vector<int64_t>& dims) const {
  auto mesh = make_ref<DeviceMesh>();
  for (int64_t d : dims) {
    const Dim& dim = at(d);
    if (std::ranges::any_of(mesh->dims_, [&](const Dim& other) { return other.group == dim.group; }))
      fail(Code::invalid_argument, concat("device mesh: dimension ", d, " was asked for twice"), {}, "dims");
    mesh->dims_.push_back(dim);
  }
  if (dims.empty()) fail(Code::invalid_argument, "device mesh: takes at least one dimension", {}, "dims");
  return mesh;
}

}  // namespace haft::parallel
