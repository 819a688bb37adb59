// Data parallel and averagers under failing allocations: over a group of one rank, where nobody else can be told.
#include "oom_cases.h"

namespace oom {
namespace {

struct Over : DataParallel {
  Alone group;
  Linear linear;
  Filled x;
  Over() { must(haft_data_parallel_create(linear, group, nullptr, &h)); }
};
struct Compressed : Over {
  Compressed() {
    haft_compression_options o = HAFT_COMPRESSION_OPTIONS_INIT;
    o.kind = HAFT_COMPRESSION_TOP_K;
    must(haft_data_parallel_set_compression(h, &o));
  }
};
struct Averages : ModelAverager {
  Alone group;
  Parameter p;
  Averages() {
    haft_tensor* ps[] = {p};
    haft_model_averager_options o = HAFT_MODEL_AVERAGER_OPTIONS_INIT;
    o.outer = 1;
    must(haft_model_averager_create(ps, 1, group, &o, &h));
  }
};

}  // namespace

void add_data_parallel(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_data_parallel_create", [](Attempt& a) {
    Alone g;
    Linear m;
    DataParallel d(a);
    a.run([&] { return haft_data_parallel_create(m, g, nullptr, &d); });
  });
  add("haft_data_parallel_create_over", [](Attempt& a) {
    Alone g;
    Parameter p;
    haft_tensor* ps[] = {p};
    DataParallel d(a);
    a.run([&] { return haft_data_parallel_create_over(nullptr, ps, 1, nullptr, 0, g, nullptr, &d); });
  });
  add("haft_data_parallel_forward", [](Attempt& a) {
    Over d;
    Tensor y(a);
    a.run([&] { return haft_data_parallel_forward(d, d.x, &y); });
  });
  // f(object)
  auto call = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Compressed d;
      a.run([&] { return f(d.h); });
    });
  };
  call("haft_data_parallel_prepare", haft_data_parallel_prepare);
  call("haft_data_parallel_set_static_graph", haft_data_parallel_set_static_graph);
  call("haft_data_parallel_set_sync",
       [](haft_data_parallel* d) { return haft_data_parallel_set_sync(d, 0); });
  call("haft_data_parallel_get_sync", [](haft_data_parallel* d) {
    int32_t on = 0;
    return haft_data_parallel_get_sync(d, &on);
  });
  call("haft_data_parallel_join_begin",
       [](haft_data_parallel* d) { return haft_data_parallel_join_begin(d, 1, 0); });
  add("haft_data_parallel_join_end", [](Attempt& a) {
    Over d;
    must(haft_data_parallel_join_begin(d, 1, 0));
    a.run([&] { return haft_data_parallel_join_end(d); });
  });
  call("haft_data_parallel_get_info", [](haft_data_parallel* d) {
    haft_data_parallel_info i = HAFT_DATA_PARALLEL_INFO_INIT;
    return haft_data_parallel_get_info(d, &i);
  });
  add("haft_data_parallel_set_hook", [](Attempt& a) {
    User user;
    {
      Over d;
      a.run([&] {
        return haft_data_parallel_set_hook(
            d,
            [](const haft_gradient_bucket*, haft_process_group*, haft_work**, void*) -> haft_status {
              return HAFT_OK;
            },
            nullptr, &user, User::destroy);
      });
    }
    user.expect(a, 1);
  });
  call("haft_data_parallel_set_compression", [](haft_data_parallel* d) {
    haft_compression_options o = HAFT_COMPRESSION_OPTIONS_INIT;
    o.kind = HAFT_COMPRESSION_POWER_SGD;
    return haft_data_parallel_set_compression(d, &o);
  });
  call("haft_data_parallel_set_post_local",
       [](haft_data_parallel* d) { return haft_data_parallel_set_post_local(d, nullptr, 3); });
  call("haft_data_parallel_state", [](haft_data_parallel* d) {
    int64_t count = 0;
    return haft_data_parallel_state(d, nullptr, 0, &count);
  });
  call("haft_data_parallel_get_state_name", [](haft_data_parallel* d) {
    int64_t needed = 0;
    return haft_data_parallel_get_state_name(d, 0, nullptr, 0, &needed);
  });
  add("haft_data_parallel_load_state", [](Attempt& a) {
    Compressed d;
    Tensor step;
    const int64_t one = 1;
    must(haft_full(&one, 1, haft_scalar_int(3), HAFT_INT64, HAFT_DEVICE_CPU, &step));
    const char* names[] = {"step"};
    haft_tensor* ts[] = {step};
    a.run([&] { return haft_data_parallel_load_state(d, names, ts, 1); });
  });
  add_counting<DataParallel>(
      all, "data_parallel",
      [](DataParallel& d) {
        Over over;
        d.h = std::exchange(over.h, nullptr);
      },
      haft_data_parallel_retain, haft_data_parallel_release);

  add("haft_model_averager_create", [](Attempt& a) {
    Alone g;
    Parameter p;
    haft_tensor* ps[] = {p};
    ModelAverager m(a);
    a.run([&] { return haft_model_averager_create(ps, 1, g, nullptr, &m); });
  });
  add("haft_model_averager_step", [](Attempt& a) {
    Averages m;
    a.run([&] { return haft_model_averager_step(m, nullptr); });
  });
  add("haft_model_averager_state", [](Attempt& a) {
    Averages m;
    int64_t count = 0;
    a.run([&] { return haft_model_averager_state(m, nullptr, 0, &count); });
  });
  add("haft_model_averager_get_state_name", [](Attempt& a) {
    Averages m;
    int64_t needed = 0;
    a.run([&] { return haft_model_averager_get_state_name(m, 0, nullptr, 0, &needed); });
  });
  add("haft_model_averager_load_state", [](Attempt& a) {
    Averages m;
    Tensor step;
    const int64_t one = 1;
    must(haft_full(&one, 1, haft_scalar_int(3), HAFT_INT64, HAFT_DEVICE_CPU, &step));
    const char* names[] = {"step"};
    haft_tensor* ts[] = {step};
    a.run([&] { return haft_model_averager_load_state(m, names, ts, 1); });
  });
  add_counting<ModelAverager>(
      all, "model_averager",
      [](ModelAverager& m) {
        Averages made;
        m.h = std::exchange(made.h, nullptr);
      },
      haft_model_averager_retain, haft_model_averager_release);
}

}  // namespace oom
