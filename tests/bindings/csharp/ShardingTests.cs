// Optimizers whose state is spread over ranks, against whole ones.
using System;
using System.IO;
using System.Linq;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class ShardingTests {
  private static Tensor Parameter(int n) { return Tensor.From(Enumerable.Range(0, n).Select(i => 0.1f * i).ToArray()).RequiresGrad_(); }
  private static Tensor[] Parameters() { return new[] { Parameter(10), Parameter(3), Parameter(1) }; }
  private static Tensor Loss(Tensor[] ps, double by) { return ps[0].Square().Sum().Add(ps[1].Sum()).Mul(by); }
  private static float[] Values(Tensor t) { return t.ToArray<float>(); }

  [Test]
  public void StepsAsTheWholeOptimizer() {
    foreach (int ranks in new[] { 2, 3 }) {
      Ranks.Run(ranks, group => {
        using (new DisposeScope()) {
          Tensor[] own = Parameters(), whole = Parameters();
          using (Optimizer a = new Adam(own), b = new Adam(whole)) {
            var zero = new ZeroRedundancyOptimizer(a, group);
            Assert.AreSame(a, zero.Optimizer);
            Assert.AreSame(group, zero.Group);
            using (Scheduler of = new ExponentialLR(a, 0.5), other = new ExponentialLR(b, 0.5)) {
              for (int s = 0; s < 3; ++s) {
                zero.ZeroGrad();
                b.ZeroGrad();
                Loss(own, s + 1).Backward();
                Loss(whole, s + 1).Backward();
                zero.Step();
                b.Step();
                of.Step();
                other.Step();
              }
            }
            for (int i = 0; i < own.Length; ++i) CollectionAssert.AreEqual(Values(whole[i]), Values(own[i]));
            ShardInfo info = zero.Info;
            Assert.AreEqual(1, info.Stage);
            Assert.AreEqual(ranks, info.Ranks);
            Assert.AreEqual(1, info.Buckets);
            Assert.AreEqual(14, info.Elements);
            Assert.LessOrEqual(info.OwnElements, (14 + ranks - 1) / ranks);
            Assert.LessOrEqual(info.StateBytes, 8 * info.OwnElements);
            StringAssert.Contains("not gathered since it changed", Check.Throws<HaftArgumentException>(() => a.State(0, "exp_avg")).Message);
            zero.Consolidate();
            CollectionAssert.AreEqual(Values(b.State(0, "exp_avg")), Values(a.State(0, "exp_avg")));
            CollectionAssert.AreEqual(Values(b.State(1, "step")), Values(a.State(1, "step")));
          }
        }
      });
    }
  }

  [Test]
  public void GradientsAreSpreadToo() {
    Ranks.Run(2, group => {
      using (new DisposeScope()) {
        Tensor[] own = Parameters(), whole = Parameters();
        using (Optimizer a = new SGD(own, 0.1), b = new SGD(whole, 0.1)) {
          var zero = new ZeroRedundancyOptimizer(a, group, shardGradients: true, initSync: false, bucketBytes: 16);
          for (int s = 0; s < 3; ++s) {
            zero.ZeroGrad();
            b.ZeroGrad();
            Loss(own, 2 * group.Rank).Backward();  // the mean of 0 and 2
            Loss(whole, 1).Backward();
            Assert.IsNull(own[0].Grad);
            Assert.LessOrEqual(zero.Info.GradientBytes, 4 * 8);
            Assert.AreEqual(Values(Clip.GradNorm_(whole, 1))[0], zero.ClipGradNorm(1), 1e-5);
            zero.Step();
            b.Step();
          }
          for (int i = 0; i < own.Length; ++i)
            for (int k = 0; k < Values(own[i]).Length; ++k) Assert.AreEqual(Values(whole[i])[k], Values(own[i])[k], 1e-6);
        }
      }
    });
  }

  [Test]
  public void CheckpointsGoOnAtAnotherNumberOfRanks() {
    string path = Path.Combine(Path.GetTempPath(), "haft-sharding-" + Guid.NewGuid() + ".ckpt");
    float[] saved = null;
    foreach (int ranks in new[] { 3, 2 }) {
      Ranks.Run(ranks, group => {
        using (new DisposeScope()) {
          Tensor[] ps = Parameters();
          using (Optimizer o = new Adam(ps)) {
            var zero = new ZeroRedundancyOptimizer(o, group);
            var file = new Checkpoint { Optimizer = o, DefaultGenerator = false };
            if (ranks == 3) {
              Loss(ps, 1).Backward();
              zero.Step();
              zero.Consolidate(1);
              if (group.Rank != 1) return;
              file.Save(path);
              saved = Values(o.State(0, "exp_avg_sq"));
            } else {
              file.Load(path).Dispose();
              Assert.AreEqual(1, Values(o.State(0, "step"))[0]);
              zero.Consolidate();
              CollectionAssert.AreEqual(saved, Values(o.State(0, "exp_avg_sq")));
            }
          }
        }
      });
    }
    File.Delete(path);
  }

  [Test]
  public void MisuseIsRefused() {
    Ranks.Run(2, group => {
      using (new DisposeScope())
      using (Optimizer o = new SGD(Parameters(), 0.1), other = new SGD(new[] { Parameter(2 + group.Rank) }, 0.1)) {
        Check.Throws<ArgumentNullException>(() => new ZeroRedundancyOptimizer(o, null));
        Check.Throws<ArgumentNullException>(() => new ZeroRedundancyOptimizer(null, group));
        Check.Throws<HaftArgumentException>(() => new ZeroRedundancyOptimizer(o, group, bucketBytes: 0));
        Check.Throws<MismatchException>(() => new ZeroRedundancyOptimizer(other, group));
        var zero = new ZeroRedundancyOptimizer(o, group);
        Check.Throws<HaftArgumentException>(() => new ZeroRedundancyOptimizer(o, group));
        Check.Throws<HaftArgumentException>(() => zero.Consolidate(2));
        Check.Throws<HaftArgumentException>(() => zero.ClipGradNorm(-1));
      }
    });
  }
}
}
