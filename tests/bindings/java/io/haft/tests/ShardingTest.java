package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.io.File;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Leaks.class)
class ShardingTest {
  private static Tensor parameter(int n) {
    float[] values = new float[n];
    for (int i = 0; i < n; i++) values[i] = 0.1f * i;
    return Tensor.of(values).requiresGrad_();
  }

  private static List<Tensor> parameters() {
    return List.of(parameter(10), parameter(3), parameter(1));
  }

  private static Tensor loss(List<Tensor> ps, float by) {
    return ps.get(0).square().sum().add(ps.get(1).sum()).mul(by);
  }

  private static void assertSame(List<Tensor> wanted, List<Tensor> got, float by) {
    for (int i = 0; i < wanted.size(); i++) assertArrayEquals(wanted.get(i).toFloatArray(), got.get(i).toFloatArray(), by);
  }

  /** Also where the step is the optimizer's own. */
  @Test
  void anInterruptedStepAbortsTheGroup() throws Exception {
    Ranks.run(2, group -> {
      try (Scope scope = new Scope()) {
        List<Tensor> own = parameters();
        try (Optimizer a = new Adam(own, 0.01)) {
          new ZeroRedundancyOptimizer(a, group);
          loss(own, 1).backward();
          if (group.rank() == 0) {
            Thread.currentThread().interrupt();
            String message = assertThrows(CancelledException.class, a::step).getMessage();
            assertTrue(message.contains("was interrupted"), message);
            assertTrue(Thread.interrupted());
          } else {
            String message = assertThrows(CancelledException.class, group::barrier).getMessage();
            assertTrue(message.contains("rank 0 that waited in a call was interrupted"), message);
          }
        }
      }
    });
  }

  /** The plain call would limit nothing: stage 2 keeps the gradients in parts. */
  @Test
  void plainClippingIsRefused() throws Exception {
    Ranks.run(2, group -> {
      try (Scope scope = new Scope()) {
        List<Tensor> own = parameters();
        try (Optimizer a = new Adam(own, 0.01)) {
          ZeroRedundancyOptimizer zero = new ZeroRedundancyOptimizer(a, group, new ZeroRedundancyOptimizer.Options().shardGradients(true));
          loss(own, 1).backward();
          String message = assertThrows(InvalidArgumentException.class, () -> Haft.clipGradNorm(own, 1)).getMessage();
          assertTrue(message.contains("is kept in parts by a sharded optimizer of stage 2"), message);
          assertTrue(zero.clipGradNorm(1) > 0);
        }
      }
    });
  }

  @Test
  void stepsAsTheWholeOptimizer() throws Exception {
    for (int ranks : new int[] {2, 3}) {
      Ranks.run(ranks, group -> {
        try (Scope scope = new Scope()) {
          List<Tensor> own = parameters(), whole = parameters();
          try (Optimizer a = new Adam(own, 0.01); Optimizer b = new Adam(whole, 0.01)) {
            ZeroRedundancyOptimizer zero = new ZeroRedundancyOptimizer(a, group);
            Assertions.assertSame(a, zero.optimizer());
            Assertions.assertSame(group, zero.group());
            try (Scheduler as = new ExponentialLR(a, 0.5); Scheduler bs = new ExponentialLR(b, 0.5)) {
              for (int s = 0; s < 3; s++) {
                zero.zeroGrad();
                b.zeroGrad();
                loss(own, s + 1).backward();
                loss(whole, s + 1).backward();
                zero.step();
                b.step();
                as.step();
                bs.step();
              }
            }
            assertSame(whole, own, 0);
            ZeroRedundancyOptimizer.Info info = zero.info();
            assertEquals(1, info.stage());
            assertEquals(ranks, info.ranks());
            assertEquals(14, info.elements());
            assertTrue(info.ownElements() <= (14 + ranks - 1) / ranks, info.toString());
            assertTrue(info.stateBytes() <= 8 * info.ownElements(), info.toString());
            InvalidArgumentException spread = assertThrows(InvalidArgumentException.class, () -> a.state(0, "exp_avg"));
            assertTrue(spread.getMessage().contains("not gathered since it changed"), spread.getMessage());
            zero.consolidate();
            assertArrayEquals(b.state(0, "exp_avg").toFloatArray(), a.state(0, "exp_avg").toFloatArray());
            assertArrayEquals(b.state(1, "step").toFloatArray(), a.state(1, "step").toFloatArray());
          }
        }
      });
    }
  }

