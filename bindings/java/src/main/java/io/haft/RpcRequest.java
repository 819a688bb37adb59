package io.haft;

import java.util.concurrent.CompletionException;

/** A call of another process to a function of this one. */
final class RpcRequest extends RpcRequestOperators {
  private RpcRequest(long handle) {
    super(RPC_REQUEST, handle);
  }

  static RpcRequest adopt(long handle) {
    return new RpcRequest(handle);
  }

  int caller() {
    return AsynchronousCalls.requestCaller(this);
  }

  RpcMessage arguments() {
    return new RpcMessage(AsynchronousCalls.requestTensors(this), AsynchronousCalls.requestBytes(this));
  }

  void reply(RpcMessage answer) {
    RpcMessage m = answer == null ? RpcMessage.of() : answer;
    AsynchronousCalls.reply(this, m.bytes(), m.tensors());
  }

  void fail(Throwable thrown) {
    Throwable t = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    AsynchronousCalls.fail(this, Failures.status(t), t instanceof HaftFailure ? t.getMessage() : t.toString());
  }
}
