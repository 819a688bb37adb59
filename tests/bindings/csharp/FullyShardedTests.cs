// Parameters of which ranks keep their rows, against whole ones.
using System;
using System.Collections.Generic;
using System.Linq;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class FullyShardedTests {
  private static readonly object oneByOne = new object();  // the generator is every rank's: they are threads
  private static Sequential Net() {
    Functions.ManualSeed(5);
    return new Sequential(new Linear(4, 7), new Tanh(), new Linear(7, 3));
  }
  private static Tensor Batch(int step, int rank) {
    return Tensor.From(Enumerable.Range(0, 8).Select(i => (float)Math.Sin(1 + step * 16 + rank * 8 + i)).ToArray()).Reshape(2, 4);
  }
  private static void Train(Module m, Optimizer o, int ranks, int rank, bool alone) {
    for (int step = 0; step < 3; ++step) {
      o.ZeroGrad();
      if (alone)
        for (int r = 0; r < ranks; ++r) m.Call(Batch(step, r)).Square().Sum().Mul(1.0 / ranks).Backward();
      else
        m.Call(Batch(step, rank)).Square().Sum().Backward();
      o.Step();
    }
  }
  private static float[] Values(Tensor t) { return t.ToArray<float>(); }

  [Test]
  public void TrainsAsOneProcessDoes() {
    foreach (int ranks in new[] { 2, 3 }) {
      Ranks.Run(ranks, group => {
        using (new DisposeScope()) {
          Sequential own, whole;
          lock (oneByOne) {
            own = Net();
            whole = Net();
          }
          new FullySharded(own[0], group).Dispose();  // the module keeps what it needs
          var root = new FullySharded(own, group);
          Tensor weight = own[0].Parameter("weight");
          using (Optimizer a = new Adam(own.Parameters(), 0.01), b = new Adam(whole.Parameters(), 0.01)) {
            Train(own, a, ranks, group.Rank, false);
            Train(whole, b, ranks, 0, true);
          }
          ParameterShardInfo rows = FullySharded.ShardInfoOf(weight);
          Assert.AreEqual(7, rows.Rows);
          Assert.AreEqual(ranks, rows.Ranks);
          Assert.IsFalse(rows.IsShard);
          Tensor mine = FullySharded.ShardOf(weight);
          Assert.AreEqual(4 * rows.Count, mine.NumElements);
          Assert.AreEqual(4 * rows.Count, mine.Grad.NumElements);
          Assert.IsNull(FullySharded.ShardOf(Tensor.From(new[] { 1f })));
          StringAssert.Contains("weight", Check.Throws<HaftArgumentException>(() => Values(weight)).Message);
          FullyShardedInfo info = root.Info;
          Assert.AreEqual(24, info.Elements);
          Assert.IsFalse(info.Whole);
          Assert.GreaterOrEqual(info.Gathers, 3);
          Assert.AreEqual(3, info.Scatters);
          root.Unshard();
          Assert.IsTrue(root.Info.Whole);
          root.Reshard();
          root.SetReshardAfterForward(true);
          root.SetGradientSync(true);
          root.Dissolve();
          float[] wanted = Values(whole.Parameters()[2]), got = Values(own.Parameters()[2]);
          for (int i = 0; i < wanted.Length; ++i) Assert.AreEqual(wanted[i], got[i], 1e-5f);
        }
      });
    }
  }

  [Test]
  public void ListsOfParameters() {
    Ranks.Run(2, group => {
      using (new DisposeScope()) {
        Tensor w = Tensor.From(new[] { 1f, 2f, 3f }).RequiresGrad_();
        var unit = new FullySharded(new Dictionary<string, Tensor> { { "w", w } }, group,
                                    new FullyShardedOptions { ReshardAfterForward = true, Prefetch = 0, CastForwardInputs = false });
        for (int step = 0; step < 2; ++step) {
          Tensor[] y = unit.Forward(given => new[] { w.Mul(given[0]) }, Tensor.From(new[] { 1f, 1f, 2f * group.Rank }));
          Assert.IsFalse(unit.Info.Whole);
          y[0].Sum().Backward();
        }
        ParameterShardInfo rows = FullySharded.ShardInfoOf(w);
        CollectionAssert.AreEqual(Enumerable.Repeat(2f, (int)rows.Count), Values(FullySharded.ShardOf(w).Grad));
      }
    });
  }

  [Test]
  public void MisuseIsRefused() {
    Ranks.Run(2, group => {
      using (new DisposeScope()) {
        var m = new Linear(2 + group.Rank, 2);
        Check.Throws<ArgumentNullException>(() => new FullySharded(m, null));
        Check.Throws<MismatchException>(() => new FullySharded(m, group));
        Tensor one = Tensor.Scalar(1f).RequiresGrad_();
        Check.Throws<ShapeException>(() => new FullySharded(new Dictionary<string, Tensor> { { "one", one } }, group));
      }
    });
  }
}
}
