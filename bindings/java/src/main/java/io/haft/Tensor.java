package io.haft;

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
public final class Tensor extends TensorData {
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
