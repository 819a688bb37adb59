package io.haft;

/** A table of vectors, looked up by number (torch.nn.Embedding). */
public class Embedding extends Module {
  /** `count` vectors of `dim` numbers. */
  public Embedding(long count, long dim) {
    super(Haft.embedding(count, dim));
  }

  /** The vector `paddingIdx` stays zero. */
  public Embedding(long count, long dim, long paddingIdx) {
    super(Haft.embedding(count, dim, paddingIdx));
  }

  /** Without padding, with parameters made as `build` says. */
  public Embedding(long count, long dim, Build build) {
    super(Haft.embedding(count, dim, Index.NONE, build));
  }

  /** The vector `paddingIdx` stays zero; with parameters made as `build` says. */
  public Embedding(long count, long dim, long paddingIdx, Build build) {
    super(Haft.embedding(count, dim, paddingIdx, build));
  }
}
