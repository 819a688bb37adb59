// Small types: dtypes, devices, sizes, indices.
using System;
using System.Collections.Generic;

namespace Haft {

/// <summary>The type of a tensor's elements; the numbers are those of the C interface.</summary>
public enum DType {
  /// <summary>Inferred, or the thread's default.</summary>
  None = 0,
  /// <summary>One byte, 0 or 1.</summary>
  Bool = 1,
  /// <summary>byte</summary>
  UInt8 = 2,
  /// <summary>sbyte</summary>
  Int8 = 3,
  /// <summary>short</summary>
  Int16 = 4,
  /// <summary>int</summary>
  Int32 = 5,
  /// <summary>long</summary>
  Int64 = 6,
  /// <summary>IEEE half precision; see <see cref="HalfPrecision"/>.</summary>
  Float16 = 7,
  /// <summary>The upper half of a float; see <see cref="HalfPrecision"/>.</summary>
  BFloat16 = 8,
  /// <summary>float</summary>
  Float32 = 9,
  /// <summary>double</summary>
  Float64 = 10,
  /// <summary>Two floats, the real part first.</summary>
  Complex64 = 11,
  /// <summary>System.Numerics.Complex</summary>
  Complex128 = 12,
  /// <summary>8 bits, 3 of them mantissa: up to 448, NaN but no infinities. To store, cast and multiply (ScaledMm); nothing else computes with it.</summary>
  Float8E4M3FN = 13,
  /// <summary>8 bits, 2 of them mantissa: up to 57344, with infinities; otherwise as Float8E4M3FN.</summary>
  Float8E5M2 = 14
}

/// <summary>What stands beyond the edges of a convolution's input.</summary>
public enum PaddingMode {
  /// <summary>Zeros.</summary>
  Zeros = 0,
  /// <summary>The image mirrored at its edge, which is not repeated.</summary>
  Reflect = 1,
  /// <summary>The edge.</summary>
  Replicate = 2,
  /// <summary>The other side of the image.</summary>
  Circular = 3
}

/// <summary>How values between those that there are, are found.</summary>
public enum Interpolation {
  /// <summary>The nearest element, by places that are rounded down.</summary>
  Nearest = 0,
  /// <summary>A line, a plane or a volume between neighbours.</summary>
  Linear = 1,
  /// <summary>Cubes through four neighbours in each dimension.</summary>
  Cubic = 2,
  /// <summary>The mean of what a new element covers.</summary>
  Area = 3,
  /// <summary>The nearest element.</summary>
  NearestExact = 4,
  /// <summary>Lines, as wide as what a new element covers: images that get smaller stay smooth.</summary>
  LinearAntialias = 5,
  /// <summary>Cubes, as wide as what a new element covers.</summary>
  CubicAntialias = 6
}

/// <summary>How the rows of a bag of embeddings become one.</summary>
public enum BagMode {
  /// <summary>Their sum.</summary>
  Sum = 0,
  /// <summary>Their mean.</summary>
  Mean = 1,
  /// <summary>The maximum of each column.</summary>
  Max = 2
}

/// <summary>How a free matrix becomes an orthogonal one.</summary>
public enum OrthogonalMap {
  /// <summary>By the exponential where it is square, by reflections otherwise.</summary>
  Automatic = 0,
  /// <summary>The exponential of a skew-symmetric matrix.</summary>
  MatrixExp = 1,
  /// <summary>Cayley's map of a skew-symmetric matrix.</summary>
  Cayley = 2,
  /// <summary>A product of Householder's reflections.</summary>
  Householder = 3
}

/// <summary>How a loss is reduced.</summary>
public enum Reduction {
  /// <summary>Not: one loss each.</summary>
  None = 0,
  /// <summary>To the mean.</summary>
  Mean = 1,
  /// <summary>To the sum.</summary>
  Sum = 2,
  /// <summary>To the sum over the size of the first dimension; KlDiv and KLDivLoss alone.</summary>
  Batchmean = 3
}

/// <summary>Which side of a layer Kaiming's initial values look at.</summary>
public enum FanMode {
  /// <summary>Its inputs.</summary>
  FanIn = 0,
  /// <summary>Its outputs.</summary>
  FanOut = 1
}

/// <summary>What follows a layer, for the gain of its initial values.</summary>
public enum Nonlinearity {
  /// <summary>Nothing.</summary>
  Linear = 0,
  /// <summary>Sigmoid.</summary>
  Sigmoid = 1,
  /// <summary>Tanh.</summary>
  Tanh = 2,
  /// <summary>ReLU.</summary>
  ReLU = 3,
  /// <summary>LeakyReLU.</summary>
  LeakyReLU = 4,
  /// <summary>SELU.</summary>
  SELU = 5
}

/// <summary>How float32 may be computed; each allows what those before it allow.</summary>
public enum MathPrecision {
  /// <summary>Plain algorithms only.</summary>
  Exact = 0,
  /// <summary>And those that round a little more, as Winograd's convolution.</summary>
  Fast = 1,
  /// <summary>And factors of products with 10 bits of mantissa, on devices that have them.</summary>
  TF32 = 2
}

/// <summary>Whether operators must give equal bits for equal inputs.</summary>
public enum Determinism {
  /// <summary>They need not.</summary>
  Off = 0,
  /// <summary>An operator that cannot runs all the same, after a warning in the log.</summary>
  Warn = 1,
  /// <summary>An operator that cannot fails.</summary>
  Error = 2
}

/// <summary>How urgent a log line is.</summary>
public enum LogLevel {
  /// <summary>No lines.</summary>
  None = 0,
  /// <summary>Errors.</summary>
  Error = 1,
  /// <summary>Warnings.</summary>
  Warning = 2,
  /// <summary>Information.</summary>
  Info = 3,
  /// <summary>Everything.</summary>
  Debug = 4
}

/// <summary>Facts about dtypes.</summary>
public static class DTypes {
  /// <summary>Bytes of an element.</summary>
  /// <param name="dtype">a dtype</param>
  public static long Size(this DType dtype) { return Support.DtypeBytes(dtype); }
  /// <summary>PyTorch's name, "float32".</summary>
  /// <param name="dtype">a dtype</param>
  public static string Name(this DType dtype) { return Support.DtypeText(dtype); }
  /// <summary>Whether elements are floating point numbers.</summary>
  /// <param name="dtype">a dtype</param>
  public static bool IsFloatingPoint(this DType dtype) { return dtype >= DType.Float16 && !dtype.IsComplex(); }
  /// <summary>Whether it is Complex64 or Complex128.</summary>
  /// <param name="dtype">a type</param>
  public static bool IsComplex(this DType dtype) { return dtype == DType.Complex64 || dtype == DType.Complex128; }

