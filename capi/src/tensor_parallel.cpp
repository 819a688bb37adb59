// The device mesh and the layers that are spread over ranks.
#include <haft/tensor_parallel.h>

#include "capi/src/group_handle.h"
#include "capi/src/module_handle.h"
#include "core/parallel/device_mesh.h"
#include "core/parallel/tensor_parallel.h"

using namespace haft;
using namespace haft::capi;

namespace {

// A group is left when no mesh and no handle has it any more.
struct MeshObject final : HandleObject {
  Ref<parallel::DeviceMesh> value;
  std::vector<Ref<GroupObject>> groups;
};

Ref<MeshObject> mesh_of(const haft_device_mesh* m) {
  return Ref<MeshObject>::share(&object_of<MeshObject>(m, HandleType::device_mesh, 0, "m"));
}

parallel::ParallelOptions parallel_options(const haft_tensor_parallel_options* given) {
  const haft_tensor_parallel_options o =
      options_of(given, haft_tensor_parallel_options HAFT_TENSOR_PARALLEL_OPTIONS_INIT, 2);
  check_reserved(o.reserved, 2);
  return {to_bool(o.split_output, 2, "options.split_output"),
          to_bool(o.split_input, 2, "options.split_input"), o.sequence_dim, o.blocks};
}

using Make = Ref<nn::Module> (*)(const parallel::GroupRef&, nn::Module&, const parallel::ParallelOptions&);
template <class T>
Ref<nn::Module> make(const parallel::GroupRef& g, nn::Module& dense, const parallel::ParallelOptions& o) {
  return make_ref<T>(g, dense, o);
}

haft_status create_parallel(const char* function, Make make, haft_process_group* g, const haft_module* dense,
                            const haft_tensor_parallel_options* options, haft_module** out) noexcept {
  return boundary(function, [&] {
    check_out(out, 3, "out");
    auto group = group_of(g);
    const Ref<nn::Module> from = module_arg(dense, 1, "dense");
    const parallel::ParallelOptions o = parallel_options(options);
    CancelGuard guard;
    *out = hand_out_module(make(group, *from, o));
  });
}

}  // namespace

extern "C" {

haft_status haft_device_mesh_create(haft_process_group* g, const int64_t* shape, const char* const* names,
                                    int64_t ndim, haft_device_mesh** out) noexcept {
  return boundary("haft_device_mesh_create", [&] {
    check_out(out, 4, "out");
    auto group = group_of(g);
    const IntList sizes = int_list(shape, ndim, 1, "shape");
    std::vector<std::string> texts;
    for (size_t i = 0; names && i < sizes.size(); ++i) texts.emplace_back(to_text(names[i], 2, "names"));
    CancelGuard guard;
    auto mesh = make_ref<MeshObject>();
    mesh->value = parallel::DeviceMesh::create(group, sizes, std::move(texts));
    for (int64_t d = 0; d < mesh->value->ndim(); ++d)
      mesh->groups.push_back(make_ref<GroupObject>(mesh->value->group(d)));
    *out = hand_out_object<haft_device_mesh>(HandleType::device_mesh, std::move(mesh));
  });
}

haft_status haft_device_mesh_retain(haft_device_mesh* m) noexcept {
  return boundary("haft_device_mesh_retain", [&] {
    mesh_of(m);
    retain_handle(m, HandleType::device_mesh);
  });
}

void haft_device_mesh_release(haft_device_mesh* m) noexcept {
  CancelGuard guard;
  release_handle(m, HandleType::device_mesh);
}

haft_status haft_device_mesh_get_dim_count(const haft_device_mesh* m, int64_t* out) noexcept {
  return boundary("haft_device_mesh_get_dim_count", [&] {
    check_out(out, 1, "out");
    *out = mesh_of(m)->value->ndim();
  });
}

haft_status haft_device_mesh_get_dim(const haft_device_mesh* m, int64_t dim, int64_t* size,
                                     int64_t* coordinate) noexcept {
  return boundary("haft_device_mesh_get_dim", [&] {
    const Ref<MeshObject> mesh = mesh_of(m);
    const int64_t n = mesh->value->size(dim), at = mesh->value->coordinate(dim);
    if (size) *size = n;
    if (coordinate) *coordinate = at;
  });
}

haft_status haft_device_mesh_get_dim_name(const haft_device_mesh* m, int64_t dim, char* buffer,
                                          int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_device_mesh_get_dim_name",
                  [&] { emit_text(mesh_of(m)->value->name(dim), buffer, capacity, needed); });
}

