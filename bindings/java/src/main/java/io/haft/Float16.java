package io.haft;

/** IEEE half precision: 1 bit of sign, 5 of exponent, 10 of fraction. */
public final class Float16 {
  private Float16() {}

  /**
   * The nearest Float16, halves to even, as bits.
   *
   * @param value a number
   * @return the nearest Float16, halves to even, as bits
   */
  public static short fromFloat(float value) {
    int f = Float.floatToRawIntBits(value), sign = f >>> 16 & 0x8000, magnitude = f & 0x7fffffff;
    if (magnitude > 0x7f800000) return (short) (sign | 0x7e00 | magnitude >>> 13 & 0x3ff);  // NaN keeps its head
    if (magnitude >= 0x477ff000) return (short) (sign | 0x7c00);  // rounds beyond 65504
    if (magnitude >= 0x38800000) {
      int kept = magnitude - 0x38000000;
      return (short) (sign | kept + 0xfff + (kept >>> 13 & 1) >>> 13);
    }
    // Subnormal: a multiple of 2^-24.
    if (magnitude < 0x33000000) return (short) sign;
    int shift = 126 - (magnitude >>> 23), fraction = magnitude & 0x7fffff | 0x800000;
    int whole = fraction >>> shift, rest = fraction & (1 << shift) - 1, half = 1 << shift - 1;
    return (short) (sign | whole + (rest > half || rest == half && (whole & 1) == 1 ? 1 : 0));
  }

  /**
   * The exact value of some bits.
   *
   * @param bits the bits of the numbers
   * @return the exact value of some bits
   */
  public static float toFloat(short bits) {
    int sign = (bits & 0x8000) << 16, exponent = bits >>> 10 & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 31) return Float.intBitsToFloat(sign | 0x7f800000 | fraction << 13);
    if (exponent == 0) return Float.intBitsToFloat(sign | Float.floatToRawIntBits(fraction * 0x1p-24f));
    return Float.intBitsToFloat(sign | exponent + 112 << 23 | fraction << 13);
  }

  /**
   * Bits of many numbers.
   *
   * @param values the numbers
   * @return their bits
   */
  public static short[] fromFloats(float... values) {
    short[] out = new short[values.length];
    for (int i = 0; i < out.length; i++) out[i] = fromFloat(values[i]);
    return out;
  }

  /**
   * Values of many bits.
   *
   * @param bits the bits of the numbers
   * @return values of many bits
   */
  public static float[] toFloats(short... bits) {
    float[] out = new float[bits.length];
    for (int i = 0; i < out.length; i++) out[i] = toFloat(bits[i]);
    return out;
  }
}
