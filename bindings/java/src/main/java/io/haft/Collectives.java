package io.haft;

import java.util.Objects;

/**
 * Collectives that take part in gradients, and what models over several ranks are made of besides. The results are new tensors; the
 * gradient of each collective is another of them, so gradients of every order exist. docs/sharding.md tells how a model is put together.
 *
 * <p>All ranks call the same things in the same order, also backward, and whether a tensor requires a gradient is the same on all. What is
 * recorded does not keep the group: hold it, and close it behind the last backward. An interruption aborts the group, as in
 * {@link ProcessGroup}, whose exceptions all of these throw, backward too. Since 1.0.
 */
public final class Collectives {
  private static final long[] EQUAL = {};

  private Collectives() {}

  /**
   * The tensors of all ranks added up, for all.
   *
   * @param group of the ranks
   * @param x of the same shape on every rank
   * @return a new tensor; its gradient is the sum of all ranks'
   */
  public static Tensor allReduce(ProcessGroup group, Tensor x) {
    return allReduce(group, x, ReduceOp.SUM);
  }

  /**
   * The tensors of all ranks joined, for all.
   *
   * @param group of the ranks
   * @param x of the same shape on every rank
   * @param op how; those but SUM and AVG take part in no gradient
   * @return a new tensor; its gradient is that of all ranks joined in the same way
   */
  public static Tensor allReduce(ProcessGroup group, Tensor x, ReduceOp op) {
    return run(group, () -> ParallelCalls.allReduce(group, x, op));
  }

  /**
   * The root's tensor for all.
   *
   * @param group of the ranks
   * @param x of the same shape on every rank
   * @param root whose
   * @return a new tensor; its gradient is the sum over ranks at the root, 0 elsewhere
   */
  public static Tensor broadcast(ProcessGroup group, Tensor x, int root) {
    return run(group, () -> ParallelCalls.broadcast(group, x, root));
  }

  /**
   * The tensors of all ranks joined at the root, 0 elsewhere.
   *
   * @param group of the ranks
   * @param x of the same shape on every rank
   * @param root who gets it
   * @param op SUM or AVG
   * @return a new tensor; its gradient is the root's for all
   */
  public static Tensor reduce(ProcessGroup group, Tensor x, int root, ReduceOp op) {
    return run(group, () -> ParallelCalls.reduce(group, x, root, op));
  }

  /**
   * All ranks' tensors behind each other.
   *
   * @param group of the ranks
   * @param x this rank's
   * @param dim along which
   * @param rows each rank's size there; none: all have this one's
   * @return a new tensor; its gradient is each rank's part of the sum over ranks
   */
  public static Tensor allGather(ProcessGroup group, Tensor x, long dim, long... rows) {
    return run(group, () -> ParallelCalls.allGather(group, x, dim, rows));
  }

  /**
   * This rank's part of the joined tensors.
   *
   * @param group of the ranks
   * @param x of the same shape on every rank
   * @param dim along which there is a part for each rank
   * @param op SUM or AVG
   * @param rows the parts' sizes; none: equal ones
   * @return a new tensor; its gradient is all ranks' behind each other
   */
  public static Tensor reduceScatter(ProcessGroup group, Tensor x, long dim, ReduceOp op, long... rows) {
    return run(group, () -> ParallelCalls.reduceScatter(group, x, dim, op, rows));
  }

  /**
   * Equal parts of dimension 0 for each rank and from each rank.
   *
   * @param group of the ranks
   * @param x what goes
   * @return a new tensor; its gradient goes the way back
   */
  public static Tensor allToAllSingle(ProcessGroup group, Tensor x) {
    return allToAllSingle(group, x, EQUAL, EQUAL);
  }

  /**
   * Rows of dimension 0 for each rank and from each rank.
   *
   * @param group of the ranks
   * @param x what goes
   * @param outputRows how many come from each rank; none: equal parts of as many as go
   * @param inputRows how many go to each; none: equal parts
   * @return a new tensor; its gradient goes the way back
   */
  public static Tensor allToAllSingle(ProcessGroup group, Tensor x, long[] outputRows, long[] inputRows) {
    return run(group, () -> ParallelCalls.allToAllSingle(group, x, outputRows, inputRows));
  }

