package io.haft;

import java.util.Collection;

/** AdamW (torch.optim.AdamW): weight decay shrinks the parameter. */
public class AdamW extends Optimizer {
  /** Rates and the like. */
  public static final class Options extends AdamOptions<Options> {
    /** With PyTorch's defaults. */
    public Options() {
      weightDecay = 1e-2;
    }
  }

  /** With a learning rate. */
  public AdamW(Tensor[] params, double lr) {
    this(params, new Options().lr(lr));
  }

  /** With a learning rate. */
  public AdamW(Collection<Tensor> params, double lr) {
    this(array(params), lr);
  }

  /** With options. */
  public AdamW(Tensor[] params, Options o) {
    super(Haft.makeAdam(params, true, o.lr, o.beta1, o.beta2, o.eps, o.weightDecay, o.amsgrad, o.maximize));
  }

  /** With options. */
  public AdamW(Collection<Tensor> params, Options o) {
    this(array(params), o);
  }
}
