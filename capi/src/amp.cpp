#include <haft/amp.h>

#include <cstring>

#include "capi/src/shards.h"
#include "capi/src/training_objects.h"
#include "core/dispatch/autocast.h"
#include "core/optim/clip.h"
#include "core/optim/grad_scaler.h"
#include "core/parallel/shard_of.h"

using namespace haft;
using namespace haft::capi;

namespace {

uint16_t type_of(haft_device d, int index) {
  Device device = to_device(d, index, "device");
  if (device == kDefaultDevice) device = Device::unpack(thread_state().default_device);
  return device == kDefaultDevice ? kCpu : device.type;
}

struct GradScalerObject final : HandleObject {
  Ref<GradScaler> value;
};

// A rank sees the infinities of its rows only: what each has found is joined over those that have the others.
GradScaler::Join join_of(std::span<const Tensor> parameters) {
  return {parallel::joins_largest(parameters), parameters.empty() ? Device{} : parameters[0].device()};
}
GradScaler::Join join_of(const GradScalerObject& s, const Optimizer& o) {
  std::vector<Tensor> all;
  for (int64_t g = 0; s.value->enabled() && g < o.group_count(); ++g) {
    const auto& parameters = o.group(g).parameters;
    refuse_shards(parameters, "GradScaler", true,
                  "shard first, then make the optimizer: it takes the shards");
    all.insert(all.end(), parameters.begin(), parameters.end());
  }
  return join_of(all);
}

Ref<GradScalerObject> scaler_arg(haft_grad_scaler* s) {
  return Ref<GradScalerObject>::share(&object_of<GradScalerObject>(s, HandleType::grad_scaler, 0, "s"));
}

GradScalerState state_arg(const haft_grad_scaler_state* state, int index) {
  const auto s = options_of(state, haft_grad_scaler_state HAFT_GRAD_SCALER_STATE_INIT, index, "state");
  check_reserved(s.reserved, index, "state");
  return {s.scale, s.growth_factor, s.backoff_factor, s.growth_interval, s.growth_tracker};
}

}  // namespace

