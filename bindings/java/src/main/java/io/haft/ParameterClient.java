package io.haft;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A worker of parameter servers. Its calls wait, for its time at most, and throw {@link PeerLostException} when a server has ended; an
 * interruption does not end them. docs/asynchronous-training.md tells how they behave. Since 1.0.
 *
 * <pre>{@code
 * try (ParameterClient client = new ParameterClient(rpc, 0, 1)) {  // the servers' ranks
 *   client.add("weight", weight);
 *   client.addTable("users", 1_000_000_000, 16, 0.01, 0, DType.FLOAT32);
 *   for (...) {
 *     client.pull(Map.of("weight", weight));
 *     Tensor rows = client.pullRows("users", ids);
 *     ...
 *     client.push(Map.of("weight", weight.grad()));
 *     client.pushRows("users", ids, rows.grad());
 *     client.step();
 *   }
 *   client.leave();
 * }
 * }</pre>
 */
public class ParameterClient extends ParameterClientOperators {
  private final Rpc rpc;  // reachable as long as this is

  /**
   * Makes this process a worker of the servers "parameters", with five minutes for every call. Waits until they are there.
   *
   * @param rpc an agent that is started; the worker keeps it
   * @param servers their ranks; all workers give the same, in the same order
   */
  public ParameterClient(Rpc rpc, long... servers) {
    this(rpc, servers, "parameters", Duration.ofMinutes(5));
  }

  /**
   * Makes this process a worker. Waits until the servers are there.
   *
   * @param rpc an agent that is started; the worker keeps it
   * @param servers their ranks; all workers give the same, in the same order
   * @param name of the servers
   * @param timeout of every call, also of a step that waits for others
   * @throws TimeLimitException naming the server that has not come
   */
  public ParameterClient(Rpc rpc, long[] servers, String name, Duration timeout) {
    super(PARAMETER_CLIENT, AsynchronousCalls.makeClient(rpc, servers, name, Times.required("timeout", timeout)).steal());
    this.rpc = rpc;
  }

  private ParameterClient(long handle) {
    super(PARAMETER_CLIENT, handle);
    rpc = null;
  }

  static ParameterClient adopt(long handle) {
    return new ParameterClient(handle);
  }

  /** {@return the agent by which it calls} */
  public Rpc rpc() {
    return rpc;
  }

  /**
   * Writes the servers' values into tensors; when it throws, none is changed.
   *
   * @param values tensors by the names that they were added under
   * @return how many steps each value has seen
   */
  public Map<String, Long> pull(Map<String, Tensor> values) {
    long[] versions = AsynchronousCalls.pull(this, values);
    Map<String, Long> out = new LinkedHashMap<>();
    int at = 0;
    for (String key : values.keySet()) out.put(key, versions[at++]);
    return out;
  }

  /**
   * Begins to send gradients, which {@link #step} waits for.
   *
   * @param gradients by the names that their parameters were added under; a null is none
   */
  public void push(Map<String, Tensor> gradients) {
    AsynchronousCalls.push(this, gradients);
  }
}
