package io.haft;

import java.util.Map;

/** Modules by name, to be called by the module that holds them. */
public class ModuleDict extends Module {
  /** Empty. */
  public ModuleDict() {
    super(Haft.makeDict());
  }

  /**
   * With these.
   *
   * @param modules the children, in order
   */
  public ModuleDict(Map<String, ? extends Module> modules) {
    this();
    modules.forEach(this::put);
  }

  /**
   * Adds a module. Answers this.
   *
   * @param name what it is called
   * @param m the child
   * @return this
   */
  public ModuleDict put(String name, Module m) {
    child(name, m);
    return this;
  }
}
