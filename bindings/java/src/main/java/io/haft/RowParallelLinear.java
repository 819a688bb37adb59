package io.haft;

/**
 * A linear layer of whose inputs each rank of a group has a part. It is made of a dense layer, of which rank 0's values count: each rank
 * keeps its columns. Since 1.0.
 */
public class RowParallelLinear extends Module {
  /** How it is spread. */
  public static final class Options {
    private boolean splitInput = true;
    private long sequenceDim = Index.NONE;

    /**
     * Whether each rank brings its part of the last dimension, or all bring the whole; default: it does.
     *
     * @param on whether so
     * @return this
     */
    public Options splitInput(boolean on) {
      splitInput = on;
      return this;
    }

    /**
     * The dimension of the output along which each rank gets a part of the sequence; default: all have the whole.
     *
     * @param dim which
     * @return this
     */
    public Options sequenceDim(long dim) {
      sequenceDim = dim;
      return this;
    }
  }

  /**
   * Whose inputs are spread. All ranks call it.
   *
   * @param group of the ranks; the layer keeps it
   * @param dense a {@link Linear}, which may be closed afterwards
   */
  public RowParallelLinear(ProcessGroup group, Module dense) {
    this(group, dense, new Options());
  }

  /**
   * With options. All ranks call it.
   *
   * @param group of the ranks; the layer keeps it
   * @param dense a {@link Linear}, which may be closed afterwards
   * @param o the options
   * @throws ShapeException there are too few inputs: the last rank would have none
   */
  public RowParallelLinear(ProcessGroup group, Module dense, Options o) {
    super(ParallelCalls.rowParallelLinear(group, dense, o.splitInput, o.sequenceDim));
    hold(group);
  }
}
