package io.haft;

/**
 * One part of an indexing expression, as between Python's brackets: {@code x.index(Index.at(1), Index.slice(0, 10, 2))} is
 * x[1, 0:10:2].
 */
public final class Index {
  enum Kind {
    AT,
    SLICE,
    NEW,
    ELLIPSIS,
    TENSOR
  }

  static final long NONE = Long.MIN_VALUE;
  private static final Index ALL = new Index(Kind.SLICE, NONE, NONE, 1, null);
  private static final Index ELLIPSIS = new Index(Kind.ELLIPSIS, 0, 0, 0, null);
  private static final Index NEW = new Index(Kind.NEW, 0, 0, 0, null);
  final Kind kind;
  final long start, end, step;
  final Tensor tensor;

  private Index(Kind kind, long start, long end, long step, Tensor tensor) {
    this.kind = kind;
    this.start = start;
    this.end = end;
    this.step = step;
    this.tensor = tensor;
  }

  /**
   * One position, which takes the dimension away; negative ones count from the end.
   *
   * @param position which one; negative counts from the end
   * @return the part of an index
   */
  public static Index at(long position) {
    return new Index(Kind.AT, position, 0, 0, null);
  }

  /**
   * start:end
   *
   * @param start the first; negative counts from the end
   * @param end behind the last; negative counts from the end
   * @return the part of an index
   */
  public static Index slice(long start, long end) {
    return slice(start, end, 1);
  }

  /**
   * start:end:step, step at least 1.
   *
   * @param start the first; negative counts from the end
   * @param end behind the last; negative counts from the end
   * @param step from one to the next; above 0
   * @return the part of an index
   */
  public static Index slice(long start, long end, long step) {
    if (step < 1) throw new IllegalArgumentException("slice: step must be at least 1, got " + step);
    return new Index(Kind.SLICE, start, end, step, null);
  }

  /**
   * start:
   *
   * @param start the first; negative counts from the end
   * @return the part of an index
   */
  public static Index from(long start) {
    return new Index(Kind.SLICE, start, NONE, 1, null);
  }

  /**
   * :end
   *
   * @param end behind the last; negative counts from the end
   * @return the part of an index
   */
  public static Index to(long end) {
    return new Index(Kind.SLICE, NONE, end, 1, null);
  }

  /**
   * :
   *
   * @return the part of an index
   */
  public static Index all() {
    return ALL;
  }

  /**
   * ..., as many : as there are dimensions left.
   *
   * @return the part of an index
   */
  public static Index ellipsis() {
    return ELLIPSIS;
  }

  /**
   * None: a new dimension of size 1.
   *
   * @return the part of an index
   */
  public static Index newAxis() {
    return NEW;
  }

  /**
   * The positions where a bool tensor is true; it may cover several dimensions.
   *
   * @param mask a tensor of bool
   * @return the part of an index
   */
  public static Index mask(Tensor mask) {
    return new Index(Kind.TENSOR, 0, 0, 0, mask);
  }

  /**
   * Positions from an integer tensor, whose sizes take the dimension's place.
   *
   * @param positions which ones
   * @return the part of an index
   */
  public static Index of(Tensor positions) {
    return new Index(Kind.TENSOR, 0, 0, 0, positions);
  }

  /**
   * The same from numbers.
   *
   * @param positions which ones
   * @return the part of an index
   */
  public static Index of(long... positions) {
    return of(Tensor.of(positions));
  }
}
