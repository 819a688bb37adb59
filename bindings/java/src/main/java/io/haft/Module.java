package io.haft;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/**
 * A layer, a container of layers, or a network of your own:
 *
 * <pre>{@code
 * class Net extends Module {
 *   final Module hidden = child("hidden", new Linear(784, 128)), out = child("out", new Linear(128, 10));
 *
 *   public Tensor forward(Tensor x) {
 *     return out.call(hidden.call(x).relu());
 *   }
 * }
 * }</pre>
 *
 * call() runs forward with the hooks. Closing a module closes its children. Import io.haft.Module by its name: java.lang
 * has a Module, too.
 */
public class Module extends ModuleOperators {
  /** Sees a module's inputs and outputs; what it answers replaces the outputs, null keeps them. */
  @FunctionalInterface
  public interface ForwardHook {
    /**
     * Called after forward.
     *
     * @param inputs the inputs, in order
     * @param outputs the outputs, in order
     * @return what replaces the outputs; null: nothing does
     */
    Tensor[] apply(Tensor[] inputs, Tensor[] outputs);
  }

  /** What the engine calls for a module of your own. Weak: the engine's module must not keep its own object alive. */
  private static final class Forward implements TensorsFunction {
    private WeakReference<Module> target;

    @Override
    public Tensor[] apply(Tensor... inputs) {
      Module m = target.get();
      if (m == null) throw new IllegalStateException("the object of this module is gone: keep a reference to it");
      return m.answer(inputs);
    }
  }

  private final Map<String, Module> children = new LinkedHashMap<>();
  private final boolean own;
  private final AtomicInteger hooks = new AtomicInteger();
  private List<Object> held = List.of();  // reachable as long as this is: groups that it computes over

  /** For a module of your own: name children and parameters, and write forward. */
  protected Module() {
    this(new Forward());
  }

  private Module(Forward f) {
    super(MODULE, Haft.callbackModule(nameOfSubclass(), f).steal());
    f.target = new WeakReference<>(this);
    own = true;
  }

  /** Takes over what a factory of {@link Haft} made. */
  Module(Module made) {
    super(MODULE, made.steal());
    own = false;
  }

  private Module(long handle) {
    super(MODULE, handle);
    own = false;
  }

  static Module adopt(long handle) {
    return handle == 0 ? null : new Module(handle);
  }

