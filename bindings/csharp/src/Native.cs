// What lies between the generated calls and the classes that users see: loading, text, lists, exceptions in both directions.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Haft {

/// <summary>Finds the native libraries before the first call and sees to it that they fit.</summary>
internal static class NativeLibrary {
  private const string Shim = "libhaft_csharp.so";
  private const int RtldNow = 2;
  [DllImport("libdl.so.2", EntryPoint = "dlopen")] private static extern IntPtr Open(byte[] path, int flags);
  [DllImport("libdl.so.2", EntryPoint = "dlerror")] private static extern IntPtr Error();

  [DllImport("__Internal", EntryPoint = "mono_dllmap_insert")]
  private static extern void Map(IntPtr assembly, byte[] name, byte[] function, byte[] path, byte[] other);

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
  private delegate void RaiseFunction(int code, IntPtr text, IntPtr function, IntPtr argument, IntPtr message, IntPtr hint);
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)] private delegate void ExceptionFunction(IntPtr exception);
  [UnmanagedFunctionPointer(CallingConvention.Cdecl)] private delegate void PressureFunction(long live, IntPtr user);
  // Native code holds these as long as the process lives.
  private static readonly RaiseFunction raise = Raise;
  private static readonly ExceptionFunction rethrow = Rethrow, forget = Forget;
  private static readonly PressureFunction pressure = Pressure;

  /// <summary>Stands before every native call. Mono resolves those when it compiles their caller and remembers a failure for
  /// good; to inline this, it first runs the constructor, which finds the library.</summary>
  [MethodImpl(MethodImplOptions.AggressiveInlining)]
  internal static void Use() {}
  /// <summary>The same within an expression; true.</summary>
  internal static bool Found {
    [MethodImpl(MethodImplOptions.AggressiveInlining)] get { return true; }
  }
  static NativeLibrary() { Start(); }

  private static void Start() {
    var tried = new List<string>();
    foreach (string folder in Folders()) {
      string path = Path.Combine(folder, Shim);
      if (!File.Exists(path)) {
        tried.Add(path + ": no such file");
        continue;
      }
      // From here on the runtime finds the shim by its name, but mono looks beside the assembly before it does.
      if (Open(Utf8.Bytes(path), RtldNow) != IntPtr.Zero) {
        if (Type.GetType("Mono.Runtime") != null) Map(IntPtr.Zero, Utf8.Bytes("haft_csharp"), null, Utf8.Bytes(path), null);
        break;
      }
      tried.Add(Utf8.Read(Error()));
    }
    string problem;
    try {
      problem = Clash();
    } catch (DllNotFoundException e) {
      throw Missing(tried, e);
    } catch (EntryPointNotFoundException e) {
      throw Missing(tried, e);
    }
    if (problem != null) throw new DllNotFoundException(problem);
    Connect();
  }

  // Apart from the search, so that they are compiled behind it.
  [MethodImpl(MethodImplOptions.NoInlining)]
  private static string Clash() {
    return Clash(FunctionsPINVOKE.HaftCs_compiled(), FunctionsPINVOKE.HaftCs_loaded(), Utf8.Read(FunctionsPINVOKE.HaftCs_shim_path()),
                 Utf8.Read(FunctionsPINVOKE.HaftCs_library_path()));
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Connect() {
    FunctionsPINVOKE.HaftCs_hooks(Marshal.GetFunctionPointerForDelegate(raise), Marshal.GetFunctionPointerForDelegate(rethrow),
                                  Marshal.GetFunctionPointerForDelegate(forget));
    Watch(softLimit);
    AppDomain.CurrentDomain.ProcessExit += (sender, e) => CallbackGuard.Close();
  }

  private static IEnumerable<string> Folders() {
    string named = Environment.GetEnvironmentVariable("HAFT_NATIVE_PATH");
    if (!string.IsNullOrEmpty(named)) yield return named;
    string location = typeof(NativeLibrary).Assembly.Location;
    string here = string.IsNullOrEmpty(location) ? AppDomain.CurrentDomain.BaseDirectory : Path.GetDirectoryName(location);
    yield return here;
    yield return Path.Combine(here, "runtimes", "linux-x64", "native");
    // As a package is laid out: lib/<framework>/Haft.dll beside runtimes/.
    yield return Path.GetFullPath(Path.Combine(here, "..", "..", "runtimes", "linux-x64", "native"));
  }

  private static DllNotFoundException Missing(List<string> tried, Exception inner) {
    return new DllNotFoundException(
        "Haft: the native libraries " + Shim + " and libhaft.so.1 could not be loaded for " + typeof(NativeLibrary).Assembly.Location + ". Tried:\n  " +
        string.Join("\n  ", tried) + "\nPut both beside Haft.dll or into runtimes/linux-x64/native, or name their folder in HAFT_NATIVE_PATH.", inner);
  }

  /// <summary>What is wrong with a binding of one version on a library of another; null: nothing.</summary>
  internal static string Clash(int compiled, int loaded, string shim, string library) {
    if (compiled / 1000000 == loaded / 1000000 && loaded >= compiled) return null;
    return "Haft: the binding " + shim + " was built for haft " + Version(compiled) + ", but the library " + library + " is " + Version(loaded) +
           ". Install a haft " + compiled / 1000000 + ".x that is not older than " + Version(compiled) + ", or the binding that came with the library.";
  }

  private static string Version(int n) { return n / 1000000 + "." + n / 1000 % 1000 + "." + n % 1000; }

  private static void Raise(int code, IntPtr text, IntPtr function, IntPtr argument, IntPtr message, IntPtr hint) {
    Exception e;
    try {
      e = Errors.Make(new ErrorInfo((ErrorCode)code, Utf8.Read(text), Utf8.Read(function), Utf8.Read(argument), Utf8.Read(message), Utf8.Read(hint)));
    } catch (Exception other) {
      e = other;
    }
    FunctionsPINVOKE.SWIGPendingException.Set(e);
  }

  private static void Rethrow(IntPtr exception) {
    GCHandle handle = GCHandle.FromIntPtr(exception);
    FunctionsPINVOKE.SWIGPendingException.Set((Exception)handle.Target);
    handle.Free();
  }

  private static void Forget(IntPtr exception) { GCHandle.FromIntPtr(exception).Free(); }

  private static long softLimit = 512L << 20, mark = long.MaxValue;  // below the mark a memory limit is about to say no
  private static readonly object collecting = new object();
  private static long collections, believedUntil;  // the ticks when there may be something to find again
  private static readonly object arming = new object();
  private static long armed;  // the number of our callback, beside which others' stand
  internal static long Collections { get { return Interlocked.Read(ref collections); } }
  internal static long SoftLimit {
    get { return Interlocked.Read(ref softLimit); }
    set {
      Interlocked.Exchange(ref softLimit, value);
      Watch(value);
    }
  }
  private static void Watch(long mark) {
    lock (arming) {
      Interlocked.Exchange(ref NativeLibrary.mark, mark == 0 ? long.MaxValue : mark);
      armed = Support.OnPressure(NativeLibrary.mark, Marshal.GetFunctionPointerForDelegate(pressure), armed);
    }
  }

  // Native memory grew past the mark: what the collector can let go, it shall let go now. What stays is in use: the next
  // mark lies above it, so that a large model does not collect at every step.
  private static void Pressure(long live, IntPtr user) {
    bool atLimit = live <= Interlocked.Read(ref mark), taken = false;
    long seen = Interlocked.Read(ref collections);
    try {
      // A limit that is about to refuse what lies above the mark, too: it will not be in use, and the mark stays.
      long limit = Support.MemoryNumbers(Device.Cpu)[5];
      atLimit |= limit != 0 && live > limit;
      // Whoever is refused otherwise waits for who collects; but that one waits for finalizers, and one of those may ask here.
      Monitor.TryEnter(collecting, atLimit ? 2000 : 0, ref taken);
      if (!taken) return;
      if (atLimit) {
        if (Interlocked.Read(ref collections) == seen) MakeRoom();
        return;
      }
      Collect();
      long soft = SoftLimit;
      if (soft != 0) Watch(Math.Max(soft, Live / 2 * 3));
    } catch (Exception) {
      // Nothing may unwind into native frames; the allocation goes on without the memory.
    } finally {
      if (taken) Monitor.Exit(collecting);
    }
  }
  // A service that is full must not spend its time collecting: who has found nothing looks again after a while only.
  private static void MakeRoom() {
    long begun = DateTime.UtcNow.Ticks, before = Live;
    if (begun < believedUntil) return;
    Collect();
    long now = DateTime.UtcNow.Ticks;
    if (Live >= before) believedUntil = now + 4 * (now - begun);
  }
  private static void Collect() {
    Interlocked.Increment(ref collections);
    GC.Collect();
    GC.WaitForPendingFinalizers();
  }
  private static long Live { get { return Support.MemoryNumbers(Device.Cpu)[0]; } }
}