  /**
   * The tensor itself, before ranks do different things with it.
   *
   * @param group of the ranks
   * @param x the same on all ranks
   * @return a new tensor on its memory; its gradient is the sum over ranks
   */
  public static Tensor copyTo(ProcessGroup group, Tensor x) {
    return run(group, () -> ParallelCalls.copyTo(group, x));
  }

  /**
   * The sum over ranks, with which all go on alike.
   *
   * @param group of the ranks
   * @param x of the same shape on every rank
   * @return a new tensor; its gradient is taken as it is, for it is whole on each rank
   */
  public static Tensor reduceFrom(ProcessGroup group, Tensor x) {
    return run(group, () -> ParallelCalls.reduceFrom(group, x));
  }

  /**
   * This rank's part of what all have: of n, n / ranks rounded up; the last ranks have the rest, or nothing.
   *
   * @param group of the ranks
   * @param x the same on all ranks
   * @param dim along which
   * @return a new tensor; its gradient is all ranks' parts
   */
  public static Tensor splitTo(ProcessGroup group, Tensor x, long dim) {
    return run(group, () -> ParallelCalls.splitTo(group, x, dim));
  }

  /**
   * All ranks' parts behind each other, with which all go on alike.
   *
   * @param group of the ranks
   * @param x this rank's part
   * @param dim along which
   * @param rows each rank's size there; none: all have this one's
   * @return a new tensor; its gradient is this rank's part
   */
  public static Tensor gatherFrom(ProcessGroup group, Tensor x, long dim, long... rows) {
    return run(group, () -> ParallelCalls.gatherFrom(group, x, dim, rows));
  }

  /**
   * x (N, C, *) normalised by mean and variance over the batches of all ranks, whose sizes may differ, also be 0. Gradients go through the
   * statistics to all ranks. {@link SyncBatchNorm} makes modules of it.
   *
   * @param group of the ranks
   * @param x this rank's batch
   * @param weight (C); null: none
   * @param bias (C); null: none
   * @param runningMean (C), moved towards the mean by momentum; null: none
   * @param runningVar (C), moved towards the variance with divisor n - 1; null: none
   * @param momentum part of the new statistics in the running ones
   * @param eps added to the variance
   * @return a new tensor
   * @throws ShapeException all ranks together have fewer than 2 values a channel
   */
  public static Tensor syncBatchNorm(ProcessGroup group, Tensor x, Tensor weight, Tensor bias, Tensor runningMean, Tensor runningVar, double momentum,
      double eps) {
    return run(group, () -> ParallelCalls.syncBatchNorm(group, x, weight, bias, runningMean, runningVar, momentum, eps));
  }

  /**
   * Gradients become their means over ranks, in place, between backward and step: data parallel for models of which a step has many backwards,
   * such as pipelines. {@link DistributedDataParallel} overlaps the same with backward where a step has one.
   *
   * @param group of the ranks
   * @param parameters as many of the same shapes on every rank; those that require no gradient do not count, one that has none counts as 0 and
   *     has one afterwards
   */
  public static void joinGradients(ProcessGroup group, Tensor... parameters) {
    joinGradients(group, parameters, ReduceOp.AVG);
  }

  /**
   * Joins gradients over ranks, in place, between backward and step.
   *
   * @param group of the ranks
   * @param parameters as many of the same shapes on every rank; those that require no gradient do not count, one that has none counts as 0 and
   *     has one afterwards
   * @param op how
   */
  public static void joinGradients(ProcessGroup group, Tensor[] parameters, ReduceOp op) {
    Objects.requireNonNull(parameters, "parameters is null");
    run(group, () -> {
      ParallelCalls.joinGradients(group, parameters, op);
      return null;
    });
  }

  /**
   * Limits the Euclidean norm of the gradients of a model that the ranks have together, in place. Each gradient is one rank's alone.
   *
   * @param group of the ranks
   * @param parameters this rank's; those without a gradient do not count. Other ranks may have others
   * @param maxNorm the limit, the same on every rank
   * @return the norm of all ranks' gradients before, the same on every rank
   */
  public static double clipGradNorm(ProcessGroup group, Tensor[] parameters, double maxNorm) {
    return clipGradNorm(group, parameters, EQUAL, maxNorm, 2);
  }

