// Values in and out: copies, shared memory, spans, half precision.
using System;
using System.Buffers;
using System.Runtime.InteropServices;

namespace Haft {

/// <summary>Works on the elements of a tensor in place.</summary>
/// <typeparam name="T">the type of an element</typeparam>
/// <param name="elements">in row-major order</param>
public delegate void SpanAction<T>(Span<T> elements) where T : struct;

public partial class Tensor {
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)] private delegate void Release(IntPtr user);
  // Held as long as the process lives: the last tensor on an array may go on any thread, at any time.
  private static readonly Release unpin = Unpin;
  private static readonly IntPtr unpinAddress = Marshal.GetFunctionPointerForDelegate(unpin);

  /// <summary>A copy of these values.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">in row-major order</param>
  /// <param name="size">the sizes; empty: one dimension</param>
  /// <param name="device">where the tensor shall live</param>
  public static Tensor From<T>(ReadOnlySpan<T> values, Dims size = default(Dims), Device device = default(Device)) where T : struct {
    return Copied(values, size, DTypes.Of<T>(), device);
  }
  /// <summary>A copy of these values.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">in row-major order</param>
  /// <param name="size">the sizes; empty: one dimension</param>
  /// <param name="device">where the tensor shall live</param>
  public static Tensor From<T>(T[] values, Dims size = default(Dims), Device device = default(Device)) where T : struct {
    if (values == null) throw new ArgumentNullException("values");
    return From(new ReadOnlySpan<T>(values), size, device);
  }
  /// <summary>The address of a struct DLManagedTensor, or of a DLManagedTensorVersioned: the tensor's memory for another library,
  /// which gives it back by calling the deleter.</summary>
  /// <param name="versioned">as DLPack 1.0 has it, not as before</param>
  /// <returns>the address</returns>
  public IntPtr ToDlpack(bool versioned) { return new IntPtr(Functions.DlpackAddress(this, versioned)); }
  /// <summary>A tensor over what another library lends by DLPack; its deleter is called when the last tensor on it is gone.</summary>
  /// <param name="address">of a struct DLManagedTensor or DLManagedTensorVersioned</param>
  /// <param name="versioned">whether it is the second of these</param>
  /// <returns>a new tensor</returns>
  public static Tensor FromDlpack(IntPtr address, bool versioned) { return Functions.FromDlpackAddress(address.ToInt64(), versioned); }
  /// <summary>A copy of these values, one dimension.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">the elements</param>
  public static Tensor Of<T>(params T[] values) where T : struct { return From(values); }
  /// <summary>A copy of a rectangular array, new float[,] {{1, 2}, {3, 4}}.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">two dimensions</param>
  public static Tensor From<T>(T[,] values) where T : struct { return Rectangular<T>(values); }
  /// <summary>A copy of a rectangular array.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">three dimensions</param>
  public static Tensor From<T>(T[,,] values) where T : struct { return Rectangular<T>(values); }
  /// <summary>A copy of a rectangular array.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">four dimensions</param>
  public static Tensor From<T>(T[,,,] values) where T : struct { return Rectangular<T>(values); }
  /// <summary>A tensor without dimensions.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="value">its only element</param>
  public static Tensor Scalar<T>(T value) where T : struct {
    return Copied(new ReadOnlySpan<T>(new[] { value }), Dims.Empty, DTypes.Of<T>(), default(Device), true);
  }
  private static Tensor Rectangular<T>(Array values) where T : struct {
    if (values == null) throw new ArgumentNullException("values");
    var size = new long[values.Rank];
    for (int i = 0; i < size.Length; ++i) size[i] = values.GetLongLength(i);
    GCHandle pin = GCHandle.Alloc(values, GCHandleType.Pinned);
    try {
      return Support.FromData(pin.AddrOfPinnedObject(), new Dims(size), DTypes.Of<T>(), default(Device));
    } finally {
      pin.Free();
    }
  }
  private static unsafe Tensor Copied<T>(ReadOnlySpan<T> values, Dims size, DType dtype, Device device, bool scalar = false) where T : struct {
    if (size.Count == 0 && !scalar) size = new Dims(values.Length);
    if (size.Product() != values.Length)
      throw new ArgumentException("Haft: " + values.Length + " values do not fill sizes " + size + ", which have " + size.Product() + " elements");
    fixed (byte* p = &MemoryMarshal.GetReference(MemoryMarshal.AsBytes(values))) {
      return Support.FromData((IntPtr)p, size, dtype, device);
    }
  }

  /// <summary>A tensor over the array itself: writes to one are seen by the other. The array stays pinned until the last
  /// tensor on it is gone.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">in row-major order</param>
  /// <param name="size">the sizes; empty: one dimension</param>
  public static Tensor Share<T>(T[] values, Dims size = default(Dims)) where T : struct {
    if (values == null) throw new ArgumentNullException("values");
    return Share(new Memory<T>(values), size);
  }
  /// <summary>A tensor over the memory itself, which stays pinned until the last tensor on it is gone.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  /// <param name="values">in row-major order</param>
  /// <param name="size">the sizes; empty: one dimension</param>
  public static unsafe Tensor Share<T>(Memory<T> values, Dims size = default(Dims)) where T : struct {
    DType dtype = DTypes.Of<T>();
    if (size.Count == 0) size = new Dims(values.Length);
    if (size.Product() > values.Length)
      throw new ArgumentException("Haft: sizes " + size + " have " + size.Product() + " elements, the memory only " + values.Length);
    object pinned = values.Pin();
    GCHandle handle = GCHandle.Alloc(pinned);
    try {
      return Support.FromMemory((IntPtr)((MemoryHandle)pinned).Pointer, size, dtype, unpinAddress, GCHandle.ToIntPtr(handle));
    } catch {
      handle.Free();
      ((MemoryHandle)pinned).Dispose();
      throw;
    }
  }
  private static void Unpin(IntPtr user) {
    GCHandle handle = GCHandle.FromIntPtr(user);
    var pinned = (MemoryHandle)handle.Target;
    handle.Free();
    pinned.Dispose();
  }

  /// <summary>The elements in row-major order.</summary>
  /// <typeparam name="T">the type that the dtype stands for</typeparam>
  public T[] ToArray<T>() where T : struct {
    var values = new T[NumElements];
    CopyTo(new Span<T>(values));
    return values;
  }
  /// <summary>Writes the elements in row-major order into memory of the caller's.</summary>
  /// <typeparam name="T">the type that the dtype stands for</typeparam>
  /// <param name="to">room for every element</param>
  public unsafe void CopyTo<T>(Span<T> to) where T : struct {
    Want<T>();
    long count = NumElements;
    if (to.Length < count) throw new ArgumentException("Haft: room for " + to.Length + " elements, the tensor has " + count);
    Span<byte> bytes = MemoryMarshal.AsBytes(to.Slice(0, (int)count));
    fixed (byte* p = &MemoryMarshal.GetReference(bytes)) {
      Support.ReadInto(this, (IntPtr)p, bytes.Length);
    }
  }
  /// <summary>Sets the elements in row-major order; not recorded.</summary>
  /// <typeparam name="T">the type that the dtype stands for</typeparam>
  /// <param name="values">as many as the tensor has elements</param>
  public unsafe void CopyFrom<T>(ReadOnlySpan<T> values) where T : struct {
    Want<T>();
    ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(values);
    fixed (byte* p = &MemoryMarshal.GetReference(bytes)) {
      Support.WriteFrom(this, (IntPtr)p, bytes.Length);
    }
  }
  /// <summary>Sets the elements in row-major order; not recorded.</summary>
  /// <typeparam name="T">the type that the dtype stands for</typeparam>
  /// <param name="values">as many as the tensor has elements</param>
  public void CopyFrom<T>(T[] values) where T : struct { CopyFrom(new ReadOnlySpan<T>(values)); }
  /// <summary>Shows a function the tensor's own memory, t.Access((Span&lt;float&gt; x) =&gt; x.Fill(1)). The memory stays while it
  /// runs, whoever disposes the tensor; a span cannot be kept longer. Tell <see cref="Touch"/> after writing if gradients may need
  /// the values.</summary>
  /// <typeparam name="T">the type that the dtype stands for</typeparam>
  /// <param name="use">gets the elements in row-major order</param>
  /// <exception cref="InvalidOperationException">the tensor is not contiguous on the processor</exception>
  public unsafe void Access<T>(SpanAction<T> use) where T : struct {
    if (use == null) throw new ArgumentNullException("use");
    Want<T>();
    if (!IsContiguous || Device != Device.Cpu)
      throw new InvalidOperationException("Haft: only a contiguous tensor on the processor has its elements in one span; use Contiguous(), Cpu() or ToArray()");
    using (Tensor share = Detach()) use(new Span<T>((void*)Support.Address(share), checked((int)share.NumElements)));
  }
  private void Want<T>() where T : struct {
    DType have = DType;
    if (typeof(T) == typeof(ushort) && (have == DType.Float16 || have == DType.BFloat16)) return;
    if (typeof(T) == typeof(byte) && (have == DType.Float8E4M3FN || have == DType.Float8E5M2)) return;
    DType want = DTypes.Of<T>();
    if (want != have) throw new ArgumentException("Haft: the elements are " + have.Name() + ", not " + typeof(T) + "; use To(DType." + want + ") first");
  }

  /// <summary>A tensor of the bits of half precision numbers.</summary>
  /// <param name="bits">as <see cref="HalfPrecision"/> makes them</param>
  /// <param name="dtype"><see cref="Haft.DType.Float16"/> or <see cref="Haft.DType.BFloat16"/></param>
  /// <param name="size">the sizes; empty: one dimension</param>
  public static Tensor FromBits(ReadOnlySpan<ushort> bits, DType dtype, Dims size = default(Dims)) {
    if (dtype != DType.Float16 && dtype != DType.BFloat16) throw new ArgumentException("Haft: wanted Float16 or BFloat16, got " + dtype, "dtype");
    return Copied(bits, size, dtype, default(Device));
  }
  /// <summary>A tensor of the bits of 8-bit floats.</summary>
  /// <param name="bits">one a number</param>
  /// <param name="dtype"><see cref="Haft.DType.Float8E4M3FN"/> or <see cref="Haft.DType.Float8E5M2"/></param>
  /// <param name="size">the sizes; empty: one dimension</param>
  public static Tensor FromBits(ReadOnlySpan<byte> bits, DType dtype, Dims size = default(Dims)) {
    if (dtype != DType.Float8E4M3FN && dtype != DType.Float8E5M2) throw new ArgumentException("Haft: wanted Float8E4M3FN or Float8E5M2, got " + dtype, "dtype");
    return Copied(bits, size, dtype, default(Device));
  }
}

