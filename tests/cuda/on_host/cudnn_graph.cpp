// cuDNN's graphs of attention, simulated: each operator in turn, in doubles that are rounded to their tensor's type.
// The library runs them as one kernel; what its graph says is what is computed here.
#include "cudnn_graph.h"

#include <cmath>
#include <memory>

#include "core/tensor/half.h"

namespace haft::cuda_on_host::cudnn {

namespace {

enum : int { kPointwiseOp = 13, kMatmulOp = 19, kReduceOp = 22, kReshapeOp = 31 };  // descriptors

struct Tensor {
  std::vector<int64_t> sizes, strides;
  int64_t id = 0;
  int type = 0;
  bool between = false, value = false;
  char* memory = nullptr;                        // of neither
  std::shared_ptr<std::vector<double>> numbers;  // of what lies between, and of numbers by value

  int64_t place(const std::vector<int64_t>& at) const {
    int64_t i = 0;
    for (size_t d = 0; d < sizes.size(); ++d) i += (sizes[d] == 1 ? 0 : at[d]) * strides[d];
    return i;
  }
  double get(int64_t i) const { return numbers ? (*numbers)[size_t(i)] : read_element(memory, type, i); }
  double get(const std::vector<int64_t>& at) const { return get(place(at)); }
  void set(int64_t i, double x) const {
    if (!numbers) return write_element(memory, type, i, x);
    char rounded[8];
    if (type == 0 || type == 1 || type == 2 || type == 9)
      write_element(rounded, type, 0, x), x = read_element(rounded, type, 0);
    (*numbers)[size_t(i)] = x;
  }
};

struct Graph {
  std::map<int64_t, Tensor> tensors;