  /// <summary>The dtype of a type of C#.</summary>
  /// <typeparam name="T">bool, byte, sbyte, short, int, long, float, double or System.Numerics.Complex</typeparam>
  public static DType Of<T>() where T : struct {
    if (typeof(T) == typeof(float)) return DType.Float32;
    if (typeof(T) == typeof(double)) return DType.Float64;
    if (typeof(T) == typeof(long)) return DType.Int64;
    if (typeof(T) == typeof(int)) return DType.Int32;
    if (typeof(T) == typeof(byte)) return DType.UInt8;
    if (typeof(T) == typeof(bool)) return DType.Bool;
    if (typeof(T) == typeof(short)) return DType.Int16;
    if (typeof(T) == typeof(sbyte)) return DType.Int8;
    if (typeof(T) == typeof(System.Numerics.Complex)) return DType.Complex128;
    throw new NotSupportedException("Haft: no dtype for elements of " + typeof(T) + "; wanted bool, byte, sbyte, short, int, long, float, double or Complex");
  }
}

/// <summary>Where a tensor lives: "cpu", "cuda:0". The default value is the thread's default device.</summary>
public struct Device : IEquatable<Device> {
  internal Device(int number) { Number = number; }
  internal readonly int Number;

  /// <summary>The thread's default device.</summary>
  public static Device Default { get { return new Device(0); } }
  /// <summary>The processor.</summary>
  public static Device Cpu { get { return new Device(0x10000); } }
  /// <summary>A device by its name; the first use of a device type loads its plug-in.</summary>
  /// <param name="name">"cpu", "cuda" or "cuda:1"</param>
  /// <exception cref="DeviceException">there is none, with every path tried</exception>
  public static Device Parse(string name) { return Support.ParseDevice(name); }
  /// <summary>As <see cref="Parse"/>.</summary>
  /// <param name="name">"cpu", "cuda" or "cuda:1"</param>
  public static implicit operator Device(string name) { return Parse(name); }

