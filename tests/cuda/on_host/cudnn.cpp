// cuDNN's backend, simulated: graphs of a convolution, with numbers added to its result, are computed in plain loops
// as the descriptors say, and graphs of attention by cudnn_graph.cpp. Every other pattern is refused, and so are a bias
// in float64 and maps that are neither row-major nor channels last.
#include <array>
#include <atomic>
#include <memory>

#include "core/cuda/dnn.h"
#include "cudnn_graph.h"
#include "libraries.h"

struct cudnnContext {
  haft::cuda::Stream stream = nullptr;
};

namespace haft::cuda_on_host {

namespace {

constexpr int kNotSupported = 3000;
constexpr size_t kWorkspace = 256;

using namespace cudnn;

std::atomic<int64_t> plans{0};

int64_t width(int type) {
  switch (type) {
    case 2:
    case 24: return 1;  // bool, char
    case 1:
    case 4:
    case 7:
    case 8:
    case 11:
    case 14:
    case 18:
    case 27:
    case 28: return 4;  // enumerations
    default: return 8;
  }
}

struct Tensor {
  std::vector<int64_t> sizes, strides;
  int64_t id;
  int type;
  bool between;
  char* p = nullptr;
  explicit Tensor(const Descriptor& d) : id(d.get<int64_t>(906)), type(d.get<int>(901)), between(d.has(907)) {
    for (int64_t i = 0; i < d.counts.at(902); ++i)
      sizes.push_back(d.get<int64_t>(902, size_t(i))), strides.push_back(d.get<int64_t>(903, size_t(i)));
  }
  bool dense(bool channels_last) const {
    std::vector<size_t> order;
    order.push_back(0);
    if (!channels_last) order.push_back(1);
    for (size_t d = 2; d < sizes.size(); ++d) order.push_back(d);
    if (channels_last) order.push_back(1);
    int64_t step = 1;
    for (size_t i = order.size(); i--; step *= sizes[order[i]])
      if (strides[order[i]] != step) return false;
    return true;
  }
  int64_t place(int64_t n, int64_t c, const int64_t* at) const {
    int64_t i = n * strides[0] + c * strides[1];
    for (size_t d = 2; d < sizes.size(); ++d) i += at[d - 2] * strides[d];
    return i;
  }
  double read(int64_t i) const { return read_element(p, type, i); }
  void write(int64_t i, double x) const { write_element(p, type, i, x); }
};

// What a graph says, if it is one of those that there are.
struct Conv {
  int pass = -1;  // 0 forward, 1 for x, 2 for w
  Tensor x, w, y;
  std::vector<Tensor> bias;
  std::vector<int64_t> stride, padding, dilation;
};
bool known(const Descriptor& graph) {
  const auto ops = operators(graph);
  if (is_attention(graph)) return true;
  if (ops.empty() || ops.size() > 2 || ops[0]->type < 10 || ops[0]->type > 12) return false;
  return ops.size() == 1 || (ops[0]->type == 10 && ops[1]->type == 13 && ops[1]->part(750).get<int>(0) == 0);
}
Conv read_graph(const Descriptor& graph) {
  const auto ops = operators(graph);
  const Descriptor& op = *ops[0];
  const int base = op.type == 10 ? 700 : op.type == 12 ? 706 : 712;  // alpha, beta, geometry come first
  const int at[3][3] = {{704, 703, 705}, {710, 709, 711}, {716, 715, 717}};
  const int pass = op.type == 10 ? 0 : op.type == 12 ? 1 : 2;
  Conv c{pass,
         Tensor(op.part(at[pass][0])),
         Tensor(op.part(at[pass][1])),
         Tensor(op.part(at[pass][2])),
         {},
         {},
         {},
         {}};
  const Descriptor& geometry = op.part(base + 2);
  // The library reads factors in the type of computation.
  const auto factor = [&](int k) {
    return geometry.get<int>(100) == 1 ? op.get<double>(base + k) : double(op.get<float>(base + k));
  };
  if (factor(0) != 1 || factor(1) != 0) wrong("a convolution is scaled");
  if (geometry.get<int>(101) != 1) wrong("a convolution is turned");
  for (int64_t d = 0; d < geometry.get<int64_t>(106); ++d) {
    c.dilation.push_back(geometry.get<int64_t>(102, size_t(d)));
    c.stride.push_back(geometry.get<int64_t>(103, size_t(d)));
    c.padding.push_back(geometry.get<int64_t>(105, size_t(d)));
    if (geometry.get<int64_t>(104, size_t(d)) != c.padding.back()) wrong("paddings differ");
  }
  if (ops.size() == 2) {
    if (!c.y.between || ops[1]->part(751).get<int64_t>(906) != c.y.id)
      wrong("what is added to is not the product");
    c.bias.push_back(Tensor(ops[1]->part(752)));
    c.y = Tensor(ops[1]->part(753));
  }
  return c;
}
bool served(const Conv& c) {
  if (c.y.type == 1 && !c.bias.empty()) return false;
  auto all = [&](bool last) { return c.x.dense(last) && c.w.dense(last) && c.y.dense(last); };
  if (!all(false) && !all(true)) wrong("tensors in different orders");
  if (c.x.between || c.w.between || c.y.between) wrong("a tensor between is bound");
  return true;
}

void compute(const Conv& c) {
  const size_t dims = c.stride.size();
  const int64_t groups = c.x.sizes[1] / c.w.sizes[1], group_o = c.y.sizes[1] / groups, group_c = c.w.sizes[1];
  const Tensor& out = c.pass == 0 ? c.y : c.pass == 1 ? c.x : c.w;
  // Tensors are dense (served): their places count their elements.
  auto elements = [](const Tensor& t) {
    int64_t n = 1;
    for (int64_t s : t.sizes) n *= s;
    return size_t(n);
  };
  auto numbers = [&](const Tensor& t) {
    std::vector<double> v(&t == &out ? 0 : elements(t));
    for (size_t i = 0; i < v.size(); ++i) v[i] = t.read(int64_t(i));
    return v;
  };
  const std::vector<double> xs = numbers(c.x), ws = numbers(c.w), ys = numbers(c.y);
  std::vector<double> sums(elements(out));
  std::vector<int64_t> window = c.w.sizes;  // of one channel of y
  window[0] = 1;
  each(c.y.sizes, [&](const std::vector<int64_t>& y) {
    const int64_t n = y[0], o = y[1], first = o / group_o * group_c, iy = c.y.place(n, o, y.data() + 2);
    each(window, [&](const std::vector<int64_t>& w) {
      int64_t at[3];
      for (size_t d = 0; d < dims; ++d) {
        at[d] = y[2 + d] * c.stride[d] - c.padding[d] + w[2 + d] * c.dilation[d];
        if (at[d] < 0 || at[d] >= c.x.sizes[2 + d]) return;
      }
      const int64_t ix = c.x.place(n, first + w[1], at), iw = c.w.place(o, w[1], w.data() + 2);
      if (c.pass == 0) sums[size_t(iy)] += xs[size_t(ix)] * ws[size_t(iw)];
      if (c.pass == 1) sums[size_t(ix)] += ys[size_t(iy)] * ws[size_t(iw)];
      if (c.pass == 2) sums[size_t(iw)] += ys[size_t(iy)] * xs[size_t(ix)];
    });
    if (!c.bias.empty()) {
      const int64_t none[3] = {};
      sums[size_t(iy)] += c.bias[0].read(c.bias[0].place(0, o, none));
    }
  });
  for (size_t i = 0; i < sums.size(); ++i) out.write(int64_t(i), sums[i]);
}

// ---- the library's functions ----

int create(cuda::dnn::Handle* h) { return *h = new cudnnContext, 0; }
int set_stream(cuda::dnn::Handle h, cuda::Stream s) { return h->stream = s, 0; }
const char* error_string(int s) {
  return s == kNotSupported ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_BAD_PARAM";
}
void last_error(char* text, size_t n) {
  if (n) text[0] = 0;
}
int create_descriptor(int type, void** d) { return *d = new Descriptor{type, false, {}, {}}, 0; }
int destroy_descriptor(void* d) { return delete static_cast<Descriptor*>(d), 0; }
int set_attribute(void* p, int attribute, int type, int64_t n, const void* values) {
  Descriptor& d = *static_cast<Descriptor*>(p);
  if (d.finished) wrong("a finished descriptor is changed");
  const char* from = static_cast<const char*>(values);
  d.attributes[attribute].assign(from, from + n * width(type));
  d.counts[attribute] = n;
  return 0;
}
const Descriptor& graph_of(const Descriptor& plan) { return plan.part(401).part(300).part(1300); }
int finalize(void* p) {
  Descriptor& d = *static_cast<Descriptor*>(p);
  d.finished = true;
  if (d.type == 15 && !known(d)) return kNotSupported;
  if (d.type == 5) {
    const Descriptor& graph = graph_of(d);
    if (!is_attention(graph) && !served(read_graph(graph))) return kNotSupported;
    ++plans;
  }
  return 0;
}
int get_attribute(void* p, int attribute, int, int64_t room, int64_t* n, void* out) {
  std::lock_guard guard(lock());
  Descriptor& d = *static_cast<Descriptor*>(p);
  if (attribute == 202) {  // one proposal, whose engine knows the graph
    *n = 1;
    if (room < 1) return 0;
    Descriptor& config = **static_cast<Descriptor**>(out);
    static std::vector<std::unique_ptr<Descriptor>> engines;  // as long as the process
    engines.push_back(std::make_unique<Descriptor>(Descriptor{2, true, {}, {}}));
    Descriptor* engine = engines.back().get();
    const void* graph = &d.part(201);
    engine->attributes[1300].assign(reinterpret_cast<char*>(&graph), reinterpret_cast<char*>(&graph) + 8);
    config.attributes[300].assign(reinterpret_cast<char*>(&engine), reinterpret_cast<char*>(&engine) + 8);
    return 0;
  }
  if (attribute == 300) {
    static_cast<Descriptor**>(out)[0]->attributes = d.part(300).attributes;
    return *n = 1, 0;
  }
  if (attribute == 1303) return *n = 0, 0;  // nothing to note
  if (attribute == 402) {
    const int64_t bytes = kWorkspace;
    std::memcpy(out, &bytes, 8);
    return *n = 1, 0;
  }
  return kNotSupported;
}
int execute(cuda::dnn::Handle h, void* plan, void* variables) {
  std::lock_guard guard(lock());
  check_stream(h->stream, "cuDNN");
  const Descriptor& v = *static_cast<Descriptor*>(variables);
  const Descriptor& graph = graph_of(*static_cast<Descriptor*>(plan));
  char* workspace = v.get<char*>(1003);
  if (!workspace) wrong("no workspace");
  std::function<void()> run;
  if (is_attention(graph)) {
    run = attention_run(graph, v);
  } else {
    Conv c = read_graph(graph);
    for (Tensor* t : {&c.x, &c.w, &c.y}) t->p = bound_memory(v, t->id);
    if (!c.bias.empty()) c.bias[0].p = bound_memory(v, c.bias[0].id);
    run = [c] { compute(c); };
  }
  give(h->stream, [run, workspace] {
    std::memset(workspace, 0xff, kWorkspace);
    run();
  });
  return 0;
}
size_t version() { return 91900; }

}  // namespace

namespace cudnn {

std::vector<const Descriptor*> operators(const Descriptor& graph) {
  std::vector<const Descriptor*> all;
  for (int64_t i = 0; i < graph.counts.at(801); ++i) all.push_back(graph.get<Descriptor*>(801, size_t(i)));
  return all;
}
char* bound(const Descriptor& variables, int64_t id) {
  for (int64_t i = 0; i < variables.counts.at(1000); ++i)
    if (variables.get<int64_t>(1000, size_t(i)) == id) return variables.get<char*>(1001, size_t(i));
  wrong("a tensor is not bound");
}
char* bound_memory(const Descriptor& variables, int64_t id) {
  char* p = bound(variables, id);
  if (reinterpret_cast<uintptr_t>(p) % 16) wrong("a tensor is less aligned than was promised");
  return p;
}

}  // namespace cudnn

void* cudnn_function(const char* name) {
  struct Function {
    const char* name;
    void* function;
  };
  static const Function all[] = {
      {"cudnnGetVersion", reinterpret_cast<void*>(version)},
      {"cudnnCreate", reinterpret_cast<void*>(create)},
      {"cudnnSetStream", reinterpret_cast<void*>(set_stream)},
      {"cudnnGetErrorString", reinterpret_cast<void*>(error_string)},
      {"cudnnGetLastErrorString", reinterpret_cast<void*>(last_error)},
      {"cudnnBackendCreateDescriptor", reinterpret_cast<void*>(create_descriptor)},
      {"cudnnBackendDestroyDescriptor", reinterpret_cast<void*>(destroy_descriptor)},
      {"cudnnBackendSetAttribute", reinterpret_cast<void*>(set_attribute)},
      {"cudnnBackendGetAttribute", reinterpret_cast<void*>(get_attribute)},
      {"cudnnBackendFinalize", reinterpret_cast<void*>(finalize)},
      {"cudnnBackendExecute", reinterpret_cast<void*>(execute)},
  };
  for (const Function& f : all)
    if (std::strcmp(f.name, name) == 0) return f.function;
  return nullptr;
}

}  // namespace haft::cuda_on_host

// How many plans there were so far, for programs that see the simulation as a plug-in.
extern "C" [[gnu::visibility("default")]] int64_t haft_simulated_plans() { return haft::cuda_on_host::plans; }
