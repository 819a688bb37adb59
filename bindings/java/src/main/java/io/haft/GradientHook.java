package io.haft;

/**
 * Joins gradients in another way than by their mean (torch's communication hooks). Both methods run on the thread of backward, for the
 * same buckets in the same order on every rank.
 *
 * <pre>{@code
 * ddp.setHook(bucket -> group.allReduceAsync(bucket.buffer(), ReduceOp.AVG));  // what happens without a hook
 * }</pre>
 */
@FunctionalInterface
public interface GradientHook {
  /**
   * Begins to join a bucket; it does not wait.
   *
   * @param bucket with this rank's gradients
   * @return what is waited for before finish; null: nothing
   */
  Work begin(GradientBucket bucket);

  /**
   * Ends it at the end of backward: the bucket's buffer holds the mean of all ranks afterwards. Without one the work leaves it there.
   *
   * @param bucket the one that was begun
   */
  default void finish(GradientBucket bucket) {}
}
