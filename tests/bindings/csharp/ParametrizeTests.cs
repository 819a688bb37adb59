using System;
using System.Collections.Generic;
using System.Linq;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class ParametrizeTests : Scoped {
  [Test]
  public void ParametrizationsTrain() {
    foreach (Module norm in new Module[] {new WeightNorm(), new SpectralNorm(), new Orthogonal()}) {
      var layer = new Linear(3, 2);
      layer.RegisterParametrization("weight", norm);
      Assert.IsTrue(layer.IsParametrized("weight"));
      Assert.IsFalse(layer.IsParametrized("bias"));
      Check.Throws<HaftArgumentException>(() => layer.Parameter("weight"));
      string first = norm is WeightNorm ? "parametrizations.weight.original0" : "parametrizations.weight.original";
      layer.Call(Tensor.Randn(5, 3)).Sum().Backward();
      Assert.IsNotNull(layer.Parameter(first).Grad);
      layer.Eval();
      float[] value = layer.Value("weight").Detach().ToArray<float>();
      layer.RemoveParametrizations("weight");
      CollectionAssert.AreEqual(value, layer.Parameter("weight").Detach().ToArray<float>());
    }
    var own = new Linear(3, 2);
    own.RegisterParametrization("weight", new WeightNorm());
    own.SetParametrized("weight", Tensor.Ones(2, 3));
    Assert.AreEqual(Math.Sqrt(3), own.Parameter("parametrizations.weight.original0").Detach().ToArray<float>()[0], 1e-6);
    Check.Throws<HaftArgumentException>(() => own.RegisterParametrization("none", new WeightNorm()));
    Check.Throws<HaftArgumentException>(() => own.RemoveParametrizations("bias"));
  }

  [Test]
  public void PruningHoldsZeros() {
    var layer = new Linear(4, 4);
    Prune.L1Unstructured(layer, "weight", 0.25);
    Assert.AreEqual(12, layer.Buffer("weight_mask").Sum().Item());
    Prune.L1Unstructured(layer, "weight", 2);
    Prune.RandomUnstructured(layer, "weight", 1L);
    Assert.AreEqual(9, layer.Buffer("weight_mask").Sum().Item());
    Assert.IsTrue(layer.IsPruned());
    Prune.LnStructured(layer, "weight", 1, 2, 0);
    Prune.RandomStructured(layer, "weight", 1, 0);
    Prune.CustomFromMask(layer, "weight", Tensor.Zeros(4, 4));
    CollectionAssert.AreEqual(layer.Parameter("bias").Detach().ToArray<float>(), layer.Call(Tensor.Ones(1, 4)).Detach().ToArray<float>());
    Prune.Remove(layer, "weight");
    Assert.IsFalse(layer.IsPruned());
    CollectionAssert.AreEqual(new float[16], layer.Parameter("weight").Detach().ToArray<float>());
    Linear a = new Linear(4, 4), b = new Linear(2, 2);
    Prune.Identity(b, "bias");
    Prune.GlobalL1Unstructured(new Dictionary<Module, string> {{a, "weight"}, {b, "weight"}}, 0.5);
    Assert.AreEqual(10, a.Buffer("weight_mask").Sum().Item() + b.Buffer("weight_mask").Sum().Item());
    Check.Throws<HaftArgumentException>(() => Prune.L1Unstructured(a, "weight", 100));
    Check.Throws<ArgumentOutOfRangeException>(() => Prune.L1Unstructured(a, "weight", -1));
    Check.Throws<HaftArgumentException>(() => Prune.Remove(a, "bias"));
  }

  [Test]
  public void LossesOverADistance() {
    Tensor anchor = Tensor.Randn(5, 3), positive = Tensor.Randn(5, 3), negative = Tensor.Randn(5, 3);
    Module loss = Functions.TripletMarginWithDistanceLoss(new PairwiseDistance());
    Assert.AreEqual(new TripletMarginLoss().Call(anchor, positive, negative).Item(), loss.Call(anchor, positive, negative)[0].Item(), 1e-6);
  }
}
}
