using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using Haft;
using NUnit.Framework;
using Module = Haft.Module;

namespace HaftTests {

// Every entry of core/schema/modules.def is a class with one constructor; tests/bindings/entries.py wrote their names.
[TestFixture]
public class RegistryTests : Scoped {
  private static string[][] Entries(string kind, int least) {
    string file = Environment.GetEnvironmentVariable("HAFT_ENTRIES");
    if (file == null) Assert.Ignore("HAFT_ENTRIES names no file");
    string[][] all = File.ReadAllLines(file).Select(l => l.Split(' ')).Where(e => e[0] == kind).ToArray();
    Assert.GreaterOrEqual(all.Length, least);
    return all;
  }

  // What a parameter without a default is given; `wide` gives dtypes and generators, too.
  private static object Value(ParameterInfo p, Tensor[] parameters, Optimizer optimizer, bool wide, Generator generator) {
    if (wide && p.ParameterType == typeof(DType)) return DType.Float64;
    if (wide && p.ParameterType == typeof(Generator)) return generator;
    if (p.IsOptional && p.ParameterType == typeof(Device)) return default(Device);
    if (p.IsOptional && p.ParameterType == typeof(Dims)) return default(Dims);
    if (p.IsOptional) return p.DefaultValue;
    if (p.ParameterType == typeof(long)) return 2L;
    if (p.ParameterType == typeof(double)) return 0.5;
    if (p.ParameterType == typeof(bool)) return true;
    if (p.ParameterType == typeof(Pair)) return (Pair)2;
    if (p.ParameterType == typeof(Dims)) return (Dims)2;
    if (p.ParameterType == typeof(Optimizer)) return optimizer;
    if (p.ParameterType == typeof(IEnumerable<Tensor>)) return parameters;
    throw new AssertionException("a parameter of " + p.ParameterType);
  }

  private static object Make(string name, Tensor[] parameters = null, Optimizer optimizer = null, bool wide = false, Generator generator = null) {
    Type type = typeof(Tensor).Assembly.GetType("Haft." + name);
    Assert.IsNotNull(type, name + " has no class");
    ConstructorInfo[] constructors = type.GetConstructors();
    Assert.AreEqual(1, constructors.Length, name);
    return constructors[0].Invoke(constructors[0].GetParameters().Select(p => Value(p, parameters, optimizer, wide, generator)).ToArray());
  }

  // The first of a few inputs that fits, one or two of them. Most sizes are 2.
  private static Tensor Run(Module m) {
    bool wide = m.Parameters().Any(p => p.DType == DType.Float64);
    Tensor floats = wide ? Tensor.Randn((2, 2, 2, 2)).Double() : Tensor.Randn((2, 2, 2, 2)), index = Tensor.Of(0L, 1L);
    ArgumentException refused = null;
    foreach (Tensor x in new[] { floats, floats[0], floats[0][0], floats.Unsqueeze(0), index, index.Unsqueeze(0), Tensor.Randn((1, 4, 2, 2)),
                                 Tensor.Randn((1, 4, 1)), Tensor.Randn((2, 4, 4, 4)), wide ? Tensor.Randn((2, 1, 512)).Double() : Tensor.Randn((2, 1, 512)) }) {
      foreach (Tensor[] inputs in new[] { new[] { x }, new[] { x, x }, new[] { x, x.Mul(0).Cast(DType.Int64) } }) {
        try {
          return m.Call(inputs)[0];
        } catch (ArgumentException e) {
          refused = e;
        }
      }
    }
    throw refused;
  }

  [Test]
  public void Layers() {
    foreach (string[] entry in Entries("layer", 20)) {
      if (entry[1] == "SpectralNorm" || entry[1] == "Orthogonal") continue;  // they want a weight first: ParametrizeTests
      foreach (bool wide in new[] { false, true }) {
        using (var g = new Generator(1))
        using (var m = (Module)Make(entry[1], wide: wide, generator: g)) {
          Assert.Greater(Run(m).NumElements, 0, entry[1]);
          Assert.AreEqual(entry[1], m.TypeName);
          if (entry[2] != "?") Assert.AreEqual(entry[2], string.Join(",", m.StateDict().Keys), entry[1]);
        }
      }
    }
  }

