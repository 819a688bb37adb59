package service;

import java.time.Duration;

/** Where requests come in and answers go out: it knows which are on their way, and shuts when the service ends. */
final class Gate {
  private int arriving, open;
  private long taken;
  private boolean shut;

  /** A request comes; false: no more are taken. */
  synchronized boolean enter() {
    if (shut) return false;
    arriving++;
    open++;
    taken++;
    return true;
  }

  /** Its body has been read, and its session has it, or it has been refused. */
  synchronized void arrived() {
    arriving--;
    notifyAll();
  }

  /** It is answered, or its client has gone. */
  synchronized void leave() {
    open--;
    notifyAll();
  }

  /** Takes no more. */
  synchronized void shut() {
    shut = true;
  }

  /** Waits for the bodies of requests that have begun; false when some were missing after the time. */
  synchronized boolean awaitArrivals(Duration limit) {
    for (long end = System.nanoTime() + limit.toNanos(), left; arriving > 0; await(left))
      if ((left = end - System.nanoTime()) <= 0) return false;
    return true;
  }

  /** Waits until everything is answered; false when something was not after the time. */
  synchronized boolean awaitEmpty(Duration limit) {
    for (long end = System.nanoTime() + limit.toNanos(), left; open > 0; await(left))
      if ((left = end - System.nanoTime()) <= 0) return false;
    return true;
  }

  private void await(long nanos) {
    try {
      wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
    } catch (InterruptedException e) {
      throw new IllegalStateException("the end of the service was interrupted", e);
    }
  }

  synchronized boolean isShut() {
    return shut;
  }

  /** Requests that are not answered yet. */
  synchronized int open() {
    return open;
  }

  /** Requests since the beginning. */
  synchronized long taken() {
    return taken;
  }
}
