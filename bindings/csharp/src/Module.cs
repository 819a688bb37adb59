// Modules: those of the engine, and classes of one's own.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;

namespace Haft {

/// <summary>A part of a network: parameters, buffers, children, and a function from tensors to tensors.</summary>
/// <remarks>Derive, register children and parameters in the constructor, and override <see cref="Forward"/>. The names in
/// the state dict are PyTorch's, so weights travel both ways.</remarks>
/// <example><code>
/// sealed class Net : Module {
///   private readonly Linear fc1 = new Linear(784, 128), fc2 = new Linear(128, 10);
///   public Net() { RegisterComponents(); }
///   public override Tensor Forward(Tensor x) { return fc2.Call(fc1.Call(x.Flatten(1)).Relu()); }
/// }
/// </code></example>
public partial class Module : IDisposable {
  private readonly bool own;  // Forward is C#'s
  private readonly List<KeyValuePair<string, Module>> children = new List<KeyValuePair<string, Module>>();

  private readonly List<object> held = new List<object>();  // reachable as long as this is: groups that it computes over

  internal Module(IntPtr p) { swigCPtr = new NativeHandle(p); }
  // Takes the engine's module over.
  internal Module(Module native) { swigCPtr = native.swigCPtr; }

  /// <summary>A module whose <see cref="Forward"/> a derived class writes.</summary>
  /// <param name="name">what printing calls it; null: the class's name</param>
  protected Module(string name = null) {
    // Weakly: the native module must not keep alive what keeps the native module alive. Parents hold their children.
    var weak = new WeakReference<Module>(this);
    swigCPtr = Functions.CallbackModule(name ?? GetType().Name, new TensorsBridge(inputs => {
      Module self;
      if (!weak.TryGetTarget(out self)) throw new ObjectDisposedException(name, "Haft: the object whose Forward shall run was collected; keep a reference to it");
      return self.ForwardMany(inputs);
    })).swigCPtr;
    own = true;
  }

  // ---- running it

  /// <summary>Runs the module on a tensor, its hooks included.</summary>
  /// <param name="x">the input</param>
  public Tensor Call(Tensor x) { return ForwardNative(x); }
  /// <summary>Runs the module on several tensors, its hooks included.</summary>
  /// <param name="inputs">the inputs</param>
  public Tensor[] Call(params Tensor[] inputs) { return ForwardNative((IEnumerable<Tensor>)inputs); }
  /// <summary>What the module does with one tensor. Override it; call <see cref="Call(Tensor)"/>, which runs hooks, too.</summary>
  /// <param name="x">the input</param>
  public virtual Tensor Forward(Tensor x) {
    if (own) throw new NotImplementedException("Haft: " + GetType().Name + " overrides neither Forward nor ForwardMany");
    return ForwardNative(x);
  }
  /// <summary>What the module does with several tensors. Override it when there is not one input and one output.</summary>
  /// <param name="inputs">the inputs</param>
  public virtual Tensor[] ForwardMany(Tensor[] inputs) {
    if (!own) return ForwardNative((IEnumerable<Tensor>)inputs);
    if (inputs.Length != 1) throw new ArgumentException("Haft: " + GetType().Name + " takes one tensor, got " + inputs.Length + "; override ForwardMany for more");
    return new[] { Forward(inputs[0]) };
  }

  // ---- its tree

  /// <summary>Adds a child; its parameters are this module's, too.</summary>
  /// <typeparam name="T">a module class</typeparam>
  /// <param name="name">its part of the dotted names</param>
  /// <param name="child">a module</param>
  /// <returns>the child</returns>
  public T RegisterModule<T>(string name, T child) where T : Module {
    AddChildNative(name, child);
    int at = children.FindIndex(c => c.Key == name);
    if (at < 0) Hold(name, child);
    else children[at] = new KeyValuePair<string, Module>(name, child);
    return child;
  }
  /// <summary>Registers every field of this object that holds a module, by the field's name: those of base classes first, each
  /// class's in the order written. What is registered already stays as it is.</summary>
  protected void RegisterComponents() {
    var classes = new List<Type>();  // from the base on; a class does not show the private fields that it inherits
    for (Type t = GetType(); t != typeof(Module); t = t.BaseType) classes.Insert(0, t);
    var found = new Dictionary<string, Module>();
    foreach (Type t in classes) {
      foreach (FieldInfo field in t.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)) {
        var child = field.GetValue(this) as Module;
        if (child == null) continue;
        string name = field.Name.TrimStart('_');
        Module other;
        if (found.TryGetValue(name, out other) && !ReferenceEquals(other, child))
          throw new InvalidOperationException("Haft: two fields of " + GetType().Name + " and its base classes hold a module '" + name + "'; RegisterModule names one of them anew");
        found[name] = child;
        if (!children.Exists(c => c.Key == name && ReferenceEquals(c.Value, child))) RegisterModule(name, child);
      }
    }
  }
  // What must not be collected before this.
  internal void Hold(object o) {
    if (!held.Contains(o)) held.Add(o);
  }
  // This object is the engine's module `made` from now on, and gives the one before up.
  internal void Become(Module made) {
    NativeHandle before = swigCPtr;
    swigCPtr = made.swigCPtr;
    before.Dispose();
  }
  internal void Hold(string name, Module child) { children.Add(new KeyValuePair<string, Module>(name, child)); }

