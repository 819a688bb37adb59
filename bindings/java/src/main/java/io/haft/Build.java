package io.haft;

/**
 * Where and as what a module's parameters are made; null stands for the default of each.
 *
 * @param dtype element type
 * @param device where they live
 * @param generator what their initial numbers come from
 */
public record Build(DType dtype, Device device, Generator generator) {
  /** Parameters of a dtype. */
  public static Build of(DType dtype) {
    return new Build(dtype, null, null);
  }

  /** Parameters on a device. */
  public static Build of(Device device) {
    return new Build(null, device, null);
  }

  /** Initial numbers from a generator. */
  public static Build of(Generator generator) {
    return new Build(null, null, generator);
  }

  static long[] pack(Build b) {
    return b == null ? null : new long[] {DType.code(b.dtype), Device.code(b.device), NativeObject.handle(b.generator)};
  }
}
