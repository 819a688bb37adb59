// GPT-2 (Radford et al., 2019) of 124 million parameters, trained in bfloat16 with a step that is recorded once and
// replayed.
//
//   c++ -std=c++17 gpt2.cpp $(pkg-config --cflags --libs haft)
//   ./a.out --device cuda:0 [FILE...] [--batch 64] [--steps 1000] [--save 1]
//
// FILE: text, of which each byte is a token (the licences in /usr/share/common-licenses unless given); .bin, tokens
// as llm.c or nanoGPT write them (uint16, with or without llm.c's header of 1024 bytes); .safetensors, weights under
// Hugging Face's names to begin with.
// --save writes such a file, gpt2.safetensors, at the end.
//
// Weights, their gradients and the optimizer's states are float32; a step computes with bfloat16 copies, made once a
// step.
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "options.hpp"

namespace {

namespace nn = haft::nn;
namespace optim = haft::optim;
using haft::Tensor;

// Of the table: a multiple of 128, for the products.
constexpr std::int64_t kVocabulary = 50257, kRows = 50304;
constexpr std::int64_t kHead = 64;

struct Attention : nn::Definition {
  nn::Module c_attn, c_proj;
  explicit Attention(std::int64_t width)
      : c_attn(child("c_attn", nn::Linear(width, 3 * width))),
        c_proj(child("c_proj", nn::Linear(width, width))) {}
  Tensor forward(const Tensor& x) override {  // (rows, tokens, width)
    std::vector<Tensor> parts = haft::chunk(c_attn(x), 3, -1);
    for (Tensor& t : parts) t = haft::transpose(haft::unflatten(t, -1, {-1, kHead}), 1, 2);
    Tensor seen = haft::scaled_dot_product_attention(parts[0], parts[1], parts[2], Tensor(), 0, true);
    return c_proj(haft::flatten(haft::transpose(seen, 1, 2), 2));
  }
};

struct Mlp : nn::Definition {
  nn::Module c_fc, c_proj;
  explicit Mlp(std::int64_t width)
      : c_fc(child("c_fc", nn::Linear(width, 4 * width))),
        c_proj(child("c_proj", nn::Linear(4 * width, width))) {}
  Tensor forward(const Tensor& x) override { return c_proj(haft::gelu(c_fc(x), true)); }
};

struct Block : nn::Definition {
  nn::Module ln_1, attn, ln_2, mlp;
  explicit Block(std::int64_t width)
      : ln_1(child("ln_1", nn::LayerNorm({width}))),
        attn(child("attn", nn::make<Attention>("Attention", width))),
        ln_2(child("ln_2", nn::LayerNorm({width}))),
        mlp(child("mlp", nn::make<Mlp>("Mlp", width))) {}
  Tensor forward(const Tensor& x) override {
    Tensor y = x + attn(ln_1(x));
    return y + mlp(ln_2(y));
  }
};

struct Gpt2 : nn::Definition {
  nn::Module wte, wpe, h, ln_f;
  std::vector<nn::Module> blocks;

