// Functions of functions under failing allocations.
#include "oom_cases.h"

namespace oom {

void add_transforms(Cases& all) {
  auto add = [&](const char* name, Case c) { all.push_back({name, std::move(c)}); };
  add("haft_autograd_vjp", [](Attempt& a) {
    Filled x;
    haft_tensor* ins[] = {x};
    Tensor y(a), product(a);
    int64_t count = 0;
    a.may_fail_in_callbacks();
    a.run(
        [&] { return haft_autograd_vjp(squares, nullptr, ins, 1, nullptr, 0, 0, &y, 1, &count, &product); });
  });
  add("haft_autograd_jvp", [](Attempt& a) {
    Filled x, v;
    haft_tensor *ins[] = {x}, *vectors[] = {v};
    Tensor y(a), product(a);
    int64_t count = 0;
    a.may_fail_in_callbacks();
    a.run(
        [&] { return haft_autograd_jvp(squares, nullptr, ins, 1, vectors, 1, 0, &y, 1, &count, &product); });
  });
  add("haft_autograd_jacobian", [](Attempt& a) {
    Filled x;
    haft_tensor* ins[] = {x};
    Tensor j(a);
    int64_t count = 0;
    a.may_fail_in_callbacks();
    a.run([&] { return haft_autograd_jacobian(squares, nullptr, ins, 1, 0, &j, 1, &count); });
  });
  add("haft_autograd_jacobian_by_chunks", [](Attempt& a) {
    Filled x;
    haft_tensor* ins[] = {x};
    Tensor j(a);
    int64_t count = 0;
    a.may_fail_in_callbacks();
    a.run([&] { return haft_autograd_jacobian_by_chunks(squares, nullptr, ins, 1, 0, 2, &j, 1, &count); });
  });
  add("haft_autograd_vmap", [](Attempt& a) {
    Filled x;
    haft_tensor* ins[] = {x};
    Tensor y(a);
    int64_t count = 0;
    a.may_fail_in_callbacks();
    a.run([&] { return haft_autograd_vmap(squares, nullptr, ins, 1, nullptr, &y, 1, &count); });
  });
  add("haft_autograd_hessian", [](Attempt& a) {
    constexpr int64_t size[] = {1, 3};
    Filled x(0.5, size);
    haft_tensor* ins[] = {x};
    Tensor h(a);
    a.may_fail_in_callbacks();
    a.run([&] { return haft_autograd_hessian(squares, nullptr, ins, 1, 0, &h); });
  });
  add("haft_autograd_hvp", [](Attempt& a) {
    Filled x, v;
    haft_tensor *ins[] = {x}, *vectors[] = {v};
    Tensor y(a), product(a);
    a.may_fail_in_callbacks();
    a.run([&] { return haft_autograd_hvp(squares, nullptr, ins, 1, vectors, 1, 0, &y, &product); });
  });
}

}  // namespace oom
