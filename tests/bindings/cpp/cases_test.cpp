// Every layer, loss, optimizer and schedule, made by its C function, computes what PyTorch does;
// tests/bindings/cases.py wrote what that is into the folder HAFT_CASES.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <haft/train.hpp>
#include <map>
#include <set>
#include <sstream>

namespace {

using haft::Tensor;
using Named = std::vector<std::pair<std::string, Tensor>>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

// The options of a case, as text, and what of them C needs to live.
class Given {
 public:
  std::map<std::string, std::string> options;
  std::map<std::string, Tensor> tensors;

  const std::string* find(const char* name) const {
    const auto at = options.find(name);
    if (at == options.end()) return nullptr;
    taken.insert(name);
    return &at->second;
  }
  void take(const char* name, int64_t& out) const {
    if (auto* text = find(name)) out = std::stoll(*text);
  }
  void take(const char* name, double& out) const {
    if (auto* text = find(name)) out = std::stod(*text);
  }
  void take(const char* name, int32_t& out) const {
    if (auto* text = find(name)) out = *text == "true";
  }
  void take(const char* name, int64_t (&out)[2]) const {
    if (auto* text = find(name)) {
      const auto list = split(*text, ',');
      out[0] = std::stoll(list.front()), out[1] = std::stoll(list.back());
    }
  }
  void take(const char* name, const int64_t*& out, int64_t& count) const {
    if (auto* text = find(name)) {
      lists.emplace_back();
      for (const auto& number : split(*text, ',')) lists.back().push_back(std::stoll(number));
      out = lists.back().data(), count = int64_t(lists.back().size());
    }
  }
  void take(const char* name, const double*& out, int64_t& count) const {
    if (auto* text = find(name)) {
      numbers.emplace_back();
      for (const auto& number : split(*text, ',')) numbers.back().push_back(std::stod(number));
      out = numbers.back().data(), count = int64_t(numbers.back().size());
    }
  }
  void take(const char* name, const haft_tensor*& out) const {
    if (find(name)) out = tensors.at(name).get();
  }
  void word(const char* name, int32_t& out, const std::string& of) const {
    static const std::map<std::string, int32_t> kWords = {
        {"Reduction none", HAFT_REDUCTION_NONE},
        {"Reduction mean", HAFT_REDUCTION_MEAN},
        {"Reduction sum", HAFT_REDUCTION_SUM},
        {"Reduction batchmean", HAFT_REDUCTION_BATCHMEAN},
        {"PaddingMode zeros", HAFT_PADDING_ZEROS},
        {"PaddingMode reflect", HAFT_PADDING_REFLECT},
        {"PaddingMode replicate", HAFT_PADDING_REPLICATE},
        {"PaddingMode circular", HAFT_PADDING_CIRCULAR},
        {"Interpolation nearest", HAFT_INTERPOLATE_NEAREST},
        {"Interpolation linear", HAFT_INTERPOLATE_LINEAR},
        {"Interpolation cubic", HAFT_INTERPOLATE_CUBIC},
        {"Interpolation area", HAFT_INTERPOLATE_AREA},
        {"Interpolation nearest_exact", HAFT_INTERPOLATE_NEAREST_EXACT},
        {"BagMode sum", HAFT_BAG_SUM},
        {"BagMode mean", HAFT_BAG_MEAN},
        {"BagMode max", HAFT_BAG_MAX},
        {"OrthogonalMap automatic", HAFT_ORTHOGONAL_AUTOMATIC},
        {"OrthogonalMap matrix_exp", HAFT_ORTHOGONAL_MATRIX_EXP},
        {"OrthogonalMap cayley", HAFT_ORTHOGONAL_CAYLEY},
        {"OrthogonalMap householder", HAFT_ORTHOGONAL_HOUSEHOLDER}};
    if (auto* text = find(name)) out = kWords.at(of + " " + *text);
  }
  bool all_taken() const { return taken.size() == options.size(); }

 private:
  mutable std::deque<std::vector<int64_t>> lists;
  mutable std::deque<std::vector<double>> numbers;
  mutable std::set<std::string> taken;
};

#include "tests/bindings/makers.h"

const std::map<std::string, haft_status (*)(const Given&, haft_module**)> kModules = {HAFT_MODULE_MAKERS};
const std::map<std::string, haft_status (*)(const Given&, haft_tensor* const*, int64_t, haft_optimizer**)>
    kOptimizers = {HAFT_OPTIMIZER_MAKERS};
const std::map<std::string, haft_status (*)(const Given&, haft_optimizer*, haft_scheduler**)> kSchedules = {
    HAFT_SCHEDULE_MAKERS};

// A line of cases.txt and its file.
struct Case {
  std::string file, kind, name, mode;
  double limit;
  Given given;
  Named tensors;

