package io.haft;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Collection;

/**
 * A tensor: numbers of one {@link DType} with sizes, on a {@link Device}. Operators are methods with PyTorch's names and
 * rules; those that end in an underscore change the tensor itself and answer it. A method that answers a tensor answers a
 * new object, to be closed on its own ({@link Scope} closes many).
 *
 * <pre>{@code
 * try (Scope scope = new Scope()) {
 *   Tensor x = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2).setRequiresGrad();
 *   x.mul(x).sum().backward();
 *   System.out.println(x.grad());
 * }
 * }</pre>
 */
public final class Tensor extends TensorOperators {
  /** For backward: keep what the graph saved, so that it can be walked again. */
  public static final int RETAIN_GRAPH = 1;
  /** For backward and grad: record the gradients themselves. */
  public static final int CREATE_GRAPH = 2;
  /** For grad: null for inputs that the outputs do not depend on. */
  public static final int ALLOW_UNUSED = 4;

  static {
    Memory.begin();
  }

  private Tensor(long handle) {
    super(TENSOR, handle);
    Scope.adopt(this);
  }

  /** Takes over a handle; null for 0. */
  static Tensor adopt(long handle) {
    return handle == 0 ? null : new Tensor(handle);
  }

  static Tensor[] adopt(long[] handles) {
    Tensor[] out = new Tensor[handles.length];
    for (int i = 0; i < out.length; i++) out[i] = adopt(handles[i]);
    return out;
  }

  /** {@return the values, as PyTorch prints them} */
  @Override
  public String toString() {
    try {
      return super.toString();
    } catch (ClosedException e) {
      return getClass().getSimpleName() + "(closed)";
    }
  }

  /**
   * Another object for the same tensor: closing one leaves the other.
   *
   * @return the other object
   */
  public Tensor alias() {
    long h = handle();
    Native.retainTensor(h, this);
    return new Tensor(h);
  }

  // ---- shared with other processes and libraries ----

  /**
   * Moves the tensor into memory that other processes of the machine can map; object, gradient and history stay, views of its old memory are
   * views of it no more. The memory goes with the last process that has it. What one process writes the others read: an element is never
   * half written, but of two updates at once one may be lost. Since 1.0.
   *
   * @return this
   */
  public Tensor shareMemory_() {
    AsynchronousCalls.shareMemory(this);
    return this;
  }

  /** {@return whether it lies in shared memory} */
  public boolean isShared() {
    return AsynchronousCalls.isShared(this);
  }

  /**
   * The name by which other processes of the same user on this machine open it, as long as this process keeps it. Since 1.0.
   *
   * @return a short text
   * @throws InvalidArgumentException it lies in no shared memory
   */
  public String sharedName() {
    return AsynchronousCalls.sharedName(this);
  }

  /**
   * A tensor over the memory of a shared one. Since 1.0.
   *
   * @param name of {@link #sharedName}, of any process
   * @return a new tensor
   * @throws HaftException the process that gave the name has ended or let go of the tensor
   */
  public static Tensor openShared(String name) {
    return AsynchronousCalls.openShared(name);
  }

  /**
   * The address of a struct DLManagedTensor, or of a DLManagedTensorVersioned: the tensor's memory for another library, which
   * gives it back by calling the deleter.
   *
   * @param versioned as DLPack 1.0 has it, not as before
   * @return the address
   */
  public long toDlpack(boolean versioned) {
    return Haft.dlpackAddress(this, versioned);
  }

