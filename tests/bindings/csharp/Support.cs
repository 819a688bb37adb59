// What the tests share: the end of the suite, comparisons, fresh random numbers.
using System;
using System.IO;
using System.Linq;
using System.Threading;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[SetUpFixture]
public class Suite {
  [SetUp]
  public void Seed() { Runtime.ManualSeed(Check.Seed); }

  // After all tests nothing of haft's is alive: neither objects nor bytes nor callbacks.
  [TearDown]
  public void NothingIsLeft() {
    Collect();
    Runtime.TrimMemory();  // weights that the engine keeps in the layout of its kernels count as live
    Assert.AreEqual(0, Runtime.LiveHandles, "live handles");
    Assert.AreEqual(0, Runtime.GetMemoryStats(Device.Cpu).Live, "live bytes");
    Assert.AreEqual(0, Runtime.HeldCallbacks, "held callbacks");
    Runtime.Shutdown();
  }

  // Mono scans stacks conservatively: what an old frame still shows goes when the frame is written over.
  public static void Collect() {
    for (int i = 0; i < 50 && (i < 2 || Runtime.LiveHandles != 0 || Runtime.HeldCallbacks != 0); ++i) {
      var scrub = new Thread(Scrub);
      scrub.Start();
      scrub.Join();
      Scrub();
      GC.Collect();
      GC.WaitForPendingFinalizers();
      if (i > 2) Thread.Sleep(10);
    }
  }
  private static unsafe void Scrub() {
    byte* room = stackalloc byte[1 << 16];
    for (int i = 0; i < 1 << 16; ++i) room[i] = 0;
  }
}

public static class Check {
  /// HAFT_TEST_SEED, which repeats a run, or a new one.
  public static readonly int Seed = Given();
  public static readonly Random Random = new Random(Seed);
  private static int Given() {
    string given = Environment.GetEnvironmentVariable("HAFT_TEST_SEED");
    int seed = given != null ? int.Parse(given) : Environment.TickCount;
    Console.Error.WriteLine("HAFT_TEST_SEED=" + seed);
    return seed;
  }
  public static float[] Floats(int n) { return Enumerable.Range(0, n).Select(i => (float)(Random.NextDouble() * 4 - 2)).ToArray(); }
  public static double[] Doubles(int n) { return Enumerable.Range(0, n).Select(i => Random.NextDouble() * 4 - 2).ToArray(); }

  public static void Equal(Tensor got, Dims shape, params double[] want) {
    Assert.AreEqual(shape.ToArray(), got.Shape);
    using (Tensor wide = got.Detach())
    using (Tensor d = wide.To(DType.Float64)) CollectionAssert.AreEqual(want, d.ToArray<double>());
  }
  public static void Close(double[] want, Tensor got, double tolerance = 1e-5) {
    using (Tensor wide = got.Detach())
    using (Tensor d = wide.To(DType.Float64)) {
      double[] have = d.ToArray<double>();
      Assert.AreEqual(want.Length, have.Length);
      for (int i = 0; i < want.Length; ++i)
        Assert.AreEqual(want[i], have[i], tolerance * (1 + Math.Abs(want[i])), "element " + i);
    }
  }
  public static T Throws<T>(TestDelegate code) where T : Exception { return (T)Assert.Throws(Is.InstanceOf<T>(), code); }
  public static string Folder() {
    string path = Path.Combine(Path.GetTempPath(), "haft-cs-" + Guid.NewGuid().ToString("N"));
    Directory.CreateDirectory(path);
    return path;
  }
}

// A scope around every test, so that a test reads as a user's program.
public abstract class Scoped {
  private DisposeScope scope;
  [SetUp] public void Open() { scope = new DisposeScope(); }
  [TearDown] public void Close() { scope.Dispose(); }
}
}
