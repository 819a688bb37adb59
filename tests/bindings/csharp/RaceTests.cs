using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class RaceTests {
  [Test]
  public void DisposeDuringCalls() {
    int finished = 0, stopped = 0;
    for (int k = 0; k < 2000; ++k) {
      Tensor t = Tensor.Ones(1000);
      Task caller = Task.Run(() => {
        try {
          for (int j = 0; j < 20; ++j)
            using (Tensor s = t.Sum())
              if (s.Item() != 1000) throw new InvalidOperationException("a sum of " + s.Item());
          Interlocked.Increment(ref finished);
        } catch (ObjectDisposedException) {
          Interlocked.Increment(ref stopped);
        }
      });
      if (k % 3 == 0) Thread.Yield();
      t.Dispose();
      caller.Wait();
    }
    Assert.AreEqual(2000, finished + stopped);
    Assert.Greater(stopped, 0);
  }

  [Test]
  public void DisposeOfModulesAndLoadersDuringCalls() {
    using (Tensor x = Tensor.Ones(2, 4))
    using (Tensor rows = Tensor.Ones(64, 4)) {
      for (int k = 0; k < 100; ++k) {
        var net = new Sequential(new Linear(4, 4), new Tanh());
        var data = new TensorDataset(rows);
        var loader = new DataLoader(data, 4, numWorkers: 1);
        Task runs = Task.Run(() => {
          try {
            for (int j = 0; j < 50; ++j) net.Call(x).Dispose();
          } catch (ObjectDisposedException) {}
        });
        Task loads = Task.Run(() => {
          try {
            foreach (Tensor[] b in loader) b[0].Dispose();
          } catch (ObjectDisposedException) {}
        });
        Thread.SpinWait(k * 50);
        net.Dispose();
        loader.Dispose();
        data.Dispose();
        Task.WaitAll(runs, loads);
        Assert.Throws<ObjectDisposedException>(() => net.Call(x).Dispose());
        Assert.Throws<ObjectDisposedException>(() => { foreach (Tensor[] b in loader) b[0].Dispose(); });
      }
    }
  }

  [Test]
  public void TheFinalizerThreadReleases() {
    long before = Runtime.LiveHandles;
    var makers = Enumerable.Range(0, 4).Select(i => new Thread(() => {
      for (int k = 0; k < 20000; ++k) {
        Tensor t = Tensor.Of((float)k);
        if (k % 5 == 0) t.Dispose();
      }
    })).ToArray();
    foreach (Thread t in makers) t.Start();
    foreach (Thread t in makers) t.Join();
    for (int i = 0; i < 20 && Runtime.LiveHandles - before > 50; ++i) Suite.Collect();
    Assert.Less(Runtime.LiveHandles - before, 50);
  }

  [Test]
  public void UndisposedTensorsStayUnderTheSoftLimit() {
    Suite.Collect();
    Runtime.ResetPeakMemory(Device.Cpu);
    for (int i = 0; i < 4000; ++i) Tensor.Empty(1 << 20);
    long peak = Runtime.GetMemoryStats(Device.Cpu).Peak;
    Console.Error.WriteLine("4,000 undisposed tensors of 4 MiB: peak " + (peak >> 20) + " MiB");
    Assert.LessOrEqual(peak, Runtime.SoftMemoryLimit + (16 << 20));
    Suite.Collect();
  }

  [UnmanagedFunctionPointer(CallingConvention.Cdecl)] private delegate void PressureFunction(long live, IntPtr user);
  [DllImport("libhaft.so.1")]
  private static extern int haft_memory_set_pressure_callback(long mark, PressureFunction fn, IntPtr user, IntPtr destroy);

  // The process's own function for it, as a host in C has one, and this binding's collector.
  [Test]
  public void OthersAreAskedForMemoryBesideUs() {
    long limit = Runtime.SoftMemoryLimit;
    int asked = 0;
    PressureFunction theirs = (live, user) => Interlocked.Increment(ref asked);
    try {
      Assert.AreEqual(0, haft_memory_set_pressure_callback(long.MaxValue, theirs, IntPtr.Zero, IntPtr.Zero));
      Runtime.SoftMemoryLimit = 8 << 20;
      long before = NativeLibrary.Collections;
      Suite.Collect();
      Runtime.SetMemoryLimit(4 << 20, Device.Cpu);
      Check.Throws<MemoryLimitException>(() => Tensor.Empty(3 << 19));  // before the limit says no, everybody is asked
      Runtime.SetMemoryLimit(0, Device.Cpu);
      Assert.Greater(asked, 0);
      Assert.Greater(NativeLibrary.Collections, before);
      Assert.AreEqual(0, haft_memory_set_pressure_callback(long.MaxValue, theirs, IntPtr.Zero, IntPtr.Zero));
      before = NativeLibrary.Collections;
      for (int i = 0; i < 100; ++i) Tensor.Empty(1 << 18);  // 1 MiB each, never disposed
      Assert.Greater(NativeLibrary.Collections, before);
    } finally {
      haft_memory_set_pressure_callback(0, null, IntPtr.Zero, IntPtr.Zero);
      Runtime.SetMemoryLimit(0, Device.Cpu);
      Runtime.SoftMemoryLimit = limit;
    }
    GC.KeepAlive(theirs);
  }

  [Test]
  public void WhatALimitRefusesDoesNotRaiseTheSoftLimit() {
    long limit = Runtime.SoftMemoryLimit;
    Suite.Collect();
    Runtime.SoftMemoryLimit = 8 << 20;
    try {
      Runtime.SetMemoryLimit(64 << 20, Device.Cpu);
      Check.Throws<MemoryLimitException>(() => Tensor.Empty(1 << 28));
      Runtime.SetMemoryLimit(0, Device.Cpu);
      long before = NativeLibrary.Collections;
      for (int i = 0; i < 100; ++i) Tensor.Empty(1 << 18);  // 1 MiB each, never disposed
      Assert.Greater(NativeLibrary.Collections, before);
    } finally {
      Runtime.SetMemoryLimit(0, Device.Cpu);
      Runtime.SoftMemoryLimit = limit;
    }
  }

  [Test]
  public void ModelsAboveTheSoftLimitDoNotCollectAtEveryStep() {
    long limit = Runtime.SoftMemoryLimit;
    Runtime.SoftMemoryLimit = 8 << 20;
    try {
      using (Tensor large = Tensor.Ones(8 << 20)) {  // 32 MiB in use
        Tensor.Empty(1 << 18);
        int before = GC.CollectionCount(GC.MaxGeneration);
        for (int i = 0; i < 200; ++i) Tensor.Empty(1 << 18);  // 1 MiB each, never disposed
        Assert.Less(GC.CollectionCount(GC.MaxGeneration) - before, 60);
        Assert.Less(Runtime.GetMemoryStats(Device.Cpu).Live, 100 << 20);
      }
      Check.Throws<ArgumentOutOfRangeException>(() => Runtime.SoftMemoryLimit = -1);
    } finally {
      Runtime.SoftMemoryLimit = limit;
    }
  }

  [Test]
  public void CallbacksFromNativeThreadsUnderCollection() {
    var stop = new CancellationTokenSource();
    Task collector = Task.Run(() => {
      while (!stop.IsCancellationRequested) {
        GC.Collect();
        Thread.Sleep(1);
      }
    });
    try {
      for (int round = 0; round < 10; ++round) {
        using (new DisposeScope())
        using (var data = new Squares(200))
        using (var loader = new DataLoader(data, 8, numWorkers: 3)) {
          long sum = 0;
          foreach (Tensor[] b in loader) sum += b[1].Sum().Item<long>();
          Assert.AreEqual(199 * 100, sum);
        }
      }
    } finally {
      stop.Cancel();
      collector.Wait();
    }
  }

  [Test]
  public void DelegatesLiveAsLongAsNativeCodeMayCallThem() {
    using (var layer = new Linear(2, 2))
    using (Tensor x = Tensor.Ones(1, 2)) {
      int held = Runtime.HeldCallbacks;
      int calls = 0;
      AddHook(layer, () => ++calls);
      Suite.Collect();
      for (int i = 0; i < 10; ++i) layer.Call(x).Dispose();
      Assert.AreEqual(10, calls);
      Assert.AreEqual(held + 1, Runtime.HeldCallbacks);
      layer.Dispose();
      Assert.AreEqual(held, Runtime.HeldCallbacks);
    }
  }
  private static void AddHook(Module m, Action seen) {
    m.RegisterForwardHook((i, o) => {
      seen();
      return null;
    });
  }

  [Test]
  public void AnUndisposedModuleOfOnesOwnIsCollected() {
    int held = Runtime.HeldCallbacks;
    var maker = new Thread(() => {
      for (int i = 0; i < 20; ++i)
        using (Tensor x = Tensor.Ones(1, 4)) new Sequential(new Net(), new Sequential(new Net())) .ToString();
    });
    maker.Start();
    maker.Join();
    for (int i = 0; i < 20 && Runtime.HeldCallbacks > held + 4; ++i) Suite.Collect();
    Assert.LessOrEqual(Runtime.HeldCallbacks, held + 4);
  }
}

