// Checkpoints that ranks write together.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace Haft {

/// <summary>What a checkpoint says of a tensor.</summary>
public sealed class ShardedTensor {
  internal ShardedTensor(DType dtype, long[] shape) {
    DType = dtype;
    Shape = shape;
  }
  /// <summary>Its type.</summary>
  public DType DType { get; }
  /// <summary>The sizes of the whole.</summary>
  public long[] Shape { get; }
}

/// <summary>Checkpoints that the ranks of a group write together and that any number of ranks reads (docs/sharded-checkpoints.md).</summary>
/// <remarks>An object says what a rank has, or wants to have: parts of tensors, a module, its optimizer and schedule, and values. What several ranks
/// have is written once; of an optimizer that is spread each rank writes its part. Since 1.0.</remarks>
public sealed class ShardedCheckpoint {
  private readonly List<Action> content = new List<Action>();

  private ShardedCheckpoint With(Action add) {
    content.Add(add);
    return this;
  }
  /// <summary>A whole tensor.</summary>
  /// <param name="name">of the tensor</param>
  /// <param name="t">the same on every rank that gives it</param>
  public ShardedCheckpoint Tensor(string name, Tensor t) { return With(() => ShardedCheckpoints.Add(name, t)); }
  /// <summary>A box of a tensor.</summary>
  /// <param name="name">of the whole</param>
  /// <param name="t">what this rank has of it</param>
  /// <param name="shape">of the whole</param>
  /// <param name="offsets">where the box begins, a number a dimension</param>
  public ShardedCheckpoint Box(string name, Tensor t, Dims shape, Dims offsets) {
    return With(() => ShardedCheckpoints.AddBox(name, t, shape, offsets));
  }
  /// <summary>A range of a tensor's elements, in row-major order.</summary>
  /// <param name="name">of the whole</param>
  /// <param name="t">what this rank has of it</param>
  /// <param name="shape">of the whole</param>
  /// <param name="first">the number of its first element</param>
  public ShardedCheckpoint Range(string name, Tensor t, Dims shape, long first) {
    return With(() => ShardedCheckpoints.AddRange(name, t, shape, first));
  }
  /// <summary>Parameters and buffers of a module.</summary>
  /// <param name="m">the module</param>
  public ShardedCheckpoint Module(Module m) { return With(() => ShardedCheckpoints.SetModule(m)); }
  /// <summary>The state of an optimizer.</summary>
  /// <param name="o">the optimizer</param>
  public ShardedCheckpoint Optimizer(Optimizer o) { return With(() => ShardedCheckpoints.SetOptimizer(o)); }
  /// <summary>The state of a schedule.</summary>
  /// <param name="s">the schedule</param>
  public ShardedCheckpoint Scheduler(Scheduler s) { return With(() => ShardedCheckpoints.SetScheduler(s)); }
  /// <summary>A value of your own, which Load leaves alone.</summary>
  /// <param name="key">its name; of several ranks' values the lowest rank's counts</param>
  /// <param name="value">a number, a bool or a text</param>
  public ShardedCheckpoint Put(string key, object value) {
    if (value is string) return With(() => ShardedCheckpoints.AddText(key, (string)value));
    if (value is bool) return With(() => ShardedCheckpoints.AddFlag(key, (bool)value));
    if (value is double || value is float) return With(() => ShardedCheckpoints.AddNumber(key, Convert.ToDouble(value)));
    if (value is long || value is int) return With(() => ShardedCheckpoints.AddInteger(key, Convert.ToInt64(value)));
    throw new ArgumentException("Haft: a checkpoint's value must be a number or a text; '" + key + "' is " + (value == null ? "null" : value.GetType().ToString()));
  }

