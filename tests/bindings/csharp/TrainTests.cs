using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Haft;
using NUnit.Framework;

namespace HaftTests {

internal sealed class Squares : Dataset {
  internal readonly HashSet<int> Threads = new HashSet<int>();
  internal long FailAt = -1;
  internal Exception Failure;
  private readonly long count;
  internal Squares(long count) { this.count = count; }
  public override long Count { get { return count; } }
  public override Tensor[] GetItem(long index) {
    lock (Threads) Threads.Add(Thread.CurrentThread.ManagedThreadId);
    if (index == FailAt) throw Failure;
    return new[] { Tensor.Of((float)index, index * index), Tensor.Scalar(index) };
  }
}

[TestFixture]
public class TrainTests : Scoped {
  [Test]
  public void OptimizersFollowTheirFormulas() {
    Tensor p = Tensor.Of(1.0, -2).RequiresGrad_();
    using (var sgd = new SGD(new[] { p }, 0.1, momentum: 0.9, weightDecay: 0.01)) {
      double[] v = { 0, 0 }, x = { 1, -2 };
      for (int step = 0; step < 5; ++step) {
        sgd.ZeroGrad();
        p.Square().Sum().Backward();
        sgd.Step();
        for (int i = 0; i < 2; ++i) {
          double g = 2 * x[i] + 0.01 * x[i];
          v[i] = step == 0 ? g : 0.9 * v[i] + g;
          x[i] -= 0.1 * v[i];
        }
      }
      Check.Close(x, p, 1e-12);
      Assert.AreEqual(0.1, sgd.LearningRate);
      sgd.LearningRate = 0.2;
      Assert.AreEqual(0.2, sgd.ParamGroups[0].LearningRate);
      Assert.AreEqual(0.9, sgd.ParamGroups[0]["momentum"]);
      ParamGroup second = sgd.AddParamGroup(new[] { Tensor.Of(1.0).RequiresGrad_() });
      second["momentum"] = 0.5;
      Assert.AreEqual(0.9, sgd.ParamGroups[0]["momentum"]);
      Assert.AreEqual(2, sgd.ParamGroups.Count);
      Assert.AreEqual(1, second.Parameters.Length);
      Assert.AreEqual(2, sgd.State(0, "momentum_buffer").NumElements);
      Check.Throws<ArgumentException>(() => second["nothing"] = 1);
    }
    Tensor q = Tensor.Of(1.0).RequiresGrad_();
    using (var adam = new Adam(new[] { q }, 0.01)) {
      q.Mul(3).Sum().Backward();
      adam.Step();
      Check.Close(new[] { 0.99 }, q, 1e-8);
    }
    using (var adamw = new AdamW(new[] { q }, 0.01, weightDecay: 0.5)) adamw.Step();
    Check.Throws<AutogradException>(() => new SGD(new[] { q * 1 }));
  }

  [Test]
  public void SchedulesChangeTheRate() {
    Tensor p = Tensor.Of(1.0).RequiresGrad_();
    using (var o = new SGD(new[] { p }, 1)) {
      Rates(o, new StepLR(o, 2, 0.5), 1, 1, 0.5, 0.5, 0.25);
      Rates(o, new MultiStepLR(o, (1, 3), 0.1), 1, 0.1, 0.1, 0.01, 0.01);
      Rates(o, new ExponentialLR(o, 0.5), 1, 0.5, 0.25, 0.125, 0.0625);
      Rates(o, new CosineAnnealingLR(o, 4), 1, (1 + Math.Sqrt(0.5)) / 2, 0.5, (1 - Math.Sqrt(0.5)) / 2, 0);
      Rates(o, new LinearLR(o, 0.5, 1, 2), 0.5, 0.75, 1, 1, 1);
      Rates(o, new LambdaLR(o, epoch => 1.0 / (epoch + 1)), 1, 0.5, 1.0 / 3, 0.25, 0.2);
      var mine = new FormatException("rate");
      int calls = 0;
      using (var bad = new LambdaLR(o, epoch => { if (calls++ > 0) throw mine; return 1; })) Assert.AreSame(mine, Check.Throws<FormatException>(() => bad.Step()));
    }
  }
  private static void Rates(Optimizer o, Scheduler s, params double[] want) {
    using (s) {
      for (int i = 0; i < want.Length; ++i) {
        Assert.AreEqual(want[i], o.LearningRate, 1e-12, s.GetType().Name + " at " + i);
        Assert.AreEqual(i, s.LastEpoch);
        s.Step();
      }
    }
    o.LearningRate = 1;
  }

