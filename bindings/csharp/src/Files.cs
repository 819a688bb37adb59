// Files: weights, arrays, checkpoints, TensorBoard's events.
using System;
using System.Collections.Generic;

namespace Haft {

/// <summary>A mapped file of named tensors, which load as they are touched: safetensors, NumPy's .npz, or what torch.save wrote, whose
/// tensors are named by the path to them ("model.conv1.weight") and none of whose code runs.</summary>
public partial class Weights : IDisposable {
  internal Weights(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>How many tensors.</summary>
  public long Count { get { return GetSize(); } }
  /// <summary>The names in the file's order.</summary>
  public IReadOnlyList<string> Names {
    get {
      var names = new List<string>();
      for (long i = 0, n = GetSize(); i < n; ++i) names.Add(GetName(i));
      return names;
    }
  }
  /// <summary>A tensor by its name.</summary>
  /// <param name="name">its name</param>
  public Tensor this[string name] { get { return Find(name); } }
  /// <summary>A tensor by its number.</summary>
  /// <param name="index">0 to Count - 1</param>
  public Tensor this[long index] { get { return Find(index); } }
  /// <summary>Closes the file; tensors of it live on.</summary>
  public void Dispose() { GiveUp(); }

  /// <summary>Writes named tensors into a safetensors file, as a whole or not at all.</summary>
  /// <param name="tensors">names, all different, and tensors</param>
  /// <param name="path">the file</param>
  public static void Save(IEnumerable<KeyValuePair<string, Tensor>> tensors, string path) { Functions.SaveSafetensors(tensors, path); }
  /// <summary>All tensors of a file: safetensors, .npz, or what torch.save wrote.</summary>
  /// <param name="path">the file</param>
  public static StateDict Load(string path) {
    using (var file = new Weights(path)) return file.All();
  }
}
/// <summary>Pictures in files: tensors (C, H, W).</summary>
public static class Pictures {
  /// <summary>Reads a PNG, JPEG, PGM or PPM file: uint8.</summary>
  /// <param name="path">the file</param>
  /// <param name="channels">1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of the file</param>
  public static Tensor Load(string path, long channels = 0) { return Functions.LoadImage(path, channels); }
  /// <summary>Writes bytes, or floats in [0, 1], into a PNG file.</summary>
  /// <param name="image">1, 3 or 4 channels</param>
  /// <param name="path">the file</param>
  public static void SavePng(Tensor image, string path) { Functions.SavePng(image, path); }
  /// <summary>Writes bytes, or floats in [0, 1], into a JPEG file.</summary>
  /// <param name="image">1 or 3 channels</param>
  /// <param name="path">the file</param>
  /// <param name="quality">1 to 100</param>
  public static void SaveJpeg(Tensor image, string path, long quality = 75) { Functions.SaveJpeg(image, path, quality); }
}
/// <summary>NumPy's files of one array.</summary>
public static class Npy {
  /// <summary>Writes a tensor into a .npy file.</summary>
  /// <param name="t">any device and layout</param>
  /// <param name="path">the file</param>
  public static void Save(Tensor t, string path) { Functions.SaveNpy(t, path); }
  /// <summary>Reads a .npy file.</summary>
  /// <param name="path">the file</param>
  public static Tensor Load(string path) { return Functions.LoadNpy(path); }
}
/// <summary>NumPy's archives of named arrays; <see cref="Weights"/> opens them array by array.</summary>
public static class Npz {
  /// <summary>Writes named tensors into a .npz file, as a whole or not at all.</summary>
  /// <param name="tensors">names, all different, and tensors</param>
  /// <param name="path">the file</param>
  /// <param name="compressed">deflated, as numpy.savez_compressed does</param>
  public static void Save(IEnumerable<KeyValuePair<string, Tensor>> tensors, string path, bool compressed = false) {
    Functions.SaveNpz(tensors, path, compressed);
  }
  /// <summary>All tensors of a .npz file.</summary>
  /// <param name="path">the file</param>
  public static StateDict Load(string path) { return Weights.Load(path); }
}
/// <summary>An event file for TensorBoard.</summary>
public partial class Writer : IDisposable {
  internal Writer(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>The file.</summary>
  public string Path { get { return GetPath(); } }
  /// <summary>Closes the file.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>A whole training run in one file: set the parts that matter, then save or load.</summary>
public sealed class Checkpoint {
  /// <summary>Parameters and buffers.</summary>
  public Module Module { get; set; }
  /// <summary>The optimizer's state.</summary>
  public Optimizer Optimizer { get; set; }
  /// <summary>The schedule's place.</summary>
  public Scheduler Scheduler { get; set; }
  /// <summary>The loader's place; after loading, its next enumeration goes on from there.</summary>
  public DataLoader Loader { get; set; }
  /// <summary>A generator's place.</summary>
  public Generator Generator { get; set; }
  /// <summary>Whether the default generator belongs to it.</summary>
  public bool DefaultGenerator { get; set; } = true;
  /// <summary>Values of one's own to save beside: long, int, double, float, bool or string.</summary>
  public IDictionary<string, object> Values { get; } = new Dictionary<string, object>();

  private CheckpointParts Parts() {
    var parts = new CheckpointParts();
    if (Module != null) parts.SetModule(Module);
    if (Optimizer != null) parts.SetOptimizer(Optimizer);
    if (Scheduler != null) parts.SetScheduler(Scheduler);
    if (Loader != null) parts.SetLoader(Loader);
    if (Generator != null) parts.SetGenerator(Generator);
    parts.SetDefaultGenerator(DefaultGenerator);
    return parts;
  }
  /// <summary>Writes the file, as a whole or not at all.</summary>
  /// <param name="path">the file</param>
  public void Save(string path) {
    using (CheckpointParts parts = Parts()) {
      foreach (KeyValuePair<string, object> v in Values) {
        if (v.Value is string) parts.AddText(v.Key, (string)v.Value);
        else if (v.Value is double || v.Value is float) parts.AddNumber(v.Key, Convert.ToDouble(v.Value));
        else if (v.Value is long || v.Value is int || v.Value is bool) parts.AddInteger(v.Key, Convert.ToInt64(v.Value));
        else throw new ArgumentException("Haft: a checkpoint's value must be a number or a text; '" + v.Key + "' is " + (v.Value == null ? "null" : v.Value.GetType().ToString()));
      }
      parts.Save(path);
    }
  }
  /// <summary>Restores the parts that are set.</summary>
  /// <param name="path">the file</param>
  /// <returns>the values saved beside them</returns>
  public CheckpointValues Load(string path) {
    using (CheckpointParts parts = Parts()) {
      CheckpointValues values = parts.Load(path);
      if (Loader != null) Loader.Resume();
      return values;
    }
  }
}
/// <summary>The values that stood in a checkpoint.</summary>
public partial class CheckpointValues : IDisposable {
  internal CheckpointValues(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>A number by its key.</summary>
  /// <param name="key">as saved</param>
  public double Number(string key) { return Support.CheckpointNumber(this, key); }
  /// <summary>An integer by its key.</summary>
  /// <param name="key">as saved</param>
  public long Integer(string key) { return Support.CheckpointInteger(this, key); }
  /// <summary>Gives the values up.</summary>
  public void Dispose() { GiveUp(); }
}
}
