package io.haft;

/** Batch normalisation of (N, C, H, W) (torch.nn.BatchNorm2d). */
public class BatchNorm2d extends BatchNorm {
  /** With the defaults. */
  public BatchNorm2d(long features) {
    this(features, null, null);
  }

  /** With options. */
  public BatchNorm2d(long features, Options options) {
    this(features, options, null);
  }

  /** With options, and parameters made as `build` says. */
  public BatchNorm2d(long features, Options options, Build build) {
    super(Haft.batchNorm2d(features, options, build));
  }
}
