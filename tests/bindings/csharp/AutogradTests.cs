using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using NUnit.Framework;

namespace HaftTests {

// x / sqrt(1 + x^2), its gradient written in operators so that gradients of the gradient exist.
internal sealed class Softclip : Function {
  protected override Tensor[] Forward(FunctionContext ctx, Tensor[] inputs) {
    ctx.Save(inputs[0]);
    return new[] { inputs[0] * (inputs[0].Square() + 1).Rsqrt() };
  }
  protected override Tensor[] Backward(FunctionContext ctx, Tensor[] grads) {
    return new[] { grads[0] * (ctx.Saved(0).Square() + 1).Rsqrt().Pow(3) };
  }
}
internal sealed class TwoOutputs : Function {
  internal readonly List<bool> Unused = new List<bool>();
  protected override long OutputCount { get { return 2; } }
  protected override Tensor[] Forward(FunctionContext ctx, Tensor[] x) { return new[] { x[0] * 2, x[0] + x[1] }; }
  protected override Tensor[] Backward(FunctionContext ctx, Tensor[] g) {
    Unused.Add(g[0] == null);
    Tensor first = g[1];
    if (g[0] != null) first = first == null ? g[0] * 2 : first + g[0] * 2;
    return new[] { first, ctx.NeedsGrad(1) ? g[1] : null };
  }
}
internal sealed class Failing : Function {
  private readonly Exception forward, backward;
  internal Failing(Exception forward, Exception backward) { this.forward = forward; this.backward = backward; }
  protected override Tensor[] Forward(FunctionContext ctx, Tensor[] x) { if (forward != null) throw forward; return new[] { x[0] * 1 }; }
  protected override Tensor[] Backward(FunctionContext ctx, Tensor[] g) { if (backward != null) throw backward; return null; }
}

[TestFixture]
public class AutogradTests : Scoped {
  private static Tensor Leaf(params double[] values) { return Tensor.From(values).RequiresGrad_(); }

  [Test]
  public void WhatIsSavedGoesThroughHooks() {
    Tensor x = Leaf(1, 2, 3), y;
    int packed = 0;
    using (new SavedTensorHooks(t => { ++packed; return t.ToArray<double>(); }, p => Tensor.From((double[])p) * 10)) y = x.Square().Sum();
    x.Square();  // is kept as it is
    Assert.AreEqual(1, packed);
    y.Backward();
    Check.Equal(x.Grad, 3, 20, 40, 60);
    var mine = new InvalidOperationException("mine");
    using (new SavedTensorHooks(t => 1, p => { throw mine; })) y = x.Square().Sum();
    Assert.AreSame(mine, Check.Throws<InvalidOperationException>(() => y.Backward()));
    using (new SavedTensorHooks(t => { throw mine; }, p => null)) Assert.AreSame(mine, Check.Throws<InvalidOperationException>(() => x.Square()));
    Check.Throws<ArgumentNullException>(() => new SavedTensorHooks(null, p => null));
  }