  [Test]
  public void ClippingLimitsGradients() {
    Tensor a = Tensor.Of(3.0).RequiresGrad_(), b = Tensor.Of(4.0).RequiresGrad_();
    a.Grad = Tensor.Of(3.0);
    b.Grad = Tensor.Of(4.0);
    Check.Close(new[] { 5.0 }, Clip.GradNorm_(new[] { a, b }, 1), 1e-12);
    Check.Close(new[] { 0.8 }, b.Grad, 1e-5);
    Clip.GradValue_(new[] { a, b }, 0.1);
    Check.Close(new[] { 0.1 }, a.Grad, 1e-12);
  }

  [Test]
  public void ALoaderMakesBatchesOfADatasetOfOnesOwn() {
    using (var data = new Squares(10))
    using (var loader = new DataLoader(data, 4, numWorkers: 2)) {
      Assert.AreEqual(3, loader.BatchCount);
      Assert.AreEqual(10, loader.SampleCount);
      for (int epoch = 0; epoch < 2; ++epoch) {
        var seen = new List<long>();
        foreach (Tensor[] batch in loader) {
          Assert.AreEqual(2, batch.Length);
          Assert.AreEqual(2, batch[0].NDim);
          seen.AddRange(batch[1].ToArray<long>());
          Check.Close(batch[1].ToArray<long>().Select(i => (double)i * i).ToArray(), batch[0][TensorIndex.All, 1], 0);
        }
        CollectionAssert.AreEqual(Enumerable.Range(0, 10).Select(i => (long)i), seen);
      }
      Assert.Greater(data.Threads.Count, 1);
      Assert.AreEqual(9, data[9][1].Item<long>());
    }
  }

  [Test]
  public void WhatADatasetThrowsArrivesAsItself() {
    foreach (int workers in new[] { 0, 2 }) {
      var mine = new FormatException("item – 七");
      using (var data = new Squares(10) { FailAt = 5, Failure = mine })
      using (var loader = new DataLoader(data, 2, numWorkers: workers)) {
        var got = new List<long>();
        Exception caught = null;
        try {
          foreach (Tensor[] batch in loader) got.AddRange(batch[1].ToArray<long>());
        } catch (FormatException e) {
          caught = e;
        }
        Assert.AreSame(mine, caught);
        CollectionAssert.AreEqual(new long[] { 0, 1, 2, 3 }, got);
      }
    }
    using (var wrong = new Uneven())
    using (var loader = new DataLoader(wrong, 2)) StringAssert.Contains("item 3 is float32 [2], the first item's is float32 [1]", Check.Throws<HaftException>(() => loader.ToList()).Message);
    using (var none = new Squares(0)) Check.Throws<InvalidOperationException>(() => new DataLoader(none));
    Check.Throws<ArgumentNullException>(() => new DataLoader(null));
  }
  private sealed class Uneven : Dataset {
    public override long Count { get { return 4; } }
    public override Tensor[] GetItem(long index) { return new[] { Tensor.Zeros(index == 3 ? 2 : 1) }; }
  }

  [Test]
  public void OrdersAndPlacesRepeat() {
    Tensor x = Tensor.Arange(100).Float();
    using (var data = new TensorDataset(x)) {
      Func<DataLoader, double[]> all = l => l.SelectMany(b => b[0].Double().ToArray<double>()).ToArray();
      using (var a = new DataLoader(data, 8, true, 1, seed: 5))
      using (var b = new DataLoader(data, 8, true, seed: 5)) {
        double[] first = all(a);
        CollectionAssert.AreEqual(first, all(b));
        CollectionAssert.AreNotEqual(first, all(a));
        CollectionAssert.AreEquivalent(x.Double().ToArray<double>(), first);
        // Half of an epoch here, the rest elsewhere.
        var half = new List<double>();
        foreach (Tensor[] batch in b) {
          half.AddRange(batch[0].Double().ToArray<double>());
          if (half.Count == 40) break;
        }
        using (var c = new DataLoader(data, 8, true, seed: 99)) {
          c.State = b.State;
          half.AddRange(all(c));
          CollectionAssert.AreEquivalent(x.Double().ToArray<double>(), half);
        }
      }
      using (var some = new DataLoader(data, 10, indices: Tensor.Of(3L, 1, 4))) CollectionAssert.AreEqual(new double[] { 3, 1, 4 }, all(some));
      using (var drawn = new DataLoader(data, 10, weights: Tensor.Cat(new[] { Tensor.Ones(1), Tensor.Zeros(99) }), replacement: true, numSamples: 20)) CollectionAssert.AreEqual(new double[20], all(drawn));
      using (var last = new DataLoader(data, 30, dropLast: true)) Assert.AreEqual(3, last.Count());
    }
  }

