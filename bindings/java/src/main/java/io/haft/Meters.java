package io.haft;

import java.util.Objects;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/**
 * The figures of a session one by one, for a monitoring library that keeps a registry of its own. haft needs none: the few lines
 * between are the application's. Micrometer:
 *
 * <pre>{@code
 * Meters.of(session, (name, description, kind, value) -> {
 *   if (kind == Meters.Kind.COUNTER)
 *     FunctionCounter.builder(name, session, s -> value.getAsDouble()).description(description).tag("session", "clothes").register(registry);
 *   else
 *     Gauge.builder(name, value::getAsDouble).description(description).tag("session", "clothes").register(registry);
 * });
 * }</pre>
 *
 * OpenTelemetry:
 *
 * <pre>{@code
 * Attributes labels = Attributes.of(AttributeKey.stringKey("session"), "clothes");
 * Meters.of(session, (name, description, kind, value) -> {
 *   if (kind == Meters.Kind.COUNTER)
 *     meter.counterBuilder(name).setDescription(description).ofDoubles().buildWithCallback(m -> m.record(value.getAsDouble(), labels));
 *   else
 *     meter.gaugeBuilder(name).setDescription(description).buildWithCallback(m -> m.record(value.getAsDouble(), labels));
 * });
 * }</pre>
 *
 * Histograms are in {@link Haft#metricsText}, which both scrape as it is.
 */
public final class Meters {
  private Meters() {}

  /** How a figure moves. */
  public enum Kind {
    /** It only grows, but for {@link InferenceSession#resetMetrics}. */
    COUNTER,
    /** It goes up and down. */
    GAUGE
  }

  /** Takes figures into a monitoring library. */
  @FunctionalInterface
  public interface Registry {
    /**
     * One figure.
     *
     * @param name its name in dots, the unit last: haft.session.latency.p99.seconds
     * @param description what it is
     * @param kind how it moves
     * @param value what it is now, on any thread; NaN once the session is closed
     */
    void meter(String name, String description, Kind kind, DoubleSupplier value);
  }

  /**
   * Hands every figure of a session to a registry. Those asked for together are of one moment: they are read anew when the last
   * reading is older than a tenth of a second.
   *
   * @param session the session, which what is handed over keeps reachable
   * @param to the registry
   */
  public static void of(InferenceSession session, Registry to) {
    Objects.requireNonNull(to, "to is null");
    Reading reading = new Reading(Objects.requireNonNull(session, "session is null"));
    reading.counter(to, "requests.completed", "Requests answered with a result", m -> m.completed());
    reading.counter(to, "requests.failed", "Requests whose module threw, or for which memory was short", m -> m.failed());
    reading.counter(to, "requests.invalid", "Requests with inputs that the module does not take", m -> m.invalid());
    reading.counter(to, "requests.refused", "Requests that found the queue full", m -> m.refused());
    reading.counter(to, "requests.cancelled", "Requests that were cancelled", m -> m.cancelled());
    reading.counter(to, "requests.timedout", "Requests not answered in time", m -> m.timedOut());
    reading.counter(to, "batches", "Batches that have run", m -> m.batches());
    reading.gauge(to, "batch.mean", "Requests in a batch, on average", m -> m.meanBatch());
    reading.gauge(to, "batches.running", "Batches that run now", m -> m.running());
    reading.gauge(to, "queue.length", "Requests that wait now", m -> m.queueLength());
    reading.gauge(to, "queue.peak", "The most requests that have waited", m -> m.queuePeak());
    reading.gauge(to, "memory.live.bytes", "Tensors that runs have made and that live", m -> m.bytesLive());
    reading.gauge(to, "memory.peak.bytes", "The most of them", m -> m.bytesPeak());
    reading.gauge(to, "latency.p50.seconds", "Half of the last requests were answered within it", m -> m.latencyP50() / 1e6);
    reading.gauge(to, "latency.p90.seconds", "90 of 100 of the last requests were answered within it", m -> m.latencyP90() / 1e6);
    reading.gauge(to, "latency.p99.seconds", "99 of 100 of the last requests were answered within it", m -> m.latencyP99() / 1e6);
    reading.gauge(to, "latency.max.seconds", "The slowest of the last requests", m -> m.latencyMax() / 1e6);
  }

  private static final class Reading {
    private static final long FRESH = 100_000_000;  // nanoseconds
    private final InferenceSession session;
    private InferenceSession.Metrics last;
    private long at;

    Reading(InferenceSession session) {
      this.session = session;
    }

    private synchronized double get(ToDoubleFunction<InferenceSession.Metrics> figure) {
      if (last == null || System.nanoTime() - at > FRESH) {
        try {
          last = session.metrics();
        } catch (ClosedException e) {
          return Double.NaN;
        }
        at = System.nanoTime();
      }
      return figure.applyAsDouble(last);
    }

    void counter(Registry to, String name, String description, ToDoubleFunction<InferenceSession.Metrics> figure) {
      to.meter("haft.session." + name, description, Kind.COUNTER, () -> get(figure));
    }

    void gauge(Registry to, String name, String description, ToDoubleFunction<InferenceSession.Metrics> figure) {
      to.meter("haft.session." + name, description, Kind.GAUGE, () -> get(figure));
    }
  }
}
