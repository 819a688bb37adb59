package io.haft;

/** A loss: a module of a prediction and its target. Weights are buffers, so that they move and are saved with it. */
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
