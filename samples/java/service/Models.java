package service;

import io.haft.Device;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;

/** The models by name. */
final class Models implements ModelsMXBean, AutoCloseable {
  private final Map<String, Model> byName = new LinkedHashMap<>();

  Models(Options o, Device device) throws JMException {
    o.models.forEach((name, file) -> byName.put(name, new Model(name, file, false, device, o)));
    o.sentences.forEach((name, folder) -> byName.put(name, new Model(name, folder, true, device, o)));
    ManagementFactory.getPlatformMBeanServer().registerMBean(this, new ObjectName("service:type=Models"));
  }

  /** Reads all files again. A bad one leaves its model as it was. */
  @Override
  public synchronized void reload() {
    byName.values().forEach(Model::load);
    List<String> missing = all().stream().filter(m -> !m.isReady()).map(m -> m.name).toList();
    if (missing.isEmpty()) Log.info("models.ready", "models", getNames());
    else Log.warning("models.missing", "models", missing);
  }

  @Override
  public boolean isReady() {
    return byName.values().stream().allMatch(Model::isReady);
  }

  @Override
  public List<String> getNames() {
    return List.copyOf(byName.keySet());
  }

  Model get(String name) {
    Model m = byName.get(name);
    if (m == null) throw new Refusal(404, "no model '" + name + "'; there are " + String.join(", ", byName.keySet()));
    return m;
  }

  Collection<Model> all() {
    return byName.values();
  }

  /** One JSON object a model. */
  List<Json.Text> states() {
    List<Json.Text> out = new ArrayList<>();
    for (Model m : all()) {
      String state = Json.object("name", m.name, "ready", m.isReady(), "version", m.version(), "problem", m.problem());
      out.add(new Json.Text(state));
    }
    return out;
  }

  /** Answers what the models have; false when some was left after the time, which they share. */
  boolean drain(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    boolean all = true;
    for (Model m : all()) all &= m.drain(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    return all;
  }

  @Override
  public synchronized void close() {
    all().forEach(Model::close);
  }
}
