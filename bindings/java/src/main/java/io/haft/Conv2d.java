package io.haft;

/** A convolution of images (torch.nn.Conv2d). */
public class Conv2d extends Module {
  /** Everything but channels and kernel. */
  public static final class Options {
    private final long[] v = {1, 1, 0, 0, 1, 1, 1, 1};

    private Options pair(int at, long height, long width) {
      v[at] = height;
      v[at + 1] = width;
      return this;
    }

    /** Steps between windows; default 1. */
    public Options stride(long both) {
      return stride(both, both);
    }

    /** Steps between windows. */
    public Options stride(long height, long width) {
      return pair(0, height, width);
    }

    /** Zeros around the image; default 0. */
    public Options padding(long both) {
      return padding(both, both);
    }

    /** Zeros around the image. */
    public Options padding(long height, long width) {
      return pair(2, height, width);
    }

    /** Steps between the elements of a window; default 1. */
    public Options dilation(long both) {
      return dilation(both, both);
    }

    /** Steps between the elements of a window. */
    public Options dilation(long height, long width) {
      return pair(4, height, width);
    }

    /** Groups of channels that do not see each other; default 1. */
    public Options groups(long groups) {
      v[6] = groups;
      return this;
    }

    /** Whether a bias is added; default true. */
    public Options bias(boolean bias) {
      v[7] = bias ? 1 : 0;
      return this;
    }

    static long[] pack(Options o) {
      return o == null ? null : o.v;
    }
  }

  /** A square kernel, stride 1, no padding. */
  public Conv2d(long inChannels, long outChannels, long kernel) {
    this(inChannels, outChannels, kernel, null);
  }

  /** A square kernel. */
  public Conv2d(long inChannels, long outChannels, long kernel, Options options) {
    this(inChannels, outChannels, new long[] {kernel, kernel}, options, null);
  }

  /** kernel: height and width. */
  public Conv2d(long inChannels, long outChannels, long[] kernel, Options options, Build build) {
    super(Haft.conv2d(inChannels, outChannels, kernel, options, build));
  }
}
