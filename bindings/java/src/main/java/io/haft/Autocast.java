package io.haft;

/**
 * Mixed precision in this thread while it is open: operators compute in bfloat16 or float16 where that is safe, in float32
 * where it is not (torch.autocast). Parameters stay what they are. Regions nest; backward runs outside, in the types of forward.
 * Close it in the thread that opened it:
 *
 * <pre>{@code
 * try (Autocast region = new Autocast()) {
 *   loss = F.crossEntropy(net.forward(x), y);
 * }
 * loss.backward();
 * }</pre>
 */
public final class Autocast implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private boolean open;

  /** On the default device's type, in its own type: bfloat16 on the CPU, float16 elsewhere. */
  public Autocast() {
    this(true);
  }

  /**
   * On the default device's type, or a region in which nothing is cast.
   *
   * @param enabled false: nothing is cast inside
   */
  public Autocast(boolean enabled) {
    this(Haft.defaultDevice(), null, enabled, true);
  }

  /**
   * A region.
   *
   * @param device its type counts
   * @param dtype BFLOAT16 or FLOAT16; null: the device type's own
   * @param enabled false: nothing is cast inside
   * @param cacheEnabled whether casts of weights are kept until the outermost region ends
   */
  public Autocast(Device device, DType dtype, boolean enabled, boolean cacheEnabled) {
    Haft.autocastPush(device, dtype, enabled, cacheEnabled);
    open = true;
  }

  @Override
  public void close() {
    if (!open) return;
    if (Thread.currentThread() != owner) throw new IllegalStateException("a mode of a thread ends in that thread");
    open = false;
    Haft.autocastPop();
  }
}
