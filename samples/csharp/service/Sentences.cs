// Embeddings of sentences, by all-MiniLM-L6-v2 and others of its kind: BERT with a mean over the tokens (Reimers and Gurevych,
// arXiv:1908.10084).
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Haft;

sealed class Sentences : Module {
  const int Step = 16;  // requests run together where their rows are equally long: lengths are rounded up
  internal readonly Tokenizer Tokenizer;
  internal readonly int Most;  // tokens of a sentence; the rest of a longer one is not read
  readonly Module words, places, kinds, norm;
  readonly List<Module> layers = new List<Module>();

  // Of a folder with model.safetensors, vocab.txt and config.json; what is wrong with them is told by an exception.
  internal Sentences(string folder) {
    Tokenizer = new Tokenizer(Path.Combine(folder, "vocab.txt"));
    string file = Path.Combine(folder, "config.json"), config = File.ReadAllText(file);
    long heads = Size(file, config, "num_attention_heads"), count = Size(file, config, "num_hidden_layers");
    long inner = Size(file, config, "intermediate_size");
    double eps = Number(file, config, "layer_norm_eps");
    try {
      using (new DisposeScope())
      using (var weights = new Weights(Path.Combine(folder, "model.safetensors"))) {
        Tensor table = weights["embeddings.word_embeddings.weight"], rows = weights["embeddings.position_embeddings.weight"];
        if (table.Shape.Count() != 2 || rows.Shape.Count() != 2)
          throw new InvalidDataException(folder + "/model.safetensors: the embeddings are no tables");
        if (table.Shape[0] != Tokenizer.Count)
          throw new InvalidDataException(folder + ": vocab.txt has " + Tokenizer.Count + " pieces, model.safetensors " + table.Shape[0]);
        int has = weights.All().Keys.Where(n => n.StartsWith("encoder.layer.")).Select(n => n.Split('.')[2]).Distinct().Count();
        if (has != count) throw new InvalidDataException(file + ": num_hidden_layers is " + count + ", model.safetensors has " + has);
        long width = table.Shape[1];
        Most = (int)Math.Min(rows.Shape[0], 256);
        words = RegisterModule("words", new Embedding(table.Shape[0], width));
        places = RegisterModule("places", new Embedding(rows.Shape[0], width));
        kinds = RegisterModule("kinds", new Embedding(2, width));
        norm = RegisterModule("norm", new LayerNorm(width, eps));
        words.LoadStateDict(new Dictionary<string, Tensor> { { "weight", table } });
        places.LoadStateDict(new Dictionary<string, Tensor> { { "weight", rows } });
        kinds.LoadStateDict(new Dictionary<string, Tensor> { { "weight", weights["embeddings.token_type_embeddings.weight"] } });
        norm.LoadStateDict(new Dictionary<string, Tensor> { { "weight", weights["embeddings.LayerNorm.weight"] },
                                                            { "bias", weights["embeddings.LayerNorm.bias"] } });
        for (int i = 0; i < count; ++i) {
          layers.Add(RegisterModule("layer" + i, new TransformerEncoderLayer(width, heads, inner, dropout: 0, gelu: true, layerNormEps: eps,
                                                                             batchFirst: true)));
          layers[i].LoadStateDict(Layer(weights, "encoder.layer." + i + "."));
        }
      }
    } catch (Exception) {
      Dispose();
      throw;
    }
  }

  // PyTorch's names for BERT's: a layer is one of torch.nn.TransformerEncoderLayer, whose three projections lie in one matrix.
  static Dictionary<string, Tensor> Layer(Weights weights, string at) {
    var state = new Dictionary<string, Tensor>();
    foreach (string end in new[] { "weight", "bias" }) {
      state.Add("self_attn.in_proj_" + end,
                Tensor.Cat(new[] { "query.", "key.", "value." }.Select(part => weights[at + "attention.self." + part + end])));
      state.Add("self_attn.out_proj." + end, weights[at + "attention.output.dense." + end]);
      state.Add("norm1." + end, weights[at + "attention.output.LayerNorm." + end]);
      state.Add("linear1." + end, weights[at + "intermediate.dense." + end]);
      state.Add("linear2." + end, weights[at + "output.dense." + end]);
      state.Add("norm2." + end, weights[at + "output.LayerNorm." + end]);
    }
    return state;
  }

  // (rows, tokens) of numbers, padded, to (rows, width), each row of length 1.
  public override Tensor Forward(Tensor tokens) {
    Tensor padding = tokens.Eq((long)Tokenizer.Pad);
    Tensor x = norm.Call(words.Call(tokens) + places.Call(Tensor.Arange(tokens.Shape[1]).To(tokens.Device)) + kinds.Parameter("weight").Select(0, 0));
    foreach (Module layer in layers) x = layer.Call(x, null, padding)[0];
    Tensor sum = x.MaskedFill(padding.Unsqueeze(-1), 0L).Sum(1);
    return sum / sum.Square().Sum(1, true).Sqrt();  // of the mean it would be the same
  }

  // Numbers of the sentences' tokens, (rows, tokens), padded.
  internal Tensor Tokens(IReadOnlyList<string> sentences) {
    List<List<long>> rows = sentences.Select(s => Tokenizer.Encode(s, Most)).ToList();
    int columns = Math.Min(Most, (rows.Max(r => r.Count) + Step - 1) / Step * Step);
    long[] all = Enumerable.Repeat((long)Tokenizer.Pad, rows.Count * columns).ToArray();
    for (int i = 0; i < rows.Count; ++i) rows[i].CopyTo(all, i * columns);
    return Tensor.From(new ReadOnlySpan<long>(all), (rows.Count, columns));
  }

  // A number of a JSON text that has it once.
  static double Number(string file, string config, string name) {
    Match found = Regex.Match(config, "\"" + name + "\"\\s*:\\s*([-+]?[0-9]+(\\.[0-9]*)?([eE][-+]?[0-9]+)?)");
    if (!found.Success || !double.TryParse(found.Groups[1].Value, NumberStyles.Float, CultureInfo.InvariantCulture, out double value))
      throw new InvalidDataException(file + " has no number \"" + name + "\" that can be used");
    return value;
  }

  static long Size(string file, string config, string name) {
    double value = Number(file, config, name);
    if (!(value >= 1 && value <= 1e6) || value != Math.Floor(value))
      throw new InvalidDataException(file + ": \"" + name + "\" must be a whole number from 1 to 1000000");
    return (long)value;
  }
}
