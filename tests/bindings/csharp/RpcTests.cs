// Calls between processes, parameter servers, shared tensors.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using NUnit.Framework;

namespace HaftTests {

// Threads as the processes of a job, each with its agent.
internal static class Agents {
  // What `before` registers is there when the others call.
  internal static void Run(int n, Action<Rpc, int> before, Action<Rpc, int> body) {
    var failures = new Exception[n];
    using (Store store = Store.Hash()) {
      Thread[] all = Enumerable.Range(0, n).Select(r => new Thread(() => {
        try {
          using (var rpc = new Rpc(store, r, n, timeout: Ranks.Patience, secret: "")) {
            before(rpc, r);
            rpc.Start(Ranks.Patience);
            body(rpc, r);
            rpc.Shutdown(Ranks.Patience);
          }
        } catch (Exception e) {
          failures[r] = e;
        }
      })).ToArray();
      foreach (Thread t in all) t.Start();
      foreach (Thread t in all) t.Join();
    }
    string failed = string.Join("\n", Enumerable.Range(0, n).Where(r => failures[r] != null).Select(r => "rank " + r + ": " + failures[r]));
    Assert.IsEmpty(failed, failed);
  }
}

[TestFixture]
public class RpcTests {
  [Test]
  public void CallsAreAnswered() {
    Agents.Run(2, (rpc, r) => {
      rpc.Register("twice", (given, caller) => new RpcMessage(given.Text + caller, given[0].Mul(2.0)));
      rpc.Register("silent", (given, caller) => null);
      rpc.Register("gone", (given, caller) => null);
      rpc.RemoveFunction("gone");
    }, (rpc, r) => {
      Assert.AreEqual("worker" + r, rpc.Name);
      Assert.AreEqual("worker" + (1 - r), rpc.NameOf(1 - r));
      Assert.AreEqual(1, rpc.RankOf("worker1"));
      Assert.Greater(rpc.Port, 0);
      Check.Throws<HaftArgumentException>(() => rpc.RankOf("nobody"));
      foreach (int to in new[] { 0, 1 }) {
        using (var scope = new DisposeScope()) {
          Tensor x = Tensor.Of(1f + r, to);
          Task<RpcMessage> later = rpc.CallAsync(to, "twice", new RpcMessage("from ", x), Ranks.Patience);
          x.Mul_(0.0);
          RpcMessage got = later.Result;
          Assert.AreEqual("from " + r, got.Text);
          CollectionAssert.AreEqual(new[] { 2f + 2 * r, 2f * to }, got[0].ToArray<float>());
          Assert.AreEqual(2, scope.Count);  // x, and the answer of the call inside
          Tensor mine = got[0];
          scope.Dispose();
          Assert.IsTrue(mine.IsDisposed);
        }
        using (RpcMessage none = rpc.Call(to, "silent")) {
          Assert.AreEqual(0, none.Tensors.Count);
          Assert.AreEqual(0, none.Bytes.Length);
        }
      }
      StringAssert.Contains("no function", Check.Throws<HaftArgumentException>(() => rpc.Call(1 - r, "gone")).Message);
    });
  }

  [Test]
  public void FunctionsHaveScopes() {
    Tensor argument = null, made = null, kept = null, awaited = null;
    Agents.Run(1, (rpc, r) => {
      rpc.Register("look", (given, caller) => {
        argument = given[0];
        made = given[0].Add(1.0);
        kept = DisposeScope.Current.Keep(given[0].Add(2.0));
        return new RpcMessage(made);
      });
      rpc.RegisterAsync("wait", async (given, caller) => {
        await Task.Delay(5);
        awaited = given[0].Add(3.0);
        return new RpcMessage(awaited);
      });
    }, (rpc, r) => {
      using (Tensor x = Tensor.Of(1f)) {
        using (RpcMessage got = rpc.Call(0, "look", new RpcMessage(x))) Assert.AreEqual(2, got[0].Item());
        using (RpcMessage got = rpc.Call(0, "wait", new RpcMessage(x))) Assert.AreEqual(4, got[0].Item());
        Assert.IsFalse(x.IsDisposed);
      }
    });
    Assert.IsTrue(SpinWait.SpinUntil(() => argument.IsDisposed && made.IsDisposed && awaited.IsDisposed, Ranks.Patience));
    Assert.AreEqual(3, kept.Item());
    kept.Dispose();
  }

