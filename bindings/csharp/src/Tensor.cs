// The tensor beyond its operators, which are generated: properties, C#'s operators, indexers.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Haft {

/// <summary>An array of numbers of one dtype on one device, which can be differentiated by.</summary>
/// <remarks>Dispose it, or let a <see cref="DisposeScope"/> do so; the garbage collector is the net below. Any thread may
/// use it, also while another disposes it: the memory goes when the last call is over.</remarks>
public partial class Tensor : IDisposable {
  internal Tensor(IntPtr p) {
    swigCPtr = new NativeHandle(p);
    if (DisposeScope.Any) DisposeScope.Register(this);
  }
  // One more owner, for native code to keep.
  internal static IntPtr Give(Tensor t) {
    if (t == null) return IntPtr.Zero;
    IntPtr share = FunctionsPINVOKE.HaftCs_share(t.swigCPtr);
    if (share == IntPtr.Zero) throw Errors.Disposed("tensor", "");
    return share;
  }

  /// <summary>Gives the tensor up; again: nothing. Its memory goes with the last tensor that shares it.</summary>
  public void Dispose() {
    GiveUp();
    if (DisposeScope.Any) DisposeScope.Forget(this);
  }
  /// <summary>Whether it was disposed.</summary>
  public bool IsDisposed { get { return IsGone; } }

  // ---- shared with other processes

  /// <summary>Moves the tensor into memory that other processes of the machine can map; object, gradient and history stay, views of its old
  /// memory are views of it no more. The memory goes with the last process that has it. What one process writes the others read: an element is
  /// never half written, but of two updates at once one may be lost.</summary>
  /// <returns>this tensor</returns>
  public Tensor ShareMemory_() {
    AsynchronousCalls.ShareMemory(this);
    return this;
  }
  /// <summary>Whether it lies in shared memory.</summary>
  public bool IsShared { get { return AsynchronousCalls.IsShared(this); } }
  /// <summary>The name by which other processes of the same user on this machine open it, as long as this process keeps it; it lies in shared
  /// memory.</summary>
  public string SharedName { get { return AsynchronousCalls.SharedName(this); } }
  /// <summary>A tensor over the memory of a shared one.</summary>
  /// <param name="name">of <see cref="SharedName"/>, of any process</param>
  /// <exception cref="DeviceException">the process that gave the name has ended or let go of the tensor</exception>
  public static Tensor OpenShared(string name) { return AsynchronousCalls.OpenShared(name); }

  // ---- what it is

  /// <summary>The sizes; printed as [2, 3], and an array of numbers where one is wanted.</summary>
  public Dims Shape { get { return new Dims(GetSizes()); } }
  /// <summary>Elements from one to the next along each dimension.</summary>
  public long[] Strides { get { return GetStrides(); } }
  /// <summary>How many dimensions.</summary>
  public long NDim { get { return GetNdim(); } }
  /// <summary>How many elements.</summary>
  public long NumElements { get { return GetNumel(); } }
  /// <summary>The type of the elements.</summary>
  public DType DType { get { return GetDType(); } }
  /// <summary>Where it lives.</summary>
  public Device Device { get { return GetDevice(); } }
  /// <summary>Whether the elements lie in row-major order without gaps.</summary>
  public bool IsContiguous { get { return GetIsContiguous(); } }
  /// <summary>Whether operators on it are recorded for its gradient. Set on leaves only.</summary>
  public bool RequiresGrad {
    get { return GetRequiresGrad(); }
    set { SetRequiresGradNative(value); }
  }
  /// <summary>Whether no recorded operator made it.</summary>
  public bool IsLeaf { get { return GetIsLeaf(); } }
  /// <summary>Counts the writes in place.</summary>
  public long Version { get { return GetVersion(); } }
  /// <summary>The gradient that backward added up; null: none. Set null to remove it.</summary>
  [MaybeNull]
  public Tensor Grad {
    get { return GetGrad(); }
    set { SetGradNative(value); }
  }
  /// <summary>As <see cref="RequiresGrad"/>, for chains: Tensor.Rand(3).RequiresGrad_().</summary>
  /// <param name="on">whether</param>
  /// <returns>this tensor</returns>
  public Tensor RequiresGrad_(bool on = true) {
    SetRequiresGradNative(on);
    return this;
  }
  /// <summary>The values, as PyTorch prints them.</summary>
  public override string ToString() { return IsDisposed ? "disposed tensor" : Text(); }

  // ---- gradients

