// Datasets, transforms and the loader.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Threading;

namespace Haft {

/// <summary>Numbered items of one or more tensors. Derive from it and write <see cref="Count"/> and <see cref="GetItem"/>.</summary>
public partial class Dataset : IDisposable {
  private readonly bool own;  // items are C#'s
  private readonly object gate = new object();
  internal Dataset(IntPtr p) { swigCPtr = new NativeHandle(p); }
  internal Dataset(Dataset native) { swigCPtr = native.swigCPtr; }
  /// <summary>For classes whose items C# makes. They are asked for on the loader's threads.</summary>
  protected Dataset() { own = true; }

  // The engine wants number and sizes of the items: only known when the derived object is complete.
  static partial void Prepare(Dataset d) {
    if (d.swigCPtr != null) return;
    lock (d.gate) {
      if (d.swigCPtr != null) return;
      if (d.Count <= 0) throw new InvalidOperationException("Haft: " + d.GetType().Name + " has no items");
      Tensor[] first = d.GetItem(0);
      if (first == null) throw new InvalidOperationException("Haft: " + d.GetType().Name + ".GetItem(0) answered null");
      // Weakly, as native code keeps the callback: the loader holds the dataset.
      var weak = new WeakReference<Dataset>(d);
      d.swigCPtr = Functions.CallbackDataset(d.Count, first, new ItemBridge(index => {
        Dataset self;
        if (!weak.TryGetTarget(out self)) throw new ObjectDisposedException("Dataset", "Haft: the dataset was collected; keep a reference to it");
        return self.GetItem(index);
      })).swigCPtr;
    }
  }