  [Test]
  public void TransformsChangeOneField() {
    Tensor pictures = Tensor.From(Enumerable.Range(0, 2 * 1 * 4 * 4).Select(i => (byte)(i * 8)).ToArray(), (2, 1, 4, 4));
    using (var data = new TensorDataset(pictures, Tensor.Of(0L, 1L)))
    using (Transform scale = Transform.ToFloat(), normal = Transform.Normalize(0.5, 0.25), crop = Transform.RandomCrop(3, 3, 1), flip = Transform.RandomHorizontalFlip(), turn = Transform.RandomRotation(10)) {
      using (var loader = new DataLoader(data, 2, transforms: new[] { scale, normal }))
        Check.Close(pictures.Double().ToArray<double>().Select(v => (v / 255 - 0.5) / 0.25).ToArray(), loader.First()[0]);
      using (var loader = new DataLoader(data, 2, transforms: new[] { scale, crop, flip, turn }, seed: 3)) Assert.AreEqual(new long[] { 2, 1, 3, 3 }, loader.First()[0].Shape);
    }
  }

  [Test]
  public void FoldersOfPictures() {
    string folder = Check.Folder();
    for (int i = 0; i < 4; ++i) {
      string of = Path.Combine(folder, i % 2 == 0 ? "cat" : "bird");
      Directory.CreateDirectory(of);
      Pictures.SavePng(Tensor.Full(new Dims(3, 5 + i, 7), 10.0 * i).To(DType.UInt8), Path.Combine(of, i + ".png"));
    }
    using (var data = new ImageFolderDataset(folder)) {
      Assert.AreEqual(new[] { "bird", "cat" }, data.Classes);
      Check.Equal(data.Targets(), 4, 0, 0, 1, 1);
      Assert.AreEqual(new long[] { 3, 8, 7 }, data[1][0].Shape);
      using (Transform part = Transform.RandomResizedCrop(4, 4, ratioLow: 1, ratioHigh: 1), scale = Transform.ToFloat(1))
      using (var loader = new DataLoader(data, 4, numWorkers: 2, transforms: new[] { part, scale }, seed: 3)) {
        Tensor[] batch = loader.First();
        Assert.AreEqual(new long[] { 4, 3, 4, 4 }, batch[0].Shape);
        Check.Close(new double[] { 10, 30, 0, 20 }, batch[0].Select(1, 0).Select(1, 0).Select(1, 0));
      }
    }
    string cat = Path.Combine(folder, "cat", "2.png");
    using (var data = new ImageFilesDataset(new[] { cat }, new long[] { 7 }, 1)) Assert.AreEqual(new long[] { 1, 7, 7 }, data[0][0].Shape);
    Assert.AreEqual(new long[] { 4, 7, 7 }, Pictures.Load(cat, 4).Shape);
    Check.Throws<IOException>(() => new ImageFolderDataset(Path.Combine(folder, "cat")).Dispose());
  }

  [Test]
  public void TablesPicturesAndTheirTransforms() {
    string table = Path.Combine(Check.Folder(), "t.csv"), pictures = Path.Combine(Check.Folder(), "c.bin");
    File.WriteAllText(table, "a;b;label\n1;2;0\n3;4;1\n");
    File.WriteAllBytes(pictures, Enumerable.Range(0, 2 * 3073).Select(i => (byte)(i % 3073 == 0 ? i / 3073 : 100)).ToArray());
    using (var csv = new CsvDataset(table, -1, skipLines: 1, delimiter: ';')) {
      Assert.AreEqual(2, csv.Count);
      Check.Equal(csv[1][0], 2, 3, 4);
      Check.Close(new double[] { 1 }, csv[1][1].Double());
    }
    Check.Throws<IOException>(() => new CsvDataset(table).Dispose());
    using (var cifar = new CifarDataset(new[] { pictures }))
    using (Transform size = Transform.Resize(8), middle = Transform.CenterCrop(4, 6), flip = Transform.RandomVerticalFlip(), colours = Transform.ColorJitter(0.1, 0.1, 0.1, 0.1), grey = Transform.Grayscale(), scale = Transform.ToFloat())
    using (var loader = new DataLoader(cifar, 2, transforms: new[] { size, middle, flip, colours, grey, scale }, seed: 3)) {
      Tensor[] batch = loader.First();
      Assert.AreEqual(new long[] { 2, 1, 4, 6 }, batch[0].Shape);
      Check.Equal(batch[1], 2, 0, 1);
    }
  }

