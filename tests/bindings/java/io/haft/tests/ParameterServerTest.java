package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Leaks.class)
class ParameterServerTest {
  private interface Work {
    void run(ParameterClient client, int worker) throws Exception;
  }

  private interface End {
    void run(ParameterServer server, int number) throws Exception;
  }

  /** The first ranks are servers until all workers have left. */
  private static void job(int servers, int workers, ParameterServer.Options o, Work work, End end) throws Exception {
    CountDownLatch left = new CountDownLatch(workers);
    long[] ranks = new long[servers];
    for (int i = 0; i < servers; i++) ranks[i] = i;
    Agents.run(servers + workers, (rpc, r) -> {}, (rpc, r) -> {
      if (r < servers) {
        try (ParameterServer s = new ParameterServer(rpc, o.workers(workers))) {
          assertSame(rpc, s.rpc());
          left.await();
          end.run(s, r);
        }
        return;
      }
      try (ParameterClient c = new ParameterClient(rpc, ranks, "parameters", Agents.LONG); Scope scope = new Scope()) {
        assertSame(rpc, c.rpc());
        work.run(c, r - servers);
        c.leave();
      } finally {
        left.countDown();
      }
    });
  }

  /** One process with the mean gradient does the same. */
  @Test
  void synchronousStepsAreThoseOfOneProcess() throws Exception {
    ParameterServer.Options o = new ParameterServer.Options().optimizer("SGD").option("lr", 0.1).option("momentum", 0.9);
    double[] wanted = new double[3];
    try (Tensor w = Tensor.zeros(new long[] {3}, DType.FLOAT64).setRequiresGrad(); SGD alone = new SGD(new Tensor[] {w}, new SGD.Options().lr(0.1).momentum(0.9)); Scope scope = new Scope()) {
      for (int i = 0; i < 4; i++) {
        w.setGrad(w.detach().sub(Tensor.of(new double[] {1.5, 2.5, 3.5})));
        alone.step();
      }
      wanted = w.detach().toDoubleArray();
    }
    double[] all = wanted;
    job(1, 2, o, (c, me) -> {
      Tensor w = Tensor.zeros(new long[] {3}, DType.FLOAT64);
      assertEquals(0, c.add("w", w));
      for (int i = 0; i < 4; i++) {
        assertEquals(Map.of("w", (long) i), c.pull(Map.of("w", w)));
        c.push(Map.of("w", w.sub(Tensor.of(new double[] {1 + me, 2 + me, 3 + me}))));
        assertEquals(i + 1, c.step());
      }
      c.pull(Map.of("w", w));
      assertArrayEquals(all, w.toDoubleArray(), 1e-12);
      assertThrows(MismatchException.class, () -> c.add("w", Tensor.zeros(2)));
      assertThrows(InvalidArgumentException.class, () -> c.pull(Map.of("stranger", w)));
    }, (s, n) -> {
      ParameterServer.Info i = s.info();
      assertEquals(4, i.version());
      assertEquals(1, i.parameters());
      assertEquals(3, i.elements());
      assertEquals(0, i.waiting());
    });
  }

