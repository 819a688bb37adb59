using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using NUnit.Framework;

namespace HaftTests {

internal sealed class Fails : Module {
  internal volatile bool Fail;
  public override Tensor Forward(Tensor x) {
    if (Fail) throw new FormatException("in the session");
    return x * 2;
  }
}

[TestFixture]
public class SessionTests : Scoped {
  [Test]
  public void ConcurrentRequestsShareBatches() {
    using (var net = new Sequential(new Linear(8, 16), new ReLU(), new Linear(16, 4)))
    using (var session = new InferenceSession(net, maxBatch: 16, maxDelay: TimeSpan.FromMilliseconds(3))) {
      Tensor rows = Tensor.Randn(64, 8);
      double[] want = net.Call(rows).Detach().Double().ToArray<double>();
      Task<Tensor>[] all = Enumerable.Range(0, 64).Select(i => session.RunAsync(rows[Slice.From(i)][Slice.To(1)])).ToArray();
      Task.WaitAll(all);
      for (int i = 0; i < 64; ++i) {
        Assert.IsFalse(all[i].Result.RequiresGrad);
        Check.Close(want.Skip(4 * i).Take(4).ToArray(), all[i].Result, 1e-5);
        all[i].Result.Dispose();
      }
      Parallel.For(0, 32, i => {
        using (Tensor x = rows.Narrow(0, i, 2))
        using (Tensor y = session.Run(x)) Check.Close(want.Skip(4 * i).Take(8).ToArray(), y, 1e-5);
      });
      SessionMetrics m = session.Metrics;
      Assert.AreEqual(96, m.Completed);
      Assert.Less(m.Batches, 96);
      Assert.Greater(m.MeanBatch, 1);
      Assert.Greater(m.LatencyP99, TimeSpan.Zero);
      Assert.LessOrEqual(m.LatencyP50, m.LatencyMax);
      Assert.AreEqual(2, session.Run(new[] { rows.Narrow(0, 0, 2) })[0].Size(0));
      Assert.IsTrue(session.Drain(TimeSpan.FromMinutes(10)));
      Check.Throws<OperationCanceledException>(() => session.Run(rows));
    }
  }

  [Test]
  public void AFullQueueRefusesAndTokensCancel() {
    using (var net = new Gate())
    using (var session = new InferenceSession(net, maxQueue: 2, workers: 1)) {
      Tensor x = Tensor.Ones(1, 1);
      using (var stop = new CancellationTokenSource()) {
        Task<Tensor> running = session.RunAsync(x);
        net.Inside.Wait();
        Task<Tensor>[] waiting = { session.RunAsync(x, stop.Token), session.RunAsync(x, stop.Token) };
        var refused = (QueueFullException)session.RunAsync(x, stop.Token).Exception.InnerException;
        Assert.AreEqual(ErrorCode.QueueFull, refused.Code);
        stop.Cancel();
        Assert.IsTrue(session.RunAsync(x, stop.Token).IsCanceled);
        foreach (Task<Tensor> t in waiting) {
          Check.Throws<AggregateException>(() => t.Wait());
          Assert.IsTrue(t.IsCanceled);
        }
        Check.Throws<TimeoutException>(() => session.Run(x, TimeSpan.FromMilliseconds(20)));
        Assert.AreEqual(1, session.Metrics.TimedOut);
        net.Go.Set();
        Assert.AreEqual(2, running.Result.Item());
        running.Result.Dispose();
      }
    }
  }

  [Test]
  public void AnExceptionOfTheModuleReachesItsCaller() {
    using (var net = new Fails())
    using (var session = new InferenceSession(net)) {
      net.Fail = true;
      Exception e = Check.Throws<Exception>(() => session.Run(Tensor.Ones(1, 1)));
      StringAssert.Contains("in the session", e.Message);
      Task<Tensor> task = session.RunAsync(Tensor.Ones(1, 1));
      StringAssert.Contains("in the session", Check.Throws<AggregateException>(() => task.Wait()).InnerException.Message);
      net.Fail = false;
      Assert.AreEqual(2, session.Run(Tensor.Ones(1, 1)).Item());
      using (var other = new Linear(1, 1)) {
        session.Update(other);
        Assert.AreSame(other, session.Module);
        Assert.AreEqual(new long[] { 1, 1 }, session.Run(Tensor.Ones(1, 1)).Shape);
        session.Dispose();
      }
    }
  }

