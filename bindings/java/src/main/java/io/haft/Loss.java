package io.haft;

/** A loss: a module of a prediction and its target, or of three tensors. Weights are buffers, so that they move and are saved with it. */
public abstract class Loss extends Module {
  Loss(Module made) {
    super(made);
  }

  /**
   * The loss, with hooks.
   *
   * @param input what a model answered
   * @param target what it should be
   * @return the loss
   */
  public final Tensor call(Tensor input, Tensor target) {
    return call(new Tensor[] {input, target})[0];
  }

  /**
   * The loss of three tensors, with hooks: two inputs and their target, or what the class says.
   *
   * @param first the first input
   * @param second the second
   * @param third the third
   * @return the loss
   */
  public final Tensor call(Tensor first, Tensor second, Tensor third) {
    return call(new Tensor[] {first, second, third})[0];
  }

  /**
   * The loss; call() runs hooks, too.
   *
   * @param input what a model answered
   * @param target what it should be
   * @return the loss
   */
  public final Tensor forward(Tensor input, Tensor target) {
    return forward(new Tensor[] {input, target})[0];
  }
}
