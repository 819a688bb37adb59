// Which graphs the installed cuDNN makes plans of, without a GPU: from h200.json, a description of NVIDIA's H200 in
// the form of cuDNN's own (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION). Its keys are those that cuDNN 9.19 asks for,
// its values are from the public figures of the card; a description read from a card may replace it.
//
// Kernels that the library compiles at run time need a driver to be loaded. Where there is none, the toolkit's stub
// stands in for it, and such a plan counts as compiled when loading is what fails.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>

#include "core/cuda/dnn_attention.h"
#include "core/cuda/dnn_conv.h"
#include "core/cuda/kernel.h"
#include "core/cuda/library.h"

namespace haft::cuda {
const haft_backend_host* host = nullptr;
}

namespace haft::cuda::dnn {

namespace {

struct Tried {
  int graphs = 0, plans = 0, compiled = 0;
  int64_t workspace = 0;
};

struct Test {
  const Functions& lib;
  const std::string device;
  bool good = true;

  Tried tried;
  void plan(std::unique_ptr<Graph> graph, bool tf32, int tries, const std::string& what) {
    Wanted wanted;
    wanted.device = &device;
    wanted.tf32 = tf32;
    wanted.most_tries = tries;
    std::string why = graph->why();
    std::unique_ptr<Plan> p;
    if (graph->good()) p = Plan::make(std::move(graph), nullptr, wanted, &why);
    ++tried.graphs;
    if (p) {
      ++tried.plans;
      tried.workspace = std::max(tried.workspace, p->workspace());
    } else if (why.find("cuLibraryLoadData") != std::string::npos) {
      ++tried.compiled;
    } else {
      good = false;
      std::printf("  %s: no plan, %s\n", what.c_str(), why.c_str());
    }
  }
  void pattern(const char* name, const std::function<void()>& all) {
    tried = {};
    const auto begin = std::chrono::steady_clock::now();
    all();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%-44s %3d graphs, %3d plans, %d compiled, workspace up to %4.0f MB, %.1f s\n", name,
                tried.graphs, tried.plans, tried.compiled, double(tried.workspace) / (1 << 20), seconds);
    std::fflush(stdout);
  }
};

ConvShape conv(int64_t c, int64_t o, int64_t size, int64_t kernel, int64_t stride) {
  const int64_t padding = kernel / 2, y = (size + 2 * padding - kernel) / stride + 1;
  return {64,
          c,
          o,
          1,
          {1, size, size},
          {1, y, y},
          {1, kernel, kernel},
          {1, stride, stride},
          {0, padding, padding},
          {1, 1, 1},
          2};
}
// ResNet-50 (He et al., arXiv:1512.03385) for 224 x 224 images, each convolution once.
std::vector<ConvShape> resnet50() {
  std::vector<ConvShape> all = {conv(3, 64, 224, 7, 2)};
  int64_t in = 64, size = 56;
  for (int64_t width = 64; width <= 512; width *= 2) {
    const int64_t stride = width == 64 ? 1 : 2, out = 4 * width;
    all.push_back(conv(in, width, size, 1, 1));
    all.push_back(conv(width, width, size, 3, stride));
    all.push_back(conv(in, out, size, 1, stride));
    size /= stride;
    all.push_back(conv(width, out, size, 1, 1));
    all.push_back(conv(out, width, size, 1, 1));
    if (stride > 1) all.push_back(conv(width, width, size, 3, 1));
    in = out;
  }
  return all;
}

void convolutions(Test& t, DType type, bool channels_last, bool tf32) {
  constexpr const char* kPasses[] = {"forward", "input", "weight"};
  for (int pass = 0; pass < 3; ++pass) {
    const std::string name = concat("ResNet-50 ", kPasses[pass], " ", dtype_name(type),
                                    channels_last ? " NHWC" : " NCHW", tf32 ? "" : " exact");
    t.pattern(name.c_str(), [&] {
      for (const ConvShape& s : resnet50())
        t.plan(conv_graph(t.lib, ConvPass(pass), s, type, channels_last, false).graph, tf32, 8,
               concat(s.c, " to ", s.o, " at ", s.x[1]));
    });
  }
  t.pattern(concat("  with a bias, ", dtype_name(type), tf32 ? "" : " exact").c_str(), [&] {
    t.plan(conv_graph(t.lib, ConvPass::forward, conv(64, 64, 56, 3, 1), type, channels_last, true).graph,
           tf32, 8, "bias");
  });
}

void attention(Test& t) {
  constexpr int64_t kHeads = 12, kPlaces = 1024, kWidth = 64, kRow = kHeads * kWidth;
  using Strides = std::array<int64_t, 4>;
  // GPT-2 124M: queries, keys and values are thirds of one projection.
  const Strides third{kPlaces * 3 * kRow, kWidth, 3 * kRow, 1}, whole{kPlaces * kRow, kWidth, kRow, 1};
  AttentionShape s{};
  s.batch = 8, s.heads = s.own = kHeads, s.queries = s.keys = kPlaces, s.width = kWidth;
  s.type = DType::bf16;
  s.q = s.k = s.v = third;
  s.o = s.d_o = s.dq = s.dk = s.dv = whole;
  auto both = [&](const char* name, const AttentionShape& s) {
    t.pattern(name, [&] {
      t.plan(attention_forward(t.lib, s).graph, true, 1, "forward");
      t.plan(attention_backward(t.lib, s).graph, true, 1, "backward");
    });
  };
  both("attention without a mask", s);
  s.causal = true;
  both("attention of GPT-2", s);
  // Keys and values of a third of the heads, as a cache has them.
  AttentionShape grouped = s;
  grouped.own = kHeads / 3;
  grouped.k = grouped.v = grouped.dk =
      grouped.dv = {kPlaces * grouped.own * kWidth, kPlaces * kWidth, kWidth, 1};
  both("attention of grouped heads", grouped);
  // Masks: of each batch's keys, of all places, of each head; of keys whose number is odd.
  s.causal = false;
  auto masked = [&](AttentionShape s, int64_t n, int64_t h, int64_t l) {
    const int64_t row = (s.keys + 7) / 8 * 8;
    s.bias = {{n, h, l, s.keys}, {h * l * row, l * row, row, 1}, DType::f32, nullptr};
    return s;
  };
  both("attention with a mask of keys", masked(s, 8, 1, 1));
  both("attention with a mask of places", masked(s, 1, 1, kPlaces));
  both("attention with a mask of heads", masked(grouped, 8, kHeads, kPlaces));
  s.type = DType::f16;
  s.keys = s.queries = 77;
  both("attention with a mask of 77 keys", masked(s, 8, 1, 77));
}

void products(Test& t) {
  using Three = std::array<int64_t, 3>;
  // The inputs of all steps by an LSTM's four gates, with their biases: (T N, in) x (in, 4 H) + (4 H).
  t.pattern("an LSTM's product with bias bfloat16", [&] {
    for (int64_t hidden : {256, 1024}) {
      auto g = std::make_unique<Graph>(t.lib);
      const int64_t rows = 128 * 32, gates = 4 * hidden;
      const Tensor x = g->packed(Three{1, rows, hidden}, DType::bf16);
      const Tensor w = g->tensor(Three{1, hidden, gates}, Three{hidden * gates, 1, hidden}, DType::bf16);
      const Tensor bias = g->packed(Three{1, 1, gates}, DType::bf16),
                   y = g->packed(Three{1, rows, gates}, DType::bf16);
      g->pointwise(kAdd, g->multiply(x, w, Three{1, rows, gates}), {.b = &bias, .out = &y});
      t.plan(std::move(g), true, 1, "product");
    }
  });
}

int run(const char* file) {
  const Functions* lib = functions();
  if (!lib) {
    std::printf("skipped: %s\n", library_facts(Library::cudnn).why.c_str());
    return 77;
  }
  std::printf("cuDNN %s\n", library_facts(Library::cudnn).version.c_str());
  std::ifstream from(file);
  Test t{*lib, {std::istreambuf_iterator<char>(from), {}}};
  convolutions(t, DType::bf16, true, true);
  convolutions(t, DType::f32, false, true);
  convolutions(t, DType::f32, false, false);
  attention(t);
  products(t);
  return t.good ? 0 : 1;
}

}  // namespace

}  // namespace haft::cuda::dnn

int main(int, char** arguments) { return haft::cuda::dnn::run(arguments[1]); }
