// Records of complex numbers and Fourier transforms. What is complex is told as pairs, (*, 2).
#include <complex>
#include <numbers>

#include "core/schema/fourier.h"
#include "tests/ops/record.h"
#include "tests/ops/values.h"

namespace haft::test {

namespace {

using C = std::complex<double>;
constexpr DTypes kPairs = bit(DType::f32) | bit(DType::f64);

Tensor z(const Tensor& pairs) { return ops::view_as_complex(ops::contiguous_copy(pairs)); }
Tensor p(const Tensor& x) { return ops::view_as_real(x); }

struct Numbers {
  Sizes sizes;
  std::vector<C> v;
  size_t count(size_t dim) const { return size_t(sizes[dim]); }
};
Numbers numbers(const Array& a, bool pairs = true) {
  Numbers n{a.sizes, {}};
  if (pairs) n.sizes.pop_back();
  for (size_t i = 0; i < a.v.size(); i += pairs ? 2 : 1) n.v.emplace_back(a.v[i], pairs ? a.v[i + 1] : 0);
  return n;
}
Array array(const Numbers& n, bool pairs = true) {
  Sizes sizes = n.sizes;
  if (pairs) sizes.push_back(2);
  std::vector<double> v;
  for (C c : n.v) {
    v.push_back(c.real());
    if (pairs) v.push_back(c.imag());
  }
  return Array(sizes, v);
}
Reference each(C (*f)(C)) {
  return [f](const Arrays& in) -> Arrays {
    Numbers n = numbers(in[0]);
    for (C& c : n.v) c = f(c);
    return {array(n)};
  };
}
Reference each_real(double (*f)(C)) {
  return [f](const Arrays& in) -> Arrays {
    Numbers n = numbers(in[0]);
    for (C& c : n.v) c = f(c);
    return {array(n, false)};
  };
}
Reference same_numbers() {
  return [](const Arrays& in) -> Arrays { return {in[0]}; };
}

// By definition, along dim: n results from x cut or padded to `take`; sign -1 is the forward transform.
Numbers transformed(const Numbers& x, size_t dim, int64_t n, int sign, double scale) {
  Numbers y{x.sizes, {}};
  y.sizes[dim] = n;
  size_t outer = 1, inner = 1;
  for (size_t d = 0; d < dim; ++d) outer *= x.count(d);
  for (size_t d = dim + 1; d < x.sizes.size(); ++d) inner *= x.count(d);
  for (size_t o = 0; o < outer; ++o)
    for (int64_t k = 0; k < n; ++k)
      for (size_t i = 0; i < inner; ++i) {
        C s = 0;
        for (int64_t j = 0; j < std::min(n, x.sizes[dim]); ++j)
          s += x.v[(o * x.count(dim) + size_t(j)) * inner + i] *
               std::polar(1.0, sign * 2 * std::numbers::pi * double(j * k % n) / double(n));
        y.v.push_back(s * scale);
      }
  return y;
}
Numbers cut(const Numbers& x, size_t dim, int64_t n) {
  Numbers y{x.sizes, {}};
  y.sizes[dim] = n;
  each_index(y.sizes, [&](const Sizes& i) {
    size_t flat = 0;
    for (size_t d = 0; d < i.size(); ++d) flat = flat * x.count(d) + size_t(i[d]);
    y.v.push_back(i[dim] < x.sizes[dim] ? x.v[flat] : C(0));
  });
  return y;
}
// The conjugates that the first half along dim stands for, with what they rule out left out.
Numbers completed(Numbers x, size_t dim, int64_t n) {
  x = cut(x, dim, n / 2 + 1);
  Numbers y{x.sizes, {}};
  y.sizes[dim] = n;
  each_index(y.sizes, [&](Sizes i) {
    const int64_t k = i[dim], m = k <= n / 2 ? k : n - k;
    i[dim] = m;
    size_t flat = 0;
    for (size_t d = 0; d < i.size(); ++d) flat = flat * x.count(d) + size_t(i[d]);
    C c = x.v[flat];
    if (m == 0 || 2 * m == n) c = c.real();
    y.v.push_back(k <= n / 2 ? c : std::conj(c));
  });
  return y;
}
Numbers conjugated(Numbers x) {
  for (C& c : x.v) c = std::conj(c);
  return x;
}

void add_numbers(Records& r) {
  auto op = [&](const char* name) -> Record& { return r.op(name).on(kPairs, 0); };
  op("view_as_real")
      .add({real({3, 4, 2})}, CALL(p(z(t[0]))), same_numbers())
      .add({real({2})}, CALL(p(z(t[0]))), same_numbers())
      .bad({real({2})}, CALL(p(t[0])), Code::dtype, {"[view_as_real]", "float32"});
  op("view_as_complex")
      .add({real({3, 4, 2})}, CALL(p(z(t[0]))), same_numbers())
      .add({real({0, 2})}, CALL(p(z(t[0]))), same_numbers())
      .bad({real({3})}, CALL(ops::view_as_complex(t[0])), Code::shape, {"[view_as_complex]", "[3]"})
      .bad({real({2, 3})}, CALL(ops::view_as_complex(ops::transpose(t[0], 0, 1))), Code::shape,
           {"[view_as_complex]"})
      .bad({real({2})}, CALL(ops::view_as_complex(t[0])), Code::dtype, {"[view_as_complex]", "float16"},
           DType::f16);
  op("complex")
      .add({real({3, 4}), real({3, 4})}, CALL(p(ops::complex(t[0], t[1]))),
           [](const Arrays& in) -> Arrays {
             return {make_array({3, 4, 2}, [&](const Sizes& i) { return in[size_t(i[2])][{i[0], i[1]}]; })};
           })
      .add({real({3, 1}), real({4})}, CALL(p(ops::complex(t[0], t[1]))),
           [](const Arrays& in) -> Arrays {
             return {make_array({3, 4, 2}, [&](const Sizes& i) {
               return i[2] ? in[1][{i[1]}] : in[0][{i[0], 0}];
             })};
           })
      .bad({real({2})}, CALL(ops::complex(t[0], ops::cast(t[0], DType::f64))), Code::dtype,
           {"[complex]", "float64"})
      .bad({real({2})}, CALL(ops::complex(t[0], t[0])), Code::dtype, {"[complex]", "float16"}, DType::f16);
  const Input away = real({3, 4, 2}, 0.3, 2), row = real({4, 2}, 0.3, 2);
  auto combined = [](C (*f)(C, C)) -> Reference {
    return [f](const Arrays& in) -> Arrays {
      Numbers a = numbers(in[0]);
      const Numbers b = numbers(in[1]);
      for (size_t i = 0; i < a.v.size(); ++i) a.v[i] = f(a.v[i], b.v[i % b.v.size()]);
      return {array(a)};
    };
  };
  op("complex_product")
      .add({away, away}, CALL(ops::complex_product(t[0], t[1], false)),
           combined([](C a, C b) { return a * b; }))
      .add({away, row}, CALL(ops::complex_product(t[0], t[1], true)),
           combined([](C a, C b) { return a * std::conj(b); }))
      .bad({real({3}), real({3})}, CALL(ops::complex_product(t[0], t[1], false)), Code::shape,
           {"[complex_product]", "[3]"});
  op("complex_quotient")
      .add({away, away}, CALL(ops::complex_quotient(t[0], t[1], false)),
           combined([](C a, C b) { return a / b; }))
      .add({away, row}, CALL(ops::complex_quotient(t[0], t[1], true)),
           combined([](C a, C b) { return a / std::conj(b); }))
      .bad({away}, CALL(ops::complex_quotient(t[0], ops::cast(t[0], DType::f64), false)), Code::dtype,
           {"[complex_quotient]", "float64"});
  op("polar").add({real({3, 4}), real({3, 4})}, CALL(p(ops::polar(t[0], t[1]))),
                  [](const Arrays& in) -> Arrays {
                    Numbers n{in[0].sizes, {}};
                    for (size_t i = 0; i < in[0].v.size(); ++i)
                      n.v.emplace_back(in[0].v[i] * std::cos(in[1].v[i]), in[0].v[i] * std::sin(in[1].v[i]));
                    return {array(n)};
                  });
  op("real")
      .add({real({3})}, CALL(ops::real(t[0])), same_numbers())
      .add({real({3, 4, 2})}, CALL(ops::real(z(t[0]))), each_real([](C c) { return c.real(); }));
  op("imag")
      .add({real({3, 4, 2})}, CALL(ops::imag(z(t[0]))), each_real([](C c) { return c.imag(); }))
      .bad({real({2})}, CALL(ops::imag(t[0])), Code::dtype, {"[imag]", "float32"});
  op("conj")
      .add({real({3})}, CALL(ops::conj(t[0])), same_numbers())
      .add({real({3, 4, 2})}, CALL(p(ops::conj(z(t[0])))), each([](C c) { return std::conj(c); }));
  const Input wide = real({3, 4, 2}, 0.3, 2);
  op("angle")
      .add({wide}, CALL(ops::angle(z(t[0]))), each_real([](C c) { return std::arg(c); }))
      .add({real({3, 4}).nonzero(0.1)}, CALL(ops::angle(t[0])), [](const Arrays& in) -> Arrays {
        return {make_array(in[0].sizes, [&](const Sizes& i) { return in[0][i] < 0 ? std::numbers::pi : 0; })};
      });
  op("sgn")
      .add({real({3}).nonzero(0.1)}, CALL(ops::sgn(t[0])),
           [](const Arrays& in) -> Arrays {
             return {make_array({3}, [&](const Sizes& i) { return in[0][i] > 0 ? 1.0 : -1.0; })};
           })
      .add({wide}, CALL(p(ops::sgn(z(t[0])))), each([](C c) { return c / std::abs(c); }));
  r.op("isreal")
      .on(kAll)
      .gives({always_bool})
      .add({real({3})}, CALL(ops::isreal(t[0])), [](const Arrays&) -> Arrays { return {Array({3}, 1.0)}; });
  op("vdot")
      .add({real({5}), real({5})}, CALL(ops::vdot(t[0], t[1])),
           [](const Arrays& in) -> Arrays {
             double sum = 0;
             for (size_t i = 0; i < 5; ++i) sum += in[0].v[i] * in[1].v[i];
             return {Array({}, sum)};
           })
      .add({real({5, 2}), real({5, 2})}, CALL(p(ops::vdot(z(t[0]), z(t[1])))),
           [](const Arrays& in) -> Arrays {
             const Numbers a = numbers(in[0]), b = numbers(in[1]);
             C s = 0;
             for (size_t i = 0; i < 5; ++i) s += std::conj(a.v[i]) * b.v[i];
             return {array({{}, {s}})};
           });
  op("adjoint")
      .add({real({3, 4})}, CALL(ops::adjoint(t[0])),
           [](const Arrays& in) -> Arrays {
             return {make_array({4, 3}, [&](const Sizes& i) { return in[0][{i[1], i[0]}]; })};
           })
      .add({real({3, 4, 2})}, CALL(p(ops::adjoint(z(t[0])))),
           [](const Arrays& in) -> Arrays {
             return {make_array({4, 3, 2}, [&](const Sizes& i) {
               const double v = in[0][{i[1], i[0], i[2]}];
               return i[2] ? -v : v;
             })};
           })
      .bad({real({3, 2})}, CALL(ops::adjoint(z(t[0]))), Code::shape, {"[adjoint]", "[3]"});
}

}  // namespace

void add_complex(Records& r) {
  add_numbers(r);
  auto op = [&](const char* name) -> Record& { return r.op(name).on(kPairs, 0).long_sums().tolerance(8, 8); };
  auto kind = [](Fourier f) { return int64_t(f); };
  Record& f = op("fourier");
  for (int64_t n : {1, 2, 6, 8})
    f.add({real({3, n, 2})}, CALL(ops::fourier(t[0], n, kind(Fourier::forward), 0.5)),
          [n](const Arrays& in) -> Arrays { return {array(transformed(numbers(in[0]), 1, n, -1, 0.5))}; })
        .add({real({3, n, 2})}, CALL(ops::fourier(t[0], n, kind(Fourier::inverse), 0.5)),
             [n](const Arrays& in) -> Arrays { return {array(transformed(numbers(in[0]), 1, n, 1, 0.5))}; });
  for (int64_t n : {1, 6, 16})
    f.add({real({2, n, 3, 2})}, CALL(ops::fourier(t[0], n, kind(Fourier::forward), 0.5, 3)),
          [n](const Arrays& in) -> Arrays { return {array(transformed(numbers(in[0]), 1, n, -1, 0.5))}; });
  for (int64_t n : {1, 2, 5, 8})
    f.add({real({3, n})}, CALL(ops::fourier(t[0], n, kind(Fourier::real_forward), 0.5)),
          [n](const Arrays& in) -> Arrays {
            return {array(cut(transformed(numbers(in[0], false), 1, n, -1, 0.5), 1, n / 2 + 1))};
          })
        .add({real({3, n / 2 + 1, 2})}, CALL(ops::fourier(t[0], n, kind(Fourier::real_inverse), 0.5)),
             [n](const Arrays& in) -> Arrays {
               return {array(transformed(completed(numbers(in[0]), 1, n), 1, n, 1, 0.5), false)};
             });
  f.bad({real({3, 4})}, CALL(ops::fourier(t[0], 3, 2, 1.0, 2)), Code::shape, {"[fourier]", "2 columns"})
      .bad({real({3, 4})}, CALL(ops::fourier(t[0], 3, 2, 1.0)), Code::shape, {"[fourier]", "[3, 4]", "3"});

  op("fft_fft")
      .add({real({3, 4, 2})}, CALL(p(ops::fft_fft(z(t[0])))),
           [](const Arrays& in) -> Arrays { return {array(transformed(numbers(in[0]), 1, 4, -1, 1))}; })
      .add({real({3, 4, 2})}, CALL(p(ops::fft_fft(z(t[0]), 5, 0, 1))),
           [](const Arrays& in) -> Arrays {
             return {array(transformed(numbers(in[0]), 0, 5, -1, 1 / std::sqrt(5.0)))};
           })
      .add({real({3, 4})}, CALL(p(ops::fft_fft(t[0], 3, 1, 2))),
           [](const Arrays& in) -> Arrays {
             return {array(transformed(numbers(in[0], false), 1, 3, -1, 1 / 3.0))};
           })
      .bad({real({3})}, CALL(ops::fft_fft(t[0], 0)), Code::invalid_argument, {"[fft_fft]", "0"})
      .bad({real({3})}, CALL(ops::fft_fft(t[0], kNone, -1, 3)), Code::invalid_argument,
           {"[fft_fft]", "norm", "3"})
      .bad({real({})}, CALL(ops::fft_fft(t[0])), Code::shape, {"[fft_fft]"})
      .bad({real({3})}, CALL(ops::fft_fft(t[0])), Code::dtype, {"[fft_fft]", "float16"}, DType::f16);
  op("fft_ifft").add({real({3, 4, 2})}, CALL(p(ops::fft_ifft(z(t[0])))), [](const Arrays& in) -> Arrays {
    return {array(transformed(numbers(in[0]), 1, 4, 1, 0.25))};
  });
  op("fft_rfft")
      .add({real({3, 5})}, CALL(p(ops::fft_rfft(t[0]))),
           [](const Arrays& in) -> Arrays {
             return {array(cut(transformed(numbers(in[0], false), 1, 5, -1, 1), 1, 3))};
           })
      .bad({real({3, 2})}, CALL(ops::fft_rfft(z(t[0]))), Code::dtype, {"[fft_rfft]", "complex64"});
  op("fft_irfft").add({real({3, 4, 2})}, CALL(ops::fft_irfft(z(t[0]))), [](const Arrays& in) -> Arrays {
    return {array(transformed(completed(numbers(in[0]), 1, 6), 1, 6, 1, 1 / 6.0), false)};
  });
  op("fft_hfft").add({real({3, 4, 2})}, CALL(ops::fft_hfft(z(t[0]), 5)), [](const Arrays& in) -> Arrays {
    return {array(transformed(completed(conjugated(numbers(in[0])), 1, 5), 1, 5, 1, 1), false)};
  });
  op("fft_ihfft").add({real({3, 4})}, CALL(p(ops::fft_ihfft(t[0]))), [](const Arrays& in) -> Arrays {
    return {array(cut(transformed(numbers(in[0], false), 1, 4, 1, 0.25), 1, 3))};
  });
  op("fft_fftn")
      .add({real({2, 3, 4, 2})}, CALL(p(ops::fft_fftn(z(t[0]), Sizes{2, -1}, Sizes{2, 0}))),
           [](const Arrays& in) -> Arrays {
             return {array(transformed(transformed(numbers(in[0]), 2, 2, -1, 1), 0, 2, -1, 1))};
           })
      .bad({real({2, 3})}, CALL(ops::fft_fftn(t[0], Sizes{2}, Sizes{0, 1})), Code::invalid_argument,
           {"[fft_fftn]"})
      .bad({real({2, 3})}, CALL(ops::fft_fftn(t[0], Sizes{}, Sizes{0, -2})), Code::invalid_argument,
           {"[fft_fftn]", "twice"});
  op("fft_ifftn").add({real({2, 3, 2})}, CALL(p(ops::fft_ifftn(z(t[0])))), [](const Arrays& in) -> Arrays {
    return {array(transformed(transformed(numbers(in[0]), 0, 2, 1, 0.5), 1, 3, 1, 1 / 3.0))};
  });
  op("fft_rfftn").add({real({2, 3})}, CALL(p(ops::fft_rfftn(t[0]))), [](const Arrays& in) -> Arrays {
    return {array(transformed(cut(transformed(numbers(in[0], false), 1, 3, -1, 1), 1, 2), 0, 2, -1, 1))};
  });
  op("fft_irfftn").add({real({2, 3, 2})}, CALL(ops::fft_irfftn(z(t[0]))), [](const Arrays& in) -> Arrays {
    const Numbers first = transformed(numbers(in[0]), 0, 2, 1, 0.5);
    return {array(transformed(completed(first, 1, 4), 1, 4, 1, 0.25), false)};
  });
  op("fft_hfftn").add({real({2, 3, 2})}, CALL(ops::fft_hfftn(z(t[0]))), [](const Arrays& in) -> Arrays {
    const Numbers first = transformed(numbers(in[0]), 0, 2, -1, 1);
    return {array(transformed(completed(conjugated(first), 1, 4), 1, 4, 1, 1), false)};
  });
  op("fft_ihfftn").add({real({2, 3})}, CALL(p(ops::fft_ihfftn(t[0]))), [](const Arrays& in) -> Arrays {
    return {
        array(transformed(cut(transformed(numbers(in[0], false), 1, 3, 1, 1 / 3.0), 1, 2), 0, 2, 1, 0.5))};
  });
  r.op("fft_fftfreq")
      .on(kAll)
      .gives({[](DType) { return DType::f32; }})
      .add({}, CALL(ops::fft_fftfreq(5, 0.5)),
           [](const Arrays&) -> Arrays {
             return {Array({5}, std::vector<double>{0, 0.4, 0.8, -0.8, -0.4})};
           })
      .bad({}, CALL(ops::fft_fftfreq(0)), Code::invalid_argument, {"[fft_fftfreq]", "0"});
  r.op("fft_rfftfreq")
      .on(kAll)
      .gives({[](DType) { return DType::f32; }})
      .add({}, CALL(ops::fft_rfftfreq(4, 0.5)), [](const Arrays&) -> Arrays {
        return {Array({3}, std::vector<double>{0, 0.5, 1})};
      });
  r.op("fft_fftshift")
      .on(kAll)
      .add({real({5})}, CALL(ops::fft_fftshift(t[0])), [](const Arrays& in) -> Arrays {
        return {make_array({5}, [&](const Sizes& i) { return in[0][{(i[0] + 3) % 5}]; })};
      });
  r.op("fft_ifftshift")
      .on(kAll)
      .add({real({5})}, CALL(ops::fft_ifftshift(t[0], Sizes{0})), [](const Arrays& in) -> Arrays {
        return {make_array({5}, [&](const Sizes& i) { return in[0][{(i[0] + 2) % 5}]; })};
      });
  op("stft")
      .add({real({2, 10})},
           CALL(p(ops::stft(t[0], 4, 2, 3, ops::full(Sizes{3}, 0.5, t[0].dtype(), t[0].device()), false))),
           [](const Arrays& in) -> Arrays {
             Numbers frames{{2, 4, 4}, {}};  // windows of 3 stand behind no zero and before one
             each_index(frames.sizes, [&](const Sizes& i) {
               frames.v.push_back(i[2] < 3 ? in[0][{i[0], 2 * i[1] + i[2]}] * 0.5 : 0);
             });
             const Numbers y = cut(transformed(frames, 2, 4, -1, 1), 2, 3);
             return {make_array({2, 3, 4, 2}, [&](const Sizes& i) {
               const C c = y.v[size_t((i[0] * 4 + i[2]) * 3 + i[1])];
               return i[3] ? c.imag() : c.real();
             })};
           })
      .bad({real({3})}, CALL(ops::stft(t[0], 4, kNone, kNone, Tensor(), false)), Code::invalid_argument,
           {"[stft]", "4", "3"});
  op("istft")
      .add({real({10})}, CALL(ops::istft(ops::stft(t[0], 4, 2), 4, 2)), same_numbers())
      .bad({real({3, 4})}, CALL(ops::istft(t[0], 4)), Code::dtype, {"[istft]", "float32"});
}

}  // namespace haft::test