  /// <summary>Adds the gradient of this tensor of one element to the leaves that it depends on.</summary>
  public void Backward() { BackwardNative(); }
  /// <summary>Adds the gradients of the leaves that this tensor depends on.</summary>
  /// <param name="gradient">the gradient of this tensor; null: 1, for a tensor of one element</param>
  /// <param name="retainGraph">keep what the graph saved, to walk it again</param>
  /// <param name="createGraph">record the gradients themselves, for higher derivatives</param>
  public void Backward(Tensor gradient, bool retainGraph = false, bool createGraph = false) {
    BackwardNative(gradient, Autograd.Flags(retainGraph, createGraph, false));
  }
  /// <summary>Calls a function with each gradient that reaches this tensor; what it answers replaces it, null keeps it.</summary>
  /// <param name="hook">called on the thread that runs backward</param>
  /// <returns>dispose it to remove the hook</returns>
  public IDisposable RegisterHook(Func<Tensor, Tensor> hook) {
    long id = Functions.AddHook(this, new TensorBridge(hook));
    return new Removal(() => RemoveHook(id));
  }
  /// <summary>Calls a function with the accumulated gradient after one was added to this leaf.</summary>
  /// <param name="hook">called on the thread that runs backward</param>
  /// <returns>dispose it to remove the hook</returns>
  public IDisposable RegisterAccumulateHook(Action<Tensor> hook) {
    if (hook == null) throw new ArgumentNullException("hook");
    long id = Functions.AddAccumulateHook(this, new TensorBridge(g => {
      hook(g);
      return null;
    }));
    return new Removal(() => RemoveHook(id));
  }

  // ---- one value

  /// <summary>The only element.</summary>
  public double Item() { return ItemDouble(); }
  /// <summary>The only element as a number of a type of C#.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float or double</typeparam>
  public T Item<T>() where T : struct {
    object value = typeof(T) == typeof(double) || typeof(T) == typeof(float) ? (object)ItemDouble() : ItemLong();
    return (T)Convert.ChangeType(value, typeof(T));
  }
  /// <summary>The only element.</summary>
  /// <param name="t">a tensor of one element</param>
  public static explicit operator double(Tensor t) { return t.ItemDouble(); }
  /// <summary>The only element.</summary>
  /// <param name="t">a tensor of one element</param>
  public static explicit operator float(Tensor t) { return (float)t.ItemDouble(); }
  /// <summary>The only element.</summary>
  /// <param name="t">a tensor of one element</param>
  public static explicit operator long(Tensor t) { return t.ItemLong(); }
  /// <summary>The only element.</summary>
  /// <param name="t">a tensor of one element</param>
  public static explicit operator int(Tensor t) { return checked((int)t.ItemLong()); }
  /// <summary>Whether the only element differs from 0.</summary>
  /// <param name="t">a tensor of one element</param>
  public static explicit operator bool(Tensor t) { return t.ItemDouble() != 0; }

  /// <summary>A number as a tensor without dimensions: t[1] = 5.</summary>
  /// <param name="value">the number; int64</param>
  public static implicit operator Tensor(long value) { return Scalar(value); }
  /// <summary>A number as a tensor without dimensions: t[1] = 0.5.</summary>
  /// <param name="value">the number; float64</param>
  public static implicit operator Tensor(double value) { return Scalar(value); }
  /// <summary>A truth value as a tensor without dimensions: mask[1] = true.</summary>
  /// <param name="value">the truth value</param>
  public static implicit operator Tensor(bool value) { return Scalar(value); }
  /// <summary>A tensor without dimensions, complex128; the numbers beside it keep their precision.</summary>
  /// <param name="value">the number</param>
  public static implicit operator Tensor(System.Numerics.Complex value) { return Scalar(value); }

  // ---- several results by name

  /// <summary>The largest elements along a dimension and where they stand.</summary>
  /// <param name="dim">a dimension</param>
  /// <param name="keepdim">keep it with size 1</param>
  public (Tensor Values, Tensor Indices) Max(long dim, bool keepdim = false) { return Pair(MaxDimList(dim, keepdim)); }
  /// <summary>The smallest elements along a dimension and where they stand.</summary>
  /// <param name="dim">a dimension</param>
  /// <param name="keepdim">keep it with size 1</param>
  public (Tensor Values, Tensor Indices) Min(long dim, bool keepdim = false) { return Pair(MinDimList(dim, keepdim)); }
  /// <summary>The largest element.</summary>
  public Tensor Max() { return Amax(); }
  /// <summary>The smallest element.</summary>
  public Tensor Min() { return Amin(); }
  /// <summary>The elements in order along a dimension and where they stood.</summary>
  /// <param name="dim">a dimension</param>
  /// <param name="descending">the largest first</param>
  public (Tensor Values, Tensor Indices) Sort(long dim = -1, bool descending = false) { return Pair(SortList(dim, descending)); }
  /// <summary>The k largest (or smallest) elements along a dimension, in order, and where they stood.</summary>
  /// <param name="k">how many</param>
  /// <param name="dim">a dimension</param>
  /// <param name="largest">false: the smallest</param>
  public (Tensor Values, Tensor Indices) Topk(long k, long dim = -1, bool largest = true) { return Pair(TopkList(k, dim, largest)); }
  private static (Tensor, Tensor) Pair(Tensor[] two) { return (two[0], two[1]); }

