package io.haft;

/** How a free matrix becomes an orthogonal one. */
public enum OrthogonalMap {
  /** By the exponential where it is square, by reflections otherwise. */
  AUTOMATIC,
  /** The exponential of a skew-symmetric matrix. */
  MATRIX_EXP,
  /** Cayley's map of a skew-symmetric matrix. */
  CAYLEY,
  /** A product of Householder's reflections. */
  HOUSEHOLDER;

  static int code(OrthogonalMap map) {
    if (map == null) throw new IllegalArgumentException("the map of orthogonal matrices is null");
    return map.ordinal();
  }
}