  /** The class under construction: the last of the constructors on the stack, each of a subclass of the one before. */
  private static String nameOfSubclass() {
    Class<?> c = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE).walk(frames -> {
      Class<?>[] found = {Module.class};
      frames.skip(1).takeWhile(f -> f.getMethodName().equals("<init>") && found[0].isAssignableFrom(f.getDeclaringClass())).forEach(f -> found[0] = f.getDeclaringClass());
      return found[0];
    });
    return c.getSimpleName().isEmpty() ? "Module" : c.getSimpleName();
  }

  /** {@return the module's structure, as PyTorch prints it} */
  @Override
  public String toString() {
    try {
      return super.toString();
    } catch (ClosedException e) {
      return getClass().getSimpleName() + "(closed)";
    }
  }

  /** What must not be collected before this. */
  final void hold(Object o) {
    if (held.contains(o)) return;
    List<Object> all = new ArrayList<>(held);
    all.add(o);
    held = all;
  }

  /** A child that the engine's module has already. */
  final void hold(String name, Module child) {
    children.put(name, child);
  }

  // ---- building ----

  /** Adds a child under a name and answers it. */
  protected final <M extends Module> M child(String name, M child) {
    addChild(name, child);
    children.put(name, child);
    return child;
  }

  /** Registers a parameter and answers it. */
  protected final Tensor parameter(String name, Tensor t) {
    registerParameter(name, t);
    Scope.keepForModule(t);
    return t;
  }

  /** Registers a buffer, which is saved with the module but not trained, and answers it. */
  protected final Tensor buffer(String name, Tensor t) {
    registerBuffer(name, t);
    Scope.keepForModule(t);
    return t;
  }

  // ---- running ----

  /**
   * Runs forward with hooks.
   *
   * @param x the input
   * @return the output
   */
  public final Tensor call(Tensor x) {
    return own && hooks.get() == 0 ? answered(forward(x)) : super.forward(x);
  }

  /**
   * Runs forward of several tensors with hooks.
   *
   * @param inputs the inputs, in order
   * @return the outputs, in order
   */
  public final Tensor[] call(Tensor... inputs) {
    return own && hooks.get() == 0 ? answer(inputs) : super.forward(inputs);
  }

  private Tensor[] answer(Tensor... inputs) {
    Tensor[] outputs = forward(inputs);
    if (outputs == null) answered(null);
    for (Tensor t : outputs) answered(t);
    return outputs;
  }

  private Tensor answered(Tensor output) {
    if (output == null) throw new NullPointerException(getClass().getName() + ".forward answered null instead of a tensor");
    return output;
  }

  /**
   * Computes the output. Override it in a module of your own; use call() to run a module.
   *
   * @return the output
   */
  @Override
  public Tensor forward(Tensor x) {
    if (own) throw new UnsupportedOperationException(getClass().getName() + " has no forward of one tensor");
    return super.forward(x);
  }

  /**
   * Computes outputs from several tensors; one tensor goes to the other forward.
   *
   * @return the outputs
   */
  @Override
  public Tensor[] forward(Tensor... inputs) {
    if (!own) return super.forward(inputs);
    if (inputs.length != 1) throw new UnsupportedOperationException(getClass().getName() + " has no forward of " + inputs.length + " tensors");
    return new Tensor[] {forward(inputs[0])};
  }

  // ---- the tree ----

  /** {@return the children by name, in order} */
  public final Map<String, Module> children() {
    return Collections.unmodifiableMap(children);
  }

  /**
   * A module of the tree by its dotted name.
   *
   * @param path its name below this one, as "0.conv"
   * @return a module of the tree by its dotted name
   */
  public final Module get(String path) {
    Module m = this;
    for (String name : path.split("\\.")) {
      m = m.children.get(name);
      if (m == null) throw new IllegalArgumentException("no module '" + path + "' below " + type());
    }
    return m;
  }

  /**
   * Calls f(module, dotted name) for the whole tree, children first; the name of this one is "".
   *
   * @param f called once for every module
   */
  public final void visit(BiConsumer<Module, String> f) {
    visit("", f);
  }

  private void visit(String path, BiConsumer<Module, String> f) {
    children.forEach((name, child) -> child.visit(path.isEmpty() ? name : path + "." + name, f));
    f.accept(this, path);
  }

  /** {@return this module and all below it} */
  public final List<Module> modules() {
    List<Module> out = new ArrayList<>();
    visit((m, name) -> out.add(m));
    Collections.reverse(out);
    return out;
  }

  // ---- hooks ----

  /**
   * Calls f after each forward. Answers the hook's number for removeHook.
   *
   * @param f called at every forward
   * @return the hook's number for removeHook
   */
  public final long addForwardHook(ForwardHook f) {
    long id = Haft.addForwardHook(this, f);
    hooks.incrementAndGet();
    return id;
  }

  /**
   * Calls f before each forward; what it answers replaces the inputs, null keeps them.
   *
   * @param f called at every forward
   * @return the hook's number for removeHook
   */
  public final long addForwardPreHook(TensorsFunction f) {
    long id = Haft.addPreHook(this, f);
    hooks.incrementAndGet();
    return id;
  }

  @Override
  public final void removeHook(long id) {
    super.removeHook(id);
    hooks.decrementAndGet();
  }

  /** Closes the children, then this. */
  @Override
  public void close() {
    children.values().forEach(Module::close);
    super.close();
  }
}
