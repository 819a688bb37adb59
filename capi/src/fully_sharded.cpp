// Fully sharded data parallel over core/parallel.
#include <haft/fully_sharded.h>

#include <cstring>

#include "capi/src/group_handle.h"
#include "capi/src/module_handle.h"
#include "capi/src/shards.h"
#include "core/parallel/fully_sharded.h"

using namespace haft;
using namespace haft::capi;
using parallel::FullyShardedUnit;

namespace {

struct UnitObject final : HandleObject {
  std::shared_ptr<FullyShardedUnit> value;
  Ref<nn::Module> module;  // close() takes the hooks off it
  Ref<GroupObject> group;
  ~UnitObject() {
    // Locks of threads that stayed in the parent.
    if (group && group->value->is_foreign()) new std::shared_ptr<FullyShardedUnit>(std::move(value));
  }
};

// Kept for the time of a call: another thread may release the handle.
Ref<UnitObject> unit_of(haft_fully_sharded* u) {
  return Ref<UnitObject>::share(&object_of<UnitObject>(u, HandleType::fully_sharded, 0, "u"));
}

// A group closes with its last handle: units are owners of one.
struct Groups {
  Ref<GroupObject> group, replicas;
};

template <class Make>
Ref<UnitObject> make_unit(haft_process_group* g, haft_process_group* replicas,
                          const haft_fully_sharded_options* options, int index, Make&& make) {
  const int at = index + 2;
  const auto share = [](haft_process_group* h, int i, const char* name) {
    return Ref<GroupObject>::share(&object_of<GroupObject>(h, HandleType::process_group, i, name));
  };
  auto groups = std::make_shared<Groups>();
  groups->group = share(g, index, "g");
  if (replicas) groups->replicas = share(replicas, index + 1, "replicas");
  const auto o = options_of(options, haft_fully_sharded_options HAFT_FULLY_SHARDED_OPTIONS_INIT, at);
  check_reserved(o.reserved, at);
  parallel::FullyShardedOptions r;
  r.reshard_after_forward = o.reshard_after_forward;
  r.prefetch = o.prefetch;
  r.param_dtype = to_dtype(o.param_dtype, at, "param_dtype");
  r.reduce_dtype = to_dtype(o.reduce_dtype, at, "reduce_dtype");
  r.output_dtype = to_dtype(o.output_dtype, at, "output_dtype");
  r.cast_forward_inputs = to_bool(o.cast_forward_inputs, at, "cast_forward_inputs");
  r.offload = to_bool(o.offload, at, "offload");
  r.init_sync = to_bool(o.init_sync, at, "init_sync");
  auto object = make_ref<UnitObject>();
  object->group = groups->group;
  object->value =
      make(groups->group->value, groups->replicas ? groups->replicas->value : Ref<dist::Group>(), r, groups);
  return object;
}

// f over tensors of a C array, of which some may be absent; what it leaves there is handed out.
template <class F>
void through(haft_tensor* const* given, int64_t count, haft_tensor** outs, const char* name, F&& f) {
  std::vector<Tensor> ts = optional_list_arg(given, count, 1, name).vector();
  if (count && !outs) fail_no_result(3, "outs");
  f(ts);
  if (count) emit_all(outs, std::move(ts));
}

}  // namespace

namespace haft::capi {

std::vector<Tensor> shards_in_place(std::span<const Tensor> parameters) {
  std::vector<Tensor> out;
  for (const Tensor& t : parameters) out.push_back(t.defined() ? parallel::shard_or_self(t) : t);
  return out;
}

void refuse_shards(std::span<const Tensor> parameters, const char* what, bool together, const char* hint) {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (auto s = parallel::shard_of(parameters[i]);
        s || (!together && (s = parallel::whole_of(parameters[i]))))
      fail(Code::unsupported,
           concat(what, ": parameter ", int64_t(i), ", \"", s->name, "\", is spread over ", s->group->size(),
                  " ranks, each of which has a part of its gradient"),
           hint, "params");
}

void refuse_absent(const Optimizer& o) {
  for (int64_t g = 0; g < o.group_count(); ++g)
    for (const Tensor& t : o.group(g).parameters)
      if (const auto s = parallel::shard_of(t))
        fail(Code::invalid_argument,
             concat("step: the parameter \"", s->name, "\" was spread over ", s->group->size(),
                    " ranks after the optimizer was made, and has no gradient"),
             "shard first, then make the optimizer: it takes the shards", "o");
}

}  // namespace haft::capi