  /// <summary>Its number among the devices of its type.</summary>
  public int Index { get { return Number & 0xffff; } }
  /// <summary>How many devices of a type there are; 0 where there is no device, driver or plug-in.</summary>
  /// <param name="type">"cpu", "cuda"</param>
  public static int Count(string type) { return Functions.DeviceCount(type); }
  /// <summary>What it is.</summary>
  public DeviceProperties Properties { get { return new DeviceProperties(Functions.DeviceNumbers(this), Functions.DeviceTexts(this).Split('\n')); } }
  /// <summary>What it is and what it leans on, for people: lines "name: value", of a plug-in with its libraries and what is missing without
  /// those that are not there.</summary>
  public string Describe() { return Functions.DescribeDevice(this); }
  /// <summary>Waits for all work of this device and reports what failed since.</summary>
  public void Synchronize() { Functions.Synchronize(this); }
  /// <inheritdoc/>
  public override string ToString() { return Number == 0 ? "default" : Support.DeviceName(this); }
  /// <inheritdoc/>
  public bool Equals(Device other) { return Number == other.Number; }
  /// <inheritdoc/>
  public override bool Equals(object other) { return other is Device && Equals((Device)other); }
  /// <inheritdoc/>
  public override int GetHashCode() { return Number; }
  /// <summary>Whether both are the same device.</summary>
  /// <param name="a">a device</param>
  /// <param name="b">another</param>
  public static bool operator ==(Device a, Device b) { return a.Equals(b); }
  /// <summary>Whether they are different devices.</summary>
  /// <param name="a">a device</param>
  /// <param name="b">another</param>
  public static bool operator !=(Device a, Device b) { return !a.Equals(b); }
}

/// <summary>Sizes or dimensions: a number, a tuple or an array, and an array where one is wanted. The default value has none.</summary>
public struct Dims : IReadOnlyList<long>, IEquatable<Dims> {
  private static readonly long[] empty = new long[] { 0 };
  private readonly long[] block;  // how many, then the numbers

