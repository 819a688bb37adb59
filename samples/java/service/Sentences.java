package service;

import io.haft.*;
import io.haft.Module;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Embeddings of sentences, by all-MiniLM-L6-v2 and others of its kind: BERT with a mean over the tokens (Reimers and Gurevych,
 * arXiv:1908.10084). It takes (rows, tokens) of numbers, padded, and answers (rows, width), each row of length 1.
 */
final class Sentences extends Module {
  static final int MOST = 256;  // tokens of a sentence; the rest of a longer one is not read
  private static final int STEP = 16;  // requests run together where their rows are equally long: lengths are rounded up
  final Tokenizer tokenizer;
  private final int most;
  private final Module words, places, kinds, norm;
  private final List<Module> layers = new ArrayList<>();

  /** Of a folder with model.safetensors, vocab.txt and config.json; what is wrong with them is told by an exception. */
  Sentences(Path folder) {
    tokenizer = new Tokenizer(folder.resolve("vocab.txt"));
    String config = text(folder.resolve("config.json"));
    long heads = size(config, "num_attention_heads"), count = size(config, "num_hidden_layers");
    double eps = number(config, "layer_norm_eps");
    var options = new TransformerEncoderLayer.Options().dimFeedforward(size(config, "intermediate_size")).layerNormEps(eps).dropout(0)
        .gelu(true).batchFirst(true);
    try (Scope scope = new Scope(); Weights weights = new Weights(folder.resolve("model.safetensors").toString())) {
      Tensor table = weights.tensor("embeddings.word_embeddings.weight"), rows = weights.tensor("embeddings.position_embeddings.weight");
      if (table.ndim() != 2 || rows.ndim() != 2) throw new IllegalArgumentException(folder + "/model.safetensors: the embeddings are no tables");
      if (table.size(0) != tokenizer.size())
        throw new IllegalArgumentException(folder + ": vocab.txt has " + tokenizer.size() + " pieces, model.safetensors " + table.size(0));
      long has = weights.names().stream().filter(n -> n.startsWith("encoder.layer.")).map(n -> n.split("\\.")[2]).distinct().count();
      if (has != count) throw new IllegalArgumentException("config.json: num_hidden_layers is " + count + ", model.safetensors has " + has);
      long width = table.size(1);
      most = (int) Math.min(rows.size(0), MOST);
      words = child("words", new Embedding(table.size(0), width));
      places = child("places", new Embedding(rows.size(0), width));
      kinds = child("kinds", new Embedding(2, width));
      norm = child("norm", new LayerNorm(new long[] {width}, new LayerNorm.Options().eps(eps)));
      words.loadStateDict(Map.of("weight", table));
      places.loadStateDict(Map.of("weight", rows));
      kinds.loadStateDict(Map.of("weight", weights.tensor("embeddings.token_type_embeddings.weight")));
      norm.loadStateDict(Map.of("weight", weights.tensor("embeddings.LayerNorm.weight"), "bias", weights.tensor("embeddings.LayerNorm.bias")));
      for (long i = 0; i < count; i++) {
        layers.add(child("layer" + i, new TransformerEncoderLayer(width, heads, options)));
        layers.get((int) i).loadStateDict(layer(weights, "encoder.layer." + i + "."));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** PyTorch's names for BERT's: a layer is one of torch.nn.TransformerEncoderLayer, whose three projections lie in one matrix. */
  private static Map<String, Tensor> layer(Weights weights, String at) {
    Map<String, Tensor> state = new HashMap<>();
    for (String end : List.of("weight", "bias")) {
      String self = at + "attention.self.";
      state.put("self_attn.in_proj_" + end,
          Tensor.cat(weights.tensor(self + "query." + end), weights.tensor(self + "key." + end), weights.tensor(self + "value." + end)));
      state.put("self_attn.out_proj." + end, weights.tensor(at + "attention.output.dense." + end));
      state.put("norm1." + end, weights.tensor(at + "attention.output.LayerNorm." + end));
      state.put("linear1." + end, weights.tensor(at + "intermediate.dense." + end));
      state.put("linear2." + end, weights.tensor(at + "output.dense." + end));
      state.put("norm2." + end, weights.tensor(at + "output.LayerNorm." + end));
    }
    return state;
  }

  @Override
  public Tensor forward(Tensor tokens) {
    Tensor padding = tokens.eq(tokenizer.pad);
    Tensor x = norm.call(words.call(tokens).add(places.call(Tensor.arange(tokens.size(1)).to(tokens.device()))).add(kinds.parameter("weight").select(0, 0)));
    for (Module layer : layers) x = layer.call(x, null, padding)[0];
    Tensor sum = x.maskedFill(padding.unsqueeze(-1), 0).sum(new long[] {1});
    return sum.div(sum.square().sum(new long[] {1}, true).sqrt());  // of the mean it would be the same
  }

  /** Numbers of the sentences' tokens, (rows, tokens), padded. */
  Tensor tokens(List<String> sentences) {
    List<long[]> rows = sentences.stream().map(s -> tokenizer.encode(s, most)).toList();
    int longest = rows.stream().mapToInt(r -> r.length).max().orElse(1), columns = Math.min(most, (longest + STEP - 1) / STEP * STEP);
    long[] all = new long[rows.size() * columns];
    java.util.Arrays.fill(all, tokenizer.pad);
    for (int i = 0; i < rows.size(); i++) System.arraycopy(rows.get(i), 0, all, i * columns, rows.get(i).length);
    return Tensor.of(all, rows.size(), columns);
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read");
    }
  }

  /** A number of a JSON text that has it once. */
  private static double number(String config, String name) {
    Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*([-+]?\\d+(\\.\\d*)?([eE][-+]?\\d+)?)").matcher(config);
    if (!found.find()) throw new IllegalArgumentException("config.json has no number \"" + name + "\"");
    return Double.parseDouble(found.group(1));
  }

  private static long size(String config, String name) {
    double value = number(config, name);
    if (!(value >= 1 && value <= 1e6) || value != Math.rint(value))
      throw new IllegalArgumentException("config.json: \"" + name + "\" must be a whole number from 1 to 1000000");
    return (long) value;
  }

  /** Embeddings of the lines at the input: java -cp haft.jar:classes service.Sentences FOLDER [--print 1|2] [--threads N] [--device D]; 2: the tokens. */
  public static void main(String[] arguments) throws IOException {
    boolean tokens = List.of(arguments).indexOf("--print") == 1 && arguments[2].equals("2");
    int device = List.of(arguments).indexOf("--device") + 1;
    if (device > 0 && device < arguments.length) Haft.setDefaultDevice(Device.of(arguments[device]));
    if (List.of(arguments).indexOf("--threads") == 3) Haft.setNumThreads(Integer.parseInt(arguments[4]));
    List<String> lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines().toList();
    StringBuilder out = new StringBuilder();
    try (Sentences net = new Sentences(Path.of(arguments[0])); InferenceMode mode = new InferenceMode(); Scope scope = new Scope()) {
      net.eval();
      for (String line : tokens ? lines : List.<String>of()) {
        for (long n : net.tokenizer.encode(line, net.most)) out.append(n).append(' ');
        out.append('\n');
      }
      Tensor y = tokens ? Tensor.zeros(0, 1) : net.call(net.tokens(lines).to(Haft.defaultDevice()));
      float[] numbers = y.toFloatArray();
      for (int i = 0; i < numbers.length; i++) out.append(numbers[i]).append((i + 1) % y.size(1) == 0 ? '\n' : ' ');
    } catch (RuntimeException e) {
      System.err.println("Sentences: " + e.getMessage().replace('\n', ' '));
      System.exit(2);
    }
    System.out.print(out);
  }
}
