package io.haft;

/** What {@link DistributedDataParallel#setCompression} sends instead of the gradients. */
public final class Compression {
  final int kind;
  boolean errorFeedback = true, warmStart = true;
  double ratio = 0.01, minRate = 2;
  long rank = 1, startStep, seed;

  private Compression(int kind) {
    this.kind = kind;
  }

  /** {@return half the bytes} */
  public static Compression fp16() {
    return new Compression(1);
  }

  /** {@return half the bytes, with the range of float32} */
  public static Compression bf16() {
    return new Compression(2);
  }

  /** {@return a byte an element; all ranks' go to all} */
  public static Compression int8() {
    return new Compression(3);
  }

  /** {@return signs and a mean size; all ranks' go to all} */
  public static Compression oneBit() {
    return new Compression(4);
  }

  /**
   * The largest elements with their places; all ranks' go to all.
   *
   * @param ratio part of the elements that is sent
   * @return the compression
   */
  public static Compression topK(double ratio) {
    Compression c = new Compression(5);
    c.ratio = ratio;
    return c;
  }

  /**
   * Elements that all ranks draw alike.
   *
   * @param ratio part of the elements that is sent
   * @return the compression
   */
  public static Compression randomK(double ratio) {
    Compression c = new Compression(6);
    c.ratio = ratio;
    return c;
  }

  /**
   * Matrices as products of two thin ones.
   *
   * @param rank width of the thin matrices
   * @return the compression
   */
  public static Compression powerSgd(long rank) {
    Compression c = new Compression(7);
    c.rank = rank;
    return c;
  }

  /**
   * Whether what is lost is added to the next step's gradients; default: yes. Not of fp16 and bf16.
   *
   * @param on whether so
   * @return this
   */
  public Compression errorFeedback(boolean on) {
    errorFeedback = on;
    return this;
  }

  /**
   * Whether powerSgd begins where the last step ended; default: yes.
   *
   * @param on whether so
   * @return this
   */
  public Compression warmStart(boolean on) {
    warmStart = on;
    return this;
  }

  /**
   * powerSgd leaves matrices alone that it would not make this many times smaller; default: 2.
   *
   * @param rate how many times
   * @return this
   */
  public Compression minRate(double rate) {
    minRate = rate;
    return this;
  }

  /**
   * Plain means in the steps before; default: 0.
   *
   * @param step the first compressed step
   * @return this
   */
  public Compression startStep(long step) {
    startStep = step;
    return this;
  }

  /**
   * Where the draws of randomK and powerSgd begin, the same on every rank; default: 0.
   *
   * @param seed names the stream
   * @return this
   */
  public Compression seed(long seed) {
    this.seed = seed;
    return this;
  }
}
