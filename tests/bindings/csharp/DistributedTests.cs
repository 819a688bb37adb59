using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.Serialization;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using NUnit.Framework;

namespace HaftTests {

// Threads as the ranks of a group.
internal static class Ranks {
  internal static readonly TimeSpan Patience = TimeSpan.FromMinutes(10);

  internal static void Run(int n, Action<ProcessGroup> body) {
    var failures = new Exception[n];
    using (Store store = Store.Hash()) {
      Thread[] all = Enumerable.Range(0, n).Select(r => new Thread(() => {
        try {
          using (var group = new ProcessGroup(store, r, n, Patience)) body(group);
        } catch (Exception e) {
          failures[r] = e;
        }
      })).ToArray();
      foreach (Thread t in all) t.Start();
      foreach (Thread t in all) t.Join();
    }
    for (int r = 0; r < n; ++r)
      if (failures[r] != null) Assert.Fail("rank " + r + ": " + failures[r]);
  }
}

[TestFixture]
public class StoreTests {
  private static byte[] Bytes(string text) { return Encoding.UTF8.GetBytes(text); }

  private static void Use(Store store) {
    byte[] all = Enumerable.Range(0, 256).Select(i => (byte)i).ToArray();
    store.Set("all", all);
    CollectionAssert.AreEqual(all, store.Get("all"));
    store.Set("none", new byte[0]);
    Assert.AreEqual(0, store.Get("none", TimeSpan.Zero).Length);
    var large = new byte[1 << 20];
    large[large.Length - 1] = 7;
    store.Set("large", large);
    CollectionAssert.AreEqual(large, store.Get("large", Ranks.Patience));
    store.Set("text", "gr\u00fc\u00df \ud83d\ude00");
    Assert.AreEqual("gr\u00fc\u00df \ud83d\ude00", store.GetString("text"));
    Assert.AreEqual(5, store.Add("sum", 5));
    Assert.AreEqual(3, store.Add("sum", -2));
    Check.Throws<HaftArgumentException>(() => store.Add("text", 1));
    Assert.IsTrue(store.Has(new[] { "all", "sum" }));
    Assert.IsFalse(store.Has(new[] { "all", "missing" }));
    Assert.IsTrue(store.Has(new string[0]));
    Assert.IsTrue(store.CompareAndSet("cas", new byte[0], Bytes("one")));
    Assert.IsFalse(store.CompareAndSet("cas", Bytes("two"), Bytes("three")));
    Assert.IsTrue(store.CompareAndSet("cas", Bytes("one"), Bytes("two")));
    CollectionAssert.AreEqual(Bytes("two"), store.CompareExchange("cas", Bytes("one"), Bytes("three")));
    CollectionAssert.AreEqual(Bytes("three"), store.CompareExchange("cas", Bytes("two"), Bytes("three")));
    CollectionAssert.AreEqual(Bytes("two"), store.CompareExchange("cas", Bytes("three"), Bytes("two")));
    CollectionAssert.AreEqual(new byte[0], store.CompareExchange("no key", Bytes("two"), Bytes("three")));
    Assert.AreEqual("two", store.GetString("cas"));
    Assert.IsTrue(store.Remove("cas"));
    Assert.IsFalse(store.Remove("cas"));
    using (Store part = store.Prefixed("part")) {
      part.Set("key", "of the part");
      Assert.AreEqual("of the part", store.GetString("part/key"));
      Assert.IsFalse(store.Has(new[] { "key" }));
    }
    store.Wait(new[] { "all", "sum" }, Ranks.Patience);
    store.Lease("sign", Bytes("of life"), Ranks.Patience);
    Assert.IsTrue(store.Has(new[] { "sign" }));
    store.Lease("sign", Bytes("of life"), TimeSpan.FromMilliseconds(1));
    while (store.Has(new[] { "sign" })) Thread.Yield();
  }

