package io.haft;

/** A loss: a module of a prediction and its target. Weights are buffers, so that they move and are saved with it. */
public abstract class Loss extends Module {
  final Reduction reduction;

  Loss(Reduction reduction) {
    if (reduction == null) throw new IllegalArgumentException("reduction is null");
    this.reduction = reduction;
  }

  final void weight(String name, Tensor t) {
    if (t != null) buffer(name, t);
  }

  /** A buffer that may not be there. */
  final Tensor weight(String name, boolean there) {
    return there ? buffer(name) : null;
  }

  /**
   * The loss, with hooks.
   *
   * @param x what a model answered
   * @param target what x should be
   * @return the loss, with hooks
   */
  public final Tensor call(Tensor x, Tensor target) {
    return call(new Tensor[] {x, target})[0];
  }

  /**
   * The loss; call() runs hooks, too.
   *
   * @param x what a model answered
   * @param target what x should be
   * @return the loss
   */
  public abstract Tensor forward(Tensor x, Tensor target);

  @Override
  public final Tensor[] forward(Tensor... inputs) {
    if (inputs.length != 2) throw new IllegalArgumentException(type() + " takes a prediction and a target, got " + inputs.length + " tensors");
    return new Tensor[] {forward(inputs[0], inputs[1])};
  }
}
