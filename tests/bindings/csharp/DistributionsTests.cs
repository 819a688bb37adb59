using System;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class DistributionsTests : Scoped {
  [Test]
  public void AnswerAndDraw() {
    using (var n = new Normal(1, 2))
    using (var m = new Normal(Tensor.Zeros(3), 1))
    using (var coin = new Bernoulli(logits: Tensor.Zeros(2)))
    using (var classes = new Categorical(Tensor.Of(1f, 3f)))
    using (var counts = new Binomial(10, 0.5))
    using (var t = new StudentT(5)) {
      Assert.AreEqual("Normal", n.Name());
      CollectionAssert.AreEqual(new long[] { 3 }, m.BatchShape());
      Assert.AreEqual(-0.5 - Math.Log(2) - Math.Log(2 * Math.PI) / 2, n.LogProb(Tensor.Full(Dims.Empty, 3.0)).Item(), 1e-6);
      Assert.AreEqual(4, n.Variance().Item());
      Assert.AreEqual(0.5 * (4 + 1 - 1 - Math.Log(4)), Functions.KlDivergence(n, new Normal(0, 1)).Item(), 1e-6);
      CollectionAssert.AreEqual(new long[] { 4, 3 }, m.Rsample(4).Shape);
      CollectionAssert.AreEqual(m.Sample(4, new Generator(3)).ToArray<float>(), m.Sample(4, new Generator(3)).ToArray<float>());
      CollectionAssert.AreEqual(new[] { 0.5f, 0.5f }, coin.Parameter("probs").ToArray<float>());
      CollectionAssert.AreEqual(new[] { 0.25f, 0.75f }, classes.Parameter("probs").ToArray<float>());
      Assert.AreEqual(5, counts.Mean().Item());
      Assert.AreEqual(0, t.Parameter("loc").Item());
      using (Distribution both = Functions.Independent(m, 1)) {
        CollectionAssert.AreEqual(new long[] { 3 }, both.EventShape());
        Assert.AreEqual(-1.5 * Math.Log(2 * Math.PI), both.LogProb(Tensor.Zeros(3)).Item(), 1e-5);
      }
      Tensor loc = Tensor.Zeros(3);
      loc.RequiresGrad = true;
      using (var moved = new Normal(loc, 1)) {
        moved.Rsample(5).Sum().Backward();
        CollectionAssert.AreEqual(new[] { 5f, 5f, 5f }, loc.Grad.ToArray<float>());
      }
    }
  }

  [Test]
  public void KnowTailsCorrelationsAndTheirTransforms() {
    using (var slope = new ContinuousBernoulli(logits: 2))
    using (var tail = new GeneralizedPareto(1, 2, 0.5))
    using (var factors = new LKJCholesky(3, 1.5))
    using (var parts = new LogisticNormal(Tensor.Zeros(2), 1))
    using (var exp = new VariableTransform("Exp", new Tensor[0]))
    using (var tanh = new VariableTransform("Tanh", new Tensor[0]))
    using (VariableTransform both = Functions.CatTransforms(exp, tanh, 1, 2, -1))
    using (var corr = new VariableTransform("CorrCholesky", new Tensor[0]))
    using (VariableTransform below = Functions.CumulativeTransform(tail)) {
      Assert.AreEqual(1 / (1 - Math.Exp(-2)) - 0.5, slope.Mean().Item(), 1e-6);
      Assert.AreEqual(0.75, tail.Cdf(Tensor.Full(Dims.Empty, 5.0)).Item(), 1e-6);
      CollectionAssert.AreEqual(new long[] { 4, 3, 3 }, factors.Sample(4).Shape);
      CollectionAssert.AreEqual(new long[] { 3 }, parts.EventShape());
      float[] y = both.Forward(Tensor.Of(1f, 2f, 3f)).ToArray<float>();
      Assert.AreEqual(Math.E, y[0], 1e-6);
      Assert.AreEqual(Math.Tanh(3), y[2], 1e-6);
      CollectionAssert.AreEqual(new long[] { 3, 3 }, corr.Forward(Tensor.Zeros(3)).Shape);
      Assert.AreEqual(0.75, below.Forward(Tensor.Full(Dims.Empty, 5.0)).Item(), 1e-6);
    }
  }

  [Test]
  public void RefuseWhatDoesNotFit() {
    var e = Check.Throws<HaftArgumentException>(() => new Normal(0, -2));
    StringAssert.Contains("scale", e.Message);
    StringAssert.Contains("GreaterThan", e.Message);
    StringAssert.Contains("-2", e.Message);
    new Normal(0, -2, false).Dispose();
    Check.Throws<HaftArgumentException>(() => new Bernoulli());
    using (var beta = new Beta(1, 1)) Assert.Catch<NotSupportedException>(() => beta.Cdf(Tensor.Ones(1)));
  }
}
}
