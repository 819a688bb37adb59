package io.haft.tests;

import io.haft.*;
import java.time.Duration;

/** Threads as the processes of a job, each with its agent. */
final class Agents {
  static final Duration LONG = Duration.ofMinutes(10);

  interface Body {
    void run(Rpc rpc, int rank) throws Exception;
  }

  private Agents() {}

  /** What `before` registers is there when the others call. */
  static void run(int n, Body before, Body body) throws Exception {
    Ranks.together(n, (store, rank) -> {
      try (Rpc rpc = new Rpc(store, rank, n, new Rpc.Options().secret("").timeout(LONG))) {
        before.run(rpc, rank);
        rpc.start(LONG);
        body.run(rpc, rank);
        rpc.shutdown(LONG);
      }
    });
  }
}
