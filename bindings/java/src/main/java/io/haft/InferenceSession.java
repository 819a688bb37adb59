package io.haft;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * One frozen module, run for many threads: it joins concurrent requests into batches, refuses what is too much, and
 * measures itself.
 *
 * <pre>{@code
 * try (InferenceSession session = new InferenceSession(net, new InferenceSession.Options().maxBatch(32).maxDelay(Duration.ofMillis(1)))) {
 *   Tensor y = session.run(x);                                  // waits
 *   CompletableFuture<Tensor[]> later = session.submit(x);      // does not
 *   later.cancel(true);
 * }
 * }</pre>
 */
public class InferenceSession extends SessionOperators {
  private static final long SLICE = 20_000;  // microseconds between looks for an interruption

  /** Sizes and limits. */
  public static final class Options {
    private int workers;
    private long maxBatch = 1, maxDelay, maxQueue = 1024, memoryLimit, timeout = Times.NO_LIMIT;
    private String name = "";

    /**
     * Batches that run at once; default: the threads of an operator.
     *
     * @param workers batches that run at once; 0: by the threads of the machine
     * @return this
     */
    public Options workers(int workers) {
      this.workers = workers;
      return this;
    }

    /**
     * Rows (size 0 of the inputs) that run as one; default 1: no batching.
     *
     * @param rows rows that run as one; 1: no batching
     * @return this
     */
    public Options maxBatch(long rows) {
      maxBatch = rows;
      return this;
    }

    /**
     * How long the first request of a batch waits for others; default: only while all workers run.
     *
     * @param delay how long the first request of a batch waits for others
     * @return this
     */
    public Options maxDelay(Duration delay) {
      maxDelay = Times.micros("delay", java.util.Objects.requireNonNull(delay, "delay is null; Duration.ZERO waits for nobody"));
      return this;
    }

    /**
     * Requests that wait; one more is refused with {@link QueueFullException}. Default 1024.
     *
     * @param requests requests that may wait
     * @return this
     */
    public Options maxQueue(long requests) {
      maxQueue = requests;
      return this;
    }

    /**
     * Bytes of tensors made by runs that may be alive; default 0: no limit.
     *
     * <p>Before it says no, the collector looks for tensors that nobody closed; then a run throws {@link MemoryLimitException}.
   *
   * @param bytes bytes of tensors that runs may have alive; 0: no limit
     * @return this
     */
    public Options memoryLimit(long bytes) {
      memoryLimit = bytes;
      return this;
    }

    /**
     * From submission to answer; default: no limit.
     *
     * @param timeout how long it may take; null: no limit
     * @return this
     */
    public Options timeout(Duration timeout) {
      this.timeout = Times.micros("timeout", timeout);
      return this;
    }

    /**
     * Its label in {@link Haft#metricsText}; default: "session-" and a number.
     *
     * @param name the label
     * @return this
     */
    public Options name(String name) {
      this.name = java.util.Objects.requireNonNull(name, "name is null");
      return this;
    }
  }

  /**
   * What a session has done and does.
   *
   * @param running batches that run now
   * @param requests those that wait or run, each of the next five, and invalid
   * @param completed answered with a result
   * @param failed the module threw, or memory was short
   * @param refused the queue was full
   * @param cancelled cancelled
   * @param timedOut not answered in time
   * @param batches that have run
   * @param meanBatch requests in a batch, on average
   * @param queueLength requests that wait now
   * @param queuePeak the most that have waited
   * @param bytesLive of tensors that runs made
   * @param bytesPeak the most of them
   * @param latencyP50 microseconds from submission to answer
   * @param latencyP90 nine of ten were faster
   * @param latencyP99 99 of 100 were faster
   * @param latencyMax the slowest
   * @param invalid sent what the module does not take: shapes, dtypes or values unlike those that it has answered
   */
  public record Metrics(long running, long requests, long completed, long failed, long refused, long cancelled, long timedOut, long batches, double meanBatch, long queueLength, long queuePeak, long bytesLive, long bytesPeak, double latencyP50, double latencyP90, double latencyP99, double latencyMax, long invalid) {}

  /** Hears that a request is answered. */
  @FunctionalInterface
  interface Done {
    void done(Request request, int status);
  }

  private volatile Module module;  // a module of Java's must outlive its engine form

  /**
   * Runs requests one by one.
   *
   * @param module what runs; it is put into evaluation mode
   */
  public InferenceSession(Module module) {
    this(module, new Options());
  }

  /**
   * With options.
   *
   * @param module what runs; it is put into evaluation mode
   * @param o the options
   */
  public InferenceSession(Module module, Options o) {
    super(SESSION, Haft.makeSession(module, o.workers, o.maxBatch, o.maxDelay, o.maxQueue, o.memoryLimit, o.timeout, o.name).steal());
    this.module = module;
  }

  private InferenceSession(long handle) {
    super(SESSION, handle);
    module = null;
  }

  static InferenceSession adopt(long handle) {
    return new InferenceSession(handle);
  }

  /**
   * Runs the module on one tensor and waits for its output. A thread that is interrupted comes back at once with
   * {@link CancelledException} and its interrupt status set, unless the answer is there; its request is cancelled.
   *
   * @param x the input; not to be written until the call returns
   * @return the output, which takes part in no gradient
   */
  public Tensor run(Tensor x) {
    return run(x, null);
  }

