// Mixed precision as languages without C++'s constructors call it.
#pragma once
#include <haft/haft.hpp>

namespace haft {
namespace bindings {

/// Begins a region of this thread; dtype none: the device type's own.
inline void autocast_push(haft_device device, haft_dtype dtype, bool enabled, bool cache_enabled) {
  check(haft_autocast_push(device, dtype, enabled, cache_enabled));
}
/// Ends the innermost region.
inline void autocast_pop() { check(haft_autocast_pop()); }
/// Changes the innermost region; dtype none: the present one.
inline void autocast_set(haft_device device, bool enabled, haft_dtype dtype) {
  check(haft_autocast_set(device, enabled, dtype));
}
inline bool autocast_cache_enabled() {
  std::int32_t on = 0;
  check(haft_autocast_get_cache_enabled(&on));
  return on != 0;
}
inline void set_autocast_cache_enabled(bool on) { check(haft_autocast_set_cache_enabled(on)); }
inline GradScaler make_grad_scaler(double init_scale, double growth_factor, double backoff_factor,
                                   std::int64_t growth_interval, bool enabled) {
  return GradScaler(init_scale, growth_factor, backoff_factor, growth_interval, enabled);
}
/// Goes on from what a checkpoint kept.
inline void set_grad_scaler_state(const GradScaler& scaler, double scale, double growth_factor,
                                  double backoff_factor, std::int64_t growth_interval,
                                  std::int64_t growth_tracker) {
  haft_grad_scaler_state s = HAFT_GRAD_SCALER_STATE_INIT;
  s.scale = scale;
  s.growth_factor = growth_factor;
  s.backoff_factor = backoff_factor;
  s.growth_interval = growth_interval;
  s.growth_tracker = growth_tracker;
  scaler.set_state(s);
}

}  // namespace bindings
}  // namespace haft
