package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class MemoryTest {
  @Test
  void scopes() throws Exception {
    Leaks.settle();
    long before = Haft.liveHandles();
    Tensor kept;
    Tensor[] middle = new Tensor[1];
    try (Scope outer = new Scope()) {
      Tensor a = Tensor.ones(2);
      try (Scope inner = new Scope()) {
        kept = inner.keep(a.add(1));
        middle[0] = inner.keep(Tensor.zeros(3));
        a.add(2);
        outer.keep(kept);
        assertThrows(IllegalStateException.class, outer::close);
      }
      assertFalse(a.isClosed());
      assertFalse(middle[0].isClosed());
      Tensor elsewhere = Executors.newSingleThreadExecutor().submit(() -> Tensor.ones(1)).get();
      assertEquals(before + 4, Haft.liveHandles());
      outer.close();
      outer.close();
      assertTrue(a.isClosed());
      assertTrue(middle[0].isClosed());
      assertFalse(kept.isClosed());
      assertFalse(elsewhere.isClosed());
      elsewhere.close();
    }
    assertEquals(4, kept.sum().item());
    kept.close();
    Scope s = new Scope();
    Thread other = new Thread(() -> assertThrows(IllegalStateException.class, s::close));
    other.start();
    other.join();
    for (int i = 0; i < 100_000; i++) Tensor.ones(1).close();  // a long scope forgets what is closed
    s.close();
    Leaks.settle();
    assertEquals(before, Haft.liveHandles());
  }

  @Test
  void theCleanerFreesWhatNobodyCloses() {
    Leaks.settle();
    long before = Haft.liveHandles();
    for (int i = 0; i < 20_000; i++) Tensor.ones(4).add(1);
    Leaks.settle();
    assertEquals(before, Haft.liveHandles());
  }

  @Test
  void unclosedTensorsStayUnderTheSoftLimit() {
    long limit = Haft.memorySoftLimit();
    assertEquals(512L << 20, limit);
    Leaks.settle();
    Haft.resetPeakMemory();
    for (int i = 0; i < 4000; i++) Tensor.empty(1 << 20);  // 4 MiB each, 16 GiB in all
    long peak = Haft.memoryStats().peak();
    System.out.println("4,000 unclosed tensors of 4 MiB: peak " + (peak >> 20) + " MiB");
    assertTrue(peak <= limit + (64L << 20), "peak " + (peak >> 20) + " MiB");
  }

  @Test
  void aWorkingSetAboveTheLimitDoesNotStarve() {
    Haft.setMemorySoftLimit(64L << 20);
    try {
      List<Tensor> held = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < 60; i++) held.add(Tensor.empty(1 << 20));  // 240 MiB that are in use
      for (int i = 0; i < 200; i++) Tensor.empty(1 << 18);
      assertTrue(System.nanoTime() - start < 20_000_000_000L);
      held.forEach(Tensor::close);
      assertThrows(IllegalArgumentException.class, () -> Haft.setMemorySoftLimit(-1));
    } finally {
      Haft.setMemorySoftLimit(512L << 20);
    }
  }

  @Test
  void buffersComeBack() {
    FloatBuffer out;
    try (Tensor t = Tensor.ones(1000)) {
      out = t.floatBuffer();
    }
    assertTrue(Haft.memoryStats().live() >= 4000);
    System.gc();
    assertEquals(1, out.get(999));
    out = null;
    Tensor over = Tensor.over(ByteBuffer.allocateDirect(1 << 20).order(ByteOrder.nativeOrder()), DType.FLOAT32);
    System.gc();
    assertEquals(0, over.sum().item());  // the tensor keeps the buffer
    over.close();
  }

  /** close() in one thread while others compute with the tensor: a result, or IllegalStateException, never a crash. */
  @Test
  void closeDuringCalls() throws Exception {
    ExecutorService pool = Executors.newCachedThreadPool();
    int[] refused = new int[1];
    for (int round = 0; round < 300; round++) {
      Tensor a = Tensor.ones(64, 64), b = Tensor.ones(64, 64);
      List<Future<Integer>> users = new ArrayList<>();
      for (int k = 0; k < 3; k++)
        users.add(pool.submit(() -> {
          int closed = 0;
          for (int i = 0; i < 20; i++) {
            try (Tensor c = a.matmul(b)) {
              assertEquals(64, c.index(Index.at(3), Index.at(5)).item());
            } catch (IllegalStateException e) {
              closed++;
            }
          }
          return closed;
        }));
      Future<?> closer = pool.submit(() -> {
        if (a.numel() > 0) a.close();
        b.close();
      });
      closer.get();
      for (Future<Integer> u : users) refused[0] += u.get();
    }
    System.out.println("calls refused after close: " + refused[0]);
    assertTrue(refused[0] > 0);
    pool.shutdown();
  }

  /** Many threads close the same objects, while the cleaner runs. */
  @Test
  void closeFromManyThreads() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<Future<?>> done = new ArrayList<>();
    for (int round = 0; round < 200; round++) {
      List<Tensor> shared = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 50; i++) shared.add(Tensor.ones(8));
      for (int k = 0; k < 4; k++) done.add(pool.submit(() -> shared.forEach(Tensor::close)));
      for (int i = 0; i < 50; i++) Tensor.ones(8);
      if (round % 50 == 0) System.gc();
    }
    for (Future<?> f : done) f.get();
    pool.shutdown();
  }

  @Test
  void loggingReachesTheHost() throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    java.util.logging.Logger logger = java.util.logging.Logger.getLogger("haft.test");
    logger.setUseParentHandlers(false);
    logger.setLevel(java.util.logging.Level.ALL);
    logger.addHandler(new java.util.logging.Handler() {
      @Override
      public void publish(java.util.logging.LogRecord r) {
        lines.add(r.getLevel() + " " + r.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    });
    Haft.setLogger(logger);
    assertThrows(HaftException.class, () -> Device.of("cuda:99"));
    Haft.setLogSink(LogLevel.DEBUG, (level, text) -> {
      throw new IllegalStateException("dropped");
    });
    Tensor.ones(1).close();
    Haft.setLogSink(LogLevel.NONE, null);
    for (String l : lines) assertTrue(l.matches("(?s)(SEVERE|WARNING|INFO|FINE) .+"), l);
  }
}