  /**
   * Limits the norm of the gradients of a model that the ranks have together, in place: what {@link Haft#clipGradNorm(Tensor[], double, double)}
   * does for one process.
   *
   * @param group of the ranks
   * @param parameters this rank's; those without a gradient do not count. Other ranks may have others
   * @param copies for each of them how many ranks of the group have the same gradient: 1 for those of spread layers; for norms between these and
   *     for biases of {@link RowParallelLinear} as many as spread them. None: all 1
   * @param maxNorm the limit, the same on every rank
   * @param normType 2: Euclidean; positive, may be infinity
   * @return the norm of all ranks' gradients before, the same on every rank
   * @throws InvalidArgumentException copies are of another number than parameters, or no number of ranks; maxNorm is negative, normType not positive
   */
  public static double clipGradNorm(ProcessGroup group, Tensor[] parameters, long[] copies, double maxNorm, double normType) {
    Objects.requireNonNull(parameters, "parameters is null");
    return run(group, () -> ParallelCalls.clipGradNorm(group, parameters, copies, maxNorm, normType));
  }

  /**
   * Sums over all ranks of losses, hits and counts that a metric is made of, in double.
   *
   * @param group of the ranks
   * @param values as many on every rank
   * @return the sums, in order
   */
  public static double[] sumValues(ProcessGroup group, double... values) {
    Objects.requireNonNull(values, "values is null");
    return run(group, () -> ParallelCalls.sumValues(group, values));
  }

  /**
   * Of all ranks' processes one logs everything, the others errors only, whatever their sink's level. It calls no other rank, and the last
   * call in a process counts.
   *
   * @param group of the ranks
   * @param rank who logs; {@link ProcessGroup#ANY_SOURCE}: all, again
   */
  public static void logRank(ProcessGroup group, int rank) {
    ParallelCalls.logRank(group, rank);
  }

  /**
   * Adds up the gradients of a module's parameters over ranks as they come: of norms that all ranks have and use on their parts of a
   * sequence. Call it once. The module keeps the group.
   *
   * @param module whose
   * @param group of the ranks
   */
  public static void sumGradients(Module module, ProcessGroup group) {
    ParallelCalls.sumGradients(module, group);
    module.hold(group);
  }

  /**
   * The mean cross entropy over classes of which each rank has a part, as {@link ColumnParallelLinear} gives them; no rank sees all.
   *
   * @param group of the ranks
   * @param x (*, part): this rank's logits
   * @param target (*): classes of all, the same on all ranks
   * @param classes how many there are on all ranks together
   * @return the loss, the same on all ranks
   */
  public static Tensor crossEntropy(ProcessGroup group, Tensor x, Tensor target, long classes) {
    return crossEntropy(group, x, target, classes, Reduction.MEAN, -100, 0);
  }

  /**
   * Cross entropy over classes of which each rank has a part, as {@link ColumnParallelLinear} gives them; no rank sees all.
   *
   * @param group of the ranks
   * @param x (*, part): this rank's logits
   * @param target (*): classes of all, the same on all ranks
   * @param classes how many there are on all ranks together
   * @param reduction of the losses to one
   * @param ignoreIndex a target that counts nothing
   * @param labelSmoothing the part of a target that is spread over all classes
   * @return the loss, the same on all ranks
   * @throws IndexException a target is no class
   */
  public static Tensor crossEntropy(ProcessGroup group, Tensor x, Tensor target, long classes, Reduction reduction, long ignoreIndex, double labelSmoothing) {
    int code = Reduction.code(reduction);
    return run(group, () -> ParallelCalls.crossEntropy(group, x, target, classes, code, ignoreIndex, labelSmoothing));
  }

  /**
   * softmax(query key^T scale) value over a sequence of which rank r has the r-th part. Keys and values go around the ranks, so nobody ever
   * holds those of the whole. It has a first gradient.
   *
   * @param group of the ranks
   * @param query (..., positions, width), of one shape on all ranks; a floating type
   * @param key (..., positions, width)
   * @param value (..., positions, any width)
   * @param isCausal whether a query sees no later position
   * @param scale 0: 1 / sqrt(width)
   * @return this rank's part
   */
  public static Tensor ringAttention(ProcessGroup group, Tensor query, Tensor key, Tensor value, boolean isCausal, double scale) {
    return run(group, () -> ParallelCalls.ringAttention(group, query, key, value, isCausal, scale));
  }

  private static <T> T run(ProcessGroup group, java.util.function.Supplier<T> call) {
    return ProcessGroup.run(Objects.requireNonNull(group, "group is null"), call);
  }
}