  static std::vector<nn::Module> make_blocks(std::int64_t layers, std::int64_t width) {
    std::vector<nn::Module> all;
    for (std::int64_t i = 0; i < layers; ++i) all.push_back(nn::make<Block>("Block", width));
    return all;
  }
  Gpt2(std::int64_t layers, std::int64_t width, std::int64_t context)
      : wte(child("wte", nn::Embedding(kRows, width))),
        wpe(child("wpe", nn::Embedding(context, width))),
        blocks(make_blocks(layers, width)) {
    h = child("h", nn::ModuleList(blocks));
    ln_f = child("ln_f", nn::LayerNorm({width}));
  }
  Tensor forward(const Tensor& tokens) override {  // (rows, tokens) to (rows, tokens, kRows)
    Tensor x = wte(tokens) + wpe(haft::arange(0, tokens.size(1)));
    for (const nn::Module& block : blocks) x = block(x);
    return haft::linear(ln_f(x), wte.parameter("weight"));  // the table serves both ways
  }
};

bool ends_with(const std::string& s, const std::string& end) {
  return s.size() >= end.size() && !s.compare(s.size() - end.size(), end.size(), end);
}

// GPT-2's first weights: those that add to the stream of the blocks are smaller, the more of them there are.
void begin_with(const nn::Module& net, std::int64_t layers) {
  for (const auto& [name, p] : net.named_parameters()) {
    if (ends_with(name, ".bias"))
      nn::init::constant_(p, 0);
    else if (name.find("ln_") == std::string::npos)
      nn::init::normal_(p, 0,
                        ends_with(name, "c_proj.weight") ? 0.02 / std::sqrt(2.0 * double(layers)) : 0.02);
  }
}

// Hugging Face's file has the four products of a block turned (Conv1D), the vocabulary's rows alone, and no name for
// what is computed.
bool is_turned(const std::string& name) {
  return name.find(".c_") != std::string::npos && ends_with(name, ".weight");
}
void load(const nn::Module& net, const std::string& file) {
  haft::NoGrad off;
  const haft::io::Weights weights(file);
  for (auto [name, p] : net.named_parameters()) {
    Tensor w = weights[name];
    if (is_turned(name)) w = haft::t(w);
    if (name == "wte.weight") p = haft::narrow(p, 0, 0, w.size(0));
    haft::copy_(p, haft::to(w, HAFT_FLOAT32, haft::default_device()));
  }
}
void save(const nn::Module& net, const std::string& file) {
  nn::NamedTensors all;
  for (const auto& [name, p] : net.named_parameters()) {
    Tensor w = haft::to(haft::detach(p), HAFT_FLOAT32, HAFT_DEVICE_CPU);
    if (is_turned(name)) w = haft::contiguous(haft::t(w));
    if (name == "wte.weight") w = haft::narrow(w, 0, 0, kVocabulary);
    all.emplace_back(name, w);
  }
  haft::io::save_safetensors(all, file);
}

std::vector<std::int64_t> read_tokens(const std::vector<std::string>& files) {
  std::vector<std::int64_t> tokens;
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (bytes.empty()) throw std::runtime_error(file + " cannot be read, or is empty");
    const auto* b = reinterpret_cast<const unsigned char*>(bytes.data());
    if (!ends_with(file, ".bin")) {
      tokens.insert(tokens.end(), b, b + bytes.size());
      continue;
    }
    const std::int32_t magic = 20240520;  // of llm.c's header
    for (std::size_t i = bytes.size() > 1024 && !std::memcmp(b, &magic, 4) ? 1024 : 0; i + 1 < bytes.size();
         i += 2) {
      tokens.push_back(b[i] | b[i + 1] << 8);
      if (tokens.back() >= kVocabulary)
        throw std::runtime_error(file + " has a token " + std::to_string(tokens.back()) +
                                 ", GPT-2 knows those below 50257");
    }
  }
  return tokens;
}

struct Training {
  nn::Module net;
  optim::Optimizer optimizer;
  nn::NamedTensors parameters;
  Tensor tokens, loss;  // (parts, rows, tokens + 1) of the step; what it cost
  bool low;

  Training(const nn::Module& net, const optim::Optimizer& optimizer, std::int64_t parts, std::int64_t rows,
           std::int64_t length, bool low)
      : net(net),
        optimizer(optimizer),
        parameters(net.named_parameters()),
        tokens(haft::zeros({parts, rows, length + 1}, HAFT_INT64)),
        loss(haft::zeros({}, HAFT_FLOAT32)),
        low(low) {}