extern "C" {

haft_status haft_autocast_push(haft_device device, haft_dtype dtype, int32_t enabled,
                               int32_t cache_enabled) noexcept {
  return boundary("haft_autocast_push", [&] {
    enter_autocast(type_of(device, 0), to_dtype(dtype, 1, "dtype"), to_bool(enabled, 2, "enabled"),
                   to_bool(cache_enabled, 3, "cache_enabled"));
  });
}

haft_status haft_autocast_pop() noexcept {
  return boundary("haft_autocast_pop", [] { leave_autocast(); });
}

haft_status haft_autocast_get_enabled(haft_device device, int32_t* out) noexcept {
  return boundary("haft_autocast_get_enabled", [&] {
    check_out(out, 1, "out");
    *out = is_autocast_enabled(type_of(device, 0));
  });
}

haft_status haft_autocast_get_dtype(haft_device device, haft_dtype* out) noexcept {
  return boundary("haft_autocast_get_dtype", [&] {
    check_out(out, 1, "out");
    *out = haft_dtype(autocast_dtype(type_of(device, 0)));
  });
}

haft_status haft_autocast_set(haft_device device, int32_t enabled, haft_dtype dtype) noexcept {
  return boundary("haft_autocast_set", [&] {
    const uint16_t type = type_of(device, 0);
    const bool on = to_bool(enabled, 1, "enabled");
    const DType to = to_dtype(dtype, 2, "dtype");
    set_autocast(type, on, to == DType::none ? autocast_dtype(type) : to);
  });
}

haft_status haft_autocast_get_cache_enabled(int32_t* out) noexcept {
  return boundary("haft_autocast_get_cache_enabled", [&] {
    check_out(out, 0, "out");
    *out = autocast_state().caches;
  });
}

haft_status haft_autocast_set_cache_enabled(int32_t on) noexcept {
  return boundary("haft_autocast_set_cache_enabled", [&] { set_autocast_caches(to_bool(on, 0, "on")); });
}

haft_status haft_autocast_clear_cache() noexcept {
  return boundary("haft_autocast_clear_cache", [] { clear_autocast_cache(); });
}

haft_status haft_grad_scaler_create(const haft_grad_scaler_state* state, int32_t enabled,
                                    haft_grad_scaler** out) noexcept {
  return boundary("haft_grad_scaler_create", [&] {
    check_out(out, 2, "out");
    auto object = make_ref<GradScalerObject>();
    object->value = make_ref<GradScaler>(state_arg(state, 0), to_bool(enabled, 1, "enabled"));
    *out = hand_out_object<haft_grad_scaler>(HandleType::grad_scaler, std::move(object));
  });
}

haft_status haft_grad_scaler_retain(haft_grad_scaler* s) noexcept {
  return boundary("haft_grad_scaler_retain", [&] {
    scaler_arg(s);
    retain_handle(s, HandleType::grad_scaler);
  });
}

void haft_grad_scaler_release(haft_grad_scaler* s) noexcept { release_handle(s, HandleType::grad_scaler); }

haft_status haft_grad_scaler_scale(haft_grad_scaler* s, const haft_tensor* x, haft_tensor** out) noexcept {
  return boundary("haft_grad_scaler_scale", [&] {
    check_out(out, 2, "out");
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    *out = hand_out(h->value->scale(arg(x, 1, "x")));
  });
}

haft_status haft_grad_scaler_unscale(haft_grad_scaler* s, haft_optimizer* o) noexcept {
  return boundary("haft_grad_scaler_unscale", [&] {
    auto h = scaler_arg(s);
    auto p = optimizer_arg(o, 1, "o");
    Exclusive use(*h, "grad scaler"), use_optimizer(*p, "optimizer");
    h->value->unscale(*p->value, join_of(*h, *p->value));
  });
}

haft_status haft_grad_scaler_step(haft_grad_scaler* s, haft_optimizer* o, int32_t* stepped) noexcept {
  return boundary("haft_grad_scaler_step", [&] {
    CancelGuard guard;
    auto h = scaler_arg(s);
    auto p = optimizer_arg(o, 1, "o");
    Exclusive use(*h, "grad scaler"), use_optimizer(*p, "optimizer");
    refuse_absent(*p->value);
    const bool made = h->value->step(*p->value, join_of(*h, *p->value));
    if (stepped) *stepped = made;
  });
}

haft_status haft_grad_scaler_unscale_gradients(haft_grad_scaler* s, int64_t owner,
                                               haft_tensor* const* gradients, int64_t count) noexcept {
  return boundary("haft_grad_scaler_unscale_gradients", [&] {
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    h->value->unscale(uint64_t(owner), list_arg(gradients, count, 2, "gradients"));
  });
}

haft_status haft_grad_scaler_unscale_parameters(haft_grad_scaler* s, int64_t owner,
                                                haft_tensor* const* parameters, int64_t count) noexcept {
  return boundary("haft_grad_scaler_unscale_parameters", [&] {
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    const std::vector<Tensor> all = shards_in_place(list_arg(parameters, count, 2, "parameters"));
    if (h->value->enabled()) h->value->unscale(uint64_t(owner), gradients_of(all), join_of(all));
  });
}

haft_status haft_grad_scaler_begin_step(haft_grad_scaler* s, int64_t owner, int32_t* out) noexcept {
  return boundary("haft_grad_scaler_begin_step", [&] {
    check_out(out, 2, "out");
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    *out = h->value->begin_step(uint64_t(owner));
  });
}

haft_status haft_grad_scaler_end_step(haft_grad_scaler* s, int64_t owner) noexcept {
  return boundary("haft_grad_scaler_end_step", [&] {
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    h->value->end_step(uint64_t(owner));
  });
}

haft_status haft_grad_scaler_get_stage(haft_grad_scaler* s, int64_t owner,
                                       haft_grad_scaler_stage* out) noexcept {
  return boundary("haft_grad_scaler_get_stage", [&] {
    check_out(out, 2, "out");
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    *out = h->value->stage(uint64_t(owner));
  });
}

haft_status haft_grad_scaler_update(haft_grad_scaler* s) noexcept {
  return boundary("haft_grad_scaler_update", [&] {
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    h->value->update();
  });
}

haft_status haft_grad_scaler_set_scale(haft_grad_scaler* s, double scale) noexcept {
  return boundary("haft_grad_scaler_set_scale", [&] {
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    h->value->set_scale(scale);
  });
}

haft_status haft_grad_scaler_get_state(haft_grad_scaler* s, haft_grad_scaler_state* state) noexcept {
  return boundary("haft_grad_scaler_get_state", [&] {
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    check_out(state, 1, "state");
    const uint32_t size = state->struct_size;
    haft_grad_scaler_state r =
        options_of(state, haft_grad_scaler_state HAFT_GRAD_SCALER_STATE_INIT, 1, "state");
    const GradScalerState now = h->value->state();
    r.struct_size = size;
    r.reserved = 0;
    r.scale = now.scale;
    r.growth_factor = now.growth_factor;
    r.backoff_factor = now.backoff_factor;
    r.growth_interval = now.growth_interval;
    r.growth_tracker = now.growth_tracker;
    std::memcpy(state, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_grad_scaler_set_state(haft_grad_scaler* s, const haft_grad_scaler_state* state) noexcept {
  return boundary("haft_grad_scaler_set_state", [&] {
    auto h = scaler_arg(s);
    Exclusive use(*h, "grad scaler");
    check_out(state, 1, "state");
    h->value->set_state(state_arg(state, 1));
  });
}

haft_status haft_grad_scaler_get_enabled(haft_grad_scaler* s, int32_t* out) noexcept {
  return boundary("haft_grad_scaler_get_enabled", [&] {
    check_out(out, 1, "out");
    *out = scaler_arg(s)->value->enabled();
  });
}

}  // extern "C"
