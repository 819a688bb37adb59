// An LSTM (Hochreiter and Schmidhuber, 1997) forecasts a chaotic series: how many white blood cells there are (Mackey and Glass, 1977).
//
//   mono Forecast.exe [--steps N] [--ahead N] [--seed N] [--threads N] [--device cpu]
//
// It reads the series value by value and says each time what it will be some steps later. What it says of a part that it has never seen is
// measured in the series' own deviation: 1 is as good as its mean.
using System;
using System.Globalization;
using System.Linq;
using Haft;

static class Forecast {
  const int Learnt = 3000, All = 4000, Delay = 17, Rows = 32, Window = 80, Skipped = 20, Hidden = 64;

  sealed class Net : Module {
    readonly Module lstm = new LSTM(1, Hidden, batchFirst: true), last = new Linear(Hidden, 1);
    internal Net() { RegisterComponents(); }
    public override Tensor Forward(Tensor x) { return last.Call(lstm.Call(x)); }  // (rows, length, 1)
  }

  // dx/dt = 0.2 x(t - 17) / (1 + x(t - 17)^10) - 0.1 x(t), in steps of a tenth; with mean 0 and deviation 1.
  static float[] MackeyGlass() {
    const int part = 10, settle = 500;
    double[] past = Enumerable.Repeat(1.2, Delay * part).ToArray(), series = new double[All];
    double x = 1.2;
    for (int i = 0; i < (settle + All) * part; ++i) {
      double delayed = past[i % past.Length];
      past[i % past.Length] = x;
      x += (0.2 * delayed / (1 + Math.Pow(delayed, 10)) - 0.1 * x) / part;
      if (i % part == 0 && i >= settle * part) series[i / part - settle] = x;
    }
    double mean = series.Average(), deviation = Math.Sqrt(series.Average(v => v * v) - mean * mean);
    return series.Select(v => (float)((v - mean) / deviation)).ToArray();
  }

  // Windows of the series (rows, length, 1) that begin at these places.
  static Tensor Windows(float[] series, long[] begins, int length) {
    float[] values = begins.SelectMany(b => series.Skip((int)b).Take(length)).ToArray();
    return Tensor.From(new ReadOnlySpan<float>(values), (begins.Length, length, 1));
  }

  // The mean square error of what it says after the first values, at which it cannot know much yet.
  static Tensor Error(Module net, Tensor x, Tensor wanted) {
    long length = x.Shape[1] - Skipped;
    return net.Call(x).Narrow(1, Skipped, length).MseLoss(wanted.Narrow(1, Skipped, length));
  }

  static long Option(string[] arguments, string name, long value) {
    int at = Array.IndexOf(arguments, name);
    return at >= 0 && at + 1 < arguments.Length ? long.Parse(arguments[at + 1], CultureInfo.InvariantCulture) : value;
  }

  static void Run(string[] arguments) {
    long steps = Option(arguments, "--steps", 1500), ahead = Option(arguments, "--ahead", 6), threads = Option(arguments, "--threads", 0);
    if (steps < 1 || ahead < 1 || ahead > 200) throw new FormatException("wants at least one step, and 1 to 200 --ahead");
    if (threads > 0) Runtime.NumThreads = (int)threads;
    int device = Array.IndexOf(arguments, "--device") + 1;
    if (device > 0 && device < arguments.Length) Runtime.DefaultDevice = arguments[device];  // where modules and tensors are made from here on
    Runtime.ManualSeed(Option(arguments, "--seed", 0));
    float[] series = MackeyGlass();
    using (new DisposeScope())
    using (var net = new Net())
    using (var optimizer = new Adam(net.Parameters(), 5e-3))
    using (var schedule = new CosineAnnealingLR(optimizer, steps)) {
      double mean = 0;
      for (long step = 1; step <= steps; ++step)
        using (new DisposeScope()) {  // disposes what the step made
          long[] begins = Tensor.Randint(0, Learnt - Window - ahead, new long[] { Rows }).ToArray<long>();
          Tensor error = Error(net, Windows(series, begins, Window), Windows(series, begins.Select(b => b + ahead).ToArray(), Window));
          optimizer.ZeroGrad();
          error.Backward();
          Clip.GradNorm_(net.Parameters(), 1);
          optimizer.Step();
          schedule.Step();
          mean = step == 1 ? error.Item() : 0.95 * mean + 0.05 * error.Item();
          if (step % 100 == 0 || step == steps) Console.WriteLine("step {0,5}  off by {1:0.0000} deviations", step, Math.Sqrt(mean));
        }
      // One long row; beside it what it would be to say that nothing changes.
      using (new NoGrad()) {
        int length = (int)(All - Learnt - ahead);
        Tensor x = Windows(series, new long[] { Learnt }, length), wanted = Windows(series, new long[] { Learnt + ahead }, length);
        Console.WriteLine("held out: {0:0.0000} deviations off, {1} steps ahead; that nothing changes: {2:0.0000}",
                          Math.Sqrt(Error(net, x, wanted).Item()), ahead, Math.Sqrt(x.MseLoss(wanted).Item()));
      }
    }
  }

  static int Main(string[] arguments) {
    CultureInfo.DefaultThreadCurrentCulture = System.Threading.Thread.CurrentThread.CurrentCulture = CultureInfo.InvariantCulture;
    try {
      Run(arguments);
      return 0;
    } catch (Exception e) when (e is FormatException || e is HaftException) {
      Console.Error.WriteLine("Forecast: " + e.Message);
      return e is FormatException ? 2 : 1;
    }
  }
}
