// The models by name: each has a session of its own, so that one that is overrun does not hold up the others.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Haft;

struct Guess {
  internal long Class;
  internal float Probability;
}

sealed class Model : IDisposable {
  internal readonly string Name;
  internal readonly bool Embeds;  // sentences, in the place of guesses about pictures
  readonly ModelOption what;
  readonly Device device;
  readonly InferenceSession session;
  internal long Updates, Refusals;  // exchanges of the weights

  // Loads or trains, and runs once: the first client shall not wait for what is made at first use.
  internal Model(ModelOption what, Options o) {
    this.what = what;
    device = o.Device;
    Name = what.Name;
    Embeds = what.Architecture == Architectures.OfSentences;
    if (!Embeds && !File.Exists(what.File))
      using (Module fresh = Architectures.All[what.Architecture]().To(device)) Architectures.Train(Name, fresh, o.Data, what.File);
    OnDevice net = Load();
    session = new InferenceSession(net, maxBatch: o.MaxBatch, maxDelay: o.MaxDelay, maxQueue: o.MaxQueue,
                                   memoryLimit: o.MemoryLimit, workers: o.Workers, name: Name);
    using (Tensor full = Embeds ? ((Sentences)net.Net).Tokens(Enumerable.Repeat("warm", o.MaxBatch).ToList())
                                : Tensor.Zeros(o.MaxBatch, 1, Architectures.Side, Architectures.Side)) {
      session.Run(full).Dispose();
    }
    Log.Info("model.ready", "model", Name, "architecture", what.Architecture, "file", what.File, "parameters",
             net.ParameterCount);
  }

  OnDevice Load() {
    if (Embeds) return new OnDevice(new Sentences(what.File), device);
    Module net = Architectures.All[what.Architecture]();
    try {
      net.Load(what.File);
      return new OnDevice(net, device);
    } catch (Exception) {
      net.Dispose();
      throw;
    }
  }

  internal async Task<float[][]> Embed(List<string> sentences, TimeSpan timeout) {
    using (new DisposeScope()) {
      var encoder = (Sentences)((OnDevice)session.Module).Net;  // another vocabulary wants another name: what waits is not read again
      Tensor y = await session.RunAsync(encoder.Tokens(sentences), timeout: timeout).ConfigureAwait(false);
      float[] numbers = y.ToArray<float>();
      int width = (int)y.Shape[1];
      return sentences.Select((s, i) => numbers.Skip(i * width).Take(width).ToArray()).ToArray();
    }
  }
  internal async Task<Guess[]> Predict(float[] pixels, int rows, TimeSpan timeout) {
    using (new DisposeScope()) {  // of this request, on whatever thread it goes on
      Tensor scores = await session.RunAsync(Architectures.Input(pixels, rows), timeout: timeout).ConfigureAwait(false);
      var best = scores.Softmax(1).Max(1);
      long[] classes = best.Indices.ToArray<long>();
      float[] sure = best.Values.ToArray<float>();
      return classes.Select((k, i) => new Guess { Class = k, Probability = sure[i] }).ToArray();
    }
  }

  // The file's weights. The session tries them out beside its requests and exchanges them between two batches; a file
  // that does not do leaves it as it is.
  internal bool Reload() {
    var clock = Stopwatch.StartNew();
    Module next = null, before = session.Module;
    try {
      next = Load();
      session.Update(next);
    } catch (Exception e) {
      if (next != null) next.Dispose();
      Interlocked.Increment(ref Refusals);
      Log.Warning("model.refused", "model", Name, "file", what.File, "error", e.Message);
      return false;
    }
    before.Dispose();  // its last batch is over
    Interlocked.Increment(ref Updates);
    Log.Info("model.updated", "model", Name, "file", what.File, "ms", clock.Elapsed.TotalMilliseconds);
    return true;
  }

  internal Task<bool> Drain(TimeSpan limit) { return session.DrainAsync(limit); }
  public void Dispose() {
    session.Dispose();
    session.Module.Dispose();
  }
}

sealed class Models : IDisposable {
  volatile IReadOnlyDictionary<string, Model> all = new Dictionary<string, Model>();
  internal IEnumerable<Model> All {
    get { return all.Values; }
  }
  internal Model this[string name] {
    get {
      Model m;
      return all.TryGetValue(name, out m) ? m : null;
    }
  }
  // One is there as soon as it is warm.
  internal void Load(Options o) {
    foreach (ModelOption what in o.Models) {
      var more = all.ToDictionary(p => p.Key, p => p.Value);
      more.Add(what.Name, new Model(what, o));
      all = more;
    }
  }
  internal void Reload() {
    foreach (Model m in All) m.Reload();
  }
  // False when requests were left after the time.
  internal async Task<bool> Drain(TimeSpan limit) {
    return (await Task.WhenAll(All.Select(m => m.Drain(limit))).ConfigureAwait(false)).All(done => done);
  }
  public void Dispose() {
    foreach (Model m in All) m.Dispose();
  }
}