  [Test]
  public void AnswersBelongToTheFlowThatAsks() {
    using (var net = new ReLU())
    using (var session = new InferenceSession(net, maxBatch: 2, maxDelay: TimeSpan.FromHours(1), workers: 1)) {
      Tensor x = Tensor.Ones(1, 2), mine;
      Task<Tensor> theirs = session.RunAsync(x);
      using (new DisposeScope()) mine = session.Run(x);  // the second row: the batch runs on this thread
      Assert.IsTrue(mine.IsDisposed);
      Assert.AreEqual(new double[] { 1, 1 }, theirs.Result.Double().ToArray<double>());
      Tensor kept, left;
      using (var scope = new DisposeScope()) {
        Task<Tensor>[] both = { session.RunAsync(x), session.RunAsync(x) };  // they run on a thread of the session
        Task.WaitAll(both);
        Assert.AreEqual(2, scope.Count);
        kept = scope.Keep(both[0].Result);
        left = both[1].Result;
      }
      Assert.IsTrue(left.IsDisposed);
      Assert.AreEqual(2, kept.Sum().Item());
      kept.Dispose();
    }
  }

  [Test]
  public void AContinuationOnTheAnsweringThreadMayRun() {
    using (var net = new ReLU())
    using (var session = new InferenceSession(net, maxBatch: 4, maxDelay: TimeSpan.FromMilliseconds(1), workers: 1)) {
      Tensor x = Tensor.Ones(1, 2);
      Task<double>[] all = Enumerable.Range(0, 20)
          .Select(i => session.RunAsync(x).ContinueWith(first => {
            using (Tensor y = session.Run(first.Result)) return y.Sum().Item();
          }, TaskContinuationOptions.ExecuteSynchronously)).ToArray();
      Assert.IsTrue(Task.WaitAll(all, 60000));
      Assert.IsTrue(all.All(t => t.Result == 2));
    }
  }

  [Test]
  public void DisposingEndsWhatWaits() {
    using (var net = new Gate()) {
      var session = new InferenceSession(net, workers: 1);
      Tensor x = Tensor.Ones(1, 1);
      Exception second = null;
      var runs = new Thread(() => Of(() => session.Run(x).Dispose()));
      runs.Start();
      Assert.IsTrue(net.Inside.Wait(600000));
      var waits = new Thread(() => second = Of(() => session.Run(x).Dispose()));
      waits.Start();
      Task<Tensor> task = session.RunAsync(x);
      while (session.Metrics.QueueLength < 2) Thread.Sleep(1);
      var disposes = new Thread(session.Dispose);
      disposes.Start();
      bool woke = waits.Join(600000);
      net.Go.Set();
      runs.Join();
      waits.Join();
      disposes.Join();
      Assert.IsTrue(woke, "a request that waits ends when the session is disposed");
      Assert.IsInstanceOf<OperationCanceledException>(second);
      Check.Throws<AggregateException>(() => task.Wait());
      session.Dispose();
      Check.Throws<ObjectDisposedException>(() => session.Run(x));
    }
  }
  [Test]
  public void AModuleMayDisposeItsSession() {
    using (var net = new Gate()) {
      net.Go.Set();
      var session = new InferenceSession(net, workers: 1);
      net.Then = session.Dispose;
      Of(() => session.Run(Tensor.Ones(1, 1)).Dispose());
      Check.Throws<ObjectDisposedException>(() => session.Run(Tensor.Ones(1, 1)));
    }
  }
  private static Exception Of(Action f) {
    try {
      f();
      return null;
    } catch (Exception e) {
      return e;
    }
  }
  private sealed class Gate : Module {
    internal readonly ManualResetEventSlim Inside = new ManualResetEventSlim(), Go = new ManualResetEventSlim();
    internal Action Then;
    public override Tensor Forward(Tensor x) {
      Inside.Set();
      Go.Wait();
      if (Then != null) Then();
      return x * 2;
    }
  }

