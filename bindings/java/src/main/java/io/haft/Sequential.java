package io.haft;

/** Modules one after the other, named "0", "1", ... */
public class Sequential extends Module {
  /**
   * In this order.
   *
   * @param modules the children, in order
   */
  public Sequential(Module... modules) {
    super(Haft.sequential(new Module[0]));
    for (Module m : modules) add(m);
  }

  /**
   * Appends a module. Answers this.
   *
   * @param m the child
   * @return this
   */
  public Sequential add(Module m) {
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

  /** {@return how many there are} */
  public int length() {
    return children().size();
  }
}
