package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.time.Duration;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class RpcTest {
  private static <E extends Throwable> E fails(Class<E> kind, CompletableFuture<RpcMessage> answer) {
    ExecutionException e = assertThrows(ExecutionException.class, () -> answer.get(10, TimeUnit.MINUTES).close());
    return assertInstanceOf(kind, e.getCause());
  }

  private static RpcMessage answer(CompletableFuture<RpcMessage> f) throws Exception {
    return f.get(10, TimeUnit.MINUTES);
  }

  @Test
  void callsAreAnswered() throws Exception {
    AtomicReference<Tensor> argument = new AtomicReference<>(), made = new AtomicReference<>(), kept = new AtomicReference<>();
    Agents.run(2, (rpc, r) -> {
      rpc.register("twice", (in, caller) -> RpcMessage.of(in.text() + caller, in.tensor(0).mul(2.0)));
      rpc.register("silent", (in, caller) -> null);
      rpc.register("gone", (in, caller) -> null);
      rpc.removeFunction("gone");
    }, (rpc, r) -> {
      assertEquals("worker" + r, rpc.name());
      assertEquals("worker" + (1 - r), rpc.nameOf(1 - r));
      assertEquals(1, rpc.rankOf("worker1"));
      assertTrue(rpc.port() > 0);
      assertThrows(InvalidArgumentException.class, () -> rpc.rankOf("nobody"));
      for (int to : new int[] {0, 1}) {
        CompletableFuture<RpcMessage> later;
        try (Scope scope = new Scope()) {
          Tensor x = Tensor.of(new float[] {1 + r, to});
          later = rpc.call(to, "twice", RpcMessage.of("from ", x), Agents.LONG);
          x.mul_(0.0);
        }
        try (RpcMessage got = answer(later)) {
          assertEquals("from " + r, got.text());
          assertArrayEquals(new float[] {2 + 2 * r, 2 * to}, got.tensor(0).toFloatArray());
        }
        try (RpcMessage none = answer(rpc.call(to, "silent"))) {
          assertEquals(0, none.tensors().length);
          assertEquals(0, none.bytes().length);
        }
      }
      assertTrue(fails(InvalidArgumentException.class, rpc.call(1 - r, "gone")).getMessage().contains("no function"));
    });
    Agents.run(1, (rpc, r) -> rpc.register("look", (in, caller) -> {
      argument.set(in.tensor(0));
      made.set(in.tensor(0).add(1.0));
      kept.set(Scope.current().keep(in.tensor(0).add(2.0)));
      return RpcMessage.of(made.get());
    }), (rpc, r) -> {
      // The caller's scope has no part in the answer, the function's scope closes all but what is kept.
      try (Tensor x = Tensor.of(new float[] {1}); RpcMessage got = answer(rpc.call(0, "look", x))) {
        assertFalse(got.tensor(0).isClosed());
        assertEquals(2, got.tensor(0).item());
      }
    });
    assertTrue(argument.get().isClosed());
    assertTrue(made.get().isClosed());
    assertEquals(3, kept.get().item());
    kept.get().close();
  }

  @Test
  void whatAFunctionThrowsIsItsCallersFailure() throws Exception {
    AtomicBoolean refused = new AtomicBoolean();
    Agents.run(2, (rpc, r) -> {
      rpc.register("broken", (in, caller) -> {
        throw new java.io.IOException("the disk is full");
      });
      rpc.register("wrong", (in, caller) -> {
        throw new IllegalArgumentException("not such a one");
      });
      rpc.register("shape", (in, caller) -> RpcMessage.of(in.tensor(0).matmul(in.tensor(0))));
      rpc.register("closed", (in, caller) -> {
        Tensor t = Tensor.ones(2);
        t.close();
        return RpcMessage.of(t);
      });
      rpc.registerAsync("later", (in, caller) -> CompletableFuture.supplyAsync(() -> {
        throw new IllegalStateException("came to nothing");
      }));
      rpc.registerAsync("never", (in, caller) -> null);
    }, (rpc, r) -> {
      for (int to : new int[] {0, 1}) {
        String who = "rank " + to + " 'worker" + to + "'";
        HaftException e = fails(HaftException.class, rpc.call(to, "broken"));
        assertTrue(e.getMessage().contains(who) && e.getMessage().contains("'broken'") && e.getMessage().contains("java.io.IOException: the disk is full"), e.getMessage());
        assertTrue(fails(InvalidArgumentException.class, rpc.call(to, "wrong")).getMessage().contains("not such a one"));
        try (Tensor x = Tensor.ones(2, 3)) {
          assertTrue(fails(ShapeException.class, rpc.call(to, "shape", x)).getMessage().contains("[2, 3]"));
        }
        fails(ClosedException.class, rpc.call(to, "closed"));
        assertTrue(fails(HaftException.class, rpc.call(to, "later")).getMessage().contains("came to nothing"));
        assertTrue(fails(HaftException.class, rpc.call(to, "never")).getMessage().contains("instead of a stage"));
      }
      assertThrows(IndexException.class, () -> rpc.call(2, "broken"));
      assertThrows(IllegalArgumentException.class, () -> rpc.call(0, "broken", RpcMessage.of(), Duration.ofSeconds(-1)));
      assertThrows(NullPointerException.class, () -> rpc.register("x", null));
      assertThrows(NullPointerException.class, () -> rpc.registerAsync("x", null));
      refused.set(true);
    });
    assertTrue(refused.get());
  }

  @Test
  void answersComeLaterAndTimesPass() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    AtomicReference<Tensor> argument = new AtomicReference<>();
    CompletableFuture<RpcMessage> held = new CompletableFuture<>();
    Agents.run(2, (rpc, r) -> {
      rpc.registerAsync("later", (in, caller) -> CompletableFuture.supplyAsync(() -> {
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new CompletionException(e);
        }
        argument.set(in.tensor(0));
        return RpcMessage.of("late", in.tensor(0).neg());
      }));
      rpc.registerAsync("held", (in, caller) -> held);
    }, (rpc, r) -> {
      if (r == 1) return;
      CompletableFuture<RpcMessage> late, cancelled;
      try (Tensor x = Tensor.of(new float[] {4})) {
        late = rpc.call(1, "later", x);
        cancelled = rpc.call(1, "later", x);
      }
      assertFalse(late.isDone());
      assertTrue(cancelled.cancel(true));
      String message = fails(TimeLimitException.class, rpc.call(1, "held", RpcMessage.of(), Duration.ofMillis(20))).getMessage();
      assertTrue(message.contains("worker1") && message.contains("'held'") && message.contains("0.02 s"), message);
      held.complete(null);  // too late: dropped
      go.countDown();
      try (RpcMessage got = answer(late)) {
        assertEquals("late", got.text());
        assertEquals(-4, got.tensor(0).item());
      }
    });
    while (!argument.get().isClosed()) Thread.onSpinWait();  // behind the answer
  }

  @Test
  void theEndOfAnAgent() throws Exception {
    try (Store store = Store.hash()) {
      Rpc.Options o = new Rpc.Options().secret("").name("me").job("j").host("127.0.0.1").threads(2).maxMessageBytes(1000);
      try (Rpc rpc = new Rpc(store, 0, 2, o)) {
        TimeLimitException e = assertThrows(TimeLimitException.class, () -> rpc.start(Duration.ZERO));
        assertTrue(e.getMessage().contains("missing are ranks [1]"), e.getMessage());
        assertThrows(InvalidArgumentException.class, () -> rpc.call(0, "x"));
        try (Rpc other = new Rpc(store, 1, 2, new Rpc.Options().secret("").name("you").job("j").host("127.0.0.1"))) {
          CountDownLatch began = new CountDownLatch(1);
          other.registerAsync("hold", (in, caller) -> {
            began.countDown();
            return new CompletableFuture<>();
          });
          Thread t = new Thread(other::start);
          t.start();
          rpc.start();
          t.join();
          assertEquals("me", rpc.name());
          assertEquals(1, rpc.rankOf("you"));
          try (Tensor large = Tensor.zeros(1000)) {
            assertThrows(InvalidArgumentException.class, () -> rpc.call(1, "hold", large));
          }
          CompletableFuture<RpcMessage> lost = rpc.call(1, "hold");
          began.await();
          other.abort();
          assertTrue(fails(PeerLostException.class, lost).getMessage().contains("you"));
        }
        rpc.abort();
        assertThrows(CancelledException.class, () -> rpc.call(0, "x"));
        assertThrows(CancelledException.class, rpc::shutdown);
      }
      Rpc closed = new Rpc(store, 0, 1, new Rpc.Options().secret("").job("k"));
      closed.close();
      assertThrows(ClosedException.class, closed::start);
      assertThrows(IllegalArgumentException.class, () -> new Rpc(null, 0, 1));
    }
  }
}
