package io.haft;

import java.util.Collection;

/** Stochastic gradient descent (torch.optim.SGD). */
public class Sgd extends Optimizer {
  /** Rates and the like. */
  public static final class Options {
    private double lr = 1e-3;
    private double momentum = 0;
    private double dampening = 0;
    private double weightDecay = 0;
    private boolean nesterov = false;
    private boolean maximize = false;

    /** Learning rate; default 1e-3. */
    public Options lr(double lr) {
      this.lr = lr;
      return this;
    }

    /** Momentum; default 0. */
    public Options momentum(double momentum) {
      this.momentum = momentum;
      return this;
    }

    /** Dampening of the momentum; default 0. */
    public Options dampening(double dampening) {
      this.dampening = dampening;
      return this;
    }

    /** Weight decay; default 0. */
    public Options weightDecay(double weightDecay) {
      this.weightDecay = weightDecay;
      return this;
    }

    /** Whether the momentum is Nesterov's; default false. */
    public Options nesterov(boolean nesterov) {
      this.nesterov = nesterov;
      return this;
    }

    /** Whether to climb; default false. */
    public Options maximize(boolean maximize) {
      this.maximize = maximize;
      return this;
    }
  }

  /** With a learning rate. */
  public Sgd(Tensor[] params, double lr) {
    this(params, new Options().lr(lr));
  }

  /** With a learning rate. */
  public Sgd(Collection<Tensor> params, double lr) {
    this(array(params), lr);
  }

  /** With options. */
  public Sgd(Tensor[] params, Options o) {
    super(Haft.makeSgd(params, o.lr, o.momentum, o.dampening, o.weightDecay, o.nesterov, o.maximize));
  }

  /** With options. */
  public Sgd(Collection<Tensor> params, Options o) {
    this(array(params), o);
  }
}