  /**
   * A tensor over what another library lends by DLPack; its deleter is called when the last tensor on it is gone.
   *
   * @param address of a struct DLManagedTensor or DLManagedTensorVersioned
   * @param versioned whether it is the second of these
   * @return a new tensor
   */
  public static Tensor fromDlpack(long address, boolean versioned) {
    return Haft.fromDlpackAddress(address, versioned);
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
    return adopt(Native.fromArray(new long[] {value}, 'J', new long[0], DType.INT64.code()));
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
    Tensor share = alias();
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

  // ---- what Java says more shortly ----

  /**
   * Shape as PyTorch calls it: {@link #sizes}.
   *
   * @return the size of every dimension
   */
  public long[] shape() {
    return sizes();
  }

  /**
   * A tensor of zeros, ones, ... of these sizes.
   *
   * @param rows size of the first dimension
   * @param columns size of the second dimension
   * @return the tensor
   */
  public static Tensor zeros(int rows, int columns) {
    return zeros(new long[] {rows, columns});
  }

  /**
   * A tensor of truth values.
   *
   * @param size the sizes
   * @param value the truth value
   * @return the tensor
   */
  public static Tensor full(long[] size, boolean value) {
    return full(size, value, null, null);
  }

  /**
   * A tensor of one truth value; null: of BOOL, on the default device.
   *
   * @param size the sizes
   * @param value the truth value
   * @param dtype element type
   * @param device where
   * @return the tensor
   */
  public static Tensor full(long[] size, boolean value, DType dtype, Device device) {
    return full(size, value ? 1L : 0L, dtype == null ? DType.BOOL : dtype, device);
  }

  /** {@return the largest of all elements} */
  public Tensor max() {
    return amax();
  }

  /** {@return the smallest of all elements} */
  public Tensor min() {
    return amin();
  }

  /**
   * The largest elements along a dimension and where they stand.
   *
   * @param dim a dimension; negative counts from the end
   * @return the largest elements along a dimension and where they stand
   */
  public Values max(long dim) {
    return max(dim, false);
  }

  /**
   * The largest elements along a dimension and where they stand.
   *
   * @param dim a dimension; negative counts from the end
   * @param keepdim whether the dimension stays with size 1
   * @return the largest elements along a dimension and where they stand
   */
  public Values max(long dim, boolean keepdim) {
    return Values.of(maxDim(dim, keepdim));
  }

  /**
   * The smallest elements along a dimension and where they stand.
   *
   * @param dim a dimension; negative counts from the end
   * @return the smallest elements along a dimension and where they stand
   */
  public Values min(long dim) {
    return min(dim, false);
  }

  /**
   * The smallest elements along a dimension and where they stand.
   *
   * @param dim a dimension; negative counts from the end
   * @param keepdim whether the dimension stays with size 1
   * @return the smallest elements along a dimension and where they stand
   */
  public Values min(long dim, boolean keepdim) {
    return Values.of(minDim(dim, keepdim));
  }

  /**
   * Joins tensors along a dimension.
   *
   * @param tensors tensors of fitting sizes
   * @param dim a dimension; negative counts from the end
   * @return the joined tensor
   */
  public static Tensor cat(Collection<Tensor> tensors, long dim) {
    return cat(tensors.toArray(new Tensor[0]), dim);
  }

  /**
   * Joins tensors along a new dimension.
   *
   * @param tensors tensors of fitting sizes
   * @param dim a dimension; negative counts from the end
   * @return the joined tensor
   */
  public static Tensor stack(Collection<Tensor> tensors, long dim) {
    return stack(tensors.toArray(new Tensor[0]), dim);
  }

  /**
   * 0, 1, ... n - 1 as int64.
   *
   * @param n behind the last
   * @return the tensor
   */
  public static Tensor arange(long n) {
    return arange(0L, n, 1L);
  }

  /**
   * On a device; itself shared when it is there already.
   *
   * @param device where
   * @return the tensor on that device
   */
  public Tensor to(Device device) {
    return to(null, device);
  }

  /**
   * Makes this leaf require a gradient (requires_grad_ in PyTorch).
   *
   * @return this
   */
  public Tensor requiresGrad_() {
    return setRequiresGrad(true);
  }

  /** {@return a mean over all elements} */
  public Tensor mean() {
    return mean(new long[0]);
  }

  /** This, or a copy with the dtype and on the device of another tensor. */
  Tensor like(Tensor other) {
    DType dtype = other.dtype();
    Device device = other.device();
    return dtype() == dtype && device().equals(device) ? this : to(dtype, device);
  }

  // ---- indexing ----

  /**
   * x[parts]: a view where only numbers, slices, new axes and the ellipsis occur, else a copy.
   *
   * @param parts one for each dimension
   * @return the view or copy
   */
  public Tensor index(Index... parts) {
    return Indexing.read(this, parts);
  }

  /**
   * x[parts] = values, which broadcast. Answers this.
   *
   * @param values of a size that fits the part
   * @param parts one for each dimension
   * @return this
   */
  public Tensor put(Tensor values, Index... parts) {
    Indexing.write(this, values, parts);
    return this;
  }

  /**
   * x[parts] = value. Answers this.
   *
   * @param value the number
   * @param parts one for each dimension
   * @return this
   */
  public Tensor put(double value, Index... parts) {
    try (Tensor v = full(new long[0], value, dtype(), device())) {
      Indexing.write(this, v, parts);
    }
    return this;
  }

  /**
   * x[i]: the i-th part along the first dimension.
   *
   * @param i which part along the first dimension; negative counts from the end
   * @return a view of that part
   */
  public Tensor get(long i) {
    return select(0, i);
  }

  // ---- hooks ----

  /**
   * Calls f with each gradient that reaches this tensor; a result that is not null replaces it. Answers the hook's number.
   *
   * @param f called on the thread that runs backward
   * @return the hook's number
   */
  public long addHook(TensorFunction f) {
    return Haft.addHook(this, f);
  }

  /**
   * Calls f with the accumulated gradient after one was added to this leaf. Answers the hook's number.
   *
   * @param f called on the thread that runs backward
   * @return the hook's number
   */
  public long addAccumulateHook(java.util.function.Consumer<Tensor> f) {
    return Haft.addAccumulateHook(this, g -> {
      f.accept(g);
      return null;
    });
  }
}
