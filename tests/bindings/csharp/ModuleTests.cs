using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Haft;
using NUnit.Framework;
using BindingFlags = System.Reflection.BindingFlags;

namespace HaftTests {

internal sealed class Net : Module {
  private readonly Linear fc1 = new Linear(4, 8), fc2 = new Linear(8, 3);
  internal readonly Tensor Scale;
  internal int Calls;
  internal Net() {
    RegisterComponents();
    Scale = RegisterParameter("scale", Tensor.Ones(3));
    RegisterBuffer("steps", Tensor.Zeros(Dims.Empty, DType.Int64));
  }
  public override Tensor Forward(Tensor x) {
    ++Calls;
    return fc2.Call(fc1.Call(x).Relu()) * Parameter("scale");
  }
}
internal class Stem : Module {
  private readonly Linear first = new Linear(4, 4), shared = new Linear(4, 4);
  protected readonly Linear middle = new Linear(4, 4);
  internal Stem(bool registers) {
    if (registers) RegisterComponents();
  }
  protected Tensor Begin(Tensor x) { return middle.Call(shared.Call(first.Call(x))); }
}
internal sealed class Tree : Stem {
  private readonly Linear last = new Linear(4, 2);
  private readonly Module none = null;
  private Module _underscore;
  internal Tree(bool baseRegisters) : base(baseRegisters) {
    _underscore = last;  // the same module under two names
    RegisterComponents();
    RegisterComponents();
  }
  public override Tensor Forward(Tensor x) { return none == null ? _underscore.Call(Begin(x)) : null; }
}
internal sealed class Twice : Stem {
  private readonly Linear first = new Linear(1, 1);
  internal Twice() : base(false) { RegisterComponents(); }
  public override Tensor Forward(Tensor x) { return first.Call(x); }
}
internal sealed class Doubling : Module {
  public override Tensor[] ForwardMany(Tensor[] inputs) { return inputs.Select(t => t * 2).ToArray(); }
}
internal sealed class Masked : Module {
  public override Tensor[] ForwardMany(Tensor[] inputs) { return new Tensor[] { inputs[1] == null ? inputs[0] + 1 : inputs[0] * inputs[1] }; }
}
internal sealed class Thrower : Module {
  private readonly Exception e;
  internal Thrower(Exception e) { this.e = e; }
  public override Tensor Forward(Tensor x) { throw e; }
}

[TestFixture]
public class ModuleTests : Scoped {
  [Test]
  public void AbsentInputsAreNull() {
    using (var m = new Masked()) {
      Check.Equal(m.Call(Tensor.Of(2f), null)[0], 1, 3);
      using (m.RegisterForwardPreHook(inputs => { Assert.IsNull(inputs[1]); return null; }))  // through the engine
        Check.Equal(m.Call(Tensor.Of(2f), null)[0], 1, 3);
    }
  }
  [Test]
  public void LayersHaveTheirShapesAndNames() {
    using (var net = new Sequential(new Conv2d(1, 4, 3, padding: 1), new BatchNorm2d(4), new ReLU(), new MaxPool2d(2), new Dropout(0.5), new Flatten(), new Linear(4 * 4 * 4, 5))) {
      Tensor x = Tensor.Randn(2, 1, 8, 8);
      Assert.AreEqual(new long[] { 2, 5 }, net.Call(x).Shape);
      CollectionAssert.AreEqual(new[] { "0.weight", "0.bias", "1.weight", "1.bias", "6.weight", "6.bias" }, net.NamedParameters().Keys);
      CollectionAssert.Contains(net.StateDict().Keys, "1.running_mean");
      Assert.AreEqual(4 * 9 + 4 + 4 + 4 + 64 * 5 + 5, net.ParameterCount);
      Assert.IsTrue(net.IsTraining);
      net.Eval();
      Assert.IsFalse(net[4].IsTraining);
      Check.Close(net.Call(x).Double().ToArray<double>(), net.Call(x), 0);
      Assert.AreEqual(7, net.Count);
      Assert.IsInstanceOf<Linear>(net[-1]);
      StringAssert.Contains("Conv2d", net.ToString());
      StringAssert.Contains("parameters", net.Summary());
    }
  }

