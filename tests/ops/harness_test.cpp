// One test for every pair of check and operator: Ops/Forward.add, Ops/Gradient.add, ...
#include <cstring>
#include <set>

#include "core/init.h"
#include "tests/ops/checks.h"

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

const std::deque<Record>& records() {
  static const Records all = [] {
    Records r;
    for (auto add : {add_pointwise, add_scalar_pointwise, add_activations, add_creation, add_random,
                     add_views, add_copies, add_reductions, add_matmul, add_indexing, add_convolution,
                     add_pooling, add_norms, add_losses})
      add(r);
    return r;
  }();
  return all.all;
}

namespace {

// Public operators, and internal ones that gradients run through.
bool wants_record(OpId op) { return !(op_traits(op) & INTERNAL) || !(op_traits(op) & NODIFF); }

TEST(Ops, EveryOperatorHasItsRecord) {
  std::set<std::string> have;
  for (const Record& r : records()) {
    EXPECT_NE(r.id, OpId::count_) << r.name << " is not in ops.def";
    EXPECT_TRUE(have.insert(r.name).second) << r.name << " has two records";
    EXPECT_FALSE(r.cases.empty()) << r.name;
    if (r.id == OpId::count_ || r.traits() & NODIFF) continue;
    EXPECT_TRUE(r.differentiable()) << r.name << " has a gradient that nothing checks";
  }
  for (int i = 0; i < kOpCount; ++i)
    EXPECT_TRUE(have.contains(op_name(OpId(i))) || !wants_record(OpId(i)))
        << op_name(OpId(i)) << " has no record in tests/ops";
}

class OneCheck : public testing::Test {
 public:
  OneCheck(void (*check)(const Record&), const Record& r) : check_(check), record_(r) {}
  void TestBody() override {
    SCOPED_TRACE("HAFT_TEST_SEED=" + std::to_string(seed()));
    try {
      check_(record_);
    } catch (const Error& e) {
      ADD_FAILURE() << "unexpected error: " << e.message;
    }
  }

 private:
  void (*check_)(const Record&);
  const Record& record_;
};

void register_check(const char* suite, const Record& r, void (*check)(const Record&)) {
  testing::RegisterTest((std::string("Ops/") + suite).c_str(), r.name.c_str(), nullptr, nullptr, __FILE__,
                        __LINE__, [check, &r]() -> OneCheck* { return new OneCheck(check, r); });
}

}  // namespace
}  // namespace haft::test

// The tests are made at run time, after every static of the records and before gtest looks for them.
int main(int argc, char** argv) {
  using namespace haft::test;
  haft::init();
  for (const Record& r : records()) {
    if (r.id == haft::OpId::count_) continue;
    register_check("Forward", r, check_forward);
    if (r.differentiable()) {
      register_check("Gradient", r, check_gradient);
      register_check("Second", r, check_second);
    }
    register_check("DTypes", r, check_dtypes);
    register_check("Layouts", r, check_layouts);
    if (!r.on_host) register_check("Device", r, check_device);
    register_check("Capture", r, check_capture);
    register_check("Errors", r, check_errors);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