  [Test]
  public void ValuesAreBytes() {
    using (Store store = Store.Hash()) {
      Use(store);
      Assert.AreEqual(0, store.Port);
    }
    using (Store store = Store.Open("tcp://127.0.0.1:0", serve: true, secret: "sesame")) {
      Assert.Greater(store.Port, 0);
      string url = "tcp://127.0.0.1:" + store.Port;
      using (Store client = Store.Open(url, secret: "sesame", timeout: Ranks.Patience)) {
        Use(client);
        CollectionAssert.AreEqual(store.Get("all"), client.Get("all"));
      }
      Check.Throws<HaftArgumentException>(() => Store.Open(url, secret: "wrong"));
    }
  }

  [Test]
  public void WaitingEnds() {
    string folder = Path.Combine(Path.GetTempPath(), "haft-store-" + Guid.NewGuid().ToString("N"));
    try {
      using (Store store = Store.Open("file://" + folder, run: "a")) {
        var late = Check.Throws<HaftTimeoutException>(() => store.Get("missing", TimeSpan.FromMilliseconds(10)));
        StringAssert.Contains("0.01 s for key", late.Message);
        store.Set("there", "");
        using (var stop = new CancellationTokenSource()) {
          late = Check.Throws<HaftTimeoutException>(() => store.Wait(new[] { "there", "missing" }, TimeSpan.FromMilliseconds(300), stop.Token));
          StringAssert.Contains("waited 0.3 s for key 'missing'", late.Message);
          Task<byte[]> value = Task.Run(() => store.Get("later", null, stop.Token));
          store.Set("later", "now");
          Assert.AreEqual(Bytes("now"), value.Result);
          Task never = Task.Run(() => store.Get("never", null, stop.Token), CancellationToken.None);
          stop.Cancel();
          var cancelled = Check.Throws<OperationCanceledException>(() => never.GetAwaiter().GetResult());
          Assert.AreEqual(stop.Token, cancelled.CancellationToken);
        }
        string url = "file://" + folder + "/meet?world_size=2";
        Task other = Task.Run(() => {
          using (Rendezvous job = Rendezvous.Meet(url, 1)) job.Store.Set("from 1", job.Rank + "/" + job.WorldSize);
        });
        using (Rendezvous job = Rendezvous.Meet(url, 0)) Assert.AreEqual("1/2", job.Store.GetString("from 1"));
        other.Wait();
        var alone = Check.Throws<HaftTimeoutException>(() => Rendezvous.Meet("file://" + folder + "/alone", 0, 2, TimeSpan.FromMilliseconds(10)));
        StringAssert.Contains("missing rank 1", alone.Message);
      }
      using (Store other = Store.Open("file://" + folder, run: "b")) Assert.IsFalse(other.Has(new[] { "there" }));
    } finally {
      Directory.Delete(folder, true);
    }
  }

  [Test]
  public void MisuseIsRefused() {
    Store gone = Store.Hash();
    gone.Dispose();
    Check.Throws<ObjectDisposedException>(() => gone.Set("key", "value"));
    using (Store store = Store.Hash()) {
      Check.Throws<ArgumentNullException>(() => store.Get(null));
      Check.Throws<HaftArgumentException>(() => store.Set("", "empty key"));
      Check.Throws<ArgumentNullException>(() => store.Set("key", (byte[])null));
      Check.Throws<ArgumentNullException>(() => store.Set("key", (string)null));
      Check.Throws<ArgumentNullException>(() => store.Has(null));
      Check.Throws<ArgumentNullException>(() => store.Has(new[] { "key", null }));
      Check.Throws<ArgumentOutOfRangeException>(() => store.Get("key", TimeSpan.FromSeconds(-2)));
    }
    Check.Throws<HaftArgumentException>(() => Store.Open("carrier-pigeon://coop"));
    Check.Throws<HaftArgumentException>(() => Rendezvous.Meet("file:///tmp", timeout: TimeSpan.Zero));
    LaunchEnvironment alone = LaunchEnvironment.Get();
    Assert.AreEqual("none", alone.Launcher);
    Assert.AreEqual(0, alone.Rank);
    Assert.AreEqual(1, alone.WorldSize);
    Assert.AreEqual("", alone.RunId);
  }
}

public sealed class Settings {
  public string Name { get; set; }
  public double[] Rates { get; set; }
  public Dictionary<string, DateTime> Days { get; set; }
}

[TestFixture]
public class ProcessGroupTests {
  private static Tensor Floats(params float[] x) { return Tensor.From(x); }
  private static Tensor[] Zeros(params long[] sizes) { return sizes.Select(n => Tensor.Zeros(n)).ToArray(); }
  private static void Same(Tensor got, params float[] wanted) { CollectionAssert.AreEqual(wanted, got.ToArray<float>()); }
  private static readonly Tensor[] nobody = new Tensor[0];

