// haft from C#: a + b of one element with its release, and one training step as bench/train.c takes it.
//   mono Bench.exe add | train mlp|cnn THREADS
using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using Haft;

static class Bench {
  static double Median(Action<int> work, double seconds, int windows) {
    work(20);
    int n = 1;
    for (;;) {
      var w = Stopwatch.StartNew();
      work(n);
      if (w.Elapsed.TotalSeconds > seconds / 10) break;
      n *= 2;
    }
    var spent = new double[windows];  // the median, as bench/train.c has it
    for (int i = 0; i < windows; ++i) {
      var w = Stopwatch.StartNew();
      work(n);
      spent[i] = w.Elapsed.TotalSeconds / n;
    }
    Array.Sort(spent);
    return spent[windows / 2];
  }
  static void Emit(string name, int threads, string unit, double value) {
    Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{{\"case\": \"{0}\", \"threads\": {1}, \"unit\": \"{2}\", \"value\": {3:0.####}}}", name, threads, unit, value));
  }

  static int Main(string[] a) {
    if (a.Length == 1 && a[0] == "add") {
      using (Tensor x = Tensor.Zeros(1), y = Tensor.Zeros(1))
        Emit("add", 1, "ns", 1e9 * Median(n => { for (int i = 0; i < n; ++i) (x + y).Dispose(); }, 0.2, 20));
      return 0;
    }
    if (a.Length != 3 || a[0] != "train" || a[1] != "mlp" && a[1] != "cnn") {
      Console.Error.WriteLine("usage: Bench add | train mlp|cnn THREADS");
      return 2;
    }
    Runtime.NumThreads = int.Parse(a[2]);
    Runtime.ManualSeed(0);
    Module net = a[1] == "mlp" ? new Sequential(new Flatten(), new Linear(784, 128), new ReLU(), new Linear(128, 10))
                               : new Sequential(new Conv2d(1, 32, 3), new ReLU(), new Conv2d(32, 64, 3), new ReLU(), new MaxPool2d(2), new Dropout(0.25), new Flatten(),
                                                new Linear(9216, 128), new ReLU(), new Dropout(0.5), new Linear(128, 10));
    // A tiny rate: thousands of timed steps on one batch must not converge into denormal gradients.
    using (net)
    using (var adam = new Adam(net.Parameters(), 1e-6))
    using (Tensor x = Tensor.Randn(64, 1, 28, 28), target = Tensor.Randint(0, 10, 64, DType.Int64)) {
      Emit(a[1], Runtime.NumThreads, "ms", 1e3 * Median(n => {
        for (int i = 0; i < n; ++i)
          using (Tensor y = net.Call(x)) {
            adam.ZeroGrad();
            using (Tensor loss = y.CrossEntropy(target)) loss.Backward();
            adam.Step();
          }
      }, 0.5, 7));
    }
    return 0;
  }
}
