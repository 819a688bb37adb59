// A GPT that reads and writes letter by letter: it learns the licences that every Debian has in
// /usr/share/common-licenses.
//
//   c++ -std=c++17 char_gpt.cpp $(pkg-config --cflags --libs haft)
//   ./a.out [FILE...] [--steps 2000] [--layers 4] [--width 128] [--tokens 128]
//
// Nine tenths of each file are learnt; on the rest it tells how many bits a character it would need to write them
// down, and at the end it writes something itself. What comes next is the only thing it is ever asked (Radford et
// al., 2019).
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "options.hpp"

namespace {

namespace nn = haft::nn;
namespace optim = haft::optim;
using haft::Tensor;

const char* const kLicences[] = {"Apache-2.0", "Artistic", "BSD",     "CC0-1.0", "GFDL-1.2",
                                 "GFDL-1.3",   "GPL-1",    "GPL-2",   "GPL-3",   "LGPL-2",
                                 "LGPL-2.1",   "LGPL-3",   "MPL-1.1", "MPL-2.0"};
constexpr long kBatch = 16, kHead = 32;

// Letters by number, those to learn and those to be tried on.
struct Text {
  std::string letters;
  std::vector<std::int64_t> learnt, held;

  explicit Text(const std::vector<std::string>& files) {
    std::vector<std::string> all;
    for (const std::string& file : files) {
      std::ifstream in(file, std::ios::binary);
      all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      if (all.back().empty()) throw std::runtime_error(file + " cannot be read, or is empty");
      letters += all.back();
    }
    std::sort(letters.begin(), letters.end());
    letters.erase(std::unique(letters.begin(), letters.end()), letters.end());
    for (const std::string& s : all)
      for (std::size_t i = 0; i < s.size(); ++i)
        (i < s.size() * 9 / 10 ? learnt : held).push_back(std::int64_t(letters.find(s[i])));
  }
};

// Pre-norm: attention to what came before, then two layers for each letter.
struct Block : nn::Definition {
  std::int64_t heads;
  nn::Module norm1, qkv, out, norm2, up, down;

  Block(std::int64_t width, std::int64_t layers)
      : heads(width / kHead),
        norm1(child("norm1", nn::LayerNorm({width}))),
        qkv(child("qkv", nn::Linear(width, 3 * width))),
        out(child("out", nn::Linear(width, width))),
        norm2(child("norm2", nn::LayerNorm({width}))),
        up(child("up", nn::Linear(width, 4 * width))),
        down(child("down", nn::Linear(4 * width, width))) {
    for (const nn::Module& m : {out, down})
      nn::init::normal_(m.parameter("weight"), 0, 0.05 / std::sqrt(2.0 * double(layers)));
  }
  Tensor forward(const Tensor& x) override {  // (rows, tokens, width)
    std::vector<Tensor> parts = haft::chunk(qkv(norm1(x)), 3, -1);
    for (Tensor& t : parts) t = haft::transpose(haft::unflatten(t, -1, {heads, kHead}), 1, 2);
    Tensor seen = haft::scaled_dot_product_attention(parts[0], parts[1], parts[2], Tensor(), 0, true);
    Tensor y = x + out(haft::flatten(haft::transpose(seen, 1, 2), 2));
    return y + down(haft::gelu(up(norm2(y))));
  }
};

struct Gpt : nn::Definition {
  nn::Module table, places, norm;
  std::vector<nn::Module> blocks;

