// A service that knows clothing: it loads a network (or trains one), answers POST /predict with JSON, tells GET /metrics in
// Prometheus' text and GET /health, and drains when it is asked to end (SIGTERM, Ctrl-C): no new predictions, an answer for
// every request it has. Port 0 is any that is free.
//
//   mono Service.exe --port 8080 --weights weights.safetensors
//   curl -d '{"images": [[0, 0.1, ...784 numbers from 0 to 1...]]}' localhost:8080/predict
//   mono Service.exe --load-test 10         16 clients for 10 seconds: p50, p99, memory before and after
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Haft;

[DataContract]
sealed class Prediction {
  [DataMember(Name = "images")] public float[][] Images = null;
}

sealed class Service : IDisposable {
  static readonly string[] names = { "T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot" };
  const int Pixels = 28 * 28;
  readonly HttpListener listener = new HttpListener();
  readonly Module net;
  readonly InferenceSession session;
  readonly object gate = new object();
  long arrived, ended, open;  // under gate: requests that were taken, that were answered, that are in work
  volatile bool draining, drained, closed;
  internal int Port { get; private set; }

  internal Service(int port, Module net) {
    this.net = net;
    Listen(port);
    session = new InferenceSession(net, maxBatch: 32, maxDelay: TimeSpan.FromMilliseconds(1), maxQueue: 256, timeout: TimeSpan.FromSeconds(5), name: "clothes");
    Task.Run(Accept).GetHashCode();
  }

  // The listener knows no port 0: a free one is looked for, and another when somebody was faster.
  void Listen(int port) {
    for (int attempt = 0;; ++attempt) {
      Port = port;
      if (port == 0) {
        var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        Port = ((IPEndPoint)probe.LocalEndpoint).Port;
        probe.Stop();
      }
      listener.Prefixes.Clear();
      listener.Prefixes.Add("http://localhost:" + Port + "/");
      try {
        listener.Start();
        return;
      } catch (Exception) when (port == 0 && attempt < 20) {
        // try the next one
      }
    }
  }

  // While the service drains, requests are answered that it does.
  async Task Accept() {
    while (!drained) {
      HttpListenerContext request;
      try {
        request = await listener.GetContextAsync().ConfigureAwait(false);
      } catch (Exception) when (!listener.IsListening) {
        return;
      }
      lock (gate) {
        if (closed) return;
        ++arrived;
        ++open;
      }
      Task.Run(() => Answer(request)).ContinueWith(t => {
        lock (gate) {
          --open;
          if (t.Result) ++ended;
        }
      }).GetHashCode();
    }
  }

  // False when the client had gone.
  async Task<bool> Answer(HttpListenerContext c) {
    int status = 200;
    string body, type = "application/json";
    try {
      switch (c.Request.HttpMethod + " " + c.Request.Url.AbsolutePath) {
        case "POST /predict": body = await Predict(c.Request.InputStream).ConfigureAwait(false); break;
        case "GET /health":
          status = draining ? 503 : 200;
          body = "{\"status\": \"" + (draining ? "draining" : "ok") + "\"}";
          break;
        case "GET /metrics":
          type = "text/plain; version=0.0.4";
          body = Runtime.MetricsText();
          break;
        default:
          status = 404;
          body = Error("no such page; POST /predict, GET /health, GET /metrics");
          break;
      }
    } catch (QueueFullException e) {
      status = 503;
      body = Error(e.Message);
    } catch (OperationCanceledException) {
      status = 503;
      body = Error("the service ends");
    } catch (TimeoutException e) {
      status = 504;
      body = Error(e.Message);
    } catch (Exception e) when (e is ArgumentException || e is SerializationException || e is FormatException) {
      status = 400;
      body = Error(e.Message);
    } catch (Exception e) {
      status = 500;
      body = Error(e.Message);
    }
    try {
      byte[] bytes = Encoding.UTF8.GetBytes(body);
      c.Response.StatusCode = status;
      c.Response.ContentType = type;
      c.Response.ContentLength64 = bytes.Length;
      c.Response.OutputStream.Write(bytes, 0, bytes.Length);
      c.Response.Close();
      return true;
    } catch (Exception) {
      return false;  // nobody is left to tell
    }
  }
  static string Error(string text) { return "{\"error\": \"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"").Replace("\n", " ") + "\"}"; }

