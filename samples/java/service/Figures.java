package service;

import io.haft.Haft;
import io.haft.LeakReports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What /metrics tells, in Prometheus' text format: answers by model and status, and all that haft has of its sessions. */
final class Figures {
  static final String TYPE = "text/plain; version=0.0.4";
  private final Map<String, LongAdder> answers = new ConcurrentSkipListMap<>();  // by their labels

  void answered(String model, int status) {
    answers.computeIfAbsent("model=\"" + model + "\",code=\"" + status + "\"", labels -> new LongAdder()).increment();
  }

  /** All answers. */
  long total() {
    return answers.values().stream().mapToLong(LongAdder::sum).sum();
  }

  String text(Models models, Gate gate) {
    StringBuilder out = new StringBuilder();
    family(out, "service_requests_total", "counter", "Requests to models by the status of their answers.");
    answers.forEach((labels, n) -> sample(out, "service_requests_total{" + labels + "}", n.sum()));
    family(out, "service_requests_in_flight", "gauge", "Requests that are not answered yet.");
    sample(out, "service_requests_in_flight", gate.open());
    family(out, "service_model_ready", "gauge", "Whether the model has weights and is warm.");
    for (Model m : models.all()) sample(out, "service_model_ready{model=\"" + m.name + "\"}", m.isReady() ? 1 : 0);
    family(out, "service_model_version", "gauge", "How often weights were loaded.");
    for (Model m : models.all()) sample(out, "service_model_version{model=\"" + m.name + "\"}", m.version());
    family(out, "service_unclosed_objects_total", "counter", "Sampled objects of haft that nobody closed but the collector.");
    sample(out, "service_unclosed_objects_total", LeakReports.count());
    family(out, "process_resident_memory_bytes", "gauge", "Memory of the process.");
    sample(out, "process_resident_memory_bytes", resident());
    return out + Haft.metricsText();
  }

  private static void family(StringBuilder out, String name, String type, String help) {
    out.append("# HELP ").append(name).append(' ').append(help).append('\n');
    out.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private static void sample(StringBuilder out, String name, long value) {
    out.append(name).append(' ').append(value).append('\n');
  }

  private static long resident() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/status")))
        if (line.startsWith("VmRSS:")) return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    } catch (IOException e) {
      // not on Linux
    }
    return 0;
  }
}
