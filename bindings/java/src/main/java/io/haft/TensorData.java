package io.haft;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/** Values in and out of {@link Tensor}: copies from and to arrays, and buffers over the same memory. */
public abstract class TensorData extends TensorOperators {
  TensorData(int kind, long handle) {
    super(kind, handle);
  }

  // ---- from arrays: a copy ----

  /**
   * A float32 tensor with a copy of the numbers, row by row; without sizes one dimension.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(float[] data, long... size) {
    return Numbers.from(data, data.length, 'F', DType.FLOAT32, size);
  }

  /**
   * A float64 tensor with a copy of the numbers, row by row; without sizes one dimension.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(double[] data, long... size) {
    return Numbers.from(data, data.length, 'D', DType.FLOAT64, size);
  }

  /**
   * An int64 tensor with a copy of the numbers, row by row; without sizes one dimension.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(long[] data, long... size) {
    return Numbers.from(data, data.length, 'J', DType.INT64, size);
  }

  /**
   * An int32 tensor with a copy of the numbers, row by row; without sizes one dimension.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(int[] data, long... size) {
    return Numbers.from(data, data.length, 'I', DType.INT32, size);
  }

  /**
   * An int16 tensor with a copy of the numbers, row by row; without sizes one dimension.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(short[] data, long... size) {
    return Numbers.from(data, data.length, 'S', DType.INT16, size);
  }

  /**
   * An int8 tensor with a copy of the numbers, row by row; without sizes one dimension.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(byte[] data, long... size) {
    return Numbers.from(data, data.length, 'B', DType.INT8, size);
  }

  /**
   * A bool tensor with a copy of the numbers, row by row; without sizes one dimension.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(boolean[] data, long... size) {
    return Numbers.from(data, data.length, 'Z', DType.BOOL, size);
  }

  /**
   * A copy of bytes that are unsigned numbers.
   *
   * @param data the numbers, row by row
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor ofUnsigned(byte[] data, long... size) {
    return Numbers.from(data, data.length, 'B', DType.UINT8, size);
  }

  /**
   * Half precision from its bits; {@link Float16} converts.
   *
   * @param bits the bits of the numbers, one a short
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor ofFloat16(short[] bits, long... size) {
    return Numbers.from(bits, bits.length, 'S', DType.FLOAT16, size);
  }

  /**
   * bfloat16 from its bits; {@link BFloat16} converts.
   *
   * @param bits the bits of the numbers, one a short
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor ofBFloat16(short[] bits, long... size) {
    return Numbers.from(bits, bits.length, 'S', DType.BFLOAT16, size);
  }

  /**
   * 8-bit floats from their bits.
   *
   * @param bits the bits of the numbers, one a byte
   * @param dtype FLOAT8_E4M3FN or FLOAT8_E5M2
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor ofFloat8(byte[] bits, DType dtype, long... size) {
    if (dtype != DType.FLOAT8_E4M3FN && dtype != DType.FLOAT8_E5M2) throw new IllegalArgumentException("ofFloat8: wanted FLOAT8_E4M3FN or FLOAT8_E5M2, got " + dtype);
    return Numbers.from(bits, bits.length, 'B', dtype, size);
  }

  /**
   * complex64 numbers from pairs of a real and an imaginary part; {@code viewAsReal()} has these again.
   *
   * @param pairs two numbers for each element
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor ofComplex(float[] pairs, long... size) {
    try (Tensor parts = of(pairs, Numbers.inPairs(pairs.length, size))) {
      return parts.viewAsComplex();
    }
  }

  /**
   * complex128 numbers from pairs of a real and an imaginary part.
   *
   * @param pairs two numbers for each element
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor ofComplex(double[] pairs, long... size) {
    try (Tensor parts = of(pairs, Numbers.inPairs(pairs.length, size))) {
      return parts.viewAsComplex();
    }
  }

  /**
   * Rows of equal length as a float32 tensor of two dimensions.
   *
   * @param rows rows of equal lengths
   * @return the tensor
   */
  public static Tensor of(float[][] rows) {
    return of((float[]) Numbers.flat(rows), rows.length, rows.length == 0 ? 0 : rows[0].length);
  }

  /**
   * Rows of equal length as a float64 tensor of two dimensions.
   *
   * @param rows rows of equal lengths
   * @return the tensor
   */
  public static Tensor of(double[][] rows) {
    return of((double[]) Numbers.flat(rows), rows.length, rows.length == 0 ? 0 : rows[0].length);
  }

