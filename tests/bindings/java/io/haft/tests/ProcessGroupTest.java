package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.io.ObjectInputFilter;
import java.io.Serializable;
import java.time.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class ProcessGroupTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  private static Tensor floats(float... x) {
    return Tensor.of(x);
  }

  private static void same(Tensor got, float... wanted) {
    assertArrayEquals(wanted, got.toFloatArray());
  }

  private static Tensor[] zeros(long... sizes) {
    return Arrays.stream(sizes).mapToObj(n -> Tensor.zeros(n)).toArray(Tensor[]::new);
  }

  @Test
  void collectives() throws Exception {
    Ranks.run(3, g -> {
      try (Scope scope = new Scope()) {
        int r = g.rank();
        assertEquals(3, g.size());
        Tensor x = floats(1 + r, 2 * r);
        g.allReduce(x);
        same(x, 6, 6);
        g.allReduce(x = floats(r, -r), ReduceOp.MAX);
        same(x, 2, 0);
        g.allReduce(x = floats(r, 3 * r), ReduceOp.AVG);
        same(x, 1, 3);
        Tensor bits = Tensor.of(new long[] {1L << r, 7 - r});
        g.allReduce(bits, ReduceOp.BOR);
        assertArrayEquals(new long[] {7, 7}, bits.toLongArray());
        g.broadcast(x = floats(r, r), 2);
        same(x, 2, 2);
        g.reduce(x = floats(r + 1), 1, ReduceOp.PRODUCT);
        same(x, r == 1 ? 6 : r + 1);
        g.reduce(x = floats(r), 0);
        same(x, r == 0 ? 3 : r);
        Tensor[] parts = zeros(1, 2, 3);
        g.allGather(parts, Tensor.full(new long[] {r + 1}, (double) r));
        same(parts[2], 2, 2, 2);
        Tensor all = Tensor.zeros(6);
        g.allGatherInto(all, floats(r, 10 + r));
        same(all, 0, 10, 1, 11, 2, 12);
        g.allGatherInto(all, Tensor.full(new long[] {r + 1}, (double) r), new long[] {1, 2, 3});
        same(all, 0, 1, 1, 2, 2, 2);
        parts = r == 1 ? zeros(1, 1, 1) : new Tensor[0];
        g.gather(parts, floats(5 * r), 1);
        if (r == 1) same(parts[2], 10);
        g.scatter(x, r == 0 ? new Tensor[] {floats(4), floats(5), floats(6)} : new Tensor[0], 0);
        same(x, 4 + r);
        g.reduceScatter(x, new Tensor[] {floats(r), floats(10 * r), floats(100 * r)}, ReduceOp.SUM);
        same(x, r == 0 ? 3 : r == 1 ? 30 : 300);
        g.reduceScatterFrom(x, floats(r, 2 * r, 3 * r));
        same(x, 3 * (r + 1));
        parts = zeros(1, 1, 1);
        g.allToAll(parts, new Tensor[] {floats(10 * r), floats(10 * r + 1), floats(10 * r + 2)});
        same(parts[0], r);
        same(parts[2], 20 + r);
        Tensor came = Tensor.zeros(3), uneven = Tensor.zeros(3 * (r + 1));
        g.allToAllSingle(came, floats(10 * r, 10 * r + 1, 10 * r + 2));
        same(came, r, 10 + r, 20 + r);
        long here = r + 1;
        g.allToAllSingle(uneven, Tensor.full(new long[] {6}, (double) r), new long[] {here, here, here}, new long[] {1, 2, 3});
        assertEquals(2, uneven.toFloatArray()[(int) (3 * here - 1)]);
        g.barrier();
        g.barrier(LONG);
        ProcessGroup.Info info = g.info();
        assertEquals(0, info.failure());
        assertEquals(-1, info.culprit());
        assertEquals(info.issued(), info.finished());
        assertTrue(info.issued() >= 18, info.toString());
        assertEquals(Duration.ofMinutes(10), info.timeout());
        assertEquals("shm", info.engine());
        assertTrue(ProcessGroup.isAvailable("shm") && !ProcessGroup.isAvailable("pigeons"));
        assertEquals("default", info.name());
        assertTrue(g.recorderJson().contains("reduce_scatter"));
      }
    });
  }

  @Test
  void works() throws Exception {
    Ranks.run(2, g -> {
      int r = g.rank();
      List<Work> begun = new ArrayList<>();
      try (Scope scope = new Scope()) {
        Tensor a = floats(r), b = floats(r), c = floats(r), all = Tensor.zeros(2), half = Tensor.zeros(1), moved = Tensor.zeros(2);
        Tensor[] parts = zeros(1, 1), gathered = r == 0 ? zeros(1, 1) : new Tensor[0], exchanged = zeros(1, 1);
        Tensor scattered = Tensor.zeros(1), joined = Tensor.zeros(1);
        begun.add(g.allReduceAsync(a));
        begun.add(g.allReduceAsync(b, ReduceOp.MAX));
        begun.add(g.broadcastAsync(c, 1));
        begun.add(g.reduceAsync(floats(1), 0));
        begun.add(g.allGatherAsync(parts, floats(r)));
        begun.add(g.allGatherIntoAsync(all, floats(r)));
        begun.add(g.gatherAsync(gathered, floats(r), 0));
        begun.add(g.scatterAsync(scattered, r == 0 ? new Tensor[] {floats(7), floats(8)} : new Tensor[0], 0));
        begun.add(g.reduceScatterAsync(joined, new Tensor[] {floats(1), floats(2)}));
        begun.add(g.reduceScatterFromAsync(half, floats(3, 4)));
        begun.add(g.allToAllAsync(exchanged, new Tensor[] {floats(r), floats(r + 2)}));
        begun.add(g.allToAllSingleAsync(moved, floats(r, r + 2)));
        begun.add(g.barrierAsync());
        begun.add(g.barrierAsync(LONG));
        for (Work w : begun) {
          w.await();
          assertTrue(w.isDone());
          assertEquals(-1, w.source());
          w.close();
        }
        same(a, 1);
        same(b, 1);
        same(c, 1);
        same(all, 0, 1);
        same(scattered, 7 + r);
        same(joined, 2 * (r + 1));
        same(half, 6 + 2 * r);
        same(moved, 2 * r, 2 * r + 1);
        same(exchanged[1], 2 * r + 1);
      }
    });
  }

  @Test
  void messages() throws Exception {
    Ranks.run(3, g -> {
      try (Scope scope = new Scope()) {
        Tensor x = Tensor.zeros(2);
        if (g.rank() == 0) {
          Set<Integer> came = new HashSet<>();
          for (int i = 0; i < 2; i++) {
            int from = g.recv(x);
            same(x, from, from);
            came.add(from);
          }
          assertEquals(Set.of(1, 2), came);
          try (Work w = g.recvAsync(x, ProcessGroup.ANY_SOURCE, 5)) {
            w.await();
            assertEquals(2, w.source());
          }
          assertEquals(1, g.recv(x, 1, 9));
          same(x, 9, 9);
        } else {
          g.send(floats(g.rank(), g.rank()), 0);
          if (g.rank() == 1) g.sendAsync(floats(9, 9), 0, 9).await();
          if (g.rank() == 2) g.send(floats(5, 5), 0, 5);
        }
      }
    });
  }

  @Test
  void awaitGivesUpAndFuturesComplete() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    Ranks.run(2, g -> {
      try (Tensor x = floats(g.rank() + 1)) {
        if (g.rank() == 1) {
          assertTrue(go.await(10, TimeUnit.MINUTES));
          g.allReduce(x);
          g.allReduce(x);
          g.barrier();
          return;
        }
        try (Work w = g.allReduceAsync(x)) {
          assertFalse(w.await(Duration.ofMillis(30)));
          assertFalse(w.isDone());
          CompletableFuture<Work> future = w.toCompletableFuture();
          CompletableFuture<Boolean> heard = new CompletableFuture<>();
          w.onDone(done -> heard.complete(done == w && done.isDone()));
          CompletableFuture<Work> next = future.thenCompose(done -> g.allReduceAsync(x).toCompletableFuture());  // begun by the thread that finds it done
          assertTrue(w.toCompletableFuture().cancel(true));
          go.countDown();
          assertSame(w, future.get(10, TimeUnit.MINUTES));
          assertTrue(heard.get(10, TimeUnit.MINUTES));
          next.get(10, TimeUnit.MINUTES).close();
          same(x, 6);
          assertTrue(w.await(Duration.ZERO));
          CompletableFuture<Work> at_once = w.toCompletableFuture();
          assertTrue(at_once.isDone());
        }
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread here = Thread.currentThread();
        here.setUncaughtExceptionHandler((t, e) -> thrown.complete(e));
        try (Work w = g.barrierAsync()) {
          w.await();
          w.onDone(done -> {
            throw new IllegalStateException("in the callback");
          });
        }
        assertEquals("in the callback", thrown.get(10, TimeUnit.MINUTES).getMessage());
      }
    });
  }

  @Test
  void awaitIsInterruptedAndTheWorkGoesOn() throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    Ranks.run(2, g -> {
      try (Tensor x = floats(1)) {
        if (g.rank() == 1) {
          assertTrue(interrupted.await(10, TimeUnit.MINUTES));
          g.allReduce(x);
          return;
        }
        try (Work w = g.allReduceAsync(x)) {
          Thread.currentThread().interrupt();
          CancelledException e = assertThrows(CancelledException.class, w::await);
          assertTrue(e.getMessage().contains("goes on"), e.getMessage());
          assertTrue(Thread.interrupted());
          interrupted.countDown();
          w.await();
          same(x, 2);
        }
      }
    });
  }

  @Test
  void anInterruptedCallAbortsTheGroup() throws Exception {
    CompletableFuture<Thread> waits = new CompletableFuture<>();
    Ranks.run(2, g -> {
      if (g.rank() == 1) {
        Thread other = waits.get(10, TimeUnit.MINUTES);
        while (!g.recorderJson().contains("never")) {
          other.interrupt();
          if (g.info().failure() != 0) break;
          Thread.onSpinWait();
        }
        CancelledException e = assertThrows(CancelledException.class, g::barrier);
        assertTrue(e.getMessage().contains("rank 0 that waited in a call was interrupted"), e.getMessage());
        return;
      }
      waits.complete(Thread.currentThread());
      try (Tensor x = floats(1)) {
        CancelledException e = assertThrows(CancelledException.class, () -> g.allReduce(x));
        assertTrue(e.getMessage().contains("was interrupted"), e.getMessage());
        assertTrue(Thread.currentThread().isInterrupted());
        assertEquals(22, g.info().failure());
      }
    });
  }

  @Test
  void partsOfTheGroup() throws Exception {
    Ranks.run(3, g -> {
      try (Tensor x = floats(g.rank()); ProcessGroup part = g.subgroup(2, 0); ProcessGroup own = g.subgroup(new long[] {0, 1}, new ProcessGroup.Options().timeout(LONG).engine("shm"))) {
        assertEquals(g.rank() == 1, part == null);
        assertEquals(g.rank() == 2, own == null);
        if (part != null) {
          assertEquals(g.rank() == 2 ? 0 : 1, part.rank());
          part.allReduce(x);
          same(x, 2);
          assertTrue(part.info().name().startsWith("default"), part.info().name());
        }
        try (ProcessGroup side = g.split(g.rank() == 1 ? -1 : 0, -g.rank()); ProcessGroup all = g.split(0, -g.rank(), new ProcessGroup.Options().timeout(LONG))) {
          assertEquals(g.rank() == 1, side == null);
          if (side != null) assertEquals(g.rank() == 2 ? 0 : 1, side.rank());
          assertEquals(2 - g.rank(), all.rank());
        }
      }
    });
  }

  @Test
  void failuresHaveTheirClasses() throws Exception {
    Ranks.run(2, g -> {
      try (Tensor x = Tensor.zeros(2 + g.rank())) {
        MismatchException e = assertThrows(MismatchException.class, () -> g.allReduce(x));
        assertEquals("HAFT_ERROR_MISMATCH", e.status());
        assertTrue(e.getMessage().contains("[2]") && e.getMessage().contains("[3]"), e.getMessage());
        assertEquals(25, g.info().failure());
        assertThrows(MismatchException.class, g::barrier);
      }
    });
    Ranks.run(2, g -> {
      if (g.rank() == 1) return;
      PeerLostException e = assertThrows(PeerLostException.class, g::barrier);
      assertEquals(24, e.code());
      assertTrue(e.getMessage().contains("rank 1"), e.getMessage());
      assertEquals(1, g.info().culprit());
    });
    CountDownLatch told = new CountDownLatch(1);
    Ranks.run(2, g -> {
      if (g.rank() == 0) {
        TimeLimitException e = assertThrows(TimeLimitException.class, () -> g.barrier(Duration.ofMillis(20)));
        assertTrue(e.getMessage().contains("rank 1"), e.getMessage());
        told.countDown();
      } else {
        assertTrue(told.await(10, TimeUnit.MINUTES));
        assertThrows(TimeLimitException.class, g::barrier);
      }
    });
    CountDownLatch begun = new CountDownLatch(1);
    Ranks.run(2, g -> {
      try (Work w = g.rank() == 0 ? g.barrierAsync() : null) {
        if (w != null) {
          begun.countDown();
        } else {
          assertTrue(begun.await(10, TimeUnit.MINUTES));
          g.abort("enough");
        }
        CancelledException e = assertThrows(CancelledException.class, w == null ? g::barrier : w::await);
        assertTrue(e.getMessage().contains("enough"), e.getMessage());
        if (w != null) {
          ExecutionException later = assertThrows(ExecutionException.class, () -> w.toCompletableFuture().handle((v, t) -> {
            throw new CompletionException(t);
          }).get(10, TimeUnit.MINUTES));
          assertInstanceOf(CancelledException.class, later.getCause());
        }
      }
    });
  }

  @Test
  void misuseIsRefusedAndTheGroupLives() throws Exception {
    Ranks.run(2, g -> {
      try (Tensor x = floats(1); Tensor whole = Tensor.of(new long[] {1})) {
        assertThrows(DTypeException.class, () -> g.allReduce(whole, ReduceOp.AVG));
        assertThrows(IllegalArgumentException.class, () -> g.broadcast(x, 2));
        assertThrows(IllegalArgumentException.class, () -> g.allReduce(null));
        assertThrows(IllegalArgumentException.class, () -> g.allReduce(x, null));
        assertThrows(IllegalArgumentException.class, () -> g.allGather(new Tensor[] {x}, x));
        assertThrows(IllegalArgumentException.class, () -> g.barrier(Duration.ofSeconds(-1)));
        assertThrows(NullPointerException.class, () -> g.barrier(null));
        assertThrows(NullPointerException.class, () -> g.objects(null));
        g.allReduce(x);
        same(x, 2);
      }
      g.close();
      assertThrows(ClosedException.class, () -> g.barrier());
      assertThrows(ClosedException.class, g::info);
    });
    try (Store store = Store.hash()) {
      assertThrows(IllegalArgumentException.class, () -> new ProcessGroup(store, 2, 2));
      assertThrows(IllegalArgumentException.class, () -> new ProcessGroup(null, 0, 1));
      TimeLimitException alone = assertThrows(TimeLimitException.class, () -> new ProcessGroup(store, 0, 2, new ProcessGroup.Options().timeout(Duration.ofMillis(20))));
      assertTrue(alone.getMessage().contains("1"), alone.getMessage());
    }
  }

  /** A work keeps its group alive when nobody else does. */
  @Test
  void aWorkKeepsItsGroup() throws Exception {
    CountDownLatch collected = new CountDownLatch(1);
    Ranks.run(2, g -> {
      try (ProcessGroup pair = g.rank() == 0 ? null : g.subgroup(0, 1); Tensor x = floats(1)) {
        if (pair != null) {
          assertTrue(collected.await(10, TimeUnit.MINUTES));
          pair.allReduce(x);
          return;
        }
        Work w = g.subgroup(0, 1).allReduceAsync(x);
        for (int i = 0; i < 3; i++) System.gc();
        Thread.sleep(50);
        collected.countDown();
        w.await();
        same(x, 2);
        w.close();
      }
    });
  }

  record Settings(String name, double[] rates, Map<String, LocalDate> days) implements Serializable {}

  @Test
  void objects() throws Exception {
    Ranks.run(3, g -> {
      int r = g.rank();
      ObjectCollectives o = g.objects();
      List<Map<String, Object>> all = o.allGatherObject(Map.of("rank", r, "text", "x".repeat(r * 1000)));
      assertEquals(3, all.size());
      for (int i = 0; i < 3; i++) assertEquals(Map.of("rank", i, "text", "x".repeat(i * 1000)), all.get(i));
      assertEquals(Arrays.asList(null, null, null), o.allGatherObject(null));
      List<String> root = o.gatherObject("from " + r, 1);
      assertEquals(r == 1 ? List.of("from 0", "from 1", "from 2") : List.of(), root);
      assertEquals(List.of(1, "two", 3.0), o.<Object>broadcastObjectList(r == 2 ? List.of(1, "two", 3.0) : null, 2));
      assertEquals(List.of(), o.broadcastObjectList(List.of(), 0));
      assertEquals("for " + r, o.<String>scatterObjectList(r == 0 ? List.of("for 0", "for 1", "for 2") : null, 0));
      if (r == 0) {
        ObjectCollectives.Received<String> got = o.recvObjectList(ProcessGroup.ANY_SOURCE);
        assertEquals(List.of("a", "b"), got.objects());
        assertEquals(2, got.source());
      } else if (r == 2) {
        o.sendObjectList(List.of("a", "b"), 0);
      }
      Settings mine = new Settings("n" + r, new double[] {r}, Map.of("day", LocalDate.of(2024, 1, 1 + r)));
      ObjectInputFilter filter = ObjectInputFilter.Config.createFilter("io.haft.tests.*;java.base/*;!*");
      List<Settings> settings = g.objects(filter).allGatherObject(mine);
      assertEquals("n1", settings.get(1).name());
      assertEquals(LocalDate.of(2024, 1, 3), settings.get(2).days().get("day"));
      assertArrayEquals(new double[] {2}, settings.get(2).rates());
      InvalidArgumentException refused = assertThrows(InvalidArgumentException.class, () -> o.allGatherObject(mine));
      assertTrue(refused.getMessage().contains("REJECTED") && refused.getMessage().contains("filter"), refused.getMessage());
      refused = assertThrows(InvalidArgumentException.class, () -> o.allGatherObject(new Object()));
      assertTrue(refused.getMessage().contains("NotSerializable"), refused.getMessage());
      if (r == 0) assertThrows(IllegalArgumentException.class, () -> o.scatterObjectList(List.of(1), 0));
      g.barrier();  // it lives
    });
  }
}