  [Test]
  public void Optimizers() {
    foreach (string[] entry in Entries("optimizer", 3)) {
      Tensor p = Tensor.Of(1.0, -2.0).Unsqueeze(0).RequiresGrad_();  // a matrix, which Muon wants
      using (var o = (Optimizer)Make(entry[1], new[] { p })) {
        o.Step(() => {
          o.ZeroGrad();
          Tensor loss = p.Mul(p).Sum();
          loss.Backward();
          if (o is SparseAdam) p.Grad = Tensor.FromRows(Tensor.Of(0L), p.Grad, 1);
          return loss;
        });
        Assert.Less(p.Detach().ToArray<double>()[0], 1, entry[1]);
      }
    }
  }

  [Test]
  public void Schedules() {
    foreach (string[] entry in Entries("schedule", 5)) {
      Tensor p = Tensor.Of(1.0, -2.0).RequiresGrad_();
      using (var o = new SGD(new[] { p }, 0.75))
      using (var s = (Scheduler)Make(entry[1], null, o)) {
        double first = o.LearningRate;
        bool looks = entry[1] == "ReduceLROnPlateau";
        bool moved = first != 0.75;
        for (int i = 0; i < 2; i++) {
          if (looks) s.Step(1.0);
          else s.Step();
          moved |= o.LearningRate != 0.75;
        }
        Assert.AreEqual(2, s.LastEpoch);
        if (looks) {
          Assert.Catch<ArgumentException>(() => s.Step());
          for (int i = 0; i < 12; i++) s.Step(1.0);
        }
        Assert.IsTrue(moved || o.LearningRate != 0.75, entry[1]);
      }
    }
  }

  [Test]
  public void SchedulesOfSchedules() {
    Tensor p = Tensor.Of(1.0, -2.0).RequiresGrad_();
    var rates = new List<double>();
    using (var o = new SGD(new[] { p }, 1.0))
    using (var a = new ConstantLR(o, 0.5, 2))
    using (var b = new ExponentialLR(o, 0.5))
    using (var s = new SequentialLR(o, new Scheduler[] { a, b }, 2)) {
      for (int i = 0; i < 4; ++i, s.Step()) rates.Add(o.LearningRate);
      Assert.AreEqual(new[] { 0.5, 0.5, 1, 0.5 }, rates);
      Assert.Catch<ArgumentException>(() => new SequentialLR(o, new Scheduler[] { a, b }, default(Dims)));
    }
    rates.Clear();
    using (var o = new SGD(new[] { p }, 1.0))
    using (var a = new ConstantLR(o, 0.5, 2))
    using (var b = new MultiplicativeLR(o, step => 0.5 * step))
    using (var s = new ChainedScheduler(a, b)) {
      for (int i = 0; i < 3; ++i, s.Step()) rates.Add(o.LearningRate);
      Assert.AreEqual(new[] { 0.5, 0.25, 0.5 }, rates);
      Assert.Catch<ArgumentException>(() => new ChainedScheduler(a, a));
    }
  }

  [Test]
  public void ClippingOfAnOptimizersGradients() {
    using (new DisposeScope()) {
      Tensor p = Tensor.Of(1.0, 1, 1).RequiresGrad_(), q = Tensor.Of(1.0).RequiresGrad_();
      using (var o = new SGD(new[] { p }, 1.0)) {
        o.AddParamGroup(new[] { q });
        Tensor twice = p.Sum() * 2 + q.Sum() * 2;
        twice.Backward();
        Assert.AreEqual(4, o.ClipGradNorm(1), 1e-6);  // of both groups: sqrt(4 * 2^2)
        Assert.AreEqual(0.5, p.Grad.Sum().Item() / 3, 1e-5);
        Assert.AreEqual(0.5, q.Grad.Item(), 1e-5);
        Assert.AreEqual(0.5, o.ClipGradNorm(0.25, double.PositiveInfinity), 1e-5);
        Assert.Catch<ArgumentException>(() => o.ClipGradNorm(-1));
      }
    }
  }

  [Test]
  public void WindowsAreOneNumberOrTwo() {
    using (var c = new Conv2d(2, 4, (1, 3), stride: 2, padding: (0, 1)))
    using (var p = new MaxPool2d(new Pair(1, 2), stride: (1, 2))) {
      Assert.AreEqual(new long[] { 4, 2, 1, 3 }, c.Parameter("weight").Shape);
      Assert.AreEqual(new long[] { 1, 4, 2, 3 }, c.Call(Tensor.Randn((1, 2, 4, 6))).Shape);
      Assert.AreEqual(new long[] { 1, 2, 4, 3 }, p.Call(Tensor.Randn((1, 2, 4, 6))).Shape);
    }
    Pair both = 3;
    Assert.AreEqual(new Pair(3, 3), both);
    Assert.AreEqual("(3, 4)", new Pair(3, 4).ToString());
  }
}
}
