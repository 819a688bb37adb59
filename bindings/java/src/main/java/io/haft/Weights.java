package io.haft;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A file of named tensors, mapped into memory, which are read when they are asked for: safetensors, NumPy's .npz, or what torch.save wrote, whose
 * tensors are named by the path to them ("model.conv1.weight") and none of whose code runs.
 */
public class Weights extends WeightsOperators {
  /**
   * Opens a file.
   *
   * @param path the file
   */
  public Weights(String path) {
    super(WEIGHTS, Haft.makeWeights(path).steal());
  }

  private Weights(long handle) {
    super(WEIGHTS, handle);
  }

  static Weights adopt(long handle) {
    return new Weights(handle);
  }

  /** {@return the names of all tensors} */
  public List<String> names() {
    List<String> out = new ArrayList<>();
    for (long i = 0, n = size(); i < n; i++) out.add(name(i));
    return out;
  }

  /**
   * All tensors of a file.
   *
   * @param path the file
   * @return all tensors of a file
   */
  public static Map<String, Tensor> load(String path) {
    try (Weights w = new Weights(path)) {
      return w.all();
    }
  }

  /**
   * Writes named tensors into a .npz file of NumPy's.
   *
   * @param tensors tensors by their names
   * @param path the file
   * @param compressed whether they are deflated, as numpy.savez_compressed does
   */
  public static void saveNpz(Map<String, Tensor> tensors, String path, boolean compressed) {
    Haft.saveNpz(tensors, path, compressed);
  }

  /**
   * Writes named tensors into a safetensors file.
   *
   * @param tensors tensors by their names
   * @param path the file
   */
  public static void save(Map<String, Tensor> tensors, String path) {
    Haft.saveSafetensors(tensors, path);
  }
}
