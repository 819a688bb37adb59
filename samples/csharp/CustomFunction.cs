// A differentiable function of one's own: softclip(x) = x / sqrt(1 + x^2). Its gradient is written in operators, so that
// gradients of the gradient exist, too; the check compares both with differences.
using System;
using Haft;

sealed class Softclip : Function {
  protected override Tensor[] Forward(FunctionContext ctx, Tensor[] inputs) {
    ctx.Save(inputs[0]);
    return new[] { inputs[0] * InverseRoot(inputs[0]) };
  }
  // d softclip = (1 + x^2)^(-3/2)
  protected override Tensor[] Backward(FunctionContext ctx, Tensor[] grads) { return new[] { grads[0] * InverseRoot(ctx.Saved(0)).Pow(3) }; }
  static Tensor InverseRoot(Tensor x) { return (x.Square() + 1).Rsqrt(); }
}

static class CustomFunction {
  static int Main() {
    using (new DisposeScope()) {
      Tensor x = Tensor.Of(-3.0, -0.5, 0, 0.5, 3).RequiresGrad_();
      var softclip = new Softclip();
      Console.WriteLine("softclip = " + softclip.Apply(x));
      Autograd.GradCheck(t => softclip.Apply(t), x, 2);
      Console.WriteLine("first and second derivatives agree with differences");
    }
    return 0;
  }
}
