// What is asked, and the answer.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Net;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Haft;

sealed class Answer {
  internal int Status = 200, RetryAfter, Rows;
  internal string Type = "application/json", Body, Error;
  internal bool Close;
}

sealed class Routes {
  readonly Options options;
  readonly Models models;
  readonly Server server;
  readonly Figures figures = new Figures();
  int open;  // predictions in work

  internal Routes(Options options, Models models, Server server) {
    this.options = options;
    this.models = models;
    this.server = server;
  }

  internal async Task<Answer> Reply(HttpListenerRequest request, Stopwatch clock) {
    string path = request.Url.AbsolutePath;
    string[] parts = path.Split('/');
    switch (path) {
      case "/health": return new Answer { Body = "{\"status\": \"ok\"}" };
      case "/ready":
        bool ready = server.IsReady;
        return new Answer { Status = ready ? 200 : 503, Body = "{\"ready\": " + (ready ? "true" : "false") + "}" };
      case "/metrics":
        return new Answer { Type = "text/plain; version=0.0.4",
                            Body = figures.Text(models, server.IsReady, Volatile.Read(ref open)) };
      case "/models":
        return new Answer { Body = "{\"models\": [" + string.Join(", ", models.All.Select(m => "\"" + m.Name + "\"")) +
                                   "]}" };
    }
    if (parts.Length != 4 || parts[1] != "models" || parts[3] != "predict" && parts[3] != "embed")
      return Refused(new Refusal(404, "POST /models/NAME/predict or /models/NAME/embed; GET /models, /health, /ready, /metrics"));
    Model model = models[parts[2]];
    if (model == null)
      return Refused(models.All.Count() < options.Models.Count ? new Refusal(503, "the models are being loaded", 1)
                                                               : new Refusal(404, "no model of this name"));
    if (model.Embeds != (parts[3] == "embed"))
      return Refused(new Refusal(404, "POST /models/" + model.Name + (model.Embeds ? "/embed" : "/predict")));
    Answer a;
    try {
      if (Interlocked.Increment(ref open) > options.MaxOpen)
        throw new Refusal(503, options.MaxOpen + " requests are in work already", 1);
      a = await Predict(request, model, clock).ConfigureAwait(false);
    } catch (Exception e) {
      Refusal refusal = Refusal.Of(e);
      if (refusal.Status == 500) Log.Error("failure", "model", model.Name, "error", e.ToString());
      a = Refused(refusal);
    } finally {
      Interlocked.Decrement(ref open);
    }
    figures.Count(model.Name, a.Status, clock.Elapsed);
    return a;
  }
  static Answer Refused(Refusal refusal) {
    // After a body that was not read to its end no other request can follow on the connection.
    return new Answer { Status = refusal.Status, RetryAfter = refusal.RetryAfter, Body = Json.Error(refusal.Message),
                        Error = refusal.Message, Close = refusal.Status == 408 || refusal.Status == 413 };
  }

  async Task<Answer> Predict(HttpListenerRequest request, Model model, Stopwatch clock) {
    if (request.HttpMethod != "POST")
      throw new Refusal(405, model.Embeds ? "POST {\"sentences\": [\"...\", ...]}"
                                          : "POST {\"inputs\": [[" + Architectures.Pixels + " numbers], ...]}");
    TimeSpan limit = Limit(request);
    ArraySegment<byte> body = await Body(request, limit).ConfigureAwait(false);
    if (model.Embeds) return await Embed(body, model, limit - clock.Elapsed).ConfigureAwait(false);
    int rows;
    float[] pixels = Json.Rows(body.Array, body.Count, Architectures.Pixels, options.MaxRows, out rows);
    TimeSpan left = limit - clock.Elapsed;
    if (left <= TimeSpan.Zero) throw new TimeoutException("the time was over before the model could run");
    Guess[] guesses = await model.Predict(pixels, rows, left).ConfigureAwait(false);
    var s = new StringBuilder("{\"predictions\": [");
    foreach (Guess g in guesses) {
      s.Append(s[s.Length - 1] == '[' ? "{\"class\": " : ", {\"class\": ")
          .Append(g.Class)
          .Append(", \"label\": \"")
          .Append(Architectures.Labels[g.Class])
          .Append("\", \"probability\": ");
      Json.Append(s, g.Probability);
      s.Append('}');
    }
    return new Answer { Rows = rows, Body = s.Append("]}").ToString() };
  }

  async Task<Answer> Embed(ArraySegment<byte> body, Model model, TimeSpan left) {
    List<string> sentences = Json.Texts(body.Array, body.Count, options.MaxRows);
    if (left <= TimeSpan.Zero) throw new TimeoutException("the time was over before the model could run");
    float[][] embeddings = await model.Embed(sentences, left).ConfigureAwait(false);
    var rows = embeddings.Select(row => "[" + string.Join(", ", row.Select(x => x.ToString("R", CultureInfo.InvariantCulture))) + "]");
    return new Answer { Rows = embeddings.Length, Body = "{\"embeddings\": [" + string.Join(", ", rows) + "]}" };
  }

  // What the caller has left of his own time, if that is less than the service's.
  TimeSpan Limit(HttpListenerRequest request) {
    string given = request.Headers["X-Timeout-Ms"];
    int ms;
    if (given == null) return options.Timeout;
    if (!int.TryParse(given, NumberStyles.None, CultureInfo.InvariantCulture, out ms) || ms == 0)
      throw new Refusal(400, "X-Timeout-Ms is no positive integer");
    return ms < options.Timeout.TotalMilliseconds ? TimeSpan.FromMilliseconds(ms) : options.Timeout;
  }

  async Task<ArraySegment<byte>> Body(HttpListenerRequest request, TimeSpan limit) {
    var large = new Refusal(413, "a body of more than " + options.MaxBody + " bytes");
    long told = request.ContentLength64, patience = 4L * options.MaxBody;
    if (told > patience) throw large;
    // One byte more than may come, to see the end.
    var bytes = new byte[told > 0 ? Math.Min(told, options.MaxBody) + 1 : 4096];
    using (var over = new CancellationTokenSource()) {
      Task late = Task.Delay(limit, over.Token);
      try {
        int length = 0;
        for (long total = 0;;) {
          Task<int> read = request.InputStream.ReadAsync(bytes, length, bytes.Length - length);
          if (await Task.WhenAny(read, late).ConfigureAwait(false) != read)
            throw new Refusal(408, "the body did not come in time");
          int more = await read.ConfigureAwait(false);
          total += more;
          if (total > options.MaxBody) {
            // Who is still sending does not look for an answer: what is a little too large is read to its end.
            if (more == 0 || total > patience) throw large;
            length = 0;
            continue;
          }
          if (more == 0) return new ArraySegment<byte>(bytes, 0, length);
          length += more;
          if (length == bytes.Length) Array.Resize(ref bytes, (int)Math.Min(2L * length, options.MaxBody + 1L));
        }
      } finally {
        over.Cancel();
      }
    }
  }
}
