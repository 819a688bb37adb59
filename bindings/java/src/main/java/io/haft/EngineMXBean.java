package io.haft;

/** The engine of the process, in JMX; see {@link Management}. */
public interface EngineMXBean {
  /** {@return the release} */
  String getVersion();

  /** {@return threads of an operator} */
  int getThreads();

  /** {@return objects of the engine that are not released} */
  long getLiveHandles();

  /** {@return bytes of the CPU's memory handed out} */
  long getLiveBytes();

  /** {@return the most of it} */
  long getPeakBytes();

  /** {@return bytes held from the system, caches included} */
  long getReservedBytes();

  /** Gives cached memory back. */
  void trim();
}
