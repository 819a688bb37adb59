package io.haft;

/**
 * Items by number, each a tensor a field. Derive from it to compute your own:
 *
 * <pre>{@code
 * class Squares extends Dataset {
 *   public long size() { return 1000; }
 *   public Tensor[] get(long i) {
 *     return new Tensor[] {Tensor.scalar((double) i), Tensor.scalar((double) (i * i))};
 *   }
 * }
 * }</pre>
 *
 * All items are alike in dtypes and sizes. A loader with workers calls get on several threads at once, and closes the
 * tensors made inside once it has copied them; {@code Scope.current().keep(t)} keeps one for later items.
 */
public abstract class Dataset implements AutoCloseable {
  /** Items as a function. */
  @FunctionalInterface
  public interface Items {
    /**
     * One item.
     *
     * @param index which one, from 0
     */
    Tensor[] get(long index);
  }

  /** {@return number of items} */
  public abstract long size();

  /**
   * One item, 0 &lt;= index &lt; size.
   *
   * @param index which one, from 0
   * @return the fields of the item
   */
  public abstract Tensor[] get(long index);

  /**
   * A dataset from a function.
   *
   * @param size how many items
   * @param items computes an item; called on the loader's threads
   * @return a dataset from a function
   */
  public static Dataset of(long size, Items items) {
    return new Dataset() {
      @Override
      public long size() {
        return size;
      }

      @Override
      public Tensor[] get(long index) {
        return items.get(index);
      }
    };
  }

  /** What the loader reads; closed after use unless it is the dataset's own. */
  NativeDataset open() {
    try (Scope scope = new Scope()) {
      return Haft.makeDataset(size(), size() > 0 ? get(0) : new Tensor[0], this::get);
    }
  }

  /** Gives up what the dataset holds. */
  @Override
  public void close() {}

  /** A dataset that the engine holds. */
  abstract static class Held extends Dataset {
    private final NativeDataset held;

    Held(NativeDataset held) {
      this.held = held;
    }

    @Override
    public long size() {
      return held.size();
    }

    @Override
    public Tensor[] get(long index) {
      return held.item(index);
    }

    /**
     * The labels of all items, without reading the rest of them.
     *
     * @return int64 (size)
     */
    public Tensor targets() {
      return held.targets();
    }

    @Override
    NativeDataset open() {
      return held;
    }

    @Override
    public void close() {
      held.close();
    }
  }
}
