// What is built on process groups, under failing allocations: of one rank.
#include "oom_cases.h"

namespace oom {
namespace {

constexpr int64_t kShape[] = {1, 1};
constexpr const char* kNames[] = {"dp", "tp"};
// Over the ranks of a group, with something to gather.
struct Spread : Optimizer {
  Alone group;
  Parameter p;
  explicit Spread(int stage = 1) {
    haft_tensor* ps[] = {p};
    must(haft_adam_create(ps, 1, nullptr, &h));
    if (stage == 2) must(haft_optimizer_zero_grad(h, 1));
    haft_shard_options o = HAFT_SHARD_OPTIONS_INIT;
    o.stage = stage;
    must(haft_optimizer_shard(h, group, &o));
    if (stage == 1) must(haft_optimizer_step(h));
  }
};
struct Grid : Mesh {
  Alone group;
  Grid() { must(haft_device_mesh_create(group, kShape, kNames, 2, &h)); }
};

}  // namespace

void add_parallel(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  // f(group, tensor, place of the result); recorded, too
  auto call = [&](const char* name, auto f) {
    add(name, [f](Attempt& a) {
      Alone g;
      Filled x;
      must(haft_tensor_set_requires_grad(x, 1));
      Tensor y(a);
      a.run([&] { return f(g.h, x.h, &y); });
    });
  };
#define CALL(name, ...)                                                                     \
  call("haft_parallel_" #name, [](haft_process_group* g, haft_tensor* x, haft_tensor** y) { \
    return haft_parallel_##name(g, x, __VA_ARGS__);                                         \
  })
  CALL(all_reduce, HAFT_REDUCE_OP_SUM, y);
  CALL(broadcast, 0, y);
  CALL(reduce, 0, HAFT_REDUCE_OP_AVG, y);
  CALL(all_gather, 0, nullptr, 0, y);
  CALL(reduce_scatter, 1, HAFT_REDUCE_OP_SUM, nullptr, 0, y);
  CALL(all_to_all_single, nullptr, nullptr, 0, y);
  CALL(copy_to, y);
  CALL(reduce_from, y);
  CALL(split_to, 1, y);
  CALL(gather_from, 1, nullptr, 0, y);
  CALL(sync_batch_norm, nullptr, nullptr, nullptr, nullptr, 0.1, 1e-5, y);
#undef CALL
  add("haft_parallel_cross_entropy", [](Attempt& a) {
    Alone g;
    Filled x;
    Tensor target, loss(a);
    must(haft_full(k4x20, 1, haft_scalar_int(3), HAFT_INT64, HAFT_DEVICE_CPU, &target));
    a.run([&] { return haft_parallel_cross_entropy(g, x, target, 20, nullptr, &loss); });
  });
  add("haft_module_convert_sync_batchnorm", [](Attempt& a) {
    Alone g;
    Module norm, sync(a);
    haft_batch_norm2d_options o = HAFT_BATCH_NORM2D_OPTIONS_INIT;
    o.num_features = 3;
    must(haft_batch_norm2d_create(&o, &norm));
    a.run([&] { return haft_module_convert_sync_batchnorm(norm, g, &sync); });
  });
  add("haft_module_sum_gradients", [](Attempt& a) {
    Alone g;
    Linear m;
    a.run([&] { return haft_module_sum_gradients(m, g); });
  });
  add("haft_parallel_join_gradients", [](Attempt& a) {
    Alone g;
    Parameter p;
    haft_tensor* list[] = {p};
    a.run([&] { return haft_parallel_join_gradients(g, list, 1, HAFT_REDUCE_OP_AVG); });
  });
  add("haft_parallel_clip_grad_norm", [](Attempt& a) {
    Alone g;
    Parameter p;
    haft_tensor* list[] = {p};
    double norm = 0;
    a.run([&] { return haft_parallel_clip_grad_norm(g, list, nullptr, 1, 1, 2, &norm); });
  });
  add("haft_optimizer_shard", [](Attempt& a) {
    Alone g;
    Parameter p;
    Adam o(p);
    must(haft_optimizer_step(o));
    a.run([&] { return haft_optimizer_shard(o, g, nullptr); });
  });
  add("haft_optimizer_consolidate", [](Attempt& a) {
    Spread o;
    a.run([&] { return haft_optimizer_consolidate(o, -1); });
  });
  add("haft_optimizer_clip_grad_norm", [](Attempt& a) {
    Spread o;
    double norm = 0;
    a.run([&] { return haft_optimizer_clip_grad_norm(o, 1, 2, &norm); });
  });
  add("haft_optimizer_get_shard_info", [](Attempt& a) {
    Spread o;
    haft_shard_info i = HAFT_SHARD_INFO_INIT;
    a.run([&] { return haft_optimizer_get_shard_info(o, &i); });
  });
  const auto checkpoint = [] {
    const std::string folder = in_folder("sharded");
    Filled x;
    Parameter p;
    Adam o(p);
    must(haft_optimizer_step(o));
    haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
    parts.optimizer = o;
    haft_checkpoint_piece piece = HAFT_CHECKPOINT_PIECE_INIT;
    piece.name = "a tensor with a name that is not short";
    piece.tensor = x;
    haft_key_value v = HAFT_KEY_VALUE_INIT;
    v.key = "epoch";
    v.text = "a text that is long enough to want memory of its own";
    must(haft_sharded_checkpoint_save(nullptr, folder.c_str(), &piece, 1, &parts, &v, 1, nullptr));
    return folder;
  };
  add("haft_sharded_checkpoint_save", [](Attempt& a) {
    Alone g;
    Spread o;
    Filled x;
    const std::string folder = in_folder("sharded new");
    haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
    parts.optimizer = o;
    haft_checkpoint_piece piece = HAFT_CHECKPOINT_PIECE_INIT;
    piece.name = "a tensor with a name that is not short";
    piece.tensor = x;
    a.run([&] {
      return haft_sharded_checkpoint_save(g, folder.c_str(), &piece, 1, &parts, nullptr, 0, nullptr);
    });
    EXPECT_EQ(std::filesystem::exists(folder + "/checkpoint.json"), a.ok());
    std::filesystem::remove_all(folder);
  });
  add("haft_sharded_checkpoint_open", [=](Attempt& a) {
    const std::string folder = checkpoint();
    haft_sharded_checkpoint* c = nullptr;
    a.run([&] { return haft_sharded_checkpoint_open(folder.c_str(), &c); });
    haft_sharded_checkpoint_release(c);
  });
  struct Open {
    haft_sharded_checkpoint* h = nullptr;
    ~Open() { haft_sharded_checkpoint_release(h); }
  };
  const auto open = [=](Open& c) { must(haft_sharded_checkpoint_open(checkpoint().c_str(), &c.h)); };
  add_counting<Open>(all, "sharded_checkpoint", open, haft_sharded_checkpoint_retain,
                     haft_sharded_checkpoint_release);
  const auto ask = [&](const char* name, auto f) {
    add(name, [=](Attempt& a) {
      Open c;
      open(c);
      a.run([&] { return f(c.h); });
    });
  };
  ask("haft_sharded_checkpoint_get_count", [](auto* c) {
    int64_t n = 0;
    return haft_sharded_checkpoint_get_count(c, &n);
  });
  ask("haft_sharded_checkpoint_get_tensor_info", [](auto* c) {
    haft_sharded_tensor_info i = HAFT_SHARDED_TENSOR_INFO_INIT;
    return haft_sharded_checkpoint_get_tensor_info(c, 0, &i);
  });
  ask("haft_sharded_checkpoint_tensor", [](auto* c) {
    Tensor t;
    return haft_sharded_checkpoint_tensor(c, "a tensor with a name that is not short", &t);
  });
  add("haft_sharded_checkpoint_load", [=](Attempt& a) {
    Open c;
    open(c);
    Filled x;
    Spread o;
    haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
    parts.optimizer = o;
    haft_checkpoint_piece piece = HAFT_CHECKPOINT_PIECE_INIT;
    piece.name = "a tensor with a name that is not short";
    piece.tensor = x;
    a.run([&] { return haft_sharded_checkpoint_load(c.h, &piece, 1, 1, &parts, 0); });
  });
  ask("haft_sharded_checkpoint_get_value_count", [](auto* c) {
    int64_t n = 0;
    return haft_sharded_checkpoint_get_value_count(c, &n);
  });
  ask("haft_sharded_checkpoint_get_value", [](auto* c) {
    haft_key_value v;
    return haft_sharded_checkpoint_get_value(c, 0, &v);
  });
  ask("haft_sharded_checkpoint_find_value", [](auto* c) {
    haft_key_value v;
    return haft_sharded_checkpoint_find_value(c, "epoch", &v);
  });
  add("haft_sharded_checkpoint_to_file", [=](Attempt& a) {
    Open c;
    open(c);
    const std::string path = in_folder("whole.safetensors");
    a.run([&] { return haft_sharded_checkpoint_to_file(c.h, path.c_str()); });
  });
  add("haft_parallel_sum_values", [](Attempt& a) {
    Alone g;
    double values[] = {1, 2};
    a.run([&] { return haft_parallel_sum_values(g, values, 2); });
  });
  add("haft_parallel_log_rank", [](Attempt& a) {
    Alone g;
    a.run([&] { return haft_parallel_log_rank(g, 0); });
  });
#define LAYER(name, make)                                               \
  add("haft_" #name "_create", [](Attempt& a) {                         \
    Alone g;                                                            \
    Module dense, m(a);                                                 \
    make;                                                               \
    a.run([&] { return haft_##name##_create(g, dense, nullptr, &m); }); \
  })
  LAYER(column_parallel_linear, must(create_linear(20, 6, &dense)));
  LAYER(row_parallel_linear, must(create_linear(20, 6, &dense)));
  LAYER(vocab_parallel_embedding, {
    haft_embedding_options o = HAFT_EMBEDDING_OPTIONS_INIT;
    o.num_embeddings = 5;
    o.embedding_dim = 3;
    must(haft_embedding_create(&o, &dense));
  });
#undef LAYER
  add("haft_device_mesh_create", [](Attempt& a) {
    Alone g;
    Mesh m(a);
    a.run([&] { return haft_device_mesh_create(g, kShape, kNames, 2, &m); });
  });
  add_counting<Mesh>(
      all, "device_mesh",
      [](Mesh& m) {
        Grid made;
        m.h = std::exchange(made.h, nullptr);
      },
      haft_device_mesh_retain, haft_device_mesh_release);
  add("haft_device_mesh_get_dim_count", [](Attempt& a) {
    Grid m;
    int64_t n = 0;
    a.run([&] { return haft_device_mesh_get_dim_count(m, &n); });
  });
  add("haft_device_mesh_get_dim", [](Attempt& a) {
    Grid m;
    int64_t n = 0, at = 0;
    a.run([&] { return haft_device_mesh_get_dim(m, 1, &n, &at); });
  });
  add("haft_device_mesh_get_dim_name", [](Attempt& a) {
    Grid m;
    int64_t needed = 0;
    a.run([&] { return haft_device_mesh_get_dim_name(m, 0, nullptr, 0, &needed); });
  });
  add("haft_device_mesh_get_dim_of_name", [](Attempt& a) {
    Grid m;
    int64_t dim = 0;
    a.run([&] { return haft_device_mesh_get_dim_of_name(m, "tp", &dim); });
  });
  add("haft_device_mesh_group", [](Attempt& a) {
    Grid m;
    Group g(a);
    a.run([&] { return haft_device_mesh_group(m, 0, &g); });
  });
  add("haft_device_mesh_slice", [](Attempt& a) {
    Grid m;
    Mesh part(a);
    const int64_t dims[] = {1};
    a.run([&] { return haft_device_mesh_slice(m, dims, 1, &part); });
  });
}

}  // namespace oom