  /**
   * Rows of equal length as an int64 tensor of two dimensions.
   *
   * @param rows rows of equal lengths
   * @return the tensor
   */
  public static Tensor of(long[][] rows) {
    return of((long[]) Numbers.flat(rows), rows.length, rows.length == 0 ? 0 : rows[0].length);
  }

  /**
   * Rows of equal length as an int32 tensor of two dimensions.
   *
   * @param rows rows of equal lengths
   * @return the tensor
   */
  public static Tensor of(int[][] rows) {
    return of((int[]) Numbers.flat(rows), rows.length, rows.length == 0 ? 0 : rows[0].length);
  }

  /**
   * One number without dimensions, of the default dtype.
   *
   * @param value the number
   * @return the tensor
   */
  public static Tensor scalar(double value) {
    return full(new long[0], value);
  }

  /**
   * One integer without dimensions.
   *
   * @param value the number
   * @return the tensor
   */
  public static Tensor scalar(long value) {
    return Tensor.adopt(Native.fromArray(new long[] {value}, 'J', new long[0], DType.INT64.code()));
  }

  // ---- to arrays: a copy ----

  private int wanted(String method, DType... allowed) {
    DType is = dtype();
    for (DType d : allowed) {
      if (d != is) continue;
      long n = numel();
      if (n > Integer.MAX_VALUE) throw new IllegalStateException(method + ": " + n + " elements do not fit into an array");
      return (int) n;
    }
    throw new DTypeException(HaftFailure.Details.of(3, method + ": the tensor holds " + is + "; cast(DType." + allowed[0].name() + ") converts it"));
  }

  /** {@return all elements of a floating tensor of at most 32 bits, row by row} */
  public float[] toFloatArray() {
    DType is = dtype();
    if (is.isFloating() && is.bytes() < 4) {
      try (Tensor wide = cast(DType.FLOAT32)) {
        return wide.toFloatArray();
      }
    }
    float[] out = new float[wanted("toFloatArray", DType.FLOAT32)];
    Native.toArray(handle(), this, out, 'F');
    return out;
  }

  /** {@return all elements of a float64 tensor, row by row} */
  public double[] toDoubleArray() {
    double[] out = new double[wanted("toDoubleArray", DType.FLOAT64)];
    Native.toArray(handle(), this, out, 'D');
    return out;
  }

  /** {@return all elements of an int64 tensor, row by row} */
  public long[] toLongArray() {
    long[] out = new long[wanted("toLongArray", DType.INT64)];
    Native.toArray(handle(), this, out, 'J');
    return out;
  }

  /** {@return all elements of an int32 tensor, row by row} */
  public int[] toIntArray() {
    int[] out = new int[wanted("toIntArray", DType.INT32)];
    Native.toArray(handle(), this, out, 'I');
    return out;
  }

  /** {@return all elements of an int16 tensor, or the bits of a float16 or bfloat16 one, row by row} */
  public short[] toShortArray() {
    short[] out = new short[wanted("toShortArray", DType.INT16, DType.FLOAT16, DType.BFLOAT16)];
    Native.toArray(handle(), this, out, 'S');
    return out;
  }

  /** {@return all elements of an int8, uint8 or bool tensor, or the bits of 8-bit floats, row by row} */
  public byte[] toByteArray() {
    byte[] out = new byte[wanted("toByteArray", DType.INT8, DType.UINT8, DType.BOOL, DType.FLOAT8_E4M3FN, DType.FLOAT8_E5M2)];
    Native.toArray(handle(), this, out, 'B');
    return out;
  }

  /** {@return all elements of a bool tensor, row by row} */
  public boolean[] toBooleanArray() {
    boolean[] out = new boolean[wanted("toBooleanArray", DType.BOOL)];
    Native.toArray(handle(), this, out, 'Z');
    return out;
  }

  // ---- over buffers: no copy ----

