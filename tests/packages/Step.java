import io.haft.Haft;
import io.haft.Linear;
import io.haft.Scope;
import io.haft.SGD;
import io.haft.Tensor;

/** One training step against an installed haft: the loss falls. */
public final class Step {
  public static void main(String[] args) {
    try (Scope scope = new Scope()) {
      Haft.manualSeed(1);
      Tensor x = Tensor.randn(16, 4);
      Linear net = new Linear(4, 4);
      SGD sgd = new SGD(net.parameters(), 0.1);
      double[] losses = new double[2];
      for (int step = 0; step < 2; ++step) {
        sgd.zeroGrad();
        Tensor loss = net.forward(x).mseLoss(x);
        loss.backward();
        sgd.step();
        losses[step] = loss.item();
      }
      System.out.printf("%s: loss %.4f, then %.4f%n", Haft.libraryPath(), losses[0], losses[1]);
      if (losses[1] >= losses[0]) System.exit(1);
    }
  }
}