internal static class Utf8 {
  private static readonly UTF8Encoding strict = new UTF8Encoding(false, true), lenient = new UTF8Encoding(false, false);

  /// <summary>UTF-8 with a final 0.</summary>
  internal static byte[] Bytes(string text) {
    if (text == null) throw new ArgumentNullException("text");
    if (text.IndexOf('\0') >= 0) throw new ArgumentException("Haft: a text for native code must not contain the character 0");
    var bytes = new byte[strict.GetByteCount(text) + 1];
    strict.GetBytes(text, 0, text.Length, bytes, 0);
    return bytes;
  }

  internal static byte[] Lenient(string text) { return lenient.GetBytes((text ?? "").Replace('\0', ' ') + "\0"); }

  internal static unsafe string Read(IntPtr text) {
    if (text == IntPtr.Zero) return "";
    byte* p = (byte*)text;
    int length = 0;
    while (p[length] != 0) ++length;
    return length == 0 ? "" : lenient.GetString(p, length);
  }
}

/// <summary>A list of handles as one block of numbers: how many, then the handles, which are held meanwhile.</summary>
internal struct HandleBlock : IDisposable {
  internal long[] Block;
  private SafeHandle[] held;
  private int count;

  internal static HandleBlock Lend<T>(IEnumerable<T> items, Func<T, SafeHandle> handle) {
    if (items == null) return new HandleBlock { Block = new long[] { 0 }, held = new SafeHandle[0] };
    IList<T> list = items as IList<T> ?? new List<T>(items);
    var lent = new HandleBlock { Block = new long[list.Count + 1], held = new SafeHandle[list.Count] };
    lent.Block[0] = list.Count;
    try {
      for (int i = 0; i < list.Count; ++i) {
        SafeHandle h = handle(list[i]);
        bool taken = false;
        h.DangerousAddRef(ref taken);
        lent.held[lent.count++] = h;
        lent.Block[i + 1] = (long)h.DangerousGetHandle();
      }
    } catch {
      lent.Dispose();
      throw;
    }
    return lent;
  }