  // ---- sizes as a list of numbers

  /// <summary>A tensor of zeros.</summary>
  /// <param name="size">the sizes</param>
  public static Tensor Zeros(params long[] size) { return Zeros(new Dims(size), DType.None, default(Device)); }
  /// <summary>A tensor of ones.</summary>
  /// <param name="size">the sizes</param>
  public static Tensor Ones(params long[] size) { return Ones(new Dims(size), DType.None, default(Device)); }
  /// <summary>A tensor of whatever its memory held.</summary>
  /// <param name="size">the sizes</param>
  public static Tensor Empty(params long[] size) { return Empty(new Dims(size), DType.None, default(Device)); }
  /// <summary>Random numbers, uniform in [0, 1).</summary>
  /// <param name="size">the sizes</param>
  public static Tensor Rand(params long[] size) { return Rand(new Dims(size), DType.None, default(Device), null); }
  /// <summary>Random numbers of the standard normal distribution.</summary>
  /// <param name="size">the sizes</param>
  public static Tensor Randn(params long[] size) { return Randn(new Dims(size), DType.None, default(Device), null); }
  /// <summary>A tensor of one truth value.</summary>
  /// <param name="size">the sizes</param>
  /// <param name="value">of every element</param>
  public static Tensor Full(Dims size, bool value) { return Full(size, value ? 1L : 0L, DType.Bool); }
  /// <summary>0, 1, ..., end - 1 in int64.</summary>
  /// <param name="end">behind the last</param>
  public static Tensor Arange(long end) { return Arange(0L, end, 1L); }
  /// <summary>start, start + 1, ..., end - 1 in int64.</summary>
  /// <param name="start">the first</param>
  /// <param name="end">behind the last</param>
  public static Tensor Arange(long start, long end) { return Arange(start, end, 1L); }
  /// <summary>Another shape of the same memory; an exception where strides forbid it.</summary>
  /// <param name="size">the sizes; one may be -1</param>
  public Tensor View(params long[] size) { return View(new Dims(size)); }
  /// <summary>Another shape; a view where strides allow it, else a copy.</summary>
  /// <param name="size">the sizes; one may be -1</param>
  public Tensor Reshape(params long[] size) { return Reshape(new Dims(size)); }
  /// <summary>Dimensions in another order.</summary>
  /// <param name="dims">the dimensions</param>
  public Tensor Permute(params long[] dims) { return Permute(new Dims(dims)); }
  /// <summary>Dimensions of size 1 repeated without a copy.</summary>
  /// <param name="size">the sizes; -1 keeps one</param>
  public Tensor Expand(params long[] size) { return Expand(new Dims(size)); }
  /// <summary>This tensor on another device.</summary>
  /// <param name="device">where</param>
  public Tensor To(Device device) { return To(DType.None, device); }
  /// <summary>This tensor on the processor.</summary>
  public Tensor Cpu() { return To(DType.None, Device.Cpu); }
  /// <summary>This tensor in float32.</summary>
  public Tensor Float() { return To(DType.Float32); }
  /// <summary>This tensor in float64.</summary>
  public Tensor Double() { return To(DType.Float64); }
  /// <summary>This tensor in int64.</summary>
  public Tensor Long() { return To(DType.Int64); }

  // ---- writing

  /// <summary>Sets all elements to 0.</summary>
  /// <returns>this tensor</returns>
  public Tensor Zero_() { return Fill_(0L); }

  private sealed class Removal : IDisposable {
    private Action remove;
    internal Removal(Action remove) { this.remove = remove; }
    public void Dispose() {
      Action once = System.Threading.Interlocked.Exchange(ref remove, null);
      if (once != null) once();
    }
  }
  internal static IDisposable OnDispose(Action action) { return new Removal(action); }
}
}
