// A small network learns on a device: its loss falls, a replayed recording goes on with it, and the profile shows kernels.
//
//   mono Train.exe [DEVICE]
using System;
using Haft;

static class Train {
  static void Main(string[] arguments) {
    string device = arguments.Length > 0 ? arguments[0] : "cuda:0";
    Runtime.ManualSeed(1);
    using (new DisposeScope())
    using (var net = new Sequential(new Linear(16, 64), new Tanh(), new Linear(64, 1))) {
      Tensor x = Tensor.Randn(256, 16).To(device), y = x.Narrow(1, 0, 1).Tanh();
      net.To(device);
      double first = 0, last = 0, replayed;
      string table;
      using (var optimizer = new AdamW(net.Parameters(), 1e-2))
      using (var profiler = new Profiler(false, true)) {
        for (int step = 0; step < 100; ++step)
          using (new DisposeScope()) {
            optimizer.ZeroGrad();
            Tensor loss = net.Call(x).MseLoss(y);
            loss.Backward();
            optimizer.Step();
            if (step == 0) first = loss.Item();
            if (step == 99) last = loss.Item();
          }
        using (Profile p = profiler.Stop()) table = p.Table();
        using (new DisposeScope())
        using (var graph = new DeviceGraph(device)) {
          Tensor loss = null;
          graph.Record(() => {
            optimizer.ZeroGrad();
            loss = net.Call(x).MseLoss(y);
            loss.Backward();
            optimizer.Step();
          });
          for (int step = 0; step < 100; ++step) graph.Replay();
          replayed = loss.Item();
        }
      }
      if (last >= first / 10) throw new InvalidOperationException("loss " + first + ", then " + last);
      if (replayed >= last) throw new InvalidOperationException("loss " + last + ", after replays " + replayed);
      bool shown = table.Contains("On devices");
      if (!shown && !table.Contains("Not shown")) throw new InvalidOperationException(table);
      Console.WriteLine("C# on {0}: loss {1:0.0000}, {2:0.00000} after 100 steps, {3:0.000000} after 100 replays; {4}", device, first, last, replayed,
                        shown ? "the profile has kernels" : table.Substring(table.IndexOf("Not shown")));
    }
  }
}