extern "C" {

haft_status haft_module_fully_shard(haft_module* m, haft_process_group* g, haft_process_group* replicas,
                                    const haft_fully_sharded_options* options,
                                    haft_fully_sharded** out) noexcept {
  return boundary("haft_module_fully_shard", [&] {
    CancelGuard guard;
    Ref<nn::Module> module = module_arg(m, 0, "m");
    auto object =
        make_unit(g, replicas, options, 1, [&](auto group, auto others, const auto& how, auto keeps) {
          return FullyShardedUnit::create(module, std::move(group), std::move(others), how, std::move(keeps));
        });
    object->module = std::move(module);
    if (out) *out = hand_out_object<haft_fully_sharded>(HandleType::fully_sharded, std::move(object));
  });
}

haft_status haft_fully_shard_parameters(const char* const* names, haft_tensor* const* parameters,
                                        int64_t count, haft_process_group* g, haft_process_group* replicas,
                                        const haft_fully_sharded_options* options,
                                        haft_fully_sharded** out) noexcept {
  return boundary("haft_fully_shard_parameters", [&] {
    CancelGuard guard;
    check_out(out, 6, "out");
    std::vector<nn::NamedTensor> list;
    const ListArg given = list_arg(parameters, count, 1, "parameters");
    for (int64_t i = 0; i < count; ++i)
      list.push_back(
          {names ? std::string(to_text(names[i], 0, "names")) : concat(i), given.vector()[size_t(i)]});
    auto object =
        make_unit(g, replicas, options, 3, [&](auto group, auto others, const auto& how, auto keeps) {
          return FullyShardedUnit::create(std::move(list), std::move(group), std::move(others), how, {},
                                          std::move(keeps));
        });
    *out = hand_out_object<haft_fully_sharded>(HandleType::fully_sharded, std::move(object));
  });
}

haft_status haft_fully_sharded_retain(haft_fully_sharded* u) noexcept {
  return boundary("haft_fully_sharded_retain", [&] {
    unit_of(u);
    retain_handle(u, HandleType::fully_sharded);
  });
}

void haft_fully_sharded_release(haft_fully_sharded* u) noexcept {
  CancelGuard guard;
  release_handle(u, HandleType::fully_sharded);
}

haft_status haft_fully_sharded_before_forward(haft_fully_sharded* u, haft_tensor* const* inputs,
                                              int64_t count, haft_tensor** outs) noexcept {
  return boundary("haft_fully_sharded_before_forward", [&] {
    CancelGuard guard;
    auto unit = unit_of(u);
    through(inputs, count, outs, "inputs", [&](std::span<Tensor> ts) { unit->value->before_forward(ts); });
  });
}

haft_status haft_fully_sharded_after_forward(haft_fully_sharded* u, haft_tensor* const* outputs,
                                             int64_t count, haft_tensor** outs) noexcept {
  return boundary("haft_fully_sharded_after_forward", [&] {
    CancelGuard guard;
    auto unit = unit_of(u);
    through(outputs, count, outs, "outputs", [&](std::span<Tensor> ts) { unit->value->after_forward(ts); });
  });
}

haft_status haft_fully_sharded_unshard(haft_fully_sharded* u) noexcept {
  return boundary("haft_fully_sharded_unshard", [&] {
    CancelGuard guard;
    unit_of(u)->value->unshard();
  });
}

haft_status haft_fully_sharded_reshard(haft_fully_sharded* u) noexcept {
  return boundary("haft_fully_sharded_reshard", [&] {
    CancelGuard guard;
    unit_of(u)->value->reshard();
  });
}

haft_status haft_fully_sharded_set_gradient_sync(haft_fully_sharded* u, int32_t on) noexcept {
  return boundary("haft_fully_sharded_set_gradient_sync",
                  [&] { unit_of(u)->value->set_gradient_sync(to_bool(on, 1, "on")); });
}

haft_status haft_fully_sharded_set_reshard_after_forward(haft_fully_sharded* u, int32_t value) noexcept {
  return boundary("haft_fully_sharded_set_reshard_after_forward",
                  [&] { unit_of(u)->value->set_reshard_after_forward(value); });
}

haft_status haft_fully_sharded_close(haft_fully_sharded* u) noexcept {
  return boundary("haft_fully_sharded_close", [&] {
    CancelGuard guard;
    unit_of(u)->value->close();
  });
}

haft_status haft_fully_sharded_get_info(haft_fully_sharded* u, haft_fully_sharded_info* info) noexcept {
  return boundary("haft_fully_sharded_get_info", [&] {
    auto unit = unit_of(u);
    check_out(info, 1, "info");
    const uint32_t size = info->struct_size;
    haft_fully_sharded_info r =
        options_of(info, haft_fully_sharded_info HAFT_FULLY_SHARDED_INFO_INIT, 1, "info");
    const parallel::FullyShardedInfo i = unit->value->info();
    r = {size,       i.rank,         i.ranks,       i.whole,           i.parameters,
         i.elements, i.own_elements, i.whole_bytes, i.parameter_bytes, i.gradient_bytes,
         i.gathers,  i.prefetched,   i.scatters,    i.sent_bytes};
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_tensor_shard(const haft_tensor* t, haft_tensor** out) noexcept {
  return boundary("haft_tensor_shard", [&] {
    check_out(out, 1, "out");
    auto s = parallel::shard_of(arg(t, 0, "t"));
    *out = s ? hand_out(std::move(s->shard)) : nullptr;
  });
}

haft_status haft_tensor_get_shard_info(const haft_tensor* t, haft_tensor_shard_info* info) noexcept {
  return boundary("haft_tensor_get_shard_info", [&] {
    const Tensor& x = arg(t, 0, "t");
    check_out(info, 1, "info");
    const uint32_t size = info->struct_size;
    haft_tensor_shard_info r =
        options_of(info, haft_tensor_shard_info HAFT_TENSOR_SHARD_INFO_INIT, 1, "info");
    r = HAFT_TENSOR_SHARD_INFO_INIT;
    r.struct_size = size;
    auto s = parallel::shard_of(x);
    if (!s) {
      s = parallel::whole_of(x);
      r.is_shard = bool(s);
    }
    if (s) {
      r.rank = s->group->rank();
      r.ranks = s->group->size();
      r.replica = s->replicas ? s->replicas->rank() : 0;
      r.replicas = s->replicas ? s->replicas->size() : 1;
      r.rows = s->rows;
      r.first = std::min(s->first, s->rows);
      r.count = s->count;
    }
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

}  // extern "C"
