#include <haft/distributions.h>

#include <algorithm>

#include "capi/src/boundary.h"
#include "core/distributions/variable_transform.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct DistributionObject final : HandleObject {
  Ref<Distribution> value;
};

const Ref<Distribution>& distribution_arg(const haft_distribution* d, int index = 0, const char* name = "d") {
  return object_of<DistributionObject>(d, HandleType::distribution, index, name).value;
}

struct VariableTransformObject final : HandleObject {
  Ref<VariableTransform> value;
};

const Ref<VariableTransform>& transform_arg(const haft_variable_transform* t, int index = 0,
                                            const char* name = "t") {
  return object_of<VariableTransformObject>(t, HandleType::variable_transform, index, name).value;
}

std::vector<Ref<VariableTransform>> transform_args(haft_variable_transform* const* list, int64_t count,
                                                   int index, const char* name) {
  if (count < 0 || (count && !list))
    fail_argument(Code::invalid_argument, concat(name, " needs as many handles as its count says"), index,
                  name);
  std::vector<Ref<VariableTransform>> all;
  for (int64_t i = 0; i < count; ++i) all.push_back(transform_arg(list[i], index, name));
  return all;
}

template <class F>
haft_status create_transform(const char* function, haft_variable_transform** out, int index, F&& make) {
  return boundary(function, [&] {
    check_out(out, index, "out");
    auto h = make_ref<VariableTransformObject>();
    h->value = make();
    *out = hand_out_object<haft_variable_transform>(HandleType::variable_transform, std::move(h));
  });
}

// A function that makes a distribution. `index`: of out.
template <class F>
haft_status create(const char* function, haft_distribution** out, int index, F&& make) {
  return boundary(function, [&] {
    check_out(out, index, "out");
    auto h = make_ref<DistributionObject>();
    h->value = make();
    *out = hand_out_object<haft_distribution>(HandleType::distribution, std::move(h));
  });
}

// One that answers a tensor of it.
template <class F>
haft_status answer(const char* function, const haft_distribution* d, haft_tensor** out, int index, F&& of) {
  return boundary(function, [&] {
    check_out(out, index, "out");
    emit(out, of(*distribution_arg(d)));
  });
}

haft_status emit_shape(const char* function, const haft_distribution* d,
                       IntList (Distribution::*shape)() const, int64_t* sizes, int64_t capacity,
                       int64_t* count) {
  return boundary(function, [&] {
    if (!count || capacity < 0 || (capacity && !sizes))
      fail_argument(Code::invalid_argument, "sizes needs room for its capacity and a place for the count", 1,
                    "sizes");
    const IntList all = ((*distribution_arg(d)).*shape)();
    *count = int64_t(all.size());
    if (!sizes) return;  // asking for the number
    if (capacity < *count)
      fail_argument(Code::invalid_argument, concat("room for ", capacity, " sizes, there are ", *count), 2,
                    "capacity");
    std::copy(all.begin(), all.end(), sizes);
  });
}

haft_status is(const char* function, const haft_distribution* d, bool (Distribution::*what)() const,
               int32_t* out) {
  return boundary(function, [&] {
    check_out(out, 1, "out");
    *out = ((*distribution_arg(d)).*what)();
  });
}

using Part = Tensor (Distribution::*)() const;
haft_status part(const char* function, const haft_distribution* d, Part what, haft_tensor** out) {
  return answer(function, d, out, 1, [&](const Distribution& own) { return (own.*what)(); });
}

using OfValue = Tensor (Distribution::*)(const Tensor&) const;
haft_status of_value(const char* function, const haft_distribution* d, OfValue what, const haft_tensor* value,
                     haft_tensor** out) {
  return answer(function, d, out, 2,
                [&](const Distribution& own) { return (own.*what)(arg(value, 1, "value")); });
}

using Draw = Tensor (Distribution::*)(IntList, Generator*) const;
haft_status drawn(const char* function, const haft_distribution* d, Draw draw, const int64_t* shape,
                  int64_t count, haft_generator* generator, haft_tensor** out) {
  return answer(function, d, out, 4, [&](const Distribution& own) {
    return (own.*draw)(int_list(shape, count, 1, "sample_shape"), to_generator(generator, 3, "generator"));
  });
}

}  // namespace

