package io.haft;

/**
 * Where and as what a module's parameters are made; null stands for the default of each.
 *
 * @param dtype element type
 * @param device where they live
 * @param generator what their initial numbers come from
 */
public record Build(DType dtype, Device device, Generator generator) {
  /**
   * Parameters of a dtype.
   *
   * @param dtype element type
   * @return the parameters
   */
  public static Build of(DType dtype) {
    return new Build(dtype, null, null);
  }

  /**
   * Parameters on a device.
   *
   * @param device where
   * @return the parameters
   */
  public static Build of(Device device) {
    return new Build(null, device, null);
  }

  /**
   * Initial numbers from a generator.
   *
   * @param generator what numbers are drawn from
   * @return the parameters
   */
  public static Build of(Generator generator) {
    return new Build(null, null, generator);
  }

  static DType dtype(Build b) {
    return b == null ? null : b.dtype;
  }

  static Device device(Build b) {
    return b == null ? null : b.device;
  }

  static Generator generator(Build b) {
    return b == null ? null : b.generator;
  }
}
