package io.haft.tests;

import io.haft.*;
import java.util.ArrayList;
import java.util.List;

/** What loading.sh starts: "where" prints the library's path, "exit" leaves the machine in the middle of work. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments[0].equals("where")) {
      System.out.println(Haft.libraryPath() + " " + Tensor.ones(2).sum().item());
      return;
    }
    // Live tensors, a loader whose threads call into Java, a session, and threads inside of operators.
    List<Tensor> live = new ArrayList<>();
    for (int i = 0; i < 100; i++) live.add(Tensor.ones(1000));
    DataLoader loader = new DataLoader(Dataset.of(1_000_000, i -> new Tensor[] {Tensor.ones(100).mul((double) i)}), new DataLoader.Options().batchSize(16).workers(3));
    loader.next();
    io.haft.Module net = new Sequential(new Linear(64, 64), new ReLU());
    InferenceSession session = new InferenceSession(net);
    for (int k = 0; k < 2; k++) {
      Thread t = new Thread(() -> {
        while (true) session.run(Tensor.randn(8, 64)).close();
      });
      t.setDaemon(true);
      t.start();
    }
    Haft.setLogSink(LogLevel.DEBUG, (level, text) -> {});
    Runtime.getRuntime().addShutdownHook(new Thread(() -> loader.next().close()));
    Thread.sleep(100);
    System.out.println("leaving");
    if (arguments[0].equals("exit")) System.exit(0);
    if (arguments[0].equals("halt")) Runtime.getRuntime().halt(0);
  }
}