  [Test]
  public void Measures() {
    using (var a = new Evaluator(2, 2))
    using (var b = new Evaluator(2, 2)) {
      a.Update(Tensor.Of(1.0f, 0, 1, 0).Reshape(2, 2), Tensor.Of(0L, 1));
      a.Add(Tensor.Of(1.0f, 3));
      b.SetState(a.State().Add(a.State()));
      Assert.AreEqual(0.5, b.Accuracy());
      Assert.AreEqual(1, b.Accuracy(2));
      Assert.AreEqual(2, b.Mean());
      Check.Equal(b.Confusion(), (2, 2), 2, 0, 2, 0);
    }
  }

  [Test]
  public void PackedSequencesThroughALayer() {
    using (var net = new GRU(2, 3)) {
      Tensor x = Tensor.Randn(3, 2, 2);
      Tensor[] packed = x.PackPaddedSequence(Tensor.Of(1L, 3), false, false);
      Tensor[] output = net.Call(packed[0], Tensor.Zeros(1, 2, 3), packed[1]);
      Tensor[] padded = output[0].PadPackedSequence(packed[1], packed[3]);
      Assert.AreEqual(new long[] { 3, 2, 3 }, padded[0].Shape);
      Check.Equal(padded[1], 2, 1, 3);
    }
  }

  [Test]
  public void CancellingEndsTheWait() {
    foreach (bool token in new[] { true, false }) {
      using (var data = new Stuck())
      using (var loader = new DataLoader(data, 1, numWorkers: 1))
      using (var stop = new CancellationTokenSource()) {
        var other = new Thread(() => {
          data.Reached.Wait();
          if (token) stop.Cancel();
          else loader.Cancel();
        });
        other.Start();
        if (token) Check.Throws<OperationCanceledException>(() => { foreach (Tensor[] b in loader.Enumerate(stop.Token)) b[0].Dispose(); });
        else Assert.LessOrEqual(loader.Count(), Stuck.At);
        other.Join();
        data.Go.Set();
      }
    }
  }
  [Test]
  public void DisposingEndsTheWait() {
    using (var data = new Slow()) {
      var loader = new DataLoader(data, 500, numWorkers: 1);  // ten seconds a batch
      int got = -1;
      var reader = new Thread(() => got = loader.Count());
      reader.Start();
      data.Reached.Wait();
      loader.Dispose();
      reader.Join();
      Assert.AreEqual(0, got, "a thread that waits for a batch wakes when the loader is disposed");
      loader.Dispose();
    }
  }
  private sealed class Slow : Dataset {
    internal readonly ManualResetEventSlim Reached = new ManualResetEventSlim();
    public override long Count { get { return 1000; } }
    public override Tensor[] GetItem(long index) {
      if (index == 3) Reached.Set();
      Thread.Sleep(20);
      return new[] { Tensor.Scalar(index) };
    }
  }
  private sealed class Stuck : Dataset {
    internal const int At = 3;
    internal readonly ManualResetEventSlim Reached = new ManualResetEventSlim(), Go = new ManualResetEventSlim();
    public override long Count { get { return 1000; } }
    public override Tensor[] GetItem(long index) {
      if (index == At) {
        Reached.Set();
        Go.Wait();
      }
      return new[] { Tensor.Scalar(index) };
    }
  }

  private sealed class Reports : IProgress<TrainingProgress> {
    internal readonly List<TrainingProgress> All = new List<TrainingProgress>();
    internal Action<TrainingProgress> Then;
    public void Report(TrainingProgress p) {
      All.Add(p);
      if (Then != null) Then(p);
    }
  }