  [Test]
  public void RecurrentLayersTakePackedSequences() {
    using (var gru = new GRU(3, 4, bidirectional: true)) {
      Tensor[] y = gru.Call(Tensor.Randn(6, 3), Tensor.Zeros(2, 3, 4), Tensor.Of(3L, 2L, 1L));
      CollectionAssert.AreEqual(new long[] { 6, 8 }, y[0].Shape);
      CollectionAssert.AreEqual(new long[] { 2, 3, 4 }, y[1].Shape);
      CollectionAssert.AreEqual(new long[] { 12, 4 }, gru.Parameter("weight_hh_l0_reverse").Shape);
    }
  }

  [Test]
  public void TransformersTakeMasksAndCachesKeepWhatWas() {
    using (var layer = new TransformerDecoderLayer(6, 2, dimFeedforward: 8, batchFirst: true)) {
      Tensor tgt = Tensor.Randn(2, 3, 6), later = Tensor.Ones(3, 3).Triu(1);
      CollectionAssert.AreEqual(new long[] { 2, 3, 6 }, layer.Call(tgt, Tensor.Randn(2, 5, 6), later)[0].Shape);
      CollectionAssert.AreEqual(new long[] { 18, 6 }, layer.Parameter("multihead_attn.in_proj_weight").Shape);
    }
    using (var cache = new KVCache(1, 2, 4, 6)) {
      Tensor step = Tensor.Randn(1, 2, 1, 6);
      cache.Call(step, step);
      CollectionAssert.AreEqual(new long[] { 1, 2, 2, 6 }, cache.Call(step, step)[0].Shape);
    }
  }

  [Test]
  public void EveryLayerRuns() {
    var image = Tensor.Randn(2, 4, 6, 6);
    var rows = Tensor.Randn(3, 4);
    var layers = new (Module, Tensor)[] {
      (new Conv2d(4, 6, (3, 2), stride: (2, 1), padding: (1, 0), dilation: 1, groups: 2, bias: false), image),
      (new AvgPool2d(2, 1), image), (new AdaptiveAvgPool2d((2, 3)), image), (new BatchNorm1d(4), rows), (new LayerNorm(4), rows),
      (new Embedding(10, 3, 0), Tensor.Of(1L, 0L, 9L)), (new LeakyReLU(0.2), rows), (new GELU(true), rows), (new SiLU(), rows), (new Sigmoid(), rows),
      (new Tanh(), rows), (new ELU(0.5), rows), (new Softplus(), rows), (new Hardswish(), rows), (new Mish(), rows), (new Softmax(1), rows),
      (new LogSoftmax(1), rows), (new Identity(), rows), (new RNN(4, 5), Tensor.Randn(3, 2, 4)), (new LSTMCell(4, 5), rows),
      (new MultiheadAttention(4, 2, needWeights: false), Tensor.Randn(3, 2, 4)), (new TransformerEncoder(4, 2, 1, true, dropout: 0), Tensor.Randn(3, 2, 4)),
      (new RotaryEmbedding(4), rows),
    };
    foreach (var l in layers) {
      using (l.Item1) {
        Tensor y = l.Item1.Call(l.Item2);
        Assert.IsTrue((bool)y.Isfinite().All(), l.Item1.TypeName);
        Check.Close(y.Detach().Double().ToArray<double>(), l.Item1.Eval().Train().Forward(l.Item2), l.Item1 is BatchNorm1d ? 1e-4 : 0);
      }
    }
  }

