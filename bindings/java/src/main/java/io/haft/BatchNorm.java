package io.haft;

/** What batch normalisations of all kinds share. */
public abstract class BatchNorm extends Module {
  /** Everything but the number of features. */
  public static final class Options {
    private final double[] v = {1e-5, 0.1, 1, 1};

    /** Added to the variance; default 1e-5. */
    public Options eps(double eps) {
      v[0] = eps;
      return this;
    }

    /** Weight of a new batch in the running statistics; default 0.1. */
    public Options momentum(double momentum) {
      v[1] = momentum;
      return this;
    }

    /** Whether there is a weight and a bias; default true. */
    public Options affine(boolean affine) {
      v[2] = affine ? 1 : 0;
      return this;
    }

    /** Whether running statistics are kept; default true. */
    public Options trackRunningStats(boolean track) {
      v[3] = track ? 1 : 0;
      return this;
    }

    static double[] pack(Options o) {
      return o == null ? null : o.v;
    }
  }

  BatchNorm(Module made) {
    super(made);
  }
}
