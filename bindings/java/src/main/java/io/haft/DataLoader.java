package io.haft;

import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Batches of a dataset. Every loop over it is an epoch; what an epoch holds depends on the seed alone, never on the number
 * of workers. The loop closes each batch when it asks for the next one, unless {@link Batch#keep} was called.
 *
 * <pre>{@code
 * try (DataLoader loader = new DataLoader(data, new DataLoader.Options().batchSize(64).shuffle(true).workers(2))) {
 *   for (Batch batch : loader) train(batch.get(0), batch.get(1));
 * }
 * }</pre>
 */
public class DataLoader extends LoaderOperators implements Iterable<Batch> {
  /** How batches are made. */
  public static final class Options {
    private long batchSize = 1;
    private boolean shuffle = false;
    private boolean dropLast = false;
    private int workers = 0;
    private int prefetch = 0;
    private int transformField = 0;
    private long seed = Index.NONE;
    private long numSamples = Index.NONE;
    private Tensor indices = null;
    private Tensor weights = null;
    private boolean replacement = false;
    private int numReplicas = 0;
    private int rank = 0;
    private boolean dropUneven = false;
    private Device device = null;
    private boolean pinMemory = false;
    private Transform[] transforms = {};

    /**
     * Items in a batch; default 1.
     *
     * @param batchSize items in a batch
     * @return this
     */
    public Options batchSize(long batchSize) {
      this.batchSize = batchSize;
      return this;
    }

    /**
     * Whether every epoch has an order of its own; default false.
     *
     * @param shuffle whether the order is random
     * @return this
     */
    public Options shuffle(boolean shuffle) {
      this.shuffle = shuffle;
      return this;
    }

    /**
     * Whether a last batch that is smaller is left out; default false.
     *
     * @param dropLast whether an incomplete batch at the end is left out
     * @return this
     */
    public Options dropLast(boolean dropLast) {
      this.dropLast = dropLast;
      return this;
    }

    /**
     * Threads that make batches ahead; default 0.
     *
     * @param workers threads; 0: in the calling one
     * @return this
     */
    public Options workers(int workers) {
      this.workers = workers;
      return this;
    }

    /**
     * Batches ahead; 0: 2 for each worker and 2 more.
     *
     * @param prefetch batches made ahead by all workers together
     * @return this
     */
    public Options prefetch(int prefetch) {
      this.prefetch = prefetch;
      return this;
    }

    /**
     * The field that goes through the transforms; default 0.
     *
     * @param transformField which field of the items, from 0
     * @return this
     */
    public Options transformField(int transformField) {
      this.transformField = transformField;
      return this;
    }

    /**
     * Seed of the order and of random transforms; without it one is drawn.
     *
     * @param seed where the numbers begin
     * @return this
     */
    public Options seed(long seed) {
      this.seed = seed;
      return this;
    }

    /**
     * Items of an epoch; without it all.
     *
     * @param numSamples items in an epoch
     * @return this
     */
    public Options numSamples(long numSamples) {
      this.numSamples = numSamples;
      return this;
    }

    /**
     * Only these items.
     *
     * @param indices the items to draw from; null: all
     * @return this
     */
    public Options indices(Tensor indices) {
      this.indices = indices;
      return this;
    }

    /**
     * Draws items with these weights.
     *
     * @param weights how often each item is drawn; null: all alike
     * @return this
     */
    public Options weights(Tensor weights) {
      this.weights = weights;
      return this;
    }

    /**
     * Whether an item may be drawn twice; default false.
     *
     * @param replacement whether an item may come twice
     * @return this
     */
    public Options replacement(boolean replacement) {
      this.replacement = replacement;
      return this;
    }

    /**
     * Processes that share the items: each draws the same order and visits every numReplicas-th item of it, from its rank on; default 1. With
     * more than one and without a seed, the seed is 0, the same on all.
     *
     * @param numReplicas how many processes there are
     * @return this
     */
    public Options numReplicas(int numReplicas) {
      this.numReplicas = numReplicas;
      return this;
    }

    /**
     * The number of this one among them; default 0.
     *
     * @param rank 0 to numReplicas - 1
     * @return this
     */
    public Options rank(int rank) {
      this.rank = rank;
      return this;
    }

    /**
     * Whether what is left over is dropped, so that their parts are equal; default false: they go on from the start.
     *
     * @param dropUneven whether so
     * @return this
     */
    public Options dropUneven(boolean dropUneven) {
      this.dropUneven = dropUneven;
      return this;
    }

    /**
     * Where batches go, on a stream of the loader's own, beside what the device computes; the thread's current stream waits for them.
     * Default: they stay on the host.
     *
     * @param device the device
     * @return this
     */
    public Options device(Device device) {
      this.device = device;
      return this;
    }

    /**
     * Whether batches stay on the host, in memory that the {@link #device} reads by itself, for the program to copy; default false.
     *
     * @param pinMemory whether so
     * @return this
     */
    public Options pinMemory(boolean pinMemory) {
      this.pinMemory = pinMemory;
      return this;
    }

    /**
     * Applied in this order.
     *
     * @param transforms what is done with it, in order
     * @return this
     */
    public Options transforms(Transform... transforms) {
      this.transforms = transforms;
      return this;
    }
  }

  /**
   * Where a loader stands.
   *
   * @param seed in use
   * @param epoch from 0
   * @param batch batches delivered in this epoch
   */
  public record State(long seed, long epoch, long batch) {}

  private volatile Iterator<Batch> current;  // of the loop that has the epoch
  private volatile boolean interrupted;      // a next() was, and stopped the epoch where it stood

  private DataLoader(long handle) {
    super(LOADER, handle);
  }

  /**
   * With a batch size, in the order of the dataset.
   *
   * @param dataset what is loaded
   * @param batchSize items in a batch
   */
  public DataLoader(Dataset dataset, long batchSize) {
    this(dataset, new Options().batchSize(batchSize));
  }

  /**
   * With options.
   *
   * @param dataset what is loaded
   * @param o the options
   */
  public DataLoader(Dataset dataset, Options o) {
    super(LOADER, create(dataset, o));
  }

  static DataLoader adopt(long handle) {
    return new DataLoader(handle);
  }

  private static long create(Dataset dataset, Options o) {
    NativeDataset d = dataset.open();
    try {
      return Haft.makeLoader(d, o.batchSize, o.shuffle, o.dropLast, o.workers, o.prefetch, o.transformField, o.seed, o.transforms, o.numSamples, o.indices,
          o.weights, o.replacement, o.numReplicas, o.rank, o.dropUneven, o.device, o.pinMemory).steal();
    } finally {
      if (!(dataset instanceof Dataset.Held)) d.close();
    }
  }

  /**
   * Waits for the next batch. A thread that is interrupted comes back at once with {@link CancelledException} and its interrupt
   * status set, unless the batch is there; the next call gets the batch.
   *
   * @return the next batch of this epoch; null at its end
   */
  public Batch next() {
    if (interrupted) {
      interrupted = false;
      setState(state());  // what was made ahead is made again
    }
    long[] fields = Interrupts.run(this::interrupt, () -> Native.loaderNext(handle(), this));
    if (fields != null) return new Batch(Tensor.adopt(fields));
    if (!interrupted) return null;
    Thread.currentThread().interrupt();  // whatever became of it meanwhile
    throw Interrupts.cancelled("it waits no longer for a batch");
  }

  /** Wakes who waits for a batch; the epoch goes on with the next call. */
  void interrupt() {
    interrupted = true;
    super.cancel();
  }

  /** Ends the epoch from any thread: next(), also one that waits, answers null until reset(). */
  @Override
  public void cancel() {
    interrupted = false;
    super.cancel();
  }

  /** What loops over this loader ends: somebody else takes its batches. */
  void takeOver() {
    current = null;
  }

  /** {@return a new epoch; a loop over the one before ends with an IllegalStateException} */
  @Override
  public Iterator<Batch> iterator() {
    reset();
    Iterator<Batch> epoch = new Iterator<>() {
      private Batch last, ahead;
      private boolean over;

      @Override
      public boolean hasNext() {
        if (ahead != null || over) return ahead != null;
        if (last != null) last.release();
        last = null;
        if (current != this) throw new IllegalStateException("another loop over this loader has begun an epoch of its own; use a loader for each");
        ahead = DataLoader.this.next();
        over = ahead == null;
        return !over;
      }

      @Override
      public Batch next() {
        if (!hasNext()) throw new NoSuchElementException("the epoch is over");
        last = ahead;
        ahead = null;
        return last;
      }
    };
    current = epoch;
    return epoch;
  }

  /** {@return where the loader stands} */
  public State state() {
    long[] s = Native.loaderState(handle(), this);
    return new State(s[0], s[1], s[2]);
  }

  /**
   * Goes there, with the same batches to come.
   *
   * @param s the state
   */
  public void setState(State s) {
    Native.setLoaderState(handle(), this, s.seed, s.epoch, s.batch);
  }

  /** Ends the epoch, also for a thread that waits for a batch, and gives the loader up. */
  @Override
  public void close() {
    try {
      if (!isClosed()) cancel();
    } catch (ClosedException e) {
      // by another thread meanwhile
    }
    super.close();
  }
}
