package io.haft;

import java.util.ArrayList;

/**
 * Closes every tensor that this thread makes until its end, except those kept:
 *
 * <pre>{@code
 * Tensor loss;
 * try (Scope scope = new Scope()) {
 *   loss = scope.keep(net.call(x).crossEntropy(y));
 * }  // all but loss is closed
 * }</pre>
 *
 * Scopes belong to a thread and nest; a tensor belongs to the innermost one. What other threads make is theirs; so are
 * the answers of {@link InferenceSession#submit}, whichever thread computes them, and what their stages make there. Close
 * a scope in the thread that opened it.
 *
 * <p>Every function that the engine calls (forward of a module of yours, hooks, items of a dataset, a {@link Function}) has a
 * scope of its own: when it returns, the tensors that it was given and those that it made are closed, but for what it answers.
 * What shall stay, in a field say, is taken out by {@code Scope.current().keep(t)}, and then is nobody's but its user's.
 */
public final class Scope implements AutoCloseable {
  private static final ThreadLocal<Scope> CURRENT = new ThreadLocal<>();
  private final boolean ofCallback;
  private final Scope outer, before;  // before: what the thread has again at the end; to a callback's scope nothing is outer
  private final Thread owner = Thread.currentThread();
  private ArrayList<Tensor> born = new ArrayList<>();
  private int compactAt = 256;

  /** Opens a scope in this thread. */
  public Scope() {
    this(false);
  }

  private Scope(boolean ofCallback) {
    this.ofCallback = ofCallback;
    before = CURRENT.get();
    outer = ofCallback ? null : before;
    CURRENT.set(this);
  }

  /** {@return the innermost scope of this thread; null: none} */
  public static Scope current() {
    return CURRENT.get();
  }

  /** Around a function that the engine calls: what is around the call has no part in it. */
  static Scope enterCallback() {
    return new Scope(true);
  }

  /** Closes what is left in it, and in scopes that the function left open. */
  void leaveCallback() {
    Scope s = CURRENT.get();
    resume(before);
    for (; s != null && s != this; s = s.outer) s.closeAll();
    closeAll();
  }

  private void closeAll() {
    ArrayList<Tensor> dead = born;
    born = null;
    if (dead != null) for (Tensor t : dead) t.close();
  }

  /** An object that a callback answers, and perhaps tensors in it, which stay alive. */
  static void keepInside(Object o) {
    Scope s = CURRENT.get();
    if (s == null) return;
    if (o instanceof Tensor t) s.keep(t);
    else if (!(o instanceof Number || o instanceof CharSequence || o.getClass().isArray() && o.getClass().componentType().isPrimitive())) s.born.clear();
  }

  /** A module has it from now on: the end of the callback that made it does not close it. */
  static void keepForModule(Tensor t) {
    Scope s = CURRENT.get();
    if (s != null && s.ofCallback) s.keep(t);
  }

  // Work for others on this thread, whose tensors its scopes shall not close: what to hand to resume() afterwards.
  static Scope suspend() {
    Scope here = CURRENT.get();
    if (here != null) CURRENT.remove();
    return here;
  }

  static void resume(Scope here) {
    if (here != null) CURRENT.set(here);
    else CURRENT.remove();
  }

  static void adopt(Tensor t) {
    Scope s = CURRENT.get();
    if (s != null) s.add(t);
  }

  private void add(Tensor t) {
    if (born.size() >= compactAt) {  // closed by hand in a long scope
      born.removeIf(NativeObject::isClosed);
      compactAt = Math.max(256, 2 * born.size());
    }
    born.add(t);
  }

  /**
   * Takes a tensor out of this scope, wherever inside it was born: the scope around this one closes it, or, without one,
   * its user. A tensor of a scope further out goes to the one around that.
   *
   * @param t what shall stay alive
   * @return the tensor
   */
  public Tensor keep(Tensor t) {
    if (born == null) throw new IllegalStateException("the scope is closed");
    if (Thread.currentThread() != owner) throw new IllegalStateException("a scope keeps tensors in the thread that opened it");
    boolean inside = true;  // of this scope
    for (Scope s = CURRENT.get(); s != null; s = s.outer) {
      if (s == this) inside = false;
      for (int i = s.born.size() - 1; i >= 0; i--) {
        if (s.born.get(i) != t) continue;
        s.born.remove(i);
        Scope next = inside ? outer : s.outer;
        if (next != null) next.add(t);
        return t;
      }
    }
    return t;
  }

  /**
   * Takes several out.
   *
   * @param ts what shall stay alive
   * @return the tensors
   */
  public Tensor[] keep(Tensor... ts) {
    for (Tensor t : ts) keep(t);
    return ts;
  }

  /** Closes what was born inside and not kept. */
  @Override
  public void close() {
    if (born == null) return;
    if (Thread.currentThread() != owner) throw new IllegalStateException("a scope is closed in the thread that opened it");
    if (CURRENT.get() != this) throw new IllegalStateException("a scope inside this one is still open");
    resume(before);
    closeAll();
  }
}
