package io.haft.tests;

import io.haft.*;
import java.util.concurrent.CompletableFuture;

/** What a web application does with haft from its start to its end; {@link Main} deploys it again and again. */
public final class Application implements Runnable {
  @Override
  public void run() {
    io.haft.Module own = new io.haft.Module() {
      @Override
      public Tensor forward(Tensor x) {
        return x.mul(2);
      }
    };
    Haft.setLogSink(LogLevel.WARNING, (level, text) -> {});
    try (Scope scope = new Scope();
        io.haft.Module net = new Sequential(new Linear(4, 4), own);
        DataLoader loader = new DataLoader(Dataset.of(20, i -> new Tensor[] {Tensor.ones(4).mul((double) i)}), new DataLoader.Options().batchSize(4).workers(2));
        InferenceSession session = new InferenceSession(net, new InferenceSession.Options().workers(2))) {
      for (Batch b : loader) net.call(b.get(0)).sum().backward();
      CompletableFuture<Double> later = session.submit(Tensor.ones(1, 4)).thenApply(y -> {
        double v = y[0].sum().item();
        y[0].close();
        return v;
      });
      if (Double.isNaN(later.join())) throw new AssertionError("no answer");
    }
    Haft.setLogSink(LogLevel.WARNING, null);
    for (int i = 0; i < 10; i++) Tensor.ones(1000);  // left to the collector
  }
}