  [Test]
  public void CollectivesAreExact() {
    Ranks.Run(3, g => {
      using (new DisposeScope()) {
        int r = g.Rank;
        Assert.AreEqual(3, g.Size);
        Tensor x = Floats(1 + r, 2 * r);
        g.AllReduce(x);
        Same(x, 6, 6);
        g.AllReduce(x = Floats(r, -r), ReduceOp.Max);
        Same(x, 2, 0);
        g.AllReduce(x = Floats(r, 3 * r), ReduceOp.Avg);
        Same(x, 1, 3);
        Tensor bits = Tensor.Of(1L << r, 7L - r);
        g.AllReduce(bits, ReduceOp.Bor);
        CollectionAssert.AreEqual(new long[] { 7, 7 }, bits.ToArray<long>());
        g.Broadcast(x = Floats(r, r), 2);
        Same(x, 2, 2);
        g.Reduce(x = Floats(r + 1), 1, ReduceOp.Product);
        Same(x, r == 1 ? 6 : r + 1);
        Tensor[] parts = Zeros(1, 2, 3);
        g.AllGather(parts, Tensor.Full(new Dims(r + 1), (double)r));
        Same(parts[2], 2, 2, 2);
        Tensor all = Tensor.Zeros(6);
        g.AllGatherInto(all, Floats(r, 10 + r));
        Same(all, 0, 10, 1, 11, 2, 12);
        g.AllGatherInto(all, Tensor.Full(new Dims(r + 1), (double)r), new Dims(1, 2, 3));
        Same(all, 0, 1, 1, 2, 2, 2);
        parts = r == 1 ? Zeros(1, 1, 1) : nobody;
        g.Gather(parts, Floats(5 * r), 1);
        if (r == 1) Same(parts[2], 10);
        g.Scatter(x, r == 0 ? new[] { Floats(4), Floats(5), Floats(6) } : nobody, 0);
        Same(x, 4 + r);
        g.ReduceScatter(x, new[] { Floats(r), Floats(10 * r), Floats(100 * r) });
        Same(x, r == 0 ? 3 : r == 1 ? 30 : 300);
        g.ReduceScatterFrom(x, Floats(r, 2 * r, 3 * r), ReduceOp.Sum);
        Same(x, 3 * (r + 1));
        parts = Zeros(1, 1, 1);
        g.AllToAll(parts, new[] { Floats(10 * r), Floats(10 * r + 1), Floats(10 * r + 2) });
        Same(parts[2], 20 + r);
        Tensor came = Tensor.Zeros(3), uneven = Tensor.Zeros(3 * (r + 1));
        g.AllToAllSingle(came, Floats(10 * r, 10 * r + 1, 10 * r + 2));
        Same(came, r, 10 + r, 20 + r);
        g.AllToAllSingle(uneven, Tensor.Full(new Dims(6), (double)r), new Dims(r + 1, r + 1, r + 1), new Dims(1, 2, 3));
        Assert.AreEqual(2f, uneven.ToArray<float>().Last());
        g.Barrier();
        g.Barrier(Ranks.Patience);
        ProcessGroupInfo info = g.Info;
        Assert.AreEqual(ErrorCode.None, info.Failure);
        Assert.AreEqual(-1, info.Culprit);
        Assert.AreEqual(info.Issued, info.Finished);
        Assert.GreaterOrEqual(info.Issued, 17);
        Assert.AreEqual(Ranks.Patience, info.Timeout);
        Assert.AreEqual("shm", info.Engine);
        Assert.IsTrue(ProcessGroup.IsAvailable("shm") && !ProcessGroup.IsAvailable("pigeons"));
        Assert.AreEqual("default", info.Name);
        StringAssert.Contains("reduce_scatter", g.RecorderJson());
      }
    });
  }