  // The engine takes what this thread has put together.
  private void Gather() {
    ShardedCheckpoints.Clear();
    try {
      foreach (Action add in content) add();
    } catch {
      ShardedCheckpoints.Clear();
      throw;
    }
  }
  /// <summary>Writes what the ranks have. All ranks of the group call it.</summary>
  /// <param name="group">of the ranks; null: this process alone</param>
  /// <param name="folder">that all ranks reach</param>
  public void Save(ProcessGroup group, string folder) {
    Gather();
    if (group == null) ShardedCheckpoints.SaveAlone(folder);
    else ShardedCheckpoints.Save(group, folder);
  }
  /// <summary>The same with what tensors hold now; files are written while the program goes on. A save of the group begins when the one before it has
  /// ended.</summary>
  /// <param name="group">of the ranks; null: this process alone</param>
  /// <param name="folder">that all ranks reach</param>
  /// <returns>done when all ranks have written</returns>
  public Task SaveAsync(ProcessGroup group, string folder) {
    var done = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
    Gather();
    using (RpcFuture begun = group == null ? ShardedCheckpoints.SaveAloneAsync(folder) : ShardedCheckpoints.SaveAsync(group, folder))
      Functions.FutureOnDone(begun, new FutureBridge(future => {
        try {
          using (future) AsynchronousCalls.AnswerBytes(future);
          done.TrySetResult(true);
        } catch (Exception e) {
          done.TrySetException(e);
        }
      }));
    return done.Task;
  }
  /// <summary>Fills the tensors and restores the parts from a checkpoint, however its ranks had cut them. What is missing or does not fit is told
  /// before anything changes; values are cast to the tensors' types.</summary>
  /// <param name="folder">the checkpoint</param>
  public void Load(string folder) {
    Gather();
    ShardedCheckpoints.Load(folder, true, 0);
  }

  private static string[] Fields(byte[] listed) {
    string[] all = Encoding.UTF8.GetString(listed).Split('\0');
    return all.Take(all.Length - 1).ToArray();
  }
  /// <summary>The tensors of a checkpoint by their names.</summary>
  /// <param name="folder">the checkpoint</param>
  public static IDictionary<string, ShardedTensor> Entries(string folder) {
    var entries = new SortedDictionary<string, ShardedTensor>(StringComparer.Ordinal);
    string[] f = Fields(ShardedCheckpoints.Tensors(folder));
    for (int i = 0; i < f.Length; i += 3)
      entries[f[i + 2]] = new ShardedTensor((DType)int.Parse(f[i], CultureInfo.InvariantCulture),
                                            f[i + 1].Split(',').Where(n => n != "").Select(n => long.Parse(n, CultureInfo.InvariantCulture)).ToArray());
    return entries;
  }
  /// <summary>The values of a checkpoint by their keys: long, double, bool or string.</summary>
  /// <param name="folder">the checkpoint</param>
  public static IDictionary<string, object> Values(string folder) {
    var values = new SortedDictionary<string, object>(StringComparer.Ordinal);
    string[] f = Fields(ShardedCheckpoints.Values(folder));
    for (int i = 0; i < f.Length; i += 3) {
      string text = f[i + 2];
      switch (f[i + 1]) {
        case "b": values[f[i]] = text != "0"; break;
        case "i": values[f[i]] = long.Parse(text, CultureInfo.InvariantCulture); break;
        case "d":
          values[f[i]] = text.EndsWith("inf") ? (text[0] == '-' ? double.NegativeInfinity : double.PositiveInfinity)
                         : text.Contains("nan") ? double.NaN : double.Parse(text, CultureInfo.InvariantCulture);
          break;
        default: values[f[i]] = text; break;
      }
    }
    return values;
  }
  /// <summary>A whole tensor of a checkpoint.</summary>
  /// <param name="folder">the checkpoint</param>
  /// <param name="name">of the tensor</param>
  public static Tensor Read(string folder, string name) { return ShardedCheckpoints.ReadTensor(folder, name); }
  /// <summary>Writes one safetensors file with all tensors of a checkpoint whole.</summary>
  /// <param name="folder">the checkpoint</param>
  /// <param name="path">the file</param>
  public static void ToFile(string folder, string path) { ShardedCheckpoints.ToFile(folder, path); }
}
}
