// Tensors, gradients and a first module.
//
//   java -cp haft.jar Hello.java
import io.haft.*;

public class Hello {
  public static void main(String[] arguments) {
    System.out.println("haft " + Haft.version() + " from " + Haft.libraryPath());
    try (Scope scope = new Scope()) {  // closes every tensor that is made inside
      Tensor x = Tensor.of(new float[][] {{1, 2}, {3, 4}}).setRequiresGrad();
      Tensor y = x.mul(x).sum();
      y.backward();
      System.out.println("x = " + x);
      System.out.println("d(sum x^2)/dx = " + x.grad());
      System.out.println("x[:, 1] = " + x.index(Index.all(), Index.at(1)));
      try {
        x.add(Tensor.ones(3));
      } catch (ShapeException e) {
        System.out.println("refused: " + e.getMessage());
      }
    }
    try (io.haft.Module net = new Sequential(new Linear(2, 8), new Tanh(), new Linear(8, 1)); Scope scope = new Scope()) {
      System.out.println(net.summary());
      System.out.println(net.call(Tensor.ones(1, 2)));
    }
    System.out.println(Haft.liveHandles() + " handles are alive");
  }
}
