package io.haft;

/** Options of pooling windows. */
public final class Pool {
  long[] stride = {0, 0}, padding = {0, 0}, dilation = {1, 1};
  boolean ceilMode, countIncludePad = true;

  /** Steps between windows; default: the kernel's size. */
  public Pool stride(long both) {
    return stride(both, both);
  }

  /** Steps between windows. */
  public Pool stride(long height, long width) {
    stride = new long[] {height, width};
    return this;
  }

  /** Border around the image; default 0. */
  public Pool padding(long both) {
    return padding(both, both);
  }

  /** Border around the image. */
  public Pool padding(long height, long width) {
    padding = new long[] {height, width};
    return this;
  }

  /** Steps between the elements of a window; default 1. Of maxima only. */
  public Pool dilation(long both) {
    dilation = new long[] {both, both};
    return this;
  }

  /** Whether a window may stick out at the end; default false. */
  public Pool ceilMode(boolean on) {
    ceilMode = on;
    return this;
  }

  /** Whether the border counts in an average; default true. */
  public Pool countIncludePad(boolean on) {
    countIncludePad = on;
    return this;
  }
}