[TestFixture]
public class LibraryTests {
  [Test]
  public void AVersionClashNamesBothPathsAndTheRemedy() {
    Assert.IsNull(NativeLibrary.Clash(1000000, 1000000, "a", "b"));
    Assert.IsNull(NativeLibrary.Clash(1000000, 1002003, "a", "b"));
    foreach (int loaded in new[] { 2000000, 999000 }) {
      string text = NativeLibrary.Clash(1001002, loaded, "/here/libhaft_csharp.so", "/there/libhaft.so.1");
      StringAssert.Contains("/here/libhaft_csharp.so was built for haft 1.1.2", text);
      StringAssert.Contains("/there/libhaft.so.1 is " + (loaded == 2000000 ? "2.0.0" : "0.999.0"), text);
      StringAssert.Contains("Install", text);
    }
    Assert.IsNotNull(NativeLibrary.Clash(1001000, 1000005, "a", "b"));
  }

  [Test]
  public void TextsAreUtf8BothWays() {
    using (var m = new Texts("Größe – 漢字 🎛"))
    using (Tensor x = Tensor.Of(1f)) {
      Assert.AreEqual("Größe – 漢字 🎛", m.TypeName);
      Assert.AreSame(x, x);
      m.RegisterParameter("gewicht_ß", x);
      CollectionAssert.AreEqual(new[] { "gewicht_ß" }, m.NamedParameters().Keys.ToArray());
      StringAssert.Contains("🎛", m.ToString());
    }
    Suite.Collect();
  }
  private sealed class Texts : Module {
    internal Texts(string name) : base(name) {}
  }
}
}
