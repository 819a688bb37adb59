package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class DistributionsTest {
  @Test
  void answerAndDraw() {
    try (Scope scope = new Scope();
        Normal n = new Normal(1, 2);
        Normal m = new Normal(Tensor.zeros(3), Tensor.ones(3));
        Bernoulli coin = new Bernoulli(null, Tensor.zeros(2));
        Categorical classes = new Categorical(Tensor.of(new float[] {1, 3}));
        Binomial counts = new Binomial(10, 0.5);
        StudentT t = new StudentT(5)) {
      assertEquals("Normal", n.name());
      assertArrayEquals(new long[] {3}, m.batchShape());
      assertEquals(-0.5 - Math.log(2) - Math.log(2 * Math.PI) / 2, n.logProb(Tensor.full(new long[0], 3.0)).item(), 1e-6);
      assertEquals(4, n.variance().item());
      assertEquals(0.5, n.cdf(Tensor.full(new long[0], 1.0)).item(), 1e-6);
      assertEquals(0.5 * (4 + 1 - 1 - Math.log(4)), Haft.klDivergence(n, new Normal(0, 1)).item(), 1e-6);
      assertArrayEquals(new long[] {4, 3}, m.rsample(new long[] {4}).sizes());
      assertArrayEquals(m.sample(new long[] {4}, new Generator(3)).toFloatArray(), m.sample(new long[] {4}, new Generator(3)).toFloatArray());
      assertArrayEquals(new float[] {0.5f, 0.5f}, coin.parameter("probs").toFloatArray());
      assertArrayEquals(new float[] {0.25f, 0.75f}, classes.parameter("probs").toFloatArray());
      assertEquals(5, counts.mean().item());
      assertEquals(0, t.parameter("loc").item());
      try (Distribution both = Haft.independent(m, 1)) {
        assertArrayEquals(new long[] {3}, both.eventShape());
        assertEquals(-1.5 * Math.log(2 * Math.PI), both.logProb(Tensor.zeros(3)).item(), 1e-5);
      }
      Tensor loc = Tensor.zeros(3).setRequiresGrad(true);
      try (Normal moved = new Normal(loc, Tensor.ones(3))) {
        moved.rsample(new long[] {5}).sum().backward();
        assertArrayEquals(new float[] {5, 5, 5}, loc.grad().toFloatArray());
      }
    }
  }

  @Test
  void knowTailsCorrelationsAndTheirTransforms() {
    try (Scope scope = new Scope();
        ContinuousBernoulli slope = new ContinuousBernoulli(null, Tensor.full(new long[0], 2.0));
        GeneralizedPareto tail = new GeneralizedPareto(1, 2, 0.5);
        LKJCholesky factors = new LKJCholesky(3, 1.5);
        LogisticNormal parts = new LogisticNormal(Tensor.zeros(2), Tensor.ones(2));
        VariableTransform exp = new VariableTransform("Exp", new Tensor[0]);
        VariableTransform tanh = new VariableTransform("Tanh", new Tensor[0]);
        VariableTransform both = Haft.catTransforms(exp, tanh, 1, 2, -1);
        VariableTransform corr = new VariableTransform("CorrCholesky", new Tensor[0]);
        VariableTransform below = Haft.cumulativeTransform(tail)) {
      assertEquals(1 / (1 - Math.exp(-2)) - 0.5, slope.mean().item(), 1e-6);
      assertEquals(0.75, tail.cdf(Tensor.full(new long[0], 5.0)).item(), 1e-6);
      assertArrayEquals(new long[] {4, 3, 3}, factors.sample(new long[] {4}).sizes());
      assertArrayEquals(new long[] {3}, parts.eventShape());
      Tensor y = both.forward(Tensor.of(new float[] {1, 2, 3}));
      assertArrayEquals(new float[] {(float) Math.E, (float) Math.tanh(2), (float) Math.tanh(3)}, y.toFloatArray(), 1e-6f);
      assertArrayEquals(new long[] {3, 3}, corr.forward(Tensor.zeros(3)).sizes());
      assertEquals(0.75, below.forward(Tensor.full(new long[0], 5.0)).item(), 1e-6);
    }
  }

  @Test
  void refuseWhatDoesNotFit() {
    try (Scope scope = new Scope();
        Beta beta = new Beta(1, 1)) {
      String message = assertThrows(IllegalArgumentException.class, () -> new Normal(0, -2)).getMessage();
      assertTrue(message.contains("scale") && message.contains("GreaterThan") && message.contains("-2"), message);
      new Normal(Tensor.zeros(1), Tensor.zeros(1), false).close();
      assertThrows(IllegalArgumentException.class, () -> new Bernoulli((Tensor) null));
      assertThrows(HaftException.class, () -> beta.cdf(Tensor.ones(1)));
    }
  }
}