  /// <summary>These numbers.</summary>
  /// <param name="values">sizes or dimensions</param>
  public Dims(params long[] values) {
    if (values == null) throw new ArgumentNullException("values");
    block = new long[values.Length + 1];
    block[0] = values.Length;
    Array.Copy(values, 0, block, 1, values.Length);
  }
  internal long[] Block { get { return block ?? empty; } }
  /// <summary>None.</summary>
  public static Dims Empty { get { return default(Dims); } }
  /// <summary>How many.</summary>
  public int Count { get { return (int)Block[0]; } }
  /// <summary>One of them.</summary>
  /// <param name="index">0 to Count - 1</param>
  public long this[int index] {
    get {
      if (index < 0 || index >= Count) throw new ArgumentOutOfRangeException("index");
      return block[index + 1];
    }
  }
  /// <summary>As an array.</summary>
  public long[] ToArray() {
    var values = new long[Count];
    Array.Copy(Block, 1, values, 0, values.Length);
    return values;
  }
  /// <summary>The product of all: how many elements these sizes have.</summary>
  public long Product() {
    long n = 1;
    for (int i = 0; i < Count; ++i) n = checked(n * block[i + 1]);
    return n;
  }
  /// <summary>One number.</summary>
  /// <param name="value">a size or dimension</param>
  public static implicit operator Dims(long value) { return new Dims(value); }
  /// <summary>An array.</summary>
  /// <param name="values">sizes or dimensions</param>
  public static implicit operator Dims(long[] values) { return values == null ? default(Dims) : new Dims(values); }
  /// <summary>An array.</summary>
  /// <param name="values">sizes or dimensions</param>
  public static implicit operator Dims(int[] values) { return values == null ? default(Dims) : new Dims(Array.ConvertAll(values, v => (long)v)); }
  /// <summary>Two numbers.</summary>
  /// <param name="v">sizes or dimensions</param>
  public static implicit operator Dims(ValueTuple<long, long> v) { return new Dims(v.Item1, v.Item2); }
  /// <summary>Three numbers.</summary>
  /// <param name="v">sizes or dimensions</param>
  public static implicit operator Dims(ValueTuple<long, long, long> v) { return new Dims(v.Item1, v.Item2, v.Item3); }
  /// <summary>Four numbers.</summary>
  /// <param name="v">sizes or dimensions</param>
  public static implicit operator Dims(ValueTuple<long, long, long, long> v) { return new Dims(v.Item1, v.Item2, v.Item3, v.Item4); }
  /// <summary>As an array of their own.</summary>
  /// <param name="dims">sizes or dimensions</param>
  public static implicit operator long[](Dims dims) { return dims.ToArray(); }
  /// <summary>How many, as an array says it.</summary>
  public int Length { get { return Count; } }
  /// <inheritdoc/>
  public IEnumerator<long> GetEnumerator() { return ((IEnumerable<long>)ToArray()).GetEnumerator(); }
  System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() { return GetEnumerator(); }
  /// <inheritdoc/>
  public bool Equals(Dims other) {
    if (Count != other.Count) return false;
    for (int i = 1; i <= Count; ++i)
      if (Block[i] != other.Block[i]) return false;
    return true;
  }
  /// <inheritdoc/>
  public override bool Equals(object other) { return other is Dims && Equals((Dims)other); }
  /// <inheritdoc/>
  public override int GetHashCode() {
    long hash = 17;
    foreach (long v in Block) hash = unchecked(hash * 31 + v);
    return hash.GetHashCode();
  }
  /// <summary>Whether they are the same numbers.</summary>
  /// <param name="a">sizes or dimensions</param>
  /// <param name="b">others</param>
  public static bool operator ==(Dims a, Dims b) { return a.Equals(b); }
  /// <summary>Whether they are other numbers.</summary>
  /// <param name="a">sizes or dimensions</param>
  /// <param name="b">others</param>
  public static bool operator !=(Dims a, Dims b) { return !a.Equals(b); }
  /// <summary>[2, 3].</summary>
  public override string ToString() { return "[" + string.Join(", ", ToArray()) + "]"; }
}

/// <summary>Elements from start to stop (without it) in steps, as in Python; null: from or to the end.</summary>
public struct Slice {
  /// <summary>The first; negative counts from the end.</summary>
  public readonly long? Start;
  /// <summary>Behind the last; negative counts from the end.</summary>
  public readonly long? Stop;
  /// <summary>How far from one to the next; positive.</summary>
  public readonly long Step;
  /// <summary>start:stop:step</summary>
  /// <param name="start">the first; null: 0</param>
  /// <param name="stop">behind the last; null: the size</param>
  /// <param name="step">positive</param>
  public Slice(long? start, long? stop, long step = 1) {
    if (step <= 0) throw new ArgumentOutOfRangeException("step", "Haft: a slice's step must be positive, got " + step);
    Start = start;
    Stop = stop;
    Step = step;
  }
  /// <summary>All elements of a dimension, ":".</summary>
  public static Slice All { get { return new Slice(null, null); } }
  /// <summary>start:</summary>
  /// <param name="start">the first</param>
  public static Slice From(long start) { return new Slice(start, null); }
  /// <summary>:stop</summary>
  /// <param name="stop">behind the last</param>
  public static Slice To(long stop) { return new Slice(null, stop); }
#if NETSTANDARD2_1 || NETCOREAPP3_0_OR_GREATER
  /// <summary>C#'s own range, 1..^1.</summary>
  /// <param name="range">a range</param>
  public static implicit operator Slice(Range range) {
    long? stop = range.End.IsFromEnd ? (range.End.Value == 0 ? (long?)null : -range.End.Value) : range.End.Value;
    return new Slice(range.Start.IsFromEnd ? (range.Start.Value == 0 ? long.MaxValue : -range.Start.Value) : range.Start.Value, stop);
  }
#endif
}

/// <summary>What may stand between the brackets of a tensor: a number, a slice, a tensor of indices or a mask.</summary>
public struct TensorIndex {
  internal enum Kind { Number, Slice, NewAxis, Ellipsis, Tensor }
  internal readonly Kind Type;
  internal readonly long Number;
  internal readonly Slice Part;
  internal readonly Tensor Indices;
  private TensorIndex(Kind type, long number, Slice part, Tensor indices) {
    Type = type;
    Number = number;
    Part = part;
    Indices = indices;
  }
  /// <summary>All elements of a dimension, Python's ":".</summary>
  public static TensorIndex All { get { return Slice.All; } }
  /// <summary>A new dimension of size 1, Python's None.</summary>
  public static TensorIndex NewAxis { get { return new TensorIndex(Kind.NewAxis, 0, default(Slice), null); } }
  /// <summary>As many dimensions as there are left, Python's "...".</summary>
  public static TensorIndex Ellipsis { get { return new TensorIndex(Kind.Ellipsis, 0, default(Slice), null); } }
  /// <summary>One element of a dimension.</summary>
  /// <param name="number">negative counts from the end</param>
  public static implicit operator TensorIndex(long number) { return new TensorIndex(Kind.Number, number, default(Slice), null); }
  /// <summary>Some elements of a dimension.</summary>
  /// <param name="part">start:stop:step</param>
  public static implicit operator TensorIndex(Slice part) { return new TensorIndex(Kind.Slice, 0, part, null); }
  /// <summary>The elements that a tensor of integers names, or where a tensor of bool is true.</summary>
  /// <param name="indices">integers, or a mask</param>
  public static implicit operator TensorIndex(Tensor indices) {
    if (indices == null) throw new ArgumentNullException("indices");
    return new TensorIndex(Kind.Tensor, 0, default(Slice), indices);
  }
#if NETSTANDARD2_1 || NETCOREAPP3_0_OR_GREATER
  /// <summary>C#'s own index, ^1.</summary>
  /// <param name="index">an index</param>
  public static implicit operator TensorIndex(Index index) { return index.IsFromEnd ? -index.Value : (long)index.Value; }
  /// <summary>C#'s own range, 1..^1.</summary>
  /// <param name="range">a range</param>
  public static implicit operator TensorIndex(Range range) { return (Slice)range; }
#endif
}

/// <summary>Named tensors in their order, as modules and weight files hold them.</summary>
public sealed class StateDict : IDictionary<string, Tensor>, IReadOnlyDictionary<string, Tensor>, IDisposable {
  private readonly List<string> names = new List<string>();
  private readonly Dictionary<string, Tensor> tensors = new Dictionary<string, Tensor>(StringComparer.Ordinal);