  async Task<string> Predict(Stream input) {
    var request = (Prediction)new DataContractJsonSerializer(typeof(Prediction)).ReadObject(input);
    if (request == null || request.Images == null || request.Images.Length == 0) throw new ArgumentException("wanted {\"images\": [[784 numbers], ...]}");
    var pixels = new float[request.Images.Length * Pixels];
    for (int i = 0; i < request.Images.Length; ++i) {
      if (request.Images[i] == null || request.Images[i].Length != Pixels) throw new ArgumentException("image " + i + " has not 784 numbers");
      for (int k = 0; k < Pixels; ++k) pixels[i * Pixels + k] = (request.Images[i][k] - 0.2860f) / 0.3530f;
    }
    using (new DisposeScope()) {
      Tensor x = Tensor.From(pixels, (request.Images.Length, 1, 28, 28));
      Tensor scores = await session.RunAsync(x).ConfigureAwait(false);
      var best = scores.Softmax(1).Max(1);
      long[] classes = best.Indices.ToArray<long>();
      float[] sure = best.Values.ToArray<float>();
      scores.Dispose();
      return "{\"predictions\": [" + string.Join(", ", classes.Select((k, i) => "{\"class\": " + k + ", \"name\": \"" + names[k] + "\", \"probability\": " +
             sure[i].ToString("R", CultureInfo.InvariantCulture) + "}")) + "]}";
    }
  }

  // Takes no more, answers what it has.
  public void Dispose() {
    draining = true;  // load balancers see it at /health
    session.Drain(TimeSpan.FromSeconds(10));
    drained = true;
    // The listener cuts off what is in work when it closes: first the last answer, then the door.
    for (int i = 0; i < 500 && !closed; ++i) {
      lock (gate) closed = open == 0;
      if (!closed) Thread.Sleep(10);
    }
    listener.Close();
    session.Dispose();
    net.Dispose();
    lock (gate) Console.WriteLine("drained: answered " + ended + " of " + arrived + " requests");
  }

  static Module Network() { return new Sequential(new Flatten(), new Linear(Pixels, 128), new ReLU(), new Linear(128, 10)); }

