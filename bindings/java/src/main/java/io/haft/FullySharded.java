package io.haft;

import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Fully sharded data parallel: parameters of which each rank keeps its rows, and has the whole only while their module computes
 * (docs/sharding.md).
 *
 * <pre>{@code
 * for (Module block : blocks) new FullySharded(block, world).close();  // the module keeps what it needs
 * FullySharded root = new FullySharded(model, world);
 * Optimizer adam = new Adam(model.parameters(), 1e-3);                 // behind it: it steps the rows
 * }</pre>
 *
 * <p>Forward, backward and steps stay what they were; parameters stay the objects that they were, and who reads one between its uses is refused by
 * its name. Gradients and the optimizer's state are those of this rank's rows ({@link #shardOf}). All ranks call the same in the same order. An
 * interruption of calls that all ranks make aborts the group. Since 1.0.
 */
public final class FullySharded extends FullyShardedOperators {
  /** How parameters are spread: the same on every rank. */
  public static final class Options {
    private int reshardAfterForward = -1, prefetch = 1;
    private boolean initSync = true, offload, castForwardInputs = true;
    private DType paramDType, reduceDType, outputDType;
    private ProcessGroup replicas;

    /**
     * Whether parameters go after forward and are gathered again for backward; default: yes, but for a unit around others.
     *
     * @param on whether
     * @return this
     */
    public Options reshardAfterForward(boolean on) {
      reshardAfterForward = on ? 1 : 0;
      return this;
    }

    /**
     * Units that are gathered ahead, each of which needs memory; default: 1.
     *
     * @param units how many
     * @return this
     */
    public Options prefetch(int units) {
      prefetch = units;
      return this;
    }

    /**
     * Values of rank 0 become every rank's; default: true.
     *
     * @param on false: they are the same already
     * @return this
     */
    public Options initSync(boolean on) {
      initSync = on;
      return this;
    }

    /**
     * Rows, their gradients and states are on the host, whatever device the module is on; default: false.
     *
     * @param on whether
     * @return this
     */
    public Options offload(boolean on) {
      offload = on;
      return this;
    }

    /**
     * What is gathered, and what the module computes in; default: as the parameters are. Rows stay what they are.
     *
     * @param dtype of it
     * @return this
     */
    public Options paramDType(DType dtype) {
      paramDType = dtype;
      return this;
    }

    /**
     * In which gradients are joined; default: paramDType.
     *
     * @param dtype of it
     * @return this
     */
    public Options reduceDType(DType dtype) {
      reduceDType = dtype;
      return this;
    }

    /**
     * To which floating results are cast; default: they stay.
     *
     * @param dtype of it
     * @return this
     */
    public Options outputDType(DType dtype) {
      outputDType = dtype;
      return this;
    }

    /**
     * Floating inputs are cast to paramDType; default: true.
     *
     * @param on whether
     * @return this
     */
    public Options castForwardInputs(boolean on) {
      castForwardInputs = on;
      return this;
    }

    /**
     * Hybrid sharding: ranks that have equal rows, over which gradients are joined, too; default: none.
     *
     * @param group of those ranks
     * @return this
     */
    public Options replicas(ProcessGroup group) {
      replicas = group;
      return this;
    }
  }

  /**
   * Numbers of a unit.
   *
   * @param ranks that have a part each
   * @param whole whether the parameters have memory now
   * @param parameters how many they are
   * @param elements of all of them
   * @param ownElements of this rank's rows
   * @param wholeBytes of the parameters while they are whole
   * @param parameterBytes that this rank has now
   * @param gradientBytes of this rank's rows, and of what waits to be joined
   * @param gathers so far
   * @param prefetched of those, gathered ahead and used
   * @param scatters how often gradients were joined
   * @param sentBytes that this rank gave to others
   */
  public record Info(long ranks, boolean whole, long parameters, long elements, long ownElements, long wholeBytes, long parameterBytes,
      long gradientBytes, long gathers, long prefetched, long scatters, long sentBytes) {}

  /**
   * How a parameter is spread.
   *
   * @param rank of this process among those that have a part each
   * @param ranks how many they are; 0: it is not spread
   * @param replica this rank's number among those with equal rows
   * @param replicas how many they are
   * @param isShard whether the tensor is the rows themselves
   * @param rows of dimension 0 of the parameter
   * @param first where this rank's rows begin
   * @param count how many they are
   */
  public record ShardInfo(long rank, long ranks, long replica, long replicas, boolean isShard, long rows, long first, long count) {}

  private ProcessGroup group;

  private FullySharded(long handle) {
    super(FULLY_SHARDED, handle);
  }

  static FullySharded adopt(long handle) {
    return new FullySharded(handle);
  }

  /**
   * The parameters of a module that no unit has yet. Innermost modules first. All ranks call it.
   *
   * @param module whose forward gathers them from now on; it keeps what that needs, also when this object is closed
   * @param group of the ranks that have a part each
   */
  public FullySharded(Module module, ProcessGroup group) {
    this(module, group, new Options());
  }

  /**
   * The parameters of a module that no unit has yet. Innermost modules first. All ranks call it.
   *
   * @param module whose forward gathers them from now on; it keeps what that needs, also when this object is closed
   * @param group of the ranks that have a part each
   * @param o the options
   */
  public FullySharded(Module module, ProcessGroup group, Options o) {
    super(FULLY_SHARDED, ProcessGroup.run(Objects.requireNonNull(group, "group is null"),
        () -> ShardingCalls.fullyShard(module, group, o.replicas != null, o.replicas != null ? o.replicas : group, o.reshardAfterForward, o.prefetch,
            o.initSync, o.offload, o.castForwardInputs, o.paramDType, o.reduceDType, o.outputDType).steal()));
    this.group = group;
  }

  /**
   * A list of parameters: {@link #forward} stands around what computes with them. All ranks call it.
   *
   * @param parameters by their names
   * @param group of the ranks that have a part each
   * @param o the options
   */
  public FullySharded(Map<String, Tensor> parameters, ProcessGroup group, Options o) {
    super(FULLY_SHARDED, ProcessGroup.run(Objects.requireNonNull(group, "group is null"),
        () -> ShardingCalls.fullyShardParameters(parameters, group, o.replicas != null, o.replicas != null ? o.replicas : group,
            o.reshardAfterForward, o.prefetch, o.initSync, o.offload, o.castForwardInputs, o.paramDType, o.reduceDType, o.outputDType).steal()));
    this.group = group;
  }

  private <T> T run(Supplier<T> call) {
    return ProcessGroup.run(group, call);
  }

  /**
   * Runs what computes with the parameters of a list: they are whole meanwhile, and again for its backward. All ranks call it.
   *
   * @param compute the results of the inputs
   * @param inputs what it takes
   * @return the results to go on with
   */
  public Tensor[] forward(java.util.function.Function<Tensor[], Tensor[]> compute, Tensor... inputs) {
    return run(() -> {
      Tensor[] given = gathered(inputs), results = {};
      try {
        results = compute.apply(given);
      } finally {
        results = givenBack(results);
      }
      return results;
    });
  }

  /** Parameters are whole until reshard(); what is written to them is lost then. All ranks call it. */
  public void unshard() {
    run(() -> {
      unshardNow();
      return null;
    });
  }

  /**
   * Whether parameters go after forward, from the next one on.
   *
   * @param on the same on every rank
   */
  public void setReshardAfterForward(boolean on) {
    setReshardAfterForward(on ? 1 : 0);
  }

  /** Makes ordinary parameters of them again, whole on every rank; gradients and optimizers of the rows are no longer theirs. All ranks call it. */
  public void dissolve() {
    run(() -> {
      dissolveNow();
      return null;
    });
  }

  /** {@return the numbers of now} */
  public Info info() {
    long[] n = ShardingCalls.numbers(this);
    return new Info(n[FullyShardedPlaces.ranks], n[FullyShardedPlaces.whole] != 0, n[FullyShardedPlaces.parameters],
        n[FullyShardedPlaces.elements], n[FullyShardedPlaces.ownElements], n[FullyShardedPlaces.wholeBytes],
        n[FullyShardedPlaces.parameterBytes], n[FullyShardedPlaces.gradientBytes], n[FullyShardedPlaces.gathers],
        n[FullyShardedPlaces.prefetched], n[FullyShardedPlaces.scatters], n[FullyShardedPlaces.sentBytes]);
  }

  /**
   * This rank's rows of a parameter: a leaf with the values, the gradient and the optimizer.
   *
   * @param parameter of a module
   * @return its rows, perhaps none; null for a tensor that is not spread
   */
  public static Tensor shardOf(Tensor parameter) {
    Tensor[] found = ShardingCalls.shard(parameter);
    return found.length == 0 ? null : found[0];
  }

  /**
   * How a parameter is spread.
   *
   * @param parameter of a module, or the rows of one
   * @return its numbers
   */
  public static ShardInfo shardInfo(Tensor parameter) {
    long[] n = ShardingCalls.shardNumbers(parameter);
    return new ShardInfo(n[TensorShardPlaces.rank], n[TensorShardPlaces.ranks], n[TensorShardPlaces.replica], n[TensorShardPlaces.replicas],
        n[TensorShardPlaces.isShard] != 0, n[TensorShardPlaces.rows], n[TensorShardPlaces.first], n[TensorShardPlaces.count]);
  }
}
