package io.haft;

import java.nio.ByteBuffer;

/**
 * What bindings/java/native.cpp holds. A call that takes a handle takes its owner, too: an argument is not collected while
 * the call runs, so the reaper cannot release the handle under it.
 */
final class Native {
  static {
    NativeLoader.load();
  }

  private Native() {}

  static native void release(int kind, long handle);
  static native void retainTensor(long handle, Object owner);

  static native long fromArray(Object array, char kind, long[] size, int dtype);
  static native void toArray(long tensor, Object owner, Object array, char kind);
  static native long fromBuffer(Object buffer, long offset, long[] size, int dtype);
  static native long fromBytes(Object buffer, long offset, long[] size, int dtype);
  static native ByteBuffer buffer(long tensor, Object owner);
  static native long keepPressure(long mark);
  static native long[] memoryStats(int device);

  static native int parseDevice(String text);
  static native String deviceText(int device);

  static native boolean setGradEnabled(boolean on);
  static native boolean setInferenceMode(boolean on);
  static native boolean setAnomalyMode(boolean on);

  static native void contextSave(long context, long tensor, Object owner);
  static native long contextSaved(long context, long index);
  static native boolean contextNeedsGrad(long context, long index);

  static native long[] loaderNext(long loader, Object owner);
  static native long[] loaderState(long loader, Object owner);
  static native void setLoaderState(long loader, Object owner, long seed, long epoch, long batch);
  static native long[] generatorState(long generator, Object owner);
  static native void setGeneratorState(long generator, Object owner, long seed, long offset);

  static native void saveCheckpoint(String path, long[] parts, Object owner, String[] keys, String[] texts, int[] kinds, long[] bits);
  static native long loadCheckpoint(String path, long[] parts, Object owner);
  static native long[] checkpointNumber(long checkpoint, Object owner, String key);
  static native String checkpointText(long checkpoint, Object owner, String key);

  static native double[] sessionMetrics(long session, Object owner);
  static native void setCancelToken(long token, Object owner);

  static native long[] rendezvous(String url, int rank, int worldSize, long timeout);

  static native void startProfiler(boolean shapes);
  static native void startProfilerWith(int what);
  static native long stopProfiler();
  static native void pushRange(String name);
  static native void popRange();

  /** Called on the allocating thread when live memory rises above the mark. */
  @SuppressWarnings("unused")
  private static void onPressure(long live) {
    Memory.relieve(live);
  }
}
