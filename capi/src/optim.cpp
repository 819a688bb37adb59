#include <haft/optim.h>

#include <memory>
#include <optional>

#include "capi/src/create.h"
#include "capi/src/lending.h"
#include "core/optim/clip.h"

using namespace haft;
using namespace haft::capi;

namespace {

Ref<SchedulerObject> scheduler_of(const haft_scheduler* s) {
  return Ref<SchedulerObject>::share(&object_of<SchedulerObject>(s, HandleType::scheduler, 0, "s"));
}

std::map<std::string, double> state_of(haft_scheduler* s) {
  auto h = scheduler_of(s);
  Exclusive use(*h, "scheduler");
  return h->value->state();
}

}  // namespace

namespace {
template <class Make>
haft_status create_by_factor(const char* function, haft_optimizer* o, haft_lr_factor fn, void* user,
                             void (*destroy)(void*), haft_scheduler** out, Make make) {
  auto data = std::shared_ptr<UserData>();
  haft_status s = create_scheduler(function, o, out, 4, [&](Ref<Optimizer> p) {
    if (!fn) fail_argument(Code::invalid_argument, "fn is NULL", 1, "fn");
    data = std::make_shared<UserData>(user, nullptr);
    return make(std::move(p), [fn, data](int64_t epoch) {
      double factor = 1;
      call_back("learning rate factor", [&] { return fn(epoch, &factor, data->user); });
      return factor;
    });
  });
  if (s == HAFT_OK) data->destroy = destroy;  // only now: on failure the user's data stays the user's
  return s;
}

// Schedules that become parts of another one, with their objects, none of them in use. None at all: `make` says so.
struct SchedulerParts {
  std::vector<Ref<SchedulerObject>> objects;
  std::vector<Ref<Scheduler>> values;
  SchedulerParts(haft_scheduler* const* s, int64_t count, int index) {
    if (count < 0 || (count && !s))
      fail_argument(Code::invalid_argument, concat("schedulers is NULL or count, ", count, ", is negative"),
                    index, "schedulers");
    for (int64_t i = 0; i < count; ++i) {
      objects.push_back(Ref<SchedulerObject>::share(
          &object_of<SchedulerObject>(s[i], HandleType::scheduler, index, "schedulers")));
      values.push_back(objects.back()->value);
    }
  }
};
}  // namespace

