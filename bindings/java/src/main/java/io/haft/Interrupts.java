package io.haft;

import java.lang.ref.WeakReference;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Thread.interrupt() cancels what the thread waits for in the engine. A selector is what the virtual machine tells of it at once;
 * this one selects nothing.
 */
final class Interrupts extends AbstractSelector {
  // Weak: a thread that lives on must not keep these classes from being unloaded.
  private static final ThreadLocal<WeakReference<Interrupts>> MINE = new ThreadLocal<>();
  private volatile Runnable cancel;  // what ends the innermost call
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
    return run("the request is cancelled", call);
  }

  /** The same with what becomes of it, for the message. */
  static <T> T run(String consequence, Call<T> call) {
    Interrupts here = mine();
    try (CancelToken own = new CancelToken()) {
      try {
        return here.around(own::cancel, () -> call.with(own));
      } catch (CancelledException e) {
        if (!here.heard || !own.isCancelled()) throw e;
        Thread.currentThread().interrupt();  // whatever became of it meanwhile
        throw (CancelledException) cancelled(consequence).initCause(e);
      }
    }
  }

  /** Runs it; the thread's interruption calls `cancel`, on the thread that interrupts, as does one that was before. */
  static <T> T run(Runnable cancel, Supplier<T> call) {
    return mine().around(cancel, call);
  }

  static CancelledException cancelled(String what) {
    return new CancelledException(HaftFailure.Details.of(22, "the thread was interrupted: " + what));
  }

  private static Interrupts mine() {
    WeakReference<Interrupts> held = MINE.get();
    Interrupts here = held == null ? null : held.get();
    if (here == null) MINE.set(new WeakReference<>(here = new Interrupts()));
    return here;
  }

  private <T> T around(Runnable cancels, Supplier<T> call) {
    Runnable outer = cancel;
    cancel = cancels;
    if (depth++ == 0) {
      heard = false;
      begin();
    }
    try {
      return call.get();
    } finally {
      if (--depth == 0) end();
      cancel = outer;
      if (heard) stop(outer);
    }
  }

  private static void stop(Runnable cancel) {
    try {
      if (cancel != null) cancel.run();
    } catch (ClosedException e) {
      // the call is over; the one around it hears by `heard`
    }
  }

  /** By the thread that interrupts. */
  @Override
  public Selector wakeup() {
    heard = true;
    stop(cancel);
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