  @Test
  void rowsOfTables() throws Exception {
    ParameterServer.Options o = new ParameterServer.Options().mode(ParameterServer.Mode.ASYNCHRONOUS).option("lr", 1);
    job(2, 1, o, (c, me) -> {
      assertEquals(0, c.addTable("users", 1_000_000_000, 4, 0.5, 7, DType.FLOAT32));
      assertEquals(0, c.addTable("zeros", 10, 2));
      Tensor ids = Tensor.of(new long[] {3, 999_999_999, 3}), before = c.pullRows("users", ids);
      assertArrayEquals(new long[] {3, 4}, before.sizes());
      assertTrue(before.abs().sum().item() > 0);
      c.pushRows("users", ids, Tensor.ones(3, 4));
      c.setOption("lr", 0.5);
      c.pushRows("zeros", Tensor.of(new long[] {1}), Tensor.ones(1, 2));
      assertEquals(1, c.step());
      float[] was = before.toFloatArray(), now = c.pullRows("users", ids).toFloatArray();
      for (int i = 0; i < 12; i++) assertEquals(was[i] - (i / 4 == 1 ? 1 : 2), now[i], 1e-5f);
      assertArrayEquals(new float[] {-0.5f, -0.5f}, c.pullRows("zeros", Tensor.of(new long[] {1})).toFloatArray(), 1e-6f);
      assertThrows(IndexException.class, () -> c.pullRows("zeros", Tensor.of(new long[] {10})));
      Map<String, Tensor> none = new HashMap<>();
      c.add("w", Tensor.ones(2));
      none.put("w", null);
      c.push(none);
      c.step();
    }, (s, n) -> assertEquals(n == 1 ? 3 : 0, s.info().rows()));  // all of them odd
  }

  @Test
  void snapshots(@TempDir Path folder) throws Exception {
    String file = folder.resolve("snapshot").toString();
    job(1, 1, new ParameterServer.Options().option("lr", 1), (c, me) -> {
      c.add("w", Tensor.ones(2));
      c.push(Map.of("w", Tensor.ones(2)));
      assertEquals(1, c.step());
    }, (s, n) -> s.save(file));
    job(1, 1, new ParameterServer.Options().option("lr", 1).snapshot(file), (c, me) -> {
      Tensor w = Tensor.ones(2);
      assertEquals(1, c.add("w", w));
      c.pull(Map.of("w", w));
      assertArrayEquals(new float[] {0, 0}, w.toFloatArray());
      long clock = c.join();
      assertEquals(clock + 1, c.step());
    }, (s, n) -> assertEquals(1, s.info().parameters()));
  }

  @Test
  void boundedModeAndMisuse() throws Exception {
    ParameterServer.Options o = new ParameterServer.Options().mode(ParameterServer.Mode.BOUNDED).staleness(1).name("parameters").optimizer("Adam").option("lr", 0.1);
    job(1, 2, o, (c, me) -> {
      Tensor w = Tensor.zeros(2);
      c.add("w", w);
      for (int i = 0; i < 3; i++) {
        c.push(Map.of("w", Tensor.ones(2)));
        c.step();
      }
      c.pull(Map.of("w", w));
      assertTrue(w.max().item() < 0);
    }, (s, n) -> assertEquals(6, s.info().version()));
    Agents.run(1, (rpc, r) -> {}, (rpc, r) -> {
      InvalidArgumentException e = assertThrows(InvalidArgumentException.class, () -> new ParameterServer(rpc, new ParameterServer.Options().optimizer("Magic")));
      assertTrue(e.getMessage().contains("Adam"), e.getMessage());
      assertThrows(InvalidArgumentException.class, () -> new ParameterServer(null, new ParameterServer.Options()));
      assertThrows(TimeLimitException.class, () -> new ParameterClient(rpc, new long[] {0}, "nobody", Duration.ofMillis(10)));
      assertThrows(InvalidArgumentException.class, () -> new ParameterClient(rpc));
    });
  }

  @Test
  void sharedTensors() {
    try (Tensor t = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2)) {
      assertFalse(t.isShared());
      assertThrows(InvalidArgumentException.class, t::sharedName);
      assertSame(t, t.shareMemory_());
      assertTrue(t.isShared());
      String name = t.sharedName();
      try (Tensor other = Tensor.openShared(name)) {
        assertArrayEquals(new long[] {2, 2}, other.sizes());
        other.mul_(2.0);
        assertArrayEquals(new float[] {2, 4, 6, 8}, t.toFloatArray());
      }
      t.close();
      assertTrue(assertThrows(HaftException.class, () -> Tensor.openShared(name)).status().contains("UNAVAILABLE"));
    }
    assertThrows(InvalidArgumentException.class, () -> Tensor.openShared("nonsense"));
  }
}
