package io.haft;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells the garbage collector about memory it cannot see: when live tensors rise above a soft limit, and before a memory limit
 * says no, it runs, and the allocation waits a moment for what it frees. A working set above the soft limit moves the next run
 * up with it, so that the collector does not run for nothing.
 */
final class Memory {
  private static final long MIB = 1 << 20;
  private static final Object LOCK = new Object();
  private static volatile long soft = Long.getLong("haft.memory.softLimit", 512 * MIB);
  private static volatile long mark = Long.MAX_VALUE;  // above which the engine calls; below it a memory limit is about to say no
  private static volatile long collections;
  private static long believedUntil = System.nanoTime();  // when there is something to find again, perhaps

  private Memory() {}

  /** Has the engine call from now on. */
  static void begin() {
    arm(soft);
  }

  private static void arm(long bytes) {
    mark = bytes == 0 ? Long.MAX_VALUE : bytes;
    Native.keepPressure(mark);
  }

  static void setSoftLimit(long bytes) {
    if (bytes < 0) throw new IllegalArgumentException("softLimit must not be negative, got " + bytes);
    soft = bytes;
    arm(bytes);
  }

  static long softLimit() {
    return soft;
  }

  static void relieve(long live) {
    long seen = collections;
    synchronized (LOCK) {
      // What a limit is about to refuse will not be in use: the mark stays.
      long most = Native.memoryStats(Device.CPU.hashCode())[5];
      if (live <= mark || most != 0 && live > most) {
        if (collections == seen) makeRoom();
        return;
      }
      long limit = soft, now = live();
      for (int round = 0; round < 3 && now >= limit / 2; round++) {
        long before = now;
        collect();
        now = live();
        // Not after the first: the machine may still be handing over what it found. When it hands over the second's finds,
        // it has done with the first's.
        if (round > 0 && now == before) break;
      }
      arm(Math.max(limit, now + now / 2));  // again
    }
  }

  /** A service that is full must not spend its time collecting: who has found nothing looks again after a while only. */
  private static void makeRoom() {
    long begun = System.nanoTime();
    if (begun - believedUntil < 0) return;
    long before = live();
    collect();
    if (live() >= before) collect();
    long now = System.nanoTime();
    if (live() >= before) believedUntil = now + 4 * (now - begun);
  }

  /** Runs the collector and releases what it finds, until a marker was among it and then nothing comes any more. */
  private static void collect() {
    collections++;
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