  [Test]
  public void AModuleOfOnesOwn() {
    using (var net = new Net()) {
      Tensor x = Tensor.Randn(5, 4);
      Tensor y = net.Call(x);
      Assert.AreEqual(new long[] { 5, 3 }, y.Shape);
      CollectionAssert.AreEquivalent(new[] { "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "scale" }, net.NamedParameters().Keys);
      Assert.AreEqual(6, net.StateDict().Count);
      y.Sum().Backward();
      Assert.AreEqual(new long[] { 8, 4 }, net.Parameter("fc1.weight").Grad.Shape);
      net.ZeroGrad();
      Assert.IsNull(net.Parameter("fc1.weight").Grad);
      net.Eval();
      Assert.IsFalse(net.Child("fc1").IsTraining);
      Assert.AreEqual("Net", net.TypeName);
      // As a part of another, and through the engine.
      using (var outer = new Sequential(net, new Softmax(1))) {
        Check.Close(Enumerable.Repeat(1.0, 5).ToArray(), outer.Call(x).Sum(1));
        Assert.AreEqual(2, net.Calls);
        Assert.AreSame(net, outer.Child("0"));
        Assert.AreSame(net.Child("fc2"), outer.Child("0.fc2"));
        var names = new List<string>();
        outer.Apply((m, name) => names.Add(name + ":" + m.GetType().Name));
        CollectionAssert.AreEqual(new[] { "0.fc1:Linear", "0.fc2:Linear", "0:Net", "1:Softmax", ":Sequential" }, names);
        var stop = new InvalidOperationException("enough");
        Assert.AreSame(stop, Check.Throws<InvalidOperationException>(() => outer.Apply((m, name) => { throw stop; })));
      }
    }
  }

  [Test]
  public void FieldsOfBaseClassesAreRegistered() {
    foreach (bool baseRegisters in new[] { false, true }) {
      using (var tree = new Tree(baseRegisters)) {
        CollectionAssert.AreEquivalent(new[] { "first", "shared", "middle", "last", "underscore" }, tree.NamedChildren.Select(c => c.Key));
        Assert.AreEqual(5, tree.ChildCount);
        tree.Call(Tensor.Randn(3, 4)).Sum().Backward();
        foreach (string name in new[] { "first", "shared", "middle", "last" }) Assert.IsNotNull(tree.Parameter(name + ".weight").Grad, name);
      }
    }
    StringAssert.Contains("'first'", Check.Throws<InvalidOperationException>(() => new Twice()).Message);
    using (var tree = new Tree(false))
      CollectionAssert.AreEqual(new[] { "first", "shared", "middle", "last", "underscore" }, tree.NamedChildren.Select(c => c.Key));
  }

  [Test]
  public void AChildOfTheSameNameTakesItsPlace() {
    using (var first = new Linear(1, 1))
    using (var net = new ModuleDict { { "a", first }, { "b", new Linear(1, 1) } }) {
      net.Add("a", new Linear(2, 2));
      Assert.AreEqual(2, net.ChildCount);
      CollectionAssert.AreEqual(new[] { "a", "b" }, net.NamedChildren.Select(c => c.Key));
      Assert.AreEqual(new long[] { 2, 2 }, net["a"].Parameter("weight").Shape);
      Assert.AreEqual(new long[] { 2, 2 }, net.Parameter("a.weight").Shape);
    }
  }

  [Test]
  public void AFailedListOfOutputsLeavesNoShare() {
    Suite.Collect();
    long before = Runtime.LiveHandles;
    using (new DisposeScope()) {
      Tensor good = Tensor.Ones(3), gone = Tensor.Ones(3);
      gone.Dispose();
      using (var net = new Gives(good, null, good, gone))
        for (int i = 0; i < 10; ++i) Check.Throws<ObjectDisposedException>(() => net.Call(Tensor.Ones(1), Tensor.Ones(1)));
    }
    Suite.Collect();
    Assert.AreEqual(before, Runtime.LiveHandles);
  }
  private sealed class Gives : Module {
    private readonly Tensor[] tensors;
    internal Gives(params Tensor[] tensors) { this.tensors = tensors; }
    public override Tensor[] ForwardMany(Tensor[] inputs) { return tensors; }
  }

  [Test]
  public void SeveralInputsAndExceptions() {
    using (var twice = new Doubling()) {
      Tensor[] y = twice.Call(Tensor.Of(1.0), Tensor.Of(2.0), Tensor.Of(3.0));
      Assert.AreEqual(6, y[2].Item());
    }
    var mine = new FormatException("own");
    using (var bad = new Sequential(new Thrower(mine))) Assert.AreSame(mine, Check.Throws<FormatException>(() => bad.Call(Tensor.Of(1.0))));
    using (var one = new Net()) Check.Throws<ArgumentException>(() => one.Call(Tensor.Of(1.0), Tensor.Of(2.0)));
    using (var nothing = new Empty()) Check.Throws<NotImplementedException>(() => nothing.Call(Tensor.Of(1.0)));
  }
  private sealed class Empty : Module {}

  [Test]
  public void HooksSeeAndReplace() {
    using (var layer = new Linear(2, 2)) {
      Tensor x = Tensor.Randn(1, 2), captured = null;
      Tensor plain = layer.Call(x);
      using (layer.RegisterForwardPreHook(inputs => new[] { inputs[0] * 0 }))
      using (layer.RegisterForwardHook((inputs, outputs) => {
        captured = DisposeScope.Current.Keep(outputs[0]);
        return null;
      })) Check.Close(layer.Parameter("bias").Detach().Double().ToArray<double>(), layer.Call(x).Flatten());
      Assert.AreEqual(new long[] { 1, 2 }, captured.Shape);
      captured.Dispose();
      using (layer.RegisterForwardHook((inputs, outputs) => {
        Check.Close(x.Double().ToArray<double>(), inputs[0], 0);
        return null;
      })) layer.Call(x);
      using (layer.RegisterForwardHook((inputs, outputs) => outputs.Select(o => o + 1))) Check.Close((plain + 1).Detach().Double().ToArray<double>().ToArray(), layer.Call(x));
      Check.Close(plain.Detach().Double().ToArray<double>(), layer.Call(x), 0);
      var mine = new FormatException("hook");
      using (layer.RegisterForwardHook((i, o) => { throw mine; })) Assert.AreSame(mine, Check.Throws<FormatException>(() => layer.Call(x)));
    }
  }

  [Test]
  public void StateDictsTravel() {
    string path = Path.Combine(Check.Folder(), "gewichte-ä漢.safetensors");
    using (var a = new Net())
    using (var b = new Net()) {
      Tensor x = Tensor.Randn(2, 4);
      b.LoadStateDict(a.StateDict());
      Check.Close(a.Call(x).Detach().Double().ToArray<double>(), b.Call(x), 0);
      using (new NoGrad()) a.Scale.Mul_(3.0);
      a.Save(path);
      b.Load(path);
      Check.Close(a.Call(x).Detach().Double().ToArray<double>(), b.Call(x), 0);
      using (var file = new Weights(path)) {
        CollectionAssert.Contains(file.Names, "fc1.weight");
        Check.Equal(file["scale"], 3, 3, 3, 3);
        Check.Throws<ArgumentException>(() => file["no"].Dispose());
      }
      StateDict part = a.StateDict();
      part.Remove("scale");
      Check.Throws<ArgumentException>(() => b.LoadStateDict(part));
      b.LoadStateDict(part, false);
      Check.Throws<KeyNotFoundException>(() => part["scale"].Dispose());
    }
    Check.Throws<IOException>(() => new Weights("/nowhere/ü.safetensors"));
    string npz = Path.Combine(Check.Folder(), "x.npz");
    foreach (bool compressed in new[] { false, true }) {
      Npz.Save(new StateDict { { "größe", Tensor.Of(1.0f, 2) }, { "b", Tensor.Of(3L) } }, npz, compressed);
      StateDict back = Npz.Load(npz);
      Check.Equal(back["größe"], 2, 1, 2);
      Check.Equal(back["b"], 1, 3);
    }
  }

  [Test]
  public void ContainersAndLosses() {
    using (var list = new ModuleList(new Linear(1, 1)).Append(new ReLU()))
    using (var dict = new ModuleDict { { "a", new Linear(1, 2) }, { "b", list } }) {
      Assert.AreEqual(2, list.Count);
      CollectionAssert.AreEqual(new[] { "a.weight", "a.bias", "b.0.weight", "b.0.bias" }, dict.NamedParameters().Keys);
      Assert.AreSame(list, dict["b"]);
      dict.To(DType.Float64);
      Assert.AreEqual(DType.Float64, dict.Parameter("a.bias").DType);
    }
    using (var ce = new CrossEntropyLoss(labelSmoothing: 0.1))
    using (var mse = new MSELoss(Reduction.Sum)) {
      Tensor scores = Tensor.Randn(4, 3), target = Tensor.Of(0L, 1, 2, 0);
      Check.Close(scores.CrossEntropy(target, null, Reduction.Mean, -100, 0.1).Double().ToArray<double>(), ce.Call(scores, target), 1e-6);
      Check.Close(new[] { 5.0 }, mse.Call(Tensor.Of(1.0, 2), Tensor.Of(0.0, 0)), 1e-12);
    }
  }

  [Test]
  public void EveryLoss() {
    Tensor x = Tensor.Randn(6, 4).RequiresGrad_(), y = Tensor.Rand(6, 4), classes = Tensor.Of(0L, 3, 1, 1, 2, 0);
    Tensor logs = x.LogSoftmax(1), odds = x.Sigmoid(), weight = Tensor.Rand(4), each = Tensor.Rand(6, 4), shares = y.Softmax(1);
    var cases = new (Loss, Tensor, Tensor, Tensor)[] {
      (new CrossEntropyLoss(), x, classes, x.CrossEntropy(classes)),
      (new CrossEntropyLoss(weight, 1, Reduction.Sum, 0.1), x, classes, x.CrossEntropy(classes, weight, Reduction.Sum, 1, 0.1)),
      (new CrossEntropyLoss(reduction: Reduction.None), x, shares, x.CrossEntropy(shares, null, Reduction.None)),
      (new NLLLoss(), logs, classes, logs.NllLoss(classes)), (new NLLLoss(weight, 0, Reduction.Sum), logs, classes, logs.NllLoss(classes, weight, Reduction.Sum, 0)),
      (new MSELoss(), x, y, x.MseLoss(y)), (new MSELoss(Reduction.None), x, y, x.MseLoss(y, Reduction.None)), (new L1Loss(Reduction.Sum), x, y, x.L1Loss(y, Reduction.Sum)),
      (new SmoothL1Loss(beta: 0.3), x, y, x.SmoothL1Loss(y, Reduction.Mean, 0.3)), (new HuberLoss(Reduction.Sum, 0.7), x, y, x.HuberLoss(y, Reduction.Sum, 0.7)),
      (new BCELoss(each), odds, y, odds.BinaryCrossEntropy(y, each)), (new BCEWithLogitsLoss(), x, y, x.BinaryCrossEntropyWithLogits(y)),
      (new BCEWithLogitsLoss(each, Reduction.Sum, weight), x, y, x.BinaryCrossEntropyWithLogits(y, each, weight, Reduction.Sum)),
      (new KLDivLoss(Reduction.Sum, true), logs, shares.Log(), logs.KlDiv(shares.Log(), Reduction.Sum, true)),
      (new PoissonNLLLoss(), x, y, x.PoissonNllLoss(y)), (new SoftMarginLoss(Reduction.Sum), x, y, x.SoftMarginLoss(y, Reduction.Sum)),
      (new MultiMarginLoss(), x, classes, x.MultiMarginLoss(classes)), (new MultiLabelSoftMarginLoss(weight), x, y, x.MultilabelSoftMarginLoss(y, weight)),
    };
    foreach (var c in cases) {
      using (Loss loss = c.Item1) {
        Tensor got = loss.Call(c.Item2, c.Item3), want = c.Item4;
        Assert.AreEqual(want.Shape, got.Shape, loss.TypeName);
        Check.Close(want.Detach().Double().ToArray<double>(), got, 0);
        Check.Close(Gradient(want, x).Double().ToArray<double>(), Gradient(got, x), 0);
        Assert.AreEqual(loss.GetType().Name, loss.TypeName);
      }
    }
    using (var triplet = new TripletMarginLoss(0.9, swap: true)) {
      Check.Close(x.TripletMarginLoss(y, each, 0.9, 2, 1e-6, true).Detach().Double().ToArray<double>(), triplet.Call(x, y, each), 0);
      Check.Throws<ArgumentException>(() => triplet.Call(x, y));
    }
    using (var weighted = new BCEWithLogitsLoss(posWeight: weight)) {
      CollectionAssert.AreEqual(new[] { "pos_weight" }, weighted.StateDict().Keys);  // as PyTorch's
      weighted.To(DType.Float64);
      Assert.AreEqual(DType.Float64, weighted.Call(x.Double(), y.Double()).DType);
      Check.Throws<ArgumentException>(() => weighted.Call(x, x, x));
    }
  }

  private static Tensor Gradient(Tensor y, Tensor x) { return Autograd.Grad(new[] { y.Sum() }, new[] { x }, retainGraph: true)[0]; }

  // An operator that reduces as losses do has a class. RegistryTests sees to layers, optimizers and schedules.
  [Test]
  public void EveryLossOfTheEngineHasItsClass() {
    const BindingFlags any = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance;
    var haft = typeof(Tensor).Assembly;
    string[] reducing = typeof(Tensor).GetMethods(any).Where(m => m.GetParameters().Any(p => p.ParameterType == typeof(Reduction)) && !m.Name.StartsWith("Weighted")).Select(m => m.Name).Distinct()
                            .Where(name => name != "LinearCrossEntropy").ToArray();  // whose weights are a layer's
    Assert.GreaterOrEqual(reducing.Length, 9);
    Assert.AreEqual(reducing.Length, haft.GetExportedTypes().Count(t => t.IsSubclassOf(typeof(Loss))), string.Join(" ", reducing));
  }

  [Test]
  public void LookupsGiveGradientsOfRows() {
    using (var table = new Embedding(4, 2, sparse: true)) {
      Tensor weight = table.Parameter("weight");
      table.Forward(Tensor.From(new long[] { 2, 0, 2 })).Sum().Backward();
      Tensor g = weight.Grad;
      Assert.IsTrue(g.IsSparse());
      CollectionAssert.AreEqual(new float[] { 1, 1, 0, 0, 2, 2, 0, 0 }, g.ToDense().ToArray<float>());
      CollectionAssert.AreEqual(new long[] { 0, 2 }, g.Coalesce().SparseIndices().ToArray<long>());
      Assert.Throws<HaftNotSupportedException>(() => g.Mul(2));
      float[] before = weight.Detach().ToArray<float>();
      using (var o = new SparseAdam(new[] { weight }, lr: 0.5)) o.Step();
      float[] after = weight.Detach().ToArray<float>();
      for (int i = 0; i < 8; ++i) Assert.AreEqual(i / 2 % 2 == 0 ? before[i] - 0.5 : before[i], after[i], 1e-5);
    }
  }

  [Test]
  public void WeightsAreAveraged() {
    using (var model = new Linear(1, 1))
    using (Module average = Functions.AveragedModel(new Linear(1, 1))) {
      foreach (double v in new[] { 2.0, 4.0 }) {
        Init.Constant_(model.Parameter("weight"), v);
        Functions.UpdateAverage(average, model);
      }
      Assert.AreEqual(3, average.Parameter("module.weight").Item());
      WeightAverages.Update(average, model, (to, from) => Init.Constant_(to[0], from[0].Item() * 10));
      Assert.AreEqual(40, average.Parameter("module.weight").Item());
      using (var norm = new BatchNorm1d(1)) {
        WeightAverages.UpdateBatchNorm(norm, new[] { 0f, 1f }.Select(v => Tensor.From(new[] { v, v + 2 }).Reshape(2, 1)));
        Assert.AreEqual(1.5, norm.Buffer("running_mean").Item());
      }
    }
  }

  [Test]
  public void InitialValues() {
    Tensor t = Tensor.Zeros(200, 100);
    using (var g = new Generator(3)) {
      Init.KaimingUniform_(t, 0, FanMode.FanIn, Nonlinearity.ReLU, g);
      double bound = Math.Sqrt(6.0 / 100);
      Assert.LessOrEqual(t.Abs().Max().Item(), bound);
      Assert.Greater(t.Abs().Max().Item(), bound * 0.98);
      Init.Orthogonal_(t.T(), 1, g);
      Init.Normal_(t, 5, 0.1, g);
      Assert.AreEqual(5, t.Mean().Item(), 0.01);
      Assert.AreEqual(2, Init.Constant_(t, 2).Min().Item());
      Init.XavierNormal_(t, 1, g);
      Assert.AreEqual(100 * 100, Init.Sparse_(t, 0.5, 0.1, g).Eq(0).Sum().Item());
      CollectionAssert.AreEqual(new float[] { 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0 }, Init.Dirac_(Tensor.Zeros(2, 2, 3)).ToArray<float>());
      Init.TruncNormal_(t, 0, 1, -0.5, 0.5, g);
      Assert.LessOrEqual(t.Abs().Max().Item(), 0.5);
    }
    using (var g = new Generator(11))
    using (var h = new Generator(11))
    using (var a = new Linear(3, 3, generator: g))
    using (var b = new Linear(3, 3, generator: h)) Check.Close(a.Parameter("weight").Detach().Double().ToArray<double>(), b.Parameter("weight"), 0);
  }
}
}
