package io.haft;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Every rank of a group trains its copy of a module on its share of the data, and gradients are the means of all ranks'
 * (torch.nn.parallel.DistributedDataParallel). They are joined bucket by bucket while backward goes on.
 *
 * <pre>{@code
 * try (ProcessGroup world = ProcessGroup.init("env://"); DistributedDataParallel ddp = new DistributedDataParallel(net, world)) {
 *   for (Batch batch : mine) {
 *     try (Scope scope = new Scope()) {
 *       Tensor loss = ddp.call(batch.get(0)).crossEntropy(batch.get(1));
 *       optimizer.zeroGrad(false);  // gradients lie in the buckets: they are kept, and nothing is copied
 *       loss.backward();
 *       optimizer.step();
 *     }
 *   }
 * }
 * }</pre>
 */
public class DistributedDataParallel extends DataParallelOperators {
  /** How gradients are joined. */
  public static final class Options {
    private boolean broadcastBuffers = true, findUnusedParameters, gradientAsBucketView = true, staticGraph, initSync = true;
    private long bucketBytes = 26214400, firstBucketBytes = 1048576;

    /**
     * Whether each forward pass in training begins with rank 0's buffers; default: yes.
     *
     * @param on whether so
     * @return this
     */
    public Options broadcastBuffers(boolean on) {
      broadcastBuffers = on;
      return this;
    }

    /**
     * Whether parameters that a backward does not reach on some rank count as 0 there; default: no.
     *
     * @param on whether so
     * @return this
     */
    public Options findUnusedParameters(boolean on) {
      findUnusedParameters = on;
      return this;
    }

    /**
     * Whether gradients are views of buckets, not copied in and out; default: yes.
     *
     * @param on whether so
     * @return this
     */
    public Options gradientAsBucketView(boolean on) {
      gradientAsBucketView = on;
      return this;
    }

    /**
     * Whether each step is like the first: which gradients come, and how often; default: no.
     *
     * @param on whether so
     * @return this
     */
    public Options staticGraph(boolean on) {
      staticGraph = on;
      return this;
    }

    /**
     * Whether modules are compared, and rank 0's values become every rank's; default: yes.
     *
     * @param on whether so
     * @return this
     */
    public Options initSync(boolean on) {
      initSync = on;
      return this;
    }

    /**
     * How large buckets are; default: 25 MiB.
     *
     * @param bytes of a bucket
     * @return this
     */
    public Options bucketBytes(long bytes) {
      bucketBytes = bytes;
      return this;
    }

    /**
     * How large the first one is, which begins early; default: 1 MiB.
     *
     * @param bytes of that bucket
     * @return this
     */
    public Options firstBucketBytes(long bytes) {
      firstBucketBytes = bytes;
      return this;
    }
  }

  /**
   * What it has done.
   *
   * @param rebuilt whether buckets lie in the order in which gradients came in the first step
   * @param buckets how many there are
   * @param steps that were joined
   * @param gradientBytes of the gradients joined so far
   * @param sentBytes that this rank gave to the group for them; a program's own hook counts nothing
   * @param unused parameters that no rank used in the last step; needs findUnusedParameters or staticGraph
   * @param copies gradients that were copied into buckets so far
   */
  public record Info(boolean rebuilt, long buckets, long steps, long gradientBytes, long sentBytes, long unused, long copies) {}

  /** What ends a stretch of steps, begun by noSync() or join(). */
  @FunctionalInterface
  public interface Stretch extends AutoCloseable {
    @Override
    void close();
  }

  /** What the shim calls. */
  interface Hooked {
    void begin(long bucket, Tensor[] tensors);

    void finish(long bucket, Tensor[] tensors);
  }

  private final Module module;
  private final ProcessGroup group;

  /**
   * Joins the gradients of a module's parameters. Every rank of the group calls it.
   *
   * @param module the same on every rank; rank 0's parameters and buffers become every rank's
   * @param group of the ranks
   */
  public DistributedDataParallel(Module module, ProcessGroup group) {
    this(module, group, new Options());
  }

  /**
   * Joins the gradients of a module's parameters. Every rank of the group calls it.
   *
   * @param module the same on every rank; rank 0's parameters and buffers become every rank's
   * @param group of the ranks
   * @param o the options
   * @throws MismatchException naming the first name, shape, type or requirement of a gradient that differs between ranks
   */
  public DistributedDataParallel(Module module, ProcessGroup group, Options o) {
    super(DATA_PARALLEL, Haft.makeDataParallel(module, group, o.broadcastBuffers, o.findUnusedParameters, o.gradientAsBucketView, o.staticGraph, o.initSync,
        o.bucketBytes, o.firstBucketBytes).steal());
    this.module = module;
    this.group = group;
  }

  /**
   * Joins the gradients of a list of parameters. {@link #prepare} stands before the program's own forward pass. Every rank of the group calls it.
   *
   * @param parameters leaves by their names, the same on every rank; rank 0's values become every rank's
   * @param buffers tensors that are rank 0's in each forward pass
   * @param group of the ranks
   * @param o the options
   * @throws MismatchException naming the first name, shape, type or requirement of a gradient that differs between ranks
   */
  public DistributedDataParallel(Map<String, Tensor> parameters, Tensor[] buffers, ProcessGroup group, Options o) {
    super(DATA_PARALLEL, Haft.makeDataParallelOver(parameters, buffers, group, o.broadcastBuffers, o.findUnusedParameters, o.gradientAsBucketView, o.staticGraph,
        o.initSync, o.bucketBytes, o.firstBucketBytes).steal());
    module = null;
    this.group = group;
  }