  @Test
  void gradientsAreSpreadToo() throws Exception {
    Ranks.run(2, group -> {
      try (Scope scope = new Scope()) {
        List<Tensor> own = parameters(), whole = parameters();
        try (Optimizer a = new SGD(own, 0.1); Optimizer b = new SGD(whole, 0.1)) {
          ZeroRedundancyOptimizer zero =
              new ZeroRedundancyOptimizer(a, group, new ZeroRedundancyOptimizer.Options().shardGradients(true).initSync(false).bucketBytes(16));
          for (int s = 0; s < 3; s++) {
            zero.zeroGrad();
            b.zeroGrad();
            loss(own, 2 * group.rank()).backward();  // the mean of 0 and 2
            loss(whole, 1).backward();
            assertNull(own.get(0).grad());
            assertTrue(zero.info().gradientBytes() <= 4 * 8, zero.info().toString());
            assertEquals(Haft.clipGradNorm(whole, 1).toFloatArray()[0], zero.clipGradNorm(1), 1e-5);
            zero.step();
            b.step();
          }
          assertSame(whole, own, 1e-6f);
        }
      }
    });
  }

  @Test
  void checkpointsGoOnAtAnotherNumberOfRanks(@TempDir File folder) throws Exception {
    String path = new File(folder, "run.ckpt").getPath();
    float[][] saved = new float[1][];
    for (int ranks : new int[] {3, 2}) {
      Ranks.run(ranks, group -> {
        try (Scope scope = new Scope()) {
          List<Tensor> ps = parameters();
          try (Optimizer o = new Adam(ps, 0.01)) {
            ZeroRedundancyOptimizer zero = new ZeroRedundancyOptimizer(o, group);
            Checkpoint.Parts parts = new Checkpoint.Parts().optimizer(o).defaultGenerator(false);
            if (ranks == 3) {
              loss(ps, 1).backward();
              zero.step();
              zero.consolidate(1);
              if (group.rank() != 1) return;
              Checkpoint.save(path, parts, Map.of());
              saved[0] = o.state(0, "exp_avg_sq").toFloatArray();
            } else {
              Checkpoint.load(path, parts).close();
              assertEquals(1, o.state(0, "step").toFloatArray()[0]);
              zero.consolidate();
              assertArrayEquals(saved[0], o.state(0, "exp_avg_sq").toFloatArray());
            }
          }
        }
      });
    }
  }

  @Test
  void misuse() throws Exception {
    Ranks.run(2, group -> {
      try (Scope scope = new Scope(); Optimizer o = new SGD(parameters(), 0.1); Optimizer other = new SGD(List.of(parameter(2 + group.rank())), 0.1)) {
        assertThrows(NullPointerException.class, () -> new ZeroRedundancyOptimizer(o, null));
        assertThrows(NullPointerException.class, () -> new ZeroRedundancyOptimizer(null, group));
        assertThrows(InvalidArgumentException.class,
                     () -> new ZeroRedundancyOptimizer(o, group, new ZeroRedundancyOptimizer.Options().bucketBytes(0)));
        assertThrows(MismatchException.class, () -> new ZeroRedundancyOptimizer(other, group));
        ZeroRedundancyOptimizer zero = new ZeroRedundancyOptimizer(o, group);
        assertThrows(InvalidArgumentException.class, () -> new ZeroRedundancyOptimizer(o, group));
        assertThrows(InvalidArgumentException.class, () -> zero.consolidate(2));
        assertThrows(InvalidArgumentException.class, () -> zero.clipGradNorm(-1));
      }
    });
  }
}
