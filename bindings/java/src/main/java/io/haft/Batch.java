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
   * @return the i-th field
   */
  public Tensor get(int i) {
    return fields[i];
  }

  /** {@return number of fields} */
  public int length() {
    return fields.length;
  }

  /** {@return items in this batch} */
  public long size() {
    return fields.length == 0 ? 0 : fields[0].size(0);
  }

  /**
   * The loop over the loader does not close this one. Answers this.
   *
   * @return this
   */
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
