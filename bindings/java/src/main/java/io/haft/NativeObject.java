package io.haft;

/**
 * A handle of the engine. close() gives it back at once; without it a reaper thread does so some time after the garbage
 * collector has found it unreachable. Closing twice does nothing; a call on a closed object throws IllegalStateException.
 * An object may be closed while another thread calls it: the call either completes or throws.
 */
public abstract class NativeObject implements AutoCloseable {
  static final int TENSOR = 0, MODULE = 1, OPTIMIZER = 2, SCHEDULER = 3, DATASET = 4, TRANSFORM = 5, LOADER = 6, WEIGHTS = 7, WRITER = 8, CHECKPOINT = 9,
      GENERATOR = 10, PROFILE = 11, SESSION = 12, REQUEST = 13, CANCEL_TOKEN = 14,
      STORE = 15, PROCESS_GROUP = 16, WORK = 17, DATA_PARALLEL = 18, MODEL_AVERAGER = 19,
      DEVICE_MESH = 20, PIPELINE = 21, RPC = 22, RPC_REQUEST = 23, FUTURE = 24, PARAMETER_SERVER = 25, PARAMETER_CLIENT = 26, FULLY_SHARDED = 27,
      GRAD_SCALER = 28;
  transient long swigCPtr;  // the name that generated code reads; 0: closed
  private final Reaper.Entry entry;

  NativeObject(int kind, long handle) {
    swigCPtr = handle;
    entry = Reaper.register(this, kind, handle);
  }

  /** Gives the handle back. */
  @Override
  public void close() {
    swigCPtr = 0;
    entry.release();
  }

  /** Hands the handle to another object and closes this one. */
  final long steal() {
    handle();
    swigCPtr = 0;
    return entry.take();
  }

  /** Takes another's handle, which closes that one, and gives its own back: it is that object from now on. */
  final void become(NativeObject other) {
    handle();
    long h = other.steal();
    entry.exchange(h);
    swigCPtr = h;
  }

  /**
   * True after close().
   *
   * @return whether so
   */
  public final boolean isClosed() {
    return swigCPtr == 0;
  }

  /** {@return its class, and whether it is closed} */
  @Override
  public String toString() {
    return getClass().getSimpleName() + (isClosed() ? "(closed)" : "");
  }

  /** The handle of an argument; 0 for null. */
  static long handle(NativeObject o) {
    if (o == null) return 0;
    long h = o.swigCPtr;
    if (h == 0) throw (ClosedException) Failures.closed(o);
    return h;
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
