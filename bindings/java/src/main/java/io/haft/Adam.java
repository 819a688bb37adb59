package io.haft;

import java.util.Collection;

/** Adam (torch.optim.Adam): weight decay is added to the gradient. */
public class Adam extends Optimizer {
  /** Rates and the like. */
  public static final class Options extends AdamOptions<Options> {}

  /** With a learning rate. */
  public Adam(Tensor[] params, double lr) {
    this(params, new Options().lr(lr));
  }

  /** With a learning rate. */
  public Adam(Collection<Tensor> params, double lr) {
    this(array(params), lr);
  }

  /** With options. */
  public Adam(Tensor[] params, Options o) {
    super(Haft.makeAdam(params, false, o.lr, o.beta1, o.beta2, o.eps, o.weightDecay, o.amsgrad, o.maximize));
  }

  /** With options. */
  public Adam(Collection<Tensor> params, Options o) {
    this(array(params), o);
  }
}
