package io.haft;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Holds parameters, or a part of them when there are several servers, and steps them with an optimizer; workers push gradients and pull
 * values with a {@link ParameterClient}. It serves on the threads of its agent until it is closed. docs/asynchronous-training.md tells how it
 * behaves. Since 1.0.
 */
public class ParameterServer extends ParameterServerOperators {
  /** When a worker's step is answered. */
  public enum Mode {
    /** When all workers that live have made it: their mean gradient is applied once. */
    SYNCHRONOUS,
    /** At once: gradients are applied as they come. */
    ASYNCHRONOUS,
    /** So, but when the slowest worker is at most {@code staleness} steps behind. */
    BOUNDED
  }

  /** What a server is made with. */
  public static final class Options {
    private Mode mode = Mode.SYNCHRONOUS;
    private int workers = 1;
    private long staleness;
    private String name = "parameters", optimizer = "SGD", snapshot = "";
    private final List<String> names = new ArrayList<>();
    private final List<Double> values = new ArrayList<>();

    /**
     * When a worker's step is answered; default: SYNCHRONOUS.
     *
     * @param mode when
     * @return this
     */
    public Options mode(Mode mode) {
      this.mode = Objects.requireNonNull(mode, "mode is null");
      return this;
    }

    /**
     * Workers that are waited for at the beginning; default: 1.
     *
     * @param workers how many
     * @return this
     */
    public Options workers(int workers) {
      this.workers = workers;
      return this;
    }

    /**
     * Of BOUNDED: how far the slowest worker may be behind; default: 0.
     *
     * @param steps how many
     * @return this
     */
    public Options staleness(long steps) {
      staleness = steps;
      return this;
    }

    /**
     * Servers that work together have the same name; default: "parameters".
     *
     * @param name the name
     * @return this
     */
    public Options name(String name) {
      this.name = Objects.requireNonNull(name, "name is null");
      return this;
    }

    /**
     * What steps the parameters: "SGD", "Adam", ...; default: "SGD".
     *
     * @param optimizer its name
     * @return this
     */
    public Options optimizer(String optimizer) {
      this.optimizer = Objects.requireNonNull(optimizer, "optimizer is null");
      return this;
    }

    /**
     * An option of the optimizer, one more with each call.
     *
     * @param name "lr", "momentum", ...
     * @param value its value
     * @return this
     */
    public Options option(String name, double value) {
      names.add(Objects.requireNonNull(name, "name is null"));
      values.add(value);
      return this;
    }

    /**
     * A file of {@link ParameterServer#save} to begin with, where there is one; default: none.
     *
     * @param path of the file
     * @return this
     */
    public Options snapshot(String path) {
      snapshot = Objects.requireNonNull(path, "path is null");
      return this;
    }
  }

  /**
   * What a server holds and who is there.
   *
   * @param workers that live
   * @param version synchronous: steps; otherwise pushes
   * @param slowest how many steps the slowest worker that lives has made
   * @param fastest how many the fastest
   * @param waiting steps that are not answered yet
   * @param parameters and tables, of which this server has a part
   * @param elements of this server's part
   * @param rows of tables that have been used
   */
  public record Info(int workers, long version, long slowest, long fastest, long waiting, long parameters, long elements, long rows) {}

  private final Rpc rpc;  // reachable as long as this is

  /**
   * Makes this process a parameter server.
   *
   * @param rpc an agent that is started; the server keeps it
   * @param o the options
   * @throws InvalidArgumentException naming the optimizers that there are
   * @throws FileException the snapshot is none
   */
  public ParameterServer(Rpc rpc, Options o) {
    super(PARAMETER_SERVER, AsynchronousCalls.makeServer(rpc, o.mode.ordinal(), o.workers, o.optimizer, o.staleness, o.name, o.snapshot,
        o.values.stream().mapToDouble(Double::doubleValue).toArray(), o.names.toArray(new String[0])).steal());
    this.rpc = rpc;
  }

  private ParameterServer(long handle) {
    super(PARAMETER_SERVER, handle);
    rpc = null;
  }

  static ParameterServer adopt(long handle) {
    return new ParameterServer(handle);
  }

  /** {@return the agent that it serves by} */
  public Rpc rpc() {
    return rpc;
  }

  /** {@return what it holds and who is there} */
  public Info info() {
    long[] n = AsynchronousCalls.serverNumbers(this);
    return new Info((int) n[ServerPlaces.workers], n[ServerPlaces.version], n[ServerPlaces.slowest], n[ServerPlaces.fastest],
        n[ServerPlaces.waiting], n[ServerPlaces.parameters], n[ServerPlaces.elements], n[ServerPlaces.rows]);
  }
}
