// What the functions haft_*_create share: options are read, an object is made, a handle is handed out.
#pragma once
#include "capi/src/module_handle.h"
#include "capi/src/shards.h"
#include "capi/src/training_objects.h"
#include "core/nn/layers.h"

namespace haft::capi {

// Options without which there is nothing to make.
template <class T>
struct Needed {
  const T* options;
};
template <class T>
Needed<T> needed(const T* options) {
  return {options};
}

template <class T>
T read(const T* given, const T& defaults, int index) {
  return options_of(given, defaults, index);
}
template <class T>
T read(Needed<T> given, const T& defaults, int index) {
  if (!given.options)
    fail_argument(Code::invalid_argument, "options is NULL", index, "options",
                  "fill the struct with its _INIT macro and set the fields that have no default");
  return options_of(given.options, defaults, index);
}

inline nn::Build build_of(haft_dtype dtype, haft_device device, haft_generator* generator) {
  return {.dtype = to_dtype(dtype, 0, "options.dtype"),
          .device = to_device(device, 0, "options.device"),
          .generator = to_generator(generator, 0, "options.generator")};
}

inline std::span<const double> double_list(const double* values, int64_t count, int index, const char* name) {
  if (count < 0 || (count && !values))
    fail_argument(Code::invalid_argument, concat(name, " must be an array of ", name, "_count >= 0 numbers"),
                  index, name);
  return {values, size_t(count)};
}

inline int64_t to_reduction(int32_t reduction, int index, const char* name) {
  if (reduction < HAFT_REDUCTION_NONE || reduction > HAFT_REDUCTION_SUM)
    fail_argument(Code::invalid_argument, concat(name, " is ", reduction, ", wanted one of HAFT_REDUCTION_*"),
                  index, name);
  return reduction;
}

inline int64_t to_batch_reduction(int32_t reduction, int index, const char* name) {
  return reduction == HAFT_REDUCTION_BATCHMEAN ? reduction : to_reduction(reduction, index, name);
}

inline int64_t to_orthogonal_map(int32_t map, int index, const char* name) {
  if (map < HAFT_ORTHOGONAL_AUTOMATIC || map > HAFT_ORTHOGONAL_HOUSEHOLDER)
    fail_argument(Code::invalid_argument, concat(name, " is ", map, ", wanted one of HAFT_ORTHOGONAL_*"),
                  index, name);
  return map;
}

inline nn::PaddingMode to_padding_mode(int32_t mode, int index, const char* name) {
  if (mode < HAFT_PADDING_ZEROS || mode > HAFT_PADDING_CIRCULAR)
    fail_argument(Code::invalid_argument, concat(name, " is ", mode, ", wanted one of HAFT_PADDING_*"), index,
                  name);
  return nn::PaddingMode(mode);
}

inline int64_t to_interpolation(int32_t mode, int index, const char* name) {
  if (mode < HAFT_INTERPOLATE_NEAREST || mode > HAFT_INTERPOLATE_NEAREST_EXACT)
    fail_argument(
        Code::invalid_argument,
        concat(name, " is ", mode, ", wanted HAFT_INTERPOLATE_NEAREST to HAFT_INTERPOLATE_NEAREST_EXACT"),
        index, name);
  return mode;
}

inline int64_t to_bag_mode(int32_t mode, int index, const char* name) {
  if (mode < HAFT_BAG_SUM || mode > HAFT_BAG_MAX)
    fail_argument(Code::invalid_argument, concat(name, " is ", mode, ", wanted one of HAFT_BAG_*"), index,
                  name);
  return mode;
}

template <class Make>
haft_status create_module(const char* function, haft_module** out, int out_index, Make&& make) {
  return boundary(function, [&] {
    check_out(out, out_index, "out");
    *out = hand_out_module(make());
  });
}
template <class Make>
haft_status create_module(const char* function, haft_module** out, Make&& make) {
  return create_module(function, out, 0, make);
}
template <class Given, class Options, class Make>
haft_status create_module(const char* function, Given given, const Options& defaults, haft_module** out,
                          Make&& make) {
  return create_module(function, out, 1, [&] { return make(read(given, defaults, 0)); });
}

// `values` turns the struct into the options in modules.def's order.
template <class Options, class Values>
haft_status create_optimizer(const char* function, OptimizerId id, haft_tensor* const* params, int64_t count,
                             const Options* options, const Options& defaults, haft_optimizer** out,
                             Values&& values) {
  return boundary(function, [&] {
    check_out(out, 3, "out");
    ListArg ps = list_arg(params, count, 0, "params");
    if (optimizer_kind(id).whole)
      refuse_shards(ps, optimizer_kind(id).name.c_str(), false,
                    "its step looks at whole parameters; SGD, Adam and others step parts");
    auto h = make_ref<OptimizerObject>();
    h->value =
        make_ref<Optimizer>(optimizer_kind(id), shards_in_place(ps), values(read(options, defaults, 2)));
    *out = hand_out_object<haft_optimizer>(HandleType::optimizer, std::move(h));
  });
}

template <class Make>
haft_status create_scheduler(const char* function, haft_optimizer* o, haft_scheduler** out, int out_index,
                             Make&& make) {
  return boundary(function, [&] {
    check_out(out, out_index, "out");
    auto h = make_ref<SchedulerObject>();
    h->optimizer = optimizer_arg(o, 0, "o");
    Exclusive use(*h->optimizer, "optimizer");
    h->value = make(h->optimizer->value);
    *out = hand_out_object<haft_scheduler>(HandleType::scheduler, std::move(h));
  });
}
template <class Given, class Options, class Make>
haft_status create_scheduler(const char* function, haft_optimizer* o, Given given, const Options& defaults,
                             haft_scheduler** out, Make&& make) {
  return create_scheduler(function, o, out, 2, [&](Ref<Optimizer> optimizer) {
    return make(std::move(optimizer), read(given, defaults, 1));
  });
}

}  // namespace haft::capi
