package io.haft;

import java.io.ObjectInputFilter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Ranks, processes of one or many machines or threads of one process, that call collectives together and send each other
 * messages. Every rank calls the same collectives in the same order, with fitting arguments. What ends in Async answers a
 * {@link Work} at once; its tensors are not to be changed until that is done.
 *
 * <pre>{@code
 * try (ProcessGroup world = ProcessGroup.init("env://")) {  // haft-run --nproc-per-node 4 java ...
 *   world.allReduce(gradient, ReduceOp.AVG);
 *   try (Work work = world.allReduceAsync(bucket)) {
 *     ...
 *     work.await();
 *   }
 * }
 * }</pre>
 *
 * <p>A group dies as a whole: when ranks have called different things ({@link MismatchException}), when one is gone
 * ({@link PeerLostException}) or late ({@link TimeLimitException}), when somebody aborts it ({@link CancelledException}). Calls under way
 * and all later ones fail so on every rank. Make a new group then, also of fewer ranks.
 *
 * <p>A thread that is interrupted in a call that waits (not in one that ends in Async) aborts the group, because the call cannot be left half
 * done: it comes back with {@link CancelledException} and its interrupt status set, and the other ranks are told why. This is as with the
 * channels of java.nio, which an interruption closes. {@link Work#await()} leaves the group alone.
 */
public class ProcessGroup extends ProcessGroupOperators {
  /** As the peer of recv: whoever is first. */
  public static final int ANY_SOURCE = -1;

  /** What a group is made with. */
  public static final class Options {
    private long timeout = 300_000_000;
    private String engine = "", name = "";

    /**
     * How long every call may take, and the making of the group; default: five minutes.
     *
     * @param timeout how long
     * @return this
     */
    public Options timeout(Duration timeout) {
      this.timeout = Times.required("timeout", timeout);
      return this;
    }

    /**
     * What moves the data, for instance "shm" within a host; default: the fastest that reaches all ranks.
     *
     * @param engine its name
     * @return this
     */
    public Options engine(String engine) {
      this.engine = Objects.requireNonNull(engine, "engine is null");
      return this;
    }

    /**
     * Tells groups of one store apart; default: "default". Subgroups have names made of their group's.
     *
     * @param name the name
     * @return this
     */
    public Options name(String name) {
      this.name = Objects.requireNonNull(name, "name is null");
      return this;
    }
  }

  /**
   * What a group is and whether it lives.
   *
   * @param rank of this process
   * @param size how many ranks there are
   * @param failure the {@link HaftFailure#code} that it died of; 0: it lives
   * @param culprit the rank at fault, as far as one is known; -1
   * @param issued collectives of this rank so far
   * @param finished those of them that are done
   * @param timeout of every call that gives none of its own
   * @param engine what moves the data
   * @param name tells groups of one store apart
   */
  public record Info(int rank, int size, int failure, int culprit, long issued, long finished, Duration timeout, String engine, String name) {}

  /**
   * Waits until all ranks have come.
   *
   * @param store where they find each other; the group keeps it
   * @param rank this one's number, 0 to size - 1
   * @param size how many there are
   */
  public ProcessGroup(Store store, int rank, int size) {
    this(store, rank, size, new Options());
  }

  /**
   * Waits until all ranks have come; an interruption does not end it.
   *
   * @param store where they find each other; the group keeps it
   * @param rank this one's number, 0 to size - 1
   * @param size how many there are
   * @param o the options
   * @throws TimeLimitException naming the ranks that have not come
   */
  public ProcessGroup(Store store, int rank, int size, Options o) {
    super(PROCESS_GROUP, Haft.makeGroup(store, rank, size, o.engine, o.name, o.timeout).steal());
  }

  private ProcessGroup(long handle) {
    super(PROCESS_GROUP, handle);
  }

  static ProcessGroup adopt(long handle) {
    return handle == 0 ? null : new ProcessGroup(handle);
  }

  /**
   * The group of all processes of the job, which meet at a url.
   *
   * @param url as {@link Rendezvous#meet(String)} takes it; env:// takes everything from the launcher
   * @return the group
   */
  public static ProcessGroup init(String url) {
    return init(url, new Options());
  }

  /**
   * The group of all processes of the job, which meet at a url.
   *
   * @param url as {@link Rendezvous#meet(String)} takes it; env:// takes everything from the launcher
   * @param o the options; the meeting takes as long as a call at most
   * @return the group
   */
  public static ProcessGroup init(String url, Options o) {
    try (Rendezvous job = Rendezvous.meet(url, -1, -1, Duration.ofNanos(Math.multiplyExact(Math.min(o.timeout, Long.MAX_VALUE / 1000), 1000)))) {
      return new ProcessGroup(job.store(), job.rank(), job.worldSize(), o);
    }
  }

  /**
   * A group of some ranks of this one, in the order given. All ranks of this group call it, in the same order.
   *
   * @param ranks different ranks of it
   * @param o the options; the name is made of this group's
   * @return a new group; null for a rank that is not among them
   */
  public ProcessGroup subgroup(long[] ranks, Options o) {
    return Haft.makeSubgroup(this, ranks, o.engine, o.timeout);
  }

  /**
   * A group of the ranks that give the same color. All ranks of this group call it, in the same order.
   *
   * @param color 0 or more; negative: this rank joins none
   * @param key the order of ranks in the new group; of equal ones that of this
   * @param o the options; the name is made of this group's
   * @return a new group; null for a negative color
   */
  public ProcessGroup split(long color, long key, Options o) {
    return Haft.makeSplit(this, color, key, o.engine, o.timeout);
  }

  /** {@return what the group is and whether it lives} */
  public Info info() {
    long[] n = Haft.groupNumbers(this);
    return new Info(rank(), size(), (int) n[GroupPlaces.failure], (int) n[GroupPlaces.culprit], n[GroupPlaces.issued], n[GroupPlaces.finished],
        Duration.of(n[GroupPlaces.timeoutUs], ChronoUnit.MICROS), Haft.groupEngine(this), Haft.groupName(this));
  }

  /** Waits until all ranks have come. */
  public void barrier() {
    barrierFor(Times.NO_LIMIT);
  }

  /**
   * Waits until all ranks have come; those that have not within the time are named to all that have.
   *
   * @param timeout instead of the group's
   */
  public void barrier(Duration timeout) {
    barrierFor(Times.required("timeout", timeout));
  }

  /** {@return the call that was begun: done when all ranks have come} */
  public Work barrierAsync() {
    return barrierForAsync(Times.NO_LIMIT);
  }

  /**
   * Begins to wait until all ranks have come; those that have not within the time are named to all that have.
   *
   * @param timeout instead of the group's
   * @return the call that was begun
   */
  public Work barrierAsync(Duration timeout) {
    return barrierForAsync(Times.required("timeout", timeout));
  }

  /**
   * Collectives of Java objects of the JDK's own kinds: strings, numbers, collections, arrays, times. Other classes are refused.
   *
   * @return the calls
   */
  public ObjectCollectives objects() {
    return objects(ObjectCollectives.JAVA_BASE);
  }

  /**
   * Collectives of Java objects.
   *
   * @param filter says which classes may come from the other ranks, for instance
   *     {@code ObjectInputFilter.Config.createFilter("com.acme.train.*;java.base/*;!*")}
   * @return the calls
   */
  public ObjectCollectives objects(ObjectInputFilter filter) {
    return new ObjectCollectives(this, filter);
  }

  /** Runs a call that waits; an interruption ends it, and so the group. */
  static <T> T run(ProcessGroupOperators group, Supplier<T> call) {
    return Interrupts.run(() -> group.abort("the thread of rank " + group.rank() + " that waited in a call was interrupted"), call);
  }
}