  private sealed class WithChild : Module {
    internal readonly ManualResetEventSlim Inside = new ManualResetEventSlim(), Go = new ManualResetEventSlim();
    private readonly ReLU relu;
    internal WithChild() { relu = RegisterModule("relu", new ReLU()); }
    public override Tensor Forward(Tensor x) {
      Inside.Set();
      Go.Wait();
      return relu.Call(x);
    }
  }
  [Test]
  public void AnUpdateWaitsForTheLastBatchOfTheModuleBefore() {
    using (var before = new WithChild())
    using (var next = new ReLU())
    using (var session = new InferenceSession(before, workers: 2)) {
      Task<Tensor> running = session.RunAsync(Tensor.Ones(1, 1));
      before.Inside.Wait();
      Task update = Task.Run(() => {
        session.Update(next);
        before.Dispose();
      });
      bool early = update.Wait(100);
      before.Go.Set();
      Assert.IsFalse(early);
      using (Tensor y = running.Result) Assert.AreEqual(1, y.Item());
      update.Wait();
      Assert.AreSame(next, session.Module);
    }
  }

  [Test]
  public void ACancelScopeEndsARunningCall() {
    Tensor a = Tensor.Randn(300, 300);
    using (var stop = new CancellationTokenSource())
    using (new CancelScope(stop.Token)) {
      stop.CancelAfter(50);
      Check.Throws<OperationCanceledException>(() => {
        for (int i = 0; i < 1000000; ++i)
          using (a.Mm(a)) {}
      });
    }
    Assert.AreEqual(new long[] { 300, 300 }, a.Mm(a).Shape);
  }

  [Test]
  public void ACancelScopeLeavesNoHandle() {
    Suite.Collect();
    long before = Runtime.LiveHandles;
    using (var stop = new CancellationTokenSource()) {
      using (new CancelScope(stop.Token)) {}
      stop.Cancel();
      using (new CancelScope(stop.Token)) Check.Throws<OperationCanceledException>(() => Tensor.Ones(3).Dispose());
    }
    Assert.AreEqual(before, Runtime.LiveHandles);
  }

  [Test]
  public void CancelScopesNest() {
    using (CancellationTokenSource outer = new CancellationTokenSource(), inner = new CancellationTokenSource(), last = new CancellationTokenSource())
    using (new CancelScope(outer.Token)) {
      using (new CancelScope(inner.Token)) {
        inner.Cancel();
        Check.Throws<OperationCanceledException>(() => Tensor.Ones(3).Dispose());
      }
      Tensor.Ones(3).Dispose();
      using (new CancelScope(last.Token)) {
        outer.Cancel();
        Check.Throws<OperationCanceledException>(() => Tensor.Ones(3).Dispose());
      }
      Check.Throws<OperationCanceledException>(() => Tensor.Ones(3).Dispose());
    }
    Tensor.Ones(3).Dispose();
  }

  // The session's own cancelling holds in a module that it runs; what was refused there holds nothing as long as the token lives.
  [Test]
  public void ARefusedCancelScopeLeavesNothing() {
    using (var stop = new CancellationTokenSource())
    using (var net = new Gate()) {
      net.Go.Set();
      net.Then = () => Check.Throws<BusyException>(() => new CancelScope(stop.Token));
      using (var session = new InferenceSession(net, workers: 1)) {
        session.Run(Tensor.Ones(1, 1)).Dispose();
        Suite.Collect();
        long before = Runtime.LiveHandles;
        for (int i = 0; i < 20; ++i) session.Run(Tensor.Ones(1, 1)).Dispose();
        Suite.Collect();
        Assert.Less(Runtime.LiveHandles - before, 25);  // the 20 inputs, and no 20 tokens
      }
    }
  }

