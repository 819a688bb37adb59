package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fifty steps from PyTorch's weights have PyTorch's losses; tests/bindings/curves.py wrote both. */
@ExtendWith(Leaks.class)
class CurveTest {
  private static Module network(String name) {
    if (name.equals("mlp")) return new Sequential(new Flatten(), new Linear(144, 40), new ReLU(), new Linear(40, 10));
    if (name.equals("lstm"))
      return new Sequential(new Flatten(1, 2), new LSTM(12, 10, new LSTM.Options().numLayers(2).bidirectional(true).batchFirst(true)), new Flatten(), new Linear(240, 10));
    if (name.equals("transformer"))
      return new Sequential(new Flatten(1, 2), new Linear(12, 16),
          new TransformerEncoder(16, 4, 2, new TransformerEncoder.Options().norm(true).dimFeedforward(32).dropout(0).gelu(true).batchFirst(true).normFirst(true)),
          new Flatten(), new Linear(192, 10));
    if (name.equals("conv3d"))
      return new Sequential(new Unflatten(3, 4, 3), new Conv3d(1, 8, new long[] {3}, new Conv3d.Options().padding(new long[] {1})), new BatchNorm3d(8), new ReLU(),
          new MaxPool3d(2), new Conv3d(8, 10, 3, 2, 1), new Flatten(), new Linear(40, 10));
    return new Sequential(new Conv2d(1, 8, 3), new ReLU(), new Conv2d(8, 12, 3, new Conv2d.Options().bias(false)), new BatchNorm2d(12), new ReLU(), new MaxPool2d(2),
        new Flatten(), new Linear(192, 24), new Tanh(), new Linear(24, 10));
  }

  private static Optimizer optimizer(String name, Tensor[] params) {
    if (name.equals("mlp")) return new SGD(params, new SGD.Options().lr(0.1).momentum(0.9).nesterov(true));
    if (name.equals("lstm")) return new Adam(params, 5e-3);
    if (name.equals("conv3d")) return new RMSprop(params, 2e-3);
    return new AdamW(params, new AdamW.Options().lr(2e-3).weightDecay(0.05));
  }

  // In float64 to rounding, in float32 as far as 50 steps let rounding grow.
  @ParameterizedTest
  @CsvSource({"mlp, float64, 1e-9", "mlp, float32, 1e-2", "cnn, float64, 1e-9", "cnn, float32, 1e-2", "lstm, float64, 1e-9", "lstm, float32, 1e-2",
      "transformer, float64, 1e-9", "transformer, float32, 1e-2", "conv3d, float64, 1e-9", "conv3d, float32, 1e-2"})
  void lossesAreThoseOfPytorch(String name, String dtype, double limit) {
    String folder = System.getenv("HAFT_CURVES");
    Assumptions.assumeTrue(folder != null, "HAFT_CURVES names no folder");
    String path = Path.of(folder, name + "." + dtype).toString();
    try (Scope scope = new Scope(); Module net = network(name); CrossEntropyLoss criterion = new CrossEntropyLoss()) {
      if (dtype.equals("float64")) net.to(DType.FLOAT64);
      net.load(path + ".before.safetensors");
      Map<String, Tensor> data = Weights.load(path + ".data.safetensors");
      double[] wanted = data.get("losses").toDoubleArray();
      assertEquals(50, wanted.length);
      Optimizer optimizer = optimizer(name, net.parameters());
      double first = 0, last = 0;
      try (optimizer; Scheduler schedule = new StepLR(optimizer, 20, 0.5)) {
        for (int i = 0; i < wanted.length; i++) {
          try (Scope step = new Scope()) {
            int at = i * 32 % 168;
            optimizer.zeroGrad();
            Tensor loss = criterion.call(net.call(data.get("images").narrow(0, at, 32)), data.get("labels").narrow(0, at, 32));
            loss.backward();
            optimizer.step();
            schedule.step();
            assertEquals(wanted[i], loss.item(), limit, "step " + i);
            if (i < 8) first += loss.item();
            if (i >= 42) last += loss.item();
          }
        }
      }
      assertTrue(last < first, first + " to " + last);
      if (!dtype.equals("float64")) return;
      Map<String, Tensor> after = Weights.load(path + ".after.safetensors"), state = net.stateDict();
      assertEquals(after.keySet(), state.keySet());
      after.forEach((key, t) -> assertTrue(t.sub(state.get(key)).abs().amax().item() <= 10 * limit, key));
    }
  }
}
