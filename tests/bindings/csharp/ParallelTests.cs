// Models over several ranks and devices: collectives with gradients, spread layers, pipelines, experts, against one process.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class CollectivesTests {
  private static Tensor Leaf(params double[] x) { return Tensor.From(x).RequiresGrad_(); }
  private static void Same(Tensor got, params double[] wanted) { Check.Close(wanted, got, 1e-12); }
  // The gradient of the sum of y times the numbers.
  private static void Back(Tensor y, params double[] slopes) { y.Mul(Tensor.From(slopes)).Sum().Backward(); }

  [Test]
  public void GradientsAreCollectives() {
    Ranks.Run(3, g => {
      using (new DisposeScope()) {
        int r = g.Rank;
        Tensor x = Leaf(1 + r, 2), y = Collectives.AllReduce(g, x);
        Same(y, 6, 6);
        y.Square().Sum().Backward();
        Same(x.Grad, 36, 36);
        x = Leaf(3 * r);
        y = Collectives.AllReduce(g, x, ReduceOp.Avg);
        Same(y, 3);
        Back(y, r);
        Same(x.Grad, 1);
        x = Leaf(r);
        y = Collectives.Broadcast(g, x, 1);
        Same(y, 1);
        Back(y, r + 1);
        Same(x.Grad, r == 1 ? 6 : 0);
        x = Leaf(r);
        y = Collectives.Reduce(g, x, 2);
        Same(y, r == 2 ? 3 : 0);
        Back(y, r + 1);
        Same(x.Grad, 3);

        x = Leaf(Enumerable.Repeat((double)r, r + 1).ToArray());
        y = Collectives.AllGather(g, x, 0, new Dims(1, 2, 3));
        Same(y, 0, 1, 1, 2, 2, 2);
        Back(y, 0, 1, 2, 3, 4, 5);
        Same(x.Grad, r == 0 ? new double[] { 0 } : r == 1 ? new double[] { 3, 6 } : new double[] { 9, 12, 15 });
        Same(Collectives.AllGather(g, Leaf(r, r)), 0, 0, 1, 1, 2, 2);
        x = Leaf(0, 1, 2);
        y = Collectives.ReduceScatter(g, x);
        Same(y, 3 * r);
        Back(y, r + 1);
        Same(x.Grad, 1, 2, 3);
        Same(Collectives.ReduceScatter(g, Leaf(0, 1, 2, 3), 0, ReduceOp.Avg, new Dims(2, 1, 1)), r == 0 ? new double[] { 0, 1 } : new double[] { r + 1 });
        x = Leaf(10 * r, 10 * r + 1, 10 * r + 2);
        y = Collectives.AllToAllSingle(g, x);
        Same(y, r, 10 + r, 20 + r);
        Back(y, r, r, r);
        Same(x.Grad, 0, 1, 2);
        y = Collectives.AllToAllSingle(g, Leaf(r, r, r, r, r, r), new Dims(r + 1, r + 1, r + 1), new Dims(1, 2, 3));
        Assert.AreEqual(3 * (r + 1), y.NumElements);

        x = Leaf(5);
        y = Collectives.CopyTo(g, x);
        Same(y, 5);
        Back(y, r + 1);
        Same(x.Grad, 6);
        x = Leaf(r);
        y = Collectives.ReduceFrom(g, x);
        Same(y, 3);
        Back(y, 7);
        Same(x.Grad, 7);
        x = Leaf(0, 1, 2, 3);
        y = Collectives.SplitTo(g, x);
        Same(y, r == 0 ? new double[] { 0, 1 } : r == 1 ? new double[] { 2, 3 } : new double[0]);  // cut as torch.chunk does
        y.Mul(r + 1.0).Sum().Backward();
        Same(x.Grad, 1, 1, 2, 2);
        x = r == 0 ? Leaf(0, 1) : Leaf(r + 1);
        y = Collectives.GatherFrom(g, x, 0, new Dims(2, 1, 1));
        Same(y, 0, 1, 2, 3);
        Back(y, 5, 6, 7, 8);
        Same(x.Grad, r == 0 ? new double[] { 5, 6 } : new double[] { r + 6 });

        CollectionAssert.AreEqual(new[] { 3, 0.75 }, Collectives.SumValues(g, r, 0.25));
        CollectionAssert.AreEqual(new double[0], Collectives.SumValues(g));
        Collectives.LogRank(g, r);
        Collectives.LogRank(g, ProcessGroup.AnySource);

        Assert.AreEqual(ErrorCode.Autograd, Check.Throws<AutogradException>(() => Collectives.AllReduce(g, Leaf(1), ReduceOp.Max)).Code);
        Check.Throws<ArgumentException>(() => Collectives.AllReduce(null, Leaf(1)));
        Check.Throws<ArgumentException>(() => Collectives.AllReduce(g, null));
        Check.Throws<ArgumentException>(() => Collectives.AllToAllSingle(g, Leaf(1, 2), new Dims(1, 1, 0), new Dims(2)));
        Check.Throws<ArgumentException>(() => Collectives.LogRank(g, 3));
        Check.Throws<ArgumentNullException>(() => SyncBatchNorm.ConvertSyncBatchnorm(null, g));
        g.Barrier();
      }
    });
  }

  private sealed class Net : Module {
    internal readonly Module norm = new BatchNorm1d(3), rest = new Sequential(new BatchNorm1d(3), new Tanh());
    internal Net() { RegisterComponents(); }
    public override Tensor Forward(Tensor x) { return rest.Call(norm.Call(x)); }
  }
  private static Tensor Rows(int from, int to) {
    var all = new float[to - from, 3];
    for (int i = from; i < to; ++i)
      for (int k = 0; k < 3; ++k) all[i - from, k] = (float)Math.Sin(1 + 3 * i + k) * (k + 1);
    return Tensor.From(all);
  }
  internal static void Near(Tensor got, Tensor wanted, double tolerance = 2e-5) {
    using (new NoGrad()) {
      Assert.AreEqual(wanted.Shape.ToArray(), got.Shape.ToArray());
      float[] a = got.Contiguous().ToArray<float>(), b = wanted.Contiguous().ToArray<float>();
      for (int i = 0; i < b.Length; ++i) Assert.AreEqual(b[i], a[i], tolerance, "element " + i);
    }
  }

  [Test]
  public void BatchNormOverAllRanks() {
    Ranks.Run(2, g => {
      int from = g.Rank == 0 ? 0 : 5, to = g.Rank == 0 ? 5 : 8;
      using (new DisposeScope())
      using (Net net = new Net(), whole = new Net()) {
        Assert.AreSame(net, SyncBatchNorm.ConvertSyncBatchnorm(net, g));
        Assert.AreEqual("SyncBatchNorm", net.norm.TypeName);
        Assert.AreEqual("SyncBatchNorm", net.Child("rest.0").TypeName);
        StringAssert.Contains("SyncBatchNorm", net.ToString());
        Tensor x = Rows(from, to).RequiresGrad_(), all = Rows(0, 8).RequiresGrad_();
        Tensor y = net.Call(x), wanted = whole.Call(all);
        y.Square().Sum().Backward();
        wanted.Square().Sum().Backward();
        Near(y, wanted.Narrow(0, from, to - from));
        Near(x.Grad, all.Grad.Narrow(0, from, to - from), 1e-4);
        Near(net.norm.Buffer("running_var"), whole.norm.Buffer("running_var"));
        Tensor mean = Tensor.Zeros(3);
        Assert.AreEqual(to - from, Collectives.SyncBatchNorm(g, Rows(from, to), runningMean: mean, momentum: 1).Shape[0]);
        Near(mean, Rows(0, 8).Mean(new Dims(0)));
        using (Module alone = new BatchNorm1d(3)) {
          Assert.AreSame(alone, SyncBatchNorm.ConvertSyncBatchnorm(alone, g));
          Assert.AreEqual("SyncBatchNorm", alone.TypeName);
        }
      }
    });
  }

  // What is made over a group keeps it, when nobody else does.
  [Test]
  public void ModulesKeepTheirGroups() {
    Ranks.Run(2, g => {
      var both = new Dims(0, 1);
      using (new DisposeScope())
      using (Module norm = SyncBatchNorm.ConvertSyncBatchnorm(new BatchNorm1d(3), g.Subgroup(both)), linear = new Linear(3, 3))
      using (var ddp = new DistributedDataParallel(linear, g.Subgroup(both)))
      using (Module column = new ColumnParallelLinear(g.Subgroup(both), linear)) {
        ddp.SetPostLocal(g.Subgroup(both), 0);
        var scrub = new Thread(() => { GC.Collect(); GC.WaitForPendingFinalizers(); });
        scrub.Start();
        scrub.Join();
        g.Barrier();
        Assert.AreEqual(3, norm.Call(Rows(0, 4)).Shape[1]);
        ddp.Call(Rows(0, 2)).Sum().Backward();
        Tensor x = Rows(0, 2).RequiresGrad_();
        column.Call(x).Sum().Backward();
        Assert.AreEqual(6, x.Grad.NumElements);
        g.Barrier();
      }
    });
  }

  [Test]
  public void Meshes() {
    Ranks.Run(4, g => {
      using (new DisposeScope())
      using (var mesh = new DeviceMesh(g, new Dims(2, 2), "dp", "tp")) {
        Assert.AreEqual(2, mesh.NDim);
        Assert.AreEqual(new Dims(2, 2), mesh.Shape);
        Assert.AreEqual(g.Rank / 2, mesh.Coordinate(0));
        Assert.AreEqual(g.Rank % 2, mesh.Coordinate(-1));
        Assert.AreEqual("dp", mesh.Name(0));
        Assert.AreEqual(1, mesh.Find("tp"));
        using (ProcessGroup dp = mesh.Group(0), tp = mesh.Group("tp")) {
          Assert.AreEqual(g.Rank / 2, dp.Rank);
          Tensor x = Leaf(g.Rank).Detach();
          tp.AllReduce(x);
          Same(x, g.Rank < 2 ? 1 : 5);
          dp.AllReduce(x);
          Same(x, 6);
        }
        using (DeviceMesh part = mesh.Slice(1))
        using (ProcessGroup tp = part.Group("tp")) {
          Assert.AreEqual(1, part.NDim);
          Assert.AreEqual(g.Rank % 2, tp.Rank);
        }
        StringAssert.Contains("tp", Check.Throws<HaftArgumentException>(() => mesh.Find("pp")).Message);
        Check.Throws<HaftIndexException>(() => mesh.Size(2));
        Check.Throws<ShapeException>(() => new DeviceMesh(g, new Dims(3, 2)));
        Check.Throws<ArgumentException>(() => new DeviceMesh(g, new Dims(4), "a", "b"));
      }
    });
  }

  [Test]
  public void ReplicasShareTheItems() {
    using (new DisposeScope())
    using (var items = new TensorDataset(Tensor.Arange(0L, 10L, 1L))) {
      foreach (bool drop in new[] { false, true }) {
        var seen = new List<long>();
        for (int r = 0; r < 3; ++r)
          using (var loader = new DataLoader(items, 2, shuffle: true, numReplicas: 3, rank: r, dropUneven: drop)) {
            Assert.AreEqual(drop ? 3 : 4, loader.SampleCount);
            foreach (Tensor[] batch in loader) seen.AddRange(batch[0].ToArray<long>());
          }
        Assert.AreEqual(drop ? 9 : 10, seen.Distinct().Count());
        Assert.AreEqual(drop ? 9 : 12, seen.Count);
      }
      Check.Throws<ArgumentException>(() => new DataLoader(items, numReplicas: 2, rank: 2));
      foreach (bool pinned in new[] { false, true })
        using (var loader = new DataLoader(items, 4, device: Device.Cpu, pinMemory: pinned))
          Assert.AreEqual(45, loader.SelectMany(batch => batch[0].ToArray<long>()).Sum());
    }
  }

  [Test]
  public void DataParallelOverAListOfParameters() {
    Ranks.Run(2, g => {
      using (new DisposeScope()) {
        Tensor w = Leaf(g.Rank + 1), count = Tensor.From(new double[] { g.Rank + 7 });
        var parameters = new StateDict { { "w", w } };
        using (var ddp = new DistributedDataParallel(parameters, new[] { count }, g)) {
          Same(w, 1);
          ddp.Prepare();
          Same(count, 7);
          w.Mul(g.Rank + 1.0).Sum().Backward();
          Same(w.Grad, 1.5);
          Assert.IsNull(ddp.Module);
          Assert.AreSame(g, ddp.Group);
          Check.Throws<InvalidOperationException>(() => ddp.Call(w));
          Check.Throws<InvalidOperationException>(() => ddp.Call(w, w));
        }
        parameters.Add("v" + g.Rank, Leaf(1));
        StringAssert.IsMatch("v[01]", Check.Throws<MismatchException>(() => new DistributedDataParallel(parameters, null, g)).Message);
      }
    });
  }
}

