package io.haft;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the garbage collector about memory it cannot see: when live tensors rise above a soft limit, it runs, and the
 * allocation waits a moment for what it frees. A working set above the limit moves the next run up with it, so that the
 * collector does not run for nothing.
 */
final class Memory {
  private static final long MIB = 1 << 20;
  private static volatile long soft = Long.getLong("haft.memory.softLimit", 512 * MIB);
  private static final Object LOCK = new Object();

  private Memory() {}

  static void setSoftLimit(long bytes) {
    if (bytes < 0) throw new IllegalArgumentException("softLimit must not be negative, got " + bytes);
    soft = bytes;
    Native.keepPressure(bytes);
  }

  static long softLimit() {
    return soft;
  }

  static void relieve(long live) {
    long limit = soft;
    if (limit == 0) return;
    synchronized (LOCK) {
      long now = live();
      for (int round = 0; round < 3 && now >= limit / 2; round++) {
        long before = now;
        collect();
        now = live();
        // Not after the first: the machine may still be handing over what it found. When it hands over the second's finds,
        // it has done with the first's.
        if (round > 0 && now == before) break;
      }
      Native.keepPressure(Math.max(limit, now + now / 2));  // and arms it again
    }
  }

  /** Runs the collector and releases what it finds, until a marker was among it and then nothing comes any more. */
  private static void collect() {
    AtomicBoolean seen = new AtomicBoolean();
    Reaper.whenGone(new Object(), () -> seen.set(true));
    System.gc();
    long now = live();
    for (int still = 0, i = 0; i < 500 && (still < 10 || !seen.get()); i++) {
      pause();
      Reaper.drain();
      long next = live();
      still = next == now ? still + 1 : 0;
      now = next;
    }
  }

  private static long live() {
    return Native.memoryStats(Device.CPU.hashCode())[0];
  }

  private static void pause() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      Thread.onSpinWait();
    }
  }
}
