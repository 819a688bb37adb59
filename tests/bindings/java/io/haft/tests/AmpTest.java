package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class AmpTest {
  @Test
  void regionsChooseTypes() throws Exception {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.ones(4, 4);
      try (Autocast outer = new Autocast()) {
        assertTrue(Haft.isAutocastEnabled(x.device()));
        assertEquals(DType.BFLOAT16, x.mm(x).dtype());
        try (Autocast off = new Autocast(false)) {
          assertEquals(DType.FLOAT32, x.mm(x).dtype());
          try (Autocast half = new Autocast(x.device(), DType.FLOAT16, true, true)) {
            assertEquals(DType.FLOAT16, x.mm(x).dtype());
          }
        }
        assertEquals(DType.FLOAT32, x.mm(x).mseLoss(x).dtype());
        boolean[] there = {true};
        Thread t = new Thread(() -> there[0] = Haft.isAutocastEnabled(x.device()));
        t.start();
        t.join();
        assertFalse(there[0]);
        assertThrows(DTypeException.class, () -> new Autocast(x.device(), DType.INT32, true, true));
      }
      assertEquals(DType.FLOAT32, x.mm(x).dtype());
      assertEquals(DType.BFLOAT16, Haft.autocastDtype(x.device()));
    }
  }

  @Test
  void infiniteStepsAreLeftOut() {
    try (Scope scope = new Scope()) {
      Tensor w = Tensor.ones(3).requiresGrad_();
      SGD optimizer = new SGD(new Tensor[] {w}, new SGD.Options().lr(0.5));
      GradScaler scaler = new GradScaler(8, 2, 0.5, 2, true);
      double[] factors = {1, 1, Double.POSITIVE_INFINITY}, scales = {8, 16, 8};
      for (int i = 0; i < 3; i++) {
        optimizer.zeroGrad();
        scaler.scale(w.mul(factors[i]).sum()).backward();
        assertEquals(i < 2, scaler.step(optimizer));
        scaler.update();
        assertEquals(scales[i], scaler.getScale());
      }
      assertEquals(0, w.detach().sum().item());
      assertThrows(IllegalArgumentException.class, scaler::update);
      GradScaler other = new GradScaler();
      other.setState(scaler.getScale(), scaler.growthFactor(), scaler.backoffFactor(), scaler.growthInterval(), scaler.growthTracker());
      assertEquals(8, other.getScale());
      assertFalse(new GradScaler(8, 2, 0.5, 2, false).isEnabled());
    }
  }
}