[TestFixture]
public class ModelParallelTests {
  private static readonly Action<Tensor, Tensor> near = (got, wanted) => CollectivesTests.Near(got, wanted);
  // Each rank makes another: rank 0's count.
  private static Linear Dense(long inputs, long outputs, int rank) { return new Linear(inputs, outputs, generator: new Generator(31 * inputs + outputs + 1000L * rank)); }
  private static Embedding Table(long rows, long width, int rank) { return new Embedding(rows, width, generator: new Generator(rows + 1000L * rank)); }
  private static Tensor Input(params long[] sizes) {
    var values = new float[new Dims(sizes).Product()];
    for (int i = 0; i < values.Length; ++i) values[i] = (float)Math.Sin(0.7 * i);
    return Tensor.From(values).Reshape(new Dims(sizes)).Detach().RequiresGrad_();
  }
  // Of n rows the part of a rank of two.
  private static Tensor Part(Tensor whole, int dim, int rank) {
    long n = whole.Shape[dim], first = (n + 1) / 2;
    return rank == 0 ? whole.Narrow(dim, 0, first) : whole.Narrow(dim, first, n - first);
  }

  [Test]
  public void ABlockIsTheDenseBlock() {
    foreach (bool split in new[] { true, false })
      Ranks.Run(2, g => {
        int r = g.Rank;
        using (new DisposeScope())
        using (Module up = Dense(5, 7, 0), down = Dense(7, 4, 0))
        using (Module column = new ColumnParallelLinear(g, Dense(5, 7, r), splitOutput: split), row = new RowParallelLinear(g, Dense(7, 4, r), splitInput: split)) {
          Tensor x = Input(2, 3, 5), mine = Input(2, 3, 5);
          Tensor wanted = down.Call(up.Call(x).Relu()), got = row.Call(column.Call(mine).Relu());
          near(got, wanted);
          wanted.Square().Sum().Backward();
          got.Square().Sum().Backward();
          near(mine.Grad, x.Grad);
          near(column.Parameter("weight").Grad, Part(up.Parameter("weight").Grad, 0, r));
          near(column.Parameter("bias").Grad, Part(up.Parameter("bias").Grad, 0, r));
          near(row.Parameter("weight").Grad, Part(down.Parameter("weight").Grad, 1, r));
          near(row.Parameter("bias").Grad, down.Parameter("bias").Grad);
          using (Module three = new ColumnParallelLinear(g, Dense(4, 12, 0), blocks: 3)) Assert.AreEqual(6, three.Parameter("weight").Shape[0]);
          Check.Throws<ArgumentException>(() => new ColumnParallelLinear(g, new ReLU()));
          Check.Throws<ShapeException>(() => new RowParallelLinear(g, new Linear(1, 4)));
          g.Barrier();
        }
      });
  }

