// What the cases written by hand share: small objects that are ready to be used, and callbacks with their data.
#pragma once
#include <haft/api_table.h>
#include <haft/haft.hpp>

#include <filesystem>
#include <fstream>
#include <utility>

#include <haft/haft.hpp>

#include "oom.h"

namespace oom {

using Cases = std::vector<std::pair<std::string, Case>>;
void add_data(Cases&);
void add_io(Cases&);
void add_optim(Cases&);
void add_nn(Cases&);
void add_sessions(Cases&);
void add_stores(Cases&);
void add_groups(Cases&);
void add_parallel(Cases&);
void add_model_parallel(Cases&);
void add_data_parallel(Cases&);
void add_fully_sharded(Cases&);
void add_rpc(Cases&);
void add_amp(Cases&);
void add_rows(Cases&);
void add_sequences(Cases&);
void add_linalg(Cases&);
void add_complex(Cases&);
void add_transforms(Cases&);
void add_pictures(Cases&);

constexpr int64_t k4x20[] = {4, 20}, k6x20[] = {6, 20};

inline haft_tensor* filled(const int64_t* size, double value) {
  haft_tensor* t = nullptr;
  must(haft_full(size, 2, haft_scalar_float(value), HAFT_FLOAT32, HAFT_DEVICE_CPU, &t));
  return t;
}
struct Filled : Tensor {
  explicit Filled(double value = 0.5, const int64_t* size = k4x20) { h = filled(size, value); }
};
// A parameter with a gradient.
struct Parameter : Filled {
  Parameter() {
    must(haft_tensor_set_requires_grad(h, 1));
    Filled g(0.25);
    must(haft_tensor_set_grad(h, g));
  }
};
struct Linear : Module {
  Linear() { must(create_linear(20, 6, &h)); }
};
struct Adam : Optimizer {
  explicit Adam(haft_tensor* p) { must(haft_adam_create(&p, 1, nullptr, &h)); }
};
// A graph of one operator over a leaf.
struct Graph {
  Filled x, seed;
  Tensor y;
  Graph() {
    must(haft_tensor_set_requires_grad(x, 1));
    must(haft_exp(x, &y));
  }
};

// A node of a graph whose tensors live.
struct ExpNode : Node {
  Graph graph;
  ExpNode() { must(haft_tensor_grad_fn(graph.y, &h)); }
};

inline std::string in_folder(const char* name) { return folder() + "/" + name; }
inline std::string weights_file() {
  static const std::string path = [] {
    std::string p = in_folder("weights.safetensors");
    Filled w(1, k6x20);
    const char* names[] = {"weight"};
    haft_tensor* ts[] = {w};
    must(haft_weights_save(names, ts, 1, p.c_str()));
    return p;
  }();
  return path;
}
inline std::string idx_file(const char* name, std::vector<unsigned char> sizes, int count) {
  std::string path = in_folder(name);
  std::ofstream f(path, std::ios::binary);
  const char head[] = {0, 0, 8, char(sizes.size())};
  f.write(head, 4);
  for (unsigned char s : sizes) {
    const char n[] = {0, 0, 0, char(s)};
    f.write(n, 4);
  }
  for (int i = 0; i < count; ++i) f.put(char(i));
  return path;
}
struct TrainingRun {
  Linear net;
  Optimizer optimizer;
  haft_checkpoint_parts parts = HAFT_CHECKPOINT_PARTS_INIT;
  TrainingRun() {
    haft_tensor* ps[2];
    int64_t n = 0;
    must(haft_module_parameters(net, ps, 2, &n));
    must(haft_sgd_create(ps, n, nullptr, &optimizer));
    haft_tensor_release_many(ps, n);
    parts.module = net;
    parts.optimizer = optimizer;
  }
};
inline haft_key_value best() { return haft::io::value("best", 0.5); }
inline std::string checkpoint_file() {
  static const std::string path = [] {
    std::string p = in_folder("run.ckpt");
    TrainingRun run;
    const haft_key_value values[] = {best(), haft::io::value("name", "first")};
    must(haft_checkpoint_save(p.c_str(), &run.parts, values, 2));
    return p;
  }();
  return path;
}
struct Values : Checkpoint {
  Values() {
    haft_checkpoint_parts none = HAFT_CHECKPOINT_PARTS_INIT;
    must(haft_checkpoint_load(checkpoint_file().c_str(), &none, &h));
  }
};
struct OpenWriter : Writer {
  OpenWriter() { must(haft_writer_create(in_folder("events").c_str(), &h)); }
  ~OpenWriter() {
    Release();
    std::filesystem::remove_all(in_folder("events"));
  }
  void Release() {
    haft_writer_release(h);
    h = nullptr;
  }
};
struct Rows : Dataset {
  Rows() {
    Filled x;
    haft_tensor* ts[] = {x};
    must(haft_tensor_dataset_create(ts, 1, &h));
  }
};
struct Batches : Loader {
  Batches() {
    Rows rows;
    haft_loader_options o = HAFT_LOADER_OPTIONS_INIT;
    o.batch_size = 2;
    o.seed = 1;
    must(haft_loader_create(rows, &o, &h));
  }
};

// A callback's data, and how often it was let go of. A failed call must leave it to the caller.
struct User {
  int destroyed = 0;
  static void destroy(void* p) { ++static_cast<User*>(p)->destroyed; }
  void expect(const Attempt& a, int when_taken) const {
    EXPECT_EQ(destroyed, a.ok() ? when_taken : 0)
        << "destroy of a callback that was " << (a.ok() ? "" : "not ") << "taken";
  }
};

inline haft_status grad_hook(haft_tensor*, haft_tensor**, void*) { return HAFT_OK; }
inline haft_status pack_hook(haft_tensor*, void**, void*) { return HAFT_OK; }
inline haft_status unpack_hook(void*, haft_tensor**, void*) { return HAFT_OK; }
inline haft_status forward_hook(haft_module*, haft_tensor* const*, int64_t, haft_tensor* const*, int64_t,
                                haft_tensor**, void*) {
  return HAFT_OK;
}
inline haft_status pre_hook(haft_module*, haft_tensor* const*, int64_t, haft_tensor**, void*) {
  return HAFT_OK;
}
inline haft_status square_forward(haft_function_context* c, haft_tensor* const* in, int64_t,
                                  haft_tensor** out, int64_t, void*) {
  haft_status s = haft_function_save(c, in[0]);
  return s == HAFT_OK ? haft_square(in[0], out) : s;
}
inline haft_status square_backward(haft_function_context* c, haft_tensor* const* g, int64_t, haft_tensor** r,
                                   int64_t, void*) {
  Tensor x;
  haft_status s = haft_function_saved(c, 0, &x);
  return s == HAFT_OK ? haft_mul(g[0], x, r) : s;
}

// A haft_tensors_function: the sum of squares.
inline haft_status squares(haft_tensor* const* in, int64_t, haft_tensor** out, int64_t* count, void*) {
  Tensor y;
  haft_status s = haft_square(in[0], &y);
  if (s == HAFT_OK) s = haft_sum(y, nullptr, 0, 0, HAFT_DTYPE_NONE, &out[0]);
  if (s == HAFT_OK) *count = 1;
  return s;
}

// A group of one rank, where nobody else can be told of a failure.
struct Alone : Group {
  Alone() {
    Store s;
    must(haft_hash_store_create(&s));
    must(haft_process_group_create(s, 0, 1, nullptr, &h));
    Filled x;  // the recorder's memory
    must(haft_process_group_all_reduce(h, x, HAFT_REDUCE_OP_SUM, nullptr));
  }
};

template <class H, class Make, class Retain, class Release>
void add_counting(Cases& all, const char* type, Make make, Retain retain, Release release) {
  std::string name = std::string("haft_") + type;
  all.push_back({name + "_retain", [=](Attempt& a) {
                   H h;
                   make(h);
                   if (a.run([&] { return retain(h.h); }) == HAFT_OK) release(h.h);
                 }});
  all.push_back({name + "_release", [=](Attempt& a) {
                   H h;
                   make(h);
                   a.run_void([&] { release(std::exchange(h.h, nullptr)); });
                 }});
}

}  // namespace oom