  /**
   * A tensor on the memory of a direct buffer in native order, from its position on; both see what the other writes. The
   * buffer lives as long as the memory is used.
   *
   * @param buffer numbers between its position and its limit
   * @param dtype element type
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor over(ByteBuffer buffer, DType dtype, long... size) {
    return Numbers.over(buffer, 1, dtype.bytes() == 1 || buffer.order() == ByteOrder.nativeOrder(), dtype, size);
  }

  /**
   * A float32 tensor on the memory of a direct buffer in native order.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor over(FloatBuffer buffer, long... size) {
    return Numbers.over(buffer, 4, buffer.order() == ByteOrder.nativeOrder(), DType.FLOAT32, size);
  }

  /**
   * A float64 tensor on the memory of a direct buffer in native order.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor over(DoubleBuffer buffer, long... size) {
    return Numbers.over(buffer, 8, buffer.order() == ByteOrder.nativeOrder(), DType.FLOAT64, size);
  }

  /**
   * An int64 tensor on the memory of a direct buffer in native order.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor over(LongBuffer buffer, long... size) {
    return Numbers.over(buffer, 8, buffer.order() == ByteOrder.nativeOrder(), DType.INT64, size);
  }

  /**
   * An int32 tensor on the memory of a direct buffer in native order.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor over(IntBuffer buffer, long... size) {
    return Numbers.over(buffer, 4, buffer.order() == ByteOrder.nativeOrder(), DType.INT32, size);
  }

  /**
   * An int16 tensor on the memory of a direct buffer in native order.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor over(ShortBuffer buffer, long... size) {
    return Numbers.over(buffer, 2, buffer.order() == ByteOrder.nativeOrder(), DType.INT16, size);
  }

  /**
   * A copy of what a buffer of any kind has left.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(FloatBuffer buffer, long... size) {
    float[] copy = new float[buffer.remaining()];
    buffer.duplicate().get(copy);
    return of(copy, size);
  }

  /**
   * A copy of what a buffer of any kind has left.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(DoubleBuffer buffer, long... size) {
    double[] copy = new double[buffer.remaining()];
    buffer.duplicate().get(copy);
    return of(copy, size);
  }

  /**
   * A copy of what a buffer of any kind has left.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(LongBuffer buffer, long... size) {
    long[] copy = new long[buffer.remaining()];
    buffer.duplicate().get(copy);
    return of(copy, size);
  }

  /**
   * A copy of what a buffer of any kind has left.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(IntBuffer buffer, long... size) {
    int[] copy = new int[buffer.remaining()];
    buffer.duplicate().get(copy);
    return of(copy, size);
  }

  /**
   * A copy of what a buffer of any kind has left.
   *
   * @param buffer numbers between its position and its limit
   * @param size the sizes
   * @return the tensor
   */
  public static Tensor of(ShortBuffer buffer, long... size) {
    short[] copy = new short[buffer.remaining()];
    buffer.duplicate().get(copy);
    return of(copy, size);
  }

  /**
   * The tensor's own memory, for a dense tensor on the CPU of less than 2 GiB. The buffer keeps the memory alive; after
   * writing into it call {@link #touch}, so that autograd knows.
   *
   * @return the tensor's own memory
   */
  public ByteBuffer byteBuffer() {
    Tensor share = ((Tensor) this).alias();
    ByteBuffer out;
    try {
      if (numel() * dtype().bytes() > Integer.MAX_VALUE) throw new IllegalStateException("byteBuffer: more than 2 GiB");
      out = Native.buffer(share.swigCPtr, share);
    } catch (Throwable t) {
      share.close();
      throw t;
    }
    Native.retainTensor(share.swigCPtr, share);
    Reaper.register(out, TENSOR, share.swigCPtr);
    share.close();
    return out.order(ByteOrder.nativeOrder());
  }

  /** {@return {@link #byteBuffer} as float32 numbers} */
  public FloatBuffer floatBuffer() {
    wanted("floatBuffer", DType.FLOAT32);
    return byteBuffer().asFloatBuffer();
  }

  /** {@return {@link #byteBuffer} as float64 numbers} */
  public DoubleBuffer doubleBuffer() {
    wanted("doubleBuffer", DType.FLOAT64);
    return byteBuffer().asDoubleBuffer();
  }

  /** {@return {@link #byteBuffer} as int64 numbers} */
  public LongBuffer longBuffer() {
    wanted("longBuffer", DType.INT64);
    return byteBuffer().asLongBuffer();
  }

  /** {@return {@link #byteBuffer} as int32 numbers} */
  public IntBuffer intBuffer() {
    wanted("intBuffer", DType.INT32);
    return byteBuffer().asIntBuffer();
  }

  /** {@return {@link #byteBuffer} as int16 numbers; also the bits of float16 and bfloat16} */
  public ShortBuffer shortBuffer() {
    wanted("shortBuffer", DType.INT16, DType.FLOAT16, DType.BFLOAT16);
    return byteBuffer().asShortBuffer();
  }
}
