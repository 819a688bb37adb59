// Differentiation: gradients, modes, functions of one's own, the check against differences.
using System;
using System.Collections.Generic;

namespace Haft {

/// <summary>What random operators do inside of <see cref="Autograd.Vmap"/>.</summary>
public enum Randomness {
  /// <summary>None may run.</summary>
  Error,
  /// <summary>Each example has numbers of its own.</summary>
  Different,
  /// <summary>All examples have the same.</summary>
  Same
}

/// <summary>Gradients as values, and whether operators are recorded.</summary>
public static class Autograd {
  private const int Retain = 1, Create = 2, Unused = 4;
  internal static int Flags(bool retainGraph, bool createGraph, bool allowUnused) {
    return (retainGraph ? Retain : 0) | (createGraph ? Create : 0) | (allowUnused ? Unused : 0);
  }

  /// <summary>Whether this thread records operators.</summary>
  public static bool IsGradEnabled { get { return Functions.IsGradEnabled(); } }

  /// <summary>Adds the gradients of several tensors to the leaves that they depend on.</summary>
  /// <param name="outputs">the tensors</param>
  /// <param name="gradients">the gradient of each; null: 1, for tensors of one element</param>
  /// <param name="retainGraph">keep what the graph saved, to walk it again</param>
  /// <param name="createGraph">record the gradients themselves</param>
  public static void Backward(IEnumerable<Tensor> outputs, IEnumerable<Tensor> gradients = null, bool retainGraph = false, bool createGraph = false) {
    Functions.BackwardNative(outputs, gradients, Flags(retainGraph, createGraph, false));
  }
  /// <summary>The same for chosen inputs only. Leaves accumulate as there; other tensors keep a gradient from now on.</summary>
  /// <param name="outputs">the tensors</param>
  /// <param name="inputs">by what; those that the outputs do not depend on get no gradient</param>
  /// <param name="gradients">the gradient of each output; null: 1, for tensors of one element</param>
  /// <param name="retainGraph">keep what the graph saved, to walk it again</param>
  /// <param name="createGraph">record the gradients themselves</param>
  public static void BackwardInputs(IEnumerable<Tensor> outputs, IEnumerable<Tensor> inputs, IEnumerable<Tensor> gradients = null, bool retainGraph = false,
                                    bool createGraph = false) {
    Functions.BackwardInputsNative(outputs, inputs, Flags(retainGraph, createGraph, false), gradients ?? new Tensor[0]);
  }
  /// <summary>The gradients of tensors for chosen inputs; the leaves are left alone.</summary>
  /// <param name="outputs">what is differentiated</param>
  /// <param name="inputs">by what</param>
  /// <param name="gradients">the gradient of each output; null: 1, for tensors of one element</param>
  /// <param name="retainGraph">keep what the graph saved, to walk it again</param>
  /// <param name="createGraph">record the gradients themselves, for higher derivatives</param>
  /// <param name="allowUnused">null for an input that the outputs do not depend on, instead of an exception</param>
  public static Tensor[] Grad(IEnumerable<Tensor> outputs, IEnumerable<Tensor> inputs, IEnumerable<Tensor> gradients = null, bool retainGraph = false,
                              bool createGraph = false, bool allowUnused = false) {
    return Functions.GradNative(outputs, inputs, Flags(retainGraph, createGraph, allowUnused), gradients ?? new Tensor[0]);
  }
  /// <summary>The gradient of one tensor for one input.</summary>
  /// <param name="output">what is differentiated; one element</param>
  /// <param name="input">by what</param>
  /// <param name="createGraph">record the gradient itself, for higher derivatives</param>
  public static Tensor Grad(Tensor output, Tensor input, bool createGraph = false) { return Grad(new[] { output }, new[] { input }, null, false, createGraph)[0]; }

  /// <summary>Calls an action once when the backward that runs on this thread has added its last gradient; from a hook or a
  /// <see cref="Function"/>.</summary>
  /// <param name="action">what it throws comes out of backward</param>
  public static void AddBackwardCallback(Action action) { Functions.AddBackwardCallback(new ActionBridge(action)); }

