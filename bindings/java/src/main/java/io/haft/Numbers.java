package io.haft;

import java.lang.reflect.Array;
import java.nio.Buffer;
import java.util.Arrays;

/** Tensors of the numbers of arrays and buffers: what all of their types share. */
final class Numbers {
  private Numbers() {}

  private static long count(long[] size) {
    long n = 1;
    for (long s : size) {
      if (s < 0) throw new IllegalArgumentException("a size must not be negative, got " + s);
      n = Math.multiplyExact(n, s);
    }
    return n;
  }

  static Tensor from(Object array, int length, char kind, DType dtype, long[] size) {
    long[] shape = size.length == 0 ? new long[] {length} : size;
    if (count(shape) != length) throw new IllegalArgumentException("of: " + length + " numbers do not fill " + Arrays.toString(shape));
    return Tensor.adopt(Native.fromArray(array, kind, shape, dtype.code()));
  }

  /** The sizes of tensors of pairs: those of their elements, or of one dimension where there are none, and 2. */
  static long[] inPairs(int length, long[] size) {
    long[] pairs = Arrays.copyOf(size.length == 0 ? new long[] {length / 2} : size, Math.max(1, size.length) + 1);
    pairs[pairs.length - 1] = 2;
    return pairs;
  }

  /** The rows of an array of arrays, one behind the other in an array of the same numbers. */
  static Object flat(Object[] rows) {
    int columns = rows.length == 0 ? 0 : Array.getLength(rows[0]);
    Object out = Array.newInstance(rows.getClass().getComponentType().getComponentType(), Math.multiplyExact(rows.length, columns));
    for (int i = 0; i < rows.length; i++) {
      int n = Array.getLength(rows[i]);
      if (n != columns) throw new IllegalArgumentException("of: row " + i + " has " + n + " numbers, the first one " + columns);
      System.arraycopy(rows[i], 0, out, i * columns, columns);
    }
    return out;
  }

  static Tensor over(Buffer buffer, int elementBytes, boolean nativeOrder, DType dtype, long[] size) {
    if (!buffer.isDirect()) throw new IllegalArgumentException("over: the buffer is not direct (ByteBuffer.allocateDirect); of copies any buffer");
    if (buffer.isReadOnly()) throw new IllegalArgumentException("over: the buffer is read-only");
    if (!nativeOrder) throw new IllegalArgumentException("over: the buffer is not in native order (order(ByteOrder.nativeOrder()))");
    long bytes = (long) buffer.remaining() * elementBytes;
    long[] shape = size.length == 0 ? new long[] {bytes / dtype.bytes()} : size;
    if (Math.multiplyExact(count(shape), dtype.bytes()) > bytes)
      throw new IllegalArgumentException("over: the buffer has " + bytes + " bytes left, " + Arrays.toString(shape) + " of " + dtype + " needs more");
    return Tensor.adopt(Native.fromBuffer(buffer, (long) buffer.position() * elementBytes, shape, dtype.code()));
  }
}
