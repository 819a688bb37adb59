package io.haft;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;

/**
 * Where the processes of a job meet: keys with bytes that all of them see. For finding each other and agreeing, some calls a
 * second, never for data. Any thread may call anything; one that waits holds up no other.
 *
 * <p>A thread that waits for a key and is interrupted comes back within a quarter of a second with {@link CancelledException} and its
 * interrupt status set.
 *
 * <pre>{@code
 * try (Store store = Store.open("tcp://10.0.0.1:29500")) {
 *   store.set("address/3", "10.0.0.4:4711");
 *   String other = store.getString("address/0", Duration.ofSeconds(30));
 *   long number = store.add("joined", 1);  // no two processes get the same
 * }
 * }</pre>
 */
public class Store extends StoreOperators {
  private static final String WAITS_NO_LONGER = "it waits no longer for the key";

  /** How a store is reached. */
  public static final class Options {
    private boolean serve;
    private long timeout = 300_000_000;
    private String secret, run = "";

    /**
     * Whether this process holds the store of a tcp:// url, at that address and at no other; default: no.
     *
     * @param on whether so
     * @return this
     */
    public Options serve(boolean on) {
      serve = on;
      return this;
    }

    /**
     * How long to try to reach it; default: five minutes.
     *
     * @param timeout how long; null: no limit
     * @return this
     */
    public Options timeout(Duration timeout) {
      this.timeout = Times.micros("timeout", timeout);
      return this;
    }

    /**
     * What processes must know to use a tcp:// store; default: the environment variable HAFT_SECRET.
     *
     * @param secret the secret; empty: none
     * @return this
     */
    public Options secret(String secret) {
      this.secret = Objects.requireNonNull(secret, "secret is null; \"\" is none");
      return this;
    }

    /**
     * Keeps the keys of this run apart from others' in the same folder or server; default: nothing does.
     *
     * @param run differs between runs
     * @return this
     */
    public Options run(String run) {
      this.run = Objects.requireNonNull(run, "run is null");
      return this;
    }
  }

  private Store(long handle) {
    super(STORE, handle);
  }

  static Store adopt(long handle) {
    return new Store(handle);
  }

  /**
   * A store that several processes reach.
   *
   * @param url tcp://host:port, file:///folder, redis://user:password@host:port/database, etcd://host:port, or hash:// for this
   *     process alone
   * @return the store
   */
  public static Store open(String url) {
    return open(url, new Options());
  }

  /**
   * A store that several processes reach.
   *
   * @param url as above; with serve, port 0 is any free one, and ?bind=address listens there
   * @param o the options
   * @return the store; one that serves ends the store for all when it is closed
   */
  public static Store open(String url, Options o) {
    return Haft.makeStore(url, o.serve, o.timeout, o.secret != null, o.secret == null ? "" : o.secret, o.run);
  }

  /**
   * Sets a key for all.
   *
   * @param key its name, of 1 to 4096 bytes
   * @param value up to 16 MiB
   */
  public void set(String key, byte[] value) {
    Haft.storeSet(this, key, value);
  }

  /**
   * Sets a key for all to a text.
   *
   * @param key its name, of 1 to 4096 bytes
   * @param value stands there in UTF-8
   */
  public void set(String key, String value) {
    set(key, utf8(value, "value"));
  }

  private static byte[] utf8(String text, String name) {
    return Objects.requireNonNull(text, name + " is null").getBytes(StandardCharsets.UTF_8);
  }

  /**
   * What a key holds; waits until somebody has set it.
   *
   * @param key its name
   * @return the bytes
   */
  public byte[] get(String key) {
    return get(key, null);
  }

  /**
   * What a key holds; waits until somebody has set it.
   *
   * @param key its name
   * @param timeout how long to wait; null: no limit
   * @return the bytes
   * @throws TimeLimitException naming the key
   */
  public byte[] get(String key, Duration timeout) {
    long limit = Times.micros("timeout", timeout);
    return Interrupts.run(WAITS_NO_LONGER, token -> Haft.storeAwait(this, key, token, limit));
  }

  /**
   * The text that a key holds; waits until somebody has set it.
   *
   * @param key its name
   * @param timeout how long to wait; null: no limit
   * @return the text
   */
  public String getString(String key, Duration timeout) {
    return new String(get(key, timeout), StandardCharsets.UTF_8);
  }

  /**
   * Waits until all keys are there.
   *
   * @param timeout how long to wait; null: no limit
   * @param keys their names
   * @throws TimeLimitException naming the first key that is missing
   */
  public void await(Duration timeout, String... keys) {
    long limit = Times.micros("timeout", timeout);
    Interrupts.run(WAITS_NO_LONGER, token -> {
      Haft.storeAwaitAll(this, token, limit, keys);
      return null;
    });
  }

  /**
   * Sets a key if it holds what is expected, in one step for all processes.
   *
   * @param key its name
   * @param expected empty: the key holds nothing or is not there
   * @param desired what it shall hold
   * @return whether it holds {@code desired} now; else it is as it was
   */
  public boolean compareAndSet(String key, byte[] expected, byte[] desired) {
    return Haft.storeCompareSet(this, key, expected, desired);
  }

  /**
   * {@link #compareAndSet} that tells what the key holds then, whoever has set it.
   *
   * @param key its name
   * @param expected empty: the key holds nothing or is not there
   * @param desired what it shall hold
   * @return {@code desired}, or what stood there and stands; empty: the key is not there
   */
  public byte[] compareAndExchange(String key, byte[] expected, byte[] desired) {
    return Haft.storeCompareExchange(this, key, expected, desired);
  }

  /**
   * Sets a key for a time: a sign of life, which is gone unless it is given again.
   *
   * @param key its name
   * @param value up to 16 MiB
   * @param life above zero; etcd counts whole seconds
   */
  public void lease(String key, byte[] value, Duration life) {
    Haft.storeLease(this, key, value, Times.required("life", life));
  }
}
