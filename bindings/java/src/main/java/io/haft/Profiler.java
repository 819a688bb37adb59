package io.haft;

/**
 * Records this thread's operators while it is open:
 *
 * <pre>{@code
 * Profiler profiler = new Profiler(true);
 * net.call(x);
 * try (Profile p = profiler.stop()) {
 *   System.out.println(p.table());
 * }
 * }</pre>
 */
public final class Profiler implements AutoCloseable {
  private boolean on;

  /** Without shapes. */
  public Profiler() {
    this(false);
  }

  /**
   * shapes: with those of the inputs.
   *
   * @param shapes whether the sizes of inputs are kept
   */
  public Profiler(boolean shapes) {
    Native.startProfiler(shapes);
    on = true;
  }

  /**
   * With a choice of what is recorded.
   *
   * @param shapes whether the sizes of inputs are kept
   * @param devices whether kernels and copies are recorded as the devices ran them
   * @param ranges whether operators and ranges go to the tools of the devices' vendors as well (NVTX)
   * @param modules whether each module that runs is a range
   */
  public Profiler(boolean shapes, boolean devices, boolean ranges, boolean modules) {
    Native.startProfilerWith((shapes ? 1 : 0) | (devices ? 2 : 0) | (ranges ? 4 : 0) | (modules ? 8 : 0));
    on = true;
  }

  /**
   * Stops, and answers what was recorded.
   *
   * @return what was recorded
   */
  public Profile stop() {
    if (!on) throw new IllegalStateException("the profiler has been stopped");
    Profile p = Profile.adopt(Native.stopProfiler());
    on = false;
    return p;
  }

  /**
   * A named range in this thread's profile until it is closed.
   *
   * @param name as tables show it
   * @return the range; close it at its end
   */
  public static Range range(String name) {
    Native.pushRange(name);
    return Native::popRange;
  }

  /** A named range. */
  @FunctionalInterface
  public interface Range extends AutoCloseable {
    @Override
    void close();
  }

  @Override
  public void close() {
    if (on) stop().close();
  }
}
