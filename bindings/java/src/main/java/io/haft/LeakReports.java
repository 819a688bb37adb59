package io.haft;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Tells where objects were made that nobody closed: their memory waited for the garbage collector, which does not know how much it
 * is. Off, and then without cost, unless the system property {@code haft.leaks} is a number N: of every N objects one remembers
 * where it was made (128 is a good one for a service, 1 for a test), and when the collector finds it the place is logged, each
 * once, to the {@link System.Logger} {@code io.haft.leaks} as a warning.
 */
public final class LeakReports {
  static final int EVERY = Math.max(0, Integer.getInteger("haft.leaks", 0));
  private static final int FRAMES = 12, PLACES = 1000;
  private static final AtomicLong COUNT = new AtomicLong();
  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();

  private LeakReports() {}

  /**
   * How many of the sampled objects the collector has found unclosed, those of places that are logged already among them.
   *
   * @return the number; 0 while reports are off
   */
  public static long count() {
    return COUNT.get();
  }

  static boolean isSample() {
    return EVERY == 1 || ThreadLocalRandom.current().nextInt(EVERY) == 0;
  }

  /** The application's frames, from the innermost. */
  static StackTraceElement[] here() {
    return StackWalker.getInstance()
        .walk(frames -> frames.dropWhile(f -> f.getClassName().startsWith("io.haft.") && f.getClassName().lastIndexOf('.') == 7)
            .limit(FRAMES)
            .map(StackWalker.StackFrame::toStackTraceElement)
            .toArray(StackTraceElement[]::new));
  }

  static void report(String what, StackTraceElement[] where) {
    COUNT.incrementAndGet();
    String place = Arrays.stream(where).map(f -> "\n\tat " + f).collect(Collectors.joining());
    if (SEEN.size() >= PLACES || !SEEN.add(what + place)) return;
    try {
      System.getLogger("io.haft.leaks").log(System.Logger.Level.WARNING, what + " was not closed (try-with-resources or a Scope does); it was made" + place);
    } catch (RuntimeException e) {
      // the logger's own trouble; memory is given back all the same
    }
  }
}
