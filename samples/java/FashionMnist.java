// A convolutional network learns Fashion-MNIST: 60,000 grey pictures of ten kinds of clothing.
//
//   java -cp haft.jar FashionMnist.java [--epochs 3]
import io.haft.*;
import io.haft.Module;
import java.nio.file.Files;
import java.nio.file.Path;

public class FashionMnist {
  static final String[] NAMES = {"T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};

  // ---- options ----

  static final class Options {
    long epochs = 3, batch = 64, threads, seed;
    double lr = 2e-3;
    String data = "/usr/share/datasets/fashion-mnist", device = "cpu", out = "fashion_mnist.out";

    static final String HELP = """
        usage: FashionMnist [OPTION VALUE]...
          --epochs N    passes over the 60,000 images (3)
          --batch N     images a step (64)
          --lr X        highest learning rate of AdamW; it falls to 0 along a cosine (0.002)
          --data DIR    the four IDX files, plain or .gz (/usr/share/datasets/fashion-mnist,
                        from Debian's package dataset-fashion-mnist)
          --threads N   threads of an operator (all processors)
          --seed N      of weights, order and dropout; the same seed and threads give the same numbers (0)
          --device D    cpu, or a device whose plug-in is installed (cpu)
          --out DIR     gets weights.safetensors and the TensorBoard events (fashion_mnist.out)
        """;

    static Options parse(String[] arguments) {
      Options o = new Options();
      for (int i = 0; i < arguments.length; i += 2) {
        String name = arguments[i], value = i + 1 < arguments.length ? arguments[i + 1] : null;
        if (name.equals("--help")) {
          System.out.print(HELP);
          System.exit(0);
        }
        switch (name) {
          case "--epochs" -> o.epochs = integer(name, value, 1, 10000);
          case "--batch" -> o.batch = integer(name, value, 1, 60000);
          case "--lr" -> o.lr = positive(name, value);
          case "--data" -> o.data = text(name, value);
          case "--threads" -> o.threads = integer(name, value, 1, 256);
          case "--seed" -> o.seed = integer(name, value, 0, Integer.MAX_VALUE);
          case "--device" -> o.device = text(name, value);
          case "--out" -> o.out = text(name, value);
          default -> throw new IllegalArgumentException("unknown option '" + name + "' (--help lists them)");
        }
      }
      return o;
    }

    private static String text(String name, String value) {
      if (value == null) throw new IllegalArgumentException(name + " wants a value");
      return value;
    }

    private static long integer(String name, String value, long lowest, long highest) {
      try {
        long n = Long.parseLong(text(name, value));
        if (n >= lowest && n <= highest) return n;
      } catch (NumberFormatException e) {
        // told below
      }
      throw new IllegalArgumentException(name + " wants an integer from " + lowest + " to " + highest + ", got '" + value + "'");
    }

    private static double positive(String name, String value) {
      try {
        double x = Double.parseDouble(text(name, value));
        if (x > 0 && !Double.isInfinite(x)) return x;
      } catch (NumberFormatException e) {
        // told below
      }
      throw new IllegalArgumentException(name + " wants a positive number, got '" + value + "'");
    }
  }

  // ---- data ----

  static String find(String folder, String name) {
    Path plain = Path.of(folder, name);
    return Files.exists(plain) ? plain.toString() : plain + ".gz";
  }

  static Dataset open(String folder, String prefix) {
    return new IdxDataset(find(folder, prefix + "-images-idx3-ubyte"), find(folder, prefix + "-labels-idx1-ubyte"));
  }

  /** Batches of (n, 1, 28, 28) float32 images with mean 0 and standard deviation 1, and (n) int64 labels. */
  static DataLoader loader(Dataset dataset, long batch, boolean shuffle, long seed) {
    try (Transform scale = Transform.toFloat(); Transform normalize = Transform.normalize(0.2860, 0.3530)) {
      return new DataLoader(dataset, new DataLoader.Options().batchSize(batch).shuffle(shuffle).seed(seed).workers(1).transforms(scale, normalize));
    }
  }

  // ---- network ----

  static Module network() {
    return new Sequential(new Conv2d(1, 32, 3), new ReLU(), new Conv2d(32, 64, 3), new ReLU(), new MaxPool2d(2), new Dropout(0.25), new Flatten(),
        new Linear(9216, 128), new ReLU(), new Dropout(0.5), new Linear(128, 10));
  }

  // ---- training ----

  /** Rows: what the pictures show; columns: what the network saw. */
  static int[][] test(Module net, DataLoader loader) {
    int[][] confusion = new int[10][10];
    net.eval();
    try (InferenceMode mode = new InferenceMode()) {
      for (Batch batch : loader) {
        try (Scope scope = new Scope()) {
          long[] seen = net.call(batch.get(0).to(Haft.defaultDevice())).argmax(1).toLongArray(), truth = batch.get(1).toLongArray();
          for (int i = 0; i < seen.length; i++) confusion[(int) truth[i]][(int) seen[i]]++;
        }
      }
    }
    return confusion;
  }

  static double print(int[][] confusion) {
    long right = 0, all = 0;
    System.out.printf("%nConfusion: a row is what the pictures show, a column what the network saw.%n%14s", "");
    for (int c = 0; c < 10; c++) System.out.printf("%5d", c);
    System.out.println("   found");
    for (int r = 0; r < 10; r++) {
      int total = 0;
      System.out.printf("%3d %-10s", r, NAMES[r]);
      for (int c = 0; c < 10; c++) {
        total += confusion[r][c];
        System.out.printf("%5d", confusion[r][c]);
      }
      System.out.printf("  %5.1f %%%n", total == 0 ? 0 : 100.0 * confusion[r][r] / total);
      right += confusion[r][r];
      all += total;
    }
    return (double) right / all;
  }

  static void run(Options o) throws java.io.IOException {
    if (o.threads > 0) Haft.setNumThreads((int) o.threads);
    Haft.setDefaultDevice(Device.of(o.device));
    Haft.manualSeed(o.seed);
    Files.createDirectories(Path.of(o.out));
    try (Dataset training = open(o.data, "train"); Dataset testing = open(o.data, "t10k"); DataLoader trainLoader = loader(training, o.batch, true, o.seed);
        DataLoader testLoader = loader(testing, 500, false, 0); Module net = network(); Scope parameters = new Scope();
        Optimizer optimizer = new AdamW(net.parameters(), o.lr); Scheduler schedule = new CosineAnnealingLR(optimizer, o.epochs * trainLoader.batchCount(), 0);
        Writer writer = new Writer(o.out)) {
      System.out.println(net.summary());
      ProgressBar bar = new ProgressBar((int) o.epochs);
      new Trainer(net, optimizer).scheduler(schedule).fit(trainLoader, o.epochs, at -> {
        bar.accept(at);
        long steps = (at.epoch() - 1) * at.steps() + at.step();
        writer.addScalar("loss/train", at.loss(), steps);
        writer.addScalar("accuracy/train", at.accuracy(), steps);
        writer.addScalar("learning rate", optimizer.lr(), steps);
      });
      double accuracy = print(test(net, testLoader));
      writer.addScalar("accuracy/test", accuracy, o.epochs);
      String weights = Path.of(o.out, "weights.safetensors").toString();
      net.save(weights);
      System.out.printf("%naccuracy on %d test pictures: %.2f %%; weights in %s%n", testing.size(), 100 * accuracy, weights);
    }
  }

  public static void main(String[] arguments) {
    try {
      run(Options.parse(arguments));
    } catch (IllegalArgumentException | FileException e) {
      System.err.println("FashionMnist: " + e.getMessage());
      System.exit(2);
    } catch (Exception e) {
      System.err.println("FashionMnist: " + e);
      System.exit(1);
    }
  }
}
