package io.haft;

/** An event file for TensorBoard. */
public class Writer extends WriterOperators {
  /**
   * A new file in a folder, which is made when it is missing.
   *
   * @param folder where the file goes; it is made
   */
  public Writer(String folder) {
    super(WRITER, Haft.makeWriter(folder).steal());
  }

  private Writer(long handle) {
    super(WRITER, handle);
  }

  static Writer adopt(long handle) {
    return new Writer(handle);
  }

  /** Writes what is left, and closes the file. */
  @Override
  public void close() {
    try {
      if (!isClosed()) closeFile();
    } finally {
      super.close();
    }
  }
}
