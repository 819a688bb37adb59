package io.haft;

/** How values between those that there are, are found. */
public enum Interpolation {
  /** The nearest element, by places that are rounded down. */
  NEAREST,
  /** A line, a plane or a volume between neighbours. */
  LINEAR,
  /** Cubes through four neighbours in each dimension. */
  CUBIC,
  /** The mean of what a new element covers. */
  AREA,
  /** The nearest element. */
  NEAREST_EXACT,
  /** Lines, as wide as what a new element covers: images that get smaller stay smooth. */
  LINEAR_ANTIALIAS,
  /** Cubes, as wide as what a new element covers. */
  CUBIC_ANTIALIAS;

  static int code(Interpolation mode) {
    if (mode == null) throw new IllegalArgumentException("the interpolation is null");
    return mode.ordinal();
  }
}
