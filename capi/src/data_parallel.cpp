// Data parallel and averagers over core/parallel.
#include <haft/data_parallel.h>

#include <cstring>
#include <memory>

#include "capi/src/group_handle.h"
#include "capi/src/lending.h"
#include "capi/src/module_handle.h"
#include "core/parallel/averager.h"
#include "core/parallel/compression.h"
#include "core/parallel/data_parallel.h"

using namespace haft;
using namespace haft::capi;
using parallel::DataParallel;
using parallel::ModelAverager;

namespace {

// A group closes with its last handle: these are owners of one.
Ref<GroupObject> share_group(haft_process_group* g, int index, const char* name) {
  return Ref<GroupObject>::share(&object_of<GroupObject>(g, HandleType::process_group, index, name));
}

template <class T>
struct OverGroup : HandleObject {
  Ref<GroupObject> group;
  Ref<T> value;
  ~OverGroup() {
    // Its locks may be those of threads that stayed in the parent.
    if (group && group->value->is_foreign()) value.leak();
  }
};
struct DataParallelObject final : OverGroup<DataParallel> {
  Ref<GroupObject> part;  // of set_post_local
  ~DataParallelObject() {
    if (value && !group->value->is_foreign()) value->close();
  }
};
using AveragerObject = OverGroup<ModelAverager>;

// Kept for the time of a call: another thread may release the handle.
Ref<DataParallel> data_parallel_of(haft_data_parallel* d) {
  return object_of<DataParallelObject>(d, HandleType::data_parallel, 0, "d").value;
}
Ref<ModelAverager> averager_of(haft_model_averager* a) {
  return object_of<AveragerObject>(a, HandleType::model_averager, 0, "a").value;
}

haft_data_parallel* make(std::vector<nn::NamedTensor> parameters, std::vector<nn::NamedTensor> buffers,
                         haft_process_group* g, int g_index, const haft_data_parallel_options* options,
                         Ref<nn::Module> module) {
  CancelGuard guard;
  const int at = g_index + 1;
  const auto o = options_of(options, haft_data_parallel_options HAFT_DATA_PARALLEL_OPTIONS_INIT, at);
  parallel::DataParallelOptions r;
  r.broadcast_buffers = to_bool(o.broadcast_buffers, at, "broadcast_buffers");
  r.find_unused = to_bool(o.find_unused_parameters, at, "find_unused_parameters");
  r.bucket_view = to_bool(o.gradient_as_bucket_view, at, "gradient_as_bucket_view");
  r.static_graph = to_bool(o.static_graph, at, "static_graph");
  r.init_sync = to_bool(o.init_sync, at, "init_sync");
  r.bucket_bytes = o.bucket_bytes;
  r.first_bucket_bytes = o.first_bucket_bytes;
  auto object = make_ref<DataParallelObject>();
  object->group = share_group(g, g_index, "g");
  object->value = DataParallel::create(std::move(parameters), std::move(buffers), object->group->value, r,
                                       std::move(module));
  return hand_out_object<haft_data_parallel>(HandleType::data_parallel, std::move(object));
}

std::vector<nn::NamedTensor> named(const char* const* names, haft_tensor* const* ts, int64_t count, int index,
                                   const char* what) {
  std::vector<nn::NamedTensor> out;
  const ListArg list = list_arg(ts, count, index + 1, what);
  for (int64_t i = 0; i < count; ++i)
    out.push_back(
        {names ? std::string(to_text(names[i], index, "names")) : concat(i), list.vector()[size_t(i)]});
  return out;
}
std::vector<nn::NamedTensor> named_state(const char* const* names, haft_tensor* const* ts, int64_t count) {
  if (count && !names)
    fail_argument(Code::invalid_argument, "names is NULL, wanted a name for each tensor", 1, "names");
  return named(names, ts, count, 1, "tensors");
}

void give_state(std::vector<nn::NamedTensor> state, haft_tensor** outs, int64_t capacity, int64_t* count) {
  check_list_out(outs, capacity, count, 1, "outs");
  std::vector<Tensor> ts;
  for (nn::NamedTensor& n : state) ts.push_back(std::move(n.tensor));
  emit_list(outs, capacity, count, std::move(ts));
}
void give_state_name(const std::vector<nn::NamedTensor>& state, int64_t index, char* buffer, int64_t capacity,
                     int64_t* needed) {
  if (index < 0 || index >= int64_t(state.size()))
    fail_argument(Code::index, concat("index must be in [0, ", state.size(), "), got ", index), 1, "index");
  emit_text(state[size_t(index)].name, buffer, capacity, needed);
}

// A program's own functions.
class Called final : public parallel::CommHook {
  const haft_gradient_hook begin_;
  const haft_gradient_hook_finish finish_;
  const Ref<GroupObject> group_;
  const std::vector<Tensor> parameters_;

