package io.haft;

/** The type of a tensor's elements. */
public enum DType {
  /** One byte, 0 or 1. */
  BOOL(1),
  /** Whole numbers from 0 to 255. */
  UINT8(2),
  /** Whole numbers of 8 bits. */
  INT8(3),
  /** Whole numbers of 16 bits. */
  INT16(4),
  /** Whole numbers of 32 bits. */
  INT32(5),
  /** Whole numbers of 64 bits. */
  INT64(6),
  /** IEEE half precision; see {@link Float16}. */
  FLOAT16(7),
  /** The upper half of a float32; see {@link BFloat16}. */
  BFLOAT16(8),
  /** Floats of 32 bits. */
  FLOAT32(9),
  /** Floats of 64 bits. */
  FLOAT64(10),
  /** Two float32, the real part first. */
  COMPLEX64(11),
  /** Two float64, the real part first. */
  COMPLEX128(12),
  /** 8 bits, 3 of them mantissa: up to 448, NaN but no infinities. To store, cast and multiply ({@code scaledMm}); nothing else computes with it. */
  FLOAT8_E4M3FN(13),
  /** 8 bits, 2 of them mantissa: up to 57344, with infinities; otherwise as FLOAT8_E4M3FN. */
  FLOAT8_E5M2(14);

  private static final DType[] BY_CODE = new DType[15];

  static {
    for (DType d : values()) BY_CODE[d.code] = d;
  }

  private final int code;

  DType(int code) {
    this.code = code;
  }

  /** {@return the number of the C interface} */
  public int code() {
    return code;
  }

  /** {@return bytes of an element} */
  public int bytes() {
    return (int) Haft.dtypeSize(this);
  }

  /**
   * True for FLOAT16, BFLOAT16, FLOAT32, FLOAT64 and the 8-bit floats.
   *
   * @return whether so
   */
  public boolean isFloating() {
    return code >= FLOAT16.code && !isComplex();
  }

  /**
   * True for COMPLEX64 and COMPLEX128.
   *
   * @return whether so
   */
  public boolean isComplex() {
    return this == COMPLEX64 || this == COMPLEX128;
  }

  /** 0, which lets haft choose, for null. */
  static int code(DType d) {
    return d == null ? 0 : d.code;
  }

  static DType of(int code) {
    return BY_CODE[code];
  }

  /**
   * As PyTorch writes it: "float32".
   *
   * @return its name
   */
  @Override
  public String toString() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
