#include <haft/autograd.h>

#include "capi/src/boundary.h"
#include "capi/src/lending.h"
#include "core/autograd/recompute.h"
#include "core/autograd/vmap.h"

using namespace haft;
using namespace haft::capi;

namespace {

TensorsFunction function_arg(haft_tensors_function fn, void* user) {
  return function_arg(fn, std::make_shared<UserData>(user, nullptr));
}

TransformOptions options_from(int32_t flags, int index) {
  if (flags & ~(HAFT_BACKWARD_CREATE_GRAPH | HAFT_TRANSFORM_STRICT))
    fail_argument(Code::invalid_argument, concat("flags has unknown bits: ", flags), index, "flags");
  return {.create_graph = bool(flags & HAFT_BACKWARD_CREATE_GRAPH),
          .strict = bool(flags & HAFT_TRANSFORM_STRICT)};
}

ListArg vector_arg(haft_tensor* const* vectors, int64_t count) {
  return list_arg(vectors, count, 4, "vectors");
}

// Outputs that the caller may not want: all or none, so this comes before anything else is handed out.
void check_room(haft_tensor** outs, int64_t capacity, int64_t count, int index, const char* name) {
  if (outs && capacity < count)
    fail_argument(Code::invalid_argument, concat("room for ", capacity, " tensors, there are ", count), index,
                  name);
}
void check_places(haft_tensor** outs, int64_t capacity, int index, const char* name) {
  if (capacity < 0 || (capacity && !outs))
    fail_argument(Code::invalid_argument, concat(name, " needs room for its capacity, ", capacity), index,
                  name);
}

// Two lists, both or neither.
void emit_both(haft_tensor** outputs, std::vector<Tensor> first, haft_tensor** products,
               std::vector<Tensor> second) {
  const size_t n = outputs ? first.size() : 0, m = second.size();
  std::vector<haft_tensor*> all(n + m);
  if (outputs) second.insert(second.begin(), first.begin(), first.end());
  emit_all(all.data(), std::move(second));
  std::copy_n(all.begin(), n, outputs);
  std::copy_n(all.begin() + int64_t(n), m, products);
}

}  // namespace

extern "C" {

haft_status haft_autograd_vjp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                              int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                              int32_t flags, haft_tensor** outputs, int64_t capacity, int64_t* output_count,
                              haft_tensor** products) noexcept {
  return boundary("haft_autograd_vjp", [&] {
    check_places(outputs, capacity, 7, "outputs");
    check_out(products, 10, "products");
    const ListArg ins = list_arg(inputs, input_count, 2, "inputs"), given = vector_arg(vectors, vector_count);
    Products p = vjp(function_arg(fn, user), ins, given, options_from(flags, 6));
    const int64_t count = int64_t(p.outputs.size());
    check_room(outputs, capacity, count, 8, "capacity");
    emit_both(outputs, std::move(p.outputs), products, std::move(p.products));
    if (output_count) *output_count = count;
  });
}

haft_status haft_autograd_jvp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                              int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                              int32_t flags, haft_tensor** outputs, int64_t capacity, int64_t* output_count,
                              haft_tensor** products) noexcept {
  return boundary("haft_autograd_jvp", [&] {
    check_out(output_count, 9, "output_count");
    check_out(products, 10, "products");
    if (capacity < 0) check_places(products, capacity, 10, "products");
    const ListArg ins = list_arg(inputs, input_count, 2, "inputs"), given = vector_arg(vectors, vector_count);
    Products p = jvp(function_arg(fn, user), ins, given, options_from(flags, 6));
    const int64_t count = int64_t(p.outputs.size());
    check_room(products, capacity, count, 8, "capacity");
    emit_both(outputs, std::move(p.outputs), products, std::move(p.products));
    *output_count = count;
  });
}

haft_status haft_autograd_jacobian(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                   int64_t input_count, int32_t flags, haft_tensor** jacobians,
                                   int64_t capacity, int64_t* count) noexcept {
  return boundary("haft_autograd_jacobian", [&] {
    check_out(jacobians, 5, "jacobians");
    check_list_out(jacobians, capacity, count, 5, "jacobians");
    const ListArg ins = list_arg(inputs, input_count, 2, "inputs");
    emit_list(jacobians, capacity, count, jacobian(function_arg(fn, user), ins, options_from(flags, 4)));
  });
}

