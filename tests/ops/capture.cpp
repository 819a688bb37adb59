// Check 7: the call records are complete. What a mode sees of forward and backward (operator, inputs,
// attribute words) is run again as a program: on the same inputs it gives the same bits, on new inputs what
// the operator gives.
#include <map>
#include <set>

#include "core/autograd/engine.h"
#include "tests/ops/checks.h"

namespace haft::test {

namespace {

class Program {
 public:
  Program(std::vector<RecordedCall> calls, std::vector<Tensor> inputs)
      : calls_(std::move(calls)), inputs_(std::move(inputs)) {}

  std::vector<Tensor> run(const std::vector<Tensor>& inputs, const std::vector<Tensor>& wanted) {
    NoGradGuard off;
    now_.clear();
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].defined()) now_[key(inputs_[i])] = inputs[i];
    for (const RecordedCall& call : calls_) {
      std::vector<Tensor> in;
      if (call.inplace) filled_.insert(call.in[0].impl()->storage.get());
      for (const Tensor& t : call.in) {
        in.push_back(value(t));
        if (t.defined() && t.numel() && !now_.contains(key(t)) && !filled_.contains(t.impl()->storage.get()))
          hidden_.insert(op_name(call.op));
      }
      // Memory that no recorded call made is a constant; writing into it must not reach the first run's results.
      if (call.inplace && !now_.contains(key(call.in[0]))) {
        in[0] = now_[key(call.in[0])] = shallow_copy(*ops::clone(call.in[0]).impl());
      }
      std::vector<Tensor> out = run_call(call, in);
      if (call.inplace) continue;
      for (size_t k = 0; k < out.size(); ++k) now_[key(call.out[k])] = out[k];
    }
    std::vector<Tensor> results;
    for (const Tensor& t : wanted) results.push_back(value(t));
    return results;
  }
  // Operators that read what no recorded call made.
  const std::set<std::string>& reading_hidden() const { return hidden_; }

 private:
  // A tensor is its piece of memory: the tape keeps results as other objects on the same.
  using Key = std::pair<const Storage*, Sizes>;
  static Key key(const Tensor& t) {
    const haft_tensor_view& v = t.view();
    Sizes k{int64_t(reinterpret_cast<intptr_t>(v.data)), int64_t(meta(v))};
    k.insert(k.end(), v.sizes, v.sizes + v.ndim);
    k.insert(k.end(), v.strides, v.strides + v.ndim);
    return {t.impl()->storage.get(), k};
  }
  Tensor value(const Tensor& t) {
    if (!t.defined()) return t;
    auto at = now_.find(key(t));
    return at == now_.end() ? t : at->second;
  }

  std::vector<RecordedCall> calls_;
  std::vector<Tensor> inputs_;
  std::map<Key, Tensor> now_;
  std::set<const Storage*> filled_;
  std::set<std::string> hidden_;
};

struct Eager {
  std::vector<Tensor> inputs, results;  // inputs: leaves, then seeds; results: outputs, then gradients
};

Eager run_eagerly(const Record& r, const Case& c, const Drawn& d, uint64_t s,
                  const std::vector<Tensor>* leaves_to_use, std::vector<RecordedCall>* calls,
                  bool* host_read = nullptr) {
  Eager e;
  std::vector<Tensor> wanted, live, seeds;
  std::vector<Tensor> leaves = leaves_to_use ? *leaves_to_use : make_leaves(c, d.tensors, &wanted);
  Outs probe = c.call(leaves);
  Random random(s);
  bool with_gradients = r.differentiable() && c.grad && !wanted.empty();
  if (with_gradients) {
    seeds = make_seeds(probe, &live, random);
    live.clear();
  }
  auto body = [&] {
    Outs outs = c.call(leaves);
    e.results = outs;
    for (const Tensor& o : outs)
      if (o.requires_grad()) live.push_back(o);
    if (!with_gradients || live.empty()) return;
    for (Tensor& g : grad(live, wanted, seeds, {}, true)) e.results.push_back(g);
  };
  if (calls)
    *calls = record_calls(body, host_read);
  else
    body();
  e.inputs = leaves;
  e.inputs.insert(e.inputs.end(), seeds.begin(), seeds.end());
  return e;
}

}  // namespace

void check_capture(const Record& r) {
  Random random = random_for(r, "capture");
  bool reads = false;
  for (size_t k = 0; k < r.cases.size(); ++k) {
    const Case& c = r.cases[k];
    for (DType t : {DType::f32, DType::i64}) {
      if (!(r.works & bit(t))) continue;
      SCOPED_TRACE("case " + std::to_string(k) + " in " + dtype_name(t));
      std::vector<RecordedCall> calls;
      uint64_t s = random();
      Drawn first = draw(c, t, random, true);
      bool read = false;
      Eager recorded = run_eagerly(r, c, first, s, nullptr, &calls, &read);
      // Whoever reads data on the host says so, or calls an operator that does.
      bool says_so = r.traits() & READS;
      for (const RecordedCall& call : calls) says_so |= (op_traits(call.op) & READS) != 0;
      EXPECT_TRUE(says_so || !read) << "values were copied to the host, and the trait READS is missing";
      reads |= read;
      Program program(calls, recorded.inputs);
      expect_near(program.run(recorded.inputs, recorded.results), recorded.results, kEqual,
                  "the program on the same inputs");
      if (r.value_dependent || r.random) continue;
      Drawn other = draw(c, t, random, true);
      for (size_t i = 0; i < other.tensors.size(); ++i)  // indices and masks may be part of the program
        if (c.inputs[i].kind != Input::kValue) other.tensors[i] = first.tensors[i];
      Eager fresh = run_eagerly(r, c, other, s, nullptr, nullptr);
      std::vector<Tensor> again = program.run(fresh.inputs, recorded.results);
      const bool from_nothing = r.name == "empty";  // no call makes undefined memory
      EXPECT_TRUE(from_nothing || program.reading_hidden().empty())
          << testing::PrintToString(program.reading_hidden());
      expect_near(again, fresh.results, kEqual, "the program on other inputs");
    }
  }
  if (r.traits() & READS) {
    EXPECT_TRUE(reads) << "has the trait READS and reads nothing";
  }
}

}  // namespace haft::test