  // A program of .NET hardly forks, and a test that did would have lost its collector's threads.
  [Test]
  public void FailuresOfGroupsHaveClassesOfTheirOwn() {
    Func<ErrorCode, Type> of = code => Errors.Make(new ErrorInfo(code, "text", "", "", "", "")).GetType();
    Assert.AreEqual(typeof(ForkedException), of(ErrorCode.Forked));
    Assert.AreEqual(typeof(PeerLostException), of(ErrorCode.PeerLost));
    Assert.AreEqual(typeof(MismatchException), of(ErrorCode.Mismatch));
    Assert.AreEqual(typeof(LinAlgException), of(ErrorCode.LinAlg));
    Assert.AreEqual(typeof(HaftException), of(ErrorCode.Internal));
  }

  [Test]
  public void WorksAreAwaited() {
    Ranks.Run(2, g => {
      using (new DisposeScope()) Awaited(g).GetAwaiter().GetResult();
    });
  }
  private static async Task Awaited(ProcessGroup g) {
    int r = g.Rank;
    Tensor a = Floats(r), b = Floats(r), c = Floats(r), all = Tensor.Zeros(2), half = Tensor.Zeros(1), moved = Tensor.Zeros(2);
    Tensor[] parts = Zeros(1, 1), gathered = r == 0 ? Zeros(1, 1) : nobody, exchanged = Zeros(1, 1);
    Tensor scattered = Tensor.Zeros(1), joined = Tensor.Zeros(1);
    Work[] begun = {
      g.AllReduceAsync(a), g.AllReduceAsync(b, ReduceOp.Max), g.BroadcastAsync(c, 1), g.ReduceAsync(Floats(1), 0),
      g.AllGatherAsync(parts, Floats(r)), g.AllGatherIntoAsync(all, Floats(r)), g.GatherAsync(gathered, Floats(r), 0),
      g.ScatterAsync(scattered, r == 0 ? new[] { Floats(7), Floats(8) } : nobody, 0), g.ReduceScatterAsync(joined, new[] { Floats(1), Floats(2) }),
      g.ReduceScatterFromAsync(half, Floats(3, 4)), g.AllToAllAsync(exchanged, new[] { Floats(r), Floats(r + 2) }),
      g.AllToAllSingleAsync(moved, Floats(r, r + 2)), g.BarrierAsync(), g.BarrierAsync(Ranks.Patience)
    };
    await Task.WhenAll(begun.Select(w => w.AsTask())).ConfigureAwait(false);
    foreach (Work w in begun) {
      await w;
      Assert.IsTrue(w.IsDone);
      Assert.AreEqual(-1, w.Source);
      w.Dispose();
    }
    Same(a, 1);
    Same(b, 1);
    Same(c, 1);
    Same(all, 0, 1);
    Same(scattered, 7 + r);
    Same(joined, 2 * (r + 1));
    Same(half, 6 + 2 * r);
    Same(moved, 2 * r, 2 * r + 1);
    Same(exchanged[1], 2 * r + 1);
  }

  [Test]
  public void MessagesComeFromAnybody() {
    Ranks.Run(3, g => {
      using (new DisposeScope()) {
        Tensor x = Tensor.Zeros(2);
        if (g.Rank == 0) {
          var came = new HashSet<int>();
          for (int i = 0; i < 2; ++i) {
            int from = g.Recv(x);
            Same(x, from, from);
            came.Add(from);
          }
          Assert.IsTrue(came.SetEquals(new[] { 1, 2 }));
          using (Work w = g.RecvAsync(x, ProcessGroup.AnySource, 5)) {
            w.Wait();
            Assert.AreEqual(2, w.Source);
          }
          Assert.AreEqual(1, g.Recv(x, 1, 9));
          Same(x, 9, 9);
        } else {
          g.Send(Floats(g.Rank, g.Rank), 0);
          if (g.Rank == 1)
            using (Work w = g.SendAsync(Floats(9, 9), 0, 9)) w.Wait();
          if (g.Rank == 2) g.Send(Floats(5, 5), 0, 5);
        }
      }
    });
  }

