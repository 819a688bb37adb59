package io.haft;

/**
 * An embedding of whose rows each rank of a group has a part. It is made of a dense one, of which rank 0's values count. Since 1.0.
 */
public class VocabParallelEmbedding extends Module {
  /**
   * Whose outputs all ranks get whole. All ranks call it.
   *
   * @param group of the ranks; the layer keeps it
   * @param dense an {@link Embedding}, which may be closed afterwards
   */
  public VocabParallelEmbedding(ProcessGroup group, Module dense) {
    super(ParallelCalls.vocabParallelEmbedding(group, dense, Index.NONE));
    hold(group);
  }

  /**
   * Of whose outputs each rank gets a part of the sequence. All ranks call it.
   *
   * @param group of the ranks; the layer keeps it
   * @param dense an {@link Embedding}, which may be closed afterwards
   * @param sequenceDim the dimension of the output along which
   * @throws ShapeException there are too few rows: the last rank would have none
   */
  public VocabParallelEmbedding(ProcessGroup group, Module dense, long sequenceDim) {
    super(ParallelCalls.vocabParallelEmbedding(group, dense, sequenceDim));
    hold(group);
  }
}
