using System;
using System.Threading;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class AmpTests {
  [Test]
  public void RegionsChooseTypes() {
    var x = Tensor.Ones(4, 4);
    using (new Autocast()) {
      Assert.IsTrue(Functions.IsAutocastEnabled(x.Device));
      Assert.AreEqual(DType.BFloat16, x.Mm(x).DType);
      using (new Autocast(enabled: false)) {
        Assert.AreEqual(DType.Float32, x.Mm(x).DType);
        using (new Autocast(dtype: DType.Float16)) Assert.AreEqual(DType.Float16, x.Mm(x).DType);
      }
      Assert.AreEqual(DType.Float32, x.Mm(x).MseLoss(x).DType);
      bool there = true;
      var t = new Thread(() => there = Functions.IsAutocastEnabled(x.Device));
      t.Start();
      t.Join();
      Assert.IsFalse(there);
    }
    Assert.AreEqual(DType.Float32, x.Mm(x).DType);
    Assert.AreEqual(DType.BFloat16, Functions.AutocastDtype(x.Device));
  }

  [Test]
  public void InfiniteStepsAreLeftOut() {
    var w = Tensor.Ones(3);
    w.RequiresGrad = true;
    using (var optimizer = new SGD(new[] { w }, lr: 0.5))
    using (var scaler = new GradScaler(8, 2, 0.5, 2))
    using (var other = new GradScaler()) {
      double[] factors = { 1, 1, double.PositiveInfinity }, scales = { 8, 16, 8 };
      for (int i = 0; i < 3; ++i) {
        optimizer.ZeroGrad();
        scaler.Scale((w * factors[i]).Sum()).Backward();
        Assert.AreEqual(i < 2, scaler.Step(optimizer));
        scaler.Update();
        Assert.AreEqual(scales[i], scaler.GetScale());
      }
      Assert.AreEqual(0, w.Detach().Sum().Item());
      Assert.Catch<ArgumentException>(scaler.Update);
      other.SetState(scaler.GetScale(), scaler.GrowthFactor(), scaler.BackoffFactor(), scaler.GrowthInterval(), scaler.GrowthTracker());
      Assert.AreEqual(8, other.GetScale());
    }
  }
}
}
