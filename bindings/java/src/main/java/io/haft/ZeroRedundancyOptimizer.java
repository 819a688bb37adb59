package io.haft;

import java.util.Objects;

/**
 * ZeRO: spreads the state of an optimizer over the ranks of a group, so that each has 1/N of it (docs/sharding.md).
 *
 * <pre>{@code
 * Optimizer adam = new Adam(model.parameters(), 1e-3);
 * ZeroRedundancyOptimizer zero = new ZeroRedundancyOptimizer(adam, world);
 * ...
 * zero.step();  // or adam.step()
 * }</pre>
 *
 * <p>The optimizer stays what it was: schedules, groups of parameters and checkpoints are its own. All ranks make it over the same parameters and
 * call {@code step} and {@code addGroup} together. Gradients are the same on all, as {@link DistributedDataParallel} leaves them; with
 * {@link Options#shardGradients} backward joins them, without a {@code DistributedDataParallel}, leaves this rank its part, and no gradient at the
 * parameters. Single states and checkpoints are told after {@link #consolidate} and loaded whole, at any number of ranks.
 *
 * <p>An interruption of {@link #step}, {@link #consolidate} and {@link #clipGradNorm} aborts the group. Since 1.0.
 */
public final class ZeroRedundancyOptimizer {
  /** What is spread, and how: the same on every rank. */
  public static final class Options {
    private boolean shardGradients, initSync = true;
    private long bucketBytes = 25L << 20;

    /**
     * Gradients are spread, too (ZeRO-2); default: false.
     *
     * @param on whether
     * @return this
     */
    public Options shardGradients(boolean on) {
      shardGradients = on;
      return this;
    }

    /**
     * Parameters of rank 0 become every rank's; default: true.
     *
     * @param on false: they are the same already
     * @return this
     */
    public Options initSync(boolean on) {
      initSync = on;
      return this;
    }

    /**
     * Bytes of parameters that travel together; default: 25 MB.
     *
     * @param bytes how many
     * @return this
     */
    public Options bucketBytes(long bytes) {
      bucketBytes = bytes;
      return this;
    }
  }

  /**
   * What a rank has.
   *
   * @param stage 1: a part of the state; 2: of gradients, too
   * @param ranks how many there are
   * @param buckets that travel
   * @param elements of all parameters
   * @param ownElements whose state is this rank's
   * @param stateBytes of this rank
   * @param gradientBytes of this rank
   */
  public record Info(long stage, long ranks, long buckets, long elements, long ownElements, long stateBytes, long gradientBytes) {}

  private final Optimizer optimizer;
  private final ProcessGroup group;

  /**
   * Spreads an optimizer's state. All ranks call it.
   *
   * @param optimizer over the same parameters on every rank
   * @param group of the ranks
   */
  public ZeroRedundancyOptimizer(Optimizer optimizer, ProcessGroup group) {
    this(optimizer, group, new Options());
  }

  /**
   * Spreads an optimizer's state. All ranks call it.
   *
   * @param optimizer over the same parameters on every rank
   * @param group of the ranks
   * @param o the options
   */
  public ZeroRedundancyOptimizer(Optimizer optimizer, ProcessGroup group, Options o) {
    this.optimizer = Objects.requireNonNull(optimizer, "optimizer is null");
    this.group = Objects.requireNonNull(group, "group is null");
    run(() -> {
      Haft.shardOptimizer(optimizer, group, o.shardGradients ? 2 : 1, o.initSync, o.bucketBytes);
      return null;
    });
    optimizer.spreadOver(group);
  }

  private <T> T run(java.util.function.Supplier<T> call) {
    return ProcessGroup.run(group, call);
  }

  /** {@return the optimizer whose state is spread} */
  public Optimizer optimizer() {
    return optimizer;
  }

  /** {@return the group of the ranks} */
  public ProcessGroup group() {
    return group;
  }

  /** The optimizer's step. All ranks call it. */
  public void step() {
    optimizer.step();
  }

  /** Forgets the gradients of all parameters, this rank's part of them, too. */
  public void zeroGrad() {
    optimizer.zeroGrad();
  }

  /** Brings the state together on all ranks. All ranks call it. */
  public void consolidate() {
    consolidate(-1);
  }

  /**
   * Brings the state together, so that {@code optimizer().state} and {@link Checkpoint} tell it until the next step. All ranks call it.
   *
   * @param to the rank that gets it; -1: all
   */
  public void consolidate(int to) {
    run(() -> {
      Haft.consolidateOptimizer(optimizer, to);
      return null;
    });
  }

  /**
   * Limits the Euclidean norm of all gradients, whoever has them. All ranks call it.
   *
   * @param maxNorm the limit
   * @return the norm before
   */
  public double clipGradNorm(double maxNorm) {
    return clipGradNorm(maxNorm, 2);
  }

  /**
   * Limits the norm of all gradients, whoever has them. All ranks call it.
   *
   * @param maxNorm the limit
   * @param normType 2: Euclidean; positive, may be infinity
   * @return the norm before
   */
  public double clipGradNorm(double maxNorm, double normType) {
    return run(() -> Haft.clipOptimizer(optimizer, maxNorm, normType));
  }

  /** {@return what this rank has} */
  public Info info() {
    long[] n = Haft.shardNumbers(optimizer);
    return new Info(n[OptimizerShardPlaces.stage], n[OptimizerShardPlaces.ranks], n[OptimizerShardPlaces.buckets],
        n[OptimizerShardPlaces.elements], n[OptimizerShardPlaces.ownElements], n[OptimizerShardPlaces.stateBytes],
        n[OptimizerShardPlaces.gradientBytes]);
  }
}
