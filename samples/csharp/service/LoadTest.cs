// Clients ask the service as fast as it answers: requests a second, p50 and p99, and whether its memory stays as it is.
//
//   mono LoadTest.exe http://localhost:8080 [--model clothes] [--clients 64] [--seconds 600 | --requests 20000]
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using System.Threading;

// One connection that is kept as long as the service keeps it.
sealed class Connection : IDisposable {
  readonly Uri service;
  TcpClient tcp;
  byte[] buffer = new byte[4096];
  internal string Head, Body;

  internal Connection(Uri service) { this.service = service; }
  internal static byte[] Request(Uri service, string method, string path, string body = "") {
    return Encoding.ASCII.GetBytes(method + " " + path + " HTTP/1.1\r\nHost: " + service.Authority +
                                   "\r\nContent-Length: " + body.Length + "\r\n\r\n" + body);
  }

  // The status.
  internal int Ask(byte[] request) {
    if (tcp == null) tcp = new TcpClient(service.Host, service.Port) { NoDelay = true };
    NetworkStream stream = tcp.GetStream();
    stream.Write(request, 0, request.Length);
    int length = 0, end = -1, whole = int.MaxValue;
    while (length < whole) {
      if (length == buffer.Length) Array.Resize(ref buffer, 2 * length);
      int more = stream.Read(buffer, length, buffer.Length - length);
      if (more == 0) throw new IOException("the service closed the connection instead of answering");
      length += more;
      if (end >= 0) continue;
      string text = Encoding.ASCII.GetString(buffer, 0, length);
      end = text.IndexOf("\r\n\r\n", StringComparison.Ordinal);
      if (end < 0) continue;
      Head = text.Substring(0, end);
      whole = end + 4 + int.Parse(Field("Content-Length"), CultureInfo.InvariantCulture);
    }
    Body = Encoding.UTF8.GetString(buffer, end + 4, length - end - 4);
    if (string.Equals(Field("Connection"), "close", StringComparison.OrdinalIgnoreCase)) Dispose();
    return int.Parse(Head.Substring(9, 3), CultureInfo.InvariantCulture);
  }
  string Field(string name) {
    foreach (string line in Head.Split(new[] { "\r\n" }, StringSplitOptions.None))
      if (line.StartsWith(name + ":", StringComparison.OrdinalIgnoreCase))
        return line.Substring(name.Length + 1).Trim();
    return null;
  }
  public void Dispose() {
    if (tcp != null) tcp.Close();
    tcp = null;
  }
}

static class LoadTest {
  static Uri service;
  static byte[] request;

  // Sums over all labels.
  static Dictionary<string, double> Figures() {
    using (var c = new Connection(service)) {
      if (c.Ask(Connection.Request(service, "GET", "/metrics")) != 200) throw new IOException("no /metrics: " + c.Head);
      return c.Body.Split('\n')
          .Where(line => line.Length > 0 && line[0] != '#')
          .GroupBy(line => line.Substring(0, line.IndexOfAny(new[] { '{', ' ' })),
                   line => double.Parse(line.Substring(line.LastIndexOf(' ') + 1), CultureInfo.InvariantCulture))
          .ToDictionary(g => g.Key, g => g.Sum());
    }
  }

  // One client: microseconds of each request that was answered.
  static List<int> Ask(Func<bool> go, Action busy) {
    var times = new List<int>();
    var clock = new Stopwatch();
    using (var c = new Connection(service)) {
      while (go()) {
        clock.Restart();
        int status = c.Ask(request);
        if (status == 200 && c.Body.Contains("\"probability\"")) times.Add((int)(clock.Elapsed.Ticks / 10));
        else if (status == 429) busy();
        else throw new IOException(c.Head + "\n" + c.Body);
      }
    }
    return times;
  }
  // All clients, until `go` says that it is enough.
  static List<int> Round(int clients, Func<bool> go, ref int refused) {
    var times = new List<int>();
    Exception failure = null;
    int busy = 0;
    List<Thread> threads = Enumerable.Range(0, clients).Select(i => new Thread(() => {
      try {
        List<int> mine = Ask(() => Volatile.Read(ref failure) == null && go(), () => Interlocked.Increment(ref busy));
        lock (times) times.AddRange(mine);
      } catch (Exception e) {
        Volatile.Write(ref failure, e);
      }
    })).ToList();
    threads.ForEach(t => t.Start());
    threads.ForEach(t => t.Join());
    if (failure != null) throw failure;
    refused += busy;
    return times;
  }
  static Func<bool> For(double seconds) {
    var clock = Stopwatch.StartNew();
    return () => clock.Elapsed.TotalSeconds < seconds;
  }
  static Func<bool> Times(int requests) { return () => Interlocked.Decrement(ref requests) >= 0; }

