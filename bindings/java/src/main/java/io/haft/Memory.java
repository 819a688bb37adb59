package io.haft;

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
      // Cleaning is the work of another thread: wait for it while it makes headway.
      for (int round = 0; round < 3 && now >= limit / 2; round++) {
        long before = now;
        System.gc();
        for (int i = 0; i < 20 && now >= limit / 2; i++) {
          pause();
          long next = live();
          if (i > 3 && next == now) break;
          now = next;
        }
        if (now == before) break;
      }
      Native.keepPressure(Math.max(limit, now + now / 2));  // and arms it again
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
