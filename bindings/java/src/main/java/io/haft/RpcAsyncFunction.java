package io.haft;

import java.util.concurrent.CompletionStage;

/** A function that other processes call by its name, and that answers later; {@link Rpc#registerAsync} says how it runs. Since 1.0. */
@FunctionalInterface
public interface RpcAsyncFunction {
  /**
   * Begins to compute the answer.
   *
   * @param arguments what came; closed when the answer has gone
   * @param caller the rank of who calls
   * @return what goes back once it is there, null for nothing, or what becomes the caller's failure
   * @throws Exception becomes the caller's failure: its status and its text
   */
  CompletionStage<RpcMessage> apply(RpcMessage arguments, int caller) throws Exception;
}
