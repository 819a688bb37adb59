package io.haft;

/** Changes one field of an item on its way into a batch; images are (channels, height, width). */
public final class Transform extends NativeObject {
  private Transform(long handle) {
    super(TRANSFORM, handle);
  }

  static Transform adopt(long handle) {
    return new Transform(handle);
  }

  /**
   * Bytes to float32 between 0 and 1.
   *
   * @return the transform
   */
  public static Transform toFloat() {
    return Haft.toFloat();
  }

  /**
   * Any numbers to float32, times scale.
   *
   * @param scale a factor
   * @return the transform
   */
  public static Transform toFloat(double scale) {
    return Haft.toFloat(scale);
  }

  /**
   * (x - mean) / std of every channel.
   *
   * @param mean of each channel
   * @param std standard deviation of each channel
   * @return the transform
   */
  public static Transform normalize(double mean, double std) {
    return Haft.normalize(new double[] {mean}, new double[] {std});
  }

  /**
   * (x - mean) / std by channel.
   *
   * @param mean of each channel
   * @param std standard deviation of each channel
   * @return the transform
   */
  public static Transform normalize(double[] mean, double[] std) {
    return Haft.normalize(mean, std);
  }

  /**
   * A random window with zeros around the image.
   *
   * @param height in pixels
   * @param width in pixels
   * @param padding zeros on every side
   * @return the transform
   */
  public static Transform randomCrop(long height, long width, long padding) {
    return Haft.randomCrop(height, width, padding);
  }

  /**
   * Mirrors left and right with a probability.
   *
   * @param probability how often
   * @return the transform
   */
  public static Transform randomHorizontalFlip(double probability) {
    return Haft.randomHorizontalFlip(probability);
  }

  /**
   * Turns by up to some degrees.
   *
   * @param degrees the largest angle
   * @return the transform
   */
  public static Transform randomRotation(double degrees) {
    return Haft.randomRotation(degrees);
  }
}