  [Test]
  public void EmbeddingAndLossOverTheVocabulary() {
    Ranks.Run(2, g => {
      int r = g.Rank;
      using (new DisposeScope())
      using (Module table = Table(7, 4, 0), head = Dense(4, 7, 0))
      using (Module spread = new VocabParallelEmbedding(g, Table(7, 4, r)), column = new ColumnParallelLinear(g, Dense(4, 7, r))) {
        Tensor index = Tensor.From(new long[] { 0, 3, 6, 2, 5, 1 }), target = Tensor.From(new long[] { 1, 4, 6, 0, -100, 2 });
        Tensor wanted = head.Call(table.Call(index)).CrossEntropy(target), got = Collectives.CrossEntropy(g, column.Call(spread.Call(index)), target, 7);
        Assert.AreEqual(wanted.Item(), got.Item(), 1e-5);
        wanted.Backward();
        got.Backward();
        near(spread.Parameter("weight").Grad, Part(table.Parameter("weight").Grad, 0, r));
        near(column.Parameter("weight").Grad, Part(head.Parameter("weight").Grad, 0, r));
        Assert.AreEqual(6, Collectives.CrossEntropy(g, column.Call(spread.Call(index)), target, 7, Reduction.None, -100, 0.1).NumElements);
      }
    });
  }