  /// <summary>How many items.</summary>
  public virtual long Count {
    get {
      if (own) throw new NotImplementedException("Haft: " + GetType().Name + " does not override Count");
      return GetSize();
    }
  }
  /// <summary>One item, a tensor a field, of equal sizes and dtypes for all items.</summary>
  /// <param name="index">0 to Count - 1</param>
  public virtual Tensor[] GetItem(long index) {
    if (own) throw new NotImplementedException("Haft: " + GetType().Name + " does not override GetItem");
    return GetNative(index);
  }
  /// <summary>One item.</summary>
  /// <param name="index">0 to Count - 1</param>
  public Tensor[] this[long index] { get { return GetItem(index); } }
  /// <summary>Gives the dataset up; a loader on it goes on.</summary>
  public virtual void Dispose() {
    GiveUp();
  }
}
/// <summary>Rows of tensors of equal first size; dense ones are shared, not copied.</summary>
public sealed class TensorDataset : Dataset {
  /// <summary>These tensors, one a field.</summary>
  /// <param name="tensors">equal first sizes</param>
  public TensorDataset(params Tensor[] tensors) : base(Functions.TensorDataset(tensors)) {}
}
/// <summary>Pictures and labels of IDX files (MNIST and its family), plain or gzipped.</summary>
public sealed class IdxDataset : Dataset {
  /// <summary>These files.</summary>
  /// <param name="imagesPath">the pictures</param>
  /// <param name="labelsPath">their labels</param>
  public IdxDataset(string imagesPath, string labelsPath) : base(Functions.IdxDataset(imagesPath, labelsPath)) {}
}

/// <summary>The rows of a table of numbers as text.</summary>
public sealed class CsvDataset : Dataset {
  /// <summary>float32 (columns) and, with a column of labels, the label apart.</summary>
  /// <param name="path">the file</param>
  /// <param name="labelColumn">from 0; a negative one counts from the end; null: there is none</param>
  /// <param name="labelDType">Int64 or Float32</param>
  /// <param name="skipLines">lines at the beginning that are left out: a heading</param>
  /// <param name="delimiter">the character between columns</param>
  public CsvDataset(string path, long? labelColumn = null, DType labelDType = DType.Int64, long skipLines = 0, char delimiter = ',')
    : base(Functions.CsvDataset(path, labelColumn ?? long.MinValue, labelDType, skipLines, delimiter)) {}
}
/// <summary>Pictures, uint8 (3, 32, 32), and labels of the binary version of CIFAR-10 and CIFAR-100.</summary>
public sealed class CifarDataset : Dataset {
  /// <summary>These files, one behind the other.</summary>
  /// <param name="paths">data_batch_1.bin, ...</param>
  /// <param name="labelBytes">1: CIFAR-10; 2: CIFAR-100, of whose two labels the second, the fine one, is taken</param>
  public CifarDataset(IEnumerable<string> paths, long labelBytes = 1) : base(Functions.CifarDataset(labelBytes, paths)) {}
}

/// <summary>Pictures in folders root/class/..., PNG, JPEG, PGM and PPM: uint8 (channels, height, width), each as large as its file says, and the
/// number of its class. A loader decodes them on its threads; its transforms must end in one size, as
/// a crop does. JPEG wants libturbojpeg.so.0 on the system.</summary>
public sealed class ImageFolderDataset : Dataset {
  /// <summary>This folder, which holds one for each class.</summary>
  /// <param name="root">the folder</param>
  /// <param name="channels">1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of each file</param>
  public ImageFolderDataset(string root, long channels = 3) : base(Functions.ImageFolderDataset(root, channels)) {}
  /// <summary>Names of the classes, in order; labels number them.</summary>
  public IReadOnlyList<string> Classes {
    get {
      var names = new List<string>();
      for (long i = 0, n = ClassCount(); i < n; ++i) names.Add(ClassName(i));
      return names;
    }
  }
}
/// <summary>Pictures in files anywhere, with labels: as <see cref="ImageFolderDataset"/> otherwise.</summary>
public sealed class ImageFilesDataset : Dataset {
  /// <summary>These files.</summary>
  /// <param name="paths">PNG, JPEG, PGM and PPM</param>
  /// <param name="labels">one each</param>
  /// <param name="channels">1: grey, 2: grey and alpha, 3: RGB, 4: RGBA; 0: those of each file</param>
  public ImageFilesDataset(IEnumerable<string> paths, long[] labels, long channels = 3) : base(Functions.ImageFilesDataset(paths, labels, channels)) {}
}

/// <summary>What the loader does with one field of each item; pictures are (C, H, W).</summary>
public sealed class Transform : IDisposable {
  private readonly NativeHandle swigCPtr;
  private sealed class NativeHandle : SafeHandle {
    internal static readonly NativeHandle None = new NativeHandle(IntPtr.Zero);
    internal NativeHandle(IntPtr p) : base(IntPtr.Zero, true) { SetHandle(p); }
    public override bool IsInvalid { get { return handle == IntPtr.Zero; } }
    protected override bool ReleaseHandle() {
      FunctionsPINVOKE.HaftCs_release_transform(handle);
      return true;
    }
  }
  private Transform(IntPtr p) { swigCPtr = new NativeHandle(p); }
  internal static SafeHandle getCPtr(Transform o) { return o == null ? NativeHandle.None : o.swigCPtr; }
  internal static Transform Own(IntPtr p) { return p == IntPtr.Zero ? null : new Transform(p); }