extern "C" {

haft_status haft_optimizer_retain(haft_optimizer* o) noexcept {
  return boundary("haft_optimizer_retain", [&] {
    optimizer_arg(o, 0, "o");
    retain_handle(o, HandleType::optimizer);
  });
}

void haft_optimizer_release(haft_optimizer* o) noexcept { release_handle(o, HandleType::optimizer); }

haft_status haft_optimizer_step(haft_optimizer* o) noexcept {
  return boundary("haft_optimizer_step", [&] {
    CancelGuard guard;  // other ranks may be waited for
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    refuse_absent(*h->value);
    h->value->step();
  });
}

haft_status haft_optimizer_step_closure(haft_optimizer* o, haft_loss_closure closure, void* user,
                                        haft_tensor** loss) noexcept {
  return boundary("haft_optimizer_step_closure", [&] {
    CancelGuard guard;
    auto h = optimizer_arg(o, 0, "o");
    if (!closure) fail_argument(Code::invalid_argument, "closure is NULL", 1, "closure");
    std::optional<Exclusive> use(std::in_place, *h, "optimizer");
    refuse_absent(*h->value);
    Tensor first = h->value->step([&] {
      TakenTensors taken(1);
      use.reset();  // it clears gradients through this very handle
      call_back("the closure", [&] { return closure(taken.data(), user); });
      use.emplace(*h, "optimizer");
      return taken.get(0);
    });
    if (!loss) return;
    if (first.defined())
      emit(loss, std::move(first));
    else
      *loss = nullptr;
  });
}

haft_status haft_optimizer_zero_grad(haft_optimizer* o, int32_t set_to_none) noexcept {
  return boundary("haft_optimizer_zero_grad", [&] {
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    h->value->zero_grad(to_bool(set_to_none, 1, "set_to_none"));
  });
}

haft_status haft_optimizer_add_group(haft_optimizer* o, haft_tensor* const* params, int64_t count,
                                     int64_t* group) noexcept {
  return boundary("haft_optimizer_add_group", [&] {
    CancelGuard guard;
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    ListArg ps = list_arg(params, count, 1, "params");
    int64_t g = h->value->add_group(shards_in_place(ps), h->value->defaults());
    if (group) *group = g;
  });
}

haft_status haft_optimizer_get_group_count(const haft_optimizer* o, int64_t* out) noexcept {
  return boundary("haft_optimizer_get_group_count", [&] {
    check_out(out, 1, "out");
    *out = optimizer_arg(o, 0, "o")->value->group_count();
  });
}

haft_status haft_optimizer_parameters(const haft_optimizer* o, int64_t group, haft_tensor** params,
                                      int64_t capacity, int64_t* count) noexcept {
  return boundary("haft_optimizer_parameters", [&] {
    check_list_out(params, capacity, count, 2, "params");
    emit_list(params, capacity, count, optimizer_arg(o, 0, "o")->value->group(group).parameters);
  });
}

haft_status haft_optimizer_set_lr(haft_optimizer* o, int64_t group, double lr) noexcept {
  return boundary("haft_optimizer_set_lr", [&] {
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    h->value->set_lr(group, lr);
  });
}

haft_status haft_optimizer_get_lr(const haft_optimizer* o, int64_t group, double* lr) noexcept {
  return boundary("haft_optimizer_get_lr", [&] {
    check_out(lr, 2, "lr");
    *lr = optimizer_arg(o, 0, "o")->value->lr(group);
  });
}

haft_status haft_optimizer_set_option(haft_optimizer* o, int64_t group, const char* name,
                                      double value) noexcept {
  return boundary("haft_optimizer_set_option", [&] {
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    h->value->set_option(group, to_text(name, 2, "name"), value);
  });
}

haft_status haft_optimizer_get_option(const haft_optimizer* o, int64_t group, const char* name,
                                      double* value) noexcept {
  return boundary("haft_optimizer_get_option", [&] {
    check_out(value, 3, "value");
    *value = optimizer_arg(o, 0, "o")->value->option(group, to_text(name, 2, "name"));
  });
}

haft_status haft_optimizer_state(haft_optimizer* o, int64_t parameter, const char* name,
                                 haft_tensor** out) noexcept {
  return boundary("haft_optimizer_state", [&] {
    check_out(out, 3, "out");
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    Tensor t = h->value->state_tensor(parameter, to_text(name, 2, "name"));
    if (t.defined())
      emit(out, std::move(t));
    else
      *out = nullptr;
  });
}

haft_status haft_optimizer_set_state(haft_optimizer* o, int64_t parameter, const char* name,
                                     const haft_tensor* value) noexcept {
  return boundary("haft_optimizer_set_state", [&] {
    auto h = optimizer_arg(o, 0, "o");
    Exclusive use(*h, "optimizer");
    h->value->set_state_tensor(parameter, to_text(name, 2, "name"), arg(value, 3, "value"));
  });
}

haft_status haft_grad_clip_norm(haft_tensor* const* params, int64_t count, double max_norm, double norm_type,
                                haft_tensor** norm) noexcept {
  return boundary("haft_grad_clip_norm", [&] {
    const ListArg ps = list_arg(params, count, 0, "params");
    refuse_shards(ps, "clip_grad_norm");
    Tensor before = clip_grad_norm(ps, max_norm, norm_type);
    if (norm) *norm = hand_out(std::move(before));
  });
}

haft_status haft_grad_clip_value(haft_tensor* const* params, int64_t count, double limit) noexcept {
  return boundary("haft_grad_clip_value",
                  [&] { clip_grad_value(shards_in_place(list_arg(params, count, 0, "params")), limit); });
}

haft_status haft_lambda_lr_create(haft_optimizer* o, haft_lr_factor fn, void* user, void (*destroy)(void*),
                                  haft_scheduler** out) noexcept {
  return create_by_factor("haft_lambda_lr_create", o, fn, user, destroy, out, make_lambda_lr);
}

haft_status haft_multiplicative_lr_create(haft_optimizer* o, haft_lr_factor fn, void* user,
                                          void (*destroy)(void*), haft_scheduler** out) noexcept {
  return create_by_factor("haft_multiplicative_lr_create", o, fn, user, destroy, out, make_multiplicative_lr);
}

haft_status haft_chained_scheduler_create(haft_scheduler* const* schedulers, int64_t count,
                                          haft_scheduler** out) noexcept {
  return boundary("haft_chained_scheduler_create", [&] {
    check_out(out, 2, "out");
    SchedulerParts parts(schedulers, count, 0);
    if (parts.objects.empty()) fail_argument(Code::invalid_argument, "no schedulers were given", 1, "count");
    auto h = make_ref<SchedulerObject>();
    h->optimizer = parts.objects[0]->optimizer;
    Exclusive use(*h->optimizer, "optimizer");
    h->value = make_chained_scheduler(std::move(parts.values));
    *out = hand_out_object<haft_scheduler>(HandleType::scheduler, std::move(h));
  });
}

haft_status haft_sequential_lr_create(haft_optimizer* o, haft_scheduler* const* schedulers, int64_t count,
                                      const int64_t* milestones, int64_t milestone_count,
                                      haft_scheduler** out) noexcept {
  return create_scheduler("haft_sequential_lr_create", o, out, 5, [&](Ref<Optimizer> p) {
    SchedulerParts parts(schedulers, count, 1);
    return make_sequential_lr(std::move(p), std::move(parts.values),
                              int_list(milestones, milestone_count, 3, "milestones"));
  });
}

haft_status haft_scheduler_retain(haft_scheduler* s) noexcept {
  return boundary("haft_scheduler_retain", [&] {
    scheduler_of(s);
    retain_handle(s, HandleType::scheduler);
  });
}

void haft_scheduler_release(haft_scheduler* s) noexcept { release_handle(s, HandleType::scheduler); }

haft_status haft_scheduler_step(haft_scheduler* s) noexcept {
  return boundary("haft_scheduler_step", [&] {
    auto h = scheduler_of(s);
    Exclusive use(*h, "scheduler"), rates(*h->optimizer, "optimizer");
    h->value->step();
  });
}

haft_status haft_scheduler_step_metric(haft_scheduler* s, double metric) noexcept {
  return boundary("haft_scheduler_step_metric", [&] {
    auto h = scheduler_of(s);
    Exclusive use(*h, "scheduler"), rates(*h->optimizer, "optimizer");
    h->value->step(metric);
  });
}

haft_status haft_scheduler_get_last_epoch(const haft_scheduler* s, int64_t* out) noexcept {
  return boundary("haft_scheduler_get_last_epoch", [&] {
    check_out(out, 1, "out");
    *out = scheduler_of(s)->value->last_epoch();
  });
}

haft_status haft_scheduler_get_state(haft_scheduler* s, double* values, int64_t capacity,
                                     int64_t* count) noexcept {
  return boundary("haft_scheduler_get_state", [&] {
    if (!count || capacity < 0 || (capacity && !values))
      fail_argument(Code::invalid_argument, "values needs room for its capacity and a place for the count", 1,
                    "values");
    const auto state = state_of(s);
    *count = int64_t(state.size());
    if (!values) return;  // asking for the number
    if (capacity < *count)
      fail_argument(Code::invalid_argument, concat("room for ", capacity, " numbers, the state has ", *count),
                    2, "capacity");
    for (const auto& [name, value] : state) *values++ = value;
  });
}

haft_status haft_scheduler_get_state_name(haft_scheduler* s, int64_t index, char* buffer, int64_t capacity,
                                          int64_t* needed) noexcept {
  return boundary("haft_scheduler_get_state_name", [&] {
    const auto state = state_of(s);
    if (index < 0 || index >= int64_t(state.size()))
      fail_argument(Code::index, concat("index must be in [0, ", state.size(), "), got ", index), 1, "index");
    emit_text(std::next(state.begin(), index)->first, buffer, capacity, needed);
  });
}

haft_status haft_scheduler_set_state(haft_scheduler* s, const char* const* names, const double* values,
                                     int64_t count) noexcept {
  return boundary("haft_scheduler_set_state", [&] {
    if (count < 0 || (count && (!names || !values)))
      fail_argument(Code::invalid_argument, "names and values must be arrays of count >= 0 entries", 1,
                    "names");
    std::map<std::string, double> state;
    for (int64_t i = 0; i < count; ++i) state[std::string(to_text(names[i], 1, "names"))] = values[i];
    auto h = scheduler_of(s);
    Exclusive use(*h, "scheduler");
    h->value->load_state(state);
  });
}

}  // extern "C"
