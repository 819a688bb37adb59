package io.haft;

/**
 * Inference mode in this thread while it is open: no recording and no bookkeeping of views; tensors made inside can never be
 * recorded. Close it in the thread that opened it:
 *
 * <pre>{@code
 * try (InferenceMode mode = new InferenceMode()) {
 *   ...
 * }
 * }</pre>
 */
public final class InferenceMode implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private final boolean before = Native.setInferenceMode(true);
  private boolean open = true;

  @Override
  public void close() {
    if (!open) return;
    if (Thread.currentThread() != owner) throw new IllegalStateException("a mode of a thread ends in that thread");
    open = false;
    Native.setInferenceMode(before);
  }
}
