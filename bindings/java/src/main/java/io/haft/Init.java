package io.haft;

/** Initial values, in place and unrecorded (torch.nn.init). */
public final class Init {
  /** Which side of a weight counts. */
  public enum Fan {
    /** The number of inputs. */
    IN,
    /** The number of outputs. */
    OUT
  }

  private Init() {}

  /**
   * Evenly from [low, high).
   *
   * @param t what is filled
   * @param low the smallest
   * @param high behind the largest
   */
  public static void uniform_(Tensor t, double low, double high) {
    Haft.uniform_(t, low, high);
  }

  /**
   * From a normal distribution.
   *
   * @param t what is filled
   * @param mean of the numbers
   * @param std standard deviation of the numbers
   */
  public static void normal_(Tensor t, double mean, double std) {
    Haft.normal_(t, mean, std);
  }

  /**
   * One value.
   *
   * @param t what is filled
   * @param value the number
   */
  public static void constant_(Tensor t, double value) {
    Haft.constant_(t, value);
  }

  /**
   * From a normal distribution without its tails.
   *
   * @param t what is filled
   * @param mean of the numbers
   * @param std standard deviation of the numbers
   * @param low the smallest
   * @param high behind the largest
   */
  public static void truncNormal_(Tensor t, double mean, double std, double low, double high) {
    Haft.truncNormal_(t, mean, std, low, high);
  }

  /**
   * Glorot and Bengio, evenly.
   *
   * @param t what is filled
   * @param gain a factor
   */
  public static void xavierUniform_(Tensor t, double gain) {
    Haft.xavierUniform_(t, gain);
  }

  /**
   * Glorot and Bengio, normally.
   *
   * @param t what is filled
   * @param gain a factor
   */
  public static void xavierNormal_(Tensor t, double gain) {
    Haft.xavierNormal_(t, gain);
  }

  /**
   * He and others, evenly, for leaky ReLU of slope a.
   *
   * @param t what is filled
   * @param a slope of the leaky rectifier behind; 0: none
   * @param fan whether inputs or outputs count
   */
  public static void kaimingUniform_(Tensor t, double a, Fan fan) {
    Haft.kaimingUniform_(t, a, fan.ordinal());
  }

  /**
   * He and others, normally, for leaky ReLU of slope a.
   *
   * @param t what is filled
   * @param a slope of the leaky rectifier behind; 0: none
   * @param fan whether inputs or outputs count
   */
  public static void kaimingNormal_(Tensor t, double a, Fan fan) {
    Haft.kaimingNormal_(t, a, fan.ordinal());
  }

  /**
   * A matrix with orthogonal rows or columns.
   *
   * @param t what is filled
   * @param gain a factor
   */
  public static void orthogonal_(Tensor t, double gain) {
    Haft.orthogonal_(t, gain);
  }

  /**
   * The weight of a convolution that answers its input, as far as there are channels.
   *
   * @param t what is filled, of 3 to 5 dimensions
   * @param groups groups of the convolution
   */
  public static void dirac_(Tensor t, long groups) {
    Haft.dirac_(t, groups);
  }

  /**
   * Normal numbers with a part of each column set to 0.
   *
   * @param t what is filled, a matrix
   * @param sparsity that part
   * @param std standard deviation of the others
   */
  public static void sparse_(Tensor t, double sparsity, double std) {
    Haft.sparse_(t, sparsity, std);
  }
}