  public void Dispose() {
    while (count > 0) held[--count].DangerousRelease();
  }

  internal static unsafe T[] Take<T>(IntPtr block, Func<IntPtr, T> own) {
    long* b = (long*)block;
    if (b == null) return new T[0];
    long count = b[0];
    // Wrapping may run code that calls haft, which would write over the block.
    var raw = new long[count];
    for (long i = 0; i < count; ++i) raw[i] = b[i + 1];
    var items = new T[count];
    for (long i = 0; i < count; ++i) items[i] = own((IntPtr)raw[i]);
    return items;
  }

  /// <summary>Shares of tensors, for native code to keep: all or, with an exception, none.</summary>
  internal static unsafe IntPtr Give(IEnumerable<Tensor> items) {
    if (items == null) return IntPtr.Zero;
    IList<Tensor> list = items as IList<Tensor> ?? new List<Tensor>(items);
    var raw = new long[list.Count];
    int given = 0;
    try {
      for (; given < raw.Length; ++given) raw[given] = (long)Tensor.Give(list[given]);
      long* b = (long*)FunctionsPINVOKE.HaftCs_room(raw.Length + 1);
      if (b == null) throw new OutOfMemoryException("Haft: no memory for a list of " + raw.Length + " tensors");
      b[0] = raw.Length;
      for (int i = 0; i < raw.Length; ++i) b[i + 1] = raw[i];
      return (IntPtr)b;
    } catch {
      while (given > 0) FunctionsPINVOKE.HaftCs_release_tensor((IntPtr)raw[--given]);
      throw;
    }
  }

  internal static unsafe long[] Numbers(IntPtr block) {
    long* b = (long*)block;
    if (b == null) return new long[0];
    var numbers = new long[b[0]];
    for (long i = 0; i < numbers.Length; ++i) numbers[i] = b[i + 1];
    return numbers;
  }

  internal static double[] Doubles(double[] values) {
    if (values == null) throw new ArgumentNullException("values");
    var block = new double[values.Length + 1];
    block[0] = values.Length;
    Array.Copy(values, 0, block, 1, values.Length);
    return block;
  }
}

/// <summary>Bytes behind their number; texts, each so, behind theirs.</summary>
internal static class ByteBlock {
  internal static byte[] Of(byte[] bytes) {
    if (bytes == null) throw new ArgumentNullException("value");
    var block = new byte[8 + bytes.Length];
    BitConverter.GetBytes((long)bytes.Length).CopyTo(block, 0);
    bytes.CopyTo(block, 8);
    return block;
  }
  internal static byte[] Of(IEnumerable<string> texts) {
    if (texts == null) throw new ArgumentNullException("keys");
    var block = new MemoryStream();
    block.Write(new byte[8], 0, 8);
    long count = 0;
    foreach (string text in texts) {
      byte[] bytes = Utf8.Bytes(text);
      block.Write(BitConverter.GetBytes((long)bytes.Length - 1), 0, 8);
      block.Write(bytes, 0, bytes.Length - 1);
      ++count;
    }
    block.Position = 0;
    block.Write(BitConverter.GetBytes(count), 0, 8);
    return block.ToArray();
  }
  internal static unsafe byte[] Read(IntPtr block) {
    long* b = (long*)block;
    if (b == null) return new byte[0];
    var bytes = new byte[b[0]];
    if (bytes.Length > 0) Marshal.Copy((IntPtr)b[1], bytes, 0, bytes.Length);
    return bytes;
  }
}

