package io.haft;

/** Batch normalisation of (N, C) or (N, C, L) (torch.nn.BatchNorm1d). */
public class BatchNorm1d extends BatchNorm {
  /** With the defaults. */
  public BatchNorm1d(long features) {
    this(features, null, null);
  }

  /** With options. */
  public BatchNorm1d(long features, Options options) {
    this(features, options, null);
  }

  /** With options, and parameters made as `build` says. */
  public BatchNorm1d(long features, Options options, Build build) {
    super(Haft.batchNorm1d(features, options, build));
  }
}
