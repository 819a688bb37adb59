package io.haft;

/**
 * Recording in this thread while it is open, also inside {@link NoGrad}. Close it in the thread that opened it:
 *
 * <pre>{@code
 * try (EnableGrad mode = new EnableGrad()) {
 *   ...
 * }
 * }</pre>
 */
public final class EnableGrad implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private final boolean before = Native.setGradEnabled(true);
  private boolean open = true;

  @Override
  public void close() {
    if (!open) return;
    if (Thread.currentThread() != owner) throw new IllegalStateException("a mode of a thread ends in that thread");
    open = false;
    Native.setGradEnabled(before);
  }
}