  [Test]
  public void WhatAFunctionThrowsIsItsCallersFailure() {
    Agents.Run(2, (rpc, r) => {
      rpc.Register("broken", (given, caller) => { throw new IOException("the disk is full"); });
      rpc.Register("wrong", (given, caller) => { throw new ArgumentException("not such a one"); });
      rpc.Register("shape", (given, caller) => new RpcMessage(given[0].Matmul(given[0])));
      rpc.Register("disposed", (given, caller) => {
        Tensor t = Tensor.Ones(2);
        t.Dispose();
        return new RpcMessage(t);
      });
      rpc.RegisterAsync("later", async (given, caller) => {
        await Task.Yield();
        throw new FormatException("came to nothing");
      });
      rpc.RegisterAsync("at once", (given, caller) => { throw new FormatException("at once"); });
      rpc.RegisterAsync("never", (given, caller) => null);
    }, (rpc, r) => {
      foreach (int to in new[] { 0, 1 }) {
        string message = Check.Throws<HaftException>(() => rpc.Call(to, "broken")).Message;
        StringAssert.Contains("rank " + to + " 'worker" + to + "'", message);
        StringAssert.Contains("System.IO.IOException: the disk is full", message);
        StringAssert.Contains("not such a one", Check.Throws<HaftArgumentException>(() => rpc.Call(to, "wrong")).Message);
        using (Tensor x = Tensor.Ones(2, 3)) StringAssert.Contains("[2, 3]", Check.Throws<ShapeException>(() => rpc.Call(to, "shape", new RpcMessage(x))).Message);
        Check.Throws<HaftException>(() => rpc.Call(to, "disposed"));
        StringAssert.Contains("came to nothing", Check.Throws<HaftException>(() => rpc.Call(to, "later")).Message);
        StringAssert.Contains("at once", Check.Throws<HaftException>(() => rpc.Call(to, "at once")).Message);
        StringAssert.Contains("instead of a task", Check.Throws<HaftException>(() => rpc.Call(to, "never")).Message);
      }
      Check.Throws<HaftIndexException>(() => rpc.Call(2, "broken"));
      Check.Throws<ArgumentOutOfRangeException>(() => rpc.Call(0, "broken", null, TimeSpan.FromSeconds(-2)));
      Check.Throws<ArgumentNullException>(() => rpc.Register("x", null));
      Check.Throws<ArgumentNullException>(() => rpc.RegisterAsync("x", null));
      Check.Throws<ArgumentNullException>(() => new RpcMessage((string)null));
      Check.Throws<ArgumentNullException>(() => new RpcMessage((byte[])null));
    });
  }

  [Test]
  public void TimesPassAndWaitingEnds() {
    var held = new TaskCompletionSource<RpcMessage>();
    Agents.Run(2, (rpc, r) => {
      rpc.RegisterAsync("held", (given, caller) => held.Task);
      rpc.Register("silent", (given, caller) => null);
    }, (rpc, r) => {
      if (r == 1) return;
      rpc.Call(1, "silent").Dispose();  // connects, for which the short time below is not meant
      string message = Check.Throws<HaftTimeoutException>(() => rpc.Call(1, "held", null, TimeSpan.FromMilliseconds(20))).Message;
      StringAssert.Contains("'held' within 0.02 s", message);
      using (var stop = new CancellationTokenSource()) {
        Task<RpcMessage> given = rpc.CallAsync(1, "held", null, null, stop.Token), late = rpc.CallAsync(1, "held");
        stop.Cancel();
        Check.Throws<OperationCanceledException>(() => given.GetAwaiter().GetResult());
        Assert.IsTrue(rpc.CallAsync(1, "held", null, null, stop.Token).IsCanceled);
        Assert.IsFalse(late.IsCompleted);
        held.SetResult(null);
        late.Result.Dispose();
      }
    });
  }