extern "C" {

haft_status haft_distribution_create(const char* name, haft_tensor* const* parameters, int64_t count,
                                     int32_t validate_args, haft_distribution** out) noexcept {
  return create("haft_distribution_create", out, 4, [&] {
    const ListArg given = optional_list_arg(parameters, count, 1, "parameters");
    return make_distribution(distribution_kind(to_text(name, 0, "name")), given.vector(),
                             to_bool(validate_args, 3, "validate_args"));
  });
}

haft_status haft_independent_create(const haft_distribution* base, int64_t reinterpreted_batch_ndims,
                                    int32_t validate_args, haft_distribution** out) noexcept {
  return create("haft_independent_create", out, 3, [&] {
    return make_independent(distribution_arg(base, 0, "base"), reinterpreted_batch_ndims,
                            to_bool(validate_args, 2, "validate_args"));
  });
}

haft_status haft_mixture_same_family_create(const haft_distribution* mixture,
                                            const haft_distribution* component, int32_t validate_args,
                                            haft_distribution** out) noexcept {
  return create("haft_mixture_same_family_create", out, 3, [&] {
    return make_mixture(distribution_arg(mixture, 0, "mixture"), distribution_arg(component, 1, "component"),
                        to_bool(validate_args, 2, "validate_args"));
  });
}

haft_status haft_transformed_distribution_create(const haft_distribution* base,
                                                 haft_variable_transform* const* transforms, int64_t count,
                                                 int32_t validate_args, haft_distribution** out) noexcept {
  return create("haft_transformed_distribution_create", out, 4, [&] {
    return make_transformed(distribution_arg(base, 0, "base"),
                            transform_args(transforms, count, 1, "transforms"),
                            to_bool(validate_args, 3, "validate_args"));
  });
}

haft_status haft_distribution_retain(haft_distribution* d) noexcept {
  return boundary("haft_distribution_retain", [&] {
    distribution_arg(d);
    retain_handle(d, HandleType::distribution);
  });
}

void haft_distribution_release(haft_distribution* d) noexcept { release_handle(d, HandleType::distribution); }

haft_status haft_distribution_get_name(const haft_distribution* d, char* buffer, int64_t capacity,
                                       int64_t* needed) noexcept {
  return boundary("haft_distribution_get_name",
                  [&] { emit_text(distribution_arg(d)->kind().name, buffer, capacity, needed); });
}

haft_status haft_distribution_get_support(const haft_distribution* d, char* buffer, int64_t capacity,
                                          int64_t* needed) noexcept {
  return boundary("haft_distribution_get_support",
                  [&] { emit_text(distribution_arg(d)->support_text(), buffer, capacity, needed); });
}

haft_status haft_distribution_to_string(const haft_distribution* d, char* buffer, int64_t capacity,
                                        int64_t* needed) noexcept {
  return boundary("haft_distribution_to_string",
                  [&] { emit_text(distribution_arg(d)->text(), buffer, capacity, needed); });
}

haft_status haft_distribution_get_batch_shape(const haft_distribution* d, int64_t* sizes, int64_t capacity,
                                              int64_t* count) noexcept {
  return emit_shape("haft_distribution_get_batch_shape", d, &Distribution::batch_shape, sizes, capacity,
                    count);
}

haft_status haft_distribution_get_event_shape(const haft_distribution* d, int64_t* sizes, int64_t capacity,
                                              int64_t* count) noexcept {
  return emit_shape("haft_distribution_get_event_shape", d, &Distribution::event_shape, sizes, capacity,
                    count);
}

haft_status haft_distribution_has_rsample(const haft_distribution* d, int32_t* out) noexcept {
  return is("haft_distribution_has_rsample", d, &Distribution::has_rsample, out);
}

haft_status haft_distribution_has_enumerate_support(const haft_distribution* d, int32_t* out) noexcept {
  return is("haft_distribution_has_enumerate_support", d, &Distribution::has_enumerate_support, out);
}

haft_status haft_distribution_parameter(const haft_distribution* d, const char* name,
                                        haft_tensor** out) noexcept {
  return answer("haft_distribution_parameter", d, out, 2, [&](const Distribution& own) {
    const std::string_view wanted = to_text(name, 1, "name");
    Tensor found = own.parameter(wanted);
    if (!found)
      fail_argument(Code::invalid_argument, concat(own.kind().name, " has no parameter \"", wanted, "\""), 1,
                    "name");
    return found;
  });
}

haft_status haft_distribution_sample(const haft_distribution* d, const int64_t* sample_shape,
                                     int64_t sample_shape_count, haft_generator* generator,
                                     haft_tensor** out) noexcept {
  return drawn("haft_distribution_sample", d, &Distribution::sample, sample_shape, sample_shape_count,
               generator, out);
}

haft_status haft_distribution_rsample(const haft_distribution* d, const int64_t* sample_shape,
                                      int64_t sample_shape_count, haft_generator* generator,
                                      haft_tensor** out) noexcept {
  return drawn("haft_distribution_rsample", d, &Distribution::rsample, sample_shape, sample_shape_count,
               generator, out);
}

haft_status haft_distribution_log_prob(const haft_distribution* d, const haft_tensor* value,
                                       haft_tensor** out) noexcept {
  return of_value("haft_distribution_log_prob", d, &Distribution::log_prob, value, out);
}

haft_status haft_distribution_cdf(const haft_distribution* d, const haft_tensor* value,
                                  haft_tensor** out) noexcept {
  return of_value("haft_distribution_cdf", d, &Distribution::cdf, value, out);
}

haft_status haft_distribution_icdf(const haft_distribution* d, const haft_tensor* value,
                                   haft_tensor** out) noexcept {
  return of_value("haft_distribution_icdf", d, &Distribution::icdf, value, out);
}

haft_status haft_distribution_in_support(const haft_distribution* d, const haft_tensor* value,
                                         haft_tensor** out) noexcept {
  return of_value("haft_distribution_in_support", d, &Distribution::in_support, value, out);
}

haft_status haft_distribution_mean(const haft_distribution* d, haft_tensor** out) noexcept {
  return part("haft_distribution_mean", d, &Distribution::mean, out);
}

haft_status haft_distribution_mode(const haft_distribution* d, haft_tensor** out) noexcept {
  return part("haft_distribution_mode", d, &Distribution::mode, out);
}

haft_status haft_distribution_variance(const haft_distribution* d, haft_tensor** out) noexcept {
  return part("haft_distribution_variance", d, &Distribution::variance, out);
}

haft_status haft_distribution_stddev(const haft_distribution* d, haft_tensor** out) noexcept {
  return part("haft_distribution_stddev", d, &Distribution::stddev, out);
}

haft_status haft_distribution_entropy(const haft_distribution* d, haft_tensor** out) noexcept {
  return part("haft_distribution_entropy", d, &Distribution::entropy, out);
}

haft_status haft_distribution_perplexity(const haft_distribution* d, haft_tensor** out) noexcept {
  return part("haft_distribution_perplexity", d, &Distribution::perplexity, out);
}

haft_status haft_distribution_enumerate_support(const haft_distribution* d, int32_t expand,
                                                haft_tensor** out) noexcept {
  return answer("haft_distribution_enumerate_support", d, out, 2,
                [&](const Distribution& own) { return own.enumerate_support(to_bool(expand, 1, "expand")); });
}

haft_status haft_distribution_expand(const haft_distribution* d, const int64_t* batch_shape,
                                     int64_t batch_shape_count, haft_distribution** out) noexcept {
  return create("haft_distribution_expand", out, 3, [&] {
    return distribution_arg(d)->expand(int_list(batch_shape, batch_shape_count, 1, "batch_shape"));
  });
}

haft_status haft_distribution_kl_divergence(const haft_distribution* p, const haft_distribution* q,
                                            haft_tensor** out) noexcept {
  return boundary("haft_distribution_kl_divergence", [&] {
    check_out(out, 2, "out");
    emit(out, kl_divergence(*distribution_arg(p, 0, "p"), *distribution_arg(q, 1, "q")));
  });
}

haft_status haft_constraint_check(const char* name, const haft_tensor* value, haft_tensor** out) noexcept {
  return boundary("haft_constraint_check", [&] {
    check_out(out, 2, "out");
    emit(out, satisfies(constraint_of(to_text(name, 0, "name")), ops::detach(arg(value, 1, "value"))));
  });
}

haft_status haft_variable_transform_create(const char* name, haft_tensor* const* parameters, int64_t count,
                                           haft_variable_transform** out) noexcept {
  return create_transform("haft_variable_transform_create", out, 3, [&] {
    const ListArg given = list_arg(parameters, count, 1, "parameters");
    return make_variable_transform(to_text(name, 0, "name"), given.vector());
  });
}

haft_status haft_variable_transform_compose(haft_variable_transform* const* parts, int64_t count,
                                            haft_variable_transform** out) noexcept {
  return create_transform("haft_variable_transform_compose", out, 2,
                          [&] { return make_composition(transform_args(parts, count, 0, "parts")); });
}

haft_status haft_variable_transform_cat(haft_variable_transform* const* parts, int64_t count,
                                        const int64_t* lengths, int64_t lengths_count, int64_t dim,
                                        haft_variable_transform** out) noexcept {
  return create_transform("haft_variable_transform_cat", out, 5, [&] {
    const IntList sizes = int_list(lengths, lengths_count, 2, "lengths");
    return make_cat_transform(transform_args(parts, count, 0, "parts"), {sizes.begin(), sizes.end()}, dim);
  });
}

haft_status haft_variable_transform_cumulative(const haft_distribution* d,
                                               haft_variable_transform** out) noexcept {
  return create_transform("haft_variable_transform_cumulative", out, 1,
                          [&] { return make_cumulative_transform(distribution_arg(d)); });
}

haft_status haft_variable_transform_inverted(const haft_variable_transform* t,
                                             haft_variable_transform** out) noexcept {
  return create_transform("haft_variable_transform_inverted", out, 1,
                          [&] { return make_inverse(transform_arg(t)); });
}

haft_status haft_variable_transform_independent(const haft_variable_transform* t,
                                                int64_t reinterpreted_batch_ndims,
                                                haft_variable_transform** out) noexcept {
  return create_transform("haft_variable_transform_independent", out, 2, [&] {
    return make_independent_transform(transform_arg(t), reinterpreted_batch_ndims);
  });
}

haft_status haft_variable_transform_retain(haft_variable_transform* t) noexcept {
  return boundary("haft_variable_transform_retain", [&] {
    transform_arg(t);
    retain_handle(t, HandleType::variable_transform);
  });
}

void haft_variable_transform_release(haft_variable_transform* t) noexcept {
  release_handle(t, HandleType::variable_transform);
}

haft_status haft_variable_transform_to_string(const haft_variable_transform* t, char* buffer,
                                              int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_variable_transform_to_string",
                  [&] { emit_text(transform_arg(t)->text(), buffer, capacity, needed); });
}