/// <summary>Half precision numbers as their bits, for runtimes without a type for them.</summary>
public static class HalfPrecision {
  /// <summary>The nearest IEEE half, ties to even.</summary>
  /// <param name="value">a number</param>
  public static unsafe ushort ToFloat16(float value) {
    uint bits = *(uint*)&value, sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000) return (ushort)(sign | 0x7e00 | rest >> 13 & 0x3ff);
    if (rest >= 0x47800000) return (ushort)(sign | 0x7c00);  // from 65536 on; what rounds up to it does so below
    if (rest >= 0x38800000) return (ushort)(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13);
    int shift = 126 - (int)(rest >> 23);  // below the normal numbers: steps of 2^-24
    if (shift > 24) return (ushort)sign;
    uint mantissa = rest & 0x7fffff | 0x800000, half = 1u << shift - 1, kept = mantissa >> shift, lost = mantissa & (1u << shift) - 1;
    return (ushort)(sign | kept + (lost > half || lost == half && (kept & 1) != 0 ? 1u : 0u));
  }
  /// <summary>The number that an IEEE half stands for.</summary>
  /// <param name="half">its bits</param>
  public static unsafe float FromFloat16(ushort half) {
    uint sign = (uint)(half & 0x8000) << 16, exponent = (uint)half >> 10 & 31, mantissa = (uint)half & 0x3ff;
    if (exponent == 0) return (sign != 0 ? -1f : 1f) * mantissa * 5.9604644775390625e-8f;
    uint bits = sign | (exponent == 31 ? 0x7f800000u : exponent + 112 << 23) | mantissa << 13;
    return *(float*)&bits;
  }
  /// <summary>The nearest bfloat16, ties to even.</summary>
  /// <param name="value">a number</param>
  public static unsafe ushort ToBFloat16(float value) {
    uint bits = *(uint*)&value;
    if ((bits & 0x7fffffff) > 0x7f800000) return (ushort)(bits >> 16 | 0x40);
    return (ushort)(bits + 0x7fff + (bits >> 16 & 1) >> 16);
  }
  /// <summary>The number that a bfloat16 stands for.</summary>
  /// <param name="half">its bits</param>
  public static unsafe float FromBFloat16(ushort half) {
    uint bits = (uint)half << 16;
    return *(float*)&bits;
  }
}
}
