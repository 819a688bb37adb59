package io.haft;

import java.util.Collection;

/** AdamW (torch.optim.AdamW): weight decay shrinks the parameter. */
public class AdamW extends Optimizer {
  /** Rates and the like. */
  public static final class Options {
    private double lr = 1e-3;
    private double beta1 = 0.9;
    private double beta2 = 0.999;
    private double eps = 1e-8;
    private double weightDecay = 1e-2;
    private boolean amsgrad = false;
    private boolean maximize = false;

    /** Learning rate; default 1e-3. */
    public Options lr(double lr) {
      this.lr = lr;
      return this;
    }

    /** Decay of the mean of gradients; default 0.9. */
    public Options beta1(double beta1) {
      this.beta1 = beta1;
      return this;
    }

    /** Decay of the mean of their squares; default 0.999. */
    public Options beta2(double beta2) {
      this.beta2 = beta2;
      return this;
    }

    /** Added to the root; default 1e-8. */
    public Options eps(double eps) {
      this.eps = eps;
      return this;
    }

    /** Weight decay; default 1e-2. */
    public Options weightDecay(double weightDecay) {
      this.weightDecay = weightDecay;
      return this;
    }

    /** Whether the largest mean of squares counts; default false. */
    public Options amsgrad(boolean amsgrad) {
      this.amsgrad = amsgrad;
      return this;
    }

    /** Whether to climb; default false. */
    public Options maximize(boolean maximize) {
      this.maximize = maximize;
      return this;
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
