// One training step (zero_grad, forward, loss, backward, Adam) from Java, on the models and data of bench/train.c; what a + b of
// one element costs with its release; and requests of 32 clients as in bench/batching.c. A JSON line each, in the form of the C programs.
//
//   java -cp haft.jar Train.java mlp|cnn|add THREADS, or batches|single THREADS HIDDEN
import com.sun.management.OperatingSystemMXBean;
import io.haft.*;
import io.haft.Module;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Phaser;

public class Train {
  interface Steps {
    void run(int n);
  }

  /** Under HAFT_BENCH_TURNS: says which case this is and waits for a line, so that bench/run can let the sides take turns. */
  static void waitForTurn(String name) throws IOException {
    if (System.getenv("HAFT_BENCH_TURNS") == null) return;
    System.out.printf("{\"ready\": \"%s\"}%n", name);
    for (int c = 0; c != '\n';)
      if ((c = System.in.read()) < 0) System.exit(1);
  }

  /** Median processor time and median wall time of one turn, as bench/train.c has them; windows of about half a second after a warm-up. */
  static double[] measure(String name, Steps steps, double seconds, int windows) throws IOException {
    OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    waitForTurn(name);
    int n = 1;
    long warm = System.nanoTime();
    while (System.nanoTime() - warm < 3e9 || n < 2) {  // the compiler is through
      long start = System.nanoTime();
      steps.run(n);
      double spent = (System.nanoTime() - start) / 1e9;
      n = (int) Math.max(1, Math.min(n * 4.0, n * seconds / Math.max(spent, 1e-9)));
    }
    double[] cpu = new double[windows], wall = new double[windows];
    for (int w = 0; w < windows; w++) {
      if (w > 0) waitForTurn(name);
      long c = system.getProcessCpuTime(), start = System.nanoTime();
      steps.run(n);
      wall[w] = (System.nanoTime() - start) / 1e9 / n;
      cpu[w] = (system.getProcessCpuTime() - c) / 1e9 / n;
    }
    Arrays.sort(cpu);
    Arrays.sort(wall);
    return new double[] {cpu[windows / 2], wall[windows / 2]};
  }

  static Module model(String name) {
    if (name.equals("mlp")) return new Sequential(new Flatten(), new Linear(784, 128), new ReLU(), new Linear(128, 10));
    return new Sequential(new Conv2d(1, 32, 3), new ReLU(), new Conv2d(32, 64, 3), new ReLU(), new MaxPool2d(2), new Dropout(0.25), new Flatten(), new Linear(9216, 128),
        new ReLU(), new Dropout(0.5), new Linear(128, 10));
  }

  static void print(String name, int threads, String unit, double scale, double[] t) {
    System.out.printf(Locale.ROOT, "{\"case\": \"%s\", \"threads\": %d, \"unit\": \"%s\", \"value\": %.6g, \"wall\": %.6g}%n", name, threads, unit,
        (threads == 1 ? t[0] : t[1]) * scale, t[1] * scale);
  }

  static int turns;

  /** 32 clients, each of which waits for its answer before it asks again. */
  static void serve(int threads, boolean batches, int hidden) throws IOException {
    final int clients = 32;
    final String name = "perceptron 784-" + hidden + "-" + hidden + "-10";
    try (Module net = new Sequential(new Linear(784, hidden), new ReLU(), new Linear(hidden, hidden), new ReLU(), new Linear(hidden, 10));
        InferenceSession session = new InferenceSession(net, batches ? new InferenceSession.Options().maxBatch(clients).maxDelay(Duration.ofNanos(500_000)) : new InferenceSession.Options())) {
      Phaser meeting = new Phaser(clients + 1);
      for (int c = 0; c < clients; c++) {
        Thread client = new Thread(() -> {
          try (Tensor x = Tensor.randn(1, 784)) {
            while (true) {
              meeting.arriveAndAwaitAdvance();
              if (turns == 0) return;
              for (int i = 0; i < turns; i++) session.run(x).close();
              meeting.arriveAndAwaitAdvance();
            }
          }
        });
        client.setDaemon(true);
        client.start();
      }
      print(name, threads, "us", 1e6 / clients, measure(name, n -> {
        turns = n;
        meeting.arriveAndAwaitAdvance();
        meeting.arriveAndAwaitAdvance();
      }, 0.5, 7));
      turns = 0;
      meeting.arriveAndDeregister();
    }
  }

  public static void main(String[] arguments) throws IOException {
    String name = arguments[0];
    int threads = Integer.parseInt(arguments[1]);
    Haft.setNumThreads(threads);
    Haft.manualSeed(0);
    if (name.equals("batches") || name.equals("single")) {
      serve(threads, name.equals("batches"), Integer.parseInt(arguments[2]));
      return;
    }
    if (name.equals("add")) {
      try (Tensor a = Tensor.ones(1); Tensor b = Tensor.ones(1)) {
        print("a + b", threads, "ns", 1e9, measure("a + b", n -> {
          for (int i = 0; i < n; i++) a.add(b).close();
        }, 0.2, 15));
      }
      return;
    }
    try (Module net = model(name); Tensor x = Tensor.randn(64, 1, 28, 28); Tensor target = Tensor.randint(0, 10, 64);
        Scope parameters = new Scope(); Optimizer optimizer = new Adam(net.parameters(), 1e-6)) {
      print(name, threads, "ms", 1e3, measure(name, n -> {
        for (int i = 0; i < n; i++) {
          try (Scope step = new Scope()) {
            Tensor y = net.call(x);
            optimizer.zeroGrad();
            y.crossEntropy(target).backward();
            optimizer.step();
          }
        }
      }, 0.5, 7));
    }
  }
}
