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
   * Mirrors top and bottom with a probability.
   *
   * @param probability how often
   * @return the transform
   */
  public static Transform randomVerticalFlip(double probability) {
    return Haft.randomVerticalFlip(probability);
  }

  /**
   * Another size, of uint8 or float32 images.
   *
   * @param height in pixels
   * @param width in pixels; 0: height is that of the shorter side
   * @param mode how values between those that there are, are found; but not AREA
   * @return the transform
   */
  public static Transform resize(long height, long width, Interpolation mode) {
    return Haft.resize(height, width, Interpolation.code(mode));
  }

  /**
   * A random part of the image in another size, as PyTorch's RandomResizedCrop takes it.
   *
   * @param height in pixels
   * @param width in pixels
   * @param scaleLow the part's area is at least this much of the image's: 0.08
   * @param scaleHigh and at most this much: 1
   * @param ratioLow its width over its height is at least this: 3. / 4
   * @param ratioHigh and at most this: 4. / 3
   * @param mode how values between those that there are, are found; but not AREA
   * @return the transform
   */
  public static Transform randomResizedCrop(long height, long width, double scaleLow, double scaleHigh, double ratioLow, double ratioHigh, Interpolation mode) {
    return Haft.randomResizedCrop(height, width, scaleLow, scaleHigh, ratioLow, ratioHigh, Interpolation.code(mode));
  }

  /**
   * The middle of the image; zeros where it is too small.
   *
   * @param height in pixels
   * @param width in pixels
   * @return the transform
   */
  public static Transform centerCrop(long height, long width) {
    return Haft.centerCrop(height, width);
  }

  /**
   * 0.2989 R + 0.587 G + 0.114 B.
   *
   * @param channels 1, or 3 equal ones
   * @return the transform
   */
  public static Transform grayscale(long channels) {
    return Haft.grayscale(channels);
  }

  /**
   * Changes colours by random factors, in random order.
   *
   * @param brightness b: a factor from [max(0, 1 - b), 1 + b]
   * @param contrast likewise, towards the mean grey
   * @param saturation likewise, towards grey
   * @param hue a part of the circle from [-hue, hue], at most 0.5
   * @return the transform
   */
  public static Transform colorJitter(double brightness, double contrast, double saturation, double hue) {
    return Haft.colorJitter(brightness, contrast, saturation, hue);
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