  [Test]
  public void SequencesAreSpread() {
    Ranks.Run(2, g => {
      int r = g.Rank;
      using (new DisposeScope())
      using (Module table = Table(7, 4, 0), norm = new LayerNorm(4), up = Dense(4, 6, 0), down = Dense(6, 4, 0))
      using (Module spread = new VocabParallelEmbedding(g, Table(7, 4, r), 0), part = new LayerNorm(4))
      using (Module column = new ColumnParallelLinear(g, Dense(4, 6, r), sequenceDim: 0), row = new RowParallelLinear(g, Dense(6, 4, r), sequenceDim: 0)) {
        Tensor index = Tensor.From(new long[,] { { 0, 3 }, { 6, 2 }, { 5, 1 }, { 4, 4 } });  // (tokens, batch)
        Collectives.SumGradients(part, g);
        Tensor x = table.Call(index), wanted = x + down.Call(up.Call(norm.Call(x)).Relu());
        Tensor mine = spread.Call(index), got = mine + row.Call(column.Call(part.Call(mine)).Relu());
        near(got, Part(wanted, 0, r));
        wanted.Square().Sum().Backward();
        Collectives.GatherFrom(g, got, 0).Square().Sum().Backward();
        near(part.Parameter("weight").Grad, norm.Parameter("weight").Grad);
        near(spread.Parameter("weight").Grad, Part(table.Parameter("weight").Grad, 0, r));
      }
    });
  }

