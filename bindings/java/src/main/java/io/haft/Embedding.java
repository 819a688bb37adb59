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

  /** With parameters made as `build` says. */
  public Embedding(long count, long dim, long paddingIdx, Build build) {
    super(Haft.embedding(count, dim, paddingIdx, build));
  }
}
