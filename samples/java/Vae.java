// A variational autoencoder learns to draw clothing (Kingma and Welling, arXiv:1312.6114): Fashion-MNIST.
//
//   java -cp haft.jar Vae.java [--steps 6000] [--latent 20] [--data FOLDER] [--device cpu]
//
// One half says where a picture may lie among 20 numbers, the other draws it from there. What both need to tell a picture that they have
// never seen is measured in nats, and has a bound below it: the fewer the better. At the end it draws pictures that nobody has made.
import io.haft.*;
import io.haft.Module;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public class Vae extends Module {
  static final int SIDE = 28, PIXELS = SIDE * SIDE, HIDDEN = 400;
  final long latent;
  final Module encoder, decoder;
  final BCEWithLogitsLoss drawing = new BCEWithLogitsLoss(new BCEWithLogitsLoss.Options().reduction(Reduction.SUM));

  Vae(long latent) {
    this.latent = latent;
    encoder = child("encoder", new Sequential(new Flatten(), new Linear(PIXELS, HIDDEN), new ReLU(), new Linear(HIDDEN, 2 * latent)));
    decoder = child("decoder", new Sequential(new Linear(latent, HIDDEN), new ReLU(), new Linear(HIDDEN, PIXELS)));
  }

  /** The negative evidence lower bound of pictures (n, 1, 28, 28), in nats a picture. */
  @Override
  public Tensor forward(Tensor x) {
    Tensor[] parts = encoder.call(x).chunk(2, 1);
    Tensor mean = parts[0], logVariance = parts[1];
    Tensor place = mean.add(logVariance.mul(0.5).exp().mul(mean.randnLike()));
    Tensor drawn = drawing.call(decoder.call(place), x.flatten(1));
    Tensor surprise = mean.square().add(logVariance.exp()).sub(logVariance).sub(1).sum().mul(0.5);  // against a normal place
    return drawn.add(surprise).div(x.size(0));
  }

  static DataLoader pictures(String folder, String part, long batch, long seed) {
    String plain = Path.of(folder, part).toString();
    String end = Files.exists(Path.of(plain + "-images-idx3-ubyte")) ? "" : ".gz";
    try (Transform scale = Transform.toFloat(); Dataset data = new IdxDataset(plain + "-images-idx3-ubyte" + end, plain + "-labels-idx1-ubyte" + end)) {
      return new DataLoader(data, new DataLoader.Options().batchSize(batch).shuffle(part.equals("train")).seed(seed).workers(1).transforms(scale));
    }
  }

  double test(DataLoader loader) {
    double sum = 0;
    try (NoGrad off = new NoGrad()) {
      for (Batch batch : loader)
        try (Scope scope = new Scope()) {
          sum += call(batch.get(0).to(Haft.defaultDevice())).item();
        }
    }
    return sum / loader.batchCount();  // all batches are of one size
  }

  void draw(int count) {
    try (NoGrad off = new NoGrad(); Scope scope = new Scope()) {
      float[] drawn = decoder.call(Tensor.randn(count, latent)).sigmoid().toFloatArray();
      for (int y = 0; y < SIDE; y += 2) {  // a letter is two rows high
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < count; i++) {
          for (int x = 0; x < SIDE; x++) line.append(" .:-=+*#%@".charAt(Math.min(9, (int) (10 * drawn[i * PIXELS + y * SIDE + x]))));
          line.append("  ");
        }
        System.out.println(line.toString().stripTrailing());
      }
    }
  }

  public static void main(String[] arguments) {
    long steps = 6000, latent = 20, seed = 0;
    String folder = "/usr/share/datasets/fashion-mnist";
    try {
      for (int i = 0; i < arguments.length; i += 2) {
        String name = arguments[i], value = i + 1 < arguments.length ? arguments[i + 1] : "";
        switch (name) {
          case "--steps" -> steps = Long.parseLong(value);
          case "--latent" -> latent = Long.parseLong(value);
          case "--seed" -> seed = Long.parseLong(value);
          case "--threads" -> Haft.setNumThreads(Integer.parseInt(value));
          case "--data" -> folder = value;
          case "--device" -> Haft.setDefaultDevice(Device.of(value));  // where modules and tensors are made from here on
          default -> throw new IllegalArgumentException("unknown option '" + name + "'");
        }
      }
      Haft.manualSeed(seed);
      try (Vae vae = new Vae(latent); DataLoader training = pictures(folder, "train", 100, seed); DataLoader testing = pictures(folder, "t10k", 500, 0);
          Scope parameters = new Scope(); Optimizer optimizer = new Adam(vae.parameters(), 1e-3)) {
        double mean = 0;
        for (long step = 0; step < steps;)
          for (Batch batch : training) {  // each time in another order
            if (step++ == steps) break;
            try (Scope scope = new Scope()) {
              Tensor loss = vae.call(batch.get(0).to(Haft.defaultDevice()));
              optimizer.zeroGrad();
              loss.backward();
              optimizer.step();
              mean = step == 1 ? loss.item() : 0.99 * mean + 0.01 * loss.item();
            }
            if (step % 200 == 0 || step == steps) System.out.printf("step %5d  %.2f nats a picture%n", step, mean);
          }
        System.out.printf("held out: %.2f nats a picture%n", vae.test(testing));
        vae.draw(4);
      }
    } catch (IllegalArgumentException | FileException | HaftException e) {
      System.err.println("Vae: " + e.getMessage().replace('\n', ' '));
      System.exit(2);
    }
  }
}
