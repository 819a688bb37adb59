package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class MemoryTest {
  @Test
  void devicesAreCountedAndHaveStreams() {
    assertEquals(1, Haft.deviceCount("cpu"));
    assertEquals(0, Haft.deviceCount("nowhere"));
    assertEquals(MathPrecision.FAST, Haft.mathPrecision());
    Haft.setMathPrecision(MathPrecision.EXACT);
    assertEquals(MathPrecision.EXACT, Haft.mathPrecision());
    Haft.setMathPrecision(MathPrecision.FAST);
    assertEquals(Determinism.OFF, Haft.deterministic());
    for (Determinism d : Determinism.values()) {
      Haft.setDeterministic(d);
      assertEquals(d, Haft.deterministic());
    }
    Haft.setDeterministic(Determinism.OFF);
    DeviceProperties cpu = Device.CPU.properties();
    assertTrue(cpu.multiprocessors() > 0 && cpu.totalMemory() > 1 << 20 && !cpu.name().isEmpty(), cpu.toString());
    assertEquals("", cpu.pci());
    assertTrue(Device.CPU.describe().startsWith("device: cpu\nname: " + cpu.name()));
    try (DeviceStream s = new DeviceStream(Device.CPU, -1); DeviceEvent e = new DeviceEvent(Device.CPU)) {
      Haft.setCurrentStream(s);
      e.record();
      s.waitFor(e);
      s.synchronize();
      assertTrue(e.isDone());
      assertEquals(Device.CPU, s.device());
    }
  }

  @Test
  void buffersHaveNames() {
    try (Scope scope = new Scope()) {
      assertEquals(java.util.Set.of("running_mean", "running_var", "num_batches_tracked"), new BatchNorm1d(3).namedBuffers().keySet());
    }
  }

  @Test
  void memoryIsGivenBackAndTakenAgain() {
    try (Scope scope = new Scope()) {
      Tensor w = Tensor.ones(1000, 1000), row = w.select(0, 3);
      long live = Haft.memoryStats().live();
      assertEquals(0, Haft.memoryFreeBlocks(Device.CPU).length);
      w.decommit();
      assertFalse(row.isCommitted());
      assertEquals(live - 4000000, Haft.memoryStats().live());
      assertTrue(assertThrows(InvalidArgumentException.class, row::sum).getMessage().contains("decommitted"));
      assertThrows(InvalidArgumentException.class, row::toFloatArray);
      assertThrows(InvalidArgumentException.class, row::decommit);
      w.commit();
      w.fill_(2);
      assertEquals(2000, row.sum().item());
    }
  }

  @Test
  void dlpackSharesMemory() {
    for (boolean versioned : new boolean[] {false, true})
      try (Tensor x = Tensor.of(new float[] {1, 2}); Tensor y = Tensor.fromDlpack(x.toDlpack(versioned), versioned)) {
        x.fill_(7);
        assertArrayEquals(new float[] {7, 7}, y.toFloatArray());
      }
  }

  @Test
  void schedulesGoOnFromTheirState() {
    try (Scope scope = new Scope(); Optimizer o = new SGD(new Tensor[] {Tensor.ones(1).setRequiresGrad(true)}, 1.0);
        Scheduler from = new StepLR(o, 2, 0.5); Scheduler to = new StepLR(o, 2, 0.5)) {
      from.step();
      to.loadStateDict(from.stateDict());
      assertEquals(1, to.lastEpoch());
    }
  }

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

  /** keep() hands a tensor to the scope around the one that held it, as haft_scope_keep. */
  @Test
  void keptTensorsGoOutwards() {
    Tensor kept;
    try (Scope outer = new Scope()) {
      Tensor fromMiddle, fromOuter = Tensor.ones(1), fromInner;
      try (Scope middle = new Scope()) {
        fromMiddle = Tensor.ones(2);
        Tensor twice = Tensor.ones(3);
        try (Scope inner = new Scope()) {
          fromInner = middle.keep(Tensor.ones(4));  // out of all that is inside of middle
          inner.keep(fromMiddle);                   // a tensor of a scope further out
          inner.keep(inner.keep(twice));
          inner.keep(fromOuter);
        }
        assertFalse(fromInner.isClosed());
        assertFalse(twice.isClosed());
      }
      assertFalse(fromMiddle.isClosed());
      assertFalse(fromInner.isClosed());
      kept = fromOuter;
      outer.close();
      assertTrue(fromMiddle.isClosed(), "a kept tensor of the middle scope belongs to the outer one");
      assertTrue(fromInner.isClosed());
    }
    assertFalse(kept.isClosed());  // the outermost scope lets go for good
    kept.close();
    Scope closed = new Scope();
    closed.close();
    assertThrows(IllegalStateException.class, () -> closed.keep(new Tensor[1]));
  }

  /** Objects that are in their last call must live until it has ended, however hard the collector tries. */
  @Test
  void lastCallsKeepTheirObject() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    Thread collector = new Thread(() -> {
      while (!stop.get()) System.gc();
    });
    collector.start();
    try {
      ByteBuffer memory = ByteBuffer.allocateDirect(1024).order(ByteOrder.nativeOrder());
      Function identity = new Function() {
        @Override
        protected Tensor[] forward(Context ctx, Tensor... in) {
          ctx.save(in[0].mul(1.0));
          return new Tensor[] {ctx.saved(0)};
        }

        @Override
        protected Tensor[] backward(Context ctx, Tensor... grads) {
          return grads;
        }
      };
      long end = System.nanoTime() + 2_000_000_000L;
      for (int i = 0; System.nanoTime() < end; i++) {
        float wanted = i & 255;
        for (float v : Tensor.full(new long[] {256}, (double) wanted).toFloatArray()) assertEquals(wanted, v);
        assertEquals(wanted, Tensor.full(new long[] {1}, (double) wanted).alias().item());
        assertEquals(wanted, Tensor.full(new long[] {4}, (double) wanted).floatBuffer().get(3));
        memory.putFloat(0, wanted);
        assertEquals(wanted, Tensor.over(memory, DType.FLOAT32).get(0).item());
        assertEquals(wanted, identity.apply(Tensor.full(new long[] {1}, (double) wanted)).item());
      }
    } finally {
      stop.set(true);
      collector.join();
    }
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
    Haft.setMemorySoftLimit(limit);  // a working set of a test before may have moved the next collection up
    Haft.resetPeakMemory();
    for (int i = 0; i < 4000; i++) Tensor.empty(1 << 20);  // 4 MiB each, 16 GiB in all
    long peak = Haft.memoryStats().peak();
    System.out.println("4,000 unclosed tensors of 4 MiB: peak " + (peak >> 20) + " MiB");
    assertTrue(peak <= limit + (64L << 20), "peak " + (peak >> 20) + " MiB");
  }

  private static long collections() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
  }

  @Test
  void aWorkingSetAboveTheLimitDoesNotStarve() {
    Haft.setMemorySoftLimit(64L << 20);
    try {
      List<Tensor> held = new ArrayList<>();
      long before = collections();
      for (int i = 0; i < 60; i++) held.add(Tensor.empty(1 << 20));  // 240 MiB that are in use
      for (int i = 0; i < 200; i++) Tensor.empty(1 << 18);
      long runs = collections() - before;  // the next one is due when half as much again is alive
      System.out.println("260 allocations above the limit: " + runs + " collections");
      assertTrue(runs <= 40, runs + " collections");
      held.forEach(Tensor::close);
      assertThrows(IllegalArgumentException.class, () -> Haft.setMemorySoftLimit(-1));
    } finally {
      Haft.setMemorySoftLimit(512L << 20);
    }
  }

  @Test
  void whatALimitRefusesDoesNotRaiseTheSoftLimit() {
    Leaks.settle();
    Haft.setMemorySoftLimit(8L << 20);
    try {
      Haft.setMemoryLimit(64L << 20);
      assertThrows(MemoryLimitException.class, () -> Tensor.empty(1 << 28));
      Haft.setMemoryLimit(0);
      long before = collections();
      for (int i = 0; i < 100; i++) Tensor.empty(1 << 18);  // 1 MiB each, never closed
      assertTrue(collections() > before);
    } finally {
      Haft.setMemoryLimit(0);
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
    List<Tensor> all = new ArrayList<>();
    for (int round = 0; round < 200; round++) {
      List<Tensor> shared = Collections.synchronizedList(new ArrayList<>());
      for (int i = 0; i < 50; i++) shared.add(Tensor.ones(8));
      all.addAll(shared);
      for (int k = 0; k < 4; k++) done.add(pool.submit(() -> shared.forEach(Tensor::close)));
      for (int i = 0; i < 50; i++) Tensor.ones(8);
      if (round % 50 == 0) System.gc();
    }
    for (Future<?> f : done) f.get();
    for (Tensor t : all) assertTrue(t.isClosed());
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
    try {
      Haft.setLogger(logger);
      logOneLine();
      assertEquals(1, lines.size(), lines::toString);
      assertTrue(lines.get(0).matches("(?s)WARNING release: .*released.*"), lines.get(0));
      lines.clear();
      Haft.setLogger(new System.Logger() {
        @Override
        public String getName() {
          return "haft.test";
        }

        @Override
        public boolean isLoggable(Level level) {
          return true;
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String text, Throwable thrown) {
          lines.add(level + " " + text);
        }

        @Override
        public void log(Level level, ResourceBundle bundle, String format, Object... values) {
          lines.add(level + " " + format);
        }
      });
      logOneLine();
      assertEquals(1, lines.size(), lines::toString);
      assertTrue(lines.get(0).matches("(?s)WARNING release: .*released.*"), lines.get(0));
      // What a sink throws is dropped, and the call that logged goes on.
      List<String> seen = Collections.synchronizedList(new ArrayList<>());
      Haft.setLogSink(LogLevel.DEBUG, (level, text) -> {
        seen.add(level + " " + text);
        throw new IllegalStateException("dropped");
      });
      logOneLine();
      assertEquals(1, seen.size());
      assertTrue(seen.get(0).startsWith("WARNING release: "), seen.get(0));
      try (Tensor t = Tensor.ones(1)) {
        assertEquals(1, t.item());
      }
      Haft.setLogSink(LogLevel.ERROR, (level, text) -> seen.add(text));
      logOneLine();  // not urgent enough
      Haft.setLogSink(LogLevel.DEBUG, null);
      logOneLine();
      // No logger is no sink, and none that fails at each line.
      Haft.setLogger(logger);
      Haft.setLogger((java.util.logging.Logger) null);
      logOneLine();
      Haft.setLogger(logger);
      Haft.setLogger((System.Logger) null);
      logOneLine();
      assertEquals(1, seen.size());
      assertEquals(1, lines.size());
    } finally {
      Haft.setLogSink(LogLevel.NONE, null);
    }
  }

  /** Releases a handle twice, which the engine warns of; no public method does. */
  private static void logOneLine() throws Exception {
    Field handle = NativeObject.class.getDeclaredField("swigCPtr");
    Method release = Class.forName("io.haft.Native").getDeclaredMethod("release", int.class, long.class);
    handle.setAccessible(true);
    release.setAccessible(true);
    Tensor t = Tensor.ones(1);
    long h = handle.getLong(t);
    t.close();
    release.invoke(null, 0, h);
  }
}