haft_status haft_autograd_jacobian_by_chunks(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                             int64_t input_count, int32_t flags, int64_t chunk_size,
                                             haft_tensor** jacobians, int64_t capacity,
                                             int64_t* count) noexcept {
  return boundary("haft_autograd_jacobian_by_chunks", [&] {
    check_out(jacobians, 6, "jacobians");
    check_list_out(jacobians, capacity, count, 6, "jacobians");
    const ListArg ins = list_arg(inputs, input_count, 2, "inputs");
    TransformOptions o = options_from(flags, 4);
    if (chunk_size < 0)
      fail_argument(Code::invalid_argument, concat("chunk_size is ", chunk_size), 5, "chunk_size");
    o.chunk_size = chunk_size;
    emit_list(jacobians, capacity, count, jacobian(function_arg(fn, user), ins, o));
  });
}

haft_status haft_autograd_vmap(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                               int64_t input_count, const haft_vmap_options* options, haft_tensor** outputs,
                               int64_t capacity, int64_t* output_count) noexcept {
  return boundary("haft_autograd_vmap", [&] {
    check_out(outputs, 5, "outputs");
    check_list_out(outputs, capacity, output_count, 5, "outputs");
    const ListArg ins = list_arg(inputs, input_count, 2, "inputs");
    const haft_vmap_options o = options_of(options, haft_vmap_options HAFT_VMAP_OPTIONS_INIT, 4);
    if (o.randomness < HAFT_RANDOM_ERROR || o.randomness > HAFT_RANDOM_SAME)
      fail_argument(Code::invalid_argument, concat("options.randomness is ", o.randomness), 4, "options");
    if (o.chunk_size < 0 || o.out_dim_count < 0 || (o.out_dim_count && !o.out_dims) || o.reserved)
      fail_argument(Code::invalid_argument,
                    concat("options.chunk_size is ", o.chunk_size, ", out_dim_count ", o.out_dim_count,
                           ", reserved ", o.reserved),
                    4, "options");
    const VmapOptions how{
        .in_dims = {o.in_dims, o.in_dims ? size_t(input_count) : 0},
        .out_dims = {o.out_dims, size_t(o.out_dim_count)},
        .randomness = Randomness(o.randomness),
        .chunk_size = o.chunk_size,
        .warns = to_bool(o.warn, 4, "options"),
    };
    emit_list(outputs, capacity, output_count, vmap(function_arg(fn, user), ins, how));
  });
}

haft_status haft_tensor_is_batched(const haft_tensor* t, int32_t* out) noexcept {
  return boundary("haft_tensor_is_batched", [&] {
    check_out(out, 1, "out");
    const Tensor& x = arg(t, 0, "t");
    int32_t found = 0;
    for (const TensorImpl* at = x.impl(); is_batched(*at); at = at->twin.load()) found |= place_of(*at).many;
    *out = found;
  });
}

haft_status haft_autograd_hessian(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                                  int64_t input_count, int32_t flags, haft_tensor** hessians) noexcept {
  return boundary("haft_autograd_hessian", [&] {
    check_out(hessians, 5, "hessians");
    const ListArg ins = list_arg(inputs, input_count, 2, "inputs");
    emit_all(hessians, hessian(function_arg(fn, user), ins, options_from(flags, 4)));
  });
}

haft_status haft_autograd_hvp(haft_tensors_function fn, void* user, haft_tensor* const* inputs,
                              int64_t input_count, haft_tensor* const* vectors, int64_t vector_count,
                              int32_t flags, haft_tensor** output, haft_tensor** products) noexcept {
  return boundary("haft_autograd_hvp", [&] {
    check_out(products, 8, "products");
    const ListArg ins = list_arg(inputs, input_count, 2, "inputs"), given = vector_arg(vectors, vector_count);
    Products p = hvp(function_arg(fn, user), ins, given, options_from(flags, 6));
    emit_both(output, std::move(p.outputs), products, std::move(p.products));
  });
}

haft_status haft_autograd_checkpoint(haft_tensors_function fn, void* user, void (*destroy)(void*),
                                     int32_t preserve_random, haft_tensor* const* inputs, int64_t input_count,
                                     haft_tensor** outputs, int64_t capacity,
                                     int64_t* output_count) noexcept {
  return boundary("haft_autograd_checkpoint", [&] {
    check_out(outputs, 6, "outputs");
    check_list_out(outputs, capacity, output_count, 6, "outputs");
    auto data = std::make_shared<UserData>(user, nullptr);
    const ListArg ins = list_arg(inputs, input_count, 4, "inputs");
    const RecomputeOptions options{.preserve_random = to_bool(preserve_random, 3, "preserve_random")};
    std::vector<Tensor> out = checkpoint(function_arg(fn, data), ins, options);
    emit_list(outputs, capacity, output_count, std::move(out));
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
  });
}

haft_status haft_set_checkpoint_early_stop(int32_t on, int32_t* before) noexcept {
  return boundary("haft_set_checkpoint_early_stop", [&] {
    const bool was = set_checkpoint_early_stop(to_bool(on, 0, "on"));
    if (before) *before = was;
  });
}

}  // extern "C"
