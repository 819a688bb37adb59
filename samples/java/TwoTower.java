// A recommender of two towers: one makes a vector of a user, the other of an item, and the two lie close where he will like it (Yi et al., 2019).
//
//   java -cp haft.jar TwoTower.java [--steps 2000] [--users 1000] [--items 400] [--device cpu]
//
// Tastes are made up here, and nobody but their maker knows them: the towers see who took what, and in a batch each user tells his item from
// those of the others. Of each user one item is held back; the sample tells how often it is among the ten that are recommended to him.
import io.haft.*;
import io.haft.Module;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

public class TwoTower extends Module {
  static final int TASTES = 6, TAKEN = 20, WIDTH = 32, BATCH = 256, SHOWN = 10;

  /** Who took what: TAKEN items of each user, those that he likes most on that day; one of them is held back. */
  record Taken(int users, int items, long[] who, long[] what, long[] held) {
    static Taken make(int users, int items, long seed) {
      Random draw = new Random(seed);
      double[][] tastes = new double[users + items][TASTES];
      for (double[] of : tastes)
        for (int k = 0; k < TASTES; k++) of[k] = 2 * draw.nextDouble() - 1;
      long[] who = new long[users * (TAKEN - 1)], what = new long[who.length], held = new long[users];
      for (int u = 0, n = 0; u < users; u++) {
        double[] liking = new double[items];
        for (int i = 0; i < items; i++) {
          liking[i] = -Math.log(-Math.log(draw.nextDouble() + 1e-9) + 1e-9);  // the day's mood
          for (int k = 0; k < TASTES; k++) liking[i] += 5 * tastes[u][k] * tastes[users + i][k];
        }
        int[] best = IntStream.range(0, items).boxed().sorted((a, b) -> Double.compare(liking[b], liking[a])).limit(TAKEN).mapToInt(i -> i).toArray();
        int back = draw.nextInt(TAKEN);
        held[u] = best[back];
        for (int i = 0; i < TAKEN; i++) {
          if (i == back) continue;
          who[n] = u;
          what[n++] = best[i];
        }
      }
      return new Taken(users, items, who, what, held);
    }
  }

  final Module users, items;

  TwoTower(int users, int items) {
    this.users = child("users", tower(users));
    this.items = child("items", tower(items));
  }

  static Module tower(int count) {
    return new Sequential(new Embedding(count, WIDTH), new Linear(WIDTH, 2 * WIDTH), new ReLU(), new Linear(2 * WIDTH, WIDTH));
  }

  /** Numbers (n) to vectors (n, WIDTH) of length 1. */
  static Tensor vectors(Module tower, Tensor numbers) {
    Tensor x = tower.call(numbers);
    return x.div(x.square().sum(new long[] {1}, true).add(1e-12).sqrt());
  }

  /** The cosine of every user here (n) with every item (m). */
  @Override
  public Tensor[] forward(Tensor... pair) {
    return new Tensor[] {vectors(users, pair[0]).matmul(vectors(items, pair[1]).transpose(0, 1))};
  }

  /** How many users have what they were held back among the first; what they took already is not shown again. */
  double recall(Taken taken) {
    float[] near;
    try (NoGrad off = new NoGrad(); Scope scope = new Scope()) {
      near = call(Tensor.arange(taken.users), Tensor.arange(taken.items))[0].toFloatArray();
    }
    for (int n = 0; n < taken.who.length; n++) near[(int) (taken.who[n] * taken.items + taken.what[n])] = Float.NEGATIVE_INFINITY;
    int found = 0;
    for (int user = 0; user < taken.users; user++) {
      int row = user * taken.items;
      float own = near[row + (int) taken.held[user]];
      if (IntStream.range(row, row + taken.items).filter(i -> near[i] > own).count() < SHOWN) found++;
    }
    return 100.0 * found / taken.users;
  }

  static Tensor here(long[] numbers) {
    return Tensor.of(numbers).to(Haft.defaultDevice());
  }

  static int option(List<String> arguments, String name, int value, int lowest) {
    int at = arguments.indexOf(name);
    if (at < 0) return value;
    String text = at + 1 < arguments.size() ? arguments.get(at + 1) : "";
    if (!text.matches("\\d{1,9}") || Integer.parseInt(text) < lowest)
      throw new IllegalArgumentException(name + " wants an integer from " + lowest + ", got '" + text + "'");
    return Integer.parseInt(text);
  }

  static void run(List<String> arguments) {
    int steps = option(arguments, "--steps", 2000, 1), users = option(arguments, "--users", 1000, 1), items = option(arguments, "--items", 400, 2 * TAKEN);
    int threads = option(arguments, "--threads", 0, 0), seed = option(arguments, "--seed", 0, 0);
    if (threads > 0) Haft.setNumThreads(threads);
    int device = arguments.indexOf("--device");
    if (device >= 0) Haft.setDefaultDevice(Device.of(device + 1 < arguments.size() ? arguments.get(device + 1) : ""));
    Haft.manualSeed(seed);
    Taken taken = Taken.make(users, items, seed);
    try (TwoTower net = new TwoTower(users, items); Scope all = new Scope(); Optimizer adam = new Adam(net.parameters(), 3e-3);
        Scheduler schedule = new CosineAnnealingLR(adam, steps, 0)) {
      Tensor who = here(taken.who), what = here(taken.what), own = Tensor.arange(BATCH);
      System.out.printf("%d users took %d of %d items; chance recommends what was held back to %.1f %%%n", users, taken.who.length, items,
          100.0 * SHOWN / (items - TAKEN + 1));
      double mean = 0;
      for (int step = 1; step <= steps; step++) {
        try (Scope scope = new Scope()) {
          Tensor rows = Tensor.randint(0, taken.who.length, new long[] {BATCH});
          Tensor loss = net.call(who.indexSelect(0, rows), what.indexSelect(0, rows))[0].mul(10).crossEntropy(own);
          adam.zeroGrad();
          loss.backward();
          adam.step();
          schedule.step();
          mean = step == 1 ? loss.item() : 0.98 * mean + 0.02 * loss.item();
        }
        if (step % 200 == 0 || step == steps) System.out.printf("step %5d  loss %.4f%n", step, mean);
      }
      System.out.printf("recommended: %.1f %% of what was held back%n", net.recall(taken));
    }
  }

  public static void main(String[] arguments) {
    try {
      run(new ArrayList<>(List.of(arguments)));
    } catch (IllegalArgumentException | HaftException e) {
      System.err.println("TwoTower: " + e.getMessage().replace('\n', ' '));
      System.exit(2);
    }
  }
}