  template <class F>
  void call(parallel::Bucket& b, F&& f) {
    std::vector<Tensor> parameters;
    for (int p : b.parameters) parameters.push_back(parameters_[size_t(p)]);
    const LentTensors buffer(std::span(&b.buffer, 1)), gradients(b.gradients), lent(parameters);
    const haft_gradient_bucket bucket{sizeof bucket,    b.index,     buffer.data()[0],
                                      gradients.data(), lent.data(), lent.size()};
    struct Lent {
      haft_process_group* g;
      ~Lent() { release_handle(g, HandleType::process_group); }
    } group{hand_out_object<haft_process_group>(HandleType::process_group, group_)};
    call_back("a gradient hook", [&] { return f(bucket, group.g); });
  }

 public:
  std::shared_ptr<UserData> data;

  Called(haft_gradient_hook begin, haft_gradient_hook_finish finish, void* user, Ref<GroupObject> group,
         std::vector<Tensor> parameters)
      : begin_(begin),
        finish_(finish),
        group_(std::move(group)),
        parameters_(std::move(parameters)),
        data(std::make_shared<UserData>(user, nullptr)) {}
  void begin(parallel::Bucket& b, dist::Group&) override {
    haft_work* work = nullptr;
    struct Taken {
      haft_work*& w;
      ~Taken() { release_handle(w, HandleType::work); }
    } taken{work};
    call(b, [&](const haft_gradient_bucket& bucket, haft_process_group* g) {
      return begin_(&bucket, g, &work, data->user);
    });
    pending[size_t(b.index)] = work ? work_of(work) : Ref<dist::Work>();
  }
  void finish(parallel::Bucket& b, dist::Group&) override {
    if (pending[size_t(b.index)]) wait(b);
    if (finish_)
      call(b, [&](const haft_gradient_bucket& bucket, haft_process_group* g) {
        return finish_(&bucket, g, data->user);
      });
  }
};

}  // namespace

