// Tensors, a gradient, a mistake. mcs -r:Haft.dll Hello.cs && mono Hello.exe
using System;
using Haft;

static class Hello {
  static int Main() {
    using (new DisposeScope()) {
      Tensor x = Tensor.From(new float[,] { { 1, 2, 3 }, { 4, 5, 6 } }).RequiresGrad_();
      Tensor y = (x * x + 1).Sum();
      y.Backward();
      Console.WriteLine("haft " + Runtime.Version);
      Console.WriteLine("y = " + y.Item());
      Console.WriteLine("dy/dx = " + x.Grad);
      Console.WriteLine("its last column: " + x.Grad[TensorIndex.All, -1]);
      try {
        x.Mm(x);
      } catch (ShapeException e) {
        Console.WriteLine("a mistake: " + e.Message);
      }
    }
    return 0;
  }
}
