package io.haft.tests;

import io.haft.*;
import java.time.Duration;
import java.util.*;

/** One of two processes that haft-run has started: collectives, objects, and each way to fail. */
public final class RankProgram {
  private static void check(boolean good, Object what) {
    if (!good) throw new AssertionError(what);
  }

  private static <E extends Exception> E fails(Class<E> kind, Runnable call) {
    try {
      call.run();
    } catch (Exception e) {
      if (kind.isInstance(e)) return kind.cast(e);
      throw new AssertionError("wanted " + kind, e);
    }
    throw new AssertionError("wanted " + kind);
  }

  public static void main(String[] arguments) throws Exception {
    Duration patience = Duration.ofMinutes(5);
    LaunchEnvironment launched = LaunchEnvironment.get();
    check(launched.launcher().equals("haft-run") && launched.worldSize() == 2 && !launched.runId().isEmpty(), launched);
    int r = launched.rank();
    try (ProcessGroup world = ProcessGroup.init("env://", new ProcessGroup.Options().timeout(patience)); Scope scope = new Scope()) {
      check(world.rank() == r && world.size() == 2, world.info());
      Tensor x = Tensor.full(new long[] {100_000}, 1.0 + r);
      world.allReduce(x, ReduceOp.AVG);
      check(x.min().item() == 1.5 && x.max().item() == 1.5, x);
      Tensor y = Tensor.of(new float[] {r});
      try (Work work = world.broadcastAsync(y, 1)) {
        work.await();
      }
      check(y.item() == 1, y);
      if (r == 0) world.send(y, 1);
      else check(world.recv(y) == 0, y);
      check(world.objects().allGatherObject("rank " + r).equals(List.of("rank 0", "rank 1")), "objects");
    }
    try (Rendezvous job = Rendezvous.meet("env://")) {
      try (ProcessGroup g = new ProcessGroup(job.store(), r, 2, new ProcessGroup.Options().timeout(patience).name("mismatch")); Tensor x = Tensor.zeros(2 + r)) {
        String message = fails(MismatchException.class, () -> g.allReduce(x)).getMessage();
        check(message.contains("[2]") && message.contains("[3]"), message);
      }
      try (ProcessGroup g = new ProcessGroup(job.store(), r, 2, new ProcessGroup.Options().timeout(patience).name("late"))) {
        if (r == 0) {
          String message = fails(TimeLimitException.class, () -> g.barrier(Duration.ofMillis(50))).getMessage();
          check(message.contains("rank 1"), message);
          job.store().set("told", "");
        } else {
          job.store().get("told", patience);
        }
      }
      ProcessGroup g = new ProcessGroup(job.store(), r, 2, new ProcessGroup.Options().timeout(patience).name("lost"));
      g.barrier();
      if (r == 1) Runtime.getRuntime().halt(0);
      String message = fails(PeerLostException.class, g::barrier).getMessage();
      check(message.contains("rank 1"), message);
      g.close();
    }
    System.out.println("OK");
  }
}