  [Test]
  public void ATrainerLearnsReportsAndStops() {
    Runtime.ManualSeed(0);
    Tensor x = Tensor.Randn(256, 2);
    Tensor y = (x.Select(1, 0) * x.Select(1, 1) > 0).Long();
    using (var data = new TensorDataset(x, y))
    using (var loader = new DataLoader(data, 32, true, seed: 1))
    using (var net = new Sequential(new Linear(2, 32), new Tanh(), new Linear(32, 2)))
    using (var adam = new Adam(net.Parameters(), 0.02))
    using (var schedule = new CosineAnnealingLR(adam, 8 * 40)) {
      var reports = new Reports();
      var trainer = new Trainer(net, adam) { Scheduler = schedule, MaxGradNorm = 5, ReportEvery = TimeSpan.Zero };
      long before = Runtime.LiveHandles;
      TrainingProgress end = trainer.Fit(loader, 40, reports);
      Assert.Less(Runtime.LiveHandles - before, 60);
      Assert.AreEqual(320, reports.All.Count);
      Assert.Greater(end.Accuracy, 0.95);
      Assert.Less(end.Loss, reports.All[7].Loss);
      Assert.AreEqual(256, end.Samples);
      Assert.IsTrue(end.EpochEnds);
      using (var stop = new CancellationTokenSource()) {
        var few = new Reports { Then = p => { if (p.Step == 3) stop.Cancel(); } };
        Check.Throws<OperationCanceledException>(() => trainer.Fit(loader, 1, few, stop.Token));
        Assert.AreEqual(3, few.All.Count);
      }
      Assert.AreEqual(1, trainer.FitAsync(loader).Result.Epoch);
    }
  }

  // After two epochs the rate is too high, and the loss climbs.
  [Test]
  public void ATrainerEndsEarlyWithTheBestWeights() {
    Runtime.ManualSeed(3);
    using (var scope = new DisposeScope()) {
      Tensor x = Tensor.Randn(64, 3), y = x.Sum(1, true);
      using (var data = new TensorDataset(x, y))
      using (var loader = new DataLoader(data, 16))
      using (var held = new DataLoader(data, 32))
      using (var net = new Sequential(new Linear(3, 1)))
      using (var sgd = new SGD(net.Parameters(), 0.1))
      using (var rises = new LambdaLR(sgd, step => step < 8 ? 1 : 20)) {
        var reports = new Reports();
        Func<double> loss = () => { using (new NoGrad()) return net.Call(x).MseLoss(y).Item(); };
        var trainer = new Trainer(net, sgd, (output, target) => output.MseLoss(target)) { Scheduler = rises, Validation = held, Patience = 3, RestoreBest = true };
        TrainingProgress end = trainer.Fit(loader, 20, reports);
        Assert.AreEqual(5, end.Epoch);
        Assert.AreEqual(2, end.BestEpoch);
        Assert.IsTrue(end.StoppedEarly);
        Assert.IsTrue(net.IsTraining);
        TrainingProgress best = reports.All.Last(p => p.Epoch == 2);
        Assert.IsTrue(double.IsNaN(best.Accuracy));
        Assert.AreEqual(best.ValidationLoss, loss(), 1e-6);
        Assert.Greater(end.ValidationLoss, 2 * best.ValidationLoss);
        // Without RestoreBest the weights are those of the last epoch, and a step downhill of less than MinDelta is none.
        trainer.RestoreBest = false;
        trainer.Scheduler = null;
        sgd.LearningRate = 0.05;
        trainer.MinDelta = 1e9;
        end = trainer.Fit(loader, 20);
        Assert.AreEqual(4, end.Epoch);
        Assert.AreEqual(1, end.BestEpoch);
        Assert.AreEqual(end.ValidationLoss, loss(), 1e-6);
        Check.Throws<ArgumentException>(() => trainer.Fit(loader, 0));
        Check.Throws<DivideByZeroException>(() => new Trainer(net, sgd, (output, target) => { throw new DivideByZeroException(); }).Fit(loader));
        Check.Throws<ArgumentException>(() => new Trainer(net, sgd, (output, target) => output).Fit(loader));
      }
    }
  }