  Tensor& at(const Descriptor& d) {
    const int64_t id = d.get<int64_t>(906);
    const auto [it, fresh] = tensors.try_emplace(id);
    Tensor& t = it->second;
    if (!fresh) return t;
    t.id = id, t.type = d.get<int>(901), t.between = d.has(907), t.value = d.has(908);
    int64_t last = 0;
    for (int64_t i = 0; i < d.counts.at(902); ++i) {
      t.sizes.push_back(d.get<int64_t>(902, size_t(i))), t.strides.push_back(d.get<int64_t>(903, size_t(i)));
      last += (t.sizes.back() - 1) * t.strides.back();
    }
    if (t.between || t.value) t.numbers = std::make_shared<std::vector<double>>(size_t(last) + 1);
    return t;
  }
};

// Where a dimension is shorter, neighbours share an element: one head of keys, one number of all.
std::vector<int64_t> shared(const std::vector<int64_t>& at, const std::vector<int64_t>& long_sizes,
                            const std::vector<int64_t>& sizes) {
  std::vector<int64_t> to(at);
  for (size_t d = 0; d < to.size(); ++d) to[d] = at[d] * sizes[d] / long_sizes[d];
  return to;
}

double pointwise(int mode, double a, double b, double mask) {
  switch (mode) {
    case 0: return a + b;
    case 1: return a * b;
    case 6: return a / b;
    case 9: return a - b;
    case 13: return std::exp(a);
    case 15: return std::log(a);
    case 21: return a;
    case 303: return a >= b;
    case 601: return mask != 0 ? a : b;
    default: wrong("a pointwise operator of mode " + std::to_string(mode));
  }
}

void run_one(Graph& g, const Descriptor& op) {
  if (op.type == kPointwiseOp) {
    const Tensor &x = g.at(op.part(751)), &y = g.at(op.part(753));
    const Tensor *b = op.has(752) ? &g.at(op.part(752)) : nullptr,
                 *mask = op.has(758) ? &g.at(op.part(758)) : nullptr;
    const Descriptor& what = op.part(750);
    const int mode = what.get<int>(0);
    each(y.sizes, [&](const std::vector<int64_t>& at) {
      y.set(y.place(at), mode == 501
                             ? double(at[size_t(what.get<int64_t>(9))])
                             : pointwise(mode, x.get(at), b ? b->get(at) : 0, mask ? mask->get(at) : 0));
    });
  } else if (op.type == kReduceOp) {
    const Tensor &x = g.at(op.part(1610)), &y = g.at(op.part(1611));
    const bool sum = op.part(1612).get<int>(1600) == 0;
    std::vector<bool> seen;
    std::vector<double> joined;
    each(x.sizes, [&](const std::vector<int64_t>& at) {
      const size_t to = size_t(y.place(shared(at, x.sizes, y.sizes)));
      if (joined.size() <= to) joined.resize(to + 1), seen.resize(to + 1);
      const double v = x.get(at);
      joined[to] = !seen[to] ? v : sum ? joined[to] + v : std::fmax(joined[to], v);
      seen[to] = true;
    });
    for (size_t i = 0; i < joined.size(); ++i)
      if (seen[i]) y.set(int64_t(i), joined[i]);
  } else if (op.type == kMatmulOp) {
    const Tensor &a = g.at(op.part(1520)), &b = g.at(op.part(1521)), &y = g.at(op.part(1522));
    if (a.sizes[3] != b.sizes[2] || y.sizes[2] != a.sizes[2] || y.sizes[3] != b.sizes[3])
      wrong("a product of matrices that do not fit");
    each(y.sizes, [&](const std::vector<int64_t>& at) {
      std::vector<int64_t> left{at[0], at[1] * a.sizes[1] / y.sizes[1], at[2], 0},
          right{at[0], at[1] * b.sizes[1] / y.sizes[1], 0, at[3]};
      // Blocks of keys add to float32 in memory.
      double total = y.memory && y.type == 0 ? y.get(at) : 0;
      for (int64_t k = 0; k < a.sizes[3]; ++k) left[3] = right[2] = k, total += a.get(left) * b.get(right);
      y.set(y.place(at), total);
    });
  } else {
    const Tensor &x = g.at(op.part(2200)), &y = g.at(op.part(2201));  // the same places, told otherwise
    each(y.sizes, [&](const std::vector<int64_t>& at) { y.set(y.place(at), x.get(y.place(at))); });
  }
}

}  // namespace

double read_element(const char* p, int type, int64_t i) {
  BFloat16 b;
  switch (type) {
    case 0: return reinterpret_cast<const float*>(p)[i];
    case 1: return reinterpret_cast<const double*>(p)[i];
    case 2: return Half::decode(reinterpret_cast<const uint16_t*>(p)[i]);
    default: b.bits = reinterpret_cast<const uint16_t*>(p)[i]; return b;
  }
}
void write_element(char* p, int type, int64_t i, double x) {
  switch (type) {
    case 0: reinterpret_cast<float*>(p)[i] = float(x); return;
    case 1: reinterpret_cast<double*>(p)[i] = x; return;
    case 2: reinterpret_cast<uint16_t*>(p)[i] = Half::encode(float(x)); return;
    default: reinterpret_cast<uint16_t*>(p)[i] = BFloat16::encode(float(x)); return;
  }
}

bool is_attention(const Descriptor& graph) {
  int products = 0;
  for (const Descriptor* op : operators(graph)) {
    if (op->type != kPointwiseOp && op->type != kMatmulOp && op->type != kReduceOp && op->type != kReshapeOp)
      return false;
    products += op->type == kMatmulOp;
  }
  return products > 1;
}

std::function<void()> attention_run(const Descriptor& graph, const Descriptor& variables) {
  auto g = std::make_shared<Graph>();
  const std::vector<const Descriptor*> ops = operators(graph);
  for (const Descriptor* op : ops)
    for (const auto& [attribute, value] : op->attributes) {
      const bool of_tensors = attribute != 750 && attribute != 1523 && attribute != 1612;
      if (!of_tensors) continue;
      Tensor& t = g->at(op->part(attribute));
      if (t.between || t.memory) continue;
      if (t.value)
        (*t.numbers)[0] = read_element(bound(variables, t.id), t.type, 0);
      else
        t.memory = bound_memory(variables, t.id);
    }
  return [g, ops] {
    Graph mine;
    for (const auto& [id, t] : g->tensors) {  // a recording runs it again
      Tensor& copy = mine.tensors[id] = t;
      if (copy.between) copy.numbers = std::make_shared<std::vector<double>>(*t.numbers);
    }
    for (const Descriptor* op : ops) run_one(mine, *op);
  };
}

}  // namespace haft::cuda_on_host::cudnn
