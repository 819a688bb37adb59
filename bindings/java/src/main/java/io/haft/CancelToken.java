package io.haft;

/**
 * Cancels what threads compute: inside {@link #use} a thread's operators throw {@link CancelledException} once any thread
 * calls cancel().
 *
 * <pre>{@code
 * CancelToken token = new CancelToken();  // another thread calls token.cancel()
 * try (CancelToken.Use use = token.use()) {
 *   train(net, loader);
 * }
 * }</pre>
 */
public class CancelToken extends CancelTokenOperators {
  /** What ends the use of a token. */
  @FunctionalInterface
  public interface Use extends AutoCloseable {
    @Override
    void close();
  }

  /** Not cancelled. */
  public CancelToken() {
    super(CANCEL_TOKEN, Haft.makeCancelToken().steal());
  }

  private CancelToken(long handle) {
    super(CANCEL_TOKEN, handle);
  }

  static CancelToken adopt(long handle) {
    return new CancelToken(handle);
  }

  /**
   * This thread's operators obey the token until the answer is closed. Uses do not nest.
   *
   * @return what ends the use when it is closed
   */
  public Use use() {
    Native.setCancelToken(handle(), this);
    return () -> Native.setCancelToken(0, null);
  }
}