  Gpt(std::int64_t letters, std::int64_t tokens, std::int64_t layers, std::int64_t width)
      : table(child("table", nn::Embedding(letters, width))),
        places(child("places", nn::Embedding(tokens, width))),
        norm(child("norm", nn::LayerNorm({width}))) {
    for (const nn::Module& m : {table, places}) nn::init::normal_(m.parameter("weight"), 0, 0.1);
    for (std::int64_t i = 0; i < layers; ++i)
      blocks.push_back(child("block" + std::to_string(i), nn::make<Block>("Block", width, layers)));
  }
  Tensor forward(const Tensor& x) override {  // (rows, tokens) to (rows, tokens, letters)
    Tensor y = table(x) + places(haft::arange(0, x.size(1)));
    for (const nn::Module& block : blocks) y = block(y);
    return haft::linear(norm(y), table.parameter("weight"));  // the table serves both ways
  }
};

// Rows of text that begin at these places, and for each letter the one that follows.
Tensor rows_of(const std::vector<std::int64_t>& text, const std::vector<std::int64_t>& begins, long tokens) {
  std::vector<std::int64_t> rows;
  for (std::int64_t b : begins) rows.insert(rows.end(), text.begin() + b, text.begin() + b + tokens + 1);
  return Tensor::from(rows.data(), {std::int64_t(begins.size()), tokens + 1});
}
Tensor loss_of(const nn::Module& net, const Tensor& rows) {
  const std::int64_t tokens = rows.size(1) - 1;
  Tensor scores = net(haft::narrow(rows, 1, 0, tokens));
  return haft::cross_entropy(haft::flatten(scores, 0, 1), haft::flatten(haft::narrow(rows, 1, 1, tokens)));
}

// Bits a character of the whole text: each row begins anew, so its first letters are guessed from little.
double bits_of(const nn::Module& net, const std::vector<std::int64_t>& text, long tokens) {
  haft::NoGrad off;
  std::vector<std::int64_t> begins;
  double sum = 0;
  long rows = 0;
  for (long b = 0; b + tokens < long(text.size()); b += tokens) {
    begins.push_back(b);
    if (long(begins.size()) < kBatch && b + 2 * tokens < long(text.size())) continue;
    sum += loss_of(net, rows_of(text, begins, tokens)).item() * double(begins.size());
    rows += long(begins.size());
    begins.clear();
  }
  return sum / double(rows) / std::log(2.0);
}

std::string write(const nn::Module& net, const Text& text, long tokens, long count) {
  haft::NoGrad off;
  std::string written = "  ";
  std::vector<std::int64_t> last = {std::int64_t(text.letters.find('\n'))};
  while (long(written.size()) < count) {
    Tensor scores = net(Tensor::from(last.data(), {1, std::int64_t(last.size())}));
    // A little surer than it is.
    Tensor next = haft::softmax(haft::select(haft::select(scores, 0, 0), 0, -1) / 0.7, 0);
    last.push_back(haft::multinomial(next, 1).item_int());
    if (long(last.size()) > tokens) last.erase(last.begin());
    written += text.letters[std::size_t(last.back())];
    if (written.back() == '\n') written += "  ";
  }
  return written;
}

void run(Options& o) {
  if (o.rest.empty())
    for (const char* name : kLicences) o.rest.push_back(std::string("/usr/share/common-licenses/") + name);
  const Text text(o.rest);
  const long steps = o["--steps"], tokens = o["--tokens"], warm = std::min(100L, steps / 10);
  if (long(text.held.size()) <= tokens)
    throw std::runtime_error("the text is too short for rows of " + std::to_string(tokens));
  if (o["--width"] % kHead) throw std::runtime_error("--width wants a multiple of " + std::to_string(kHead));
  nn::Module net =
      nn::make<Gpt>("Gpt", std::int64_t(text.letters.size()), tokens, o["--layers"], o["--width"]);
  optim::AdamWOptions adamw(o.number("--lr"));
  adamw.beta2 = 0.98, adamw.weight_decay = 0.1;
  optim::Optimizer optimizer = optim::adamw(net.parameters(), adamw);
  // Up for a while, then down along a cosine.
  optim::Scheduler schedule = optim::lambda_lr(optimizer, [=](std::int64_t step) {
    if (step < warm) return double(step + 1) / double(warm);
    return 0.55 + 0.45 * std::cos(M_PI * double(step - warm) / double(steps - warm));
  });
  std::printf("%zu characters to learn and %zu held out, %zu letters; a GPT of %ld parameters\n",
              text.learnt.size(), text.held.size(), text.letters.size(), long(net.parameter_count()));
  double mean = 0;
  for (long step = 1; step <= steps; ++step) {
    Tensor begins =
        haft::randint(0, std::int64_t(text.learnt.size()) - tokens, {kBatch}, HAFT_INT64, HAFT_DEVICE_CPU);
    Tensor loss = loss_of(net, rows_of(text.learnt, begins.to_vector<std::int64_t>(), tokens));
    optimizer.zero_grad();
    loss.backward();
    optim::clip_grad_norm(net.parameters(), 1);
    optimizer.step();
    schedule.step();
    mean = step == 1 ? loss.item() : 0.95 * mean + 0.05 * loss.item();
    if (step % 100 == 0 || step == steps) {
      std::printf("step %5ld  %.3f bits a character\n", step, mean / std::log(2.0));
      std::fflush(stdout);
    }
  }
  std::printf("held out: %.3f bits a character\nwritten:\n%s\n", bits_of(net, text.held, tokens),
              write(net, text, tokens, o["--write"]).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "[FILE...] [OPTION NUMBER]...",
            {{"--steps", 2000, 1, "steps of 16 rows"},
             {"--layers", 4, 1, "blocks"},
             {"--width", 128, 32, "numbers a letter, a multiple of 32"},
             {"--tokens", 128, 2, "letters that it sees"},
             {"--lr", 3e-3, 0, "highest learning rate of AdamW"},
             {"--write", 400, 0, "letters that it writes at the end"}});
  try {
    run(o);
  } catch (const std::exception& e) {
    Options::fail(argv[0], e.what());
  }
}
