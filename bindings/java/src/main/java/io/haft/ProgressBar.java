package io.haft;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;

/** A bar on a terminal; elsewhere a plain line every five seconds. */
public final class ProgressBar implements ProgressListener {
  private static final String EIGHTHS = " \u258f\u258e\u258d\u258c\u258b\u258a\u2589";
  private static final int WIDTH = 24;
  private final PrintStream out;
  private final int epochs;
  private final boolean terminal;
  private long epochStart = System.nanoTime(), drawn;
  private int epoch;

  /**
   * On System.err; `epochs` in all.
   *
   * @param epochs how many there will be
   */
  public ProgressBar(int epochs) {
    this(epochs, System.err, System.console() != null);
  }

  /**
   * On a stream.
   *
   * @param epochs how many there will be
   * @param out where it prints
   * @param terminal whether lines may be written over
   */
  public ProgressBar(int epochs, PrintStream out, boolean terminal) {
    this.epochs = epochs;
    this.out = out;
    this.terminal = terminal;
  }

  /**
   * Whether a step would draw something: what it shows need not be computed otherwise.
   *
   * @return whether so
   */
  public boolean isDue() {
    return System.nanoTime() - drawn >= (terminal ? 100_000_000L : 5_000_000_000L);
  }

  private static String show(Map<String, Double> metrics) {
    StringBuilder s = new StringBuilder();
    metrics.forEach((name, value) -> s.append("  ").append(name).append(' ').append(String.format(Locale.ROOT, "%.4f", value)));
    return s.toString();
  }

  @Override
  public void onStep(int epoch, long step, long steps, long samples, Map<String, Double> metrics) {
    if (epoch != this.epoch) {
      this.epoch = epoch;
      epochStart = System.nanoTime();
      drawn = epochStart;
    }
    if (!isDue()) return;
    drawn = System.nanoTime();
    double seconds = Math.max(1e-9, (drawn - epochStart) / 1e9);
    long left = Math.round(seconds / step * (steps - step)), percent = step * 100 / Math.max(1, steps);
    int eighths = (int) (step * WIDTH * 8 / Math.max(1, steps)), full = eighths / 8;
    String bar = "\u2588".repeat(full) + (full < WIDTH ? EIGHTHS.charAt(eighths % 8) + " ".repeat(WIDTH - full - 1) : "");
    String line = String.format(Locale.ROOT, "epoch %d/%d %3d%% %s %d/%d  %.0f/s, %d s left%s", epoch, epochs, percent, bar, step, steps, samples / seconds, left,
        show(metrics));
    if (terminal) out.print("\r\u001b[K" + line);
    else out.println(line);
    out.flush();
  }

  @Override
  public void onEpochEnd(int epoch, Map<String, Double> metrics) {
    out.println((terminal ? "\r\u001b[K" : "") + String.format(Locale.ROOT, "epoch %d/%d  %.1f s%s", epoch, epochs, (System.nanoTime() - epochStart) / 1e9, show(metrics)));
    out.flush();
  }
}