  /// <summary>Registers a parameter.</summary>
  /// <param name="name">its part of the dotted names</param>
  /// <param name="t">its first value; the module shares it</param>
  /// <param name="requiresGrad">whether training changes it</param>
  /// <returns>the tensor</returns>
  public Tensor RegisterParameter(string name, Tensor t, bool requiresGrad = true) {
    RegisterParameterNative(name, t, requiresGrad);
    DisposeScope.KeepForModule(t);
    return t;
  }
  /// <summary>Registers a tensor that training does not change.</summary>
  /// <param name="name">its part of the dotted names</param>
  /// <param name="t">its first value; the module shares it</param>
  /// <param name="persistent">whether the state dict has it</param>
  /// <returns>the tensor</returns>
  public Tensor RegisterBuffer(string name, Tensor t, bool persistent = true) {
    RegisterBufferNative(name, t, persistent);
    DisposeScope.KeepForModule(t);
    return t;
  }
  /// <summary>The children that C# registered, in order.</summary>
  public IReadOnlyList<KeyValuePair<string, Module>> NamedChildren { get { return children.AsReadOnly(); } }
  /// <summary>A module of the tree by its dotted name: the very object where C# made it.</summary>
  /// <param name="name">"features.0"; "" is this module</param>
  public Module Child(string name) {
    if (string.IsNullOrEmpty(name)) return this;
    foreach (KeyValuePair<string, Module> c in children) {
      if (c.Key == name) return c.Value;
      if (name.StartsWith(c.Key + ".", StringComparison.Ordinal)) return c.Value.Child(name.Substring(c.Key.Length + 1));
    }
    return ChildNative(name);
  }
  /// <summary>Calls a function with every module of the tree and its dotted name, children first.</summary>
  /// <param name="action">sees each module</param>
  public void Apply(Action<Module, string> action) {
    if (action == null) throw new ArgumentNullException("action");
    Functions.ApplyToModules(this, new VisitorBridge((native, name) => {
      Module known = Child(name);
      if (!ReferenceEquals(known, native)) native.Dispose();
      action(known, name);
    }));
  }

  // ---- what it is, and its modes

  /// <summary>What printing calls it, "Linear".</summary>
  public string TypeName { get { return GetTypeName(); } }
  /// <summary>How many children.</summary>
  public long ChildCount { get { return GetChildCount(); } }
  /// <summary>Elements of all parameters.</summary>
  public long ParameterCount { get { return GetParameterCount(); } }
  /// <summary>Whether it is in training mode.</summary>
  public bool IsTraining { get { return GetIsTraining(); } }
  /// <summary>Training mode for the whole tree: dropout drops, batch norm learns its statistics.</summary>
  /// <param name="on">false: evaluation</param>
  /// <returns>this module</returns>
  public Module Train(bool on = true) {
    TrainNative(on);
    return this;
  }
  /// <summary>Evaluation mode for the whole tree.</summary>
  /// <returns>this module</returns>
  public Module Eval() { return Train(false); }
  /// <summary>Moves parameters and buffers, in place.</summary>
  /// <param name="dtype">a floating dtype; None keeps it</param>
  /// <param name="device">where; the default value keeps it</param>
  /// <returns>this module</returns>
  public Module To(DType dtype, Device device = default(Device)) { return ToNative(dtype, device); }
  /// <summary>Moves parameters and buffers, in place.</summary>
  /// <param name="device">where</param>
  /// <returns>this module</returns>
  public Module To(Device device) { return ToNative(DType.None, device); }
  /// <inheritdoc/>
  public override string ToString() { return IsGone ? "disposed module" : Text(); }

  // ---- hooks

