// A differentiable function of your own: softclip(x) = x / sqrt(1 + x^2), with its gradient written in operators, so that
// gradients of the gradient exist too. Both are compared with differences.
//
//   java -cp haft.jar CustomFunction.java
import io.haft.*;

public class CustomFunction {
  static final class SoftClip extends Function {
    private static Tensor inverseRoot(Tensor x) {
      return x.square().add(1.0).rsqrt();
    }

    @Override
    protected Tensor[] forward(Context ctx, Tensor... inputs) {
      ctx.save(inputs[0]);
      return new Tensor[] {inputs[0].mul(inverseRoot(inputs[0]))};
    }

    /** d softclip = (1 + x^2)^(-3/2) */
    @Override
    protected Tensor[] backward(Context ctx, Tensor... grads) {
      return new Tensor[] {grads[0].mul(inverseRoot(ctx.saved(0)).pow(3L))};
    }
  }

  public static void main(String[] arguments) {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.of(new double[] {-3, -0.5, 0, 0.5, 3}).setRequiresGrad();
      System.out.println("softclip = " + new SoftClip().apply(x).detach());
      Haft.gradgradcheck(in -> new Tensor[] {new SoftClip().apply(in)}, x);
      System.out.println("first and second derivatives agree with differences");
    }
  }
}