  /// <summary>float32, times a factor.</summary>
  /// <param name="scale">1 / 255 for bytes</param>
  public static Transform ToFloat(double scale = 1.0 / 255) { return Functions.ToFloat(scale); }
  /// <summary>(x - mean) / std of each channel.</summary>
  /// <param name="mean">of each channel, or one for all</param>
  /// <param name="std">as many</param>
  public static Transform Normalize(double[] mean, double[] std) { return Functions.Normalize(mean, std); }
  /// <summary>(x - mean) / std.</summary>
  /// <param name="mean">of all channels</param>
  /// <param name="std">of all channels</param>
  public static Transform Normalize(double mean, double std) { return Functions.Normalize(new[] { mean }, new[] { std }); }
  /// <summary>A random part, after padding with zeros.</summary>
  /// <param name="height">of the part</param>
  /// <param name="width">of the part</param>
  /// <param name="padding">on every side</param>
  public static Transform RandomCrop(long height, long width, long padding = 0) { return Functions.RandomCrop(height, width, padding); }
  /// <summary>The mirror image, sometimes.</summary>
  /// <param name="probability">how often</param>
  public static Transform RandomHorizontalFlip(double probability = 0.5) { return Functions.RandomHorizontalFlip(probability); }
  /// <summary>Turned by a random angle from [-degrees, degrees].</summary>
  /// <param name="degrees">the largest angle</param>
  public static Transform RandomRotation(double degrees) { return Functions.RandomRotation(degrees); }
  /// <summary>Top and bottom exchanged, sometimes.</summary>
  /// <param name="probability">how often</param>
  public static Transform RandomVerticalFlip(double probability = 0.5) { return Functions.RandomVerticalFlip(probability); }
  /// <summary>Another size, of uint8 or float32 pictures.</summary>
  /// <param name="height">of the result</param>
  /// <param name="width">of the result; 0: height is that of the shorter side</param>
  /// <param name="mode">how values between those that there are, are found; but not Area</param>
  public static Transform Resize(long height, long width = 0, Interpolation mode = Interpolation.LinearAntialias) {
    return Functions.Resize(height, width, (long)mode);
  }
  /// <summary>A random part in another size, as PyTorch's RandomResizedCrop takes it.</summary>
  /// <param name="height">of the result</param>
  /// <param name="width">of the result</param>
  /// <param name="scaleLow">the part's area is at least this much of the picture's</param>
  /// <param name="scaleHigh">and at most this much</param>
  /// <param name="ratioLow">its width over its height is at least this</param>
  /// <param name="ratioHigh">and at most this</param>
  /// <param name="mode">how values between those that there are, are found; but not Area</param>
  public static Transform RandomResizedCrop(long height, long width, double scaleLow = 0.08, double scaleHigh = 1, double ratioLow = 3.0 / 4,
                                            double ratioHigh = 4.0 / 3, Interpolation mode = Interpolation.LinearAntialias) {
    return Functions.RandomResizedCrop(height, width, scaleLow, scaleHigh, ratioLow, ratioHigh, (long)mode);
  }
  /// <summary>The middle; zeros where the picture is too small.</summary>
  /// <param name="height">of the part</param>
  /// <param name="width">of the part</param>
  public static Transform CenterCrop(long height, long width) { return Functions.CenterCrop(height, width); }
  /// <summary>0.2989 R + 0.587 G + 0.114 B.</summary>
  /// <param name="channels">1, or 3 equal ones</param>
  public static Transform Grayscale(long channels = 1) { return Functions.Grayscale(channels); }
  /// <summary>Colours changed by random factors, in random order.</summary>
  /// <param name="brightness">b: a factor from [max(0, 1 - b), 1 + b]</param>
  /// <param name="contrast">likewise, towards the mean grey</param>
  /// <param name="saturation">likewise, towards grey</param>
  /// <param name="hue">a part of the circle from [-hue, hue], at most 0.5</param>
  public static Transform ColorJitter(double brightness = 0, double contrast = 0, double saturation = 0, double hue = 0) {
    return Functions.ColorJitter(brightness, contrast, saturation, hue);
  }
  /// <summary>Gives the transform up; loaders that have it go on.</summary>
  public void Dispose() { swigCPtr.Dispose(); }
}

/// <summary>Where a loader stands; another loader, in any process, goes on from there with the same batches.</summary>
public struct LoaderState {
  /// <summary>The seed of its order.</summary>
  public long Seed { get; set; }
  /// <summary>The epoch.</summary>
  public long Epoch { get; set; }
  /// <summary>Batches delivered in it.</summary>
  public long Batch { get; set; }
}

/// <summary>Batches of a dataset, made ahead on native threads: foreach (Tensor[] batch in loader) ...</summary>
public partial class DataLoader : IEnumerable<Tensor[]>, IDisposable {
  private readonly Dataset dataset;  // kept alive
  private bool placed;               // State was set: the next enumeration goes on from there
  internal DataLoader(IntPtr p) { swigCPtr = new NativeHandle(p); }