extern "C" {

haft_status haft_data_parallel_create(haft_module* m, haft_process_group* g,
                                      const haft_data_parallel_options* options,
                                      haft_data_parallel** out) noexcept {
  return boundary("haft_data_parallel_create", [&] {
    check_out(out, 3, "out");
    Ref<nn::Module> module = module_arg(m, 0, "m");
    *out = make(module->named_parameters(), module->named_buffers(), g, 1, options, module);
  });
}

haft_status haft_data_parallel_create_over(const char* const* names, haft_tensor* const* parameters,
                                           int64_t parameter_count, haft_tensor* const* buffers,
                                           int64_t buffer_count, haft_process_group* g,
                                           const haft_data_parallel_options* options,
                                           haft_data_parallel** out) noexcept {
  return boundary("haft_data_parallel_create_over", [&] {
    check_out(out, 7, "out");
    *out = make(named(names, parameters, parameter_count, 0, "parameters"),
                named(nullptr, buffers, buffer_count, 2, "buffers"), g, 5, options, {});
  });
}

haft_status haft_data_parallel_retain(haft_data_parallel* d) noexcept {
  return boundary("haft_data_parallel_retain", [&] {
    data_parallel_of(d);
    retain_handle(d, HandleType::data_parallel);
  });
}

void haft_data_parallel_release(haft_data_parallel* d) noexcept {
  CancelGuard guard;
  release_handle(d, HandleType::data_parallel);
}

haft_status haft_data_parallel_forward(haft_data_parallel* d, const haft_tensor* x,
                                       haft_tensor** y) noexcept {
  return boundary("haft_data_parallel_forward", [&] {
    CancelGuard guard;
    check_out(y, 2, "y");
    emit(y, data_parallel_of(d)->forward(arg(x, 1, "x")));
  });
}

haft_status haft_data_parallel_prepare(haft_data_parallel* d) noexcept {
  return boundary("haft_data_parallel_prepare", [&] {
    CancelGuard guard;
    data_parallel_of(d)->prepare();
  });
}

haft_status haft_data_parallel_set_sync(haft_data_parallel* d, int32_t on) noexcept {
  return boundary("haft_data_parallel_set_sync",
                  [&] { data_parallel_of(d)->set_sync(to_bool(on, 1, "on")); });
}

haft_status haft_data_parallel_get_sync(haft_data_parallel* d, int32_t* out) noexcept {
  return boundary("haft_data_parallel_get_sync", [&] {
    check_out(out, 1, "out");
    *out = data_parallel_of(d)->sync();
  });
}

haft_status haft_data_parallel_set_static_graph(haft_data_parallel* d) noexcept {
  return boundary("haft_data_parallel_set_static_graph", [&] { data_parallel_of(d)->set_static_graph(); });
}

haft_status haft_data_parallel_join_begin(haft_data_parallel* d, int32_t divide_by_world,
                                          int32_t fail_early) noexcept {
  return boundary("haft_data_parallel_join_begin", [&] {
    data_parallel_of(d)->join_begin(to_bool(divide_by_world, 1, "divide_by_world"),
                                    to_bool(fail_early, 2, "fail_early"));
  });
}

haft_status haft_data_parallel_join_end(haft_data_parallel* d) noexcept {
  return boundary("haft_data_parallel_join_end", [&] {
    CancelGuard guard;
    data_parallel_of(d)->join_end();
  });
}

haft_status haft_data_parallel_get_info(haft_data_parallel* d, haft_data_parallel_info* info) noexcept {
  return boundary("haft_data_parallel_get_info", [&] {
    auto object = data_parallel_of(d);
    check_out(info, 1, "info");
    const uint32_t size = info->struct_size;
    haft_data_parallel_info r =
        options_of(info, haft_data_parallel_info HAFT_DATA_PARALLEL_INFO_INIT, 1, "info");
    const parallel::DataParallelInfo i = object->info();
    r = {size,    object->group().rank(), object->group().size(), i.rebuilt, i.buckets,
         i.steps, i.gradient_bytes,       i.sent_bytes,           i.unused,  i.copies};
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_data_parallel_set_hook(haft_data_parallel* d, haft_gradient_hook hook,
                                        haft_gradient_hook_finish finish, void* user,
                                        void (*destroy)(void*)) noexcept {
  return boundary("haft_data_parallel_set_hook", [&] {
    CancelGuard guard;
    auto& object = object_of<DataParallelObject>(d, HandleType::data_parallel, 0, "d");
    auto value = object.value;
    if (!hook) {
      value->set_hook({});
      if (destroy) destroy(user);
      return;
    }
    auto called = make_ref<Called>(hook, finish, user, object.group, value->parameters());
    auto data = called->data;
    value->set_hook(std::move(called));
    data->destroy = destroy;
  });
}

haft_status haft_data_parallel_set_compression(haft_data_parallel* d,
                                               const haft_compression_options* options) noexcept {
  return boundary("haft_data_parallel_set_compression", [&] {
    CancelGuard guard;
    auto value = data_parallel_of(d);
    if (!options) return value->set_hook({});
    const auto o = options_of(options, haft_compression_options HAFT_COMPRESSION_OPTIONS_INIT, 1);
    parallel::CompressionOptions r;
    r.kind = parallel::Compression(o.kind);
    r.error_feedback = to_bool(o.error_feedback, 1, "error_feedback");
    r.warm_start = to_bool(o.warm_start, 1, "warm_start");
    r.ratio = o.ratio;
    r.min_rate = o.min_rate;
    r.rank = o.rank;
    r.start_step = o.start_step;
    r.seed = o.seed;
    value->set_hook(parallel::make_compression(r));
  });
}

haft_status haft_data_parallel_set_post_local(haft_data_parallel* d, haft_process_group* part,
                                              int64_t start_step) noexcept {
  return boundary("haft_data_parallel_set_post_local", [&] {
    CancelGuard guard;
    auto& object = object_of<DataParallelObject>(d, HandleType::data_parallel, 0, "d");
    Ref<GroupObject> owned = part ? share_group(part, 1, "part") : Ref<GroupObject>();
    object.value->set_hook(parallel::make_post_local(owned ? owned->value : Ref<dist::Group>(), start_step));
    object.part = std::move(owned);
  });
}

haft_status haft_data_parallel_state(haft_data_parallel* d, haft_tensor** outs, int64_t capacity,
                                     int64_t* count) noexcept {
  return boundary("haft_data_parallel_state",
                  [&] { give_state(data_parallel_of(d)->state(), outs, capacity, count); });
}

haft_status haft_data_parallel_get_state_name(haft_data_parallel* d, int64_t index, char* buffer,
                                              int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_data_parallel_get_state_name",
                  [&] { give_state_name(data_parallel_of(d)->state(), index, buffer, capacity, needed); });
}

haft_status haft_data_parallel_load_state(haft_data_parallel* d, const char* const* names,
                                          haft_tensor* const* tensors, int64_t count) noexcept {
  return boundary("haft_data_parallel_load_state",
                  [&] { data_parallel_of(d)->load_state(named_state(names, tensors, count)); });
}

haft_status haft_model_averager_create(haft_tensor* const* parameters, int64_t count, haft_process_group* g,
                                       const haft_model_averager_options* options,
                                       haft_model_averager** out) noexcept {
  return boundary("haft_model_averager_create", [&] {
    check_out(out, 4, "out");
    const auto o = options_of(options, haft_model_averager_options HAFT_MODEL_AVERAGER_OPTIONS_INIT, 3);
    check_reserved(o.reserved, 3);
    auto object = make_ref<AveragerObject>();
    object->group = share_group(g, 2, "g");
    object->value = make_ref<ModelAverager>(
        list_arg(parameters, count, 0, "parameters").vector(), object->group->value,
        parallel::AveragerOptions{o.period, o.warmup_steps, to_bool(o.outer, 3, "outer"), o.outer_lr,
                                  o.outer_momentum, to_bool(o.nesterov, 3, "nesterov")});
    *out = hand_out_object<haft_model_averager>(HandleType::model_averager, std::move(object));
  });
}

haft_status haft_model_averager_retain(haft_model_averager* a) noexcept {
  return boundary("haft_model_averager_retain", [&] {
    averager_of(a);
    retain_handle(a, HandleType::model_averager);
  });
}

void haft_model_averager_release(haft_model_averager* a) noexcept {
  CancelGuard guard;
  release_handle(a, HandleType::model_averager);
}

haft_status haft_model_averager_step(haft_model_averager* a, int32_t* averaged) noexcept {
  return boundary("haft_model_averager_step", [&] {
    CancelGuard guard;
    const bool due = averager_of(a)->step();
    if (averaged) *averaged = due;
  });
}

haft_status haft_model_averager_state(haft_model_averager* a, haft_tensor** outs, int64_t capacity,
                                      int64_t* count) noexcept {
  return boundary("haft_model_averager_state",
                  [&] { give_state(averager_of(a)->state(), outs, capacity, count); });
}

haft_status haft_model_averager_get_state_name(haft_model_averager* a, int64_t index, char* buffer,
                                               int64_t capacity, int64_t* needed) noexcept {
  return boundary("haft_model_averager_get_state_name",
                  [&] { give_state_name(averager_of(a)->state(), index, buffer, capacity, needed); });
}

haft_status haft_model_averager_load_state(haft_model_averager* a, const char* const* names,
                                           haft_tensor* const* tensors, int64_t count) noexcept {
  return boundary("haft_model_averager_load_state",
                  [&] { averager_of(a)->load_state(named_state(names, tensors, count)); });
}

}  // extern "C"
