// Functions that share one operator, for each is asked rarely, and whole kernels for every type would be many. Text:
// included inside a namespace after bessel.h, see functors.h.

// By the numbers of these names; core/ops/special.cpp has their gradients.
enum class Rare {
  erfcx,
  ndtri,
  i0e,
  i1e,
  j0,
  j1,
  y0,
  y1,
  k0,
  k1,
  k0e,
  k1e,
  mantissa,  // x is mantissa * 2^exponent, the mantissa in [0.5, 1)
  exponent,
};

HAFT_FAR double rare(double x, double which) {
  switch (Rare(int(which))) {
    case Rare::erfcx: return erfcx(x);
    case Rare::ndtri: return ndtri(x);
    case Rare::i0e: return bessel_i(0, x, true);
    case Rare::i1e: return bessel_i(1, x, true);
    case Rare::j0: return bessel_j(0, x);
    case Rare::j1: return bessel_j(1, x);
    case Rare::y0: return bessel_y(0, x);
    case Rare::y1: return bessel_y(1, x);
    case Rare::k0: return bessel_k(0, x);
    case Rare::k1: return bessel_k(1, x);
    case Rare::k0e: return bessel_k_scaled(0, x);
    case Rare::k1e: return bessel_k_scaled(1, x);
    case Rare::mantissa:
    case Rare::exponent: break;
  }
  const bool plain = x - x == 0;
  const int e = plain ? exponent_of(x) : 0;
  return Rare(int(which)) == Rare::exponent ? e : plain ? times_power_of_two(x, -e) : x;
}

// The next number of a type towards y: `digits` bits, those of the least exponent for all below it.
HAFT_FAR double next_after(double x, double y, double digits, double least) {
  if (x != x || y != y) return x != x ? x : y;
  if (x == y) return y;
  const bool up = y > x;
  if (x - x != 0) {  // an infinity: the largest number
    const double most = times_power_of_two(2 - times_power_of_two(1, 1 - int(digits)), 1 - int(least));
    return up ? -most : most;
  }
  const int e = x == 0 ? int(least) : exponent_of(x) - 1;
  int step = e < int(least) ? int(least) : e;
  const bool shrinks = up != (x > 0) && x != 0;
  // A power of two has its own neighbours below.
  if (shrinks && abs(x) == times_power_of_two(1, e) && e > int(least)) --step;
  const double by = times_power_of_two(1, step + 1 - int(digits)), next = up ? x + by : x - by;
  return next == 0 ? copysign(next, x) : next;
}

HAFT_FN float rare(float x, float which) { return float(rare(double(x), double(which))); }
HAFT_FN float next_after(float x, float y, float digits, float least) {
  return float(next_after(double(x), double(y), double(digits), double(least)));
}
