// One test for every pair of check and operator: Ops/Forward.add, Ops/Gradient.add, ...
#include <set>

#include "core/init.h"
#include "tests/ops/checks.h"

namespace haft::test {

const std::deque<Record>& records() {
  static const Records all = [] {
    Records r;
    for (auto add : {add_pointwise,
                     add_scalar_pointwise,
                     add_arithmetic,
                     add_special,
                     add_forms,
                     add_activations,
                     add_creation,
                     add_random,
                     add_views,
                     add_copies,
                     add_shapes,
                     add_reductions,
                     add_statistics,
                     add_matmul,
                     add_contractions,
                     add_linalg,
                     add_eigenvalues,
                     add_indexing,
                     add_convolution,
                     add_pooling,
                     add_pooling_nd,
                     add_convolution_nd,
                     add_resampling,
                     add_norms,
                     add_attention,
                     add_losses,
                     add_recurrent,
                     add_sequences,
                     add_scans,
                     add_searching,
                     add_scatter_reductions,
                     add_amp,
                     add_complex})
      add(r);
    return r;
  }();
  return all.all;
}

namespace {

// Public operators, and internal ones that gradients run through, or that scale them.
// What is drawn is no function of its parameters that differences could follow: edges_test and gamma_slope have what
// slopes there are.
bool is_drawn(OpId op) {
  return op == OpId::standard_gamma || op == OpId::bernoulli || op == OpId::poisson ||
         op == OpId::philox_gamma || op == OpId::philox_bernoulli || op == OpId::philox_poisson;
}
// The records of public operators call the internal ones.
bool wants_record(OpId op) {
  return (!(op_traits(op) & INTERNAL) || !(op_traits(op) & NODIFF) || op == OpId::amp_unscale ||
          op == OpId::amp_update || op == OpId::foreach_norm || op == OpId::foreach_mul) &&
         !(op_traits(op) & INTERNAL && is_drawn(op));
}

TEST(Ops, EveryOperatorHasItsRecord) {
  std::set<std::string> have;
  for (const Record& r : records()) {
    EXPECT_NE(r.id, OpId::count_) << r.name << " is not in ops.def";
    EXPECT_TRUE(have.insert(r.name).second) << r.name << " has two records";
    EXPECT_FALSE(r.cases.empty()) << r.name;
    // gamma_slope is a gradient and has none.
    if (r.id == OpId::count_ || r.traits() & NODIFF || is_drawn(r.id) || r.name == "gamma_slope") continue;
    EXPECT_TRUE(r.differentiable()) << r.name << " has a gradient that nothing checks";
  }
  for (int i = 0; i < kOpCount; ++i)
    EXPECT_TRUE(have.contains(op_name(OpId(i))) || !wants_record(OpId(i)))
        << op_name(OpId(i)) << " has no record in tests/ops";
}

// What traits say of dtypes, and so the documentation, is what the records try out.
TEST(Ops, TraitsSayWhatDtypesWork) {
  for (const Record& r : records()) {
    if (r.id == OpId::count_ || r.traits() & INTERNAL || r.name == "bincount")
      continue;  // whose weights vary
    const uint32_t t = r.traits();
    const DTypes said = t & FLOATS               ? kFloats
                        : t & INTONLY            ? t & NOBOOL ? kInts : kInts | kBool
                        : t & (NUMBERS | NOBOOL) ? kNumbers
                                                 : kAll;
    EXPECT_EQ(r.works & ~said, 0u) << r.name << " takes more";
    EXPECT_EQ(r.refuses & said, 0u) << r.name << " takes less";
  }
}

class OneCheck : public testing::Test {
 public:
  OneCheck(void (*check)(const Record&), const Record& r) : check_(check), record_(r) {}
  void TestBody() override {
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
    register_check("Batching", r, check_batching);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