  Tensor loss_of(const Tensor& rows) const {
    const std::int64_t length = rows.size(1) - 1;
    nn::NamedTensors copies;
    if (low)
      for (const auto& [name, p] : parameters) copies.emplace_back(name, haft::to(p, HAFT_BFLOAT16));
    Tensor scores = net.functional_call(copies, {haft::narrow(rows, 1, 0, length)})[0];
    // Of each row, and their mean in float32: one of bfloat16 tells three digits.
    Tensor each =
        haft::cross_entropy(haft::flatten(scores, 0, 1), haft::flatten(haft::narrow(rows, 1, 1, length)),
                            Tensor(), HAFT_REDUCTION_NONE);
    return haft::mean(haft::to(each, HAFT_FLOAT32));
  }
  void step() {
    optimizer.zero_grad();
    const std::int64_t parts = tokens.size(0);
    Tensor sum;
    for (std::int64_t i = 0; i < parts; ++i) {
      Tensor part = loss_of(haft::select(tokens, 0, i)) / double(parts);
      part.backward();
      sum = sum ? sum + haft::detach(part) : haft::detach(part);
    }
    optim::clip_grad_norm(net.parameters(), 1);
    optimizer.step();
    haft::NoGrad off;
    haft::copy_(loss, sum);
  }
};

// TFLOP/s of products of bfloat16 (dense) in NVIDIA's data sheets; 0 for a GPU that is not here.
double peak_of(const std::string& name) {
  constexpr std::pair<const char*, double> kKnown[] = {
      {"B200", 2250}, {"H200 NVL", 835}, {"H200", 989}, {"H100 NVL", 835}, {"H100 PCIe", 756},
      {"H100", 989},  {"A100", 312},     {"A800", 312}, {"L40S", 362},     {"L40", 181},
      {"L4", 121},    {"A40", 150},      {"A30", 165},  {"A10", 125}};
  for (const auto& [part, peak] : kKnown) {
    const std::size_t at = name.find(part), end = at + std::strlen(part);
    if (at != std::string::npos &&
        (end == name.size() || !std::isalnum(static_cast<unsigned char>(name[end]))))
      return peak;
  }
  return 0;
}

