package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class ParametrizeTest {
  @Test
  void parametrizationsTrain() {
    try (Scope scope = new Scope()) {
      for (int kind = 0; kind < 3; kind++) {
        Module norm = kind == 0 ? new WeightNorm() : kind == 1 ? new SpectralNorm() : new Orthogonal();
        Linear layer = new Linear(3, 2);
        layer.registerParametrization("weight", norm);
        assertTrue(layer.isParametrized("weight"));
        assertFalse(layer.isParametrized("bias"));
        assertThrows(IllegalArgumentException.class, () -> layer.parameter("weight"));
        String first = kind == 0 ? "parametrizations.weight.original0" : "parametrizations.weight.original";
        assertEquals(List.of("bias", first), new ArrayList<>(layer.stateDict().keySet()).subList(0, 2));
        Tensor x = Tensor.randn(5, 3);
        layer.call(x).sum().backward();
        assertNotNull(layer.parameter(first).grad());
        layer.eval();
        float[] value = layer.value("weight").detach().toFloatArray();
        layer.removeParametrizations("weight");
        assertArrayEquals(value, layer.parameter("weight").detach().toFloatArray());
      }
      Linear layer = new Linear(3, 2);
      layer.registerParametrization("weight", new WeightNorm());
      layer.setParametrized("weight", Tensor.ones(2, 3));
      assertEquals(Math.sqrt(3), layer.parameter("parametrizations.weight.original0").detach().toFloatArray()[0], 1e-6);
      assertThrows(IllegalArgumentException.class, () -> layer.registerParametrization("none", new WeightNorm()));
      assertThrows(IllegalArgumentException.class, () -> layer.removeParametrizations("bias"));
    }
  }

  @Test
  void pruningHoldsZeros() {
    try (Scope scope = new Scope()) {
      Linear layer = new Linear(4, 4);
      Prune.l1Unstructured(layer, "weight", 0.25);
      assertEquals(12, layer.buffer("weight_mask").sum().item());
      Prune.l1Unstructured(layer, "weight", 2L);
      Prune.randomUnstructured(layer, "weight", 1L, new Generator(3));
      Prune.randomUnstructured(layer, "weight", 0.0, null);
      assertEquals(9, layer.buffer("weight_mask").sum().item());
      assertTrue(layer.isPruned());
      Prune.lnStructured(layer, "weight", 1L, 2, 0);
      Prune.lnStructured(layer, "weight", 0.3, Double.POSITIVE_INFINITY, 0);
      Prune.randomStructured(layer, "weight", 1L, 0, null);
      Prune.randomStructured(layer, "weight", 0.0, 0, null);
      assertTrue(layer.buffer("weight_mask").sum().item() <= 4);
      Prune.customFromMask(layer, "weight", Tensor.zeros(4, 4));
      assertArrayEquals(layer.parameter("bias").detach().toFloatArray(), layer.call(Tensor.ones(1, 4)).detach().toFloatArray());
      Prune.remove(layer, "weight");
      assertFalse(layer.isPruned());
      assertArrayEquals(new float[16], layer.parameter("weight").detach().abs().toFloatArray());
      Linear a = new Linear(4, 4), b = new Linear(2, 2);
      Prune.identity(b, "bias");
      Prune.globalL1Unstructured(List.of(a, b), List.of("weight", "weight"), 0.5);
      assertEquals(10, a.buffer("weight_mask").sum().item() + b.buffer("weight_mask").sum().item());
      assertThrows(IllegalArgumentException.class, () -> Prune.l1Unstructured(a, "weight", 100L));
      assertThrows(IllegalArgumentException.class, () -> Prune.l1Unstructured(a, "weight", -1L));
      assertThrows(IllegalArgumentException.class, () -> Prune.remove(a, "bias"));
      assertThrows(IllegalArgumentException.class, () -> Prune.globalL1Unstructured(List.of(a), List.of(), 0.5));
    }
  }

  @Test
  void lossesOverADistance() {
    try (Scope scope = new Scope()) {
      Tensor anchor = Tensor.randn(5, 3), positive = Tensor.randn(5, 3), negative = Tensor.randn(5, 3);
      Module loss = Haft.tripletMarginWithDistanceLoss(new PairwiseDistance());
      assertEquals(new TripletMarginLoss().call(anchor, positive, negative).item(), loss.forward(new Tensor[] {anchor, positive, negative})[0].item(), 1e-6);
    }
  }
}