  [Test]
  public void WaitingGivesUpAndTheWorkGoesOn() {
    using (var go = new ManualResetEventSlim()) {
      Ranks.Run(2, g => {
        using (Tensor x = Floats(g.Rank + 1)) {
          if (g.Rank == 1) {
            go.Wait();
            g.AllReduce(x);
            g.AllReduce(x);
            return;
          }
          using (var stop = new CancellationTokenSource())
          using (Work w = g.AllReduceAsync(x)) {
            Assert.IsFalse(w.Wait(TimeSpan.FromMilliseconds(30)));
            Assert.IsFalse(w.IsDone);
            Task task = w.AsTask(), given = w.AsTask(stop.Token), waits = Task.Run(() => w.Wait(stop.Token), CancellationToken.None);
            var heard = new TaskCompletionSource<bool>();
            w.OnDone(done => heard.SetResult(ReferenceEquals(done, w) && done.IsDone));
            // Begun by the thread that finds the first one done.
            var next = new TaskCompletionSource<Work>();
            w.OnDone(done => next.SetResult(g.AllReduceAsync(x)));
            stop.Cancel();
            Check.Throws<OperationCanceledException>(() => given.GetAwaiter().GetResult());
            Check.Throws<OperationCanceledException>(() => waits.GetAwaiter().GetResult());
            Assert.IsTrue(w.AsTask(stop.Token).IsCanceled);
            go.Set();
            task.Wait();
            Assert.IsTrue(heard.Task.Result);
            using (Work second = next.Task.Result) second.Wait();
            Same(x, 6);
            Assert.IsTrue(w.Wait(TimeSpan.Zero));
            w.OnDone(done => { throw new FormatException("goes where nobody sees it"); });
          }
        }
      });
    }
  }

  [Test]
  public void PartsOfTheGroup() {
    Ranks.Run(3, g => {
      using (Tensor x = Floats(g.Rank))
      using (ProcessGroup part = g.Subgroup(new Dims(2, 0)), own = g.Subgroup(new Dims(0, 1), Ranks.Patience, "shm")) {
        Assert.AreEqual(g.Rank == 1, part == null);
        Assert.AreEqual(g.Rank == 2, own == null);
        if (part != null) {
          Assert.AreEqual(g.Rank == 2 ? 0 : 1, part.Rank);
          part.AllReduce(x);
          Same(x, 2);
          StringAssert.StartsWith("default", part.Info.Name);
        }
        using (ProcessGroup side = g.Split(g.Rank == 1 ? -1 : 0, -g.Rank), all = g.Split(0, -g.Rank, Ranks.Patience)) {
          Assert.AreEqual(g.Rank == 1, side == null);
          if (side != null) Assert.AreEqual(g.Rank == 2 ? 0 : 1, side.Rank);
          Assert.AreEqual(2 - g.Rank, all.Rank);
        }
      }
    });
  }

