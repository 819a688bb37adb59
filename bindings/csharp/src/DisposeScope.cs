using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Haft {

/// <summary>Disposes the tensors that were born inside it, except those that were kept or moved out.</summary>
/// <remarks>A scope follows its asynchronous flow: what is awaited inside, or started inside, belongs to it on whatever
/// thread it runs. Scopes nest; a tensor belongs to the innermost one.
/// <para>Every function that the engine calls (Forward of a module of yours, hooks, items of a dataset, a <see cref="Function"/>)
/// has a scope of its own: when it returns, the tensors that it was given and those that it made are disposed, but for what it
/// answers. What shall stay, in a field say, is taken out by DisposeScope.Current.Keep.</para></remarks>
/// <example><code>
/// using (var scope = new DisposeScope()) {
///   Tensor y = scope.Keep(net.Call(x).Softmax(1));  // what lies between is disposed
/// }
/// </code></example>
public sealed class DisposeScope : IDisposable {
  private static readonly AsyncLocal<DisposeScope> current = new AsyncLocal<DisposeScope>();
  private static int open;

  private readonly DisposeScope outer, before;  // before: what this flow has again at the end; to a callback's scope nothing is outer
  private readonly bool ofCallback;
  private HashSet<Tensor> born = new HashSet<Tensor>();

  /// <summary>Begins here.</summary>
  public DisposeScope() : this(false) {}
  private DisposeScope(bool ofCallback) {
    this.ofCallback = ofCallback;
    before = current.Value;
    outer = ofCallback ? null : before;
    current.Value = this;
    Interlocked.Increment(ref open);
  }

  // Around a function that the engine calls: what is around the call has no part in it.
  internal static DisposeScope EnterCallback() { return new DisposeScope(true); }
  internal void LeaveCallback() {
    for (DisposeScope left = current.Value; left != null && left != this; left = left.outer) left.DisposeAll();
    DisposeAll();
    current.Value = before;
  }
  // For a function that goes on in other threads: this one leaves the scope, which ends with Dispose().
  internal void Detach() { current.Value = before; }
  // An object that a callback answers, and perhaps tensors in it, which stay alive.
  internal static void KeepInside(object o) {
    DisposeScope scope = Current;
    if (scope == null || o == null) return;
    var t = o as Tensor;
    if (t != null) scope.Keep(t);
    else if (!(o is string || o.GetType().IsPrimitive || o.GetType().IsArray && o.GetType().GetElementType().IsPrimitive)) scope.LetGo();
  }
  // A module has it from now on: the end of the callback that made it does not dispose it.
  internal static void KeepForModule(Tensor t) {
    DisposeScope scope = Current;
    if (scope != null && scope.ofCallback) scope.Keep(t);
  }
  private void LetGo() {
    lock (this) {
      if (born != null) born.Clear();
    }
  }

  /// <summary>The innermost scope of this flow; null: none.</summary>
  [MaybeNull]
  public static DisposeScope Current {
    get {
      DisposeScope scope = current.Value;
      while (scope != null && scope.born == null) scope = scope.outer;  // ended in another flow
      return scope;
    }
  }

  // Read for every new tensor: without scopes it costs one comparison.
  internal static bool Any { get { return Volatile.Read(ref open) != 0; } }

  internal static void Register(Tensor t) {
    for (DisposeScope scope = current.Value; scope != null; scope = scope.outer)
      if (scope.Add(t)) return;
  }

  // What `make` makes belongs to `scope`, that of another flow; null: to none. What this thread is inside of has no part in it.
  internal static T Within<T>(DisposeScope scope, Func<T> make) {
    DisposeScope here = current.Value;
    current.Value = scope;
    try {
      return make();
    } finally {
      current.Value = here;
    }
  }

  private bool Add(Tensor t) {
    lock (this) {
      return born != null && born.Add(t);
    }
  }
  private bool Remove(Tensor t) {
    lock (this) {
      return born != null && born.Remove(t);
    }
  }
  internal static void Forget(Tensor t) {
    for (DisposeScope scope = current.Value; scope != null; scope = scope.outer)
      if (scope.Remove(t)) return;
  }

  /// <summary>How many tensors the scope would dispose now.</summary>
  public int Count {
    get {
      lock (this) {
        return born == null ? 0 : born.Count;
      }
    }
  }

  /// <summary>The tensor outlives this scope and all others: its owner disposes it.</summary>
  /// <param name="t">a tensor of this scope or one around it</param>
  /// <returns>the same tensor</returns>
  public Tensor Keep(Tensor t) {
    for (DisposeScope scope = this; scope != null; scope = scope.outer)
      if (scope.Remove(t)) break;
    return t;
  }
  /// <summary>The tensors outlive this scope and all others.</summary>
  /// <param name="ts">tensors of this scope or one around it</param>
  /// <returns>the same tensors</returns>
  public Tensor[] Keep(params Tensor[] ts) {
    foreach (Tensor t in ts) Keep(t);
    return ts;
  }
  /// <summary>The tensor outlives this scope and belongs to the one around it.</summary>
  /// <param name="t">a tensor of this scope</param>
  /// <returns>the same tensor</returns>
  public Tensor MoveOut(Tensor t) {
    if (Remove(t))
      for (DisposeScope scope = outer; scope != null; scope = scope.outer)
        if (scope.Add(t)) break;
    return t;
  }

  /// <summary>Ends the scope and disposes what is left in it; again: nothing.</summary>
  public void Dispose() {
    if (ReferenceEquals(current.Value, this)) current.Value = before;
    DisposeAll();
  }
  private void DisposeAll() {
    HashSet<Tensor> left;
    lock (this) {
      left = born;
      born = null;
    }
    if (left == null) return;
    Interlocked.Decrement(ref open);
    foreach (Tensor t in left) t.Dispose();
  }
}
}
