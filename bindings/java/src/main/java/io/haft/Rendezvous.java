package io.haft;

import java.time.Duration;
import java.util.Objects;

/**
 * The store of a job, and who this process is in it.
 *
 * @param store of the job; who has met the others closes it, groups made with it keep it
 * @param rank of this process
 * @param worldSize how many processes there are
 */
public record Rendezvous(Store store, int rank, int worldSize) implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /**
   * Waits until all processes of the job are there, five minutes at most.
   *
   * @param url one of {@link Store#open}'s, where rank 0 serves tcp:// and ?rank= and &amp;world_size= say who comes; env:// takes
   *     everything from the launcher's variables
   * @return the store, the rank and the number of processes
   */
  public static Rendezvous meet(String url) {
    return meet(url, -1, -1, PATIENCE);
  }

  /**
   * Waits until all processes of the job are there.
   *
   * @param url as above
   * @param rank of this process; -1: the url or the launcher says it
   * @param worldSize how many processes there are; -1: the url or the launcher says it
   * @param timeout how long to wait; null: no limit. An interruption does not end it
   * @return the store, the rank and the number of processes
   * @throws TimeLimitException naming the ranks that are missing
   */
  public static Rendezvous meet(String url, int rank, int worldSize, Duration timeout) {
    long[] met = Native.rendezvous(Objects.requireNonNull(url, "url is null"), rank, worldSize, Times.micros("timeout", timeout));
    return new Rendezvous(Store.adopt(met[0]), (int) met[1], (int) met[2]);
  }

  /** Closes the store. */
  @Override
  public void close() {
    store.close();
  }
}
