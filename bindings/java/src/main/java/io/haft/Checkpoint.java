package io.haft;

import java.util.Map;

/**
 * A file with all that training needs to go on with the same numbers: {@link #save} writes it whole or not at all, {@link
 * #load} restores the parts and answers the values that were saved beside them.
 */
public final class Checkpoint extends NativeObject {
  /** What is saved or restored. */
  public static final class Parts {
    private Module module;
    private Optimizer optimizer;
    private Scheduler scheduler;
    private Generator generator;
    private DataLoader loader;
    private boolean defaultGenerator = true;

    /**
     * Parameters and buffers.
     *
     * @param m a module
     * @return this
     */
    public Parts module(Module m) {
      module = m;
      return this;
    }

    /**
     * The optimizer's state.
     *
     * @param o an optimizer
     * @return this
     */
    public Parts optimizer(Optimizer o) {
      optimizer = o;
      return this;
    }

    /**
     * The schedule's state.
     *
     * @param s a schedule
     * @return this
     */
    public Parts scheduler(Scheduler s) {
      scheduler = s;
      return this;
    }

    /**
     * A generator of your own.
     *
     * @param g a generator
     * @return this
     */
    public Parts generator(Generator g) {
      generator = g;
      return this;
    }

    /**
     * The loader's position.
     *
     * @param l a loader, with its place in the epoch
     * @return this
     */
    public Parts loader(DataLoader l) {
      loader = l;
      return this;
    }

    /**
     * Whether the default generator is a part; default true.
     *
     * @param on whether the default generator is part
     * @return this
     */
    public Parts defaultGenerator(boolean on) {
      defaultGenerator = on;
      return this;
    }

    private long[] pack() {
      return new long[] {defaultGenerator ? 1 : 0, handle(module), handle(optimizer), handle(scheduler), handle(generator), handle(loader)};
    }
  }

  private static final int TEXT = 0, BOOL = 1, INT = 2, FLOAT = 3;

  private Checkpoint(long handle) {
    super(CHECKPOINT, handle);
  }

  /**
   * Writes the parts, and values of your own: Long, Integer, Double, Float, Boolean or String.
   *
   * @param path the file
   * @param parts what is stored or filled
   * @param values numbers and texts by their names; null: none
   */
  public static void save(String path, Parts parts, Map<String, ?> values) {
    int n = values.size(), i = 0;
    String[] keys = new String[n], texts = new String[n];
    int[] kinds = new int[n];
    long[] bits = new long[n];
    for (Map.Entry<String, ?> e : values.entrySet()) {
      keys[i] = e.getKey();
      Object v = e.getValue();
      if (v instanceof String s) {
        texts[i] = s;
      } else if (v instanceof Boolean b) {
        kinds[i] = BOOL;
        bits[i] = b ? 1 : 0;
      } else if (v instanceof Double || v instanceof Float) {
        kinds[i] = FLOAT;
        bits[i] = Double.doubleToRawLongBits(((Number) v).doubleValue());
      } else if (v instanceof Long || v instanceof Integer) {
        kinds[i] = INT;
        bits[i] = ((Number) v).longValue();
      } else {
        throw new IllegalArgumentException("save: '" + e.getKey() + "' is neither a number nor a text");
      }
      i++;
    }
    Native.saveCheckpoint(path, parts.pack(), parts, keys, texts, kinds, bits);
  }

  /**
   * Restores the parts.
   *
   * @param path the file
   * @param parts what is stored or filled
   * @return what the file holds beside the parts
   */
  public static Checkpoint load(String path, Parts parts) {
    return new Checkpoint(Native.loadCheckpoint(path, parts.pack(), parts));
  }

  /**
   * A value that was saved as a number.
   *
   * @param key its name in the file
   * @return a value that was saved as a number
   */
  public double number(String key) {
    long[] v = find(key);
    return v[0] == FLOAT ? Double.longBitsToDouble(v[1]) : v[1];
  }

  /**
   * A value that was saved as an integer or a Boolean.
   *
   * @param key its name in the file
   * @return a value that was saved as an integer or a Boolean
   */
  public long integer(String key) {
    long[] v = find(key);
    if (v[0] == FLOAT) throw new IllegalArgumentException("integer: '" + key + "' was saved as a floating number");
    return v[1];
  }

  private long[] find(String key) {
    long[] v = Native.checkpointNumber(handle(), this, key);
    return v;
  }

  /**
   * A value that was saved as a text.
   *
   * @param key its name in the file
   * @return a value that was saved as a text
   */
  public String text(String key) {
    String t = Native.checkpointText(handle(), this, key);
    return t;
  }
}
