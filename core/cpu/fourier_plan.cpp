#include "core/cpu/fourier_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <numbers>

#include "core/cpu/fourier.h"

#pragma GCC optimize("Os")  // tables are made once: small instead of fast

namespace haft::cpu {

namespace {

struct Unit {
  double re, im;
};

// exp(-2 pi i k / n) for 0 <= k < n, from an angle of at most an eighth of a turn.
Unit unit(int64_t k, int64_t n) {
  const auto eighth = int(__int128(8) * k / n);
  const int64_t near = eighth & 1 ? n * int64_t((eighth + 1) / 2) - 4 * k : 4 * k - n * int64_t(eighth / 2);
  const double angle = std::numbers::pi / 2 * double(near) / double(n), c = std::cos(angle),
               s = std::sin(angle);
  switch (eighth) {
    case 0: return {c, -s};
    case 1: return {s, -c};
    case 2: return {-s, -c};
    case 3: return {-c, -s};
    case 4: return {-c, s};
    case 5: return {-s, c};
    case 6: return {s, c};
    default: return {c, s};
  }
}

// exp(-2 pi i r c / n) for each c of a row. A product is a tenth of a sine: these are taken of 64 columns and of every
// 64th one.
void find_row(std::vector<Unit>& row, int64_t r, int64_t n) {
  const int64_t columns = int64_t(row.size()), steps = 64;
  for (int64_t c = 0; c < columns; ++c) {
    Unit& u = row[size_t(c)];
    if (c < steps || c % steps == 0) {
      u = unit(r * c, n);
      continue;
    }
    const Unit &far = row[size_t(c - c % steps)], &near = row[size_t(c % steps)];
    u = {far.re * near.re - far.im * near.im, far.re * near.im + far.im * near.re};
  }
}

template <class T>
void push(std::vector<T>& to, Unit u) {
  to.push_back(T(u.re));
  to.push_back(T(u.im));
}

// Radices whose product is n, or none where a prime factor is above kMostRadix.
std::vector<int> radices_of(int64_t n) {
  std::vector<int> all;
  for (int twos = std::countr_zero(uint64_t(n)); twos > 0;) {
    const int bits = twos >= 3 && twos != 4 ? 3 : twos == 1 ? 1 : 2;  // not 8 and 2 where 4 and 4 do
    all.push_back(1 << bits);
    twos -= bits;
    n >>= bits;
  }
  for (int r : {3, 5, 7, 11, 13})
    for (; n % r == 0; n /= r) all.push_back(r);
  if (n != 1) all.clear();
  return all;
}

// The divisor of n next to its root, from products of its radices.
int64_t middle_divisor(int64_t n) {
  int64_t best = 1;
  for (int64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) best = d;
  return best;
}

int64_t power_of_two_from(int64_t n) {
  int64_t m = 1;
  while (m < n) m *= 2;
  return m;
}

template <class T>
void make_passes(FourierPlan<T>& p, const std::vector<int>& radices) {
  int64_t rest = p.n, s = 1;
  for (int r : radices) {
    const int64_t m = rest / r;
    FourierPass<T> pass{r, m, s, int64_t(p.tables.size()), 0};
    for (int64_t i = 0; i < m; ++i)
      for (int k = 1; k < r; ++k) push(p.tables, unit(i * k, rest));
    pass.roots = int64_t(p.tables.size());
    if (r > 5 && r != 8)
      for (int k = 0; k < r; ++k) push(p.tables, unit(k, r));
    p.passes.push_back(pass);
    rest = m;
    s *= r;
  }
}

// y[k] = c[k] sum_j (x[j] c[j]) conj(c[k - j]) with c[j] = exp(-pi i j^2 / n).
template <class T>
void make_chirp(FourierPlan<T>& p) {
  const int64_t n = p.n, m = power_of_two_from(2 * n - 1);
  p.padded = fourier_plan<T>(m, false);
  std::vector<T> wave(size_t(2 * m), T(0));
  for (int64_t j = 0; j < n; ++j) {
    const Unit u = unit(int64_t(__int128(j) * j % (2 * n)), 2 * n);
    push(p.chirp, u);
    for (int64_t at : {j, (m - j) % m}) {
      wave[size_t(2 * at)] = T(u.re);
      wave[size_t(2 * at + 1)] = T(-u.im);
    }
  }
  p.response.resize(size_t(2 * m));
  fourier_lines<T>(*p.padded, {wave.data(), 2 * m, p.response.data(), 2 * m, 1, false, T(1) / T(m)});
}

// Longer lines are split, where neither columns nor rows are longer than this.
constexpr int64_t kMostPasses = 65536;

template <class T>
std::shared_ptr<const FourierPlan<T>> make_plan(int64_t n, bool real) {
  auto p = std::make_shared<FourierPlan<T>>();
  p->n = n;
  const std::vector<int> radices = radices_of(n);
  if (n > 1 && radices.empty()) {
    make_chirp(*p);
  } else {
    const int64_t rows = n >= kFourierSplit ? middle_divisor(n) : 1, columns = n / rows;
    const bool split = rows >= 16 && columns <= kMostPasses;
    if (split) {
      p->columns_of = fourier_plan<T>(rows, false);
      p->rows_of = fourier_plan<T>(columns, false);
      p->factors.resize(size_t(2 * n));
      T* to = p->factors.data();
      std::vector<Unit> row(static_cast<size_t>(columns));
      for (int64_t r = 0; r < rows; ++r) {
        find_row(row, r, n);
        for (const Unit& u : row) *to++ = T(u.re), *to++ = T(u.im);
      }
    }
    if (n <= kMostPasses || !split) make_passes(*p, radices);
  }
  if (real)
    for (int64_t k = 0; k < n; ++k) push(p->halves, unit(k, 2 * n));
  return p;
}

template <class T>
struct Cache {
  struct Entry {
    std::shared_ptr<const FourierPlan<T>> plan;
    bool real;
    uint64_t used;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
  uint64_t clock = 0;
};

constexpr int64_t kMostBytes = int64_t(64) << 20;

}  // namespace

template <class T>
int64_t FourierPlan<T>::bytes() const {
  return int64_t((tables.size() + factors.size() + chirp.size() + response.size() + halves.size()) *
                 sizeof(T));
}

template <class T>
std::shared_ptr<const FourierPlan<T>> fourier_plan(int64_t n, bool real) {
  static Cache<T>& cache = *new Cache<T>;  // threads may outlive statics
  {
    std::lock_guard lock(cache.mutex);
    for (auto& e : cache.entries)
      if (e.plan->n == n && (e.real || !real)) {
        e.used = ++cache.clock;
        return e.plan;
      }
  }
  auto made = make_plan<T>(n, real);  // outside the lock: it asks for other plans
  int64_t total = made->bytes();
  if (total > kMostBytes) return made;  // nothing of it is kept, nor does it drive out what is
  std::lock_guard lock(cache.mutex);
  for (const auto& e : cache.entries) total += e.plan->bytes();
  while (total > kMostBytes && !cache.entries.empty()) {
    auto oldest = std::min_element(cache.entries.begin(), cache.entries.end(),
                                   [](const auto& a, const auto& b) { return a.used < b.used; });
    total -= oldest->plan->bytes();
    cache.entries.erase(oldest);
  }
  cache.entries.push_back({made, real, ++cache.clock});
  return made;
}

template std::shared_ptr<const FourierPlan<float>> fourier_plan<float>(int64_t, bool);
template std::shared_ptr<const FourierPlan<double>> fourier_plan<double>(int64_t, bool);

}  // namespace haft::cpu