  private static Tensor[] Part(Tensor[] all, int from, int count) {
    var part = new Tensor[count];
    Array.Copy(all, from, part, 0, count);
    return part;
  }
  private static Products Split(Tensor[] all, int outputs) { return new Products(Part(all, 0, outputs), Part(all, outputs, all.Length - outputs)); }
  private static Tensor[,] Rows(Tensor[] all, int columns) {
    var rows = new Tensor[all.Length / columns, columns];
    for (int i = 0; i < all.Length; i++) rows[i / columns, i % columns] = all[i];
    return rows;
  }
  private static TensorsBridge Bridge(Func<Tensor[], Tensor[]> function) {
    if (function == null) throw new ArgumentNullException("function");
    return new TensorsBridge(x => function(x));
  }

  /// <summary>Vectors times the Jacobian of a function. It gets tensors of its own, and what it computes is recorded whatever the
  /// thread's mode.</summary>
  /// <param name="function">called once</param>
  /// <param name="inputs">of floating dtypes</param>
  /// <param name="vectors">one for each output, of its shape; null: 1, for a single output of one element</param>
  /// <param name="createGraph">record the results, which then depend on inputs that require a gradient</param>
  /// <returns>the outputs, and a product for each input</returns>
  public static Products Vjp(Func<Tensor[], Tensor[]> function, Tensor[] inputs, Tensor[] vectors = null, bool createGraph = false) {
    Tensor[] all = Functions.VjpNative(Bridge(function), inputs, vectors ?? new Tensor[0], Flags(false, createGraph, false));
    return Split(all, all.Length - inputs.Length);
  }
  /// <summary>The Jacobian of a function times vectors.</summary>
  /// <param name="function">called once</param>
  /// <param name="inputs">of floating dtypes</param>
  /// <param name="vectors">one for each input, of its shape; null: 1, for a single input of one element</param>
  /// <param name="createGraph">record the results, which then depend on inputs that require a gradient</param>
  /// <returns>the outputs, and a product for each output</returns>
  public static Products Jvp(Func<Tensor[], Tensor[]> function, Tensor[] inputs, Tensor[] vectors = null, bool createGraph = false) {
    Tensor[] all = Functions.JvpNative(Bridge(function), inputs, vectors ?? new Tensor[0], Flags(false, createGraph, false));
    return Split(all, all.Length / 2);
  }
  /// <summary>The Hessian of a function with one output of one element times vectors; vectors times the Hessian are the same.</summary>
  /// <param name="function">called once</param>
  /// <param name="inputs">of floating dtypes</param>
  /// <param name="vectors">one for each input, of its shape; null: 1, for a single input of one element</param>
  /// <param name="createGraph">record the results, which then depend on inputs that require a gradient</param>
  /// <returns>the output, and a product for each input</returns>
  public static Products Hvp(Func<Tensor[], Tensor[]> function, Tensor[] inputs, Tensor[] vectors = null, bool createGraph = false) {
    return Split(Functions.HvpNative(Bridge(function), inputs, vectors ?? new Tensor[0], Flags(false, createGraph, false)), 1);
  }
  /// <summary>The Jacobian of a function: at [i, k] a tensor of the sizes of output i and then of input k.</summary>
  /// <param name="function">called once</param>
  /// <param name="inputs">of floating dtypes</param>
  /// <param name="createGraph">record the results, which then depend on inputs that require a gradient</param>
  /// <param name="chunkSize">how many elements of the outputs a walk of the graph serves: memory against time; 0: as memory allows</param>
  public static Tensor[,] Jacobian(Func<Tensor[], Tensor[]> function, Tensor[] inputs, bool createGraph = false, long chunkSize = 0) {
    return Rows(Functions.JacobianNative(Bridge(function), inputs, Flags(false, createGraph, false), chunkSize), inputs.Length);
  }
  /// <summary>As a dimension of Vmap: the tensor has no examples, it is the same for all.</summary>
  public const long Whole = long.MinValue;
  /// <summary>The results of a function of one example for many (torch.func.vmap). It is called once for each chunk, with tensors of one
  /// example's sizes that stand for all of them, and can read no values.</summary>
  /// <param name="function">called once for each chunk</param>
  /// <param name="inputs">with examples or without</param>
  /// <param name="inDims">along which dimension each input has its examples, or Whole; null: 0 for all</param>
  /// <param name="outDims">where outputs get theirs, one for all or one for each, or Whole; null: 0</param>
  /// <param name="randomness">what random operators do</param>
  /// <param name="chunkSize">examples at a time; 0: all</param>
  /// <returns>the outputs of all examples</returns>
  public static Tensor[] Vmap(Func<Tensor[], Tensor[]> function, Tensor[] inputs, long[] inDims = null, long[] outDims = null,
                              Randomness randomness = Randomness.Error, long chunkSize = 0) {
    return Functions.VmapNative(Bridge(function), inputs, inDims ?? new long[0], outDims ?? new long[0], (int)randomness, chunkSize, false);
  }
  /// <summary>The Hessian of a function with one output of one element: at [i, k] a tensor of the sizes of input i and then of input k.</summary>
  /// <param name="function">called once</param>
  /// <param name="inputs">of floating dtypes</param>
  /// <param name="createGraph">record the results, which then depend on inputs that require a gradient</param>
  public static Tensor[,] Hessian(Func<Tensor[], Tensor[]> function, Tensor[] inputs, bool createGraph = false) {
    return Rows(Functions.HessianNative(Bridge(function), inputs, Flags(false, createGraph, false)), inputs.Length);
  }
  /// <summary>Calls a function of which only the inputs are kept for backward: it runs once more, on the thread of backward, when that
  /// reads what it would have kept (torch.utils.checkpoint).</summary>
  /// <param name="function">must do the same each time</param>
  /// <param name="inputs">tensors</param>
  /// <param name="preserveRandom">whether the second run draws the random numbers of the first</param>
  /// <returns>what the function answered</returns>
  public static Tensor[] Checkpoint(Func<Tensor[], Tensor[]> function, Tensor[] inputs, bool preserveRandom = true) {
    return Functions.CheckpointNative(Bridge(function), inputs, preserveRandom);
  }

