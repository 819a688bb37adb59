// Mixed precision under failing allocations.
#include "oom_cases.h"

namespace oom {
namespace {

struct Scales : GradScaler {
  Scales() { must(haft_grad_scaler_create(nullptr, 1, &h)); }
};

}  // namespace

void add_amp(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_autocast_push", [](Attempt& a) {
    a.run([] { return haft_autocast_push(0, HAFT_DTYPE_NONE, 1, 1); });
    if (a.ok()) must(haft_autocast_pop());
  });
  add("haft_autocast_pop", [](Attempt& a) {
    must(haft_autocast_push(0, HAFT_DTYPE_NONE, 1, 1));
    a.run([] { return haft_autocast_pop(); });
  });
  add("haft_autocast_set", [](Attempt& a) {
    a.run([] { return haft_autocast_set(0, 1, HAFT_FLOAT16); });
    must(haft_autocast_set(0, 0, HAFT_BFLOAT16));
  });
  add("haft_autocast_set_cache_enabled", [](Attempt& a) {
    a.run([] { return haft_autocast_set_cache_enabled(0); });
    must(haft_autocast_set_cache_enabled(1));
  });
  add("haft_autocast_clear_cache", [](Attempt& a) { a.run([] { return haft_autocast_clear_cache(); }); });
  add("haft_grad_scaler_create", [](Attempt& a) {
    GradScaler s(a);
    a.run([&] { return haft_grad_scaler_create(nullptr, 1, &s); });
  });
  add_counting<GradScaler>(
      all, "grad_scaler", [](GradScaler& s) { must(haft_grad_scaler_create(nullptr, 1, &s)); },
      haft_grad_scaler_retain, haft_grad_scaler_release);
  add("haft_grad_scaler_scale", [](Attempt& a) {
    Scales s;
    Filled x;
    Tensor y(a);
    a.run([&] { return haft_grad_scaler_scale(s, x, &y); });
  });
  add("haft_grad_scaler_unscale", [](Attempt& a) {
    Scales s;
    Parameter p;
    Adam o(p);
    a.run([&] { return haft_grad_scaler_unscale(s, o); });
  });
  add("haft_grad_scaler_step", [](Attempt& a) {
    Scales s;
    Parameter p;
    Adam o(p);
    int32_t made = 0;
    a.run([&] { return haft_grad_scaler_step(s, o, &made); });
  });
  add("haft_grad_scaler_unscale_gradients", [](Attempt& a) {
    Scales s;
    Filled g;
    haft_tensor* list[] = {g};
    a.run([&] { return haft_grad_scaler_unscale_gradients(s, 1, list, 1); });
  });
  add("haft_grad_scaler_unscale_parameters", [](Attempt& a) {
    Scales s;
    Filled g;
    haft_tensor* list[] = {g};
    a.run([&] { return haft_grad_scaler_unscale_parameters(s, 1, list, 1); });
  });
  add("haft_grad_scaler_begin_step", [](Attempt& a) {
    Scales s;
    Filled g;
    haft_tensor* list[] = {g};
    must(haft_grad_scaler_unscale_gradients(s, 1, list, 1));
    int32_t go = 0;
    a.run([&] { return haft_grad_scaler_begin_step(s, 1, &go); });
  });
  add("haft_grad_scaler_end_step", [](Attempt& a) {
    Scales s;
    Filled g;
    haft_tensor* list[] = {g};
    must(haft_grad_scaler_unscale_gradients(s, 1, list, 1));
    a.run([&] { return haft_grad_scaler_end_step(s, 1); });
  });
  add("haft_grad_scaler_get_stage", [](Attempt& a) {
    Scales s;
    haft_grad_scaler_stage stage = 0;
    a.run([&] { return haft_grad_scaler_get_stage(s, 1, &stage); });
  });
  add("haft_grad_scaler_update", [](Attempt& a) {
    Scales s;
    Filled g;
    haft_tensor* list[] = {g};
    must(haft_grad_scaler_unscale_gradients(s, 1, list, 1));
    a.run([&] { return haft_grad_scaler_update(s); });
  });
  add("haft_grad_scaler_set_scale", [](Attempt& a) {
    Scales s;
    a.run([&] { return haft_grad_scaler_set_scale(s, 4); });
  });
  add("haft_grad_scaler_get_state", [](Attempt& a) {
    Scales s;
    haft_grad_scaler_state state = HAFT_GRAD_SCALER_STATE_INIT;
    a.run([&] { return haft_grad_scaler_get_state(s, &state); });
  });
  add("haft_grad_scaler_set_state", [](Attempt& a) {
    Scales s;
    haft_grad_scaler_state state = HAFT_GRAD_SCALER_STATE_INIT;
    a.run([&] { return haft_grad_scaler_set_state(s, &state); });
  });
  add("haft_grad_scaler_get_enabled", [](Attempt& a) {
    Scales s;
    int32_t on = 0;
    a.run([&] { return haft_grad_scaler_get_enabled(s, &on); });
  });
}

}  // namespace oom
