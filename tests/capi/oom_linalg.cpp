// Matrices that can be decomposed, and what fits to them, under failing allocations.
#include "oom_cases.h"

namespace oom {

namespace {

// Positive definite, with its factors and a right side.
struct System {
  Tensor a, b, lu, pivots, right, tau;  // the first column of b, and its first row
  System() {
    const float numbers[] = {4, 1, 0, 1, 5, 2, 0, 2, 6}, others[] = {1, 2, 3, 4, 5, 6};
    const int64_t square[] = {3, 3}, tall[] = {3, 2};
    must(haft_tensor_from_data(numbers, square, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &a));
    must(haft_tensor_from_data(others, tall, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, &b));
    must(haft_linalg_lu_factor(a, &lu, &pivots));
    must(haft_select(b, 1, 0, &right));
    must(haft_select(b, 0, 0, &tau));
  }
};
using One = haft_status (*)(System&, haft_tensor**);
using Two = haft_status (*)(System&, haft_tensor**, haft_tensor**);

}  // namespace

void add_linalg(Cases& all) {
  auto one = [&](const char* name, One f) {
    all.push_back({name, [f](Attempt& a) {
                     System s;
                     Tensor y(a);
                     a.run([&] { return f(s, &y); });
                   }});
  };
  auto two = [&](const char* name, Two f) {
    all.push_back({name, [f](Attempt& a) {
                     System s;
                     Tensor x(a), y(a);
                     a.run([&] { return f(s, &x, &y); });
                   }});
  };
  one("haft_linalg_cholesky", [](System& s, haft_tensor** y) { return haft_linalg_cholesky(s.a, 0, y); });
  one("haft_cholesky_solve", [](System& s, haft_tensor** y) { return haft_cholesky_solve(s.b, s.a, 0, y); });
  one("haft_linalg_inv", [](System& s, haft_tensor** y) { return haft_linalg_inv(s.a, y); });
  one("haft_linalg_solve", [](System& s, haft_tensor** y) { return haft_linalg_solve(s.a, s.b, 1, y); });
  one("haft_linalg_solve_triangular",
      [](System& s, haft_tensor** y) { return haft_linalg_solve_triangular(s.a, s.b, 1, 1, 0, y); });
  one("haft_linalg_lu_solve",
      [](System& s, haft_tensor** y) { return haft_linalg_lu_solve(s.lu, s.pivots, s.b, 1, 0, y); });
  one("haft_linalg_tensorinv", [](System& s, haft_tensor** y) { return haft_linalg_tensorinv(s.a, 1, y); });
  one("haft_linalg_tensorsolve",
      [](System& s, haft_tensor** y) { return haft_linalg_tensorsolve(s.a, s.right, nullptr, 0, y); });
  one("haft_linalg_householder_product",
      [](System& s, haft_tensor** y) { return haft_linalg_householder_product(s.b, s.tau, y); });
  two("haft_linalg_lu_factor",
      [](System& s, haft_tensor** x, haft_tensor** y) { return haft_linalg_lu_factor(s.a, x, y); });
  two("haft_linalg_solve_ex",
      [](System& s, haft_tensor** x, haft_tensor** y) { return haft_linalg_solve_ex(s.a, s.b, 1, 0, x, y); });
  all.push_back({"haft_lu_unpack", [](Attempt& a) {
                   System s;
                   Tensor p(a), l(a), u(a);
                   a.run([&] { return haft_lu_unpack(s.lu, s.pivots, 1, 1, &p, &l, &u); });
                 }});
  all.push_back(
      {"haft_linalg_lstsq", [](Attempt& a) {
         System s;
         Tensor x(a), left(a), rank(a), values(a);
         a.run([&] { return haft_linalg_lstsq(s.a, s.b, haft_scalar_none(), 2, &x, &left, &rank, &values); });
       }});
}

}  // namespace oom