  private DistributedDataParallel(long handle) {
    super(DATA_PARALLEL, handle);
    module = null;
    group = null;
  }

  static DistributedDataParallel adopt(long handle) {
    return new DistributedDataParallel(handle);
  }

  /** {@return the module whose gradients are joined; null: it is over a list of parameters} */
  public Module module() {
    return module;
  }

  /** {@return the group over which they are} */
  public ProcessGroup group() {
    return group;
  }

  /**
   * Prepares a step and calls the module.
   *
   * @param x the input
   * @return the output
   */
  public Tensor call(Tensor x) {
    Module m = called();
    prepare();
    return m.call(x);
  }

  /**
   * Prepares a step and calls the module.
   *
   * @param inputs the inputs, in order
   * @return the outputs
   */
  public Tensor[] call(Tensor... inputs) {
    Module m = called();
    prepare();
    return m.call(inputs);
  }

  private Module called() {
    if (module == null) throw new IllegalStateException("it is over a list of parameters, not over a module: prepare() stands before a forward pass of the program's own");
    return module;
  }

  /**
   * Until the answer is closed gradients add up on each rank, of the steps that begin until then; the step behind joins what has come together.
   *
   * @return what ends it
   */
  public Stretch noSync() {
    boolean before = isSync();
    setSync(false);
    return once(() -> setSync(before));
  }

  /**
   * Begins a stretch of steps of which some ranks may have fewer than others; means are over all ranks.
   *
   * @return closed when this rank has no more data: that takes part in what the others call until they have none either
   */
  public Stretch join() {
    return join(true, false);
  }

  /**
   * Begins a stretch of steps of which some ranks may have fewer than others. Every rank calls it.
   *
   * @param divideByWorld whether means are over all ranks, or over those that still have data
   * @param failEarly whether all end with {@link CancelledException} when a rank has no more data
   * @return closed when this rank has no more data: that takes part in what the others call until they have none either
   */
  public Stretch join(boolean divideByWorld, boolean failEarly) {
    joinBegin(divideByWorld, failEarly);
    return once(this::joinEnd);
  }

  private static Stretch once(Runnable end) {
    AtomicBoolean open = new AtomicBoolean(true);
    return () -> {
      if (open.getAndSet(false)) end.run();
    };
  }

  /** {@return what it has done} */
  public Info info() {
    long[] n = Haft.dataParallelNumbers(this);
    return new Info(n[DataParallelPlaces.rebuilt] != 0, n[DataParallelPlaces.buckets], n[DataParallelPlaces.steps],
        n[DataParallelPlaces.gradientBytes], n[DataParallelPlaces.sentBytes], n[DataParallelPlaces.unused], n[DataParallelPlaces.copies]);
  }

  /**
   * Sends less than the gradients.
   *
   * @param c how
   */
  public void setCompression(Compression c) {
    Haft.dataParallelCompress(this, c.kind, c.errorFeedback, c.warmStart, c.ratio, c.minRate, c.rank, c.startStep, c.seed);
  }

  /**
   * Joins gradients by a function instead of a plain mean. What it throws comes out of backward.
   *
   * @param hook joins a bucket
   */
  public void setHook(GradientHook hook) {
    Objects.requireNonNull(hook, "hook is null; clearHook() takes one away");
    Haft.dataParallelHook(this, hooked(hook));
  }

  // Static: what the engine holds must not hold this object, which would never be collected.
  private static Hooked hooked(GradientHook hook) {
    return new Hooked() {
      private final Map<Long, Work> begun = new HashMap<>();

      @Override
      public void begin(long bucket, Tensor[] tensors) {
        letGo(bucket);
        orLetGo(() -> {
          Work work = hook.begin(bucket(bucket, tensors));
          if (work != null) begun.put(bucket, work);
        });
      }

      @Override
      public void finish(long bucket, Tensor[] tensors) {
        orLetGo(() -> {
          try (Work work = begun.remove(bucket)) {
            if (work != null) work.await();
          }
          hook.finish(bucket(bucket, tensors));
        });
      }

      private void orLetGo(Runnable call) {
        try {
          call.run();
        } catch (Throwable t) {
          letGo(0);
          throw t;
        }
      }

      // Buckets begin in order: those from here on are of a backward that failed.
      private void letGo(long from) {
        begun.entrySet().removeIf(e -> {
          if (e.getKey() < from) return false;
          e.getValue().close();
          return true;
        });
      }
    };
  }

  private static GradientBucket bucket(long index, Tensor[] tensors) {
    int n = (tensors.length - 1) / 2;
    return new GradientBucket((int) index, tensors[0], Arrays.copyOfRange(tensors, 1, 1 + n), Arrays.copyOfRange(tensors, 1 + n, tensors.length));
  }
}
