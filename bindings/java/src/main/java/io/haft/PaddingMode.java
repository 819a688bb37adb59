package io.haft;

/** What stands beyond the edges of a convolution's input. */
public enum PaddingMode {
  /** Zeros. */
  ZEROS,
  /** The image mirrored at its edge, which is not repeated. */
  REFLECT,
  /** The edge. */
  REPLICATE,
  /** The other side of the image. */
  CIRCULAR;

  static int code(PaddingMode mode) {
    if (mode == null) throw new IllegalArgumentException("the padding mode is null");
    return mode.ordinal();
  }
}
