package io.haft;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Releases handles: at once when an object is closed, else when the collector has taken it. It does what
 * java.lang.ref.Cleaner does at a third of its price: the references of a thread stand in a table of that thread, which it
 * changes without a lock; other threads hand theirs back through a stack.
 */
final class Reaper {
  private static final long IDLE_MS = 2000;
  // Apart: the release of a session or a loader may wait for its threads, which may wait for memory.
  private static final Queue TENSORS = new Queue("haft-reaper"), OTHERS = new Queue("haft-reaper-others");
  private static final List<Table> TABLES = new ArrayList<>();  // they outlive their threads, as objects do
  // Weak: a thread that lives on must not keep these classes from being unloaded.
  private static final ThreadLocal<WeakReference<Table>> MINE = ThreadLocal.withInitial(() -> new WeakReference<>(table()));
  private static final VarHandle HANDLE;

  static {
    try {
      HANDLE = MethodHandles.lookup().findVarHandle(Entry.class, "handle", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Reaper() {}

  /**
   * What the collector has found, with a thread that releases it. The thread ends when there has been nothing to release for a
   * while, because it would keep the class loader of an application that is gone; the next object starts it again.
   */
  private static final class Queue extends ReferenceQueue<Object> {
    private final String name;
    private volatile boolean attended;

    Queue(String name) {
      this.name = name;
    }

    void attend() {
      synchronized (this) {
        if (attended) return;
        attended = true;
      }
      Thread t = new Thread(null, this::run, name, 0, false);
      t.setDaemon(true);
      t.setPriority(Thread.MAX_PRIORITY - 2);
      t.setContextClassLoader(null);
      try {
        t.start();
      } catch (Throwable e) {  // no thread to be had: the next object tries again
        attended = false;
        throw e;
      }
    }

    private void run() {
      while (true) {
        try {
          Entry e = (Entry) remove(IDLE_MS);
          if (e == null) {
            attended = false;
            e = (Entry) poll();  // what came between
            if (e == null) return;
            attended = true;
          }
          e.collected();
        } catch (InterruptedException e) {
          // nobody's business here
        }
      }
    }
  }

  /** What is left of an object: its handle, released once. */
  static class Entry extends PhantomReference<Object> {
    private final Table table;
    private final int slot, kind;
    private final Runnable action;
    @SuppressWarnings("unused")
    private volatile long handle;  // 0: released
    private Entry next;            // among those handed back

    private Entry(Object o, Table table, int slot, int kind, long handle, Runnable action) {
      super(o, kind <= NativeObject.TENSOR ? TENSORS : OTHERS);
      this.table = table;
      this.slot = slot;
      this.kind = kind;
      this.action = action;
      HANDLE.set(this, handle);
    }

    /** Takes the handle away; 0 when somebody else has. */
    long take() {
      long h = (long) HANDLE.getAndSet(this, 0L);
      if (h != 0) table.giveBack(this);
      return h;
    }

    /** Holds another handle of the same kind, and gives the one before back. */
    final void exchange(long other) {
      Native.release(kind, (long) HANDLE.getAndSet(this, other));
    }

    final boolean isHeld() {
      return (long) HANDLE.getVolatile(this) != 0;
    }

    /** The object is gone: what nobody has closed, nobody can any more. */
    void collected() {
      release();
    }

    final void release() {
      long h = take();
      if (h == 0) return;
      if (action != null) action.run();
      else Native.release(kind, h);
    }
  }

  /** One that remembers where its object was made. */
  private static final class Sampled extends Entry {
    private final String what;
    private final StackTraceElement[] where = LeakReports.here();

    private Sampled(NativeObject o, Table table, int slot, int kind, long handle) {
      super(o, table, slot, kind, handle, null);
      what = o.getClass().getSimpleName();
    }

    @Override
    void collected() {
      if (isHeld()) LeakReports.report(what, where);  // its maker's thread may not have taken note yet that another closed it
      super.collected();
    }
  }

  /** The references of one thread. What keeps an Entry alive is its slot. */
  private static final class Table {
    private Entry[] slots = new Entry[64];
    private int[] free = new int[64];
    private int freeCount, used;
    private long ownerId;
    private WeakReference<Thread> owner;
    private final AtomicReference<Entry> returned = new AtomicReference<>();

    private void own() {
      ownerId = Thread.currentThread().getId();
      owner = new WeakReference<>(Thread.currentThread());
    }

    private boolean isOrphan() {
      Thread t = owner.get();
      return t == null || !t.isAlive();
    }

    private int slot() {
      if (freeCount == 0)
        for (Entry e = returned.getAndSet(null); e != null; e = e.next) vacate(e.slot);
      if (freeCount > 0) return free[--freeCount];
      if (used == slots.length) {
        slots = Arrays.copyOf(slots, 2 * used);
        free = Arrays.copyOf(free, 2 * used);
      }
      return used++;
    }

    private void vacate(int slot) {
      slots[slot] = null;
      free[freeCount++] = slot;
    }

    private void giveBack(Entry e) {
      if (Thread.currentThread().getId() == ownerId) {
        vacate(e.slot);
        return;
      }
      do {
        e.next = returned.get();
      } while (!returned.compareAndSet(e.next, e));
    }
  }

  private static Table table() {
    synchronized (TABLES) {
      for (Table t : TABLES) {
        if (!t.isOrphan()) continue;
        t.own();
        return t;
      }
      Table t = new Table();
      t.own();
      TABLES.add(t);
      return t;
    }
  }

  static Entry register(Object o, int kind, long handle) {
    return register(o, kind, handle, null);
  }

  /** Runs an action when an object has gone. */
  static void whenGone(Object o, Runnable action) {
    register(o, -1, 1, action);
  }

  private static Entry register(Object o, int kind, long handle, Runnable action) {
    Table t = MINE.get().get();
    int slot = t.slot();
    Entry e = LeakReports.EVERY != 0 && handle != 0 && o instanceof NativeObject n && LeakReports.isSample()
        ? new Sampled(n, t, slot, kind, handle)
        : new Entry(o, t, slot, kind, handle, action);
    t.slots[slot] = e;
    if (handle == 0) t.vacate(slot);  // nothing to release
    Queue queue = kind <= NativeObject.TENSOR ? TENSORS : OTHERS;
    if (!queue.attended) queue.attend();
    return e;
  }

  /** Releases the tensors that the collector has found by now, in this thread: the reaper may have to wait for a processor. */
  static void drain() {
    for (Reference<?> r = TENSORS.poll(); r != null; r = TENSORS.poll()) ((Entry) r).collected();
  }
}
