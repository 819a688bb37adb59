// From delegates to what native code calls. A bridge is held here from the call that takes it until native code lets go.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Haft {

internal static class Bridges {
  private static readonly HashSet<object> held = new HashSet<object>();
  internal static HandleRef Pin(object bridge, HandleRef pointer) {
    if (bridge == null) return pointer;
    // Its native half must outlive every caller, also at the end of the process, when the runtime finalizes all there is.
    GC.SuppressFinalize(bridge);
    lock (held) held.Add(bridge);
    return pointer;
  }
  internal static void Unpin(object bridge) {
    lock (held) held.Remove(bridge);
    GC.ReRegisterForFinalize(bridge);
  }
  internal static int Count {
    get {
      lock (held) return held.Count;
    }
  }
  internal static T Wanted<T>(T callback) where T : class {
    if (callback == null) throw new ArgumentNullException("callback");
    return callback;
  }
}

internal sealed class TensorBridge : TensorCallback {
  private readonly Func<Tensor, Tensor> f;
  internal TensorBridge(Func<Tensor, Tensor> f) { this.f = Bridges.Wanted(f); }
  public override Tensor Call(Tensor x) { return f(x); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class TensorsBridge : TensorsCallback {
  private readonly Func<Tensor[], IEnumerable<Tensor>> f;
  internal TensorsBridge(Func<Tensor[], IEnumerable<Tensor>> f) { this.f = Bridges.Wanted(f); }
  public override Tensor[] Call(IEnumerable<Tensor> inputs) { return Lists.Array(f((Tensor[])inputs)); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class ModuleHookBridge : ModuleHookCallback {
  private readonly Func<Tensor[], Tensor[], IEnumerable<Tensor>> f;
  internal ModuleHookBridge(Func<Tensor[], Tensor[], IEnumerable<Tensor>> f) { this.f = Bridges.Wanted(f); }
  public override Tensor[] Call(IEnumerable<Tensor> inputs, IEnumerable<Tensor> outputs) { return Lists.Array(f((Tensor[])inputs, (Tensor[])outputs)); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class VisitorBridge : ModuleVisitor {
  private readonly Action<Module, string> f;
  internal VisitorBridge(Action<Module, string> f) { this.f = Bridges.Wanted(f); }
  public override void Visit(Module module, string name) { f(module, name); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class RateBridge : RateCallback {
  private readonly Func<long, double> f;
  internal RateBridge(Func<long, double> f) { this.f = Bridges.Wanted(f); }
  public override double Rate(long epoch) { return f(epoch); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class LogBridge : LogCallback {
  private readonly Action<LogLevel, string> f;
  internal LogBridge(Action<LogLevel, string> f) { this.f = Bridges.Wanted(f); }
  public override void Log(int level, string text) { f((LogLevel)level, text); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class ItemBridge : ItemCallback {
  private readonly Func<long, IEnumerable<Tensor>> f;
  internal ItemBridge(Func<long, IEnumerable<Tensor>> f) { this.f = Bridges.Wanted(f); }
  public override Tensor[] Item(long index) { return Lists.Array(f(index)); }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class FunctionBridge : AutogradFunction {
  private readonly Function f;
  internal FunctionBridge(Function f) { this.f = f; }
  public override Tensor[] Forward(FunctionContext ctx, IEnumerable<Tensor> inputs) { return f.RunForward(ctx, (Tensor[])inputs); }
  public override Tensor[] Backward(FunctionContext ctx, IEnumerable<Tensor> grads) { return f.RunBackward(ctx, (Tensor[])grads); }
  public override void OnRelease() { Bridges.Unpin(this); }
}

internal sealed class WorkBridge : WorkCallback {
  private readonly Action<Work> f;
  internal WorkBridge(Action<Work> f) { this.f = Bridges.Wanted(f); }
  public override void Done(Work work, int status) { f(work); }
  public override void OnRelease() { Bridges.Unpin(this); }
}

internal sealed class GradientBridge : GradientCallback {
  private readonly Func<GradientBucket, Work> begin;
  private readonly Action<GradientBucket> finish;
  private readonly Dictionary<long, Work> begun = new Dictionary<long, Work>();
  internal GradientBridge(Func<GradientBucket, Work> begin, Action<GradientBucket> finish) {
    this.begin = Bridges.Wanted(begin);
    this.finish = finish;
  }
  // What comes in and is made goes when the function returns: the collector sees none of its memory.
  private static void Scoped(Action f) {
    DisposeScope scope = DisposeScope.EnterCallback();
    try {
      f();
    } finally {
      scope.LeaveCallback();
    }
  }
  // Buckets begin in order: those from here on are of a backward that failed.
  private void LetGo(long from) {
    foreach (long bucket in new List<long>(begun.Keys))
      if (bucket >= from) {
        begun[bucket].Dispose();
        begun.Remove(bucket);
      }
  }
  private void OrLetGo(Action f) {
    try {
      f();
    } catch {
      LetGo(0);
      throw;
    }
  }
  public override void Begin(long bucket, IEnumerable<Tensor> tensors) {
    LetGo(bucket);
    OrLetGo(() => Scoped(() => {
      Work work = begin(new GradientBucket(bucket, (Tensor[])tensors));
      if (work != null) begun[bucket] = work;
    }));
  }
  public override void Finish(long bucket, IEnumerable<Tensor> tensors) {
    OrLetGo(() => {
      Work work;
      if (begun.TryGetValue(bucket, out work)) {
        begun.Remove(bucket);
        using (work) work.Wait();
      }
      if (finish != null) Scoped(() => finish(new GradientBucket(bucket, (Tensor[])tensors)));
    });
  }
  public override void OnRelease() { Bridges.Unpin(this); }
}

internal sealed class SavedTensorsBridge : SavedTensorsCallback {
  private readonly Func<Tensor, object> pack;
  private readonly Func<object, Tensor> unpack;
  private readonly Dictionary<long, object> packed = new Dictionary<long, object>();
  private long next;
  internal SavedTensorsBridge(Func<Tensor, object> pack, Func<object, Tensor> unpack) {
    this.pack = Bridges.Wanted(pack);
    this.unpack = Bridges.Wanted(unpack);
  }
  public override long Pack(Tensor x) {
    object p = pack(x);
    DisposeScope.KeepInside(p);
    lock (packed) {
      packed.Add(++next, p);
      return next;
    }
  }
  public override Tensor Unpack(long number) {
    object p;
    lock (packed) p = packed[number];
    return unpack(p);
  }
  public override void Drop(long number) {
    lock (packed) packed.Remove(number);
  }
  public override void OnRelease() { Bridges.Unpin(this); }
}
internal sealed class ActionBridge : ActionCallback {
  private readonly Action f;
  internal ActionBridge(Action f) { this.f = Bridges.Wanted(f); }
  public override void Run() {
    DisposeScope scope = DisposeScope.EnterCallback();
    try {
      f();
    } finally {
      scope.LeaveCallback();
    }
  }
  public override void OnRelease() { Bridges.Unpin(this); }
}

internal static class Lists {
  internal static Tensor[] Array(IEnumerable<Tensor> tensors) {
    return tensors == null ? null : tensors as Tensor[] ?? new List<Tensor>(tensors).ToArray();
  }
}
}
