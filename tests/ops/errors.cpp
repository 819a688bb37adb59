// Check 8: what is refused says so, with the right code and a message that names the operator, what it got
// and what it wanted; nothing is changed. And the public name exists in the C library.
#include <cstdlib>
#include <fstream>
#include <set>

#include "core/tape/tape.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

void expect_refused(const BadCall& b, size_t number, Random& random) {
  SCOPED_TRACE("bad call " + std::to_string(number));
  Case c{b.inputs, b.call, {}};
  Drawn d = draw(c, b.dtype, random);
  std::vector<uint32_t> versions;
  for (const Tensor& t : d.tensors) versions.push_back(t.defined() ? version_of(*t.impl()) : 0);
  try {
    b.call(d.tensors);
    ADD_FAILURE() << "was accepted";
  } catch (const Error& e) {
    EXPECT_EQ(int(e.code), int(b.code)) << e.message;
    for (const std::string& w : b.words)
      EXPECT_NE(e.message.find(w), std::string::npos) << "the message lacks \"" << w << "\": " << e.message;
    EXPECT_TRUE(e.code == Code::device || e.message.starts_with("["))
        << "the message does not begin with the operator's name: " << e.message;
  }
  for (size_t i = 0; i < d.tensors.size(); ++i) {
    if (!d.tensors[i].defined()) continue;
    EXPECT_EQ(version_of(*d.tensors[i].impl()), versions[i]) << "input " << i << " was written";
    expect_near(to_array(d.tensors[i]), d.arrays[i], kEqual, "input " + std::to_string(i));
  }
}

// What every elementwise operator refuses.
std::vector<BadCall> pointwise_refusals(const Record& r) {
  std::vector<BadCall> list;
  const Case& c = r.cases[0];
  std::string name = "[" + r.name + "]";
  auto with_sizes = [&](size_t which, Sizes sizes) {
    std::vector<Input> in = c.inputs;
    for (Input& i : in) i.sizes = {2, 3};
    in[which].sizes = std::move(sizes);
    return in;
  };
  if (c.inputs.size() > 1)
    list.push_back({with_sizes(1, {4}),
                    c.call,
                    Code::shape,
                    {name, "[2, 3]", "[4]"},
                    r.works & bit(DType::f32) ? DType::f32 : DType::i32});
  if (r.traits() & INTONLY) list.push_back({c.inputs, c.call, Code::dtype, {name, "float32"}, DType::f32});
  for (size_t i = 0; i < c.inputs.size(); ++i)
    if (c.inputs[i].kind == Input::kMask) {
      std::vector<Input> in = c.inputs;
      in[i].kind = Input::kIndex;
      list.push_back({in, c.call, Code::dtype, {name, "bool", "int64"}, DType::f32});
    }
  if (r.traits() & INPLACE) {
    auto inplace = [call = c.call](Ins t) -> Outs {
      RecordedCall last = record_calls([&] { call(t); }).back().as_called();
      last.inplace = true;
      return run_call(last, last.in)[0];
    };
    DType works = r.works & bit(DType::f32) ? DType::f32 : DType::i32;
    if (c.inputs.size() > 1) {
      std::vector<Input> in = with_sizes(0, {3});
      list.push_back({in, inplace, Code::shape, {"[" + r.name + "_]", "[2, 3]", "[3]"}, works});
    }
    if (r.traits() & FLOAT && r.works & bit(DType::i32))
      list.push_back({c.inputs, inplace, Code::dtype, {"[" + r.name + "_]", "float32", "int32"}, DType::i32});
    auto on_leaf = [inplace](Ins t) -> Outs {
      std::vector<Tensor> in(t.begin(), t.end());
      in[0] = ops::detach(in[0]);
      set_requires_grad(in[0], true);
      return inplace(in);
    };
    if (works == DType::f32)
      list.push_back({c.inputs, on_leaf, Code::autograd, {"[" + r.name + "_]", "leaf"}, DType::f32});
  }
  return list;
}

const std::set<std::string>& exported() {
  static const std::set<std::string> names = [] {
    std::set<std::string> n;
    const char* root = std::getenv("HAFT_SOURCE_DIR");
    std::ifstream file(std::string(root ? root : HAFT_SOURCE) + "/capi/abi/symbols.txt");
    for (std::string line; std::getline(file, line);) n.insert(line.substr(0, line.find('@')));
    return n;
  }();
  return names;
}

}  // namespace

void check_errors(const Record& r) {
  Random random = random_for(r, "errors");
  size_t number = 0;
  for (const BadCall& b : r.bads) expect_refused(b, number++, random);
  if (r.pointwise)
    for (const BadCall& b : pointwise_refusals(r)) expect_refused(b, number++, random);
  bool has_public_name = exported().contains("haft_" + r.name);
  EXPECT_EQ(has_public_name, !(r.traits() & INTERNAL)) << "haft_" << r.name;
  if (r.traits() & INTERNAL) return;
  EXPECT_EQ(exported().contains("haft_" + r.name + "_"), bool(r.traits() & INPLACE));
  EXPECT_EQ(exported().contains("haft_" + r.name + "_out"), bool(r.traits() & OUT));
}

}  // namespace haft::test
