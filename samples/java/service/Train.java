package service;

import io.haft.*;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes weights for the service from Fashion-MNIST:
 *
 * <pre>java -cp haft.jar:classes service.Train FILE [--hidden 128,64] [--epochs 2] [--samples 60000] [--seed 0] [--data DIR] [--device cpu]
 * </pre>
 */
public final class Train {
  private Train() {}

  public static void main(String[] arguments) throws IOException {
    String hidden = "128", folder = "/usr/share/datasets/fashion-mnist";
    long epochs = 2, samples = 60000, seed = 0;
    for (int i = 1; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--hidden" -> hidden = arguments[i + 1];
        case "--epochs" -> epochs = Long.parseLong(arguments[i + 1]);
        case "--samples" -> samples = Long.parseLong(arguments[i + 1]);
        case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
        case "--data" -> folder = arguments[i + 1];
        case "--device" -> Haft.setDefaultDevice(Device.of(arguments[i + 1]));  // the Trainer's batches follow the parameters
        default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
      }
    }
    List<Long> widths = new ArrayList<>(List.of((long) Network.PIXELS));
    for (String width : hidden.split(",")) widths.add(Long.valueOf(width));
    widths.add((long) Network.NAMES.length);

    Haft.manualSeed(seed);
    DataLoader.Options batches = new DataLoader.Options().batchSize(64).shuffle(true).seed(seed).numSamples(samples);
    try (Scope parameters = new Scope(); Sequential net = Network.of(widths);
        AdamW optimizer = new AdamW(net.parameters(), 2e-3);
        Dataset data = new IdxDataset(find(folder, "train-images-idx3-ubyte"), find(folder, "train-labels-idx1-ubyte"));
        Transform scale = Transform.toFloat(); Transform normalize = Transform.normalize(Network.MEAN, Network.STD);
        DataLoader loader = new DataLoader(data, batches.workers(1).transforms(scale, normalize));
        Sequential pictures = new Sequential(new Flatten(), net)) {  // they come as (1, 28, 28)
      TrainingProgress end = new Trainer(pictures, optimizer).fit(loader, epochs);
      System.out.printf("loss %.3f, accuracy %.3f%n", end.loss(), end.accuracy());
      save(net, Path.of(arguments[0]));
    }
  }

  /** Beside it, then in its place: a service that reads the file meanwhile has the old one or the new one, whole. */
  private static void save(Sequential net, Path file) throws IOException {
    Path beside = file.resolveSibling(file.getFileName() + ".new");
    net.save(beside.toString());
    Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String find(String folder, String name) {
    Path plain = Path.of(folder, name);
    return Files.exists(plain) ? plain.toString() : plain + ".gz";
  }
}
