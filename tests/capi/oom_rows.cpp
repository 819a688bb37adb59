// Gradients of rows and averages of weights under failing allocations.
#include "oom_cases.h"

namespace oom {
namespace {

struct Indices : Tensor {
  Indices() {
    const int64_t at[] = {3, 1, 3, 0}, size[] = {4};
    must(haft_tensor_from_data(at, size, 1, HAFT_INT64, HAFT_DEVICE_CPU, &h));
  }
};
// Of 6 rows of 20.
struct RowsOf : Tensor {
  RowsOf() {
    Indices at;
    Filled values;
    must(haft_tensor_from_rows(at, values, 6, &h));
  }
};
struct Averaged : Module {
  Averaged() {
    Linear own;
    must(haft_averaged_model_create(own, -1, 0, &h));
  }
};

}  // namespace

void add_rows(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_tensor_from_rows", [](Attempt& a) {
    Indices at;
    Filled values;
    Tensor t(a);
    a.run([&] { return haft_tensor_from_rows(at, values, 6, &t); });
  });
  add("haft_tensor_sparse_indices", [](Attempt& a) {
    RowsOf g;
    Tensor t(a);
    a.run([&] { return haft_tensor_sparse_indices(g, &t); });
  });
  add("haft_tensor_sparse_values", [](Attempt& a) {
    RowsOf g;
    Tensor t(a);
    a.run([&] { return haft_tensor_sparse_values(g, &t); });
  });
  add("haft_tensor_is_coalesced", [](Attempt& a) {
    RowsOf g;
    int32_t yes = 0;
    a.run([&] { return haft_tensor_is_coalesced(g, &yes); });
  });
  add("haft_tensor_coalesce", [](Attempt& a) {
    RowsOf g;
    Tensor t(a);
    a.run([&] { return haft_tensor_coalesce(g, &t); });
  });
  add("haft_tensor_to_dense", [](Attempt& a) {
    RowsOf g;
    Tensor t(a);
    a.run([&] { return haft_tensor_to_dense(g, &t); });
  });
  add("haft_sparse_adam_create", [](Attempt& a) {
    Filled p(0.5, k6x20);
    must(haft_tensor_set_requires_grad(p, 1));
    Optimizer o(a);
    a.run([&] { return haft_sparse_adam_create(&p.h, 1, nullptr, &o); });
    if (!a.ok()) return;
    RowsOf g;
    must(haft_tensor_set_grad(p, g));
    must(haft_optimizer_step(o));
  });
  add("haft_averaged_model_create", [](Attempt& a) {
    Linear own;
    Module m(a);
    a.run([&] { return haft_averaged_model_create(own, -1, 0, &m); });
  });
  add("haft_averaged_model_update", [](Attempt& a) {
    Averaged average;
    Linear model;
    a.run([&] { return haft_averaged_model_update(average, model, nullptr, nullptr); });
  });
  add("haft_average_tensors", [](Attempt& a) {
    Filled average, value(2);
    haft_tensor *to[] = {average}, *from[] = {value};
    a.run([&] { return haft_average_tensors(to, from, 1, 0.5, 3); });
  });
  add("haft_update_bn", [](Attempt& a) {
    haft_batch_norm1d_options o = HAFT_BATCH_NORM1D_OPTIONS_INIT;
    o.num_features = 20;
    Module m;
    must(haft_batch_norm1d_create(&o, &m));
    struct Source {
      Filled x;
      int left = 2;
    } source;
    a.may_fail_in_callbacks();
    a.run([&] {
      source.left = 2;
      return haft_update_bn(
          m,
          [](haft_tensor** batch, void* user) {
            auto* s = static_cast<Source*>(user);
            return s->left-- ? haft_clone(s->x, batch) : HAFT_OK;
          },
          &source);
    });
  });
}

}  // namespace oom