  /**
   * Runs the module on several tensors and waits for its outputs. With maxBatch above 1 each is (rows, ...).
   *
   * @param inputs the inputs, in order; not to be written until the call returns
   * @return the outputs, which take part in no gradient
   */
  public Tensor[] run(Tensor... inputs) {
    return run(inputs, null);
  }

  /**
   * Runs the module on one tensor and waits for its output, for so long at most.
   *
   * @param x the input; not to be written until the call returns
   * @param timeout how long it may take; null: as the options say
   * @return the output, which takes part in no gradient
   */
  public Tensor run(Tensor x, Duration timeout) {
    long limit = Times.micros("timeout", timeout);
    return Interrupts.run(token -> runCancellable(x, token, limit));
  }

  /**
   * Runs the module on several tensors and waits for its outputs, for so long at most.
   *
   * @param inputs the inputs, in order; not to be written until the call returns
   * @param timeout how long it may take; null: as the options say
   * @return the outputs, which take part in no gradient
   */
  public Tensor[] run(Tensor[] inputs, Duration timeout) {
    long limit = Times.micros("timeout", timeout);
    return Interrupts.run(token -> runCancellable(inputs, token, limit));
  }

  /** {@return the module that batches run} */
  public Module module() {
    return module;
  }

  /**
   * Batches that start from now on run this module, which is put into evaluation mode. It first runs here, on zeros like the
   * inputs that were answered last: when it throws, or answers other dtypes or sizes than the session has, the session goes on
   * with the module that it has. It returns when the last batch of the module before is over, which may be closed then; inside
   * a module or callback of the session it does not wait.
   *
   * @param next what runs
   */
  @Override
  public void update(Module next) {
    super.update(next);
    module = next;
  }

  /**
   * Asks for a result without waiting. Completing the future in any way before the answer is there cancels the request:
   * {@code cancel}, {@code orTimeout}, {@code completeOnTimeout}. Stages that depend on it run on the thread that answers,
   * one of the session's or one that is in {@link #run}, unless they name another executor; they may call {@link #run}. The
   * outputs belong to no {@link Scope}: whoever takes them closes them.
   *
   * @param inputs the inputs, in order
   * @return the outputs once they are there
   */
  public CompletableFuture<Tensor[]> submit(Tensor... inputs) {
    return submit(null, inputs);
  }

  /**
   * The same with a time limit of its own.
   *
   * @param timeout how long it may take
   * @param inputs the inputs, in order
   * @return the outputs once they are there
   */
  public CompletableFuture<Tensor[]> submit(Duration timeout, Tensor... inputs) {
    CompletableFuture<Tensor[]> future = new CompletableFuture<>();
    Request request = Haft.submit(this, inputs, (done, status) -> {
      try (done) {
        Tensor[] result = done.result();
        if (!future.complete(result)) for (Tensor t : result) t.close();
      } catch (Throwable t) {
        future.completeExceptionally(t);
      }
    }, Times.micros("timeout", timeout));
    future.whenComplete((result, failure) -> {
      try (request) {
        request.cancel();  // without effect when it was the answer that completed the future
      }
    });
    return future;
  }

  /**
   * Takes no more requests and waits for those it has; false when some were left after the time. An interrupted thread comes
   * back with {@link CancelledException}; the session goes on to answer.
   *
   * @param timeout how long it may take
   * @return whether none was left
   */
  public boolean drain(Duration timeout) {
    long limit = Times.micros("timeout", timeout), begun = System.nanoTime();
    while (true) {
      long left = limit < 0 ? SLICE : Math.max(0, limit - (System.nanoTime() - begun) / 1000);
      if (drainFor(Math.min(left, SLICE))) return true;
      if (Thread.currentThread().isInterrupted()) throw Interrupts.cancelled("it waits no longer for the session to be drained");
      if (left <= SLICE && limit >= 0) return false;
    }
  }

  /** Takes no more requests and waits for those it has. */
  public void drain() {
    drain(null);
  }

  /** {@return counts and latencies since the beginning or the last resetMetrics()} */
  public Metrics metrics() {
    double[] v = Native.sessionMetrics(handle(), this);
    return new Metrics((long) v[SessionPlaces.running], (long) v[SessionPlaces.requests], (long) v[SessionPlaces.completed],
        (long) v[SessionPlaces.failed], (long) v[SessionPlaces.refused], (long) v[SessionPlaces.cancelled], (long) v[SessionPlaces.timedOut],
        (long) v[SessionPlaces.batches], v[SessionPlaces.meanBatch], (long) v[SessionPlaces.queueLength],
        (long) v[SessionPlaces.queuePeak], (long) v[SessionPlaces.bytesLive], (long) v[SessionPlaces.bytesPeak],
        v[SessionPlaces.latencyP50Us], v[SessionPlaces.latencyP90Us], v[SessionPlaces.latencyP99Us], v[SessionPlaces.latencyMaxUs],
        (long) v[SessionPlaces.invalid]);
  }

  /** Cancels what waits, and gives the session up. */
  @Override
  public void close() {
    try {
      if (!isClosed()) closeSession();
    } catch (ClosedException e) {
      // by another thread meanwhile
    } catch (StateException e) {
      // inside a module or callback of its own: the last share closes it, and waits for nobody
    }
    super.close();
  }
}
