package io.haft;

/**
 * Anomaly mode in this thread while it is open: backward fails at the first gradient that holds a NaN and names the
 * forward operator. Close it in the thread that opened it:
 *
 * <pre>{@code
 * try (AnomalyMode mode = new AnomalyMode()) {
 *   ...
 * }
 * }</pre>
 */
public final class AnomalyMode implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private final boolean before = Native.setAnomalyMode(true);
  private boolean open = true;

  @Override
  public void close() {
    if (!open) return;
    if (Thread.currentThread() != owner) throw new IllegalStateException("a mode of a thread ends in that thread");
    open = false;
    Native.setAnomalyMode(before);
  }
}