  private static Module Stage(int number) { return new Sequential(new Linear(4, 4, generator: new Generator(number)), new Tanh()); }
  private static Tensor Batch(int step) {
    using (var generator = new Generator(100 + step)) return Tensor.Randn(new Dims(8, 4), DType.Float32, default(Device), generator);
  }
  private static void EqualsOneProcess(int ranks, int perRank, PipelineSchedule schedule) {
    Ranks.Run(ranks, g => {
      Module[] mine = Enumerable.Range(0, perRank).Select(k => Stage(k * ranks + g.Rank)).ToArray();
      Module[] all = Enumerable.Range(0, ranks * perRank).Select(Stage).ToArray();
      bool first = g.Rank == 0, last = g.Rank == ranks - 1;
      using (Module own = new ModuleList(mine), whole = new Sequential(all), loss = new MSELoss())
      using (var p = new Pipeline(g, mine, schedule, 4, last ? loss : null))
      using (Optimizer optimizer = new SGD(own.Parameters(), 0.1), other = new SGD(whole.Parameters(), 0.1)) {
        Assert.AreSame(g, p.Group);
        CollectionAssert.AreEqual(mine, p.Stages);
        Assert.AreEqual(last, p.Loss != null);
        for (int step = 0; step < 3; ++step)
          using (new DisposeScope()) {
            Tensor x = Batch(step), y = Batch(step + 50).Tanh(), result = whole.Call(x), error = loss.Call(result, y)[0];
            error.Backward();
            using (PipelineResults r = p.Step(first ? new[] { x } : null, last ? y : null, true)) {
              Assert.AreEqual(last, r.Losses != null);
              Assert.AreEqual(last ? 1 : 0, r.Outputs.Count);
              if (last) {
                Assert.AreEqual(4, r.Losses.NumElements);
                Assert.AreEqual(error.Item(), r.Losses.Mean().Item(), 1e-5);
                near(r.Outputs[0], result);
              }
            }
            optimizer.Step();
            other.Step();
            optimizer.ZeroGrad();
            other.ZeroGrad();
          }
        for (int k = 0; k < perRank; ++k) near(mine[k].Parameter("0.weight"), all[k * ranks + g.Rank].Parameter("0.weight"));
        PipelineInfo info = p.Info;
        Assert.AreEqual(ranks * perRank, info.Stages);
        Assert.AreEqual(4, info.MicroBatches);
        Assert.AreEqual(first, info.HasFirst);
        Assert.AreEqual(last, info.HasLast);
        Assert.GreaterOrEqual(info.PeakLive, 1);
        Assert.AreEqual((ranks - 1.0) / (perRank * 4 + ranks - 1), info.Bubble, 1e-9);
        PipelineAction[] trace = p.Trace();
        Assert.AreEqual(2 * 4 * perRank, trace.Length);
        Assert.IsFalse(trace[0].IsBackward);
        Assert.AreEqual(0, trace[0].MicroBatch);
        Assert.AreEqual(g.Rank, trace[0].Stage);
        Assert.AreEqual(0, trace.Last().Live);
        using (new DisposeScope())
        using (PipelineResults r = p.Evaluate(first ? new[] { Batch(9) } : null)) {
          Assert.IsNull(r.Losses);
          if (last) near(r.Outputs[0], whole.Call(Batch(9)));
        }
      }
    });
  }

  [Test]
  public void PipelinesAreTheModelOfOneProcess() {
    EqualsOneProcess(3, 1, PipelineSchedule.OneFOneB);
    EqualsOneProcess(2, 1, PipelineSchedule.GPipe);
    EqualsOneProcess(2, 2, PipelineSchedule.Interleaved1F1B);
  }

  private sealed class Own : Module {
    internal readonly Tensor Weight;
    internal bool Fails;
    internal Own() { Weight = RegisterParameter("weight", Tensor.Full(new Dims(4, 4), 0.3)); }
    public override Tensor Forward(Tensor x) {
      if (Fails) throw new FormatException("the stage broke");
      return x.Matmul(Weight);
    }
  }

  [Test]
  public void TiedParametersAndFailures() {
    Ranks.Run(2, g => {
      bool last = g.Rank == 1;
      using (new DisposeScope())
      using (var stage = new Own())
      using (Module loss = new MSELoss())
      using (var p = new Pipeline(g, new[] { stage }, microBatches: 2, loss: last ? loss : null, scaleGradients: true)) {
        p.Tie(stage.Weight);
        Tensor x = Batch(0);
        p.Step(last ? null : new[] { x }, last ? x : null).Dispose();
        Tensor sum = stage.Weight.Grad.Clone();
        g.AllReduce(sum, ReduceOp.Avg);
        near(stage.Weight.Grad, sum);
        stage.Fails = last;
        if (last) {
          Assert.AreEqual("the stage broke", Check.Throws<FormatException>(() => p.Step(null, x)).Message);
        } else {
          StringAssert.Contains("the stage broke", Check.Throws<HaftCancelledException>(() => {
            p.Step(new[] { x }, null).Dispose();
            g.Barrier();
          }).Message);
        }
      }
    });
  }

  private sealed class Expert : Module {
    private readonly double factor;
    internal Expert(double factor) { this.factor = factor; }
    public override Tensor Forward(Tensor x) { return x.Mul(factor); }
  }