  [Test]
  public void FailuresHaveTheirClasses() {
    Ranks.Run(2, g => {
      using (Tensor x = Tensor.Zeros(2 + g.Rank)) {
        var e = Check.Throws<MismatchException>(() => g.AllReduce(x));
        Assert.AreEqual(ErrorCode.Mismatch, e.Code);
        StringAssert.Contains("[2]", e.Message);
        StringAssert.Contains("[3]", e.Message);
        Assert.AreEqual(ErrorCode.Mismatch, g.Info.Failure);
        Check.Throws<MismatchException>(() => g.Barrier());
      }
    });
    Ranks.Run(2, g => {
      if (g.Rank == 1) return;
      var e = Check.Throws<PeerLostException>(() => g.Barrier());
      StringAssert.Contains("rank 1", e.Message);
      Assert.AreEqual(1, g.Info.Culprit);
    });
    using (var told = new ManualResetEventSlim()) {
      Ranks.Run(2, g => {
        if (g.Rank == 0) {
          StringAssert.Contains("rank 1", Check.Throws<HaftTimeoutException>(() => g.Barrier(TimeSpan.FromMilliseconds(20))).Message);
          told.Set();
        } else {
          told.Wait();
          Check.Throws<HaftTimeoutException>(() => g.Barrier());
        }
      });
    }
    using (var begun = new ManualResetEventSlim()) {
      Ranks.Run(2, g => {
        using (Work w = g.Rank == 0 ? g.BarrierAsync() : null) {
          if (w != null) {
            begun.Set();
          } else {
            begun.Wait();
            g.Abort("enough");
          }
          StringAssert.Contains("enough", Check.Throws<HaftCancelledException>(() => (w ?? g.BarrierAsync()).Wait()).Message);
          if (w != null) Check.Throws<HaftCancelledException>(() => w.AsTask().GetAwaiter().GetResult());
        }
      });
    }
  }

  [Test]
  public void MisuseIsRefusedAndTheGroupLives() {
    Ranks.Run(2, g => {
      using (Tensor x = Floats(1), whole = Tensor.Of(1L)) {
        Check.Throws<DTypeException>(() => g.AllReduce(whole, ReduceOp.Avg));
        Check.Throws<HaftArgumentException>(() => g.Broadcast(x, 2));
        Check.Throws<ArgumentNullException>(() => g.AllReduce(null));
        Check.Throws<HaftArgumentException>(() => g.AllGather(new[] { x }, x));
        Check.Throws<ArgumentOutOfRangeException>(() => g.Barrier(TimeSpan.FromSeconds(-2)));
        Check.Throws<ArgumentNullException>(() => g.BarrierAsync().OnDone(null));
        g.AllReduce(x);
        Same(x, 2);
      }
      g.Dispose();
      Check.Throws<ObjectDisposedException>(() => g.Barrier());
      Check.Throws<ObjectDisposedException>(() => { ProcessGroupInfo info = g.Info; });
    });
    using (Store store = Store.Hash()) {
      Check.Throws<HaftArgumentException>(() => new ProcessGroup(store, 2, 2));
      Check.Throws<ArgumentException>(() => new ProcessGroup(null, 0, 1));
      StringAssert.Contains("1", Check.Throws<HaftTimeoutException>(() => new ProcessGroup(store, 0, 2, TimeSpan.FromMilliseconds(20))).Message);
    }
  }

  // As an application would plug in System.Text.Json.
  private sealed class Upside : IObjectSerializer {
    public byte[] Serialize<T>(T value) { return Encoding.UTF8.GetBytes(value.ToString()).Reverse().ToArray(); }
    public T Deserialize<T>(byte[] bytes) { return (T)(object)Encoding.UTF8.GetString(bytes.Reverse().ToArray()); }
  }