haft_status haft_variable_transform_get_event_dims(const haft_variable_transform* t, int64_t* domain,
                                                   int64_t* codomain) noexcept {
  return boundary("haft_variable_transform_get_event_dims", [&] {
    check_out(domain, 1, "domain");
    check_out(codomain, 2, "codomain");
    const VariableTransform& own = *transform_arg(t);
    *domain = own.domain_ndim();
    *codomain = own.codomain_ndim();
  });
}

haft_status haft_variable_transform_is_bijective(const haft_variable_transform* t, int32_t* out) noexcept {
  return boundary("haft_variable_transform_is_bijective", [&] {
    check_out(out, 1, "out");
    *out = transform_arg(t)->bijective();
  });
}

haft_status haft_variable_transform_in_codomain(const haft_variable_transform* t, const haft_tensor* y,
                                                haft_tensor** out) noexcept {
  return boundary("haft_variable_transform_in_codomain", [&] {
    check_out(out, 2, "out");
    emit(out, transform_arg(t)->reaches(ops::detach(arg(y, 1, "y"))));
  });
}

haft_status haft_variable_transform_forward(const haft_variable_transform* t, const haft_tensor* x,
                                            haft_tensor** out) noexcept {
  return boundary("haft_variable_transform_forward", [&] {
    check_out(out, 2, "out");
    emit(out, transform_arg(t)->forward(arg(x, 1, "x")));
  });
}

haft_status haft_variable_transform_inverse(const haft_variable_transform* t, const haft_tensor* y,
                                            haft_tensor** out) noexcept {
  return boundary("haft_variable_transform_inverse", [&] {
    check_out(out, 2, "out");
    emit(out, transform_arg(t)->inverse(arg(y, 1, "y")));
  });
}

haft_status haft_variable_transform_log_abs_det_jacobian(const haft_variable_transform* t,
                                                         const haft_tensor* x, const haft_tensor* y,
                                                         haft_tensor** out) noexcept {
  return boundary("haft_variable_transform_log_abs_det_jacobian", [&] {
    check_out(out, 3, "out");
    emit(out, transform_arg(t)->log_abs_det_jacobian(arg(x, 1, "x"), arg(y, 2, "y")));
  });
}

}  // extern "C"
