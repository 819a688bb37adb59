package io.haft;

/**
 * A linear layer of whose outputs each rank of a group computes a part. It is made of a dense layer, of which rank 0's values count: each
 * rank keeps its rows. With a {@link RowParallelLinear} behind it, it makes a block that costs one all-reduce in each direction. Since 1.0.
 */
public class ColumnParallelLinear extends Module {
  /** How it is spread. */
  public static final class Options {
    private boolean splitOutput = true;
    private long sequenceDim = Index.NONE, blocks = 1;

    /**
     * Whether each rank keeps its part of the last dimension, or all get the whole; default: it does.
     *
     * @param on whether so
     * @return this
     */
    public Options splitOutput(boolean on) {
      splitOutput = on;
      return this;
    }

    /**
     * The dimension of the input along which each rank has a part of the sequence; default: all have the whole.
     *
     * @param dim which
     * @return this
     */
    public Options sequenceDim(long dim) {
      sequenceDim = dim;
      return this;
    }

    /**
     * Blocks of equal size that the outputs are, each of which is spread: 3 for query, key and value; default: 1.
     *
     * @param blocks how many
     * @return this
     */
    public Options blocks(long blocks) {
      this.blocks = blocks;
      return this;
    }
  }

  /**
   * Whose outputs stay spread. All ranks call it.
   *
   * @param group of the ranks; the layer keeps it
   * @param dense a {@link Linear}, which may be closed afterwards
   */
  public ColumnParallelLinear(ProcessGroup group, Module dense) {
    this(group, dense, new Options());
  }

  /**
   * With options. All ranks call it.
   *
   * @param group of the ranks; the layer keeps it
   * @param dense a {@link Linear}, which may be closed afterwards
   * @param o the options
   * @throws ShapeException there are too few outputs: the last rank would have none
   */
  public ColumnParallelLinear(ProcessGroup group, Module dense, Options o) {
    super(ParallelCalls.columnParallelLinear(group, dense, o.splitOutput, o.sequenceDim, o.blocks));
    hold(group);
  }
}
