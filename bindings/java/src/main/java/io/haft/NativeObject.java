package io.haft;

import java.lang.ref.Cleaner;

/**
 * A handle of the engine. close() gives it back at once; without it the garbage collector's Cleaner does so some time
 * after the last use. Closing twice does nothing; a call on a closed object throws IllegalStateException. An object may
 * be closed while another thread calls it: the call either completes or throws.
 */
public abstract class NativeObject implements AutoCloseable {
  static final int TENSOR = 0, MODULE = 1, OPTIMIZER = 2, SCHEDULER = 3, DATASET = 4, TRANSFORM = 5, LOADER = 6, WEIGHTS = 7, WRITER = 8, CHECKPOINT = 9,
      GENERATOR = 10, PROFILE = 11, SESSION = 12, REQUEST = 13, CANCEL_TOKEN = 14;
  private static final Cleaner CLEANER = Cleaner.create();

  /** What is left of the object when the collector has taken it. */
  private static final class Release implements Runnable {
    private final int kind;
    private long handle;
    private Cleaner.Cleanable cleanable;

    Release(int kind, long handle) {
      this.kind = kind;
      this.handle = handle;
    }

    @Override
    public void run() {
      if (handle != 0) Native.release(kind, handle);
    }
  }

  transient long swigCPtr;  // the name that generated code reads; 0: closed
  private final Release release;

  NativeObject(int kind, long handle) {
    swigCPtr = handle;
    release = new Release(kind, handle);
    release.cleanable = CLEANER.register(this, release);
  }

  /** Gives the handle back. */
  @Override
  public void close() {
    letGo();
  }

  private void letGo() {
    swigCPtr = 0;
    release.cleanable.clean();
  }

  /** Hands the handle to another object and closes this one. */
  final long steal() {
    long h = handle();
    release.handle = 0;
    letGo();
    return h;
  }

  /** True after close(). */
  public final boolean isClosed() {
    return swigCPtr == 0;
  }

  /** The handle of an argument; 0 for null. */
  static long handle(NativeObject o) {
    if (o == null) return 0;
    long h = o.swigCPtr;
    if (h == 0) throw new ClosedException(o.getClass().getSimpleName() + " is closed");
    return h;
  }

  static void whenUnreachable(Object o, Runnable then) {
    CLEANER.register(o, then);
  }

  /** Releases a handle when the collector takes an object. */
  static void releaseWith(Object o, int kind, long handle) {
    CLEANER.register(o, new Release(kind, handle));
  }

  final long handle() {
    return handle(this);
  }

  static long[] handles(NativeObject[] objects) {
    if (objects == null) return null;
    long[] out = new long[objects.length];
    for (int i = 0; i < out.length; i++) out[i] = handle(objects[i]);
    return out;
  }
}
