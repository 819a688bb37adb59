using System;
using Haft;

// One training step against an installed haft: the loss falls.
static class Step {
  static int Main() {
    using (new DisposeScope()) {
      Runtime.ManualSeed(1);
      Tensor x = Tensor.Randn(16, 4);
      var net = new Linear(4, 4);
      var sgd = new SGD(net.Parameters(), 0.1);
      var losses = new double[2];
      for (int step = 0; step < 2; ++step) {
        sgd.ZeroGrad();
        Tensor loss = net.Forward(x).MseLoss(x);
        loss.Backward();
        sgd.Step();
        losses[step] = loss.Item();
      }
      Console.WriteLine("{0}: loss {1:F4}, then {2:F4}", Runtime.LibraryPath, losses[0], losses[1]);
      return losses[1] < losses[0] ? 0 : 1;
    }
  }
}
