// Weights to PyTorch and back through a safetensors file, under PyTorch's names.
//
//   java -cp haft.jar PytorchWeights.java [FILE]
//
// In Python the file is read by safetensors.torch.load_file, or by haft.load; a module of torch with the same names takes
// it by load_state_dict. Files from there are read here by load.
import io.haft.*;
import io.haft.Module;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

public class PytorchWeights {
  /** torch.nn.Sequential of the same layers has the same names: "0.weight", "0.bias", "2.weight", "2.bias". */
  static Module network() {
    return new Sequential(new Linear(4, 16), new ReLU(), new Linear(16, 3));
  }

  public static void main(String[] arguments) throws IOException {
    Path file = arguments.length > 0 ? Path.of(arguments[0]) : Files.createTempDirectory("haft-weights").resolve("model.safetensors");
    try (Scope scope = new Scope(); Module trained = network(); Module fresh = network()) {
      if (arguments.length == 0 || !Files.exists(file)) trained.save(file.toString());
      try (Weights weights = new Weights(file.toString())) {
        for (String name : weights.names()) {
          Tensor t = weights.tensor(name);
          System.out.println(name + " " + t.dtype() + " " + Arrays.toString(t.shape()));
        }
      }
      trained.load(file.toString());
      // By name, one by one: what a checkpoint of another program may need.
      Map<String, Tensor> state = Weights.load(file.toString());
      fresh.loadStateDict(state);
      Tensor x = Tensor.arange(20).cast(DType.FLOAT32).reshape(5, 4).sub(10).div(10), y = trained.call(x).detach();
      StringBuilder outputs = new StringBuilder("outputs");
      for (float v : y.toFloatArray()) outputs.append(' ').append(v);
      System.out.println(outputs);
      double difference = y.sub(fresh.call(x)).abs().max().item();
      System.out.println("largest difference after the exchange: " + difference);
      if (difference != 0) throw new IllegalStateException("the weights did not survive");
    } finally {
      if (arguments.length == 0) {
        Files.deleteIfExists(file);
        Files.deleteIfExists(file.getParent());
      }
    }
  }
}