  [Test]
  public void TimesMayHaveNoEnd() {
    using (var net = new Linear(4, 3))
    using (var session = new InferenceSession(net, timeout: Timeout.InfiniteTimeSpan, maxDelay: TimeSpan.FromTicks(1), maxBatch: 2)) {
      Tensor x = Tensor.Ones(1, 4);
      session.Run(x);
      session.Run(x, Timeout.InfiniteTimeSpan);
      session.RunAsync(x, timeout: TimeSpan.MaxValue).Wait();
      Assert.AreEqual("timeout", Check.Throws<ArgumentOutOfRangeException>(() => session.Run(x, TimeSpan.FromSeconds(-2))).ParamName);
      Assert.IsTrue(session.Drain(Timeout.InfiniteTimeSpan));
    }
  }

  [Test]
  public void MetersAreReadAnew() {
    var figures = new Dictionary<string, Func<double>>();
    using (var net = new Linear(4, 3))
    using (var session = new InferenceSession(net)) {
      using (Tensor x = Tensor.Ones(1, 4)) session.Run(x).Dispose();
      int counters = 0;
      Meters.Of(session, (name, description, kind, value) => {
        figures.Add(name, value);
        if (kind == MeterKind.Counter) ++counters;
        Assert.IsNotEmpty(description);
      });
      Assert.AreEqual(7, counters);
      Assert.AreEqual(1, figures["haft.session.requests.completed"]());
      Assert.Greater(figures["haft.session.latency.max.seconds"](), 0);
      using (Tensor x = Tensor.Ones(1, 4)) session.Run(x).Dispose();
      while (figures["haft.session.requests.completed"]() != 2) Thread.Yield();
    }
    while (!double.IsNaN(figures["haft.session.batches"]())) Thread.Yield();
    Assert.Throws<ArgumentNullException>(() => Meters.Of(null, (name, description, kind, value) => { }));
  }

  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Careless() { DisposeScope.Within<object>(null, () => Tensor.Ones(3)); }
  [MethodImpl(MethodImplOptions.NoInlining)]
  private static void Careful() { Tensor.Ones(3).Dispose(); }

  [Test]
  public void WhatIsNotDisposedIsReportedOnceAPlace() {
    var found = new List<string>();
    Action<string> listen = text => { lock (found) found.Add(text); };
    long before = LeakReports.Count;
    LeakReports.Found += listen;
    LeakReports.Every = 1;
    try {
      var thread = new Thread(() => {  // of a stack that is gone when the collector looks
        for (int i = 0; i < 5; ++i) {
          Careful();
          Careless();
        }
      });
      thread.Start();
      thread.Join();
      LeakReports.Every = 0;
      while (LeakReports.Count < before + 4) {  // the collector is conservative about one
        GC.Collect();
        GC.WaitForPendingFinalizers();
      }
    } finally {
      LeakReports.Every = 0;
      LeakReports.Found -= listen;
    }
    lock (found) {
      List<string> mine = found.FindAll(text => text.Contains("Careless"));
      Assert.AreEqual(1, mine.Count, string.Join("\n", found));
      StringAssert.StartsWith("Tensor was not disposed", mine[0]);
      Assert.IsFalse(found.Exists(text => text.Contains("Careful")));
    }
    Assert.Throws<ArgumentOutOfRangeException>(() => LeakReports.Every = -1);
  }

  private sealed class Wasteful : Module {
    internal readonly List<Tensor> Made = new List<Tensor>();
    public override Tensor Forward(Tensor x) {
      Tensor hidden = (x * 1).Relu();
      if (Made.Count < 3) Made.AddRange(new[] { x, hidden, DisposeScope.Current.Keep(-hidden) });
      return hidden + 1;
    }
  }

