package io.haft;

/** The mean of each window (torch.nn.AvgPool2d). */
public class AvgPool2d extends Module {
  /** Square windows side by side. */
  public AvgPool2d(long kernel) {
    this(kernel, new Pool());
  }

  /** Square windows. */
  public AvgPool2d(long kernel, Pool options) {
    this(new long[] {kernel, kernel}, options);
  }

  /** kernel: height and width. */
  public AvgPool2d(long[] kernel, Pool o) {
    super(Haft.avgPool2d(kernel, o.stride, o.padding, o.ceilMode, o.countIncludePad));
  }
}
