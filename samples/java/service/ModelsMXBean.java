package service;

import java.util.List;

/** The models in JMX, as service:type=Models. */
public interface ModelsMXBean {
  /** Their names. */
  List<String> getNames();

  /** Whether each has weights and is warm. */
  boolean isReady();

  /** Reads all files again, as SIGHUP does. */
  void reload();
}