  // A forward that makes more than it answers, and clients that dispose nothing: the scope and the collector see to both.
  [Test]
  public void AMemoryLimitServesModulesOfCSharp() {
    using (var net = new Wasteful())
    using (var session = new InferenceSession(net, workers: 2, memoryLimit: 1 << 20)) {
      Tensor x = Tensor.Ones(1, 1024);
      for (int i = 0; i < 3000; ++i)
        using (Tensor y = session.Run(x))
        using (Tensor mean = y.Mean()) Assert.AreEqual(2, mean.Item());
      Check.Throws<ObjectDisposedException>(() => net.Made[0].Sum());
      Check.Throws<ObjectDisposedException>(() => net.Made[1].Sum());
      Assert.AreEqual(-1, net.Made[2].Mean().Item());
      net.Made[2].Dispose();
      Assert.Less(session.Metrics.BytesPeak, 64 << 10);
      RunWithoutScope(session, x);
      var held = new List<Tensor>();
      MemoryLimitException full = Check.Throws<MemoryLimitException>(() => {
        for (int i = 0; i < 300; ++i) held.Add(session.Run(x));
      });
      Assert.AreEqual(ErrorCode.OutOfMemory, full.Code);
      Assert.Greater(held.Count, 50);
      foreach (Tensor t in held) t.Dispose();
      session.Run(x).Dispose();
      Assert.AreEqual(1, session.Metrics.Failed);
    }
  }
  private static void RunWithoutScope(InferenceSession session, Tensor x) {
    using (ExecutionContext.SuppressFlow()) {
      var thread = new Thread(() => {
        for (int i = 0; i < 600; ++i) session.Run(x);  // 256 results fit
      });
      thread.Start();
      thread.Join();
    }
  }

  [Test]
  public void ATokenCancelsRun() {
    using (var net = new Gate())
    using (var session = new InferenceSession(net, workers: 1))
    using (var stop = new CancellationTokenSource()) {
      Tensor x = Tensor.Ones(1, 1);
      Task<Tensor> running = session.RunAsync(x);
      net.Inside.Wait();
      Task waiting = Task.Run(() => session.Run(x, null, stop.Token));
      while (session.Metrics.QueueLength == 0) Thread.Yield();
      stop.Cancel();
      var cancelled = (OperationCanceledException)Check.Throws<AggregateException>(() => waiting.Wait()).InnerException;
      Assert.AreEqual(stop.Token, cancelled.CancellationToken);
      Assert.AreEqual(0, session.Metrics.QueueLength);
      Check.Throws<OperationCanceledException>(() => session.Run(new[] { x }, null, stop.Token));
      Assert.IsFalse(session.DrainAsync(TimeSpan.FromMilliseconds(20)).Result);
      net.Go.Set();
      running.Result.Dispose();
      Assert.IsTrue(session.DrainAsync().Result);
      Assert.AreEqual(1, session.Metrics.Cancelled);
      session.DisposeAsync().AsTask().Wait();
      Check.Throws<ObjectDisposedException>(() => session.Run(x));
    }
  }

  private sealed class Product : Module {
    public override Tensor Forward(Tensor x) {
      if (x.Size(1) == 9) throw new FormatException("of its own");
      return x.Matmul(Tensor.Ones(3, 2));
    }
  }
  [Test]
  public void MistakesOfClientsAndModelsThatDoNotFit() {
    using (var net = new Product())
    using (var wide = new Linear(3, 7))
    using (var fits = new Linear(3, 2))
    using (var session = new InferenceSession(net)) {
      session.Run(Tensor.Ones(1, 3));
      Check.Throws<ShapeException>(() => session.Run(Tensor.Ones(1, 4)));
      Assert.AreEqual(1, session.Metrics.Invalid);
      Assert.AreEqual(0, session.Metrics.Failed);
      Check.Throws<FormatException>(() => session.Run(Tensor.Ones(1, 9)));
      Assert.AreEqual(1, session.Metrics.Failed);
      StringAssert.Contains("float32 [1, 7]", Check.Throws<ShapeException>(() => session.Update(wide)).Message);
      Assert.AreSame(net, session.Module);
      session.Update(fits);
      session.Run(Tensor.Ones(1, 3));
    }
  }
}
}