  [Test]
  public void ObjectsTravel() {
    Ranks.Run(3, g => {
      int r = g.Rank;
      ObjectCollectives o = g.Objects();
      string[] texts = o.AllGatherObject(new string('x', r * 1000));
      CollectionAssert.AreEqual(new[] { 0, 1000, 2000 }, texts.Select(t => t.Length));
      CollectionAssert.AreEqual(new string[3], o.AllGatherObject<string>(null));
      CollectionAssert.AreEqual(r == 1 ? new[] { 0, 1, 2 } : new int[0], o.GatherObject(r, 1));
      CollectionAssert.AreEqual(new[] { 1.5, 2.5 }, o.BroadcastObjectList(r == 2 ? new[] { 1.5, 2.5 } : null, 2));
      Assert.AreEqual(0, o.BroadcastObjectList(new double[0], 0).Length);
      Assert.AreEqual("for " + r, o.ScatterObjectList(r == 0 ? new[] { "for 0", "for 1", "for 2" } : null, 0));
      if (r == 0) {
        int source;
        CollectionAssert.AreEqual(new[] { "a", "b" }, o.RecvObjectList<string>(ProcessGroup.AnySource, out source));
        Assert.AreEqual(2, source);
      } else if (r == 2) {
        o.SendObjectList(new[] { "a", "b" }, 0);
      }
      var mine = new Settings { Name = "n" + r, Rates = new double[] { r }, Days = new Dictionary<string, DateTime> { { "day", new DateTime(2024, 1, 1 + r) } } };
      Settings[] settings = o.AllGatherObject(mine);
      Assert.AreEqual("n1", settings[1].Name);
      Assert.AreEqual(new DateTime(2024, 1, 3), settings[2].Days["day"]);
      CollectionAssert.AreEqual(new[] { 2.0 }, settings[2].Rates);
      Assert.AreEqual(Tuple.Create(1, "two"), o.AllGatherObject(Tuple.Create(1, "two"))[r]);
      CollectionAssert.AreEqual(new[] { "ab0", "ab1", "ab2" }, g.Objects(new Upside()).AllGatherObject("ab" + r));
      // What the reader has not asked for is not made.
      if (r == 0) o.SendObjectList<object>(new object[] { 1, mine.Name }, 1);
      if (r == 1) Check.Throws<SerializationException>(() => o.RecvObjectList<Settings>(0));
      if (r == 0) Check.Throws<ArgumentException>(() => o.ScatterObjectList(new[] { 1 }, 0));
      Check.Throws<Exception>(() => o.AllGatherObject((Func<int>)(() => 1)));
      g.Barrier();  // it lives
    });
  }
}

[TestFixture]
public class DataParallelTests {
  private static Module Net() { return new Sequential(new Linear(3, 4), new Tanh(), new Linear(4, 1)); }
  private static Tensor Input(int rank) { return Tensor.From(new float[,] { { 1 + rank, 2, -1 }, { rank, -rank, 3 } }); }
  private static float[] Gradients(Module net) {
    using (new NoGrad()) return Tensor.Cat(net.Parameters().Select(p => p.Grad.Flatten(0)).ToArray(), 0).ToArray<float>();
  }
  // What one process has on the batches of both.
  private static void Wanted(Module net, float[] got, float times = 1) {
    foreach (Tensor p in net.Parameters()) p.Grad = null;
    net.Call(Tensor.Cat(new[] { Input(0), Input(1) }, 0)).Mean().Backward();
    float[] wanted = Gradients(net);
    for (int i = 0; i < wanted.Length; ++i) Assert.AreEqual(times * wanted[i], got[i], 1e-6);
  }
  private static void TwoRanks(Action<DistributedDataParallel, Module, ProcessGroup> body, long bucketBytes = 26214400) {
    Ranks.Run(2, group => {
      using (new DisposeScope())
      using (Module net = Net())
      using (var ddp = new DistributedDataParallel(net, group, bucketBytes: bucketBytes, firstBucketBytes: bucketBytes)) body(ddp, net, group);
    });
  }

  [Test]
  public void GradientsAreTheMeansOfAll() {
    TwoRanks((ddp, net, group) => {
      Assert.AreSame(net, ddp.Module);
      Assert.AreSame(group, ddp.Group);
      ddp.Call(Input(group.Rank)).Mean().Backward();
      float[] got = Gradients(net);
      DataParallelInfo info = ddp.Info;
      Assert.Greater(info.Buckets, 1);
      Assert.AreEqual(1, info.Steps);
      Assert.AreEqual(21 * 4, info.GradientBytes);
      ddp.Dispose();
      Wanted(net, got);
    }, 16);
  }

  [Test]
  public void HooksJoinThem() {
    int begun = 0, finished = 0;
    TwoRanks((ddp, net, group) => {
      ddp.SetHook(bucket => {
        Interlocked.Increment(ref begun);
        Assert.AreEqual(0, bucket.Index);
        Assert.AreEqual(4, bucket.Gradients.Count);
        Assert.AreEqual(4, bucket.Parameters.Count);
        Assert.AreEqual(21, bucket.Buffer.NumElements);
        return group.AllReduceAsync(bucket.Buffer);
      }, bucket => {
        Interlocked.Increment(ref finished);
        bucket.Buffer.Div_(2);
      });
      ddp.Call(Input(group.Rank)).Mean().Backward();
      float[] got = Gradients(net);
      ddp.SetHook(bucket => { throw new FormatException("from the hook"); });
      Assert.AreEqual("from the hook", Check.Throws<FormatException>(() => ddp.Call(Input(0)).Mean().Backward()).Message);
      ddp.Dispose();
      Wanted(net, got);
    });
    Assert.AreEqual(2, begun);
    Assert.AreEqual(2, finished);
  }

