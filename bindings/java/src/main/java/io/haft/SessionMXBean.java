package io.haft;

/** What a session does, in JMX; see {@link Management}. Latencies are seconds from submission to answer, of the last 4096 requests. */
public interface SessionMXBean {
  /** {@return requests answered with a result} */
  long getCompleted();

  /** {@return requests whose module threw, or for which memory was short} */
  long getFailed();

  /** {@return requests with inputs that the module does not take} */
  long getInvalid();

  /** {@return requests that found the queue full} */
  long getRefused();

  /** {@return requests that were cancelled} */
  long getCancelled();

  /** {@return requests not answered in time} */
  long getTimedOut();

  /** {@return batches that have run} */
  long getBatches();

  /** {@return requests in a batch, on average} */
  double getMeanBatch();

  /** {@return batches that run now} */
  long getRunning();

  /** {@return requests that wait now} */
  long getQueueLength();

  /** {@return the most requests that have waited} */
  long getQueuePeak();

  /** {@return bytes of tensors that runs have made and that live} */
  long getBytesLive();

  /** {@return the most of them} */
  long getBytesPeak();

  /** {@return half of the requests were faster} */
  double getLatencyP50();

  /** {@return 90 of 100 were faster} */
  double getLatencyP90();

  /** {@return 99 of 100 were faster} */
  double getLatencyP99();

  /** {@return the slowest} */
  double getLatencyMax();

  /** Counts, peaks and latencies begin anew. */
  void reset();
}
