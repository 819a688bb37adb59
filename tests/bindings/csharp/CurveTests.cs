using System;
using System.IO;
using System.Linq;
using Haft;
using NUnit.Framework;

namespace HaftTests {

// Fifty steps from PyTorch's weights have PyTorch's losses; tests/bindings/curves.py wrote both.
[TestFixture]
public class CurveTests : Scoped {
  private static Module Network(string name) {
    if (name == "mlp") return new Sequential(new Flatten(), new Linear(144, 40), new ReLU(), new Linear(40, 10));
    if (name == "lstm")
      return new Sequential(new Flatten(1, 2), new LSTM(12, 10, numLayers: 2, bidirectional: true, batchFirst: true), new Flatten(), new Linear(240, 10));
    if (name == "transformer")
      return new Sequential(new Flatten(1, 2), new Linear(12, 16), new TransformerEncoder(16, 4, 2, norm: true, dimFeedforward: 32, dropout: 0, gelu: true,
                                                                                         batchFirst: true, normFirst: true), new Flatten(), new Linear(192, 10));
    if (name == "conv3d")
      return new Sequential(new Unflatten(3, (4, 3)), new Conv3d(1, 8, 3, padding: 1), new BatchNorm3d(8), new ReLU(), new MaxPool3d(2), new Conv3d(8, 10, (3, 2, 1)),
                            new Flatten(), new Linear(40, 10));
    return new Sequential(new Conv2d(1, 8, 3), new ReLU(), new Conv2d(8, 12, 3, bias: false), new BatchNorm2d(12), new ReLU(), new MaxPool2d(2), new Flatten(),
                          new Linear(192, 24), new Tanh(), new Linear(24, 10));
  }

  private static Optimizer Trainer(string name, Tensor[] parameters) {
    if (name == "mlp") return new SGD(parameters, 0.1, 0.9, nesterov: true);
    if (name == "lstm") return new Adam(parameters, 5e-3);
    if (name == "conv3d") return new RMSprop(parameters, 2e-3);
    return new AdamW(parameters, 2e-3, weightDecay: 0.05);
  }

  // In float64 to rounding, in float32 as far as 50 steps let rounding grow.
  [TestCase("mlp", "float64", 1e-9)]
  [TestCase("mlp", "float32", 1e-2)]
  [TestCase("cnn", "float64", 1e-9)]
  [TestCase("cnn", "float32", 1e-2)]
  [TestCase("lstm", "float64", 1e-9)]
  [TestCase("lstm", "float32", 1e-2)]
  [TestCase("transformer", "float64", 1e-9)]
  [TestCase("transformer", "float32", 1e-2)]
  [TestCase("conv3d", "float64", 1e-9)]
  [TestCase("conv3d", "float32", 1e-2)]
  public void LossesAreThoseOfPytorch(string name, string dtype, double limit) {
    string folder = Environment.GetEnvironmentVariable("HAFT_CURVES");
    if (folder == null) Assert.Ignore("HAFT_CURVES names no folder");
    string path = Path.Combine(folder, name + "." + dtype);
    using (Module net = Network(name))
    using (var criterion = new CrossEntropyLoss()) {
      if (dtype == "float64") net.To(DType.Float64);
      net.Load(path + ".before.safetensors");
      StateDict data = Weights.Load(path + ".data.safetensors");
      double[] wanted = data["losses"].ToArray<double>(), got = new double[50];
      Assert.AreEqual(got.Length, wanted.Length);
      using (Optimizer optimizer = Trainer(name, net.Parameters()))
      using (var schedule = new StepLR(optimizer, 20, 0.5)) {
        for (int i = 0; i < got.Length; ++i) {
          using (new DisposeScope()) {
            int at = i * 32 % 168;
            optimizer.ZeroGrad();
            Tensor loss = criterion.Call(net.Call(data["images"].Narrow(0, at, 32)), data["labels"].Narrow(0, at, 32));
            loss.Backward();
            optimizer.Step();
            schedule.Step();
            got[i] = loss.Item();
            Assert.AreEqual(wanted[i], got[i], limit, "step " + i);
          }
        }
      }
      Assert.Less(got.Skip(42).Sum(), got.Take(8).Sum());
      if (dtype != "float64") return;
      StateDict after = Weights.Load(path + ".after.safetensors"), state = net.StateDict();
      CollectionAssert.AreEqual(after.Keys, state.Keys);
      foreach (string key in after.Keys) Assert.LessOrEqual((after[key] - state[key]).Abs().Max().Item(), 10 * limit, key);
    }
  }
}
}