  static int Main(string[] arguments) {
    var o = new Dictionary<string, string> {
      { "--model", "clothes" }, { "--clients", "64" }, { "--seconds", null }, { "--requests", null }
    };
    for (int i = 1; i < arguments.Length; i += 2) {
      if (!o.ContainsKey(arguments[i]) || i + 1 == arguments.Length) arguments = new string[0];
      else o[arguments[i]] = arguments[i + 1];
    }
    if (arguments.Length == 0) {
      Console.Error.WriteLine("usage: LoadTest URL [--model NAME] [--clients N] [--seconds S | --requests N]");
      return 2;
    }
    service = new Uri(arguments[0]);
    int clients = int.Parse(o["--clients"], CultureInfo.InvariantCulture), refused = 0;
    var random = new Random(0);
    request = Connection.Request(
        service, "POST", "/models/" + o["--model"] + "/predict",
        "{\"inputs\": [[" +
            string.Join(",", Enumerable.Range(0, 784).Select(
                                 i => random.NextDouble().ToString("0.000", CultureInfo.InvariantCulture))) +
            "]]}");
    double seconds = o["--seconds"] == null ? 0 : double.Parse(o["--seconds"], CultureInfo.InvariantCulture);
    int requests = o["--requests"] == null ? 20000 : int.Parse(o["--requests"], CultureInfo.InvariantCulture);
    // What grows once, does so first: compiled code, the heap of the collector, threads, the engine's caches.
    Round(clients, seconds > 0 ? For(Math.Max(10, seconds / 10)) : Times(requests / 2), ref refused);
    Dictionary<string, double> before = Figures();
    refused = 0;
    var clock = Stopwatch.StartNew();
    List<int> times = Round(clients, seconds > 0 ? For(seconds) : Times(requests), ref refused);
    double took = clock.Elapsed.TotalSeconds;
    Dictionary<string, double> after = Figures();
    times.Sort();
    Func<string, double> mib = name => after[name] / (1 << 20), more = name => after[name] - before[name];
    Console.WriteLine(string.Format(
        CultureInfo.InvariantCulture,
        "{0} clients, {1} requests in {2:0.0} s: {3:0} a second, p50 {4:0.0} ms, p99 {5:0.0} ms, slowest {6:0} ms; {7} more were answered 429",
        clients, times.Count, took, times.Count / took, times[times.Count / 2] / 1e3,
        times[times.Count * 99 / 100] / 1e3, times[times.Count - 1] / 1e3, refused));
    Console.WriteLine(
        string.Format(CultureInfo.InvariantCulture, "batches of {0:0.0} requests",
                      more("haft_session_batch_requests_sum") / more("haft_session_batch_requests_count")));
    Console.WriteLine(string.Format(
        CultureInfo.InvariantCulture,
        "memory since the warm-up: {0:+0;-0;0} handles, {1:+0;-0;0} bytes of tensors ({2:0.0} MiB), {3:+0.0;-0.0;0} MiB resident ({4:0} MiB), {5} leaks",
        more("haft_live_handles"), more("haft_memory_live_bytes"), mib("haft_memory_live_bytes"),
        more("process_resident_memory_bytes") / (1 << 20), mib("process_resident_memory_bytes"),
        after["service_leaks_total"]));
    // Between two collections the heap of the virtual machine breathes: what leaks grows with the requests beyond it.
    bool flat =
        more("haft_live_handles") <= clients && more("haft_memory_live_bytes") <= 1 << 20 &&
        after["service_leaks_total"] == 0 &&
        more("process_resident_memory_bytes") <= Math.Max(64 << 20, before["process_resident_memory_bytes"] / 4);
    if (!flat) Console.WriteLine("FAILED: memory grows");
    return flat ? 0 : 1;
  }
}
