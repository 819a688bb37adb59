package io.haft;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * What goes to a function of another process, and what comes back: tensors and bytes. Tensors arrive as copies, those of devices on the CPU.
 * Since 1.0.
 *
 * @param tensors any number
 * @param bytes any number; not copied
 */
public record RpcMessage(Tensor[] tensors, byte[] bytes) implements AutoCloseable {
  private static final byte[] NO_BYTES = {};

  /**
   * Of tensors and bytes.
   *
   * @param tensors any number
   * @param bytes any number; not copied
   */
  public RpcMessage {
    Objects.requireNonNull(tensors, "tensors is null");
    Objects.requireNonNull(bytes, "bytes is null");
  }

  /**
   * Of tensors alone.
   *
   * @param tensors any number
   * @return the message
   */
  public static RpcMessage of(Tensor... tensors) {
    return new RpcMessage(tensors, NO_BYTES);
  }

  /**
   * Of a text, in UTF-8, and tensors.
   *
   * @param text becomes the bytes
   * @param tensors any number
   * @return the message
   */
  public static RpcMessage of(String text, Tensor... tensors) {
    return new RpcMessage(tensors, Objects.requireNonNull(text, "text is null").getBytes(StandardCharsets.UTF_8));
  }

  /**
   * One of its tensors.
   *
   * @param index which, from 0
   * @return the tensor
   */
  public Tensor tensor(int index) {
    return tensors[index];
  }

  /** {@return its bytes as a text, which they are in UTF-8} */
  public String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Closes its tensors. */
  @Override
  public void close() {
    for (Tensor t : tensors) if (t != null) t.close();
  }
}
