// The library as a whole: version, threads, memory, random numbers, log, profiler.
using System;

namespace Haft {

/// <summary>Bytes of a device as haft sees them.</summary>
public struct MemoryStats {
  internal MemoryStats(long[] n) : this() {
    Live = n[MemoryPlaces.live];
    Peak = n[MemoryPlaces.peak];
    Reserved = n[MemoryPlaces.reserved];
    Allocations = n[MemoryPlaces.allocations];
    CacheHits = n[MemoryPlaces.cacheHits];
    Limit = n[MemoryPlaces.limit];
    Total = n[MemoryPlaces.total];
    Free = n[MemoryPlaces.free];
    PinnedLive = n[MemoryPlaces.pinnedLive];
    PinnedReserved = n[MemoryPlaces.pinnedReserved];
    PeakReserved = n[MemoryPlaces.peakReserved];
    Retries = n[MemoryPlaces.retries];
    Failures = n[MemoryPlaces.failures];
  }
  /// <summary>Handed out, as asked for.</summary>
  public long Live { get; private set; }
  /// <summary>Highest live since the last reset.</summary>
  public long Peak { get; private set; }
  /// <summary>Held from the system, caches included.</summary>
  public long Reserved { get; private set; }
  /// <summary>Requests so far.</summary>
  public long Allocations { get; private set; }
  /// <summary>Of these, served from a cache.</summary>
  public long CacheHits { get; private set; }
  /// <summary>What may be live at once; 0: no limit.</summary>
  public long Limit { get; private set; }
  /// <summary>What the device has; -1: unknown.</summary>
  public long Total { get; private set; }
  /// <summary>What of it nobody holds; -1: unknown.</summary>
  public long Free { get; private set; }
  /// <summary>Of pinned host memory, handed out for devices of its type; the CPU's: for all types.</summary>
  public long PinnedLive { get; private set; }
  /// <summary>The same, caches included.</summary>
  public long PinnedReserved { get; private set; }
  /// <summary>Highest reserved since the last reset; -1 for the CPU.</summary>
  public long PeakReserved { get; private set; }
  /// <summary>Requests that were served when caches had been given back.</summary>
  public long Retries { get; private set; }
  /// <summary>Requests that failed for want of memory.</summary>
  public long Failures { get; private set; }
}

/// <summary>What a device is. Numbers are 0 and texts empty where it has none or does not say.</summary>
public sealed class DeviceProperties {
  internal DeviceProperties(long[] n, string[] t) {
    ComputeMajor = (int)n[DevicePlaces.computeMajor];
    ComputeMinor = (int)n[DevicePlaces.computeMinor];
    Multiprocessors = (int)n[DevicePlaces.multiprocessors];
    TotalMemory = n[DevicePlaces.totalMemory];
    L2Cache = n[DevicePlaces.l2Cache];
    SharedMemory = n[DevicePlaces.sharedMemory];
    Name = t[0];
    Pci = t[1];
    Uuid = t[2];
    Runtime = t[3];
  }
  /// <summary>As its maker calls it.</summary>
  public string Name { get; private set; }
  /// <summary>The architecture's version, 9 of NVIDIA's 9.0.</summary>
  public int ComputeMajor { get; private set; }
  /// <summary>Behind the point.</summary>
  public int ComputeMinor { get; private set; }
  /// <summary>Of the CPU: processors.</summary>
  public int Multiprocessors { get; private set; }
  /// <summary>Bytes.</summary>
  public long TotalMemory { get; private set; }
  /// <summary>Bytes.</summary>
  public long L2Cache { get; private set; }
  /// <summary>Bytes that a group of threads can have.</summary>
  public long SharedMemory { get; private set; }
  /// <summary>Its place, "0000:65:00.0".</summary>
  public string Pci { get; private set; }
  /// <summary>The same in every process and after a restart.</summary>
  public string Uuid { get; private set; }
  /// <summary>Driver and libraries with their versions.</summary>
  public string Runtime { get; private set; }
}

/// <summary>Settings and facts of the process.</summary>
public static class Runtime {
  /// <summary>The library's version, "1.0.0".</summary>
  public static string Version { get { return Functions.Version(); } }
  /// <summary>Path of the file that the engine was loaded from.</summary>
  public static string LibraryPath { get { return Functions.LibraryPath(); } }
  /// <summary>What this machine offers, as text.</summary>
  public static string Describe() { return Functions.Describe(); }
  /// <summary>What the process does, for a monitoring system: memory, live handles and all sessions by name, in Prometheus' text format.</summary>
  public static string MetricsText() { return Functions.MetricsText(); }
  /// <summary>Threads that one operator may use, the caller's included.</summary>
  public static int NumThreads {
    get { return Functions.NumThreads(); }
    set { Functions.SetNumThreads(value); }
  }
  /// <summary>Native objects that are alive, for leak tests.</summary>
  public static long LiveHandles { get { return Functions.LiveHandles(); } }
  /// <summary>This thread's device for calls that name none.</summary>
  public static Device DefaultDevice {
    get { return Functions.DefaultDevice(); }
    set { Functions.SetDefaultDevice(value); }
  }
  /// <summary>This thread's dtype for calls that name none.</summary>
  public static DType DefaultDType {
    get { return Functions.DefaultDtype(); }
    set { Functions.SetDefaultDtype(value); }
  }
  /// <summary>Seeds the default generator.</summary>
  /// <param name="seed">any number</param>
  public static void ManualSeed(long seed) { Functions.ManualSeed(seed); }
  /// <summary>Lets random operators of this thread draw apart from those of other ranks, whose generators are equal and stay so: what a rank does
  /// around dropout of its part of a spread tensor, with its rank + 1.</summary>
  /// <param name="stream">above 0; 0: the generator's own numbers again</param>
  /// <returns>the one before, to be set again</returns>
  /// <exception cref="ArgumentException">it is negative</exception>
  public static long SetRandomStream(long stream) { return Functions.SetRandomStream(stream); }
  /// <summary>How this thread's operators may compute float32; Fast unless set.</summary>
  public static MathPrecision MathPrecision {
    get { return (MathPrecision)Functions.GetMathPrecision(); }
    set { Functions.SetMathPrecision((int)value); }
  }
  /// <summary>Whether this thread's operators must give equal bits for equal inputs; Off unless set. The CPU's always do.</summary>
  public static Determinism Deterministic {
    get { return (Determinism)Functions.GetDeterministic(); }
    set { Functions.SetDeterministic((int)value); }
  }
  /// <summary>Memory of a device.</summary>
  /// <param name="device">the default value: the thread's</param>
  public static MemoryStats GetMemoryStats(Device device = default(Device)) { return new MemoryStats(Support.MemoryNumbers(device)); }
  /// <summary>Of each size of blocks that lie free in a device's cache: bytes of a block and how many, one behind the other, the smallest
  /// first; of the CPU none. Together they are idle, the last is the largest that serves without asking the device.</summary>
  /// <param name="device">the default value: the thread's</param>
  public static long[] MemoryFreeBlocks(Device device = default(Device)) { return Functions.MemoryFreeBlocks(device); }
  /// <summary>Sets the peak to what is live.</summary>
  /// <param name="device">the default value: the thread's</param>
  public static void ResetPeakMemory(Device device = default(Device)) { Functions.ResetPeakMemory(device); }
  /// <summary>Gives cached blocks back to the system.</summary>
  /// <param name="device">the default value: the thread's</param>
  /// <returns>how many bytes</returns>
  public static long TrimMemory(Device device = default(Device)) { return Functions.TrimMemory(device); }
  /// <summary>Bytes that may be live at once; beyond, allocations fail. 0: no limit.</summary>
  /// <param name="bytes">the limit</param>
  /// <param name="device">the default value: the thread's</param>
  public static void SetMemoryLimit(long bytes, Device device = default(Device)) { Functions.SetMemoryLimit(bytes, device); }
  /// <summary>Above this many live bytes an allocation has the garbage collector run first, for tensors that nobody
  /// disposed; at first 512 MiB. 0: never.</summary>
  public static long SoftMemoryLimit {
    get { return NativeLibrary.SoftLimit; }
    set {
      if (value < 0) throw new ArgumentOutOfRangeException("value", "Haft: the soft limit must not be negative, got " + value);
      NativeLibrary.SoftLimit = value;
    }
  }
  /// <summary>Where haft's log lines go: called on any thread, on several at once. null: nowhere.</summary>
  /// <param name="level">the least urgent lines that are wanted</param>
  /// <param name="sink">gets each line; what it throws is dropped</param>
  public static void SetLogSink(LogLevel level, Action<LogLevel, string> sink) { Functions.SetLogSink((int)level, sink == null ? null : new LogBridge(sink)); }
  /// <summary>Gives all caches back; refused while native objects are alive.</summary>
  /// <exception cref="BusyException">objects are alive; it says how many of which kind</exception>
  public static void Shutdown() { Functions.Shutdown(); }
  internal static int HeldCallbacks { get { return Bridges.Count; } }
}

/// <summary>A position in a stream of random numbers, the same on every device.</summary>
public partial class Generator : IDisposable {
  internal Generator(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>Seed and position. Set them to draw the same numbers again.</summary>
  public (long Seed, long Offset) State {
    get {
      long[] s = Support.GeneratorState(this);
      return (s[0], s[1]);
    }
    set { Support.SetGeneratorState(this, value.Seed, value.Offset); }
  }
  /// <summary>Gives the generator up.</summary>
  public void Dispose() { GiveUp(); }
}

/// <summary>What a profiler recorded.</summary>
public partial class Profile : IDisposable {
  internal Profile(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>Gives the record up.</summary>
  public void Dispose() { GiveUp(); }
}
/// <summary>Records this thread's operators from its construction to <see cref="Stop"/>.</summary>
public sealed class Profiler : IDisposable {
  private bool on;
  /// <summary>Begins here.</summary>
  /// <param name="shapes">with the inputs' shapes</param>
  public Profiler(bool shapes = false) {
    Support.StartProfiler(shapes);
    on = true;
  }
  /// <summary>Begins here, with a choice of what is recorded.</summary>
  /// <param name="shapes">the inputs' shapes</param>
  /// <param name="devices">kernels and copies as the devices ran them</param>
  /// <param name="ranges">operators and ranges go to the tools of the devices' vendors as well (NVTX)</param>
  /// <param name="modules">a range for each module that runs</param>
  public Profiler(bool shapes, bool devices, bool ranges = false, bool modules = false) {
    Support.StartProfilerWith((shapes ? 1u : 0) | (devices ? 2u : 0) | (ranges ? 4u : 0) | (modules ? 8u : 0));
    on = true;
  }
  /// <summary>Ends the recording.</summary>
  /// <returns>what was recorded</returns>
  public Profile Stop() {
    Profile p = Support.StopProfiler();
    on = false;
    return p;
  }
  /// <summary>A named range of this thread's profile, until it is disposed.</summary>
  /// <param name="name">its name</param>
  public static IDisposable Range(string name) {
    Support.PushRange(name);
    return Tensor.OnDispose(Support.PopRange);
  }
  /// <summary>Ends the recording and drops it, if <see cref="Stop"/> did not.</summary>
  public void Dispose() {
    if (on) Stop().Dispose();
  }
}
}
