package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

/** As TrainTests.cs tests C#'s. */
@ExtendWith(Leaks.class)
class TrainerTest {
  /** A module whose forward is Java. */
  static final class Net extends Module {
    final Linear in = child("in", new Linear(2, 32)), out = child("out", new Linear(32, 2));

    @Override
    public Tensor forward(Tensor x) {
      return out.call(in.call(x).tanh());
    }
  }

  @Test
  void anInterruptEndsTheWaitForABatch() throws Exception {
    CountDownLatch inside = new CountDownLatch(1), go = new CountDownLatch(1);
    try (Dataset slow = Dataset.of(3, i -> {
      if (i > 0) {
        inside.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new RuntimeException(e);
        }
      }
      return new Tensor[] {Tensor.ones(2), Tensor.scalar(1L)};
    }); DataLoader loader = new DataLoader(slow, new DataLoader.Options().workers(1)); Net net = new Net();
        Scope parameters = new Scope(); SGD sgd = new SGD(net.parameters(), 0.1)) {
      List<Object> seen = new ArrayList<>();
      Thread training = new Thread(() -> {
        try {
          new Trainer(net, sgd).fit(loader, 1);
        } catch (CancellationException e) {
          seen.add(e.getMessage());
          seen.add(Thread.currentThread().isInterrupted());
        }
      });
      training.start();
      assertTrue(inside.await(10, TimeUnit.MINUTES));
      training.interrupt();
      training.join(TimeUnit.MINUTES.toMillis(10));
      assertFalse(training.isAlive());
      assertEquals(List.of("training: the thread was interrupted", true), seen);
      go.countDown();
      assertEquals(3, new Trainer(net, sgd).fit(loader, 1).samples());
    }
  }

  @Test
  void learnsReportsAndStops() {
    Haft.manualSeed(0);
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.randn(256, 2), y = x.select(1, 0).mul(x.select(1, 1)).gt(0.0).cast(DType.INT64);
      try (Dataset data = new TensorDataset(x, y); DataLoader loader = new DataLoader(data, new DataLoader.Options().batchSize(32).shuffle(true).seed(1)); Net net = new Net();
          Adam adam = new Adam(net.parameters(), 0.02); Scheduler schedule = new CosineAnnealingLR(adam, 8 * 40, 0)) {
        List<TrainingProgress> reports = new ArrayList<>();
        Trainer trainer = new Trainer(net, adam).scheduler(schedule).maxGradNorm(5).reportEvery(Duration.ZERO);
        TrainingProgress end = trainer.fit(loader, 40, reports::add);
        assertEquals(320, reports.size());
        assertTrue(end.accuracy() > 0.95, () -> "accuracy " + end.accuracy());
        assertTrue(end.loss() < reports.get(7).loss());
        assertEquals(256, end.samples());
        assertTrue(end.epochEnds() && !reports.get(6).epochEnds());
        assertEquals(end, reports.get(319));
        assertTrue(Double.isNaN(end.validationLoss()));
        // What a listener throws, an interrupt and a token end it.
        IllegalStateException own = new IllegalStateException("enough");
        assertSame(own, assertThrows(IllegalStateException.class, () -> trainer.fit(loader, 1, at -> {
          throw own;
        })));
        reports.clear();
        assertThrows(CancellationException.class, () -> trainer.fit(loader, 1, at -> {
          reports.add(at);
          if (at.step() == 3) Thread.currentThread().interrupt();
        }));
        assertTrue(Thread.interrupted());
        assertEquals(3, reports.size());
        try (CancelToken token = new CancelToken(); CancelToken.Use use = token.use()) {
          token.cancel();
          assertThrows(CancelledException.class, () -> trainer.fit(loader, 1));
        }
        Iterator<Batch> outer = loader.iterator();
        outer.next().close();
        assertEquals(1, trainer.fit(loader, 1).epoch());
        assertThrows(IllegalStateException.class, outer::hasNext);
      }
    }
  }

  /** After two epochs the rate is too high, and the loss climbs. */
  @Test
  void endsEarlyWithTheBestWeights() {
    Haft.manualSeed(3);
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.randn(64, 3), y = x.sum(new long[] {1}, true);
      try (Dataset data = new TensorDataset(x, y); DataLoader loader = new DataLoader(data, 16); DataLoader held = new DataLoader(data, 32);
          Module net = new Sequential(new Linear(3, 1)); SGD sgd = new SGD(net.parameters(), 0.1); Scheduler rises = new LambdaLR(sgd, step -> step < 8 ? 1 : 20)) {
        List<TrainingProgress> reports = new ArrayList<>();
        DoubleSupplier loss = () -> {
          try (NoGrad off = new NoGrad()) {
            return net.call(x).mseLoss(y).item();
          }
        };
        Trainer trainer = new Trainer(net, sgd, (output, target) -> output.mseLoss(target)).scheduler(rises).validation(held).patience(3).restoreBest(true);
        TrainingProgress end = trainer.fit(loader, 20, reports::add);
        assertEquals(5, end.epoch());
        assertEquals(2, end.bestEpoch());
        assertTrue(end.stoppedEarly());
        assertTrue(net.isTraining());
        TrainingProgress best = reports.stream().filter(p -> p.epoch() == 2).reduce((a, b) -> b).orElseThrow();
        assertTrue(Double.isNaN(best.accuracy()));
        assertEquals(best.validationLoss(), loss.getAsDouble(), 1e-6);
        assertTrue(end.validationLoss() > 2 * best.validationLoss());
        sgd.setLr(0.05);
        end = trainer.restoreBest(false).scheduler(null).minDelta(1e9).fit(loader, 20);
        assertEquals(4, end.epoch());
        assertEquals(1, end.bestEpoch());
        assertEquals(end.validationLoss(), loss.getAsDouble(), 1e-6);
        assertThrows(IllegalArgumentException.class, () -> trainer.fit(loader, 0));
        assertThrows(NullPointerException.class, () -> trainer.fit(null, 1));
        assertThrows(ArithmeticException.class, () -> new Trainer(net, sgd, (output, target) -> {
          throw new ArithmeticException();
        }).fit(loader, 1));
        assertThrows(IllegalArgumentException.class, () -> new Trainer(net, sgd, (output, target) -> output).fit(loader, 1));
      }
    }
  }

  @Test
  void aBarShowsIt() {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.randn(8, 2), y = Tensor.zeros(new long[] {8}, DType.INT64);
      try (Dataset data = new TensorDataset(x, y); DataLoader loader = new DataLoader(data, 4); Module net = new Sequential(new Linear(2, 2));
          Adam adam = new Adam(net.parameters(), 0.1)) {
        new Trainer(net, adam).validation(loader).fit(new DataLoader(data, 2), 2, new ProgressBar(2, new PrintStream(text, true), false));
      }
    }
    String said = text.toString(StandardCharsets.UTF_8);
    assertTrue(said.matches("(?s)epoch 1/2  .* s  loss .*  accuracy .*  validation loss .*  validation accuracy .*epoch 2/2  .*"), said);
  }
}
