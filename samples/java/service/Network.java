package service;

import io.haft.*;
import io.haft.Module;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The networks of this service: perceptrons from a picture's 784 pixels to the ten kinds of clothing. */
final class Network {
  static final String[] NAMES =
      {"T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};
  static final int PIXELS = 28 * 28;
  static final float MEAN = 0.2860f, STD = 0.3530f;  // of Fashion-MNIST, pixels from 0 to 1

  private Network() {}

  /** Linear layers of these widths, "0", "2", ..., with ReLU between. */
  static Sequential of(List<Long> widths) {
    Sequential net = new Sequential();
    for (int i = 0; i + 1 < widths.size(); i++) {
      if (i > 0) net.add(new ReLU());
      net.add(new Linear(widths.get(i), widths.get(i + 1)));
    }
    return net;
  }

  /**
   * The network of a file, as wide and deep as its weights say, with probabilities at its end. What does not fit together
   * throws one of haft's exceptions, which names file, tensor and sizes.
   */
  static Module load(Path file) {
    Map<String, Tensor> weights = Weights.load(file.toString());
    try {
      List<Long> widths = new ArrayList<>();
      for (int i = 0; weights.containsKey(i + ".weight"); i += 2) {
        long[] shape = weights.get(i + ".weight").shape();  // (outputs, inputs)
        if (shape.length != 2) throw new IllegalArgumentException(file + ": " + i + ".weight is no matrix");
        if (i == 0) widths.add(shape[1]);
        widths.add(shape[0]);
      }
      if (widths.isEmpty()) throw new IllegalArgumentException(file + " has no matrix 0.weight; it has " + weights.keySet());
      Sequential net = of(widths);
      try {
        net.loadStateDict(weights);
        return net.add(new Softmax(1));
      } catch (RuntimeException e) {
        net.close();
        throw e;
      }
    } finally {
      weights.values().forEach(Tensor::close);
    }
  }
}
