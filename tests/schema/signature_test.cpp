#include "core/schema/signature.h"

#include <gtest/gtest.h>

#include "core/schema/op_id.h"

using namespace haft;

namespace {

std::string error_of(std::string_view text) {
  try {
    parse_signature("demo", text);
  } catch (const Error& e) {
    return e.message;
  }
  return "";
}

TEST(Signature, ReadsInputsAttributesAndDefaults) {
  Signature s = parse_signature(
      "demo",
      "(Tensor x, Tensor? bias, int[] dims=[], int? dim=none, bool keep=false, float p=-0.5, "
      "Scalar v=1e-5, dtype dtype=none, device device=0, float[] fs=[], Tensor?[] xs) -> Tensor");
  ASSERT_EQ(s.arguments.size(), 11u);
  EXPECT_EQ(s.arguments[0].type, ArgType::tensor);
  EXPECT_EQ(s.arguments[0].name, "x");
  EXPECT_FALSE(s.arguments[0].has_default);
  EXPECT_EQ(s.arguments[1].type, ArgType::optional_tensor);
  EXPECT_EQ(s.arguments[2].type, ArgType::ints);
  EXPECT_EQ(s.arguments[2].default_value, "[]");
  EXPECT_EQ(s.arguments[3].type, ArgType::optional_integer);
  EXPECT_EQ(s.find("keep")->default_value, "false");
  EXPECT_EQ(s.find("p")->default_value, "-0.5");
  EXPECT_EQ(s.find("v")->default_value, "1e-5");
  EXPECT_EQ(s.find("dtype")->type, ArgType::dtype);
  EXPECT_EQ(s.find("device")->type, ArgType::device);
  EXPECT_EQ(s.find("fs")->type, ArgType::floats);
  EXPECT_EQ(s.arguments[10].type, ArgType::optional_tensors);
  EXPECT_EQ(s.results, std::vector<std::string>{""});
  EXPECT_FALSE(s.returns_list);
  EXPECT_EQ(s.find("absent"), nullptr);
}

TEST(Signature, ReadsWhereAReplayTakesAValueFrom) {
  Signature s = parse_signature(
      "demo",
      "(Tensor x, int(seed) seed, int(offset) offset, float(set) lr, float(set)[] rest, int n) -> Tensor");
  EXPECT_EQ(s.find("seed")->source, Source::seed);
  EXPECT_EQ(s.find("offset")->source, Source::offset);
  EXPECT_EQ(s.find("lr")->source, Source::setting);
  EXPECT_EQ(s.find("lr")->type, ArgType::floating);
  EXPECT_EQ(s.find("rest")->source, Source::setting);
  EXPECT_EQ(s.find("rest")->type, ArgType::floats);
  EXPECT_EQ(s.find("n")->source, Source::captured);
  EXPECT_EQ(error_of("(int(seeds) x) -> Tensor"),
            "signature of demo, position 5: expected seed), offset) or set), found \"seeds) x) -> Ten\"");
}

TEST(Signature, ReadsOptionalScalars) {
  Signature s =
      parse_signature("demo", "(Tensor x, Scalar? low, Scalar? high=none, Scalar? step=0.5) -> Tensor");
  for (size_t i : {1, 2, 3}) EXPECT_EQ(s.arguments[i].type, ArgType::optional_scalar);
  EXPECT_FALSE(s.arguments[1].has_default);
  EXPECT_EQ(s.find("high")->default_value, "none");
  EXPECT_NE(error_of("(Scalar x=none) -> Tensor").find("a default of the argument's type"),
            std::string::npos);
}

TEST(Signature, ReadsResults) {
  EXPECT_EQ(parse_signature("demo", "(Tensor x) -> (Tensor values, Tensor indices)").results,
            (std::vector<std::string>{"values", "indices"}));
  EXPECT_TRUE(parse_signature("demo", "(Tensor x) -> Tensor[]").returns_list);
  EXPECT_TRUE(parse_signature("demo", "() -> Tensor").arguments.empty());
}

TEST(Signature, ErrorsNameOpAndPosition) {
  EXPECT_EQ(error_of("(Tensor x -> Tensor"),
            "signature of demo, position 10: expected \")\", found \"-> Tensor\"");
  EXPECT_EQ(error_of("(Tensor x) -> Tensor extra"),
            "signature of demo, position 21: expected the end, found \"extra\"");
  EXPECT_EQ(error_of("(Tensor x) ->"), "signature of demo, position 13: expected \"Tensor\", found the end");
  EXPECT_EQ(error_of("(Tensor x, int x) -> Tensor"),
            "signature of demo, position 15: expected a name of its own, found \"x) -> Tensor\"");
  EXPECT_NE(error_of("(long x) -> Tensor").find("position 1: expected a type"), std::string::npos);
  EXPECT_NE(error_of("(bool? x) -> Tensor").find("position 1: expected a type"), std::string::npos);
  EXPECT_NE(error_of("(Tensor 2x) -> Tensor").find("position 8: expected a name"), std::string::npos);
}

TEST(Signature, RefusesDefaultsOfAnotherType) {
  for (const char* text : {"(bool x=1) -> Tensor", "(int x=none) -> Tensor", "(int x=1.5) -> Tensor",
                           "(Tensor x=none) -> Tensor", "(int[] x=0) -> Tensor", "(float x=) -> Tensor"})
    EXPECT_NE(error_of(text).find("a default of the argument's type"), std::string::npos) << text;
}

TEST(Signature, TellsWhatIsWritten) {
  Signature s = parse_signature(
      "demo", "(int n, Tensor(a!)[] params, Tensor[] grads, Tensor(b!)? state, Tensor(c!) step) -> ()");
  std::vector<bool> mutated;
  for (const Argument& a : s.arguments) mutated.push_back(a.mutated);
  EXPECT_EQ(mutated, (std::vector<bool>{false, true, false, true, true}));
  EXPECT_EQ(s.arguments[1].type, ArgType::tensors);
  EXPECT_EQ(s.arguments[3].type, ArgType::optional_tensor);
  EXPECT_TRUE(s.results.empty());
  EXPECT_EQ(error_of("(Tensor(b!) x) -> ()"),
            "signature of demo, position 8: expected \"a!)\", found \"b!) x) -> ()\"");
  EXPECT_NE(error_of("(Tensor(a!) x, Tensor(a!) y) -> ()").find("expected \"b!)\""), std::string::npos);
  EXPECT_NE(error_of("(int(a!) x) -> ()").find("seed), offset) or set)"), std::string::npos);
}

TEST(Signature, WordsFollowTheLayoutOfAttributes) {
  EXPECT_EQ(word_count(ArgType::scalar), 2);
  EXPECT_EQ(word_count(ArgType::optional_scalar), 2);
  EXPECT_EQ(word_count(ArgType::ints), 1);
  EXPECT_EQ(word_count(ArgType::tensor), 0);
  EXPECT_EQ(word_count(ArgType::generator), 0);
}

// Every line of ops.def parses, and only composites take a generator.
TEST(Signature, AllOperatorsParse) {
  static const char* const signatures[] = {
#define POINTWISE(name, signature, ...) signature,
#define VIEW POINTWISE
#define GENERAL POINTWISE
#define COMPOSITE POINTWISE
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
  };
  for (int i = 0; i < kOpCount; ++i) {
    Signature s;
    ASSERT_NO_THROW(s = parse_signature(op_name(OpId(i)), signatures[i])) << op_name(OpId(i));
    for (const Argument& a : s.arguments)
      EXPECT_TRUE(a.type != ArgType::generator || kOpKinds[i] == OpKind::composite) << op_name(OpId(i));
  }
}

}  // namespace