  /// <summary>A tensor by its name.</summary>
  /// <param name="name">"0.weight"</param>
  public Tensor this[string name] {
    get {
      Tensor t;
      if (!tensors.TryGetValue(name, out t)) throw new KeyNotFoundException("Haft: no tensor '" + name + "' among " + string.Join(", ", names));
      return t;
    }
    set {
      if (!tensors.ContainsKey(name)) names.Add(name);
      tensors[name] = value;
    }
  }
  /// <summary>How many.</summary>
  public int Count { get { return names.Count; } }
  /// <summary>The names in order.</summary>
  public ICollection<string> Keys { get { return names.AsReadOnly(); } }
  /// <summary>The tensors in order.</summary>
  public ICollection<Tensor> Values { get { return names.ConvertAll(n => tensors[n]); } }
  IEnumerable<string> IReadOnlyDictionary<string, Tensor>.Keys { get { return Keys; } }
  IEnumerable<Tensor> IReadOnlyDictionary<string, Tensor>.Values { get { return Values; } }
  /// <summary>false</summary>
  public bool IsReadOnly { get { return false; } }
  /// <summary>Adds one behind the others.</summary>
  /// <param name="name">a new name</param>
  /// <param name="tensor">its tensor</param>
  public void Add(string name, Tensor tensor) {
    tensors.Add(name, tensor);
    names.Add(name);
  }
  /// <inheritdoc/>
  public void Add(KeyValuePair<string, Tensor> entry) { Add(entry.Key, entry.Value); }
  /// <inheritdoc/>
  public bool ContainsKey(string name) { return tensors.ContainsKey(name); }
  /// <inheritdoc/>
  public bool Contains(KeyValuePair<string, Tensor> entry) {
    Tensor t;
    return tensors.TryGetValue(entry.Key, out t) && ReferenceEquals(t, entry.Value);
  }
  /// <inheritdoc/>
  public bool TryGetValue(string name, out Tensor tensor) { return tensors.TryGetValue(name, out tensor); }
  /// <inheritdoc/>
  public bool Remove(string name) {
    names.Remove(name);
    return tensors.Remove(name);
  }
  /// <inheritdoc/>
  public bool Remove(KeyValuePair<string, Tensor> entry) { return Contains(entry) && Remove(entry.Key); }
  /// <inheritdoc/>
  public void Clear() {
    names.Clear();
    tensors.Clear();
  }
  /// <inheritdoc/>
  public void CopyTo(KeyValuePair<string, Tensor>[] array, int index) {
    foreach (KeyValuePair<string, Tensor> entry in this) array[index++] = entry;
  }
  /// <inheritdoc/>
  public IEnumerator<KeyValuePair<string, Tensor>> GetEnumerator() {
    foreach (string name in names) yield return new KeyValuePair<string, Tensor>(name, tensors[name]);
  }
  System.Collections.IEnumerator System.Collections.IEnumerable.GetEnumerator() { return GetEnumerator(); }
  /// <summary>Disposes every tensor.</summary>
  public void Dispose() {
    foreach (Tensor t in tensors.Values)
      if (t != null) t.Dispose();
  }
}
}
