package io.haft;

import java.util.Objects;
import java.util.function.Function;

/**
 * While it is open, what this thread's operators keep for backward goes through a pair of functions
 * (torch.autograd.graph.saved_tensors_hooks): to keep it elsewhere, to compress it, or to make it anew. Close it in the
 * thread that opened it; what it packed is unpacked by it all the same.
 *
 * <pre>{@code
 * try (SavedTensorHooks half = new SavedTensorHooks(x -> x.to(DType.FLOAT16), x -> ((Tensor) x).to(DType.FLOAT32))) {
 *   loss = model.forward(x);
 * }
 * }</pre>
 */
public final class SavedTensorHooks implements AutoCloseable {
  private final Thread owner = Thread.currentThread();
  private boolean open = true;

  /**
   * Begins here.
   *
   * @param pack gets a tensor without its history and answers what stands for it, not null; on this thread
   * @param unpack answers a tensor of the same shape, dtype and device for that; on the thread that runs backward
   */
  public SavedTensorHooks(Function<Tensor, Object> pack, Function<Object, Tensor> unpack) {
    Haft.pushSavedTensorHooks(
        new SavedTensors(Objects.requireNonNull(pack, "pack"), Objects.requireNonNull(unpack, "unpack")));
  }

  @Override
  public void close() {
    if (!open) return;
    if (Thread.currentThread() != owner) throw new IllegalStateException("a mode of a thread ends in that thread");
    open = false;
    Haft.popSavedTensorHooks();
  }
}
