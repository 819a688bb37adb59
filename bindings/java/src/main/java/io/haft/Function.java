package io.haft;

/**
 * A differentiable function of your own (torch.autograd.Function):
 *
 * <pre>{@code
 * class Exp extends Function {
 *   protected Tensor[] forward(Context ctx, Tensor... in) {
 *     Tensor y = in[0].exp();
 *     ctx.save(y);
 *     return new Tensor[] {y};
 *   }
 *   protected Tensor[] backward(Context ctx, Tensor... grads) {
 *     return new Tensor[] {grads[0].mul(ctx.saved(0))};
 *   }
 * }
 * Tensor y = new Exp().apply(x);
 * }</pre>
 *
 * Write backward with operators, and derivatives of any order follow. The graph keeps the object as long as backward may
 * run.
 */
public abstract class Function {
  /** What forward keeps for backward; valid inside them only. */
  public static final class Context {
    private long context;

    Context(long context) {
      this.context = context;
    }

    private long open() {
      if (context == 0) throw new IllegalStateException("a context is valid inside forward and backward only");
      return context;
    }

    /**
     * Keeps a tensor for backward; an in-place change of it in between is an error there.
     *
     * @param ts tensors
     */
    public void save(Tensor... ts) {
      for (Tensor t : ts) Native.contextSave(open(), t.handle(), t);
    }

    /**
     * The index-th saved tensor.
     *
     * @param index which one, from 0
     * @return the index-th saved tensor
     */
    public Tensor saved(long index) {
      return Tensor.adopt(Native.contextSaved(open(), index));
    }

    /**
     * Whether the gradient of an input is wanted.
     *
     * @param index which one, from 0
     * @return whether the gradient of an input is wanted
     */
    public boolean needsGrad(long index) {
      return Native.contextNeedsGrad(open(), index);
    }
  }

  /**
   * Computes the outputs. Nothing inside is recorded. An input that is changed in place must be answered as an output, whose
   * history it takes; a leaf that requires a gradient must not be.
   */
  protected abstract Tensor[] forward(Context ctx, Tensor... inputs);

  /** The inputs' gradients, null for none; a null in grads: that output was not used. */
  protected abstract Tensor[] backward(Context ctx, Tensor... grads);

  /** Shown in errors and graphs. */
  protected String name() {
    String n = getClass().getSimpleName();
    return n.isEmpty() ? "Function" : n;
  }

  /**
   * Calls it for its one output.
   *
   * @param inputs the inputs, in order
   * @return the output
   */
  public final Tensor apply(Tensor... inputs) {
    return applyAll(1, inputs)[0];
  }

  /**
   * Calls it for several outputs.
   *
   * @param outputs how many
   * @param inputs the inputs, in order
   * @return the outputs, in order
   */
  public final Tensor[] applyAll(int outputs, Tensor... inputs) {
    return Haft.applyFunction(this, inputs, outputs, name());
  }

  final long[] runForward(long context, Tensor[] inputs) {
    Context ctx = new Context(context);
    try {
      return Callbacks.results(forward(ctx, inputs));
    } finally {
      ctx.context = 0;
    }
  }

  final long[] runBackward(long context, Tensor[] grads) {
    Context ctx = new Context(context);
    try {
      return Callbacks.results(backward(ctx, grads));
    } finally {
      ctx.context = 0;
    }
  }
}