  [Test]
  public void TheEndOfAnAgent() {
    using (Store store = Store.Hash())
    using (var rpc = new Rpc(store, 0, 2, "me", 2, null, 1000, "127.0.0.1", "", "j")) {
      StringAssert.Contains("missing are ranks [1]", Check.Throws<HaftTimeoutException>(() => rpc.Start(TimeSpan.Zero)).Message);
      Check.Throws<HaftArgumentException>(() => rpc.Call(0, "x"));
      using (var other = new Rpc(store, 1, 2, "you", secret: "", host: "127.0.0.1", job: "j"))
      using (var began = new ManualResetEventSlim()) {
        var never = new TaskCompletionSource<RpcMessage>();
        other.RegisterAsync("hold", (given, caller) => {
          began.Set();
          return never.Task;
        });
        var t = new Thread(() => other.Start());
        t.Start();
        rpc.Start();
        t.Join();
        Assert.AreEqual(1, rpc.RankOf("you"));
        using (Tensor large = Tensor.Zeros(1000)) Check.Throws<HaftArgumentException>(() => rpc.Call(1, "hold", new RpcMessage(large)));
        Task<RpcMessage> lost = rpc.CallAsync(1, "hold");
        began.Wait();
        other.Abort();
        StringAssert.Contains("you", Check.Throws<PeerLostException>(() => lost.GetAwaiter().GetResult()).Message);
        never.SetResult(null);  // nobody wants it any more
      }
      rpc.Abort();
      Check.Throws<HaftCancelledException>(() => rpc.Call(0, "x"));
      Check.Throws<HaftCancelledException>(() => rpc.Shutdown());
      rpc.Dispose();
      Check.Throws<ObjectDisposedException>(() => rpc.Start());
    }
    Check.Throws<ArgumentException>(() => new Rpc(null, 0, 1));
  }

  // The first ranks are servers until all workers have left.
  private static void Job(int servers, int workers, Func<Rpc, ParameterServer> make, Action<ParameterClient, int> work, Action<ParameterServer, int> end) {
    using (var left = new CountdownEvent(workers))
      Agents.Run(servers + workers, (rpc, r) => {}, (rpc, r) => {
        if (r < servers) {
          using (ParameterServer s = make(rpc)) {
            Assert.AreSame(rpc, s.Rpc);
            left.Wait();
            end(s, r);
          }
          return;
        }
        try {
          using (new DisposeScope())
          using (var c = new ParameterClient(rpc, Enumerable.Range(0, servers).ToArray(), timeout: Ranks.Patience)) {
            Assert.AreSame(rpc, c.Rpc);
            work(c, r - servers);
            c.Leave();
          }
        } finally {
          left.Signal();
        }
      });
  }

  // One process with the mean gradient does the same.
  [Test]
  public void SynchronousStepsAreThoseOfOneProcess() {
    double[] wanted;
    using (new DisposeScope()) {
      Tensor w = Tensor.From(new double[3]).RequiresGrad_();
      using (var alone = new SGD(new[] { w }, 0.1, 0.9))
        for (int i = 0; i < 4; ++i) {
          w.Grad = w.Detach() - Tensor.From(new[] { 1.5, 2.5, 3.5 });
          alone.Step();
        }
      wanted = w.Detach().ToArray<double>();
    }
    var options = new Dictionary<string, double> { { "lr", 0.1 }, { "momentum", 0.9 } };
    Job(1, 2, rpc => new ParameterServer(rpc, workers: 2, options: options), (c, me) => {
      Tensor w = Tensor.From(new double[3]);
      var values = new StateDict { { "w", w } };
      Assert.AreEqual(0, c.Add("w", w));
      for (int i = 0; i < 4; ++i) {
        CollectionAssert.AreEqual(new[] { (long)i }, c.Pull(values));
        c.Push(new StateDict { { "w", w - Tensor.From(new double[] { 1 + me, 2 + me, 3 + me }) } });
        Assert.AreEqual(i + 1, c.Step());
      }
      c.Pull(values);
      Check.Close(wanted, w, 1e-12);
      Check.Throws<MismatchException>(() => c.Add("w", Tensor.Zeros(2)));
      Check.Throws<HaftArgumentException>(() => c.Pull(new StateDict { { "stranger", w } }));
    }, (s, n) => {
      ParameterServerInfo i = s.Info;
      Assert.AreEqual(4, i.Version);
      Assert.AreEqual(1, i.Parameters);
      Assert.AreEqual(3, i.Elements);
      Assert.AreEqual(0, i.Waiting);
      Assert.AreEqual(0, i.Rows);
      Assert.AreEqual(4, i.Slowest + i.Fastest);  // all have left
      Assert.AreEqual(0, i.Workers);
    });
  }