  [Test]
  public void ExpertsOfAllRanks() {
    Ranks.Run(2, g => {
      int r = g.Rank;
      Module[] experts = { new Expert(1 + 2 * r), new Expert(2 + 2 * r) };
      using (new DisposeScope())
      using (Module router = new Linear(4, 4, generator: new Generator(3)))
      using (Module one = new MixtureOfExperts(g, router, experts, topK: 1), two = new MixtureOfExperts(g, router, experts)) {
        Tensor x = Batch(r);
        Tensor[] y = one.Call(new[] { x });
        Assert.AreEqual(2, y.Length);
        float[] shares = router.Call(x).Softmax(-1).ToArray<float>(), given = x.ToArray<float>(), got = y[0].ToArray<float>();
        for (int i = 0; i < 8; ++i) {
          int best = Enumerable.Range(0, 4).OrderByDescending(e => shares[4 * i + e]).First();
          for (int k = 0; k < 4; ++k) Assert.AreEqual(given[4 * i + k] * (best + 1) * shares[4 * i + best], got[4 * i + k], 1e-5);
        }
        Assert.Greater(y[1].Item(), 0);
        Assert.AreEqual(x.Shape, two.Call(x).Shape);
        Assert.AreSame(router, two.Child("router"));
        Assert.AreSame(experts[1], two.Child("experts." + (2 * r + 1)));
        Check.Throws<ArgumentException>(() => new MixtureOfExperts(g, router, null));
        g.Barrier();
      }
    });
  }

  [Test]
  public void RingAttention() {
    Ranks.Run(2, g => {
      using (new DisposeScope()) {
        Tensor q = Batch(1).Reshape(new Dims(1, 8, 4)), k = Batch(2).Reshape(new Dims(1, 8, 4)), v = Batch(3).Reshape(new Dims(1, 8, 4));
        foreach (bool causal in new[] { false, true }) {
          Tensor scores = q.Matmul(k.Transpose(1, 2)).Mul(0.5);
          if (causal) scores = scores + Tensor.Full(new Dims(8, 8), -1e9).Triu(1);
          Tensor wanted = scores.Softmax(-1).Matmul(v).Narrow(1, 4 * g.Rank, 4);
          Tensor[] mine = new[] { q, k, v }.Select(t => t.Narrow(1, 4 * g.Rank, 4)).ToArray();
          near(Collectives.RingAttention(g, mine[0], mine[1], mine[2], causal), wanted);
          near(Collectives.RingAttention(g, mine[0], mine[1], mine[2], causal, 0.5), wanted);
        }
      }
    });
  }
  // Between backward and step, where a step has several backwards.
  [Test]
  public void GradientsAreJoined() {
    Ranks.Run(2, g => {
      int r = g.Rank;
      using (new DisposeScope())
      using (Module mine = Dense(5, 3, 0), whole = Dense(5, 3, 0)) {
        Tensor x = Input(8, 5).Detach();
        for (int k = 0; k < 2; ++k) mine.Call(x.Narrow(0, 4 * r + 2 * k, 2)).Square().Sum().Backward();
        whole.Call(x).Square().Sum().Div(2).Backward();
        Collectives.JoinGradients(g, mine.Parameters());
        foreach (string name in new[] { "weight", "bias" }) near(mine.Parameter(name).Grad, whole.Parameter(name).Grad);

        Tensor late = Tensor.From(new float[] { 1, 2 }).RequiresGrad_(), constant = Tensor.Ones(1);
        if (r == 0) late.Grad = Tensor.From(new float[] { 4, 6 });
        Collectives.JoinGradients(g, new[] { late, constant }, ReduceOp.Sum);
        Check.Close(new double[] { 4, 6 }, late.Grad);
        late.Grad = Tensor.From(new float[] { r, 2 - r });
        Collectives.JoinGradients(g, new List<Tensor> { late });
        Check.Close(new[] { 0.5, 1.5 }, late.Grad);
        Assert.IsNull(constant.Grad);
        Check.Throws<ArgumentException>(() => Collectives.JoinGradients(null, new[] { late }));
        Check.Throws<ArgumentNullException>(() => Collectives.JoinGradients(g, null));
        g.Barrier();
      }
    });
  }

  // The norm of what the ranks have together is that of the dense block, and so is what clipping leaves.
  [Test]
  public void GradientsAreClipped() {
    Ranks.Run(2, g => {
      int r = g.Rank;
      using (new DisposeScope())
      using (Module up = Dense(5, 7, 0), down = Dense(7, 4, 0))
      using (Module column = new ColumnParallelLinear(g, Dense(5, 7, r)), row = new RowParallelLinear(g, Dense(7, 4, r))) {
        down.Call(up.Call(Input(6, 5)).Relu()).Square().Sum().Backward();
        row.Call(column.Call(Input(6, 5)).Relu()).Square().Sum().Backward();
        Tensor[] all = up.Parameters().Concat(down.Parameters()).ToArray(), mine = column.Parameters().Concat(row.Parameters()).ToArray();
        var copies = new Dims(1, 1, 1, 2);  // all ranks add the whole bias of a row-parallel layer
        double wanted = Clip.GradNorm_(all, 0.5).Item();
        Assert.Greater(wanted, 0.5);
        Assert.AreEqual(wanted, Collectives.ClipGradNorm(g, mine, 0.5, copies: copies), 1e-5 * wanted);
        Assert.AreEqual(0.5, Collectives.ClipGradNorm(g, mine, 1, copies: copies), 1e-5);
        near(mine[0].Grad, Part(all[0].Grad, 0, r));
        near(mine[2].Grad, Part(all[2].Grad, 1, r));
        near(mine[3].Grad, all[3].Grad);
        double largest = Clip.GradNorm_(all, 0.01, double.PositiveInfinity).Item();
        Assert.AreEqual(largest, Collectives.ClipGradNorm(g, mine, 0.01, double.PositiveInfinity, copies), 1e-5);
        near(mine[1].Grad, Part(all[1].Grad, 0, r));
        Tensor[] weights = { mine[0], mine[2] };
        Assert.AreEqual(Clip.GradNorm_(new[] { all[0], all[2] }, 1).Item(), Collectives.ClipGradNorm(g, weights, 1), 1e-6);
        Check.Throws<ArgumentException>(() => Collectives.ClipGradNorm(g, weights, 1, copies: 1));
        Check.Throws<ArgumentException>(() => Collectives.ClipGradNorm(g, weights, 1, copies: new Dims(1, 3)));
        Check.Throws<ArgumentException>(() => Collectives.ClipGradNorm(g, weights, -1));
        Check.Throws<ArgumentNullException>(() => Collectives.ClipGradNorm(g, null, 1));
        g.Barrier();
      }
    });
  }

