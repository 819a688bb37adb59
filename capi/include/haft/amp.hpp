// Mixed precision in C++17 over haft/amp.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_AMP_HPP
#define HAFT_AMP_HPP

#include <haft/amp.h>
#include <haft/optim.hpp>

#include <cstdint>
#include <vector>

namespace haft {

/// Operators of this thread compute in bfloat16 or float16 where that is safe while it lives (torch.autocast).
/// Regions nest, and end in the order opposite to that of their beginning.
class Autocast {
 public:
  /// dtype: HAFT_BFLOAT16 or HAFT_FLOAT16; left out: the device type's own. enabled = false: nothing is cast inside.
  explicit Autocast(haft_device device = HAFT_DEVICE_DEFAULT, haft_dtype dtype = HAFT_DTYPE_NONE, bool enabled = true,
                    bool cache_enabled = true) {
    check(haft_autocast_push(device, dtype, enabled, cache_enabled));
  }
  ~Autocast() { haft_autocast_pop(); }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
};

/// Whether this thread's operators on that type of device are cast.
inline bool is_autocast_enabled(haft_device device = HAFT_DEVICE_DEFAULT) {
  std::int32_t on = 0;
  check(haft_autocast_get_enabled(device, &on));
  return on != 0;
}
/// The type that is computed in, on or off.
inline haft_dtype autocast_dtype(haft_device device = HAFT_DEVICE_DEFAULT) {
  haft_dtype t = HAFT_DTYPE_NONE;
  check(haft_autocast_get_dtype(device, &t));
  return t;
}
/// Forgets the casts of weights that this thread keeps.
inline void clear_autocast_cache() { check(haft_autocast_clear_cache()); }

/// The scale of losses, whose gradients would vanish in float16. A step with an infinite gradient is left out:
/// scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update();
class GradScaler : public haft::detail::Handle<haft_grad_scaler, haft_grad_scaler_retain, haft_grad_scaler_release> {
 public:
  using Handle::Handle;
  explicit GradScaler(double init_scale = 65536, double growth_factor = 2, double backoff_factor = 0.5,
                      std::int64_t growth_interval = 2000, bool enabled = true) {
    haft_grad_scaler_state s = HAFT_GRAD_SCALER_STATE_INIT;
    s.scale = init_scale;
    s.growth_factor = growth_factor;
    s.backoff_factor = backoff_factor;
    s.growth_interval = growth_interval;
    haft_grad_scaler* h = nullptr;
    check(haft_grad_scaler_create(&s, enabled, &h));
    *this = GradScaler(h);
  }
  /// A loss times the scale.
  Tensor scale(const Tensor& x) const {
    haft_tensor* t = nullptr;
    check(haft_grad_scaler_scale(get(), x.get(), &t));
    return Tensor(t);
  }
  /// Divides the optimizer's gradients by the scale: before they are clipped, once a step.
  void unscale(const optim::Optimizer& o) const { check(haft_grad_scaler_unscale(get(), o.get())); }
  /// The optimizer's step unless a gradient is infinite or NaN; whether it was made.
  bool step(const optim::Optimizer& o) const {
    std::int32_t made = 0;
    check(haft_grad_scaler_step(get(), o.get(), &made));
    return made != 0;
  }
  /// unscale for gradients that no Optimizer has; `owner` is any number that tells whose they are.
  void unscale_gradients(std::int64_t owner, const std::vector<Tensor>& gradients) const {
    auto g = haft::detail::handles(gradients);
    check(haft_grad_scaler_unscale_gradients(get(), owner, g.data(), static_cast<std::int64_t>(g.size())));
  }
  /// The same for the gradients of parameters, also of those that are spread over ranks, which call it together and
  /// decide alike.
  void unscale_parameters(std::int64_t owner, const std::vector<Tensor>& parameters) const {
    auto p = haft::detail::handles(parameters);
    check(haft_grad_scaler_unscale_parameters(get(), owner, p.data(), static_cast<std::int64_t>(p.size())));
  }
  /// Whether their step is to be made; end_step() says that it is over.
  bool begin_step(std::int64_t owner) const {
    std::int32_t go = 0;
    check(haft_grad_scaler_begin_step(get(), owner, &go));
    return go != 0;
  }
  /// Their step counts as made, or left out, until the next update.
  void end_step(std::int64_t owner) const { check(haft_grad_scaler_end_step(get(), owner)); }
  /// How far they have come since the last update: 0 nowhere, 1 unscaled, 2 stepped.
  std::int32_t stage(std::int64_t owner) const {
    haft_grad_scaler_stage stage = HAFT_GRAD_SCALER_READY;
    check(haft_grad_scaler_get_stage(get(), owner, &stage));
    return stage;
  }
  /// The scale of the next step, after all optimizers' steps.
  void update() const { check(haft_grad_scaler_update(get())); }
  /// What losses are multiplied by; waits for the device.
  double get_scale() const { return state().scale; }
  /// What the scale is multiplied by after enough good steps.
  double growth_factor() const { return state().growth_factor; }
  /// What the scale is multiplied by after a step that was left out.
  double backoff_factor() const { return state().backoff_factor; }
  /// Steps without infinities after which the scale grows.
  std::int64_t growth_interval() const { return state().growth_interval; }
  /// How many of them there were.
  std::int64_t growth_tracker() const { return state().growth_tracker; }
  /// Sets the scale at the end of a step, in place of update().
  void set_scale(double scale) const { check(haft_grad_scaler_set_scale(get(), scale)); }
  /// Whether it scales at all.
  bool is_enabled() const {
    std::int32_t on = 0;
    check(haft_grad_scaler_get_enabled(get(), &on));
    return on != 0;
  }
  /// What a checkpoint keeps.
  haft_grad_scaler_state state() const {
    haft_grad_scaler_state s = HAFT_GRAD_SCALER_STATE_INIT;
    check(haft_grad_scaler_get_state(get(), &s));
    return s;
  }
  void set_state(const haft_grad_scaler_state& s) const { check(haft_grad_scaler_set_state(get(), &s)); }
};

}  // namespace haft
#endif
