package io.haft.tests;

import io.haft.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;

/** One of two processes that haft-run has started: calls, an exception on the other side, a time that passes, a parameter server, shared memory, a peer that dies. */
public final class RpcProgram {
  private static void check(boolean good, Object what) {
    if (!good) throw new AssertionError(what);
  }

  private static <E> E fails(Class<E> kind, CompletableFuture<RpcMessage> answer) throws Exception {
    try {
      answer.get(5, TimeUnit.MINUTES).close();
    } catch (ExecutionException e) {
      if (kind.isInstance(e.getCause())) return kind.cast(e.getCause());
      throw new AssertionError("wanted " + kind, e);
    }
    throw new AssertionError("wanted " + kind);
  }

  public static void main(String[] arguments) throws Exception {
    CompletableFuture<RpcMessage> held = new CompletableFuture<>();
    CountDownLatch left = new CountDownLatch(1), dying = new CountDownLatch(1);
    try (Rendezvous job = Rendezvous.meet("env://"); Rpc rpc = new Rpc(job.store(), job.rank(), job.worldSize())) {
      int r = job.rank();
      rpc.register("twice", (in, caller) -> RpcMessage.of("rank " + caller, in.tensor(0).mul(2.0)));
      rpc.register("broken", (in, caller) -> {
        throw new IllegalStateException("over there");
      });
      rpc.register("write", (in, caller) -> {
        try (Tensor t = Tensor.openShared(in.text())) {
          t.fill_(5.0);
        }
        return null;
      });
      rpc.register("left", (in, caller) -> {
        left.countDown();
        return null;
      });
      rpc.registerAsync("hold", (in, caller) -> held);
      rpc.register("die", (in, caller) -> {
        dying.countDown();
        return null;
      });
      rpc.start();
      int to = 1 - r;
      try (Tensor x = Tensor.of(new float[] {r, 3}); RpcMessage got = rpc.call(to, "twice", x).get(5, TimeUnit.MINUTES)) {
        check(got.text().equals("rank " + r) && Arrays.equals(got.tensor(0).toFloatArray(), new float[] {2 * r, 6}), got);
      }
      String message = fails(HaftException.class, rpc.call(to, "broken")).getMessage();
      check(message.contains("worker" + to) && message.contains("IllegalStateException: over there"), message);
      message = fails(TimeLimitException.class, rpc.call(to, "hold", RpcMessage.of(), Duration.ofMillis(50))).getMessage();
      check(message.contains("0.05 s"), message);
      try (Tensor t = Tensor.zeros(3).shareMemory_()) {
        rpc.call(to, "write", RpcMessage.of(t.sharedName()), null).get(5, TimeUnit.MINUTES).close();
        check(t.sum().item() == 15, t);
      }
      if (r == 0) {
        try (ParameterServer server = new ParameterServer(rpc, new ParameterServer.Options().option("lr", 1))) {
          left.await();
          check(server.info().rows() == 2 && server.info().version() == 1, server.info());
        }
        CompletableFuture<RpcMessage> lost = rpc.call(1, "hold");
        rpc.call(1, "die");
        message = fails(PeerLostException.class, lost).getMessage();
        check(message.contains("rank 1 'worker1'") && message.contains("'hold'"), message);
      } else {
        try (ParameterClient client = new ParameterClient(rpc, 0); Scope scope = new Scope()) {
          client.addTable("users", 100, 2, 0, 0, DType.FLOAT32);
          Tensor ids = Tensor.of(new long[] {4, 50});
          client.pushRows("users", ids, Tensor.ones(2, 2));
          client.step();
          check(client.pullRows("users", ids).sum().item() == -4, "rows");
          client.leave();
        }
        rpc.call(0, "left").get(5, TimeUnit.MINUTES).close();
        dying.await();
        Runtime.getRuntime().halt(0);
      }
    }
    System.out.println("OK");
  }
}
