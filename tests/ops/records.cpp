// How a record is begun; test_cpu takes the pointwise ones, too.
#include <cstring>

#include "tests/ops/record.h"

namespace haft::test {

Record& Records::op(const char* name) {
  Record& r = all.emplace_back();
  r.name = name;
  for (int i = 0; i < kOpCount; ++i)
    if (!std::strcmp(op_name(OpId(i)), name)) r.id = OpId(i);
  return r;
}

namespace {

Sizes broadcast(const Arrays& xs) {
  Sizes out;
  for (const Array& x : xs) {
    while (out.size() < x.sizes.size()) out.insert(out.begin(), 1);
    for (size_t d = 1; d <= x.sizes.size(); ++d)
      if (x.sizes[x.sizes.size() - d] != 1) out[out.size() - d] = x.sizes[x.sizes.size() - d];
  }
  return out;
}

Arrays elementwise(double (*f)(const double*), const Arrays& xs) {
  return {make_array(broadcast(xs), [&](const Sizes& index) {
    double v[4];
    for (size_t k = 0; k < xs.size(); ++k) {
      Sizes own(xs[k].sizes.size());
      for (size_t d = 0; d < own.size(); ++d)
        own[d] = xs[k].sizes[d] == 1 ? 0 : index[index.size() - own.size() + d];
      v[k] = xs[k][own];
    }
    return f(v);
  })};
}

}  // namespace

Record& Records::pointwise(const char* name, std::vector<Range> ranges, CallFn call,
                           double (*f)(const double*)) {
  Record& r = op(name);
  r.pointwise = true;
  r.each = f;
  const uint32_t traits = r.traits();
  r.on(traits & INTONLY ? kInts | kBool : kAll);
  r.gives({traits & BOOLOUT ? always_bool : traits & FLOAT ? float_type : same});
  r.specials();
  // By input: a shape each. One input takes the first column.
  const std::vector<Sizes> shapes[] = {{{3, 4}, {3, 4}, {3, 4}},
                                       {{2, 1, 3}, {4, 1}, {2, 4, 3}},
                                       {{}, {}, {}},
                                       {{3}, {}, {1}},
                                       {{0}, {1}, {0}},
                                       {{2, 0, 3}, {3}, {2, 1, 1}},
                                       {{7, 149}, {7, 149}, {7, 149}}};
  for (const auto& row : shapes) {
    std::vector<Input> in;
    for (size_t i = 0; i < ranges.size(); ++i)
      in.push_back({.kind = ranges[i].kind,
                    .sizes = row[i],
                    .low = ranges[i].low,
                    .high = ranges[i].high,
                    .away = ranges[i].away,
                    .grad = ranges[i].kind == Input::kValue});
    r.add(in, call, [f](const Arrays& xs) { return elementwise(f, xs); });
    if (&row == &shapes[6]) r.no_grad();
  }
  return r;
}

}  // namespace haft::test
