package io.haft;

import java.lang.management.ManagementFactory;
import java.util.Objects;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Sessions and the engine as JMX beans, for JConsole and for exporters. Needs the module java.management.
 *
 * <pre>{@code
 * try (Management.Registration bean = Management.register(session, "clothes")) {   // io.haft:type=InferenceSession,name="clothes"
 *   ...
 * }
 * }</pre>
 */
public final class Management {
  private Management() {}

  /** A bean of the platform's server, until it is closed; again: nothing. Close it before the application goes: the server holds on to it. */
  public static final class Registration implements AutoCloseable {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final ObjectName name;
    private boolean closed;

    private Registration(Object bean, String name) {
      try {
        this.name = server.registerMBean(bean, new ObjectName(name)).getObjectName();
      } catch (JMException e) {
        throw new IllegalStateException("the bean " + name + " is not registered: " + e.getMessage() + "; names are taken once a process", e);
      }
    }

    /** {@return its name} */
    public ObjectName name() {
      return name;
    }

    @Override
    public synchronized void close() {
      if (closed) return;
      closed = true;
      try {
        server.unregisterMBean(name);
      } catch (JMException e) {
        // somebody else took it away
      }
    }
  }

  /**
   * A {@link SessionMXBean} named {@code io.haft:type=InferenceSession,name="..."}. Its attributes fail once the session is closed.
   *
   * @param session the session
   * @param name what tells it from others of the process
   * @return the registration
   * @throws IllegalStateException when the name is taken
   */
  public static Registration register(InferenceSession session, String name) {
    Objects.requireNonNull(session, "session is null");
    return new Registration(new SessionBean(session), "io.haft:type=InferenceSession,name=" + ObjectName.quote(Objects.requireNonNull(name, "name is null")));
  }

  /**
   * The {@link EngineMXBean}, named {@code io.haft:type=Engine}.
   *
   * @return the registration
   * @throws IllegalStateException when there is one
   */
  public static Registration registerEngine() {
    return new Registration(new EngineBean(), "io.haft:type=Engine");
  }

  private record SessionBean(InferenceSession session) implements SessionMXBean {
    @Override
    public long getCompleted() {
      return session.metrics().completed();
    }

    @Override
    public long getFailed() {
      return session.metrics().failed();
    }

    @Override
    public long getInvalid() {
      return session.metrics().invalid();
    }

    @Override
    public long getRefused() {
      return session.metrics().refused();
    }

    @Override
    public long getCancelled() {
      return session.metrics().cancelled();
    }

    @Override
    public long getTimedOut() {
      return session.metrics().timedOut();
    }

    @Override
    public long getBatches() {
      return session.metrics().batches();
    }

    @Override
    public double getMeanBatch() {
      return session.metrics().meanBatch();
    }

    @Override
    public long getRunning() {
      return session.metrics().running();
    }

    @Override
    public long getQueueLength() {
      return session.metrics().queueLength();
    }

    @Override
    public long getQueuePeak() {
      return session.metrics().queuePeak();
    }

    @Override
    public long getBytesLive() {
      return session.metrics().bytesLive();
    }

    @Override
    public long getBytesPeak() {
      return session.metrics().bytesPeak();
    }

    @Override
    public double getLatencyP50() {
      return session.metrics().latencyP50() / 1e6;
    }

    @Override
    public double getLatencyP90() {
      return session.metrics().latencyP90() / 1e6;
    }

    @Override
    public double getLatencyP99() {
      return session.metrics().latencyP99() / 1e6;
    }

    @Override
    public double getLatencyMax() {
      return session.metrics().latencyMax() / 1e6;
    }

    @Override
    public void reset() {
      session.resetMetrics();
    }
  }

  private static final class EngineBean implements EngineMXBean {
    @Override
    public String getVersion() {
      return Haft.version();
    }

    @Override
    public int getThreads() {
      return Haft.numThreads();
    }

    @Override
    public long getLiveHandles() {
      return Haft.liveHandles();
    }

    @Override
    public long getLiveBytes() {
      return Haft.memoryStats().live();
    }

    @Override
    public long getPeakBytes() {
      return Haft.memoryStats().peak();
    }

    @Override
    public long getReservedBytes() {
      return Haft.memoryStats().reserved();
    }

    @Override
    public void trim() {
      Haft.trimMemory(Device.CPU);
    }
  }
}
