package io.haft;

/** How float32 may be computed; each allows what those before it allow. */
public enum MathPrecision {
  /** Plain algorithms only. */
  EXACT,
  /** And those that round a little more, as Winograd's convolution. */
  FAST,
  /** And factors of products with 10 bits of mantissa, on devices that have them. */
  TF32;

  int code() {
    return ordinal();
  }

  static MathPrecision of(int code) {
    return values()[code];
  }
}