  [Test]
  public void FunctionsOfFunctions() {
    Tensor x = Tensor.Of(1.0, 2), y = Tensor.Of(3.0, 5), v = Tensor.Of(1.0, 10);
    Func<Tensor[], Tensor[]> both = t => new[] { t[0] * t[1], t[0].Sum() }, cubes = t => new[] { (t[0] * t[0] * t[0]).Sum() };
    Tensor[,] j = Autograd.Jacobian(both, new[] { x, y });
    CollectionAssert.AreEqual(new[] { 3.0, 0, 0, 5 }, j[0, 0].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 1.0, 0, 0, 2 }, j[0, 1].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 1.0, 1 }, j[1, 0].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 0.0, 0 }, j[1, 1].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 6.0, 0, 0, 12 }, Autograd.Hessian(cubes, new[] { x })[0, 0].ToArray<double>());
    Products p = Autograd.Vjp(t => new[] { t[0] * t[1] }, new[] { x, y }, new[] { v });
    CollectionAssert.AreEqual(new[] { 3.0, 10 }, p.Outputs[0].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 3.0, 50 }, p.Values[0].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 1.0, 20 }, p.Values[1].ToArray<double>());
    p = Autograd.Jvp(both, new[] { x, y }, new[] { v, v });
    CollectionAssert.AreEqual(new[] { 4.0, 70 }, p.Values[0].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 11.0 }, p.Values[1].ToArray<double>());
    p = Autograd.Hvp(cubes, new[] { x }, new[] { y });
    Assert.AreEqual(9, p.Outputs[0].Item());
    CollectionAssert.AreEqual(new[] { 18.0, 60 }, p.Values[0].ToArray<double>());
    Tensor leaf = Leaf(2);
    Autograd.Jacobian(t => new[] { t[0] * t[0] * t[0] }, new[] { leaf }, true)[0, 0].Sum().Backward();
    CollectionAssert.AreEqual(new[] { 12.0 }, leaf.Grad.ToArray<double>());
    Check.Throws<ArgumentException>(() => Autograd.Hessian(both, new[] { x, y }));
    Check.Throws<ArgumentNullException>(() => Autograd.Jacobian(null, new[] { x }));
    var mine = new InvalidOperationException("mine");
    Assert.AreSame(mine, Check.Throws<InvalidOperationException>(() => Autograd.Jacobian(t => { throw mine; }, new[] { x })));
  }

  [Test]
  public void ManyExamplesAtOnce() {
    Tensor x = Tensor.Of(1.0, 2, 3, 4, 5, 6).Reshape(3, 2), y = Tensor.Of(10.0, 100);
    int calls = 0;
    Func<Tensor[], Tensor[]> gradient = t => {
      calls++;
      return Autograd.Vjp(u => new[] { (u[0] * u[0] * t[1]).Sum() }, new[] { t[0] }).Values;
    };
    Tensor found = Autograd.Vmap(gradient, new[] { x, y }, new[] { 0, Autograd.Whole }, new[] { 1L })[0];
    CollectionAssert.AreEqual(new[] { 20.0, 60, 100, 400, 800, 1200 }, found.ToArray<double>());
    Assert.AreEqual(1, calls);
    Func<Tensor[], Tensor[]> square = t => new[] { t[0] * t[0] };
    CollectionAssert.AreEqual(new[] { 20.0, 0, 0, 200 }, Autograd.Jacobian(square, new[] { y }, false, 1)[0, 0].ToArray<double>());
    CollectionAssert.AreEqual(new[] { 1.0, 4, 9, 16, 25, 36 }, Autograd.Vmap(square, new[] { x }, chunkSize: 2)[0].ToArray<double>());
    Check.Throws<ArgumentException>(() => Autograd.Vmap(t => new[] { t[0] + Tensor.Rand(2) }, new[] { x }));
  }

  // A function as one kernel, on a device that fuses and on the CPU, with its gradient.
  [Test]
  public void FunctionsAreFused() {
    Func<Tensor[], Tensor[]> gate = t => new[] { t[0].Silu().Mul(t[1]) };
    foreach (string name in Environment.GetEnvironmentVariable("HAFT_BACKEND_PATH") == null ? new[] { "cpu" } : new[] { "cpu", "sim:0" }) {
      Device d = name;
      using (Fused f = Autograd.Fuse(gate, "gate")) {
        var found = new float[2][];
        for (int fused = 0; fused < 2; ++fused) {
          Tensor x = Tensor.Of(1f, -2f, 3f).To(d).RequiresGrad_(), y = Tensor.Of(4f, 5f, -6f).To(d).RequiresGrad_();
          Tensor result = (fused == 1 ? f.Call(new[] { x, y }) : gate(new[] { x, y }))[0];
          result.Mul(result).Sum().Backward();
          found[fused] = x.Grad.Add(y.Grad).To(Device.Cpu).ToArray<float>();
        }
        for (int i = 0; i < 3; ++i) Assert.AreEqual(found[0][i], found[1][i], 1e-4);
        Assert.AreEqual(name == "cpu" ? 0 : 2, f.Kernels());
        Assert.AreEqual(name == "cpu", f.Reason().Contains("fuses no kernels"));
        using (Fused bad = Autograd.Fuse(t => new[] { t[0].Softmax(0) }, "bad"))
          StringAssert.Contains("softmax does not compute element by element", Check.Throws<HaftNotSupportedException>(() => bad.Call(new[] { Tensor.Of(1f, 2f).To(d) })).Message);
      }
    }
  }
  [Test]
  public void CheckpointsRunTwice() {
    Tensor x = Leaf(1, 2);
    int calls = 0;
    Func<Tensor[], Tensor[]> f = t => {
      ++calls;
      return new[] { t[0].Square() };
    };
    Tensor y = Autograd.Checkpoint(t => Autograd.Checkpoint(f, t), new[] { x })[0];
    Assert.AreEqual(1, calls);
    y.Sum().Backward();
    Assert.GreaterOrEqual(calls, 2);
    CollectionAssert.AreEqual(new[] { 2.0, 4 }, x.Grad.ToArray<double>());
    var mine = new InvalidOperationException("mine");
    int run = 0;
    Tensor failing = Autograd.Checkpoint(t => {
      if (run++ > 0) throw mine;
      return new[] { t[0].Exp() };
    }, new[] { x })[0].Sum();
    Assert.AreSame(mine, Check.Throws<InvalidOperationException>(() => failing.Backward()));
  }

  [Test]
  public void OptimizersTakeClosures() {
    Tensor p = Leaf(3, -4), target = Tensor.Of(1.0, 2);
    using (var o = new LBFGS(new[] { p }, strongWolfe: true)) {
      Tensor loss = o.Step(() => {
        o.ZeroGrad();
        Tensor l = (p - target).Square().Sum();
        l.Backward();
        return l;
      });
      Assert.AreEqual(40, loss.Item());
      Check.Close(new[] { 1.0, 2 }, p.Detach(), 1e-7);
      Check.Throws<ArgumentException>(() => o.Step());
      var mine = new InvalidOperationException("mine");
      Assert.AreSame(mine, Check.Throws<InvalidOperationException>(() => o.Step(() => { throw mine; })));
    }
  }

  [Test]
  public void CallbacksRunAtTheEndOfBackward() {
    Tensor x = Leaf(1, 1), y = x * 3;
    int calls = 0;
    y.RegisterHook(g => {
      Autograd.AddBackwardCallback(() => {
        ++calls;
        Check.Equal(x.Grad, 2, 3, 3);
      });
      return null;
    });
    y.Sum().Backward();
    Assert.AreEqual(1, calls);
    Check.Throws<HaftArgumentException>(() => Autograd.AddBackwardCallback(() => {}));
  }

  [Test]
  public void BackwardFillsTheLeaves() {
    Tensor x = Leaf(1, 2, 3);
    Assert.IsTrue(x.RequiresGrad && x.IsLeaf);
    Assert.IsNull(x.Grad);
    x.Square().Sum().Backward();
    Check.Equal(x.Grad, 3, 2, 4, 6);
    x.Mul(3).Backward(Tensor.Of(1.0, 10, 100));
    Check.Equal(x.Grad, 3, 5, 34, 306);
    x.Grad = null;
    Assert.IsNull(x.Grad);
    x.Grad = Tensor.Of(1.0, 1, 1);
    Check.Equal(x.Grad, 3, 1, 1, 1);
    x.ZeroGrad();
    Assert.IsNull(x.Grad);
  }

  [Test]
  public void HigherDerivativesAndOptions() {
    Tensor x = Leaf(2), z = Leaf(1);
    Tensor first = Autograd.Grad(x.Pow(3).Sum(), x, createGraph: true);
    Check.Equal(first, 1, 12);
    Check.Equal(Autograd.Grad(first.Sum(), x), 1, 12);
    Tensor[] some = Autograd.Grad(new[] { x.Sum() }, new[] { x, z }, allowUnused: true);
    Assert.IsNull(some[1]);
    Check.Throws<HaftException>(() => Autograd.Grad(new[] { x.Sum() }, new[] { x, z }));
    Tensor y = (x * x).Sum();
    y.Backward(null, retainGraph: true);
    y.Backward();
    Check.Throws<AutogradException>(() => y.Backward());
    Autograd.Backward(new[] { x.Sum(), (z * 5).Sum() });
    Check.Equal(z.Grad, 1, 5);
    Tensor a = Leaf(2), b = Leaf(3), h = a * b;
    Autograd.BackwardInputs(new[] { (h * h).Sum() }, new[] { a, h }, retainGraph: true);
    Check.Equal(a.Grad, 1, 36);
    Check.Equal(h.Grad, 1, 12);
    Assert.IsNull(b.Grad);
    Check.Throws<HaftArgumentException>(() => Autograd.BackwardInputs(new[] { h.Sum() }, new Tensor[0]));
  }

  [Test]
  public void ModesBelongToTheirBlockAndThread() {
    Tensor x = Leaf(2);
    using (new NoGrad()) {
      Assert.IsFalse(Autograd.IsGradEnabled);
      Assert.IsFalse((x * 2).RequiresGrad);
      Assert.IsTrue(Task.Factory.StartNew(() => Autograd.IsGradEnabled, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Result);
      using (new EnableGrad()) Assert.IsTrue((x * 2).RequiresGrad);
    }
    Assert.IsTrue((x * 2).RequiresGrad);
    using (new InferenceMode()) Assert.IsFalse((x * 2).RequiresGrad);
    var mode = new NoGrad();
    Exception other = null;
    var thread = new Thread(() => {
      try { mode.Dispose(); } catch (Exception e) { other = e; }
    });
    thread.Start();
    thread.Join();
    Assert.IsInstanceOf<InvalidOperationException>(other);
    mode.Dispose();
    mode.Dispose();
    Assert.IsTrue(Autograd.IsGradEnabled);
    using (new AnomalyMode()) {
      Tensor bad = Leaf(0);
      var e = Check.Throws<HaftException>(() => bad.Sqrt().Mul(0).Sum().Backward());
      StringAssert.Contains("sqrt", e.Message);
    }
  }

  [Test]
  public void AFunctionOfOnesOwnPassesTheGradientCheck() {
    Tensor x = Tensor.From(Check.Doubles(7)).RequiresGrad_();
    var softclip = new Softclip();
    Check.Close(x.ToArray<double>().Select(v => v / Math.Sqrt(1 + v * v)).ToArray(), softclip.Apply(x), 1e-12);
    Autograd.GradCheck(t => softclip.Apply(t), x, 2);
    StringAssert.Contains("Softclip", softclip.Apply(x).ToString());
    var two = new TwoOutputs();
    Tensor a = Leaf(1, 2), b = Tensor.Of(3.0, 4);
    Tensor[] both = two.ApplyMany(a, b);
    both[1].Sum().Backward();
    Check.Equal(a.Grad, 2, 1, 1);
    CollectionAssert.AreEqual(new[] { true }, two.Unused);
    Check.Throws<InvalidOperationException>(() => two.Apply(a, b));
    Check.Throws<HaftException>(() => Autograd.GradCheck(t => new Wrong().Apply(t), x));
  }
  private sealed class Wrong : Function {
    protected override Tensor[] Forward(FunctionContext ctx, Tensor[] x) { return new[] { x[0] * 2 }; }
    protected override Tensor[] Backward(FunctionContext ctx, Tensor[] g) { return new[] { g[0] * 3 }; }
  }

  private sealed class Twice : Function {
    private readonly bool answered;
    internal Twice(bool answered) { this.answered = answered; }
    protected override Tensor[] Forward(FunctionContext ctx, Tensor[] inputs) {
      ctx.Save(inputs[1]);
      Tensor x = inputs[0].Mul_(inputs[1]);
      return new[] { answered ? x : x + 1 };
    }
    protected override Tensor[] Backward(FunctionContext ctx, Tensor[] g) { return new[] { g[0] * ctx.Saved(0), g[0] * 7 }; }
  }
  [Test]
  public void AnInputWrittenInPlaceTakesTheHistory() {
    Tensor x = Leaf(0.5, -2, 3, 0.25), w = Leaf(2, -1), y = x * 3;
    Check.Equal(new Twice(true).Apply(y[new Slice(1, 3)], w).Detach(), 2, -12, -9);
    y.Square().Sum().Backward();
    Check.Equal(x.Grad, 4, 9, -144, 54, 4.5);
    Check.Equal(w.Grad, 2, -168, -126);
    foreach (TestDelegate wrong in new TestDelegate[] { () => new Twice(false).Apply((x * 1)[new Slice(0, 2)], w), () => new Twice(true).Apply(x[new Slice(0, 2)], w) })
      StringAssert.Contains("wrote input 0 in place", Check.Throws<AutogradException>(wrong).Message);
  }

  [Test]
  public void AnExceptionInACallbackArrivesAsItself() {
    Tensor x = Leaf(1);
    var mine = new KeyNotFoundException("naïve – 漢字");
    Assert.AreSame(mine, Check.Throws<KeyNotFoundException>(() => new Failing(mine, null).Apply(x)));
    StringAssert.Contains("Failing.Forward", mine.StackTrace);
    Assert.AreSame(mine, Check.Throws<KeyNotFoundException>(() => new Failing(null, mine).Apply(x).Sum().Backward()));
    x.RegisterHook(g => { throw mine; });
    Assert.AreSame(mine, Check.Throws<KeyNotFoundException>(() => x.Mul(2).Sum().Backward()));
    Assert.AreSame(mine, Check.Throws<KeyNotFoundException>(() => Autograd.GradCheck(t => { throw mine; }, x)));
    // A haft exception of a callback is thrown again, too.
    var shape = Check.Throws<ShapeException>(() => Autograd.GradCheck(t => Tensor.Zeros(2) + Tensor.Zeros(3), x));
    StringAssert.Contains("[2] and [3]", shape.Message);
    // null where a tensor is wanted
    Check.Throws<HaftException>(() => new Failing(null, null).Apply(x).Sum().Backward());
  }

  [Test]
  public void ExceptionsOfManyThreadsKeepApart() {
    Parallel.For(0, 64, new ParallelOptions { MaxDegreeOfParallelism = 8 }, i => {
      using (new DisposeScope()) {
        Tensor x = Leaf(i);
        var mine = new InvalidOperationException("number " + i);
        for (int k = 0; k < 20; ++k) Assert.AreSame(mine, Check.Throws<InvalidOperationException>(() => new Failing(mine, null).Apply(x)));
      }
    });
  }

  [Test]
  public void HooksSeeAndReplaceGradients() {
    Tensor x = Leaf(1, 2), seen = null;
    IDisposable first = x.RegisterHook(g => g * 10);
    IDisposable second = x.RegisterAccumulateHook(g => seen = DisposeScope.Current.Keep(g));
    x.Sum().Backward();
    Check.Equal(x.Grad, 2, 10, 10);
    Check.Equal(seen, 2, 10, 10);
    seen.Dispose();  // it belongs to no scope
    first.Dispose();
    first.Dispose();
    second.Dispose();
    x.Sum().Backward();
    Check.Equal(x.Grad, 2, 11, 11);
    Tensor inner = x * 3;
    using (inner.RegisterHook(g => null)) inner.Square().Sum().Backward();
    Check.Equal(x.Grad, 2, 11 + 18, 11 + 36);
    Check.Throws<ArgumentNullException>(() => x.RegisterHook(null));
  }
}
}
