// One training step (zero_grad, forward, loss, backward, Adam) from C#, on the models and data of bench/train.c; what a + b of
// one element costs with its release; and requests of 32 clients as in bench/batching.c. A JSON line each, in the form of the C programs.
//
//   mono Bench.exe mlp|cnn|add THREADS, or batches|single THREADS HIDDEN
using System;
using System.Diagnostics;
using System.Globalization;
using System.Threading;
using Haft;

static class Bench {
  // Under HAFT_BENCH_TURNS: says which case this is and waits for a line, so that bench/run can let the sides take turns.
  static void WaitForTurn(string name) {
    if (Environment.GetEnvironmentVariable("HAFT_BENCH_TURNS") == null) return;
    Console.WriteLine("{\"ready\": \"" + name + "\"}");
    if (Console.ReadLine() == null) Environment.Exit(1);
  }
  // Seconds a turn: the median, of processor time for one thread and of wall time for more, as bench/train.c has it.
  static double Measure(string name, Action<int> work, int threads, double seconds, int windows) {
    WaitForTurn(name);
    int n = 1;
    for (var warm = Stopwatch.StartNew(); warm.Elapsed.TotalSeconds < 2;) {
      var w = Stopwatch.StartNew();
      work(n);
      n = Math.Max(1, (int)Math.Min(4.0 * n, n * seconds / Math.Max(w.Elapsed.TotalSeconds, 1e-9)));
    }
    var spent = new double[windows];
    using (Process self = Process.GetCurrentProcess())
      for (int i = 0; i < windows; ++i) {
        if (i > 0) WaitForTurn(name);
        self.Refresh();
        TimeSpan cpu = self.TotalProcessorTime;
        var w = Stopwatch.StartNew();
        work(n);
        double wall = w.Elapsed.TotalSeconds;
        self.Refresh();
        spent[i] = (threads == 1 ? (self.TotalProcessorTime - cpu).TotalSeconds : wall) / n;
      }
    Array.Sort(spent);
    return spent[windows / 2];
  }
  static void Emit(string name, int threads, string unit, double value) {
    Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{{\"case\": \"{0}\", \"threads\": {1}, \"unit\": \"{2}\", \"value\": {3:0.####}}}", name, threads, unit, value));
  }

  static int turns;

  // 32 clients, each of which waits for its answer before it asks again.
  static void Serve(int threads, bool batches, int hidden) {
    const int clients = 32;
    string name = $"perceptron 784-{hidden}-{hidden}-10";
    using (Module net = new Sequential(new Linear(784, hidden), new ReLU(), new Linear(hidden, hidden), new ReLU(), new Linear(hidden, 10)))
    using (var session = batches ? new InferenceSession(net, maxBatch: clients, maxDelay: TimeSpan.FromMilliseconds(0.5)) : new InferenceSession(net))
    using (var meeting = new Barrier(clients + 1)) {
      var all = new Thread[clients];
      for (int c = 0; c < clients; ++c) {
        all[c] = new Thread(() => {
          using (Tensor x = Tensor.Randn(1, 784))
            for (;;) {
              meeting.SignalAndWait();
              if (turns == 0) return;
              for (int i = 0; i < turns; ++i) session.Run(x).Dispose();
              meeting.SignalAndWait();
            }
        });
        all[c].Start();
      }
      double spent = Measure(name, n => {
        turns = n;
        meeting.SignalAndWait();
        meeting.SignalAndWait();
      }, threads, 0.5, 7);
      Emit(name, threads, "us", 1e6 * spent / clients);
      turns = 0;
      meeting.SignalAndWait();
      foreach (Thread t in all) t.Join();
    }
  }

  static int Main(string[] a) {
    int threads = 0, hidden = 0;
    bool serves = a.Length == 3 && (a[0] == "batches" || a[0] == "single") && int.TryParse(a[2], out hidden);
    bool trains = a.Length == 2 && Array.IndexOf(new[] { "mlp", "cnn", "add" }, a[0]) >= 0;
    if (!serves && !trains || !int.TryParse(a[1], out threads)) {
      Console.Error.WriteLine("usage: Bench mlp|cnn|add THREADS, or batches|single THREADS HIDDEN");
      return 2;
    }
    Runtime.NumThreads = threads;
    Runtime.ManualSeed(0);
    if (serves) {
      Serve(threads, a[0] == "batches", hidden);
      return 0;
    }
    if (a[0] == "add") {
      using (Tensor x = Tensor.Zeros(1), y = Tensor.Zeros(1))
        Emit("a + b", threads, "ns", 1e9 * Measure("a + b", n => { for (int i = 0; i < n; ++i) (x + y).Dispose(); }, threads, 0.2, 15));
      return 0;
    }
    Module net = a[0] == "mlp" ? new Sequential(new Flatten(), new Linear(784, 128), new ReLU(), new Linear(128, 10))
                               : new Sequential(new Conv2d(1, 32, 3), new ReLU(), new Conv2d(32, 64, 3), new ReLU(), new MaxPool2d(2), new Dropout(0.25), new Flatten(),
                                                new Linear(9216, 128), new ReLU(), new Dropout(0.5), new Linear(128, 10));
    // A tiny rate: thousands of timed steps on one batch must not converge into denormal gradients.
    using (net)
    using (var adam = new Adam(net.Parameters(), 1e-6))
    using (Tensor x = Tensor.Randn(64, 1, 28, 28), target = Tensor.Randint(0, 10, 64, DType.Int64)) {
      Emit(a[0], threads, "ms", 1e3 * Measure(a[0], n => {
        for (int i = 0; i < n; ++i)
          using (Tensor y = net.Call(x)) {
            adam.ZeroGrad();
            using (Tensor loss = y.CrossEntropy(target)) loss.Backward();
            adam.Step();
          }
      }, threads, 0.5, 7));
    }
    return 0;
  }
}
