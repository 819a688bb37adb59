package io.haft.tests;

import io.haft.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;

/** Threads as the ranks of a group. */
final class Ranks {
  interface Body {
    void run(ProcessGroup group) throws Exception;
  }

  private Ranks() {}

  static void run(int n, Body body) throws Exception {
    run(n, new ProcessGroup.Options().timeout(Duration.ofMinutes(10)), body);
  }

  static void run(int n, ProcessGroup.Options options, Body body) throws Exception {
    together(n, (store, rank) -> {
      try (ProcessGroup group = new ProcessGroup(store, rank, n, options)) {
        body.run(group);
      }
    });
  }

  interface Member {
    void run(Store store, int rank) throws Exception;
  }

  /** Threads that share a store. Throws what the first rank that fails has thrown, with the others' beside it. */
  static void together(int n, Member member) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(n);
    try (Store store = Store.hash()) {
      List<Future<Void>> all = new ArrayList<>();
      for (int r = 0; r < n; r++) {
        int rank = r;
        all.add(pool.submit(() -> {
          member.run(store, rank);
          return null;
        }));
      }
      AssertionError failed = null;
      for (int r = 0; r < n; r++) {
        try {
          all.get(r).get();
        } catch (ExecutionException e) {
          AssertionError one = new AssertionError("rank " + r + ": " + e.getCause(), e.getCause());
          if (failed == null) failed = one;
          else failed.addSuppressed(one);
        }
      }
      if (failed != null) throw failed;
    } finally {
      pool.shutdown();
    }
  }
}