  // What a rank draws apart, and what it draws with all others behind it.
  private static float[][] Drawn(long stream, long n) {
    using (new DisposeScope())
    using (var generator = new Generator(3)) {
      long before = Runtime.SetRandomStream(stream);
      float[] apart = Tensor.Rand(new Dims(n), DType.Float32, Device.Cpu, generator).ToArray<float>();
      Assert.AreEqual(stream, Runtime.SetRandomStream(before));
      return new[] { apart, Tensor.Rand(new Dims(4), DType.Float32, Device.Cpu, generator).ToArray<float>() };
    }
  }

  [Test]
  public void RandomStreams() {
    float[][] first = Drawn(1, 8), second = Drawn(2, 1000), own = Drawn(0, 8);
    CollectionAssert.AreEqual(first[0], Drawn(1, 8)[0]);
    CollectionAssert.AreNotEqual(first[0], second[0].Take(8));
    CollectionAssert.AreNotEqual(first[0], own[0]);
    CollectionAssert.AreEqual(own[0], Drawn(0, 8)[0]);
    CollectionAssert.AreEqual(first[1], second[1]);  // whatever was drawn apart, generators stay equal
    Assert.AreEqual(0, Runtime.SetRandomStream(5));
    try {
      long other = -1;
      var thread = new Thread(() => other = Runtime.SetRandomStream(0));
      thread.Start();
      thread.Join();
      Assert.AreEqual(0, other);  // another thread's is its own
      Check.Throws<ArgumentException>(() => Runtime.SetRandomStream(-1));
    } finally {
      Assert.AreEqual(5, Runtime.SetRandomStream(0));
    }
  }

  // Takes its tensors anew in each Forward, and tells where it was.
  private sealed class Scaled : Module {
    private readonly Module body;
    internal readonly SortedSet<string> Seen = new SortedSet<string>();
    internal bool Fails;
    internal Scaled() {
      body = RegisterModule("body", new Sequential(new Linear(3, 8), new BatchNorm1d(8), new PReLU(), new Linear(8, 2)));
      RegisterParameter("scale", Tensor.From(new[] { 1.5f, -2 }));
    }
    public override Tensor Forward(Tensor x) {
      Tensor scale = Parameter("scale");
      lock (Seen) Seen.Add(x.Shape[0] + " rows and the scale on " + x.Device + " and " + scale.Device);
      if (Fails && x.Shape[0] == 1) throw new FormatException("one row");
      return body.Call(x).Mul(scale);
    }
  }

  // Recorded work runs again over the same memory; what a body throws ends the recording.
  [Test]
  public void RecordedWorkReplays() {
    if (Environment.GetEnvironmentVariable("HAFT_BACKEND_PATH") == null) Assert.Ignore("HAFT_BACKEND_PATH names no folder");
    Device d = "sim:0";
    using (var g = new DeviceGraph(d))
    using (Tensor x = Tensor.Of(1f, 2f).To(d)) {
      d.Synchronize();
      Tensor y = null;
      g.Record(() => y = x.Add(x).Mul(x));
      Assert.IsTrue(g.IsReady());
      g.Replay();
      Check.Equal(y.To(Device.Cpu), 2, 2, 8);
      x.Copy_(Tensor.Of(3f, 0f).To(d));
      g.Replay();
      Check.Equal(y.To(Device.Cpu), 2, 18, 0);
      Assert.AreEqual("mine", Check.Throws<FormatException>(() => g.Record(() => { throw new FormatException("mine"); })).Message);
      Assert.IsFalse(g.IsReady());
      StringAssert.Contains("nothing is recorded", Check.Throws<HaftArgumentException>(() => g.Replay()).Message);
      y.Dispose();
    }
  }

