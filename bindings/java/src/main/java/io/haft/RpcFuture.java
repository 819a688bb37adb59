package io.haft;

/** The answer of a call of another process. Closing it does not stop the call. */
final class RpcFuture extends FutureOperators {
  private RpcFuture(long handle) {
    super(FUTURE, handle);
  }

  static RpcFuture adopt(long handle) {
    return new RpcFuture(handle);
  }
}
