// One of two processes that haft-run has started: calls, an exception on the other side, a time that passes, a parameter server, shared
// memory, a peer that dies.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using static Checks;

internal static class RpcProgram {
  private static void Main() {
    var held = new TaskCompletionSource<RpcMessage>();
    using (var left = new ManualResetEventSlim())
    using (var dying = new ManualResetEventSlim())
    using (Rendezvous job = Rendezvous.Meet())
    using (var rpc = new Rpc(job.Store, job.Rank, job.WorldSize)) {
      int r = job.Rank, to = 1 - r;
      rpc.Register("twice", (given, caller) => new RpcMessage("rank " + caller, given[0].Mul(2.0)));
      rpc.Register("broken", (given, caller) => { throw new FormatException("over there"); });
      rpc.RegisterAsync("hold", (given, caller) => held.Task);
      rpc.Register("write", (given, caller) => {
        Tensor.OpenShared(given.Text).Fill_(5.0);
        return null;
      });
      rpc.Register("left", (given, caller) => {
        left.Set();
        return null;
      });
      rpc.Register("die", (given, caller) => {
        dying.Set();
        return null;
      });
      rpc.Start();
      using (new DisposeScope()) {
        RpcMessage got = rpc.Call(to, "twice", new RpcMessage(Tensor.Of((float)r, 3f)));
        Check(got.Text == "rank " + r && got[0].ToArray<float>().SequenceEqual(new[] { 2f * r, 6f }), got.Text);
      }
      string message = Fails<HaftException>(() => rpc.Call(to, "broken").Dispose()).Message;
      Check(message.Contains("worker" + to) && message.Contains("FormatException: over there"), message);
      message = Fails<HaftTimeoutException>(() => rpc.Call(to, "hold", null, TimeSpan.FromMilliseconds(50)).Dispose()).Message;
      Check(message.Contains("0.05 s"), message);
      using (Tensor t = Tensor.Zeros(3).ShareMemory_()) {
        rpc.Call(to, "write", new RpcMessage(t.SharedName)).Dispose();
        Check(t.ToArray<float>().SequenceEqual(new[] { 5f, 5f, 5f }), t);
      }
      if (r == 0) {
        using (var server = new ParameterServer(rpc, options: new Dictionary<string, double> { { "lr", 1 } })) {
          left.Wait();
          Check(server.Info.Rows == 2 && server.Info.Version == 1, server.Info.Rows);
        }
        Task<RpcMessage> lost = rpc.CallAsync(1, "hold");
        rpc.CallAsync(1, "die");
        message = Fails<PeerLostException>(() => lost.GetAwaiter().GetResult().Dispose()).Message;
        Check(message.Contains("rank 1 'worker1'") && message.Contains("'hold'"), message);
      } else {
        using (new DisposeScope())
        using (var client = new ParameterClient(rpc, 0)) {
          client.AddTable("users", 100, 2);
          Tensor ids = Tensor.From(new long[] { 4, 50 });
          client.PushRows("users", ids, Tensor.Ones(2, 2));
          client.Step();
          Check(client.PullRows("users", ids).ToArray<float>().Sum() == -4, "rows");
          client.Leave();
        }
        rpc.Call(0, "left").Dispose();
        dying.Wait();
        ExitNow(0);
      }
    }
    Console.WriteLine("OK");
  }
}