void run(Options& o) {
  const haft_device device = haft::default_device();
  const bool here = device == HAFT_DEVICE_CPU;
  const std::int64_t layers = o["--layers"], width = o["--width"], length = o["--tokens"],
                     rows = o["--batch"], parts = o["--accumulate"];
  const long steps = o["--steps"], warm = std::min(o["--warm"], steps);
  if (width % kHead) throw std::runtime_error("--width wants a multiple of " + std::to_string(kHead));
  std::vector<std::string> files;
  std::string start;
  for (const std::string& file : o.rest)
    ends_with(file, ".safetensors") ? start = file : (files.push_back(file), file);
  if (files.empty())
    for (const char* name : {"Apache-2.0", "GFDL-1.3", "GPL-3", "MPL-2.0"})
      files.push_back(std::string("/usr/share/common-licenses/") + name);
  const std::vector<std::int64_t> text = read_tokens(files);
  if (std::int64_t(text.size()) <= length + 1)
    throw std::runtime_error("the text is too short for rows of " + std::to_string(length));

  nn::Module net = nn::make<Gpt2>("Gpt2", layers, width, length);
  begin_with(net, layers);
  if (!start.empty()) load(net, start);
  // Matrices and tables decay, what has one dimension does not.
  std::vector<Tensor> decaying, others;
  for (const Tensor& p : net.parameters()) (p.ndim() > 1 ? decaying : others).push_back(p);
  optim::AdamWOptions adamw(o.number("--lr"));
  adamw.beta2 = 0.95, adamw.weight_decay = 0.1;
  optim::Optimizer optimizer = optim::adamw(decaying, adamw);
  optimizer.set_option("weight_decay", 0, optimizer.add_group(others));
  // Up for a while, then down along a cosine to a tenth.
  optim::Scheduler schedule = optim::lambda_lr(optimizer, [=](std::int64_t step) {
    if (step < warm) return double(step + 1) / double(warm);
    return 0.55 + 0.45 * std::cos(M_PI * double(step - warm) / double(std::max(1L, steps - warm)));
  });

  Training training(net, optimizer, parts, rows, length, o["--bf16"] != 0);
  // Places are looked up, not multiplied.
  const double used = double(net.parameter_count()) - double(width * length);
  // A token, forward and backward (PaLM's count, arXiv:2204.02311).
  const double flops = 6 * used + 12.0 * double(layers * width * length);
  std::printf("%zu tokens; %.1f million parameters, %.3f GFLOP a token\n", text.size(),
              double(net.parameter_count()) / 1e6, flops / 1e9);
  const haft::DeviceGraph recorded =
      here || o["--record"] == 0 ? haft::DeviceGraph() : haft::DeviceGraph(device);
  const double each_step = double(parts * rows * length);
  const double peak = o.number("--peak") > 0 ? o.number("--peak")
                      : here || !o["--bf16"] ? 0
                                             : peak_of(haft::device_properties(device).name);
  double first = 0;
  long since = 0;
  auto began = std::chrono::steady_clock::now();
  for (long step = 1; step <= steps; ++step) {
    std::vector<std::int64_t> begins = haft::randint(0, std::int64_t(text.size()) - length, {parts * rows},
                                                     HAFT_INT64, HAFT_DEVICE_CPU)
                                           .to_vector<std::int64_t>(),
                              next;
    for (std::int64_t b : begins) next.insert(next.end(), text.begin() + b, text.begin() + b + length + 1);
    Tensor batch = Tensor::from(next.data(), {parts, rows, length + 1}, HAFT_DEVICE_CPU);
    haft::copy_(training.tokens, here ? batch : haft::pin_memory(batch, device));
    // The first steps make what the others only use: states, and plans of libraries.
    if (!recorded.get() || step <= 2) {
      training.step();
    } else {
      if (!recorded.is_ready()) recorded.record([&] { training.step(); });
      recorded.replay();
    }
    schedule.step();
    ++since;
    // Reading the loss waits for the device.
    if (step == 1 || step == 3 || step % o["--every"] == 0 || step == steps) {
      const double loss = training.loss.item(),
                   seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      if (step == 1) first = loss;
      const double speed = each_step * double(since) / seconds;
      std::printf("step %5ld  loss %.4f  %.0f tokens/s  %.2f TFLOP/s", step, loss, speed,
                  speed * flops / 1e12);
      if (peak > 0) std::printf(", %.1f %% of %g", 100 * speed * flops / 1e12 / peak, peak);
      std::printf("\n");
      std::fflush(stdout);
      since = 0;
      began = std::chrono::steady_clock::now();
    }
  }
  std::printf("learnt: %.4f\n", first - training.loss.item());
  if (o["--profile"]) {
    haft::Profiler profiler(false, !here);
    training.step();
    std::fputs(profiler.stop().table().c_str(), stdout);
  }
  if (o["--save"]) save(net, "gpt2.safetensors");
}

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "[FILE...] [OPTION NUMBER]...",
            {{"--steps", 1000, 1, "steps"},
             {"--batch", 8, 1, "rows of a part of a step"},
             {"--accumulate", 1, 1, "parts of a step, whose gradients add up"},
             {"--tokens", 1024, 2, "tokens of a row"},
             {"--layers", 12, 1, "blocks"},
             {"--width", 768, 64, "numbers a token, a multiple of 64"},
             {"--lr", 6e-4, 0, "highest learning rate of AdamW"},
             {"--warm", 100, 0, "steps on which it rises"},
             {"--bf16", 1, 0, "0: all in float32"},
             {"--record", 1, 0, "0: on a device, too, each step is enqueued anew"},
             {"--every", 10, 1, "steps from line to line"},
             {"--peak", 0, 0,
              "TFLOP/s of the device, to tell a share of; 0: those that its maker tells of it in bfloat16, "
              "where they are known"},
             {"--profile", 0, 0, "1: at the end, where the time of one more step goes"},
             {"--save", 0, 0, "1: writes gpt2.safetensors at the end"}});
  try {
    run(o);
  } catch (const std::exception& e) {
    Options::fail(argv[0], e.what());
  }
}