  [Test]
  public void ACheckpointGoesOnWithTheSameNumbers() {
    string path = Path.Combine(Check.Folder(), "lauf.ckpt");
    Tensor x = Tensor.Randn(24, 3), y = Tensor.Randn(24, 1);
    using (var data = new TensorDataset(x, y)) {
      Func<int, string, double[]> run = (from, save) => {
        using (var loader = new DataLoader(data, 8, true, seed: 2))
        using (var net = new Sequential(new Linear(3, 4), new Dropout(0.3), new Linear(4, 1)))
        using (var adam = new Adam(net.Parameters(), 0.05))
        using (var schedule = new StepLR(adam, 2)) {
          var all = new Checkpoint { Module = net, Optimizer = adam, Scheduler = schedule, Loader = loader };
          if (from > 0)
            using (CheckpointValues values = all.Load(path)) {
              Assert.AreEqual(from, values.Integer("epoch"));
              Assert.AreEqual(0.25, values.Number("best"));
              Assert.AreEqual("größe", values.Text("note"));
              Check.Throws<ArgumentException>(() => values.Number("none"));
            }
          for (int epoch = from; epoch < 4; ++epoch) {
            if (epoch == 2 && save != null) {
              all.Values["epoch"] = epoch;
              all.Values["best"] = 0.25;
              all.Values["note"] = "größe";
              all.Save(save);
            }
            foreach (Tensor[] b in loader) {
              adam.ZeroGrad();
              net.Call(b[0]).MseLoss(b[1]).Backward();
              adam.Step();
            }
            schedule.Step();
          }
          return net.Parameters().SelectMany(p => p.Detach().Double().ToArray<double>()).ToArray();
        }
      };
      double[] whole = run(0, path);
      Runtime.ManualSeed(12345);
      CollectionAssert.AreEqual(whole, run(2, null));
      var bad = new Checkpoint();
      bad.Values["x"] = new object();
      Check.Throws<ArgumentException>(() => bad.Save(path));
    }
  }

  [Test]
  public void FilesOfArraysAndCurves() {
    string folder = Check.Folder();
    Tensor t = Tensor.From(Check.Doubles(12), (3, 4));
    Npy.Save(t, Path.Combine(folder, "a.npy"));
    Check.Close(t.ToArray<double>(), Npy.Load(Path.Combine(folder, "a.npy")), 0);
    Weights.Save(new StateDict { { "größe", t }, { "b", Tensor.Of(true) } }, Path.Combine(folder, "w.safetensors"));
    StateDict back = Weights.Load(Path.Combine(folder, "w.safetensors"));
    CollectionAssert.AreEquivalent(new[] { "größe", "b" }, back.Keys);
    Check.Close(t.ToArray<double>(), back["größe"], 0);
    string path;
    using (var writer = new Writer(Path.Combine(folder, "runs"))) {
      writer.AddScalar("loss", 0.5, 1);
      writer.AddHistogram("weights", t, 1);
      using (var net = new Linear(4, 2)) writer.AddGraph(net, new[] { t.To(DType.Float32) });
      writer.Flush();
      path = writer.Path;
    }
    Assert.Greater(new FileInfo(path).Length, 100);
    File.WriteAllText(Path.Combine(folder, "bad.npy"), "no array");
    var corrupt = Check.Throws<IOException>(() => Npy.Load(Path.Combine(folder, "bad.npy")));
    Assert.AreEqual(ErrorCode.Corrupt, HaftException.Of(corrupt).Code);
    Check.Throws<ArgumentException>(() => Npy.Load("a\0b"));
    Check.Throws<ArgumentNullException>(() => Npy.Load(null));
  }