  Case(const std::string& folder, const std::string& line, bool wide) {
    const auto parts = split(line, '\t');
    file = parts[0], kind = parts[1], name = parts[2], mode = parts[3];
    limit = (mode == "autocast" ? 2e-2 : wide ? 1e-9 : 2e-4) * std::stod(parts[4]);
    for (size_t i = 5; i < parts.size(); ++i)
      given.options[parts[i].substr(0, parts[i].find('='))] = parts[i].substr(parts[i].find('=') + 1);
    for (auto& [key, t] : haft::io::Weights(folder + "/" + file + ".safetensors").all())
      tensors.emplace_back(key, !wide && t.dtype() == HAFT_FLOAT64 && kind != "schedule"
                                    ? haft::cast(t, HAFT_FLOAT32)
                                    : haft::clone(t));
    for (auto& [key, t] : part("option")) given.tensors[key] = t;
  }
  const Tensor* find(const std::string& key) const {
    for (auto& [name, t] : tensors)
      if (name == key) return &t;
    return nullptr;
  }
  Named part(const std::string& prefix) const {
    Named out;
    for (auto& [key, t] : tensors)
      if (key.rfind(prefix + "/", 0) == 0) out.emplace_back(key.substr(prefix.size() + 1), t);
    return out;
  }
  std::vector<Tensor> numbered(const std::string& prefix) const {
    std::vector<Tensor> out;
    while (auto* t = find(prefix + "/" + std::to_string(out.size()))) out.push_back(*t);
    return out;
  }
};

const Tensor& at(const Named& named, const std::string& key) {
  for (auto& [name, t] : named)
    if (name == key) return t;
  throw std::out_of_range(key);
}

std::vector<double> numbers(const Tensor& t) { return haft::cast(t, HAFT_FLOAT64).to_vector<double>(); }

void close(const Tensor& got, const Tensor& wanted, double limit, const std::string& what) {
  ASSERT_TRUE(got) << what << ": nothing";
  ASSERT_EQ(got.sizes(), wanted.sizes()) << what;
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  const haft::NoGrad quiet;
  const auto a = numbers(got), b = numbers(wanted);
  double largest = 1;
  for (double x : b) largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
  for (size_t i = 0; i < b.size(); ++i)
    ASSERT_TRUE(a[i] == b[i] || std::abs(a[i] - b[i]) <= limit * largest ||
                (std::isnan(a[i]) && std::isnan(b[i])))
        << what << " at " << i << ": " << a[i] << ", PyTorch " << b[i];
}

void module(const Case& c) {
  haft_module* made = nullptr;
  haft::check(kModules.at(c.name)(c.given, &made));
  const haft::nn::Module m(made);
  const auto state = c.part("state");
  if (std::any_of(c.tensors.begin(), c.tensors.end(),
                  [](auto& e) { return e.second.dtype() == HAFT_FLOAT64; }))
    m.to(HAFT_FLOAT64);
  const auto before = m.state_dict();
  ASSERT_EQ(before.size(), state.size());
  for (size_t i = 0; i < state.size(); ++i) EXPECT_EQ(before[i].first, state[i].first);
  m.load_state_dict(state);
  m.train(c.mode != "eval");
  const auto inputs = c.numbered("input"), wanted = c.numbered("output");
  for (size_t i = 0; i < inputs.size(); ++i)
    if (c.find("gradient/" + std::to_string(i))) Tensor(inputs[i]).set_requires_grad(true);
  std::vector<Tensor> outputs;
  {
    const haft::Autocast autocast(HAFT_DEVICE_DEFAULT, HAFT_DTYPE_NONE, c.mode == "autocast");
    outputs = m(inputs);
  }
  ASSERT_EQ(outputs.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    close(outputs[i], wanted[i], c.limit, "result " + std::to_string(i));
  std::vector<Tensor> seeded, seeds;
  for (auto& [i, t] : c.part("seed")) seeded.push_back(outputs[std::stoul(i)]), seeds.push_back(t);
  if (!seeded.empty()) haft::backward(seeded, seeds);
  for (auto& [i, g] : c.part("gradient"))
    close(inputs[std::stoul(i)].grad(), g, c.limit * 5, "gradient of input " + i);
  for (auto& [key, g] : c.part("grad")) close(m.parameter(key).grad(), g, c.limit * 5, "gradient of " + key);
  const auto after = m.state_dict();
  for (auto& [key, t] : c.part("after")) close(at(after, key), t, c.limit * 5, key + " behind");
}

void optimizer(const Case& c) {
  const auto params = c.numbered("param"), targets = c.numbered("target"), weights = c.numbered("weight"),
             quartics = c.numbered("quartic");
  std::vector<haft_tensor*> handles;
  for (Tensor p : params) {
    p.set_requires_grad(true);
    handles.push_back(p.get());
  }
  haft_optimizer* made = nullptr;
  haft::check(kOptimizers.at(c.name)(c.given, handles.data(), int64_t(handles.size()), &made));
  const haft::optim::Optimizer o(made);
  const auto losses = numbers(*c.find("loss"));
  for (size_t step = 0; step < losses.size(); ++step) {
    const Tensor loss = o.step_closure([&] {
      o.zero_grad();
      Tensor sum;
      for (size_t i = 0; i < params.size(); ++i) {
        const Tensor square = haft::square(params[i]);
        const Tensor term =
            haft::sum(weights[i] * haft::square(params[i] - targets[i]) + quartics[i] * haft::square(square));
        sum = sum ? sum + term : term;
      }
      sum.backward();
      return sum;
    });
    ASSERT_NEAR(loss.item(), losses[step], c.limit * std::max(1.0, std::abs(losses[step])))
        << "loss " << step;
    for (size_t i = 0; i < params.size(); ++i)
      close(params[i], *c.find("after/" + std::to_string(step) + "/" + std::to_string(i)), c.limit,
            "parameter " + std::to_string(i) + " behind step " + std::to_string(step));
  }
}

void schedule(const Case& c) {
  const auto rates = numbers(*c.find("rate")), momenta = numbers(*c.find("momentum"));
  const std::vector<double> metrics = c.find("metric") ? numbers(*c.find("metric")) : std::vector<double>();
  Tensor p = haft::zeros({2});
  p.set_requires_grad(true);
  haft_sgd_options options = HAFT_SGD_OPTIONS_INIT;
  options.lr = 0.4, options.momentum = 0.9;
  haft_tensor* handle = p.get();
  haft_optimizer* raw = nullptr;
  haft::check(haft_sgd_create(&handle, 1, &options, &raw));
  const haft::optim::Optimizer o(raw);
  haft_scheduler* made = nullptr;
  haft::check(kSchedules.at(c.name)(c.given, o.get(), &made));
  const haft::optim::Scheduler s(made);
  for (size_t i = 0; i < rates.size(); ++i) {
    double momentum = 0;
    haft::check(haft_optimizer_get_option(o.get(), 0, "momentum", &momentum));
    ASSERT_NEAR(o.lr(), rates[i], 1e-12) << "rate " << i;
    ASSERT_NEAR(momentum, momenta[i], 1e-12) << "momentum " << i;
    if (i + 1 == rates.size()) break;
    o.step();
    metrics.empty() ? s.step() : s.step(metrics[i]);
  }
}

struct Cases : testing::TestWithParam<const char*> {};

TEST_P(Cases, ComputeWhatPytorchDoes) {
  const char* folder = std::getenv("HAFT_CASES");
  if (!folder) GTEST_SKIP() << "HAFT_CASES names no folder";
  std::ifstream index(std::string(folder) + "/cases.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(index, line);) {
    if (split(line, '\t')[1] != GetParam()) continue;
    for (bool wide : {true, false}) {
      const Case c(folder, line, wide);
      SCOPED_TRACE(c.file + (wide ? "" : " in float32"));
      c.kind == "schedule" ? schedule(c) : c.kind == "optimizer" ? optimizer(c) : module(c);
      EXPECT_TRUE(c.given.all_taken()) << "an option that the entry lacks";
      names.insert(c.name);
    }
  }
  EXPECT_GE(names.size(), std::string(GetParam()) == "layer" ? 100u : 12u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Cases, testing::Values("layer", "loss", "optimizer", "schedule"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