  /// <summary>A function of tensors that computes element by element, run as one kernel where the device fuses. It is called with stand-ins,
  /// once for each signature of its inputs; gradients of every order exist.</summary>
  /// <param name="function">pointwise operators, casts and, last, sums, means and extremes over the last dimension</param>
  /// <param name="name">for messages, profilers and the graph</param>
  public static Fused Fuse(Func<Tensor[], Tensor[]> function, string name = "fused") {
    return Functions.FuseNative(Bridge(function), name);
  }
  /// <summary>Compares the gradients of a function with differences.</summary>
  /// <param name="function">answers one tensor</param>
  /// <param name="inputs">float64 tensors that require a gradient</param>
  /// <param name="order">1: gradients; 2: theirs, too</param>
  /// <exception cref="HaftException">they differ, with where and how much</exception>
  public static void GradCheck(Func<Tensor[], Tensor> function, IEnumerable<Tensor> inputs, int order = 1) {
    if (function == null) throw new ArgumentNullException("function");
    Functions.Gradcheck(new TensorsBridge(x => new[] { function(x) }), inputs, order);
  }
  /// <summary>Compares the gradient of a function with differences.</summary>
  /// <param name="function">answers one tensor</param>
  /// <param name="input">a float64 tensor that requires a gradient</param>
  /// <param name="order">1: gradients; 2: theirs, too</param>
  public static void GradCheck(Func<Tensor, Tensor> function, Tensor input, int order = 1) {
    if (function == null) throw new ArgumentNullException("function");
    GradCheck(x => function(x[0]), new[] { input }, order);
  }
}

/// <summary>The outputs of a function, and products with its Jacobian or its Hessian.</summary>
public sealed class Products {
  internal Products(Tensor[] outputs, Tensor[] values) {
    Outputs = outputs;
    Values = values;
  }
  /// <summary>What the function answered.</summary>
  public Tensor[] Outputs { get; private set; }
  /// <summary>One for each input, or, of Jvp, for each output, of its shape.</summary>
  public Tensor[] Values { get; private set; }
}

/// <summary>A mode of this thread while it lives. Dispose it on the same thread: do not await inside.</summary>
public abstract class ThreadMode : IDisposable {
  private readonly Action restore;
  private readonly int thread = System.Threading.Thread.CurrentThread.ManagedThreadId;
  private bool over;
  internal ThreadMode(Action restore) { this.restore = restore; }
  /// <summary>Back to what was before.</summary>
  public void Dispose() {
    if (over) return;
    if (thread != System.Threading.Thread.CurrentThread.ManagedThreadId)
      throw new InvalidOperationException("Haft: " + GetType().Name + " belongs to a thread and was disposed on another one; do not await inside it");
    over = true;
    restore();
  }
}
/// <summary>No recording in this thread while it lives: using (new NoGrad()) ...</summary>
public sealed class NoGrad : ThreadMode {
  /// <summary>Begins here.</summary>
  public NoGrad() : this(Support.SwapGradEnabled(false)) {}
  private NoGrad(bool before) : base(() => Support.SwapGradEnabled(before)) {}
}
/// <summary>Recording in this thread while it lives, inside a <see cref="NoGrad"/>.</summary>
public sealed class EnableGrad : ThreadMode {
  /// <summary>Begins here.</summary>
  public EnableGrad() : this(Support.SwapGradEnabled(true)) {}
  private EnableGrad(bool before) : base(() => Support.SwapGradEnabled(before)) {}
}
/// <summary>No recording and no bookkeeping of views in this thread while it lives.</summary>
public sealed class InferenceMode : ThreadMode {
  /// <summary>Begins here.</summary>
  public InferenceMode() : this(Support.SwapInferenceMode(true)) {}
  private InferenceMode(bool before) : base(() => Support.SwapInferenceMode(before)) {}
}
/// <summary>While it lives, backward in this thread names the operator whose gradient is NaN.</summary>
public sealed class AnomalyMode : ThreadMode {
  /// <summary>Begins here.</summary>
  public AnomalyMode() : this(Support.SwapAnomalyMode(true)) {}
  private AnomalyMode(bool before) : base(() => Support.SwapAnomalyMode(before)) {}
}

/// <summary>While it lives, what this thread's operators keep for backward goes through a pair of functions
/// (torch.autograd.graph.saved_tensors_hooks): to keep it elsewhere, to compress it, or to make it anew.</summary>
public sealed class SavedTensorHooks : ThreadMode {
  /// <summary>Begins here.</summary>
  /// <param name="pack">gets a tensor without its history and answers what stands for it</param>
  /// <param name="unpack">answers a tensor of the same shape, dtype and device for that, when backward reads it</param>
  public SavedTensorHooks(Func<Tensor, object> pack, Func<object, Tensor> unpack) : base(Functions.PopSavedTensorHooks) {
    Functions.PushSavedTensorHooks(new SavedTensorsBridge(pack, unpack));
  }
}

/// <summary>A differentiable function of one's own (torch.autograd.Function): derive and write both directions.</summary>
/// <remarks>Backward written in tensor operators can be differentiated again. One object may run on several threads.</remarks>
public abstract class Function {
  private readonly string name;
  /// <summary>A function that shows in graphs by its class's name.</summary>
  protected Function() { name = GetType().Name; }
  /// <summary>A function that shows in graphs by this name.</summary>
  /// <param name="name">for printing and profiling</param>
  protected Function(string name) {
    if (name == null) throw new ArgumentNullException("name");
    this.name = name;
  }
  /// <summary>How many tensors <see cref="Forward"/> answers.</summary>
  protected virtual long OutputCount { get { return 1; } }
  /// <summary>Computes the outputs; nothing inside is recorded. An input that is changed in place must be answered as an output, whose
  /// history it takes; a leaf that requires a gradient must not be.</summary>
  /// <param name="ctx">keeps tensors for backward</param>
  /// <param name="inputs">what Apply got</param>
  protected abstract Tensor[] Forward(FunctionContext ctx, Tensor[] inputs);
  /// <summary>The gradients of the inputs; null for none.</summary>
  /// <param name="ctx">what forward kept</param>
  /// <param name="grads">the gradients of the outputs; null: that output was not used</param>
  protected abstract Tensor[] Backward(FunctionContext ctx, Tensor[] grads);
  internal Tensor[] RunForward(FunctionContext ctx, Tensor[] inputs) { return Forward(ctx, inputs); }
  internal Tensor[] RunBackward(FunctionContext ctx, Tensor[] grads) { return Backward(ctx, grads); }

  /// <summary>Calls it; the graph keeps this object as long as backward may run.</summary>
  /// <param name="inputs">tensors</param>
  public Tensor[] ApplyMany(params Tensor[] inputs) { return Functions.Apply(new FunctionBridge(this), inputs, OutputCount, name); }
  /// <summary>Calls a function of one output.</summary>
  /// <param name="inputs">tensors</param>
  public Tensor Apply(params Tensor[] inputs) {
    Tensor[] outputs = ApplyMany(inputs);
    if (outputs.Length != 1) throw new InvalidOperationException("Haft: " + name + " has " + outputs.Length + " outputs; use ApplyMany");
    return outputs[0];
  }
}
}
