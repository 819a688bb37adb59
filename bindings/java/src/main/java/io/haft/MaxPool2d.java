package io.haft;

/** The largest element of each window (torch.nn.MaxPool2d). */
public class MaxPool2d extends Module {
  /** Square windows side by side. */
  public MaxPool2d(long kernel) {
    this(kernel, new Pool());
  }

  /** Square windows. */
  public MaxPool2d(long kernel, Pool options) {
    this(new long[] {kernel, kernel}, options);
  }

  /** kernel: height and width. */
  public MaxPool2d(long[] kernel, Pool o) {
    super(Haft.maxPool2d(kernel, o.stride, o.padding, o.dilation, o.ceilMode));
  }
}
