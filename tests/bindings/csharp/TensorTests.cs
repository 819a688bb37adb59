using System;
using System.Linq;
using System.Numerics;
using System.Runtime.InteropServices;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class TensorTests : Scoped {
  // What the compiler makes of t[^1] and t[1..^1].
  [Test]
  public void IndicesAndRangesOfTheLanguage() {
    Tensor t = Tensor.From(Enumerable.Range(0, 12).Select(i => (float)i).ToArray()).Reshape(4, 3);
    Check.Equal(t[new Index(1, true)], 3, 9, 10, 11);
    Check.Equal(t[new Range(1, new Index(1, true)), new Index(0)], 2, 3, 6);
    Check.Equal(t[Range.StartAt(new Index(1, true))], new Dims(1, 3), 9, 10, 11);
    Check.Equal(t[Range.EndAt(1)], new Dims(1, 3), 0, 1, 2);
    Assert.AreEqual(new long[] { 4, 3 }, t[Range.All].Shape);
    Assert.AreEqual(new long[] { 0, 3 }, t[Range.StartAt(new Index(0, true))].Shape);
  }

  [Test]
  public void ArraysOfEveryTypeGoInAndOut() {
    RoundTrip(new[] { true, false, true });
    RoundTrip(new byte[] { 0, 7, 255 });
    RoundTrip(new sbyte[] { -128, 0, 127 });
    RoundTrip(new short[] { short.MinValue, 3, short.MaxValue });
    RoundTrip(new[] { int.MinValue, 3, int.MaxValue });
    RoundTrip(new[] { long.MinValue, 3, long.MaxValue });
    RoundTrip(new[] { float.NaN, float.NegativeInfinity, -0f, 1.5f });
    RoundTrip(new[] { double.NaN, double.MaxValue, double.Epsilon });
    RoundTrip(new[] { new Complex(1, -2), Complex.ImaginaryOne });
    RoundTrip(new float[0]);
  }
  [Test]
  public void ComplexNumbersAreTransformed() {
    Tensor t = Tensor.Of(new Complex(1, 0), new Complex(0, 1), new Complex(-1, 0), new Complex(0, -1));
    Assert.IsTrue(t.DType.IsComplex() && !t.DType.IsFloatingPoint());
    CollectionAssert.AreEqual(new[] { Complex.Zero, new Complex(4, 0), Complex.Zero, Complex.Zero }, t.FftFft().ToArray<Complex>());
    CollectionAssert.AreEqual(new double[] { 1, 0, 0, 1, -1, 0, 0, -1 }, t.ViewAsReal().Flatten().ToArray<double>());
  }
  [Test]
  public void ComplexNumbersStandBesideTensors() {
    Tensor t = Tensor.Of(1f, -2f), y = t * Complex.ImaginaryOne + new Complex(1, 0);
    Assert.AreEqual(DType.Complex64, y.DType);
    CollectionAssert.AreEqual(new[] { new Complex(1, 1), new Complex(1, -2) }, y.To(DType.Complex128).ToArray<Complex>());
    CollectionAssert.AreEqual(new[] { new Complex(1, 1), new Complex(1, -2) }, (new Complex(1, 0) + t.Mul(Complex.ImaginaryOne)).To(DType.Complex128).ToArray<Complex>());
  }
  private static void RoundTrip<T>(T[] values) where T : struct {
    Tensor t = Tensor.From(values);
    Assert.AreEqual(DTypes.Of<T>(), t.DType);
    Assert.AreEqual(new long[] { values.Length }, t.Shape);
    CollectionAssert.AreEqual(values, t.ToArray<T>());
  }

  [Test]
  public void RectangularArraysKeepTheirShape() {
    Tensor t = Tensor.From(new double[,] { { 1, 2, 3 }, { 4, 5, 6 } });
    Assert.AreEqual(new long[] { 2, 3 }, t.Shape);
    Check.Equal(t.T(), (3, 2), 1, 4, 2, 5, 3, 6);
    Assert.AreEqual(new long[] { 2, 1, 2 }, Tensor.From(new int[,,] { { { 1, 2 } }, { { 3, 4 } } }).Shape);
    Assert.AreEqual(new long[0], Tensor.Scalar(3L).Shape);
    Assert.AreEqual(3L, Tensor.Scalar(3L).Item<long>());
  }

  [Test]
  public void WrongSizesAndTypesAreNamed() {
    StringAssert.Contains("6 elements", Check.Throws<ArgumentException>(() => Tensor.From(new float[5], (2, 3))).Message);
    StringAssert.Contains("float32", Check.Throws<ArgumentException>(() => Tensor.Of(1f).ToArray<double>()).Message);
    Check.Throws<ArgumentException>(() => Tensor.Of(1f, 2f).CopyTo(new Span<float>(new float[1])));
    Check.Throws<NotSupportedException>(() => Tensor.Of('a'));
    Check.Throws<ArgumentNullException>(() => Tensor.From((float[])null));
  }

  [Test]
  public void SharedArraysAreOneMemory() {
    float[] values = Check.Floats(6);
    Tensor t = Tensor.Share(values, (2, 3));
    values[4] = 42;
    Assert.AreEqual(42, t[1, 1].Item());
    t.Mul_(2.0);
    Assert.AreEqual(84, values[4]);
    t.Access((Span<float> x) => x[0] = -1);
    t.Touch();
    Assert.AreEqual(-1, values[0]);
    Check.Throws<InvalidOperationException>(() => t.T().Access((Span<float> x) => {}));
    Check.Throws<ArgumentException>(() => t.Access((Span<double> x) => {}));
  }

  [Test]
  public void NullsAreNamed() {
    Tensor x = Tensor.Ones(2);
    ArgumentNullException e = Check.Throws<ArgumentNullException>(() => x.Add(null));
    Assert.AreEqual("other", e.ParamName);
    Assert.AreEqual(ErrorCode.InvalidArgument, HaftException.Of(e).Code);
    Assert.AreEqual("mat2", Check.Throws<ArgumentNullException>(() => x.Mm(null)).ParamName);
  }

  // Nothing reads what another tensor has by then.
  [Test]
  public void MemoryStaysWhileItIsSeen() {
    Tensor t = Tensor.Full((1000, 1000), 7f);
    bool same = true;
    t.Access((Span<float> x) => {
      t.Dispose();
      Tensor other = Tensor.Full((1000, 1000), 8f);
      foreach (float v in x) same &= v == 7;
      other.Dispose();
    });
    Assert.IsTrue(same);
    Check.Throws<ObjectDisposedException>(() => t.Access((Span<float> x) => {}));
  }

  [Test]
  public void AnArrayIsUnpinnedWithItsLastTensor() {
    WeakReference weak = SharedAndGone();
    for (int i = 0; i < 20 && weak.IsAlive; ++i) Suite.Collect();
    Assert.IsFalse(weak.IsAlive);
  }
  [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
  private static WeakReference SharedAndGone() {
    WeakReference weak = null;
    var other = new System.Threading.Thread(() => {
      var values = new float[1000];
      weak = new WeakReference(values);
      Tensor view;
      using (Tensor t = Tensor.Share(values)) view = t.Slice(0, 3, 5);
      using (view) Assert.AreEqual(0, view.Sum().Item());
    });
    other.Start();
    other.Join();
    return weak;
  }

  [Test]
  public void SpansGoInAndOut() {
    float[] room = new float[10];
    Tensor t = Tensor.From(new ReadOnlySpan<float>(new[] { 9f, 1, 2, 3 }, 1, 3));
    t.CopyTo(new Span<float>(room, 4, 3));
    CollectionAssert.AreEqual(new float[] { 0, 0, 0, 0, 1, 2, 3, 0, 0, 0 }, room);
    t.CopyFrom(new[] { 5f, 6, 7 });
    Check.Equal(t, 3, 5, 6, 7);
    Tensor strided = Tensor.From(new float[,] { { 1, 2 }, { 3, 4 } }).T();
    CollectionAssert.AreEqual(new float[] { 1, 3, 2, 4 }, strided.ToArray<float>());
  }

  [Test]
  public void OperatorsTakeTensorsAndNumbers() {
    Tensor a = Tensor.Of(1.0, -2.0, 3.5), b = Tensor.Of(2.0, 4.0, -0.5);
    Check.Equal(a + b, 3, 3, 2, 3);
    Check.Equal(a - b, 3, -1, -6, 4);
    Check.Equal(a * b, 3, 2, -8, -1.75);
    Check.Equal(a / b, 3, 0.5, -0.5, -7);
    Check.Equal(a % 2, 3, 1, 0, 1.5);
    Check.Equal(-a, 3, -1, 2, -3.5);
    Check.Equal(10 - a, 3, 9, 12, 6.5);
    Check.Equal(7.0 / a, 3, 7, -3.5, 2);
    Check.Equal(1 + a * 2, 3, 3, -3, 8);
    Check.Equal(a > 0, 3, 1, 0, 1);
    Check.Equal(0.0 >= a, 3, 0, 1, 0);
    Check.Equal(a < b, 3, 1, 1, 0);
    Check.Equal(a.Eq(1), 3, 1, 0, 0);
    Check.Equal((a > 0) & (b > 0), 3, 1, 0, 0);
    Check.Equal(~(a > 0), 3, 0, 1, 0);
    Tensor before = a;
    Assert.AreSame(before, a.Add_(1));
    Check.Equal(before, 3, 2, -1, 4.5);
  }

  [Test]
  public void NumbersTakePartInPromotionByTheirKind() {
    Tensor ints = Tensor.Of(1, 2);
    Assert.AreEqual(DType.Int32, (ints * 2).DType);
    Assert.AreEqual(DType.Float32, (ints * 2.0).DType);
    Assert.AreEqual(DType.Float16, (Tensor.Ones(2).To(DType.Float16) * 2.0).DType);
    Assert.AreEqual(DType.Int64, Tensor.Full((2, 2), 7).DType);
    Assert.AreEqual(DType.Float32, Tensor.Full((2, 2), 7.0).DType);
  }

  [Test]
  public void IndicesAreViews() {
    Tensor t = Tensor.Arange(24).Reshape(2, 3, 4);
    Check.Equal(t[1, 2, 3], Dims.Empty, 23);
    Check.Equal(t[-1, 0], 4, 12, 13, 14, 15);
    Check.Equal(t[TensorIndex.All, 1, new Slice(null, null, 2)], (2, 2), 4, 6, 16, 18);
    Check.Equal(t[TensorIndex.Ellipsis, 0], (2, 3), 0, 4, 8, 12, 16, 20);
    Assert.AreEqual(new long[] { 1, 2, 1, 3, 4 }, t[TensorIndex.NewAxis, TensorIndex.All, TensorIndex.NewAxis].Shape);
    Check.Equal(t[0, Slice.From(-1), Slice.To(2)], (1, 2), 8, 9);
    t[0, 0] = Tensor.Scalar(-5L);
    Check.Equal(t[0, 0], 4, -5, -5, -5, -5);
    t[TensorIndex.Ellipsis, Slice.From(2)] = Tensor.Of(70L, 71L);
    Check.Equal(t[1, 1], 4, 16, 17, 70, 71);
    Check.Throws<ArgumentOutOfRangeException>(() => t[2].Dispose());
    Check.Throws<ArgumentOutOfRangeException>(() => t[0, 0, 0, 0].Dispose());
    Check.Throws<ArgumentException>(() => t[TensorIndex.Ellipsis, TensorIndex.Ellipsis].Dispose());
    Check.Throws<ArgumentOutOfRangeException>(() => new Slice(0, 1, 0).ToString());
  }

  [Test]
  public void TensorsOfIndicesAndMasksSelect() {
    Tensor t = Tensor.Arange(12).Reshape(3, 4);
    Check.Equal(t[Tensor.Of(2L, 0L)], (2, 4), 8, 9, 10, 11, 0, 1, 2, 3);
    Check.Equal(t[TensorIndex.All, Tensor.Of(1L, 1L)], (3, 2), 1, 1, 5, 5, 9, 9);
    Check.Equal(t[t > 8], 3, 9, 10, 11);
    Check.Equal(t[Tensor.Of(0L, 2L), Tensor.Of(1L, 3L)], 2, 1, 11);
    Check.Equal(t[1, Tensor.Of(3L, 0L)], 2, 7, 4);
    t[t.Remainder(2).Eq(1)] = Tensor.Scalar(0L);
    Check.Equal(t.Sum(), Dims.Empty, 0 + 2 + 4 + 6 + 8 + 10);
    t[Tensor.Of(0L, 1L), 0] = Tensor.Of(100L, 200L);
    Check.Equal(t[TensorIndex.All, 0], 3, 100, 200, 8);
  }

  [Test]
  public void CopyKeepsEveryBitAndHandlesOverlap() {
    float[] values = { float.NaN, -0f, 0f, float.PositiveInfinity, 1e-45f };
    Tensor t = Tensor.Full(5, float.NaN).To(DType.Float32);
    t.Copy_(Tensor.From(values));
    for (int i = 0; i < 5; ++i) Assert.AreEqual(BitConverter.ToInt32(BitConverter.GetBytes(values[i]), 0) & 0x7fffffff | (values[i].Equals(float.NaN) ? 0 : BitConverter.ToInt32(BitConverter.GetBytes(values[i]), 0) & int.MinValue),
      BitConverter.ToInt32(BitConverter.GetBytes(t.ToArray<float>()[i]), 0) & (values[i].Equals(float.NaN) ? 0x7fffffff : -1));
    Tensor line = Tensor.Arange(6);
    line[Slice.From(1)] = line[Slice.To(5)];
    Check.Equal(line, 6, 0, 0, 1, 2, 3, 4);
    Tensor yes = Tensor.Of(true, false);
    yes.Copy_(Tensor.Of(0.0, 3.0));
    CollectionAssert.AreEqual(new[] { false, true }, yes.ToArray<bool>());
  }

  [Test]
  public void ResultsWithNames() {
    Tensor t = Tensor.From(new float[,] { { 3, 1, 2 }, { 4, 6, 5 } });
    var max = t.Max(1);
    Check.Equal(max.Values, 2, 3, 6);
    Check.Equal(max.Indices, 2, 0, 1);
    var sorted = t.Sort(descending: true);
    Check.Equal(sorted.Values, (2, 3), 3, 2, 1, 6, 5, 4);
    Check.Equal(t.Topk(1).Indices, (2, 1), 0, 1);
    Check.Equal(t.Min(0, true).Values, (1, 3), 3, 1, 2);
    Check.Equal(t.Max(), Dims.Empty, 6);
    Assert.AreEqual(3, t.Unbind(1).Length);
    Check.Equal(Tensor.Cat(t.Split(2, 1), 1), (2, 3), 3, 1, 2, 4, 6, 5);
  }

  [Test]
  public void HalvesRoundToNearestEven() {
    Tensor every = Tensor.FromBits(Enumerable.Range(0, 65536).Select(i => (ushort)i).ToArray(), DType.Float16);
    float[] floats = every.Float().ToArray<float>();
    for (int i = 0; i < 65536; ++i) {
      float mine = HalfPrecision.FromFloat16((ushort)i);
      Assert.AreEqual(floats[i], mine, "bits " + i);
      if (!float.IsNaN(mine)) Assert.AreEqual(i, HalfPrecision.ToFloat16(mine), "bits " + i);
    }
    float[] random = Enumerable.Range(0, 20000).Select(i => (float)((Check.Random.NextDouble() - 0.5) * Math.Pow(2, Check.Random.Next(-30, 20)))).ToArray();
    ushort[] f16 = Tensor.From(random).To(DType.Float16).ToArray<ushort>(), bf16 = Tensor.From(random).To(DType.BFloat16).ToArray<ushort>();
    for (int i = 0; i < random.Length; ++i) {
      Assert.AreEqual(f16[i], HalfPrecision.ToFloat16(random[i]), "float16 of " + random[i]);
      Assert.AreEqual(bf16[i], HalfPrecision.ToBFloat16(random[i]), "bfloat16 of " + random[i]);
    }
    Assert.AreEqual(1.5f, HalfPrecision.FromBFloat16(HalfPrecision.ToBFloat16(1.5f)));
    Assert.IsTrue(float.IsNaN(HalfPrecision.FromFloat16(HalfPrecision.ToFloat16(float.NaN))));
    Assert.AreEqual(0x7c00, HalfPrecision.ToFloat16(70000f));
  }

  [Test]
  public void EightBits() {
    Tensor x = Tensor.From(new[] { 1f, -2f, 465f, 0.1f }).To(DType.Float8E4M3FN);
    Assert.AreEqual("float8_e4m3fn", x.DType.Name());
    Assert.IsTrue(x.DType.IsFloatingPoint());
    Assert.AreEqual(1, x.DType.Size());
    CollectionAssert.AreEqual(new byte[] { 56, 192, 126, 29 }, x.ToArray<byte>());
    CollectionAssert.AreEqual(new[] { 1f, -2f, 448f, 0.1015625f }, x.To(DType.Float32).ToArray<float>());
    CollectionAssert.AreEqual(new[] { 0.5f, 1f }, Tensor.FromBits(new byte[] { 56, 60 }, DType.Float8E5M2).To(DType.Float32).ToArray<float>());
    Assert.Throws<ArgumentException>(() => Tensor.FromBits(new byte[1], DType.UInt8));
    Check.Throws<DTypeException>(() => (x + x).Dispose());
    Tensor w = Tensor.From(new[,] { { 1f, 0f }, { 1f, 1f } }).To(DType.Float8E4M3FN), one = Tensor.Scalar(1f);
    CollectionAssert.AreEqual(new[] { 1f, 1f, 1f, 2f }, w.ScaledMm(w.Transpose(0, 1), one, one, null, DType.Float32).ToArray<float>());
  }

  [Test]
  public void ErrorsTellEverything() {
    var shape = Check.Throws<ShapeException>(() => (Tensor.Zeros(2, 3) + Tensor.Zeros(4, 5)).Dispose());
    Assert.AreEqual(ErrorCode.Shape, shape.Code);
    Assert.AreEqual("haft_add", shape.Function);
    StringAssert.Contains("[2, 3] and [4, 5]", shape.Message);
    StringAssert.Contains("sizes must be equal or 1", shape.Hint);
    Assert.IsInstanceOf<ArgumentException>(shape);
    Check.Throws<DTypeException>(() => Tensor.Ones((2, 2), DType.Int32).Mm(Tensor.Ones((2, 2), DType.Float64)).Dispose());
    Check.Throws<DeviceException>(() => Device.Parse("nothing:0"));
    var none = Check.Throws<ArgumentException>(() => Tensor.Of(1f).Add((Tensor)null).Dispose());
    foreach (string said in new[] { none.Message, Check.Throws<ShapeException>(() => Tensor.Ones(2).Mm(Tensor.Ones(2)).Dispose()).Message })
      Assert.IsFalse(said.Contains("haft_") || said.Contains("NULL"), said);
    var index = Check.Throws<ArgumentOutOfRangeException>(() => Tensor.Of(1f).Select(0, 5).Dispose());
    Assert.AreEqual(ErrorCode.Index, HaftException.Of(index).Code);
    Assert.IsNull(HaftException.Of(new Exception()));
    Runtime.SetMemoryLimit(Runtime.GetMemoryStats(Device.Cpu).Live + (1 << 20), Device.Cpu);
    try {
      var memory = Check.Throws<MemoryLimitException>(() => Tensor.Zeros(1 << 24).Dispose());
      Assert.AreEqual(ErrorCode.OutOfMemory, memory.Code);
    } finally {
      Runtime.SetMemoryLimit(0, Device.Cpu);
    }
  }

  [Test]
  public void ADisposedTensorSaysSo() {
    Tensor t = Tensor.Of(1f);
    t.Dispose();
    t.Dispose();
    Assert.IsTrue(t.IsDisposed);
    Check.Throws<ObjectDisposedException>(() => t.Abs().Dispose());
    Check.Throws<ObjectDisposedException>(() => Tensor.Stack(new[] { Tensor.Of(2f), t }).Dispose());
    Check.Throws<ObjectDisposedException>(() => { long n = t.NumElements; });
    Assert.AreEqual("disposed tensor", t.ToString());
    var e = Check.Throws<ObjectDisposedException>(() => (t + t).Dispose());
    Assert.AreEqual("Tensor", e.ObjectName);
    StringAssert.Contains("was given a tensor that was disposed; dispose a tensor behind its last use, and take what a DisposeScope", e.Message);
    Assert.AreEqual("Tensor", Check.Throws<ObjectDisposedException>(() => { Tensor first = t[0]; }).ObjectName);
    var net = new Linear(2, 2);
    var sgd = new SGD(net.Parameters(), 0.5);
    Assert.AreEqual("SGD(lr=0.5, groups=1, parameters=2)", sgd.ToString());
    net.Dispose();
    sgd.Dispose();
    Assert.AreEqual("SGD(disposed)", sgd.ToString());
    Assert.AreEqual("Module", Check.Throws<ObjectDisposedException>(() => net.Call(Tensor.Ones(1, 2))).ObjectName);
    Assert.AreEqual("Optimizer", Check.Throws<ObjectDisposedException>(() => sgd.Step()).ObjectName);
  }

  [Test]
  public void NumbersAndRowsAndShapes() {
    Tensor t = Tensor.Zeros(2, 3);
    t[1] = 5;
    t[0, 2] = 0.5;
    t[0, 0] = 2f;
    Check.Equal(t[0], 3, 2, 0, 0.5);
    t[t > 4] = -1;
    Check.Equal(t[1], 3, -1, -1, -1);
    Tensor mask = t > 0;
    mask[0, 1] = true;
    Assert.AreEqual(3, mask.Sum().Item<long>());
    int rows = 0;
    var kept = new System.Collections.Generic.List<Tensor>();
    foreach (Tensor row in t) {
      kept.Add(row);
      row[0] = rows++;
    }
    Assert.AreEqual(2, rows);
    Check.Equal(kept[1], 3, 1, -1, -1);
    Assert.AreEqual(1, t[1, 0].Item<int>());
    foreach (Tensor row in Tensor.Zeros(0, 3)) Assert.Fail("a tensor without rows has one: " + row);
    Check.Throws<InvalidOperationException>(() => { foreach (Tensor part in Tensor.Scalar(1.0)) Assert.Fail(part.ToString()); });
    Dims shape = t.Shape;
    Assert.AreEqual("[2, 3]", "" + shape);
    Assert.AreEqual("[]", Tensor.Scalar(1.0).Shape.ToString());
    long[] array = t.Shape;
    Assert.AreEqual(new long[] { 2, 3 }, array);
    Assert.AreEqual(2, shape.Length);
    Assert.AreEqual(3, t.Shape[1]);
    Assert.IsTrue(shape == kept[0].Expand(2, 3).Shape && shape != kept[0].Shape && shape.Equals((object)new Dims(2, 3)));
    Assert.AreEqual(shape.GetHashCode(), new Dims(2, 3).GetHashCode());
    Assert.AreEqual(t.Shape, Tensor.Rand(t.Shape).Shape);
    Check.Equal(Tensor.Ones(6).Reshape(t.Shape).Sum(), Dims.Empty, 6);
  }

  [Test]
  public void PropertiesAndText() {
    Tensor t = Tensor.Ones((2, 3), DType.Float64);
    Assert.AreEqual(2, t.NDim);
    Assert.AreEqual(6, t.NumElements);
    Assert.AreEqual(new long[] { 3, 1 }, t.Strides);
    Assert.AreEqual(3, t.Size(-1));
    Assert.AreEqual(Device.Cpu, t.Device);
    Assert.AreEqual("cpu:0", t.Device.ToString().StartsWith("cpu") ? "cpu:0" : t.Device.ToString());
    Assert.IsTrue(t.IsContiguous);
    Assert.IsFalse(t.T().IsContiguous);
    Assert.AreEqual(8, t.DType.Size());
    Assert.AreEqual("float64", t.DType.Name());
    StringAssert.StartsWith("tensor([[1., 1., 1.]", t.ToString());
    Assert.AreEqual(new long[] { 2, 3 }, new Dims(2, 3).ToArray());
    Assert.AreEqual("[2, 3]", new Dims(2, 3).ToString());
    Assert.AreEqual(1.5f, (float)Tensor.Of(1.5));
    Assert.AreEqual(7, (int)Tensor.Of(7L));
    Assert.IsTrue((bool)Tensor.Of(true));
    Assert.IsFalse((bool)Tensor.Of(0.0));
  }

  [Test]
  public void AGeneratorRepeatsItsNumbers() {
    using (var g = new Generator(7)) {
      Tensor first = Tensor.Rand((3, 4), DType.None, default(Device), g);
      var place = g.State;
      Tensor second = Tensor.Rand((3, 4), DType.None, default(Device), g);
      g.State = place;
      Check.Close(second.Double().ToArray<double>(), Tensor.Rand((3, 4), DType.None, default(Device), g), 0);
      g.Seed(7);
      Check.Close(first.Double().ToArray<double>(), Tensor.Rand((3, 4), DType.None, default(Device), g), 0);
    }
  }
}
}