/// <summary>Named tensors as one block: how many, then name and handle of each.</summary>
internal struct NamedBlock : IDisposable {
  internal long[] Block;
  private HandleBlock tensors;
  private GCHandle[] names;

  internal static NamedBlock Lend(IEnumerable<KeyValuePair<string, Tensor>> entries) {
    if (entries == null) throw new ArgumentNullException("entries");
    var list = new List<KeyValuePair<string, Tensor>>(entries);
    var lent = new NamedBlock { names = new GCHandle[list.Count], Block = new long[2 * list.Count + 1] };
    try {
      lent.tensors = HandleBlock.Lend(list.ConvertAll(e => e.Value), Tensor.getCPtr);
      lent.Block[0] = list.Count;
      for (int i = 0; i < list.Count; ++i) {
        lent.names[i] = GCHandle.Alloc(Utf8.Bytes(list[i].Key), GCHandleType.Pinned);
        lent.Block[1 + 2 * i] = (long)lent.names[i].AddrOfPinnedObject();
        lent.Block[2 + 2 * i] = lent.tensors.Block[i + 1];
      }
    } catch {
      lent.Dispose();
      throw;
    }
    return lent;
  }

  public void Dispose() {
    tensors.Dispose();
    foreach (GCHandle name in names)
      if (name.IsAllocated) name.Free();
  }

  internal static unsafe StateDict Take(IntPtr block) {
    var dict = new StateDict();
    long* b = (long*)block;
    if (b == null) return dict;
    long count = b[0];
    var names = new string[count];
    var raw = new long[count];
    for (long i = 0; i < count; ++i) {
      names[i] = Utf8.Read((IntPtr)b[1 + 2 * i]);
      raw[i] = b[2 + 2 * i];
    }
    for (long i = 0; i < count; ++i) dict[names[i]] = Tensor.Own((IntPtr)raw[i]);
    return dict;
  }
}

/// <summary>Runs C# code that native code called: an exception stops here, and goes on behind the native frames.</summary>
internal static class CallbackGuard {
  [ThreadStatic] private static bool known;
  private static int running;  // on the engine's threads
  private static readonly List<WeakReference<IDisposable>> owners = new List<WeakReference<IDisposable>>();
  internal static void Own(IDisposable owner) {
    lock (owners) {
      IDisposable gone;
      owners.RemoveAll(w => !w.TryGetTarget(out gone));
      owners.Add(new WeakReference<IDisposable>(owner));
    }
  }

  internal static T Run<T>(Func<T> f) {
    bool engine = Enter();
    try {
      return f();
    } catch (Exception e) {
      Fail(e);
      return default(T);
    } finally {
      if (engine) Interlocked.Decrement(ref running);
    }
  }
  // For what gets or makes tensors: when it returns, all but those that it answers or keeps are disposed. The collector sees none
  // of their memory and would come too late.
  internal static T Scoped<T>(Func<T> f) {
    return Run(() => {
      DisposeScope scope = DisposeScope.EnterCallback();
      try {
        return f();
      } finally {
        scope.LeaveCallback();
      }
    });
  }
  internal static void Run(Action f) {
    Run<object>(() => {
      f();
      return null;
    });
  }
  // The engine's threads never keep a process from ending.
  private static bool Enter() {
    bool engine = FunctionsPINVOKE.HaftCs_is_engine_thread() != 0;
    if (!known) {
      known = true;
      if (engine) Thread.CurrentThread.IsBackground = true;
    }
    if (engine) Interlocked.Increment(ref running);
    return engine;
  }
  /// <summary>At the end of the process: no more callbacks, and those that run come to their end.</summary>
  internal static void Close() {
    FunctionsPINVOKE.HaftCs_close();
    // The engine's threads that ran C# end with their owners; the runtime would wait for them.
    lock (owners) {
      foreach (WeakReference<IDisposable> owner in owners) {
        IDisposable o;
        if (owner.TryGetTarget(out o)) o.Dispose();
      }
    }
    for (int i = 0; i < 200 && Volatile.Read(ref running) > 0; ++i) Thread.Sleep(5);
  }
  /// <summary>As what the engine counts the exception of a callback.</summary>
  internal static ErrorCode StatusOf(Exception e) {
    ErrorInfo info = HaftException.Of(e);
    return info != null && info.Code != ErrorCode.None ? info.Code : e is ArgumentException ? ErrorCode.InvalidArgument : ErrorCode.Callback;
  }
  private static void Fail(Exception e) {
    FunctionsPINVOKE.HaftCs_failed(GCHandle.ToIntPtr(GCHandle.Alloc(e)), Utf8.Lenient(e.Message), (int)StatusOf(e));
  }
}
}
