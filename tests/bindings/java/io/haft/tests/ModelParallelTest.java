package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pipelines, experts and ring attention against one process. */
@ExtendWith(Leaks.class)
class ModelParallelTest {
  private static Module stage(int number) {
    return new Sequential(new Linear(4, 4, Build.of(new Generator(number))), new Tanh());
  }

  private static Tensor batch(int step) {
    return Tensor.randn(new long[] {8, 4}, DType.FLOAT32, null, new Generator(100 + step));
  }

  private static void close(Tensor got, Tensor wanted) {
    try (NoGrad off = new NoGrad()) {
      assertArrayEquals(wanted.sizes(), got.sizes());
      assertArrayEquals(wanted.contiguous().toFloatArray(), got.contiguous().toFloatArray(), 2e-5f);
    }
  }

  private static void equalsOneProcess(int ranks, int perRank, Pipeline.Schedule schedule) throws Exception {
    Ranks.run(ranks, g -> {
      Module[] mine = new Module[perRank], all = new Module[ranks * perRank];
      for (int k = 0; k < perRank; k++) mine[k] = stage(k * ranks + g.rank());
      for (int k = 0; k < all.length; k++) all[k] = stage(k);
      boolean first = g.rank() == 0, last = g.rank() == ranks - 1;
      try (ModuleList own = new ModuleList(mine); Sequential whole = new Sequential(all); MSELoss loss = new MSELoss();
          Pipeline p = new Pipeline(g, mine, new Pipeline.Options().schedule(schedule).microBatches(4).loss(last ? loss : null));
          SGD optimizer = new SGD(own.parameters(), 0.1); SGD other = new SGD(whole.parameters(), 0.1)) {
        assertSame(g, p.group());
        assertEquals(List.of(mine), p.stages());
        for (int step = 0; step < 3; step++)
          try (Scope scope = new Scope()) {
            Tensor x = batch(step), y = batch(step + 50).tanh();
            Pipeline.Results r = p.step(first ? new Tensor[] {x} : null, last ? y : null, true);
            Tensor out = whole.call(x), error = loss.call(out, y);
            error.backward();
            assertEquals(last, r.losses() != null);
            assertEquals(last ? 1 : 0, r.outputs().length);
            if (last) {
              assertEquals(4, r.losses().numel());
              assertEquals(error.item(), r.losses().mean().item(), 1e-5);
              close(r.outputs()[0], out);
            }
            optimizer.step();
            other.step();
            optimizer.zeroGrad();
            other.zeroGrad();
          }
        for (int k = 0; k < perRank; k++) close(mine[k].parameter("0.weight"), all[k * ranks + g.rank()].parameter("0.weight"));
        Pipeline.Info info = p.info();
        assertEquals(new Pipeline.Info(ranks * perRank, 4, first, last, info.peakLive(), info.bubble()), info);
        assertTrue(info.peakLive() >= 1, info.toString());
        assertEquals((ranks - 1.0) / (perRank * 4 + ranks - 1), info.bubble(), 1e-9);
        assertEquals(2 * 4 * perRank, p.trace().size());
        assertFalse(p.trace().get(0).isBackward());
        assertEquals(0, p.trace().get(p.trace().size() - 1).live());
        try (Scope scope = new Scope()) {
          Pipeline.Results r = p.evaluate(first ? new Tensor[] {batch(9)} : null, null);
          assertNull(r.losses());
          if (last) close(r.outputs()[0], whole.call(batch(9)));
          r.close();
        }
      }
    });
  }

  @Test
  void pipelinesAreTheModelOfOneProcess() throws Exception {
    equalsOneProcess(3, 1, Pipeline.Schedule.ONE_F_ONE_B);
    equalsOneProcess(2, 1, Pipeline.Schedule.GPIPE);
    equalsOneProcess(2, 2, Pipeline.Schedule.INTERLEAVED_1F1B);
  }

  private static final class Own extends Module {
    final Tensor weight = parameter("weight", Tensor.randn(new long[] {4, 4}, DType.FLOAT32, null, new Generator(5)));
    boolean fails;

    @Override
    public Tensor forward(Tensor x) {
      if (fails) throw new IllegalStateException("the stage broke");
      return x.matmul(weight);
    }
  }

