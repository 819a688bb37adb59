package io.haft;

/** bfloat16: the upper half of a float32. */
public final class BFloat16 {
  private BFloat16() {}

  /**
   * The nearest BFloat16, halves to even, as bits.
   *
   * @param value a number
   * @return the nearest BFloat16, halves to even, as bits
   */
  public static short fromFloat(float value) {
    int f = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) return (short) (f >>> 16 | 0x40);
    return (short) (f + 0x7fff + (f >>> 16 & 1) >>> 16);
  }

  /**
   * The exact value of some bits.
   *
   * @param bits the bits of the numbers
   * @return the exact value of some bits
   */
  public static float toFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
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
