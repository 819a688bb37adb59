package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

/** Parameters of which ranks keep their rows, against whole ones. */
@ExtendWith(Leaks.class)
class FullyShardedTest {
  private static Module net() {
    Haft.manualSeed(5);
    return new Sequential(new Linear(4, 7), new Tanh(), new Linear(7, 3));
  }

  private static Tensor batch(int step, int rank) {
    float[] values = new float[8];
    for (int i = 0; i < 8; i++) values[i] = (float) Math.sin(1 + step * 16 + rank * 8 + i);
    return Tensor.of(values).reshape(2, 4);
  }

  private static void train(Module m, Optimizer o, int ranks, int rank, boolean alone) {
    for (int step = 0; step < 3; step++) {
      o.zeroGrad();
      if (alone)
        for (int r = 0; r < ranks; r++) m.call(batch(step, r)).square().sum().mul(1f / ranks).backward();
      else
        m.call(batch(step, rank)).square().sum().backward();
      o.step();
    }
  }

  @Test
  void trainsAsOneProcessDoes() throws Exception {
    for (int ranks : new int[] {2, 3}) {
      Ranks.run(ranks, group -> {
        try (Scope scope = new Scope()) {
          Module own, whole;
          synchronized (FullyShardedTest.class) {  // the generator is every rank's: they are threads
            own = net();
            whole = net();
          }
          new FullySharded(own.get("0"), group).close();  // the module keeps what it needs
          FullySharded root = new FullySharded(own, group);
          Tensor weight = own.get("0").parameter("weight");
          try (Optimizer a = new Adam(own.parameters(), 0.01); Optimizer b = new Adam(whole.parameters(), 0.01)) {
            train(own, a, ranks, group.rank(), false);
            train(whole, b, ranks, 0, true);
          }
          FullySharded.ShardInfo rows = FullySharded.shardInfo(weight);
          assertEquals(7, rows.rows());
          assertEquals(ranks, rows.ranks());
          assertFalse(rows.isShard());
          Tensor mine = FullySharded.shardOf(weight);
          assertArrayEquals(new long[] {rows.count(), 4}, mine.shape());
          assertArrayEquals(new long[] {rows.count(), 4}, mine.grad().shape());
          assertNull(FullySharded.shardOf(Tensor.of(new float[] {1})));
          String away = assertThrows(InvalidArgumentException.class, () -> weight.toFloatArray()).getMessage();
          assertTrue(away.contains("weight"), away);
          FullySharded.Info info = root.info();
          assertEquals(24, info.elements());
          assertFalse(info.whole());
          assertTrue(info.gathers() >= 3 && info.scatters() == 3, info.toString());
          root.unshard();
          assertTrue(root.info().whole());
          root.reshard();
          root.setReshardAfterForward(true);
          root.setGradientSync(true);
          root.dissolve();
          assertArrayEquals(whole.parameter("2.weight").toFloatArray(), own.parameter("2.weight").toFloatArray(), 1e-5f);
        }
      });
    }
  }

  @Test
  void listsOfParameters() throws Exception {
    Ranks.run(2, group -> {
      try (Scope scope = new Scope()) {
        Tensor w = Tensor.of(new float[] {1, 2, 3}).requiresGrad_();
        FullySharded unit = new FullySharded(Map.of("w", w), group,
            new FullySharded.Options().reshardAfterForward(true).prefetch(0).initSync(true).castForwardInputs(false));
        for (int step = 0; step < 2; step++) {
          Tensor[] y = unit.forward(in -> new Tensor[] {w.mul(in[0])}, Tensor.of(new float[] {1, 1, 2f * group.rank()}));
          assertFalse(unit.info().whole());
          y[0].sum().backward();
        }
        FullySharded.ShardInfo rows = FullySharded.shardInfo(w);
        float[] wanted = Arrays.copyOfRange(new float[] {2, 2, 2}, (int) rows.first(), (int) (rows.first() + rows.count()));
        assertArrayEquals(wanted, FullySharded.shardOf(w).grad().toFloatArray());
      }
    });
  }

  @Test
  void misuse() throws Exception {
    Ranks.run(2, group -> {
      try (Scope scope = new Scope()) {
        Module m = new Linear(2 + group.rank(), 2);
        assertThrows(NullPointerException.class, () -> new FullySharded(m, null));
        assertThrows(MismatchException.class, () -> new FullySharded(m, group));
        Tensor one = Tensor.scalar(1.0).requiresGrad_();
        assertThrows(ShapeException.class, () -> new FullySharded(Map.of("one", one), group, new FullySharded.Options()));
      }
    });
  }
}
