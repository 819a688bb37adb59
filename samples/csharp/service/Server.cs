// Requests over HTTP: none holds a thread while it waits for its body or for the model.
using System;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

sealed class Server {
  readonly HttpListener listener = new HttpListener();
  readonly Options options;
  readonly Models models;
  readonly Routes routes;
  readonly object gate = new object();
  long arrived, answered, open;  // under gate: requests taken, those whose answer was sent, those in work
  volatile bool ready, closed;
  internal int Port { get; private set; }
  internal bool IsReady {
    get { return ready; }
    set { ready = value; }
  }

  long Open {
    get { lock (gate) return open; }
  }

  internal Server(Options options, Models models) {
    this.options = options;
    this.models = models;
    routes = new Routes(options, models, this);
    Listen();
    Task.Run(Accept);
  }

  // The listener knows no port 0: a free one is looked for, and another when somebody was faster.
  void Listen() {
    for (int attempt = 0;; ++attempt) {
      Port = options.Port;
      if (Port == 0) {
        var probe = new TcpListener(IPAddress.Loopback, 0);
        probe.Start();
        Port = ((IPEndPoint)probe.LocalEndpoint).Port;
        probe.Stop();
      }
      listener.Prefixes.Clear();
      listener.Prefixes.Add("http://" + options.Host + ":" + Port + "/");
      try {
        listener.Start();
        return;
      } catch (Exception) when (options.Port == 0 && attempt < 20) {
        // try the next one
      }
    }
  }

  async Task Accept() {
    while (!closed) {
      HttpListenerContext c;
      try {
        c = await listener.GetContextAsync().ConfigureAwait(false);
      } catch (Exception) when (!listener.IsListening) {
        return;
      } catch (HttpListenerException e) {
        Log.Warning("accept", "error", e.Message);
        continue;
      }
      lock (gate) {
        if (closed) return;
        ++arrived;
        ++open;
      }
      Task.Run(() => Handle(c)).GetHashCode();  // and on to the next
    }
  }

  async Task Handle(HttpListenerContext c) {
    bool sent = false;
    try {
      var clock = Stopwatch.StartNew();
      Answer a = await routes.Reply(c.Request, clock).ConfigureAwait(false);
      string id = Id(c.Request);
      sent = await Send(c.Response, a, id).ConfigureAwait(false);
      Log.Write(a.Status >= 500 ? Log.Level.Warning : Log.Level.Debug, "request", "id", id, "method",
                c.Request.HttpMethod, "path", c.Request.Url.AbsolutePath, "status", a.Status, "rows", a.Rows, "ms",
                clock.Elapsed.TotalMilliseconds, "error", a.Error, "sent", sent);
    } catch (Exception e) {
      Log.Error("request", "error", e.ToString());
      c.Response.Abort();
    } finally {
      lock (gate) {
        --open;
        if (sent) ++answered;
      }
    }
  }

  // False: the client has gone.
  async Task<bool> Send(HttpListenerResponse response, Answer a, string id) {
    byte[] bytes = Encoding.UTF8.GetBytes(a.Body);
    try {
      response.StatusCode = a.Status;
      response.ContentType = a.Type;
      response.ContentLength64 = bytes.Length;
      response.Headers["X-Request-Id"] = id;
      if (a.RetryAfter > 0) response.Headers["Retry-After"] = a.RetryAfter.ToString();
      if (!ready || a.Close) response.KeepAlive = false;  // the next request finds another service
      await response.OutputStream.WriteAsync(bytes, 0, bytes.Length).ConfigureAwait(false);
      response.Close();
      return true;
    } catch (Exception) {
      response.Abort();
      return false;
    }
  }

  // The caller's number for it, if that is one, or a new one: what it is called in the logs of all services that have
  // to do with it.
  static string Id(HttpListenerRequest request) {
    string given = request.Headers["X-Request-Id"];
    if (string.IsNullOrEmpty(given) || given.Length > 64) return Guid.NewGuid().ToString("N");
    foreach (char c in given)
      if (!(c < 128 && char.IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.'))
        return Guid.NewGuid().ToString("N");
    return given;
  }

  // Unready; then, so that balancers notice, on as before until the time is over or `hurry` comes; then answers what is
  // there and takes nothing more. False: requests were left after the time. The listener is left to the end of the
  // process: when it closes, mono's answers 200 and nothing to whatever it has yet to hand over.
  internal async Task<bool> End(SemaphoreSlim hurry) {
    ready = false;
    Log.Info("draining", "linger_s", options.Linger.TotalSeconds);
    await hurry.WaitAsync(options.Linger).ConfigureAwait(false);
    var clock = Stopwatch.StartNew();
    bool all = await models.Drain(options.Drain).ConfigureAwait(false);
    lock (gate) closed = true;
    while (Open > 0 && clock.Elapsed < options.Drain) await Task.Delay(5).ConfigureAwait(false);
    lock (gate) {
      all &= open == 0;
      Log.Info("end", "arrived", arrived, "answered", answered, "all", all);
    }
    return all;
  }
}
