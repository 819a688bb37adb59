package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.lang.management.ManagementFactory;
import java.util.*;
import java.util.function.DoubleSupplier;
import javax.management.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class ObservabilityTest {
  private static InferenceSession session(Module net, String name) {
    return new InferenceSession(net, new InferenceSession.Options().name(name));
  }

  private static void run(InferenceSession session, int times) {
    for (int i = 0; i < times; i++) {
      try (Scope scope = new Scope()) {
        session.run(Tensor.ones(1, 4));
      }
    }
  }

  @Test
  void prometheusText() {
    try (Module net = new Linear(4, 3); InferenceSession a = session(net, "a \"b\""); InferenceSession b = session(net, "plain")) {
      run(a, 3);
      String text = Haft.metricsText();
      assertTrue(text.contains("haft_session_requests_total{session=\"a \\\"b\\\"\",outcome=\"completed\"} 3\n"), text);
      assertTrue(text.contains("haft_session_requests_total{session=\"plain\",outcome=\"completed\"} 0\n"), text);
      assertTrue(text.contains("haft_session_latency_seconds_bucket{session=\"plain\",le=\"+Inf\"} 0\n"), text);
      assertTrue(text.contains("haft_memory_live_bytes{device=\"cpu\"} "), text);
    }
    assertFalse(Haft.metricsText().contains("\"plain\""));
    assertThrows(NullPointerException.class, () -> new InferenceSession.Options().name(null));
  }

  @Test
  void metersForAnyLibrary() throws Exception {
    Map<String, DoubleSupplier> registry = new HashMap<>();
    Set<String> counters = new HashSet<>();
    try (Module net = new Linear(4, 3); InferenceSession session = session(net, "meters")) {
      run(session, 2);
      Meters.of(session, (name, description, kind, value) -> {
        assertFalse(description.isEmpty());
        assertNull(registry.put(name, value), name);
        if (kind == Meters.Kind.COUNTER) counters.add(name);
      });
      assertEquals(2, registry.get("haft.session.requests.completed").getAsDouble());
      assertEquals(2, registry.get("haft.session.batches").getAsDouble());
      double p99 = registry.get("haft.session.latency.p99.seconds").getAsDouble();
      assertTrue(p99 > 0 && p99 < 60, "seconds: " + p99);
      assertTrue(counters.contains("haft.session.requests.failed") && !counters.contains("haft.session.queue.length"));
      run(session, 1);
      while (registry.get("haft.session.requests.completed").getAsDouble() != 3) Thread.onSpinWait();
    }
    while (!Double.isNaN(registry.get("haft.session.batches").getAsDouble())) Thread.onSpinWait();
  }

  @Test
  void beans() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name;
    try (Module net = new Linear(4, 3); InferenceSession session = session(net, "beans"); Management.Registration bean = Management.register(session, "a, b")) {
      name = bean.name();
      run(session, 2);
      assertEquals(2L, server.getAttribute(name, "Completed"));
      assertTrue((double) server.getAttribute(name, "LatencyMax") > 0);
      for (MBeanAttributeInfo a : server.getMBeanInfo(name).getAttributes()) assertTrue(server.getAttribute(name, a.getName()) instanceof Number, a.getName());
      server.invoke(name, "reset", null, null);
      assertEquals(0L, server.getAttribute(name, "Completed"));
      String taken = assertThrows(IllegalStateException.class, () -> Management.register(session, "a, b")).getMessage();
      assertTrue(taken.contains("a, b"), taken);
    }
    assertFalse(server.isRegistered(name));
    try (Management.Registration engine = Management.registerEngine(); Tensor x = Tensor.ones(1000)) {
      assertEquals(Haft.version(), server.getAttribute(engine.name(), "Version"));
      assertTrue((long) server.getAttribute(engine.name(), "LiveBytes") >= 4000);
      for (MBeanAttributeInfo a : server.getMBeanInfo(engine.name()).getAttributes()) assertNotNull(server.getAttribute(engine.name(), a.getName()));
      server.invoke(engine.name(), "trim", null, null);
    }
  }
}
