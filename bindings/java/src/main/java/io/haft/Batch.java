package io.haft;

/** One batch: a tensor (n, ...) for each field of the items. */
public final class Batch implements AutoCloseable {
  private final Tensor[] fields;
  private boolean kept;

  Batch(Tensor[] fields) {
    this.fields = fields;
  }

  /**
   * The i-th field.
   *
   * @param i which one, from 0
   */
  public Tensor get(int i) {
    return fields[i];
  }

  /** Number of fields. */
  public int length() {
    return fields.length;
  }

  /** Items in this batch. */
  public long size() {
    return fields.length == 0 ? 0 : fields[0].size(0);
  }

  /** The loop over the loader does not close this one. Answers this. */
  public Batch keep() {
    kept = true;
    return this;
  }

  void release() {
    if (!kept) close();
  }

  @Override
  public void close() {
    for (Tensor t : fields) t.close();
  }
}