  @Test
  void tiedParametersAndFailures() throws Exception {
    Ranks.run(2, g -> {
      boolean last = g.rank() == 1;
      try (Own stage = new Own(); MSELoss loss = new MSELoss(); Scope scope = new Scope();
          Pipeline p = new Pipeline(g, stage, new Pipeline.Options().microBatches(2).scaleGradients(true).loss(last ? loss : null))) {
        p.tie(stage.weight);
        Tensor x = batch(0);
        p.step(last ? null : new Tensor[] {x}, last ? x : null).close();
        float[] mine = stage.weight.grad().toFloatArray();
        Tensor sum = Tensor.of(mine);
        g.allReduce(sum, ReduceOp.AVG);
        assertArrayEquals(sum.toFloatArray(), mine, 1e-6f);
        stage.fails = last;
        if (last) {
          assertEquals("the stage broke", assertThrows(IllegalStateException.class, () -> p.step(null, x)).getMessage());
        } else {
          CancelledException e = assertThrows(CancelledException.class, () -> {
            p.step(new Tensor[] {x}, null).close();
            g.barrier();
          });
          assertTrue(e.getMessage().contains("the stage broke"), e.getMessage());
        }
      }
    });
  }

  private static final class Expert extends Module {
    final double factor;

    Expert(double factor) {
      this.factor = factor;
    }

    @Override
    public Tensor forward(Tensor x) {
      return x.mul(factor);
    }
  }

  @Test
  void expertsOfAllRanks() throws Exception {
    Ranks.run(2, g -> {
      int r = g.rank();
      Module[] experts = {new Expert(1 + 2 * r), new Expert(2 + 2 * r)};
      try (Module router = new Linear(4, 4, Build.of(new Generator(3))); Scope scope = new Scope();
          MixtureOfExperts one = new MixtureOfExperts(g, router, experts, new MixtureOfExperts.Options().topK(1).capacityFactor(0).normalize(true));
          MixtureOfExperts two = new MixtureOfExperts(g, router, experts)) {
        Tensor x = batch(r);
        Tensor[] y = one.call(new Tensor[] {x});
        assertEquals(2, y.length);
        float[] shares = router.call(x).softmax(-1).toFloatArray(), in = x.toFloatArray(), got = y[0].toFloatArray();
        for (int i = 0; i < 8; i++) {
          int best = 0;
          for (int e = 1; e < 4; e++) if (shares[4 * i + e] > shares[4 * i + best]) best = e;
          for (int k = 0; k < 4; k++) assertEquals(in[4 * i + k] * (best + 1) * shares[4 * i + best], got[4 * i + k], 1e-5f);
        }
        assertTrue(y[1].item() > 0);
        assertArrayEquals(x.sizes(), two.call(x).sizes());
        assertSame(router, two.get("router"));
        assertSame(experts[1], two.get("experts." + (2 * r + 1)));
        assertThrows(IllegalArgumentException.class, () -> new MixtureOfExperts(g, router));
        g.barrier();
      }
    });
  }

  @Test
  void ringAttention() throws Exception {
    Ranks.run(2, g -> {
      try (Scope scope = new Scope()) {
        Tensor q = batch(1).reshape(1, 8, 4), k = batch(2).reshape(1, 8, 4), v = batch(3).reshape(1, 8, 4);
        for (boolean causal : new boolean[] {false, true}) {
          Tensor scores = q.matmul(k.transpose(1, 2)).mul(0.5);
          if (causal) scores = scores.add(Tensor.full(new long[] {8, 8}, -1e9).triu(1));
          Tensor wanted = scores.softmax(-1).matmul(v).narrow(1, 4 * g.rank(), 4);
          Tensor[] mine = {q.narrow(1, 4 * g.rank(), 4), k.narrow(1, 4 * g.rank(), 4), v.narrow(1, 4 * g.rank(), 4)};
          close(Collectives.ringAttention(g, mine[0], mine[1], mine[2], causal, 0), wanted);
          close(Collectives.ringAttention(g, mine[0], mine[1], mine[2], causal, 0.5), wanted);
        }
      }
    });
  }
}
