package io.haft;

/** How the values of ranks are joined. Of bool, SUM and MAX are "or", PRODUCT and MIN "and". */
public enum ReduceOp {
  /** Their sum. */
  SUM,
  /** Their product. */
  PRODUCT,
  /** The smallest. */
  MIN,
  /** The largest. */
  MAX,
  /** Their mean; of floating types only. */
  AVG,
  /** The bits that all have; of integers and bool only. */
  BAND,
  /** The bits that one has; of integers and bool only. */
  BOR,
  /** The bits that an odd number of them has; of integers and bool only. */
  BXOR;

  static int code(ReduceOp op) {
    if (op == null) throw new IllegalArgumentException("op is null");
    return op.ordinal();
  }
}
