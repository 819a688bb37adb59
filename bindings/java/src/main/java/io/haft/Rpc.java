package io.haft;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * This process' agent: it registers functions by name, and calls those of the job's other processes (docs/asynchronous-training.md).
 *
 * <pre>{@code
 * try (Rendezvous job = Rendezvous.meet("env://"); Rpc rpc = new Rpc(job.store(), job.rank(), job.worldSize())) {
 *   rpc.register("twice", (arguments, caller) -> RpcMessage.of(arguments.tensor(0).mul(2)));
 *   rpc.start();
 *   try (RpcMessage answer = rpc.call(1, "twice", x).join()) {
 *     ...
 *   }
 *   rpc.shutdown();
 * }
 * }</pre>
 *
 * <p>A call is answered exactly once: by the function, by its time limit ({@link TimeLimitException}), or with {@link PeerLostException} as soon
 * as the peer's connection ends. What a function throws is its caller's failure: an exception of haft arrives as its class, others as
 * {@link HaftException} (those of arguments as {@link InvalidArgumentException}), with the peer and the function before the text.
 *
 * <p>Who knows the job's secret may call what is registered. Since 1.0.
 */
public class Rpc extends RpcOperators {
  /** What an agent is made with. */
  public static final class Options {
    private int threads = 16;
    private long timeout = 60_000_000, maxMessageBytes = 1L << 30;
    private String name = "", host = "", secret, job = "";

    /**
     * Functions that run at once, at most; default: 16. Functions that wait for each other in a circle want more than the circle is long.
     *
     * @param threads how many
     * @return this
     */
    public Options threads(int threads) {
      this.threads = threads;
      return this;
    }

    /**
     * How long a call may take that names no time; default: a minute.
     *
     * @param timeout how long
     * @return this
     */
    public Options timeout(Duration timeout) {
      this.timeout = Times.required("timeout", timeout);
      return this;
    }

    /**
     * The most that one call or answer may hold; larger ones are refused on both sides; default: 1 GiB.
     *
     * @param bytes how many
     * @return this
     */
    public Options maxMessageBytes(long bytes) {
      maxMessageBytes = bytes;
      return this;
    }

    /**
     * Of this process; default: "worker" and its rank.
     *
     * @param name differs between processes
     * @return this
     */
    public Options name(String name) {
      this.name = Objects.requireNonNull(name, "name is null");
      return this;
    }

    /**
     * The address to listen at, by which others reach it; default: 127.0.0.1 where the launcher started all processes on one machine, else
     * the interface towards rank 0's.
     *
     * @param host the address
     * @return this
     */
    public Options host(String host) {
      this.host = Objects.requireNonNull(host, "host is null");
      return this;
    }

    /**
     * What processes must know to be let in; default: the environment variable HAFT_SECRET.
     *
     * @param secret the secret; empty: none
     * @return this
     */
    public Options secret(String secret) {
      this.secret = Objects.requireNonNull(secret, "secret is null; \"\" is none");
      return this;
    }

    /**
     * Tells the agents of one store apart; default: "rpc".
     *
     * @param job the same on all processes
     * @return this
     */
    public Options job(String job) {
      this.job = Objects.requireNonNull(job, "job is null");
      return this;
    }
  }

  /** What the shim calls. */
  @FunctionalInterface
  interface Called {
    void call(RpcRequest request) throws Exception;
  }

  /** Hears that a call is answered. */
  @FunctionalInterface
  interface Answered {
    void done(RpcFuture future);
  }

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * An agent that listens, but is known to nobody yet: register functions, then start it.
   *
   * @param store where agents find each other; the agent keeps it
   * @param rank this one's number, 0 to size - 1
   * @param size how many processes there are
   */
  public Rpc(Store store, int rank, int size) {
    this(store, rank, size, new Options());
  }

  /**
   * An agent that listens, but is known to nobody yet: register functions, then start it.
   *
   * @param store where agents find each other; the agent keeps it
   * @param rank this one's number, 0 to size - 1
   * @param size how many processes there are
   * @param o the options
   */
  public Rpc(Store store, int rank, int size, Options o) {
    super(RPC, AsynchronousCalls.makeRpc(store, rank, size, o.threads, o.timeout, o.maxMessageBytes, o.name, o.host, o.secret != null,
        o.secret == null ? "" : o.secret, o.job).steal());
  }

  private Rpc(long handle) {
    super(RPC, handle);
  }

  static Rpc adopt(long handle) {
    return new Rpc(handle);
  }

  /**
   * Registers a function that other processes may call; one of the same name is replaced. It runs on a thread of the agent, in a scope of its
   * own: when it returns, its arguments and the tensors that it made are closed, those of its answer when they are on their way. What shall
   * stay is taken out by {@code Scope.current().keep(t)}.
   *
   * @param name what they call it by. What peers call at once is registered before the start
   * @param function what runs
   */
  public void register(String name, RpcFunction function) {
    Objects.requireNonNull(function, "function is null; removeFunction takes one away");
    Haft.rpcRegister(this, name, request -> {
      Scope scope = Scope.enterCallback();
      try {
        request.reply(function.apply(request.arguments(), request.caller()));
      } catch (Throwable t) {
        refuse(request, t);
      } finally {
        request.close();
        scope.leaveCallback();
      }
    });
  }

