package io.haft;

/** Initial values, in place and unrecorded (torch.nn.init). */
public final class Init {
  /** Which side of a weight counts. */
  public enum Fan {
    IN,
    OUT
  }

  private Init() {}

  /** Evenly from [low, high). */
  public static void uniform_(Tensor t, double low, double high) {
    Haft.uniform_(t, low, high);
  }

  /** From a normal distribution. */
  public static void normal_(Tensor t, double mean, double std) {
    Haft.normal_(t, mean, std);
  }

  /** One value. */
  public static void constant_(Tensor t, double value) {
    Haft.constant_(t, value);
  }

  /** From a normal distribution without its tails. */
  public static void truncNormal_(Tensor t, double mean, double std, double low, double high) {
    Haft.truncNormal_(t, mean, std, low, high);
  }

  /** Glorot and Bengio, evenly. */
  public static void xavierUniform_(Tensor t, double gain) {
    Haft.xavierUniform_(t, gain);
  }

  /** Glorot and Bengio, normally. */
  public static void xavierNormal_(Tensor t, double gain) {
    Haft.xavierNormal_(t, gain);
  }

  /** He and others, evenly, for leaky ReLU of slope a. */
  public static void kaimingUniform_(Tensor t, double a, Fan fan) {
    Haft.kaimingUniform_(t, a, fan.ordinal());
  }

  /** He and others, normally, for leaky ReLU of slope a. */
  public static void kaimingNormal_(Tensor t, double a, Fan fan) {
    Haft.kaimingNormal_(t, a, fan.ordinal());
  }

  /** A matrix with orthogonal rows or columns. */
  public static void orthogonal_(Tensor t, double gain) {
    Haft.orthogonal_(t, gain);
  }
}
