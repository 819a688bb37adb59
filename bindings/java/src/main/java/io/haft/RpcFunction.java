package io.haft;

/** A function that other processes call by its name; {@link Rpc#register} says how it runs. Since 1.0. */
@FunctionalInterface
public interface RpcFunction {
  /**
   * Computes the answer.
   *
   * @param arguments what came
   * @param caller the rank of who calls
   * @return what goes back; null: nothing
   * @throws Exception becomes the caller's failure: its status and its text
   */
  RpcMessage apply(RpcMessage arguments, int caller) throws Exception;
}