  // What a failed backward had begun does not stay.
  [Test]
  public void WorksOfAFailedBackwardGo() {
    TwoRanks((ddp, net, group) => {
      var works = new List<Work>();
      ddp.SetHook(bucket => {
        works.Add(group.AllReduceAsync(bucket.Buffer));
        return works[works.Count - 1];
      }, bucket => { throw new FormatException("from the hook"); });
      Check.Throws<FormatException>(() => ddp.Call(Input(0)).Mean().Backward());
      Assert.Greater(works.Count, 1);
      foreach (Work work in works) Check.Throws<ObjectDisposedException>(() => Assert.IsTrue(work.IsDone));
      group.Barrier();  // who left would cancel what the other still waits for
    }, 16);
  }

  [Test]
  public void CompressionNoSyncAndJoin() {
    TwoRanks((ddp, net, group) => {
      ddp.SetCompression(Compression.Bf16());
      ddp.Call(Input(group.Rank)).Mean().Backward();
      Assert.AreEqual(21 * 2, ddp.Info.SentBytes);
      ddp.SetCompression(Compression.TopK(0.1));
      ddp.Call(Input(group.Rank)).Mean().Backward();
      StateDict state = ddp.StateDict();
      Assert.IsTrue(state.ContainsKey("step"));
      ddp.LoadStateDict(state);
      Check.Throws<HaftArgumentException>(() => ddp.LoadStateDict(new StateDict { { "stranger", Tensor.Zeros(1) } }));
      ddp.ClearHook();
      foreach (Tensor p in net.Parameters()) p.Grad = null;
      using (ddp.NoSync()) ddp.Call(Input(group.Rank)).Mean().Backward();
      ddp.Call(Input(group.Rank)).Mean().Backward();
      float[] twice = Gradients(net);
      using (ddp.Join())
        for (int i = 0; i < 1 + group.Rank; ++i) ddp.Call(Input(group.Rank)).Mean().Backward();
      group.Barrier();
      ddp.Dispose();
      Wanted(net, twice, 2);
    });
  }

  [Test]
  public void ModelsAreAveraged() {
    Ranks.Run(2, group => {
      using (Tensor p = Tensor.Of((float)group.Rank, 4f * group.Rank))
      using (var averager = new ModelAverager(new[] { p }, group, period: 2)) {
        Assert.AreSame(group, averager.Group);
        Assert.IsTrue(averager.Step());
        Assert.IsFalse(averager.Step());
        CollectionAssert.AreEqual(new[] { 0.5f, 2f }, p.ToArray<float>());
        using (new DisposeScope()) Assert.IsTrue(averager.StateDict().ContainsKey("step"));
      }
    });
  }

  [Test]
  public void MisuseIsRefused() {
    Ranks.Run(2, group => {
      using (Module net = new Linear(2, 2 + group.Rank)) Check.Throws<MismatchException>(() => new DistributedDataParallel(net, group));
    });
    Ranks.Run(1, group => {
      using (Module bare = new ReLU(), net = Net())
      using (var ddp = new DistributedDataParallel(net, group)) {
        Check.Throws<HaftArgumentException>(() => new DistributedDataParallel(bare, group));
        Check.Throws<ArgumentException>(() => new DistributedDataParallel(null, group));
        Check.Throws<ArgumentNullException>(() => ddp.SetHook(null));
        Check.Throws<HaftArgumentException>(() => ddp.SetCompression(Compression.TopK(2)));
        ddp.Dispose();
        Check.Throws<ObjectDisposedException>(() => ddp.Prepare());
      }
    });
  }
}
}