  // A replay makes a scaler's step, or leaves it out, by what gradients are then.
  [Test]
  public void AScalersStepReplays() {
    if (Environment.GetEnvironmentVariable("HAFT_BACKEND_PATH") == null) Assert.Ignore("HAFT_BACKEND_PATH names no folder");
    Device d = "sim:0";
    using (var g = new DeviceGraph(d))
    using (Tensor w = Tensor.Zeros(1).To(d).RequiresGrad_(), x = Tensor.Ones(1).To(d))
    using (var optimizer = new SGD(new[] { w }, lr: 1))
    using (var scaler = new GradScaler(8, 2, 0.5, 2)) {
      Action step = () => {
        optimizer.ZeroGrad();
        scaler.Scale((w * x).Sum()).Backward();
        scaler.Step(optimizer);
        scaler.Update();
      };
      step();
      g.Record(step);
      double[] factors = { 1, double.PositiveInfinity, 2 }, weights = { -2, -2, -4 }, scales = { 16, 8, 8 };
      for (int i = 0; i < 3; ++i) {
        x.Fill_(factors[i]);
        g.Replay();
        Assert.AreEqual(weights[i], w.Detach().Item());
        Assert.AreEqual(scales[i], scaler.GetScale());
      }
    }
  }

  // On the devices that only tests have, against one device.
  [Test]
  public void OneProcessOnSeveralDevices() {
    if (Environment.GetEnvironmentVariable("HAFT_BACKEND_PATH") == null) Assert.Ignore("HAFT_BACKEND_PATH names no folder");
    Device[] devices = { "sim:0", "sim:1", "sim:2" };
    Action<Tensor, Tensor> same = (got, wanted) => CollectivesTests.Near(got.Detach().To(Device.Cpu), wanted, 1e-4);
    using (new DisposeScope())
    using (Scaled one = new Scaled(), net = new Scaled())
    using (Module many = new DataParallel(net, devices)) {
      net.LoadStateDict(one.StateDict());
      net.To(devices[0]);
      one.Eval();
      many.Eval();
      Assert.AreSame(net, many.Child("module"));
      Assert.IsTrue(many.StateDict().Any(t => t.Key == "module.body.0.weight"));
      StringAssert.Contains("devices=sim:0, sim:1, sim:2", many.ToString());

      Tensor x = Tensor.Randn(7, 3), y = many.Call(x.To(devices[0])), want = one.Call(x);
      CollectionAssert.AreEquivalent(new[] { "3 rows and the scale on sim:0 and sim:0", "3 rows and the scale on sim:1 and sim:1", "1 rows and the scale on sim:2 and sim:2" },
                                     net.Seen);
      Assert.AreEqual(devices[0], y.Device);
      same(y, want);
      y.Square().Sum().Backward();
      want.Square().Sum().Backward();
      Tensor[] mine = net.Parameters(), all = one.Parameters();
      for (int i = 0; i < all.Length; ++i) same(mine[i].Grad, all[i].Grad);

      one.Train();
      many.Train();
      many.Call(x.Narrow(0, 0, 6).To(devices[0]));
      one.Call(x.Narrow(0, 0, 2));  // the first part's statistics stay
      same(net.Buffer("body.1.running_mean"), one.Buffer("body.1.running_mean"));

      many.Eval();
      net.Fails = true;
      Assert.AreEqual("one row", Check.Throws<FormatException>(() => many.Call(x.To(devices[0]))).Message);
      using (Module columns = new DataParallel(new Tanh(), new[] { devices[1], devices[0] }, 1), linear = new DataParallel(new Linear(3, 2).To(devices[0]), devices),
                    away = new DataParallel(new Linear(3, 2), devices)) {
        same(columns.Call(x.To(devices[1])), x.Tanh());
        StringAssert.Contains("part 0 on sim:0", Check.Throws<ShapeException>(() => linear.Call(Tensor.Zeros(4, 5).To(devices[0]))).Message);
        StringAssert.Contains("its first device is sim:0", Check.Throws<DeviceException>(() => away.Call(x)).Message);
      }
    }
  }

  [Test]
  public void DevicesOfOneModule() {
    using (new DisposeScope())
    using (Module net = Dense(3, 2, 0), alone = new DataParallel(net, new[] { default(Device) })) {
      Tensor x = Tensor.Randn(4, 3);
      near(alone.Call(x), net.Call(x));
      StringAssert.Contains("at least one device", Check.Throws<ArgumentException>(() => new DataParallel(net, new Device[0])).Message);
      StringAssert.Contains("named twice", Check.Throws<ArgumentException>(() => new DataParallel(net, new[] { Device.Cpu, Device.Cpu })).Message);
      Check.Throws<ArgumentException>(() => new DataParallel(null, new[] { Device.Cpu }));
      Check.Throws<ArgumentNullException>(() => new DataParallel(net, null));
      Check.Throws<ShapeException>(() => alone.Call(Tensor.Zeros(4, 3), Tensor.Zeros(5, 3)));
    }
  }
}
}