  static Module Model(string weights, string data) {
    Module net = Network();
    if (weights != null && File.Exists(weights)) {
      net.Load(weights);
      Console.WriteLine("loaded " + weights);
      return net;
    }
    string images = Path.Combine(data, "train-images-idx3-ubyte.gz"), labels = Path.Combine(data, "train-labels-idx1-ubyte.gz");
    using (Transform scale = Transform.ToFloat(), normalize = Transform.Normalize(0.2860, 0.3530))
    using (var dataset = new IdxDataset(images, labels))
    using (var loader = new DataLoader(dataset, 64, true, 1, transforms: new[] { scale, normalize }, seed: 0))
    using (var adam = new Adam(net.Parameters(), 1e-3)) {
      TrainingProgress p = new Trainer(net, adam).Fit(loader);
      Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "trained in {0:0.0} s, accuracy {1:0.0} %", p.Elapsed.TotalSeconds, 100 * p.Accuracy));
    }
    if (weights != null) net.Save(weights);
    return net;
  }

  static long ResidentMiB() {
    foreach (string line in File.ReadLines("/proc/self/status"))
      if (line.StartsWith("VmRSS:")) return long.Parse(line.Substring(6).Replace("kB", "").Trim()) / 1024;
    return 0;
  }

  // 16 clients, each asks again as soon as it has its answer.
  static int LoadTest(int port, double seconds) {
    ServicePointManager.DefaultConnectionLimit = 32;
    ServicePointManager.UseNagleAlgorithm = false;  // small requests go at once
    ServicePointManager.Expect100Continue = false;
    var random = new Random(0);
    byte[] body = Encoding.UTF8.GetBytes("{\"images\": [[" + string.Join(",", Enumerable.Range(0, Pixels).Select(i => random.NextDouble().ToString("0.000", CultureInfo.InvariantCulture))) + "]]}");
    var times = new List<double>();
    int failed = 0;
    long handles = 0, bytes = 0, resident = 0;
    Action<double, bool> round = (length, count) => {
      var clock = Stopwatch.StartNew();
      var clients = Enumerable.Range(0, 16).Select(i => new Thread(() => {
        while (clock.Elapsed.TotalSeconds < length) {
          var one = Stopwatch.StartNew();
          try {
            var request = WebRequest.CreateHttp("http://localhost:" + port + "/predict");
            request.Method = "POST";
            using (Stream s = request.GetRequestStream()) s.Write(body, 0, body.Length);
            using (WebResponse answer = request.GetResponse())
            using (var reader = new StreamReader(answer.GetResponseStream()))
              if (!reader.ReadToEnd().Contains("probability")) Interlocked.Increment(ref failed);
          } catch (WebException) {
            Interlocked.Increment(ref failed);
          }
          if (count)
            lock (times) times.Add(one.Elapsed.TotalMilliseconds);
        }
      })).ToList();
      clients.ForEach(t => t.Start());
      clients.ForEach(t => t.Join());
      GC.Collect();
      GC.WaitForPendingFinalizers();
    };
    round(seconds / 2, false);  // what grows once, does so here
    handles = Runtime.LiveHandles;
    bytes = Runtime.GetMemoryStats(Device.Cpu).Live;
    resident = ResidentMiB();
    round(seconds, true);
    times.Sort();
    long moreHandles = Runtime.LiveHandles - handles, moreBytes = Runtime.GetMemoryStats(Device.Cpu).Live - bytes, more = ResidentMiB() - resident;
    Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0} requests of 16 clients in {1:0.0} s: {2:0} a second, p50 {3:0.0} ms, p99 {4:0.0} ms, {5} failed", times.Count, seconds,
                                    times.Count / seconds, times[times.Count / 2], times[times.Count * 99 / 100], failed));
    Console.WriteLine("memory: " + moreHandles + " handles, " + moreBytes + " native bytes and " + more + " MiB resident more than before");
    bool flat = moreHandles <= 64 && moreBytes <= 1 << 20 && more <= 32;
    if (!flat) Console.WriteLine("memory is not flat");
    return flat && failed == 0 ? 0 : 1;
  }

  static int Main(string[] arguments) {
    var o = new Dictionary<string, string> { { "--port", "8080" }, { "--weights", null }, { "--data", "/usr/share/datasets/fashion-mnist" }, { "--load-test", null } };
    for (int i = 0; i < arguments.Length; i += 2) {
      if (!o.ContainsKey(arguments[i]) || i + 1 == arguments.Length) {
        Console.Error.WriteLine("usage: Service [--port N] [--weights FILE] [--data DIR] [--load-test SECONDS]");
        return 2;
      }
      o[arguments[i]] = arguments[i + 1];
    }
    int port = int.Parse(o["--port"]);
    ThreadPool.SetMinThreads(32, 32);  // the pool grows by two threads a second only: clients would wait for it
    using (var service = new Service(port, Model(o["--weights"], o["--data"]))) {
      Console.WriteLine("listening on port " + service.Port);
      if (o["--load-test"] != null) return LoadTest(service.Port, double.Parse(o["--load-test"], CultureInfo.InvariantCulture));
      using (var term = new Mono.Unix.UnixSignal(Mono.Unix.Native.Signum.SIGTERM))
      using (var interrupt = new Mono.Unix.UnixSignal(Mono.Unix.Native.Signum.SIGINT)) Mono.Unix.UnixSignal.WaitAny(new[] { term, interrupt }, -1);
      Console.WriteLine("draining");
    }
    return 0;
  }
}