  /// <summary>Calls a function with the inputs before the module runs; what it answers replaces them, null keeps them.</summary>
  /// <param name="hook">sees the inputs</param>
  /// <returns>dispose it to remove the hook</returns>
  public IDisposable RegisterForwardPreHook(Func<Tensor[], IEnumerable<Tensor>> hook) {
    long id = Functions.AddPreHook(this, new TensorsBridge(hook));
    return Tensor.OnDispose(() => RemoveHook(id));
  }
  /// <summary>Calls a function with inputs and outputs after the module ran; what it answers replaces the outputs, null keeps them.</summary>
  /// <param name="hook">sees inputs and outputs</param>
  /// <returns>dispose it to remove the hook</returns>
  public IDisposable RegisterForwardHook(Func<Tensor[], Tensor[], IEnumerable<Tensor>> hook) {
    long id = Functions.AddForwardHook(this, new ModuleHookBridge(hook));
    return Tensor.OnDispose(() => RemoveHook(id));
  }

  /// <summary>Gives this object and its children up; again: nothing.</summary>
  public void Dispose() {
    Dispose(true);
    GC.SuppressFinalize(this);
  }
  /// <summary>Override it to dispose what a derived class holds.</summary>
  /// <param name="disposing">true</param>
  protected virtual void Dispose(bool disposing) {
    if (!disposing) return;
    foreach (KeyValuePair<string, Module> c in children) c.Value.Dispose();
    GiveUp();
  }
}

/// <summary>Modules in a row: the output of one is the input of the next. Children are "0", "1", ...</summary>
public sealed class Sequential : Module, IReadOnlyList<Module> {
  /// <summary>These modules.</summary>
  /// <param name="modules">in order</param>
  public Sequential(params Module[] modules) : base(Functions.SequentialNative(modules)) { Containers.Hold(this, modules); }
  /// <summary>Adds one behind the others.</summary>
  /// <param name="module">a module</param>
  /// <returns>this module</returns>
  public Sequential Append(Module module) {
    Containers.Append(this, module);
    return this;
  }
  /// <inheritdoc/>
  public Module this[int index] { get { return Containers.At(this, index); } }
  /// <inheritdoc/>
  public int Count { get { return NamedChildren.Count; } }
  /// <inheritdoc/>
  public IEnumerator<Module> GetEnumerator() { return Containers.All(this); }
  IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
}
/// <summary>Modules in a list, for a parent whose forward uses them.</summary>
public sealed class ModuleList : Module, IReadOnlyList<Module> {
  /// <summary>These modules.</summary>
  /// <param name="modules">in order</param>
  public ModuleList(params Module[] modules) : base(Functions.ModuleListNative(modules)) { Containers.Hold(this, modules); }
  /// <summary>Adds one behind the others.</summary>
  /// <param name="module">a module</param>
  /// <returns>this module</returns>
  public ModuleList Append(Module module) {
    Containers.Append(this, module);
    return this;
  }
  /// <inheritdoc/>
  public Module this[int index] { get { return Containers.At(this, index); } }
  /// <inheritdoc/>
  public int Count { get { return NamedChildren.Count; } }
  /// <inheritdoc/>
  public IEnumerator<Module> GetEnumerator() { return Containers.All(this); }
  IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
}
/// <summary>Modules by name, for a parent whose forward uses them.</summary>
public sealed class ModuleDict : Module, IEnumerable<KeyValuePair<string, Module>> {
  /// <summary>An empty one: new ModuleDict {{"first", a}, {"second", b}}.</summary>
  public ModuleDict() : base(Support.NewModuleDict()) {}
  /// <summary>Adds one behind the others.</summary>
  /// <param name="name">a new name</param>
  /// <param name="module">a module</param>
  public void Add(string name, Module module) { RegisterModule(name, module); }
  /// <summary>One by its name.</summary>
  /// <param name="name">its name</param>
  public Module this[string name] { get { return Child(name); } }
  /// <inheritdoc/>
  public IEnumerator<KeyValuePair<string, Module>> GetEnumerator() { return NamedChildren.GetEnumerator(); }
  IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
}

internal static class Containers {
  internal static void Hold(Module parent, Module[] modules) {
    for (int i = 0; i < modules.Length; ++i) parent.Hold(i.ToString(), modules[i]);
  }
  internal static void Append(Module parent, Module module) {
    parent.AppendNative(module);
    parent.Hold(parent.NamedChildren.Count.ToString(), module);
  }
  internal static Module At(Module parent, int index) { return parent.NamedChildren[index < 0 ? index + parent.NamedChildren.Count : index].Value; }
  internal static IEnumerator<Module> All(Module parent) {
    foreach (KeyValuePair<string, Module> c in parent.NamedChildren) yield return c.Value;
  }
}
}
