// A service that tells kinds of clothing; README.md says what it shows.
//
//   mono Service.exe --model clothes=perceptron:clothes.safetensors --model fine=convolution:fine.safetensors
//   curl -d '{"inputs": [[0, 0.1, ...784 numbers from 0 to 1...]]}' localhost:8080/models/clothes/predict
using System;
using System.Linq;
using System.Threading;
using Haft;

static class Program {
  static int Main(string[] arguments) {
    Options o;
    try {
      if (arguments.Contains("--help")) {
        Console.Write(Options.Help);
        return 0;
      }
      o = Options.Parse(arguments);
    } catch (Usage e) {
      Console.Error.WriteLine("Service: " + e.Message);
      return 2;
    }
    Log.Least = o.LogLevel;
    LeakReports.Every = o.Leaks;
    LeakReports.Found += text => Log.Warning("leak", "text", text);
    Runtime.SetLogSink(LogLevel.Info, (level, text) => Log.Write(Log.Of(level), "haft", "text", text));
    ThreadPool.SetMinThreads(32, 32);  // the pool grows by two threads a second only: clients would wait for it
    try {
      Device.Parse(o.Device);
    } catch (HaftException e) {
      Console.Error.WriteLine("Service: --device " + o.Device + ": " + e.Message);
      return 2;
    }
    try {
      return Serve(o) ? 0 : 1;
    } catch (Exception e) {
      Log.Error("failed", "error", e.ToString());
      return 1;
    } finally {
      Runtime.SetLogSink(LogLevel.None, null);
    }
  }

  // It listens before its models are there: whoever asks for its health or readiness gets an answer from the first
  // moment on.
  static bool Serve(Options o) {
    using (var models = new Models()) {
      var end = new SemaphoreSlim(0);
      var server = new Server(o, models);
      new Signals(models.Reload, () => end.Release());
      Log.Info("listening", "port", server.Port, "pid", System.Diagnostics.Process.GetCurrentProcess().Id, "haft",
               Runtime.Version);
      models.Load(o);
      server.IsReady = true;
      Log.Info("ready", "models", string.Join(" ", models.All.Select(m => m.Name)));
      end.Wait();
      return server.End(end).GetAwaiter().GetResult();
    }
  }
}
