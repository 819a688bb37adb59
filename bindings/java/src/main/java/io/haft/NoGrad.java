package io.haft;

/**
 * No recording in this thread while it is open (torch.no_grad). Close it in the thread that opened it:
 *
 * <pre>{@code
 * try (NoGrad mode = new NoGrad()) {
 *   ...
 * }
 * }</pre>
 */
public final class NoGrad implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private final boolean before = Native.setGradEnabled(false);
  private boolean open = true;

  @Override
  public void close() {
    if (!open) return;
    if (Thread.currentThread() != owner) throw new IllegalStateException("a mode of a thread ends in that thread");
    open = false;
    Native.setGradEnabled(before);
  }
}
