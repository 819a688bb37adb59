// Several processes train one network on Fashion-MNIST: each on its share of the pictures, gradients are the mean of all.
//
//   haft-run --nproc-per-node 2 java -cp haft.jar FashionMnistDdp.java [--data FOLDER] [--steps N] [--device cpu]
//
// Where the folder has no pictures, drawn ones take their place.
import io.haft.*;
import io.haft.Module;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;

public class FashionMnistDdp {
  static final int DRAWN = 2000, PIXELS = 28 * 28, BATCH = 32;

  /** Pictures with a bright stripe whose height tells the class, in noise; the same in every process. */
  static Dataset drawn() {
    Random noise = new Random(1);
    byte[] pixels = new byte[DRAWN * PIXELS];
    long[] classes = new long[DRAWN];
    for (int i = 0; i < DRAWN; i++) {
      classes[i] = i % 10;
      for (int p = 0; p < PIXELS; p++) pixels[i * PIXELS + p] = (byte) (noise.nextInt(64) + (p / 28 / 2 - 2 == classes[i] ? 128 : 0));
    }
    try (Tensor images = Tensor.ofUnsigned(pixels, DRAWN, 1, 28, 28); Tensor labels = Tensor.of(classes)) {
      return new TensorDataset(images, labels);
    }
  }

  static Dataset pictures(String folder) {
    Path images = Path.of(folder, "train-images-idx3-ubyte.gz");
    return Files.exists(images) ? new IdxDataset(images.toString(), Path.of(folder, "train-labels-idx1-ubyte.gz").toString()) : drawn();
  }

  /** Batches of this rank's share: as many for each rank. */
  static DataLoader loader(Dataset data, int rank, int worldSize) {
    long[] share = new long[(int) (data.size() / worldSize)];
    for (int i = 0; i < share.length; i++) share[i] = rank + (long) i * worldSize;
    try (Tensor indices = Tensor.of(share); Transform scale = Transform.toFloat(); Transform normalize = Transform.normalize(0.2860, 0.3530)) {
      return new DataLoader(data, new DataLoader.Options().batchSize(BATCH).dropLast(true).shuffle(true).seed(rank).workers(1).indices(indices)
          .transforms(scale, normalize));
    }
  }

  /** Whether every rank's weights are this one's, bit by bit. */
  static boolean agree(Module net, ProcessGroup world) {
    try (NoGrad mode = new NoGrad(); Scope scope = new Scope()) {
      Tensor mine = Tensor.cat(Arrays.stream(net.parameters()).map(p -> p.flatten(0)).toArray(Tensor[]::new), 0);
      Tensor[] all = new Tensor[world.size()];
      for (int r = 0; r < all.length; r++) all[r] = Tensor.zeros(mine.numel());
      world.allGather(all, mine);
      float[] bits = mine.toFloatArray();
      return Arrays.stream(all).allMatch(one -> Arrays.equals(bits, one.toFloatArray()));
    }
  }

  static double step(DistributedDataParallel ddp, Optimizer optimizer, Batch batch) {
    try (batch; Scope scope = new Scope()) {
      Device here = Haft.defaultDevice();
      Tensor loss = ddp.call(batch.get(0).to(here)).crossEntropy(batch.get(1).to(here));
      optimizer.zeroGrad(false);  // gradients lie in the buckets: they are kept, and nothing is copied
      loss.backward();            // all ranks' gradients are joined when it returns
      optimizer.step();
      return loss.item();
    }
  }

  public static void main(String[] arguments) {
    String folder = "/usr/share/datasets/fashion-mnist", device = "cpu";
    int steps = 500;
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      if (arguments[i].equals("--data")) folder = arguments[i + 1];
      if (arguments[i].equals("--steps")) steps = Integer.parseInt(arguments[i + 1]);
      if (arguments[i].equals("--device")) device = arguments[i + 1];  // "cuda": one for each process, "cuda:0": the same for all
    }
    steps = Math.max(steps, 20);
    LaunchEnvironment launched = LaunchEnvironment.get();
    Haft.setNumThreads(Math.max(1, Haft.numThreads() / launched.localWorldSize()));
    Haft.setDefaultDevice(Device.of(device.equals("cpu") || device.contains(":") ? device : device + ":" + launched.localRank()));

    boolean same;
    try (ProcessGroup world = ProcessGroup.init("env://"); Scope parameters = new Scope()) {
      int rank = world.rank();
      Haft.manualSeed(rank);  // every rank begins with other weights, and gets those of rank 0
      try (Dataset data = pictures(folder); DataLoader loader = loader(data, rank, world.size());
          Module net = new Sequential(new Conv2d(1, 16, 3), new ReLU(), new MaxPool2d(2), new Flatten(), new Linear(16 * 13 * 13, 10));
          DistributedDataParallel ddp = new DistributedDataParallel(net, world); Optimizer optimizer = new SGD(net.parameters(), new SGD.Options().lr(0.02).momentum(0.9))) {
        float[] losses = new float[steps];
        for (int step = 0; step < steps;) {
          for (Batch batch : loader) {
            losses[step] = (float) step(ddp, optimizer, batch);
            if (++step == steps) break;
          }
        }
        float first = 0, last = 0;
        for (int i = 0; i < 10; i++) {
          first += losses[i] / 10;
          last += losses[steps - 1 - i] / 10;
        }
        Tensor ends = Tensor.of(new float[] {first, last});
        world.allReduce(ends, ReduceOp.AVG);
        same = agree(net, world);
        float[] mean = ends.toFloatArray();
        if (rank == 0) System.out.printf("%d ranks, %d steps: loss %.4f to %.4f, weights %s%n", world.size(), steps, mean[0], mean[1], same ? "agree" : "DIFFER");
      }
    }
    if (!same) System.exit(1);
  }
}
