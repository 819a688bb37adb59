package io.haft;

import java.lang.ref.WeakReference;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;

/**
 * Thread.interrupt() cancels what the thread waits for in the engine. A selector is what the virtual machine tells of it at once;
 * this one selects nothing.
 */
final class Interrupts extends AbstractSelector {
  // Weak: a thread that lives on must not keep these classes from being unloaded.
  private static final ThreadLocal<WeakReference<Interrupts>> MINE = new ThreadLocal<>();
  private volatile CancelToken token;  // of the innermost call
  private volatile boolean heard;
  private int depth;

  private Interrupts() {
    super(null);
  }

  /** What runs a call that a token cancels. */
  @FunctionalInterface
  interface Call<T> {
    T with(CancelToken token);
  }

  /** Runs it; the thread's interruption cancels it, as does one that was before, and stays set. */
  static <T> T run(Call<T> call) {
    WeakReference<Interrupts> held = MINE.get();
    Interrupts here = held == null ? null : held.get();
    if (here == null) MINE.set(new WeakReference<>(here = new Interrupts()));
    return here.around(call);
  }

  private <T> T around(Call<T> call) {
    CancelToken outer = token;
    try (CancelToken own = new CancelToken()) {
      token = own;
      if (depth++ == 0) {
        heard = false;
        begin();
      }
      try {
        return call.with(own);
      } catch (CancelledException e) {
        if (!heard || !own.isCancelled()) throw e;
        Thread.currentThread().interrupt();  // whatever became of it meanwhile
        throw (CancelledException) new CancelledException(HaftFailure.Details.of(e.code(), "the thread was interrupted: the request is cancelled")).initCause(e);
      } finally {
        if (--depth == 0) end();
        token = outer;
        if (heard && outer != null) outer.cancel();
      }
    }
  }

  /** By the thread that interrupts. */
  @Override
  public Selector wakeup() {
    heard = true;
    CancelToken t = token;
    try {
      if (t != null) t.cancel();
    } catch (ClosedException e) {
      // the call is over; the one around it hears by `heard`
    }
    return this;
  }

  @Override
  protected void implCloseSelector() {}

  @Override
  protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Set<SelectionKey> keys() {
    return Set.of();
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    return Set.of();
  }

  @Override
  public int selectNow() {
    return 0;
  }

  @Override
  public int select(long timeout) {
    return 0;
  }

  @Override
  public int select() {
    return 0;
  }
}
