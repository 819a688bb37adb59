// Calls whose arguments do not follow from their types: what holds for the process or the thread, callbacks,
// and objects that must be as before when a call fails. Those of modules, optimizers, data and files stand in
// oom_objects.cpp.
#include "oom_cases.h"
#include "dlpack_structs.h"

namespace oom {
namespace {

haft_device sim_device() {
  must(haft_backend_load(HAFT_SIM_DEVICE));
  haft_device sim = 0;
  must(haft_device_parse("sim:0", &sim));
  return sim;
}

void make_exp(VariableTransform& t) { must(haft_variable_transform_create("Exp", nullptr, 0, &t)); }

void make_normal(Distribution& d) {
  Filled half;
  haft_tensor* parameters[] = {half, half};
  must(haft_distribution_create("Normal", parameters, 2, 1, &d));
}

// The call under test runs inside a callback of a custom function.
struct Inside {
  Attempt* a;
  haft_status (*call)(haft_function_context*, haft_tensor*, Attempt&);
  bool in_backward;
};
void run_inside(Attempt& a, bool in_backward,
                haft_status (*call)(haft_function_context*, haft_tensor*, Attempt&)) {
  Filled x, seed;
  must(haft_tensor_set_requires_grad(x, 1));
  Inside inside{&a, call, in_backward};
  haft_tensor *ins[] = {x}, *out = nullptr;
  haft_status s = haft_function_apply(
      "Inside",
      [](haft_function_context* c, haft_tensor* const* in, int64_t, haft_tensor** out, int64_t, void* user) {
        auto* i = static_cast<Inside*>(user);
        if (!i->in_backward)
          i->call(c, in[0], *i->a);
        else
          must(haft_function_save(c, in[0]));
        return haft_square(in[0], out);
      },
      [](haft_function_context* c, haft_tensor* const* g, int64_t, haft_tensor** r, int64_t, void* user) {
        auto* i = static_cast<Inside*>(user);
        if (i->in_backward) i->call(c, g[0], *i->a);
        return haft_neg(g[0], r);
      },
      &inside, nullptr, ins, 1, &out, 1);
  must(s);
  if (in_backward) must(haft_tensor_backward(out, seed, 0));
  haft_tensor_release(out);
}

void add_runtime(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_get_api",
      [](Attempt& a) { a.run_void([] { EXPECT_NE(haft_get_api(HAFT_VERSION_NUMBER), nullptr); }); });
  add("haft_get_version_number", [](Attempt& a) { a.run_void([] { haft_get_version_number(); }); });
  add("haft_get_version_string",
      [](Attempt& a) { a.run_void([] { EXPECT_STRNE(haft_get_version_string(), ""); }); });
  add("haft_get_library_path",
      [](Attempt& a) { a.run_void([] { EXPECT_STRNE(haft_get_library_path(), ""); }); });
  add("haft_status_get_name",
      [](Attempt& a) { a.run_void([] { EXPECT_STREQ(haft_status_get_name(0), "HAFT_OK"); }); });
  add("haft_dtype_get_name",
      [](Attempt& a) { a.run_void([] { EXPECT_STREQ(haft_dtype_get_name(HAFT_INT8), "int8"); }); });
  add("haft_dtype_get_size",
      [](Attempt& a) { a.run_void([] { EXPECT_EQ(haft_dtype_get_size(HAFT_INT64), 8); }); });
  add("haft_error_get_message",
      [](Attempt& a) { a.run_void([] { EXPECT_NE(haft_error_get_message(), nullptr); }); });
  add("haft_error_clear", [](Attempt& a) { a.run_void([] { haft_error_clear(); }); });
  add("haft_error_set", [](Attempt& a) {
    a.run_void([] {
      EXPECT_EQ(haft_error_set(HAFT_ERROR_IO, "a text that is longer than a short string", 7), HAFT_ERROR_IO);
    });
    EXPECT_STRNE(haft_error_get_message(), "");
    haft_error_clear();
  });
  add("haft_shutdown", [](Attempt& a) {
    Filled alive;
    a.run([] {
      haft_status s = haft_shutdown();
      return s == HAFT_ERROR_BUSY ? HAFT_OK : s;
    });
  });
  add("haft_set_num_threads", [](Attempt& a) { a.run([] { return haft_set_num_threads(1); }); });
  add("haft_set_default_device",
      [](Attempt& a) { a.run([] { return haft_set_default_device(HAFT_DEVICE_CPU); }); });
  add("haft_set_default_dtype",
      [](Attempt& a) { a.run([] { return haft_set_default_dtype(HAFT_FLOAT32); }); });
  add("haft_tensor_to_dlpack", [](Attempt& a) {
    Filled x;
    DLManagedTensor* lent = nullptr;
    a.out(reinterpret_cast<void**>(&lent));
    a.run([&] { return haft_tensor_to_dlpack(x, &lent); });
    if (a.ok()) lent->deleter(lent);
  });
  add("haft_tensor_to_dlpack_versioned", [](Attempt& a) {
    Filled x;
    DLManagedTensorVersioned* lent = nullptr;
    a.out(reinterpret_cast<void**>(&lent));
    a.run([&] { return haft_tensor_to_dlpack_versioned(x, &lent); });
    if (a.ok()) lent->deleter(lent);
  });
  add("haft_tensor_from_dlpack", [](Attempt& a) {
    Filled x;
    DLManagedTensor* lent = nullptr;
    must(haft_tensor_to_dlpack(x, &lent));
    Tensor t(a);
    a.run([&] { return haft_tensor_from_dlpack(lent, &t); });
    if (!a.ok()) lent->deleter(lent);
  });
  add("haft_tensor_from_dlpack_versioned", [](Attempt& a) {
    Filled x;
    DLManagedTensorVersioned* lent = nullptr;
    must(haft_tensor_to_dlpack_versioned(x, &lent));
    lent->flags = 1;  // read-only: what haft takes of it is a copy
    Tensor t(a);
    a.run([&] { return haft_tensor_from_dlpack_versioned(lent, &t); });
    if (!a.ok()) lent->deleter(lent);
  });
  add("haft_event_get_elapsed", [](Attempt& a) {
    const haft_device sim = sim_device();
    Event start, end;
    must(haft_event_create(sim, 1, &start));
    must(haft_event_create(sim, 1, &end));
    must(haft_event_record(start, nullptr));
    must(haft_event_record(end, nullptr));
    must(haft_event_synchronize(end));
    double ms = -1;
    a.run([&] { return haft_event_get_elapsed(start, end, &ms); });
  });
  // Begun again and again: a failed attempt leaves nothing that is recorded.
  add("haft_device_graph_create", [](Attempt& a) {
    DeviceGraph g(a);
    const haft_device sim = sim_device();
    a.run([&] { return haft_device_graph_create(sim, &g); });
  });
  add("haft_device_graph_begin", [](Attempt& a) {
    DeviceGraph g;
    must(haft_device_graph_create(sim_device(), &g));
    a.run([&] { return haft_device_graph_begin(g); });
    if (a.ok()) must(haft_device_graph_discard(g));
  });
  add("haft_device_graph_begin_sharing", [](Attempt& a) {
    DeviceGraph first, g;
    must(haft_device_graph_create(sim_device(), &first));
    must(haft_device_graph_begin(first));
    must(haft_device_graph_end(first));
    must(haft_device_graph_create(sim_device(), &g));
    a.run([&] { return haft_device_graph_begin_sharing(g, first); });
    if (a.ok()) must(haft_device_graph_discard(g));
  });
  for (const bool keep : {true, false})
    add(keep ? "haft_device_graph_end" : "haft_device_graph_discard", [keep](Attempt& a) {
      DeviceGraph g;
      must(haft_device_graph_create(sim_device(), &g));
      must(haft_device_graph_begin(g));
      a.run([&] { return keep ? haft_device_graph_end(g) : haft_device_graph_discard(g); });
      int32_t ready = 0;
      if (a.ok() && keep) must(haft_device_graph_is_ready(g, &ready));
    });
  add("haft_device_graph_replay", [](Attempt& a) {
    DeviceGraph g;
    must(haft_device_graph_create(sim_device(), &g));
    must(haft_device_graph_begin(g));
    must(haft_device_graph_end(g));
    a.run([&] { return haft_device_graph_replay(g); });
    must(haft_device_synchronize(sim_device()));
  });
  add_counting<Fused>(
      all, "fused",
      [](Fused& f) {
        must(haft_fused_create(
            "f",
            [](haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void*) {
              return *count = 1, haft_square(in[0], out);
            },
            nullptr, nullptr, &f));
      },
      haft_fused_retain, haft_fused_release);
  add("haft_distribution_create", [](Attempt& a) {
    Filled half;
    haft_tensor* parameters[] = {half, half};
    Distribution d(a);
    a.run([&] { return haft_distribution_create("Normal", parameters, 2, 1, &d); });
  });
  add("haft_mixture_same_family_create", [](Attempt& a) {
    Distribution components, classes, d(a);
    Filled half;
    haft_tensor* parameters[] = {half, half};
    must(haft_distribution_create("Normal", parameters, 2, 1, &components));
    must(haft_distribution_create("Categorical", parameters, 1, 1, &classes));
    a.run([&] { return haft_mixture_same_family_create(classes, components, 1, &d); });
  });
  add("haft_variable_transform_create", [](Attempt& a) {
    Filled half;
    haft_tensor* parameters[] = {half, half};
    VariableTransform t(a);
    a.run([&] { return haft_variable_transform_create("Affine", parameters, 2, &t); });
  });
  add("haft_variable_transform_compose", [](Attempt& a) {
    VariableTransform exp, t(a);
    make_exp(exp);
    haft_variable_transform* parts[] = {exp, exp};
    a.run([&] { return haft_variable_transform_compose(parts, 2, &t); });
  });
  add("haft_variable_transform_cat", [](Attempt& a) {
    VariableTransform exp, t(a);
    make_exp(exp);
    haft_variable_transform* parts[] = {exp, exp};
    const int64_t lengths[] = {2, 1};
    a.run([&] { return haft_variable_transform_cat(parts, 2, lengths, 2, -1, &t); });
  });
  add("haft_transformed_distribution_create", [](Attempt& a) {
    Distribution normal, d(a);
    VariableTransform exp;
    make_normal(normal);
    make_exp(exp);
    haft_variable_transform* parts[] = {exp};
    a.run([&] { return haft_transformed_distribution_create(normal, parts, 1, 1, &d); });
  });
  add_counting<VariableTransform>(all, "variable_transform", make_exp, haft_variable_transform_retain,
                                  haft_variable_transform_release);
  add("haft_distribution_parameter", [](Attempt& a) {
    Distribution d;
    make_normal(d);
    Tensor scale(a);
    a.run([&] { return haft_distribution_parameter(d, "scale", &scale); });
  });
  add("haft_constraint_check", [](Attempt& a) {
    Filled half;
    Tensor fits(a);
    a.run([&] { return haft_constraint_check("simplex", half, &fits); });
  });
  add_counting<Distribution>(all, "distribution", make_normal, haft_distribution_retain,
                             haft_distribution_release);
  add_counting<DeviceGraph>(
      all, "device_graph", [](DeviceGraph& g) { must(haft_device_graph_create(sim_device(), &g)); },
      haft_device_graph_retain, haft_device_graph_release);
  add_counting<Stream>(
      all, "stream", [](Stream& s) { must(haft_stream_create(HAFT_DEVICE_CPU, &s)); }, haft_stream_retain,
      haft_stream_release);
  add_counting<Event>(
      all, "event", [](Event& e) { must(haft_event_create(HAFT_DEVICE_CPU, 0, &e)); }, haft_event_retain,
      haft_event_release);
  add("haft_set_math_precision",
      [](Attempt& a) { a.run([] { return haft_set_math_precision(HAFT_MATH_FAST); }); });
  add("haft_set_deterministic",
      [](Attempt& a) { a.run([] { return haft_set_deterministic(HAFT_DETERMINISTIC_OFF); }); });
  add("haft_memory_set_limit",
      [](Attempt& a) { a.run([] { return haft_memory_set_limit(HAFT_DEVICE_CPU, 0); }); });
  // The loader itself may lack memory: then it says that the plug-in cannot be had.
  add("haft_backend_load", [](Attempt& a) {
    a.run([] {
      haft_status s = haft_backend_load(HAFT_SIM_DEVICE);
      return s == HAFT_ERROR_UNAVAILABLE ? HAFT_OK : s;
    });
  });
  // Its failures were tried by main(), before the first allocation.
  add("haft_memory_set_allocator", [](Attempt& a) {
    a.run([] {
      haft_status s = haft_memory_set_allocator([](int64_t, int64_t, void*) -> void* { return nullptr; },
                                                [](void*, int64_t, void*) {}, nullptr);
      return s == HAFT_ERROR_BUSY ? HAFT_OK : s;
    });
  });
  add("haft_memory_set_pressure_callback", [](Attempt& a) {
    User user;
    a.run([&] {
      return haft_memory_set_pressure_callback(
          1 << 30, [](int64_t, void*) {}, &user, User::destroy);
    });
    must(haft_memory_set_pressure_callback(0, nullptr, nullptr, nullptr));
    user.expect(a, 1);
  });
  add("haft_memory_add_pressure_callback", [](Attempt& a) {
    User user;
    int64_t id = 0;
    a.run([&] {
      return haft_memory_add_pressure_callback(
          1 << 30, [](int64_t, void*) {}, &user, User::destroy, &id);
    });
    if (a.ok()) must(haft_memory_remove_pressure_callback(id));
    user.expect(a, 1);
  });
  add("haft_memory_remove_pressure_callback", [](Attempt& a) {
    int64_t id = 0;
    must(haft_memory_add_pressure_callback(
        1 << 30, [](int64_t, void*) {}, nullptr, nullptr, &id));
    a.run([&] { return haft_memory_remove_pressure_callback(id); });
    if (!a.ok()) must(haft_memory_remove_pressure_callback(id));
  });
  add("haft_set_log_sink", [](Attempt& a) {
    User user;
    a.run([&] {
      return haft_set_log_sink(
          HAFT_LOG_ERROR, [](int32_t, const char*, void*) {}, &user, User::destroy);
    });
    must(haft_set_log_sink(HAFT_LOG_NONE, nullptr, nullptr, nullptr));
    user.expect(a, 1);
  });
  add("haft_profiler_start", [](Attempt& a) {
    if (a.run([] { return haft_profiler_start(1); }) != HAFT_OK) return;
    Profile p;
    must(haft_profiler_stop(&p));
  });
  add("haft_profiler_start_with", [](Attempt& a) {
    if (a.run([] { return haft_profiler_start_with(HAFT_PROFILE_DEVICES | HAFT_PROFILE_MODULES); }) !=
        HAFT_OK)
      return;
    Profile p;
    must(haft_profiler_stop(&p));
  });
  add("haft_profiler_stop", [](Attempt& a) {
    must(haft_profiler_start(1));
    Filled x;
    Profile p(a);
    if (a.run([&] { return haft_profiler_stop(&p); }) == HAFT_OK) return;
    Profile again;  // it is still on
    must(haft_profiler_stop(&again));
    char text[8192];
    must(haft_profile_get_table(again, text, sizeof text, nullptr));
    EXPECT_NE(std::string(text).find("full"), std::string::npos) << text;
  });
  add("haft_profiler_push", [](Attempt& a) {
    must(haft_profiler_start(1));
    if (a.run([] { return haft_profiler_push("a range with a name that is not short"); }) == HAFT_OK)
      must(haft_profiler_pop());
    Profile p;
    must(haft_profiler_stop(&p));
  });
  // Devices here have no handles that other code knows: the refusal is what may run out of memory.
  for (const char* name : {"haft_stream_get_native", "haft_event_get_native", "haft_stream_from_native"})
    add(name, [name = std::string(name)](Attempt& a) {
      Stream s, from;
      Event e;
      void* native = nullptr;
      must(haft_stream_create(sim_device(), &s));
      must(haft_event_create(sim_device(), 0, &e));
      EXPECT_NE(name == "haft_stream_get_native"  ? haft_stream_get_native(s, &native)
                : name == "haft_event_get_native" ? haft_event_get_native(e, &native)
                                                  : haft_stream_from_native(sim_device(), &native, &from),
                HAFT_OK);
      a.run([&] { return haft_stream_synchronize(s); });
    });
  add("haft_range_push", [](Attempt& a) {
    if (a.run([] { return haft_range_push("a range with a name that is not short"); }) == HAFT_OK)
      must(haft_range_pop());
  });
  add("haft_range_pop", [](Attempt& a) {
    must(haft_range_push("range"));
    a.run([] { return haft_range_pop(); });
  });
  add("haft_profiler_pop", [](Attempt& a) {
    must(haft_profiler_start(1));
    must(haft_profiler_push("range"));
    a.run([] { return haft_profiler_pop(); });
    Profile p;
    must(haft_profiler_stop(&p));
  });
  auto profile = [](Profile& p) {
    must(haft_profiler_start(1));
    {
      Filled x;
      Tensor y;
      must(haft_exp(x, &y));
    }
    must(haft_profiler_stop(&p));
  };
  add("haft_profile_get_table", [=](Attempt& a) {
    Profile p;
    profile(p);
    char text[8192];
    a.run([&] { return haft_profile_get_table(p, text, sizeof text, nullptr); });
  });
  add("haft_profile_get_trace", [=](Attempt& a) {
    Profile p;
    profile(p);
    char text[8192];
    a.run([&] { return haft_profile_get_trace(p, text, sizeof text, nullptr); });
  });
  add("haft_profile_write_trace", [=](Attempt& a) {
    Profile p;
    profile(p);
    std::string path = in_folder("trace.json");
    a.run([&] { return haft_profile_write_trace(p, path.c_str()); });
    EXPECT_EQ(std::filesystem::exists(path), a.ok());
    std::filesystem::remove(path);
  });
  add_counting<Profile>(all, "profile", profile, haft_profile_retain, haft_profile_release);
  add_counting<Generator>(
      all, "generator", [](Generator& g) { must(haft_generator_create(1, &g)); }, haft_generator_retain,
      haft_generator_release);
}

void add_tensors(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add_counting<Tensor>(
      all, "tensor", [](Tensor& t) { t.h = filled(k4x20, 1); }, haft_tensor_retain, haft_tensor_release);
  add("haft_tensor_release_many", [](Attempt& a) {
    haft_tensor* ts[] = {filled(k4x20, 1), nullptr, filled(k4x20, 1)};
    a.run_void([&] { haft_tensor_release_many(ts, 3); });
  });
  add("haft_tensor_from_data", [](Attempt& a) {
    const std::vector<float> data(80, 1);
    Tensor out(a);
    a.run([&] { return haft_tensor_from_data(data.data(), k4x20, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &out); });
  });
  add("haft_scaled_mm", [](Attempt& a) {
    const int64_t size[] = {8, 8};
    const Filled wide(0.5, size);
    Tensor x, scale, out(a);
    must(haft_to(wide, HAFT_FLOAT8_E4M3FN, HAFT_DEVICE_CPU, 0, &x));
    must(haft_full(nullptr, 0, haft_scalar_float(0.5), HAFT_FLOAT32, HAFT_DEVICE_CPU, &scale));
    a.run([&] { return haft_scaled_mm(x, x, scale, scale, nullptr, HAFT_FLOAT32, &out); });
  });
  add("haft_tensor_from_memory", [](Attempt& a) {
    std::vector<float> data(80, 1);
    User user;
    {
      Tensor out(a);
      a.run([&] {
        return haft_tensor_from_memory(data.data(), k4x20, nullptr, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU,
                                       User::destroy, &user, &out);
      });
    }
    user.expect(a, 1);
  });
  add("haft_tensor_write", [](Attempt& a) {
    Filled t;
    const std::vector<float> data(80, 2);
    std::vector<char> before = bytes_of(t);
    a.run([&] { return haft_tensor_write(t, data.data(), 320); });
    EXPECT_EQ(bytes_of(t) != before, a.ok());
  });
  for (const char* name : {"haft_tensor_get_item", "haft_tensor_get_item_double", "haft_tensor_get_item_int"})
    add(name, [name = std::string(name)](Attempt& a) {
      Tensor t;
      must(haft_full(nullptr, 0, haft_scalar_int(3), HAFT_INT64, HAFT_DEVICE_CPU, &t));
      haft_scalar s;
      double d;
      int64_t i;
      a.run([&] {
        return name == "haft_tensor_get_item"       ? haft_tensor_get_item(t, &s)
               : name == "haft_tensor_get_item_int" ? haft_tensor_get_item_int(t, &i)
                                                    : haft_tensor_get_item_double(t, &d);
      });
    });
  add("haft_scope_begin", [](Attempt& a) {
    if (a.run([] { return haft_scope_begin(); }) == HAFT_OK) must(haft_scope_end());
  });
  add("haft_scope_end", [](Attempt& a) {
    must(haft_scope_begin());
    filled(k4x20, 1);
    if (a.run([] { return haft_scope_end(); }) != HAFT_OK) must(haft_scope_end());
  });
  add("haft_scope_keep", [](Attempt& a) {
    must(haft_scope_begin());
    must(haft_scope_begin());
    haft_tensor* t = filled(k4x20, 1);
    a.run([&] { return haft_scope_keep(t); });
    must(haft_scope_end());
    must(haft_scope_end());
  });
}

void add_autograd(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_tensor_set_requires_grad", [](Attempt& a) {
    Filled x;
    a.run([&] { return haft_tensor_set_requires_grad(x, 1); });
    int32_t on = 2;
    must(haft_tensor_requires_grad(x, &on));
    EXPECT_EQ(on, a.ok());
  });
  add("haft_tensor_set_grad", [](Attempt& a) {
    Filled x, g;
    must(haft_tensor_set_requires_grad(x, 1));
    a.run([&] { return haft_tensor_set_grad(x, g); });
  });
  add("haft_tensor_retain_grad", [](Attempt& a) {
    Graph g;
    a.run([&] { return haft_tensor_retain_grad(g.y); });
    must(haft_tensor_backward(g.y, g.seed, 0));
  });
  add("haft_tensor_backward", [](Attempt& a) {
    Graph g;
    a.run([&] { return haft_tensor_backward(g.y, g.seed, HAFT_BACKWARD_RETAIN_GRAPH); });
    must(haft_tensor_set_grad(g.x, nullptr));
    must(haft_tensor_backward(g.y, g.seed, 0));  // a failure leaves no node claimed
  });
  add("haft_autograd_backward", [](Attempt& a) {
    Graph g, h;
    haft_tensor *outs[] = {g.y, h.y}, *seeds[] = {g.seed, h.seed};
    a.run([&] { return haft_autograd_backward(outs, seeds, 2, HAFT_BACKWARD_CREATE_GRAPH); });
    must(haft_tensor_set_grad(g.x, nullptr));  // gradients with a history are part of a cycle
    must(haft_tensor_set_grad(h.x, nullptr));
  });
  add("haft_autograd_backward_inputs", [](Attempt& a) {
    Graph g;
    haft_tensor *outs[] = {g.y}, *seeds[] = {g.seed}, *ins[] = {g.x};
    a.run([&] { return haft_autograd_backward_inputs(outs, seeds, 1, ins, 1, HAFT_BACKWARD_RETAIN_GRAPH); });
    must(haft_tensor_set_grad(g.x, nullptr));
    must(haft_tensor_backward(g.y, g.seed, 0));
  });
  add("haft_autograd_grad", [](Attempt& a) {
    Graph g;
    haft_tensor *outs[] = {g.y}, *seeds[] = {g.seed}, *ins[] = {g.x};
    Tensor d(a);
    a.run([&] { return haft_autograd_grad(outs, seeds, 1, ins, 1, HAFT_BACKWARD_CREATE_GRAPH, &d); });
  });
  for (const char* name : {"haft_tensor_add_hook", "haft_tensor_add_accumulate_hook"})
    add(name, [name = std::string(name)](Attempt& a) {
      User user;
      {
        Graph g;
        int64_t id = 0;
        a.run([&] {
          return name == "haft_tensor_add_hook"
                     ? haft_tensor_add_hook(g.x, grad_hook, &user, User::destroy, &id)
                     : haft_tensor_add_accumulate_hook(g.x, grad_hook, &user, User::destroy, &id);
        });
        must(haft_tensor_backward(g.y, g.seed, 0));
      }
      user.expect(a, 1);
    });
  add("haft_tensor_remove_hook", [](Attempt& a) {
    Graph g;
    int64_t id = 0;
    must(haft_tensor_add_hook(g.x, grad_hook, nullptr, nullptr, &id));
    a.run([&] { return haft_tensor_remove_hook(g.x, id); });
  });
  add("haft_saved_tensor_hooks_push", [](Attempt& a) {
    User user;
    a.run(
        [&] { return haft_saved_tensor_hooks_push(pack_hook, unpack_hook, nullptr, &user, User::destroy); });
    if (a.ok()) must(haft_saved_tensor_hooks_pop());
    user.expect(a, 1);
  });
  add("haft_saved_tensor_hooks_pop", [](Attempt& a) {
    must(haft_saved_tensor_hooks_push(pack_hook, unpack_hook, nullptr, nullptr, nullptr));
    a.run([] { return haft_saved_tensor_hooks_pop(); });
    if (!a.ok()) must(haft_saved_tensor_hooks_pop());
  });
  add("haft_autograd_add_callback", [](Attempt& a) {
    run_inside(a, true, [](haft_function_context*, haft_tensor*, Attempt& inside) {
      return inside.run([] {
        return haft_autograd_add_callback([](void*) -> haft_status { return HAFT_OK; }, nullptr, nullptr);
      });
    });
  });
  add("haft_set_grad_enabled", [](Attempt& a) { a.run([] { return haft_set_grad_enabled(1, nullptr); }); });
  add("haft_set_anomaly_mode", [](Attempt& a) { a.run([] { return haft_set_anomaly_mode(0, nullptr); }); });
  add("haft_set_inference_mode", [](Attempt& a) {
    a.run([] { return haft_set_inference_mode(1, nullptr); });
    must(haft_set_inference_mode(0, nullptr));
  });
  add("haft_tensor_grad_fn", [](Attempt& a) {
    Graph g;
    Node n(a);
    a.run([&] { return haft_tensor_grad_fn(g.y, &n); });
  });
  add_counting<Node>(
      all, "node",
      [](Node& n) {
        Graph g;
        must(haft_tensor_grad_fn(g.y, &n));
      },
      haft_node_retain, haft_node_release);
  add("haft_node_get_id", [](Attempt& a) {
    ExpNode n;
    int64_t id = 0;
    a.run([&] { return haft_node_get_id(n, &id); });
  });
  add("haft_node_get_name", [](Attempt& a) {
    ExpNode n;
    char text[32];
    a.run([&] { return haft_node_get_name(n, text, sizeof text, nullptr); });
  });
  add("haft_node_get_next_count", [](Attempt& a) {
    ExpNode n;
    int64_t count = 0;
    a.run([&] { return haft_node_get_next_count(n, &count); });
  });
  add("haft_node_next", [](Attempt& a) {
    ExpNode n;
    Node next(a);
    a.run([&] { return haft_node_next(n, 0, &next, nullptr); });
  });
  add("haft_node_variable", [](Attempt& a) {
    ExpNode n;
    Node leaf;
    must(haft_node_next(n, 0, &leaf, nullptr));
    Tensor x(a);
    a.run([&] { return haft_node_variable(leaf, &x); });
  });
  add("haft_autograd_graph_to_text", [](Attempt& a) {
    Graph g;
    char text[1024];
    a.run([&] { return haft_autograd_graph_to_text(g.y, HAFT_GRAPH_JSON, text, sizeof text, nullptr); });
  });
  add("haft_function_apply", [](Attempt& a) {
    Filled x, seed;
    must(haft_tensor_set_requires_grad(x, 1));
    User user;
    {
      haft_tensor* ins[] = {x};
      Tensor out(a);
      a.may_fail_in_callbacks();
      a.run([&] {
        return haft_function_apply("Square", square_forward, square_backward, &user, User::destroy, ins, 1,
                                   &out, 1);
      });
      if (a.ok()) must(haft_tensor_backward(out, seed, 0));
    }
    user.expect(a, 1);
  });
  add("haft_function_save", [](Attempt& a) {
    run_inside(a, false, [](haft_function_context* c, haft_tensor* t, Attempt& a) {
      return a.run([&] { return haft_function_save(c, t); });
    });
  });
  add("haft_function_needs_grad", [](Attempt& a) {
    run_inside(a, false, [](haft_function_context* c, haft_tensor*, Attempt& a) {
      int32_t yes = 0;
      return a.run([&] { return haft_function_needs_grad(c, 0, &yes); });
    });
  });
  add("haft_function_saved", [](Attempt& a) {
    run_inside(a, true, [](haft_function_context* c, haft_tensor*, Attempt& a) {
      Tensor t(a);
      return a.run([&] { return haft_function_saved(c, 0, &t); });
    });
  });
  add_transforms(all);
  add("haft_autograd_checkpoint", [](Attempt& a) {
    Filled x;
    must(haft_tensor_set_requires_grad(x, 1));
    User user;
    {
      haft_tensor* ins[] = {x};
      Tensor y(a);
      int64_t count = 0;
      a.may_fail_in_callbacks();
      a.run(
          [&] { return haft_autograd_checkpoint(squares, &user, User::destroy, 1, ins, 1, &y, 1, &count); });
      if (a.ok()) must(haft_tensor_backward(y, nullptr, 0));
    }
    user.expect(a, 1);
  });
  add("haft_fused_create", [](Attempt& a) {
    User user;
    {
      Fused f(a);
      a.run([&] { return haft_fused_create("f", squares, &user, User::destroy, &f); });
    }
    user.expect(a, 1);
  });
  // The first call of a signature, which traces and compiles.
  add("haft_fused_call", [](Attempt& a) {
    Fused f;
    must(haft_fused_create(
        "f",
        [](haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void*) {
          return *count = 1, haft_square(in[0], out);
        },
        nullptr, nullptr, &f));
    Filled host;
    Tensor x, y(a);
    must(haft_to(host, HAFT_DTYPE_NONE, sim_device(), 0, &x));
    must(haft_tensor_set_requires_grad(x, 1));
    haft_tensor* ins[] = {x};
    int64_t count = 0;
    a.may_fail_in_callbacks();
    a.run([&] { return haft_fused_call(f, ins, 1, &y, 1, &count); });
    must(haft_device_synchronize(sim_device()));
  });
  add("haft_module_as_function", [](Attempt& a) {
    Linear m;
    Filled x;
    haft_tensor* ins[] = {x};
    Tensor y(a);
    int64_t count = 0;
    a.run([&] { return haft_module_as_function(ins, 1, &y, &count, m.h); });
  });
  static const int64_t planes[] = {2, 2, 6, 6, 6}, two = 2;
  for (const int64_t n : {2, 3})
    add(n == 2 ? "haft_fractional_max_pool2d" : "haft_fractional_max_pool3d", [n](Attempt& a) {
      const int64_t rows[] = {2, 2, n};
      Tensor x, samples, values(a), at(a);
      must(haft_ones(planes, n + 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &x));
      must(haft_full(rows, 3, haft_scalar_float(0.5), HAFT_FLOAT32, HAFT_DEVICE_CPU, &samples));
      a.run([&] {
        return (n == 2 ? haft_fractional_max_pool2d : haft_fractional_max_pool3d)(x, samples, &two, 1, &two,
                                                                                  1, &values, &at);
      });
    });
  add("haft_autograd_gradcheck", [](Attempt& a) {
    Tensor x;
    must(haft_full(k4x20, 1, haft_scalar_float(0.5), HAFT_FLOAT64, HAFT_DEVICE_CPU, &x));
    must(haft_tensor_set_requires_grad(x, 1));
    std::vector<char> before = bytes_of(x);
    haft_tensor* ins[] = {x};
    a.may_fail_in_callbacks();
    a.run([&] {
      return haft_autograd_gradcheck(
          [](haft_tensor* const* in, int64_t, haft_tensor** out, void*) { return haft_exp(in[0], out); },
          nullptr, ins, 1, 1);
    });
    EXPECT_EQ(bytes_of(x), before) << "haft_autograd_gradcheck leaves a moved value behind";
  });
}

}  // namespace

const Cases& cases() {
  static const Cases all = [] {
    Cases v;
    add_runtime(v);
    add_tensors(v);
    add_autograd(v);
    add_data(v);
    add_io(v);
    add_optim(v);
    add_nn(v);
    add_sessions(v);
    add_groups(v);
    add_parallel(v);
    add_model_parallel(v);
    add_data_parallel(v);
    add_amp(v);
    add_rows(v);
    add_fully_sharded(v);
    add_rpc(v);
    add_stores(v);
    return v;
  }();
  return all;
}

}  // namespace oom
