package io.haft;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What {@link Haft} has besides the functions of the C++ interface. */
abstract class HaftBase {
  HaftBase() {}

  /** {@return memory on the CPU} */
  public static MemoryStats memoryStats() {
    return memoryStats(Device.CPU);
  }

  /** {@return memory of a device} */
  public static MemoryStats memoryStats(Device device) {
    long[] v = Native.memoryStats(Device.code(device));
    return new MemoryStats(v[MemoryPlaces.live], v[MemoryPlaces.peak], v[MemoryPlaces.reserved], v[MemoryPlaces.allocations],
        v[MemoryPlaces.cacheHits], v[MemoryPlaces.limit], v[MemoryPlaces.total], v[MemoryPlaces.free], v[MemoryPlaces.pinnedLive],
        v[MemoryPlaces.pinnedReserved], v[MemoryPlaces.peakReserved], v[MemoryPlaces.retries], v[MemoryPlaces.failures]);
  }

  /**
   * Above how many live bytes an allocation asks the garbage collector to look for tensors that nobody closed; 0: never.
   * The system property haft.memory.softLimit sets it at the start; 512 MiB without it.
   */
  public static void setMemorySoftLimit(long bytes) {
    Memory.setSoftLimit(bytes);
  }

  /**
   * What {@link #setMemorySoftLimit} set.
   *
   * @return bytes; 0: no limit
   */
  public static long memorySoftLimit() {
    return Memory.softLimit();
  }

  /**
   * Where log lines go from now on; null: nowhere. An exception of the sink is dropped. The engine holds the sink, and so the
   * application that it is of: one that ends sets null.
   */
  public static void setLogSink(LogLevel level, LogSink sink) {
    if (sink == null) Haft.logOff();
    else Haft.logTo(level.ordinal(), sink);
  }

  /** Log lines go to a logger of java.util.logging; null: nowhere. */
  public static void setLogger(Logger logger) {
    setLogSink(LogLevel.DEBUG, logger == null ? null : (level, text) -> logger.log(switch (level) {
      case NONE, ERROR -> Level.SEVERE;
      case WARNING -> Level.WARNING;
      case INFO -> Level.INFO;
      case DEBUG -> Level.FINE;
    }, text));
  }

  /** Log lines go to the logger of whatever library the application has behind System.Logger; null: nowhere. */
  public static void setLogger(System.Logger logger) {
    setLogSink(LogLevel.DEBUG, logger == null ? null : (level, text) -> logger.log(switch (level) {
      case NONE, ERROR -> System.Logger.Level.ERROR;
      case WARNING -> System.Logger.Level.WARNING;
      case INFO -> System.Logger.Level.INFO;
      case DEBUG -> System.Logger.Level.DEBUG;
    }, text));
  }

  /** Compares the gradients of a function with differences; throws where they differ. Inputs are float64 leaves. */
  public static void gradcheck(TensorsFunction function, Tensor... inputs) {
    Haft.checkGradients(function, inputs, 1);
  }

  /** Compares gradients, and their gradients. */
  public static void gradgradcheck(TensorsFunction function, Tensor... inputs) {
    Haft.checkGradients(function, inputs, 2);
  }

  /** {@return gradients of one output for some inputs} */
  public static Tensor[] grad(Tensor output, Tensor... inputs) {
    return Haft.grad(new Tensor[] {output}, inputs);
  }

  /** {@return gradients that are recorded themselves, for higher derivatives} */
  public static Tensor[] gradWithGraph(Tensor output, Tensor... inputs) {
    return Haft.grad(new Tensor[] {output}, inputs, Tensor.CREATE_GRAPH);
  }

  /**
   * Limits the norm of all gradients together; answers the norm before.
   *
   * @return the norm before, a tensor without dimensions
   */
  public static Tensor clipGradNorm(List<Tensor> params, double maxNorm) {
    return Haft.clipGradNorm(params.toArray(new Tensor[0]), maxNorm);
  }
}
