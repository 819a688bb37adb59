package io.haft;

/** Modules in a row, to be called by the module that holds the list. */
public class ModuleList extends Module implements Iterable<Module> {
  /**
   * In this order.
   *
   * @param modules the children, in order
   */
  public ModuleList(Module... modules) {
    super(Haft.moduleList(new Module[0]));
    for (Module m : modules) add(m);
  }

  /**
   * Appends a module. Answers this.
   *
   * @param m the child
   * @return this
   */
  public ModuleList add(Module m) {
    child(Integer.toString(children().size()), m);
    return this;
  }

  /**
   * The i-th module.
   *
   * @param i which one, from 0
   * @return the i-th module
   */
  public Module get(int i) {
    return get(Integer.toString(i));
  }

  @Override
  public java.util.Iterator<Module> iterator() {
    return children().values().iterator();
  }
}