  /**
   * Registers a function that answers later, from any thread. It begins on a thread of the agent, which is free again when it returns. Its
   * arguments belong to no scope: they are closed when the answer has gone, as the answer's tensors are. What else it makes is its own to close.
   *
   * @param name what others call it by. What peers call at once is registered before the start
   * @param function what runs
   */
  public void registerAsync(String name, RpcAsyncFunction function) {
    Objects.requireNonNull(function, "function is null; removeFunction takes one away");
    Haft.rpcRegister(this, name, request -> {
      Scope here = Scope.suspend();
      RpcMessage arguments = null;
      try {
        RpcMessage came = arguments = request.arguments();
        CompletionStage<RpcMessage> answer = Objects.requireNonNull(function.apply(came, request.caller()), "the function answered null instead of a stage");
        answer.whenComplete((message, failure) -> finish(request, came, message, failure));
      } catch (Throwable t) {
        finish(request, arguments, null, t);
      } finally {
        Scope.resume(here);
      }
    });
  }

  private static void finish(RpcRequest request, RpcMessage arguments, RpcMessage answer, Throwable failure) {
    try {
      if (failure == null) request.reply(answer);
      else refuse(request, failure);
    } catch (Throwable t) {
      refuse(request, t);
    } finally {
      request.close();
      if (arguments != null) arguments.close();
      if (answer != null) answer.close();
    }
  }

  private static void refuse(RpcRequest request, Throwable t) {
    try {
      request.fail(t);
    } catch (RuntimeException e) {
      t.addSuppressed(e);  // nobody is left who could be told
    }
  }

  /**
   * Tells the others where this agent is, and waits until all have come, for five minutes at most. A process that takes the rank of one that
   * has ended is found by the others at their next call.
   */
  public void start() {
    start(PATIENCE);
  }

  /**
   * Tells the others where this agent is, and waits until all have come; an interruption does not end it.
   *
   * @param timeout how long to wait; null: no limit
   * @throws TimeLimitException naming the ranks that are missing
   * @throws InvalidArgumentException another process has this name
   */
  public void start(Duration timeout) {
    AsynchronousCalls.start(this, Times.micros("timeout", timeout));
  }

  /** Waits until no call is under way on any rank that lives, for five minutes at most, then ends the agent: all processes call it. */
  public void shutdown() {
    shutdown(PATIENCE);
  }

  /**
   * Waits until no call is under way on any rank that lives, then ends the agent: all processes call it. An interruption does not end it.
   *
   * @param timeout how long to wait; null: no limit
   * @throws TimeLimitException naming what is waited for: the agent goes on
   */
  public void shutdown(Duration timeout) {
    AsynchronousCalls.shutdown(this, Times.micros("timeout", timeout));
  }

  /** {@return the name of this process} */
  public String name() {
    return nameOf(-1);
  }

  /**
   * The name of a process.
   *
   * @param rank its rank
   * @return its name
   */
  public String nameOf(int rank) {
    return AsynchronousCalls.nameOf(this, rank);
  }

  /**
   * Begins a call with the agent's time limit.
   *
   * @param to the rank that is called; this one's own is allowed
   * @param function its name there
   * @param tensors the arguments, which may change once this returns
   * @return the answer, as below
   */
  public CompletableFuture<RpcMessage> call(int to, String function, Tensor... tensors) {
    return call(to, function, RpcMessage.of(tensors), null);
  }

  /**
   * Begins a call. The answer's tensors belong to no {@link Scope}: whoever takes them closes them. Completing the future otherwise, for
   * instance by cancel() or orTimeout(), does not stop the call. Stages that depend on it run on a thread of the agent, one of its
   * {@code threads}, unless they name an executor.
   *
   * @param to the rank that is called; this one's own is allowed
   * @param function its name there
   * @param arguments may change once this returns, and stay the caller's to close
   * @param timeout until the answer is there; null: the agent's
   * @return the answer once it is there, or what the call failed with
   * @throws PeerLostException the process has ended
   * @throws QueueFullException too much waits for it already
   * @throws TimeLimitException it lets nobody in
   */
  public CompletableFuture<RpcMessage> call(int to, String function, RpcMessage arguments, Duration timeout) {
    long limit = Times.micros("timeout", timeout);
    CompletableFuture<RpcMessage> answer = new CompletableFuture<>();
    try (RpcFuture begun = AsynchronousCalls.call(this, to, function, arguments.bytes(), limit, arguments.tensors())) {
      Haft.futureOnDone(begun, future -> {
        RpcMessage came;
        try (future) {
          came = new RpcMessage(AsynchronousCalls.answerTensors(future), AsynchronousCalls.answerBytes(future));
          java.lang.ref.Reference.reachabilityFence(this);  // until now: an agent that is collected ends its calls
        } catch (Throwable t) {
          answer.completeExceptionally(t);
          return;
        }
        if (!answer.complete(came)) came.close();
      });
    }
    return answer;
  }
}
