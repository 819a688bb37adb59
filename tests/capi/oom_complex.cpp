// Functions that take complex tensors alone, under failing allocations.
#include "oom_cases.h"

namespace oom {

namespace {

// Complex numbers (3, 5): the halves of a real signal's spectra of 4 samples.
struct Spectra : Tensor {
  Spectra() {
    const int64_t sizes[] = {3, 5};
    Tensor part;
    must(haft_full(sizes, 2, haft_scalar_float(0.5), HAFT_FLOAT32, HAFT_DEVICE_CPU, &part));
    must(haft_complex(part, part, &h));
  }
};

}  // namespace

void add_complex(Cases& all) {
  auto one = [&](const char* name, haft_status (*f)(const haft_tensor*, haft_tensor**)) {
    all.push_back({name, [f](Attempt& a) {
                     Spectra x;
                     Tensor y(a);
                     a.run([&] { return f(x, &y); });
                   }});
  };
  one("haft_view_as_real", haft_view_as_real);
  one("haft_imag", haft_imag);
  one("haft_istft", [](const haft_tensor* x, haft_tensor** y) {
    return haft_istft(x, 4, 2, HAFT_NONE, nullptr, 1, 0, 1, HAFT_NONE, 0, y);
  });
}

}  // namespace oom