  /// <summary>On a dataset.</summary>
  /// <param name="dataset">the items</param>
  /// <param name="batchSize">items a batch</param>
  /// <param name="shuffle">a new random order each epoch</param>
  /// <param name="numWorkers">threads that make batches ahead; 0: the caller's</param>
  /// <param name="dropLast">leave out a last batch that is smaller</param>
  /// <param name="transforms">applied to one field of each item, in order</param>
  /// <param name="transformField">that field</param>
  /// <param name="seed">of order and random transforms; null: drawn from the default generator</param>
  /// <param name="prefetch">batches ahead; 0: 2 * numWorkers + 2</param>
  /// <param name="numSamples">items an epoch visits; null: all</param>
  /// <param name="indices">int64: only these items</param>
  /// <param name="weights">draw items with these weights</param>
  /// <param name="replacement">draw with replacement</param>
  /// <param name="numReplicas">processes that share the items: each draws the same order and visits every numReplicas-th item of it, from its
  /// rank on. With more than one and without a seed, the seed is 0, the same on all</param>
  /// <param name="rank">the number of this process among them</param>
  /// <param name="dropUneven">of replicas: drop what is left over, so that their parts are equal; else they go on from the start</param>
  /// <param name="device">where batches go, on a stream of the loader's own, beside what the device computes; the thread's current stream waits
  /// for them. Without one they stay on the host</param>
  /// <param name="pinMemory">they stay on the host, in memory that the device reads by itself, for the program to copy</param>
  public DataLoader(Dataset dataset, long batchSize = 1, bool shuffle = false, int numWorkers = 0, bool dropLast = false, IEnumerable<Transform> transforms = null,
                    int transformField = 0, long? seed = null, int prefetch = 0, long? numSamples = null, Tensor indices = null, Tensor weights = null,
                    bool replacement = false, int numReplicas = 1, int rank = 0, bool dropUneven = false, Device device = default(Device),
                    bool pinMemory = false) {
    if (dataset == null) throw new ArgumentNullException("dataset");
    this.dataset = dataset;
    swigCPtr = Functions.MakeLoader(dataset, batchSize, shuffle, dropLast, numWorkers, prefetch, transformField, seed ?? long.MinValue, transforms,
                                    numSamples ?? long.MinValue, indices, weights, replacement, numReplicas, rank, dropUneven, device, pinMemory).swigCPtr;
    CallbackGuard.Own(this);
  }
  /// <summary>The dataset; null for a loader of the engine's own.</summary>
  [MaybeNull]
  public Dataset Dataset { get { return dataset; } }
  /// <summary>Batches an epoch.</summary>
  public long BatchCount { get { return GetBatchCount(); } }
  /// <summary>Items an epoch.</summary>
  public long SampleCount { get { return GetSampleCount(); } }
  /// <summary>Where it stands. Set it to go on from there with the next foreach.</summary>
  public LoaderState State {
    get {
      long[] s = Support.LoaderState(this);
      return new LoaderState { Seed = s[0], Epoch = s[1], Batch = s[2] };
    }
    set {
      Support.SetLoaderState(this, value.Seed, value.Epoch, value.Batch);
      placed = true;
    }
  }
  /// <summary>The next enumeration goes on where the loader stands, as after a checkpoint was loaded.</summary>
  public void Resume() { placed = true; }
  // Whether the next epoch goes on where the loader stands, which is said once.
  internal bool TakeResume() {
    bool resume = placed;
    placed = false;
    return resume;
  }
  /// <summary>Ends the epoch from any thread, also while another waits for a batch.</summary>
  public void Cancel() { CancelNative(); }
  /// <summary>The batches of one epoch; each enumeration is a new one.</summary>
  public IEnumerator<Tensor[]> GetEnumerator() { return Enumerate(CancellationToken.None).GetEnumerator(); }
  IEnumerator IEnumerable.GetEnumerator() { return GetEnumerator(); }
  /// <summary>The batches of one epoch, until a token is cancelled.</summary>
  /// <param name="cancellation">ends the epoch with OperationCanceledException, also while a batch is waited for</param>
  public IEnumerable<Tensor[]> Enumerate(CancellationToken cancellation) {
    cancellation.ThrowIfCancellationRequested();
    if (!placed || State.Batch >= BatchCount) ResetNative();
    placed = false;
    using (cancellation.Register(CancelNative)) {
      for (;;) {
        Tensor[] batch = Support.NextBatch(this);
        cancellation.ThrowIfCancellationRequested();
        if (batch.Length == 0) yield break;
        yield return batch;
      }
    }
  }
  /// <summary>Ends the epoch, also for a thread that waits for a batch, and gives the loader up; again: nothing.</summary>
  public void Dispose() {
    try {
      CancelNative();
    } catch (ObjectDisposedException) {
      // before, or by another thread meanwhile
    }
    GiveUp();
  }
}
}
