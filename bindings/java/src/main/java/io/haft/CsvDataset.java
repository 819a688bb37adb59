package io.haft;

/** The rows of a table of numbers as text: float32 (columns) and, with a column of labels, the label apart. */
public final class CsvDataset extends Dataset.Held {
  /**
   * A table without labels and without a heading, whose columns commas divide.
   *
   * @param path the file
   */
  public CsvDataset(String path) {
    super(Haft.csvDataset(path));
  }

  /**
   * Reads a table with labels.
   *
   * @param path the file
   * @param labelColumn from 0; a negative one counts from the end
   * @param labelType INT64 or FLOAT32
   * @param skipLines lines at the beginning that are left out: a heading
   * @param delimiter the character between columns
   */
  public CsvDataset(String path, long labelColumn, DType labelType, long skipLines, char delimiter) {
    super(Haft.csvDataset(path, labelColumn, labelType, skipLines, delimiter));
  }
}
