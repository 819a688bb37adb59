package io.haft;

/** LogSoftmax along a dimension (torch.nn.LogSoftmax). */
public class LogSoftmax extends Module {
  /** Along dim. */
  public LogSoftmax(long dim) {
    super(Haft.logSoftmax(dim));
  }
}