haft_status haft_device_mesh_get_dim_of_name(const haft_device_mesh* m, const char* name,
                                             int64_t* out) noexcept {
  return boundary("haft_device_mesh_get_dim_of_name", [&] {
    check_out(out, 2, "out");
    *out = mesh_of(m)->value->find(to_text(name, 1, "name"));
  });
}

haft_status haft_device_mesh_group(const haft_device_mesh* m, int64_t dim,
                                   haft_process_group** out) noexcept {
  return boundary("haft_device_mesh_group", [&] {
    check_out(out, 2, "out");
    const Ref<MeshObject> mesh = mesh_of(m);
    *out = hand_out_object<haft_process_group>(
        HandleType::process_group, mesh->groups[size_t(wrap_dim(dim, mesh->value->ndim(), "device mesh"))]);
  });
}

haft_status haft_device_mesh_slice(const haft_device_mesh* m, const int64_t* dims, int64_t count,
                                   haft_device_mesh** out) noexcept {
  return boundary("haft_device_mesh_slice", [&] {
    check_out(out, 3, "out");
    const Ref<MeshObject> mesh = mesh_of(m);
    const IntList list = int_list(dims, count, 1, "dims");
    auto part = make_ref<MeshObject>();
    part->value = mesh->value->slice({list.begin(), list.end()});
    for (int64_t d : list)
      part->groups.push_back(mesh->groups[size_t(wrap_dim(d, mesh->value->ndim(), "device mesh"))]);
    *out = hand_out_object<haft_device_mesh>(HandleType::device_mesh, std::move(part));
  });
}

haft_status haft_column_parallel_linear_create(haft_process_group* g, const haft_module* dense,
                                               const haft_tensor_parallel_options* options,
                                               haft_module** out) noexcept {
  return create_parallel("haft_column_parallel_linear_create", make<parallel::ColumnParallelLinear>, g, dense,
                         options, out);
}

haft_status haft_row_parallel_linear_create(haft_process_group* g, const haft_module* dense,
                                            const haft_tensor_parallel_options* options,
                                            haft_module** out) noexcept {
  return create_parallel("haft_row_parallel_linear_create", make<parallel::RowParallelLinear>, g, dense,
                         options, out);
}

haft_status haft_vocab_parallel_embedding_create(haft_process_group* g, const haft_module* dense,
                                                 const haft_tensor_parallel_options* options,
                                                 haft_module** out) noexcept {
  return create_parallel("haft_vocab_parallel_embedding_create", make<parallel::VocabParallelEmbedding>, g,
                         dense, options, out);
}

haft_status haft_module_sum_gradients(haft_module* m, haft_process_group* g) noexcept {
  return boundary("haft_module_sum_gradients",
                  [&] { parallel::sum_gradients(group_of(g, 1), *module_arg(m, 0, "m")); });
}

haft_status haft_parallel_cross_entropy(haft_process_group* g, const haft_tensor* x,
                                        const haft_tensor* target, int64_t classes,
                                        const haft_cross_entropy_loss_options* options,
                                        haft_tensor** out) noexcept {
  return boundary("haft_parallel_cross_entropy", [&] {
    check_out(out, 5, "out");
    auto group = group_of(g);
    const Tensor &logits = arg(x, 1, "x"), &classes_of = arg(target, 2, "target");
    const haft_cross_entropy_loss_options o =
        options_of(options, haft_cross_entropy_loss_options HAFT_CROSS_ENTROPY_LOSS_OPTIONS_INIT, 4);
    if (o.weight)
      fail_argument(Code::invalid_argument, "options.weight must be NULL: classes have equal weights here", 4,
                    "options");
    CancelGuard guard;
    emit(out, parallel::vocab_parallel_cross_entropy(group, logits, classes_of, classes, o.reduction,
                                                     o.ignore_index, o.label_smoothing));
  });
}

}  // extern "C"
