package io.haft;

/**
 * Ranks seen as an array: along each dimension stand ranks that work together in one way, such as data or tensor parallel. Each slice of
 * a mesh and each group that it answers is an object of its own; this rank leaves the mesh's groups when all of them are closed.
 *
 * <pre>{@code
 * try (DeviceMesh mesh = new DeviceMesh(world, new long[] {2, 4}, "dp", "tp"); ProcessGroup tp = mesh.group("tp")) {
 *   Module up = new ColumnParallelLinear(tp, new Linear(512, 2048));
 * }
 * }</pre>
 *
 * Since 1.0.
 */
public class DeviceMesh extends DeviceMeshOperators {
  /**
   * A mesh of all ranks of a group, which fill it in row-major order, and a group of the ranks along each dimension. All ranks call it.
   *
   * @param group of the ranks
   * @param shape sizes that multiply to the group's
   * @param names one a dimension, all different; none: the dimensions have no names
   * @throws ShapeException the sizes do not multiply to the group's
   */
  public DeviceMesh(ProcessGroup group, long[] shape, String... names) {
    super(DEVICE_MESH, ParallelCalls.makeMesh(group, shape, names).steal());
  }

  private DeviceMesh(long handle) {
    super(DEVICE_MESH, handle);
  }

  static DeviceMesh adopt(long handle) {
    return new DeviceMesh(handle);
  }

  /**
   * The group of the ranks along a dimension.
   *
   * @param name of the dimension
   * @return a new object for it
   */
  public ProcessGroup group(String name) {
    return group(find(name));
  }

  /** {@return how many ranks stand along each dimension} */
  public long[] shape() {
    long[] out = new long[(int) ndim()];
    for (int d = 0; d < out.length; d++) out[d] = size(d);
    return out;
  }
}