  [Test]
  public void RowsOfTables() {
    var options = new Dictionary<string, double> { { "lr", 1 } };
    Job(2, 1, rpc => new ParameterServer(rpc, ServerMode.Asynchronous, options: options), (c, me) => {
      Assert.AreEqual(0, c.AddTable("users", 1000000000, 4, 0.5, 7, DType.Float32));
      Assert.AreEqual(0, c.AddTable("zeros", 10, 2));
      Tensor ids = Tensor.From(new long[] { 3, 999999999, 3 }), before = c.PullRows("users", ids);
      Assert.AreEqual(new Dims(3, 4), before.Shape);
      Assert.Greater(before.Abs().Sum().Item(), 0);
      c.PushRows("users", ids, Tensor.Ones(3, 4));
      c.SetOption("lr", 0.5);
      c.PushRows("zeros", Tensor.From(new long[] { 1 }), Tensor.Ones(1, 2));
      Assert.AreEqual(1, c.Step());
      float[] was = before.ToArray<float>(), now = c.PullRows("users", ids).ToArray<float>();
      for (int i = 0; i < 12; ++i) Assert.AreEqual(was[i] - (i / 4 == 1 ? 1 : 2), now[i], 1e-5);
      CollectionAssert.AreEqual(new[] { -0.5f, -0.5f }, c.PullRows("zeros", Tensor.From(new long[] { 1 })).ToArray<float>());
      Check.Throws<HaftIndexException>(() => c.PullRows("zeros", Tensor.From(new long[] { 10 })));
      c.Add("w", Tensor.Ones(2));
      c.Push(new StateDict { { "w", null } });
      c.Step();
    }, (s, n) => Assert.AreEqual(n == 1 ? 3 : 0, s.Info.Rows));  // all of them odd
  }

  [Test]
  public void SnapshotsAndMisuse() {
    string folder = Check.Folder(), file = Path.Combine(folder, "snapshot");
    try {
      var options = new Dictionary<string, double> { { "lr", 1 } };
      Job(1, 1, rpc => new ParameterServer(rpc, ServerMode.Bounded, options: options, staleness: 1), (c, me) => {
        c.Add("w", Tensor.Ones(2));
        c.Push(new StateDict { { "w", Tensor.Ones(2) } });
        Assert.AreEqual(1, c.Step());
      }, (s, n) => s.Save(file));
      Job(1, 1, rpc => new ParameterServer(rpc, ServerMode.Bounded, options: options, staleness: 1, snapshot: file), (c, me) => {
        Tensor w = Tensor.Ones(2);
        Assert.AreEqual(1, c.Add("w", w));
        c.Pull(new StateDict { { "w", w } });
        CollectionAssert.AreEqual(new[] { 0f, 0f }, w.ToArray<float>());
        long clock = c.Join();
        Assert.AreEqual(clock + 1, c.Step());
      }, (s, n) => Assert.AreEqual(1, s.Info.Parameters));
    } finally {
      Directory.Delete(folder, true);
    }
    Agents.Run(1, (rpc, r) => {}, (rpc, r) => {
      StringAssert.Contains("Adam", Check.Throws<HaftArgumentException>(() => new ParameterServer(rpc, optimizer: "Magic")).Message);
      Check.Throws<ArgumentException>(() => new ParameterServer(null));
      Check.Throws<HaftTimeoutException>(() => new ParameterClient(rpc, 0, "nobody", TimeSpan.FromMilliseconds(10)));
      Check.Throws<HaftArgumentException>(() => new ParameterClient(rpc, Dims.Empty));
    });
  }

  [Test]
  public void SharedTensors() {
    using (Tensor t = Tensor.From(new float[,] { { 1, 2 }, { 3, 4 } })) {
      Assert.IsFalse(t.IsShared);
      string name;
      Check.Throws<HaftArgumentException>(() => name = t.SharedName);
      Assert.AreSame(t, t.ShareMemory_());
      Assert.IsTrue(t.IsShared);
      name = t.SharedName;
      using (Tensor other = Tensor.OpenShared(name)) {
        Assert.AreEqual(new Dims(2, 2), other.Shape);
        other.Mul_(2.0);
      }
      CollectionAssert.AreEqual(new float[] { 2, 4, 6, 8 }, t.ToArray<float>());
      t.Dispose();
      Check.Throws<DeviceException>(() => Tensor.OpenShared(name));
    }
    Check.Throws<HaftArgumentException>(() => Tensor.OpenShared("nonsense"));
  }
}
}