  [Test]
  public void TheProfilerAndTheLog() {
    using (var profiler = new Profiler(true)) {
      using (Profiler.Range("mine")) Tensor.Randn(4, 4).Mm(Tensor.Randn(4, 4));
      using (Profile p = profiler.Stop()) {
        StringAssert.Contains("mm", p.Table());
        string trace = Path.Combine(Check.Folder(), "trace.json");
        p.WriteTrace(trace);
        StringAssert.Contains("mine", File.ReadAllText(trace));
      }
    }
    using (var net = new Sequential(new Linear(2, 2)))
    using (var profiler = new Profiler(false, true, true, true)) {
      net.Call(Tensor.Ones(1, 2)).Dispose();
      using (Profile p = profiler.Stop()) StringAssert.Contains("Linear", p.Table());
    }
    if (Environment.GetEnvironmentVariable("HAFT_BACKEND_PATH") != null)
      using (Tensor there = Tensor.Ones(3).To("sim:0"))
      using (var profiler = new Profiler(false, true)) {
        there.Exp().Dispose();
        using (Profile p = profiler.Stop()) StringAssert.Contains("sim_exp", p.Table());
      }
    var lines = new List<string>();
    Runtime.SetLogSink(LogLevel.Debug, (level, text) => { lock (lines) lines.Add(level + text); });
    Runtime.TrimMemory(Device.Cpu);
    Runtime.SetLogSink(LogLevel.None, null);
    StringAssert.IsMatch(@"^\d+\.\d+\.\d+$", Runtime.Version);
    StringAssert.Contains("haft", Runtime.Describe());
    using (var net = new Linear(4, 3))
    using (var session = new InferenceSession(net, name: "of the \"text\"")) {
      using (Tensor x = Tensor.Ones(1, 4)) session.Run(x).Dispose();
      string text = Runtime.MetricsText();
      StringAssert.Contains("haft_session_requests_total{session=\"of the \\\"text\\\"\",outcome=\"completed\"} 1\n", text);
      StringAssert.Contains("haft_memory_live_bytes{device=\"cpu\"} ", text);
    }
    int threads = Runtime.NumThreads;
    Runtime.NumThreads = 1;
    Assert.AreEqual(1, Runtime.NumThreads);
    Runtime.NumThreads = threads;
    Runtime.DefaultDType = DType.Float64;
    Assert.AreEqual(DType.Float64, Tensor.Zeros(1).DType);
    Runtime.DefaultDType = DType.Float32;
    using (var s = new DeviceStream(Device.Cpu, -1))
    using (var e = new DeviceEvent(Device.Cpu)) {
      Functions.SetCurrentStream(s);
      e.Record();
      s.Wait(e);
      s.Synchronize();
      Assert.IsTrue(e.IsDone());
      Assert.AreEqual(Device.Cpu, Functions.CurrentStream(Device.Cpu).Device());
      Functions.SetCurrentStream(Functions.DefaultStream(Device.Cpu));
    }
    foreach (bool versioned in new[] { false, true })
      using (Tensor x = Tensor.Of(1f, 2f), y = Tensor.FromDlpack(x.ToDlpack(versioned), versioned)) {
        x.Fill_(7);
        Check.Equal(y, 2, 7, 7);
      }
    using (var p = Tensor.Ones(1).RequiresGrad_())
    using (var o = new SGD(new[] { p }, 1.0))
    using (var from = new StepLR(o, 2))
    using (var to = new StepLR(o, 2)) {
      from.Step();
      to.LoadStateDict(from.StateDict());
      Assert.AreEqual(1, to.LastEpoch);
    }
    Assert.AreEqual(MathPrecision.Fast, Runtime.MathPrecision);
    Runtime.MathPrecision = MathPrecision.Exact;
    Assert.AreEqual(MathPrecision.Exact, Runtime.MathPrecision);
    Runtime.MathPrecision = MathPrecision.Fast;
    using (var norm = new BatchNorm1d(3)) Assert.AreEqual(3, norm.NamedBuffers().Count);
    Assert.AreEqual(Determinism.Off, Runtime.Deterministic);
    foreach (Determinism d in new[] { Determinism.Warn, Determinism.Error, Determinism.Off }) {
      Runtime.Deterministic = d;
      Assert.AreEqual(d, Runtime.Deterministic);
    }
    DeviceProperties cpu = Device.Cpu.Properties;
    StringAssert.StartsWith("device: cpu\nname: " + cpu.Name, Device.Cpu.Describe());
    Assert.IsTrue(cpu.Multiprocessors > 0 && cpu.TotalMemory > 1 << 20 && cpu.Name != "" && cpu.Pci == "");
    using (Tensor w = Tensor.Ones(1000, 1000), row = w.Select(0, 3)) {
      long live = Runtime.GetMemoryStats().Live;
      Assert.AreEqual(0, Runtime.MemoryFreeBlocks(Device.Cpu).Length);
      w.Decommit();
      Assert.IsFalse(row.IsCommitted());
      Assert.AreEqual(live - 4000000, Runtime.GetMemoryStats().Live);
      StringAssert.Contains("decommitted", Check.Throws<HaftArgumentException>(() => row.Sum()).Message);
      Check.Throws<HaftArgumentException>(() => row.ToArray<float>());
      w.Commit();
      w.Fill_(2);
      Assert.AreEqual(2000, row.Sum().Item());
    }
    Assert.AreEqual(1, Device.Count("cpu"));
    Assert.AreEqual(0, Device.Count("nowhere"));
  }
}
}
