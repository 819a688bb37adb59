// One of two processes that haft-run has started: collectives, objects, and each way to fail.
using System;
using System.Linq;
using Haft;
using static Checks;

internal static class RankProgram {
  private static void Main() {
    TimeSpan patience = TimeSpan.FromMinutes(5);
    LaunchEnvironment launched = LaunchEnvironment.Get();
    Check(launched.Launcher == "haft-run" && launched.WorldSize == 2 && launched.RunId.Length != 0, launched.Launcher);
    int r = launched.Rank;
    using (ProcessGroup world = ProcessGroup.Init("env://", patience))
    using (new DisposeScope()) {
      Check(world.Rank == r && world.Size == 2, world.Rank);
      Tensor x = Tensor.Full(new Dims(100000), r + 1.0);
      world.AllReduce(x, ReduceOp.Avg);
      Check(x.ToArray<float>().All(v => v == 1.5f), x);
      Tensor y = Tensor.Of((float)r);
      using (Work work = world.BroadcastAsync(y, 1)) work.AsTask().Wait();
      Check(y.Item() == 1, y);
      if (r == 0) world.Send(y, 1);
      else Check(world.Recv(y) == 0, y);
      Check(world.Objects().AllGatherObject("rank " + r).SequenceEqual(new[] { "rank 0", "rank 1" }), "objects");
    }
    using (Rendezvous job = Rendezvous.Meet()) {
      using (var g = new ProcessGroup(job.Store, r, 2, patience, name: "mismatch"))
      using (Tensor x = Tensor.Zeros(2 + r)) {
        string message = Fails<MismatchException>(() => g.AllReduce(x)).Message;
        Check(message.Contains("[2]") && message.Contains("[3]"), message);
      }
      using (var g = new ProcessGroup(job.Store, r, 2, patience, name: "late")) {
        if (r == 0) {
          string message = Fails<HaftTimeoutException>(() => g.Barrier(TimeSpan.FromMilliseconds(50))).Message;
          Check(message.Contains("rank 1"), message);
          job.Store.Set("told", "");
        } else {
          job.Store.Get("told", patience);
        }
      }
      using (var g = new ProcessGroup(job.Store, r, 2, patience, name: "lost")) {
        g.Barrier();
        if (r == 1) ExitNow(0);
        string message = Fails<PeerLostException>(() => g.Barrier()).Message;
        Check(message.Contains("rank 1"), message);
      }
    }
    Console.WriteLine("OK");
  }
}
