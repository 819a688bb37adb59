package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class SessionTest {
  @Test
  void batchesOfManyThreads() throws Exception {
    try (Module net = new Sequential(new Linear(4, 16), new ReLU(), new Linear(16, 3));
        InferenceSession session = new InferenceSession(net, new InferenceSession.Options().workers(2).maxBatch(16).maxDelay(Duration.ofMillis(2)))) {
      ExecutorService pool = Executors.newFixedThreadPool(8);
      List<Future<?>> all = new ArrayList<>();
      for (int k = 0; k < 8; k++)
        all.add(pool.submit(() -> {
          for (int i = 0; i < 40; i++) {
            try (Scope scope = new Scope(); NoGrad off = new NoGrad()) {
              Tensor x = Tensor.randn(1, 4);
              assertArrayEquals(net.call(x).toFloatArray(), session.run(x).toFloatArray(), 1e-5f);
            }
          }
        }));
      for (Future<?> f : all) f.get();
      pool.shutdown();
      InferenceSession.Metrics m = session.metrics();
      assertEquals(320, m.completed());
      assertTrue(m.meanBatch() > 1, m.toString());
      assertTrue(m.latencyP99() >= m.latencyP50() && m.latencyP50() > 0);
      assertSame(net, session.module());
      session.resetMetrics();
      assertEquals(0, session.metrics().completed());
      assertTrue(session.drain(Duration.ofSeconds(5)));
      try (Tensor x = Tensor.ones(1, 4)) {
        assertThrows(CancellationException.class, () -> session.run(x));
      }
    }
  }

  @Test
  void futuresAndCancel() throws Exception {
    CountDownLatch inside = new CountDownLatch(1), go = new CountDownLatch(1);
    Module slow = new Module() {
      @Override
      public Tensor forward(Tensor x) {
        inside.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new RuntimeException(e);
        }
        return x.mul(2);
      }
    };
    try (slow; InferenceSession session = new InferenceSession(slow, new InferenceSession.Options().workers(1).maxQueue(2)); Tensor x = Tensor.ones(1, 2)) {
      CompletableFuture<Tensor[]> first = session.submit(x);
      assertTrue(inside.await(10, TimeUnit.MINUTES));
      CompletableFuture<Tensor[]> second = session.submit(x), third = session.submit(Duration.ofMillis(20), x);
      QueueFullException full = assertThrows(QueueFullException.class, () -> session.submit(x));
      assertInstanceOf(RejectedExecutionException.class, full);
      assertTrue(second.cancel(true));
      assertThrows(CancellationException.class, second::get);
      ExecutionException late = assertThrows(ExecutionException.class, () -> third.get(10, TimeUnit.MINUTES));
      assertInstanceOf(TimeLimitException.class, late.getCause());
      go.countDown();
      Tensor[] y = first.get(10, TimeUnit.MINUTES);
      assertArrayEquals(new float[] {2, 2}, y[0].toFloatArray());
      y[0].close();
      assertEquals(1, session.metrics().cancelled());
      assertEquals(1, session.metrics().timedOut());
      assertEquals(1, session.metrics().refused());
    }
  }

  /** One worker, and its thread waits in a stage: what the stage asks for runs on that thread. */
  @Test
  void aStageMayRun() throws Exception {
    InferenceSession.Options o = new InferenceSession.Options().workers(1).maxBatch(4).maxDelay(Duration.ofMillis(1));
    try (Module net = new ReLU(); InferenceSession session = new InferenceSession(net, o); Tensor x = Tensor.ones(1, 2)) {
      List<CompletableFuture<Integer>> all = new ArrayList<>();
      for (int i = 0; i < 20; i++)
        all.add(session.submit(x).thenApply(first -> {
          try (Tensor y = first[0]; Tensor second = session.run(y)) {
            return (int) second.sum().item();
          }
        }));
      for (CompletableFuture<Integer> f : all) assertEquals(2, f.get(1, TimeUnit.MINUTES));
    }
  }

  /** A thread inside a scope computes what others asked for: their answers outlive its scope. */
  @Test
  void answersAreNotOfTheScopeOfWhoComputes() throws Exception {
    InferenceSession.Options o = new InferenceSession.Options().workers(1).maxBatch(2).maxDelay(Duration.ofHours(1));
    try (Module net = new ReLU(); InferenceSession session = new InferenceSession(net, o); Tensor x = Tensor.ones(1, 2)) {
      CompletableFuture<Tensor[]> theirs = session.submit(x);
      Thread[] thread = new Thread[1];
      CompletableFuture<Tensor> stage = theirs.thenApply(y -> {
        thread[0] = Thread.currentThread();
        new Scope();  // never closed
        return y[0].add(1);
      });
      Tensor mine;
      try (Scope scope = new Scope()) {
        mine = session.run(x);  // the second row: the batch runs here
        assertSame(Thread.currentThread(), thread[0]);
      }
      assertThrows(ClosedException.class, mine::toFloatArray);
      try (Tensor y = theirs.get()[0]; Tensor z = stage.get()) {
        assertArrayEquals(new float[] {1, 1}, y.toFloatArray());
        assertArrayEquals(new float[] {2, 2}, z.toFloatArray());
      }
    }
  }

  /** However the future ends: a request that nobody waits for leaves the queue. */
  @Test
  void aFutureThatIsCompletedOtherwiseCancels() throws Exception {
    InferenceSession.Options o = new InferenceSession.Options().workers(1).maxBatch(2).maxDelay(Duration.ofHours(1));
    try (Module net = new ReLU(); InferenceSession session = new InferenceSession(net, o); Tensor x = Tensor.ones(1, 2)) {
      CompletableFuture<Tensor[]> late = session.submit(x).orTimeout(20, TimeUnit.MILLISECONDS);
      assertInstanceOf(TimeoutException.class, assertThrows(ExecutionException.class, late::get).getCause());
      Tensor[] other = {};
      assertSame(other, session.submit(x).completeOnTimeout(other, 20, TimeUnit.MILLISECONDS).get());
      for (int i = 0; i < 60000 && session.metrics().cancelled() < 2; i++) Thread.sleep(1);  // get() may return first
      assertEquals(2, session.metrics().cancelled());
      assertEquals(0, session.metrics().queueLength());
    }
  }

  /** The session holds the module that it runs: nobody else needs to. */
  @Test
  void anUpdatedModuleLivesAsLongAsTheSession() {
    try (Module first = times(2); InferenceSession session = new InferenceSession(first); Scope scope = new Scope()) {
      Tensor x = Tensor.ones(1, 2);
      assertEquals(2, session.run(x).get(0).get(0).item());
      session.update(times(3));
      for (int i = 0; i < 20; i++) {
        System.gc();
        Tensor.empty(16).close();
        assertEquals(3, session.run(x).get(0).get(0).item());
      }
      Module last = times(4);
      session.update(last);
      assertSame(last, session.module());
      last.close();
      Module closed = times(5);
      closed.close();
      assertThrows(ClosedException.class, () -> session.update(closed));
      assertSame(last, session.module());
    }
  }

  @Test
  void anUpdateWaitsForTheLastBatchOfTheModuleBefore() throws Exception {
    CountDownLatch inside = new CountDownLatch(1), go = new CountDownLatch(1);
    Module before = new Module() {
      private final Module relu = child("relu", new ReLU());

      @Override
      public Tensor forward(Tensor x) {
        inside.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new RuntimeException(e);
        }
        return relu.call(x);
      }
    };
    try (Module next = new ReLU(); InferenceSession session = new InferenceSession(before, new InferenceSession.Options().workers(2)); Tensor x = Tensor.ones(1, 1)) {
      CompletableFuture<Tensor[]> running = session.submit(x);
      inside.await();
      CompletableFuture<Void> update = CompletableFuture.runAsync(() -> {
        session.update(next);
        before.close();
      });
      try {
        assertThrows(TimeoutException.class, () -> update.get(100, TimeUnit.MILLISECONDS));
      } finally {
        go.countDown();
      }
      try (Tensor y = running.get()[0]) {
        assertEquals(1, y.get(0).get(0).item());
      }
      update.get();
      assertSame(next, session.module());
    }
  }

  private static Module times(double factor) {
    return new Module() {
      @Override
      public Tensor forward(Tensor x) {
        return x.mul(factor);
      }
    };
  }

  @Test
  void aModuleMayCloseItsSession() {
    InferenceSession[] session = new InferenceSession[1];
    Module net = new Module() {
      @Override
      public Tensor forward(Tensor x) {
        session[0].close();
        return x.mul(2);
      }
    };
    try (net; Tensor x = Tensor.ones(1, 2)) {
      session[0] = new InferenceSession(net, new InferenceSession.Options().workers(1));
      try {
        session[0].run(x).close();
      } catch (CancellationException e) {
        // or its answer was taken away
      }
      assertThrows(ClosedException.class, () -> session[0].run(x));
    }
  }

  @Test
  void whatTheModuleThrows() {
    RuntimeException mine = new RuntimeException("forward");
    Module broken = new Module() {
      @Override
      public Tensor forward(Tensor x) {
        throw mine;
      }
    };
    try (broken; InferenceSession session = new InferenceSession(broken); Tensor x = Tensor.ones(1)) {
      assertSame(mine, assertThrows(RuntimeException.class, () -> session.run(x)));
      assertSame(mine, assertThrows(ExecutionException.class, () -> session.submit(x).get(10, TimeUnit.MINUTES)).getCause());
    }
  }

  @Test
  void tokensCancelAThread() throws Exception {
    try (CancelToken token = new CancelToken()) {
      CountDownLatch works = new CountDownLatch(1);
      Future<Integer> work = Executors.newSingleThreadExecutor().submit(() -> {
        try (CancelToken.Use use = token.use()) {
          for (;;) {
            Tensor.ones(8, 8).close();
            works.countDown();
          }
        }
      });
      works.await();
      token.cancel();
      ExecutionException e = assertThrows(ExecutionException.class, () -> work.get(10, TimeUnit.MINUTES));
      assertInstanceOf(CancellationException.class, e.getCause());
      Tensor.ones(1).close();  // other threads go on
    }
  }

  @Test
  void timesAreDurations() throws Exception {
    try (Module net = new Linear(4, 3); Tensor x = Tensor.ones(1, 4)) {
      InferenceSession.Options options = new InferenceSession.Options();
      assertThrows(NullPointerException.class, () -> options.maxDelay(null));
      assertThrows(IllegalArgumentException.class, () -> options.timeout(Duration.ofSeconds(-1)));
      Duration forever = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
      try (InferenceSession session = new InferenceSession(net, options.timeout(forever).maxBatch(2).maxDelay(Duration.ofNanos(1)))) {
        session.run(x).close();
        session.run(x, forever).close();
        session.run(x, null).close();
        for (Tensor t : session.run(new Tensor[] {x}, Duration.ofMinutes(1))) t.close();
        for (Tensor t : session.submit(forever, x).get()) t.close();
        assertThrows(IllegalArgumentException.class, () -> session.run(x, Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> session.drain(Duration.ofNanos(-1)));
        session.drain();
      }
    }
  }

  // ServiceLoader and JNDI look there: a thread of the engine has the context of whoever handed the function in, while it calls.
  @Test
  void callbacksHaveTheContextOfTheirMaker() throws Exception {
    Thread me = Thread.currentThread();
    ClassLoader before = me.getContextClassLoader(), own = new ClassLoader(before) {};
    Set<ClassLoader> seen = ConcurrentHashMap.newKeySet();
    me.setContextClassLoader(own);
    try (Module net = new Module() {
          @Override
          public Tensor forward(Tensor x) {
            if (Thread.currentThread() != me) seen.add(Thread.currentThread().getContextClassLoader());
            return x.mul(2);
          }
        };
        InferenceSession session = new InferenceSession(net);
        DataLoader loader = new DataLoader(new Dataset() {
          @Override
          public long size() {
            return 3;
          }

          @Override
          public Tensor[] get(long i) {
            seen.add(Thread.currentThread().getContextClassLoader());
            return new Tensor[] {Tensor.scalar(i)};
          }
        }, new DataLoader.Options().workers(1))) {
      for (Batch b : loader) b.close();
      assertEquals(Set.of(own), seen);
      seen.clear();
      try (Tensor x = Tensor.ones(2)) {
        // Stages run on the thread that answers: without one of its own this is the session's.
        CompletableFuture<ClassLoader> answering = session.submit(x).thenApply(ts -> {
          for (Tensor t : ts) t.close();
          session.run(x).close();  // a call inside this one leaves the context as it was
          return Thread.currentThread() == me ? own : Thread.currentThread().getContextClassLoader();
        });
        assertSame(own, answering.get());
      }
      assertEquals(Set.of(own), seen);
    } finally {
      me.setContextClassLoader(before);
    }
  }

  /** A forward that makes more than it answers, and clients that close nothing: the scope and the collector see to both. */
  @Test
  void aMemoryLimitServesModulesOfJava() throws Exception {
    List<Tensor> made = Collections.synchronizedList(new ArrayList<>());
    Module own = new Module() {
      @Override
      public Tensor forward(Tensor x) {
        Tensor hidden = x.mul(1).relu();
        if (made.size() < 3) made.addAll(List.of(x, hidden, Scope.current().keep(hidden.neg())));
        return hidden.add(1);
      }
    };
    InferenceSession.Options o = new InferenceSession.Options().workers(2).memoryLimit(1 << 20);
    try (own; InferenceSession session = new InferenceSession(own, o); Tensor x = Tensor.ones(1, 1024)) {
      for (int i = 0; i < 3000; i++) {
        try (Tensor y = session.run(x)) {
          assertEquals(2, y.mean().item());
        }
      }
      assertTrue(made.get(0).isClosed() && made.get(1).isClosed());
      assertEquals(-1, made.get(2).mean().item());
      made.get(2).close();
      assertTrue(session.metrics().bytesPeak() < 64 << 10, session.metrics().toString());
      for (int i = 0; i < 600; i++) session.run(x);  // 256 results fit
      List<Tensor> held = new ArrayList<>();
      MemoryLimitException full = assertThrows(MemoryLimitException.class, () -> {
        for (int i = 0; i < 300; i++) held.add(session.run(x));
      });
      assertInstanceOf(RuntimeException.class, full);
      assertEquals("HAFT_ERROR_OUT_OF_MEMORY", full.status());
      assertTrue(held.size() > 100, held.size() + " held");
      held.forEach(Tensor::close);
      session.run(x).close();
      assertEquals(3601 + held.size(), session.metrics().completed());
      assertEquals(1, session.metrics().failed());
    }
  }

  @Test
  void anInterruptedThreadComesBack() throws Exception {
    CountDownLatch inside = new CountDownLatch(1), go = new CountDownLatch(1);
    Module slow = new Module() {
      @Override
      public Tensor forward(Tensor x) {
        inside.countDown();
        boolean waits = true;
        while (waits)
          try {
            go.await();
            waits = false;
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        return x.mul(2);
      }
    };
    try (slow; InferenceSession session = new InferenceSession(slow, new InferenceSession.Options().workers(1)); Tensor x = Tensor.ones(1, 2)) {
      CompletableFuture<Tensor[]> first = session.submit(x);
      assertTrue(inside.await(10, TimeUnit.MINUTES));
      List<Object> seen = Collections.synchronizedList(new ArrayList<>());
      List<Thread> waiting = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        boolean drains = i == 1;
        Thread t = new Thread(() -> {
          try {
            if (drains) session.drain();
            else session.run(x);
          } catch (CancelledException e) {
            seen.add(e.getMessage());
            seen.add(Thread.currentThread().isInterrupted());
          }
        });
        t.start();
        if (!drains) while (session.metrics().queueLength() == 0) Thread.onSpinWait();
        t.interrupt();
        t.join(TimeUnit.MINUTES.toMillis(10));
        assertFalse(t.isAlive());
        assertEquals(true, seen.get(2 * i + 1));
        assertTrue(((String) seen.get(2 * i)).contains("interrupted"), (String) seen.get(2 * i));
        assertEquals(0, session.metrics().queueLength());
      }
      go.countDown();
      first.get(10, TimeUnit.MINUTES)[0].close();
      assertEquals(1, session.metrics().completed());
      assertEquals(1, session.metrics().cancelled());
    }
    try (Module net = new ReLU(); InferenceSession session = new InferenceSession(net); Tensor x = Tensor.ones(1, 2)) {
      Thread.currentThread().interrupt();
      assertThrows(CancelledException.class, () -> session.run(x));  // as before any other wait
      assertTrue(Thread.interrupted());
      session.run(x).close();
    }
  }

  @Test
  void mistakesOfClientsAndModelsThatDoNotFit() {
    Module own = new Module() {
      @Override
      public Tensor forward(Tensor x) {
        if (x.size(1) == 9) throw new IllegalStateException("of its own");
        return x.matmul(Tensor.ones(3, 2));
      }
    };
    try (own; InferenceSession session = new InferenceSession(own); Tensor good = Tensor.ones(1, 3); Tensor bad = Tensor.ones(1, 4); Tensor breaks = Tensor.ones(1, 9)) {
      session.run(good).close();
      assertThrows(ShapeException.class, () -> session.run(bad));
      assertEquals(1, session.metrics().invalid());
      assertEquals(0, session.metrics().failed());
      assertThrows(IllegalStateException.class, () -> session.run(breaks));
      assertEquals(1, session.metrics().failed());
      try (Module wide = new Linear(3, 7); Module fits = new Linear(3, 2)) {
        ShapeException e = assertThrows(ShapeException.class, () -> session.update(wide));
        assertTrue(e.getMessage().contains("float32 [1, 7]") && e.getMessage().contains("float32 [1, 2]"), e.getMessage());
        assertSame(own, session.module());
        session.update(fits);
        session.run(good).close();
      }
    }
  }
}
