package io.haft;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A call of a {@link ProcessGroup} that was begun. It goes on whether or not anybody waits for it, and closing this does not stop
 * it; while this object is reachable, so is its group.
 */
public class Work extends WorkOperators {
  /** Hears that a work is done. */
  @FunctionalInterface
  interface Done {
    void done(Work work, int status);
  }

  private final ProcessGroupOperators group;  // reachable as long as this is

  private Work(long handle, ProcessGroupOperators group) {
    super(WORK, handle);
    this.group = group;
  }

  static Work adopt(long handle, ProcessGroupOperators group) {
    return new Work(handle, group);
  }

  /**
   * Waits until it is done, as long as the call may take. A thread that is interrupted comes back with {@link CancelledException} and
   * its interrupt status set; the work goes on.
   *
   * @throws PeerLostException a process of the group is gone
   * @throws MismatchException the processes called different things
   * @throws TimeLimitException the call's own time has passed: the group is dead
   * @throws CancelledException somebody aborted or left the group, or this thread was interrupted
   */
  public void await() {
    await(null);
  }

  /**
   * Waits until it is done; throws what it failed with. A thread that is interrupted comes back with {@link CancelledException} and its
   * interrupt status set; the work goes on.
   *
   * @param timeout how long to wait; null: as long as the call may take
   * @return false when it was not done within the time; it goes on
   */
  public boolean await(Duration timeout) {
    long limit = Times.micros("timeout", timeout);
    if (isDone()) return Haft.workAwait(this, null, limit);
    return Interrupts.run("it waits no longer for the work, which goes on", token -> Haft.workAwait(this, token, limit));
  }

  /**
   * A future of this work: done with it, or failed with what the call failed with. Completing the future otherwise, for instance by
   * cancel() or orTimeout(), does not stop the work: a call of several processes cannot be taken back by one. Stages that depend on
   * it run on the thread that finds the work done, where they may begin calls of the group but not wait for them; name an executor for more.
   *
   * @return the future
   */
  public CompletableFuture<Work> toCompletableFuture() {
    CompletableFuture<Work> future = new CompletableFuture<>();
    Haft.workOnDone(this, (done, status) -> {
      try (done) {
        Haft.workAwait(done, null, 0);
      } catch (Throwable t) {
        future.completeExceptionally(t);
        return;
      }
      future.complete(this);
    });
    return future;
  }

  /**
   * Calls a function once when it is done, in whatever way, on the thread that finds it so: at once when it is. There it may begin calls
   * of the group but not wait for them. What it throws goes to that thread's handler of uncaught exceptions.
   *
   * @param callback gets this work
   */
  public void onDone(Consumer<? super Work> callback) {
    Objects.requireNonNull(callback, "callback is null");
    Haft.workOnDone(this, (done, status) -> {
      done.close();
      try {
        callback.accept(this);
      } catch (Throwable t) {
        Thread here = Thread.currentThread();
        here.getUncaughtExceptionHandler().uncaughtException(here, t);
      }
    });
  }
}
