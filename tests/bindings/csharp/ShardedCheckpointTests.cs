// Checkpoints that ranks write together.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class ShardedCheckpointTests {
  private string folder;

  [SetUp]
  public void MakeFolder() { folder = Path.Combine(Path.GetTempPath(), "haft-" + Guid.NewGuid().ToString("N")); }
  [TearDown]
  public void RemoveFolder() {
    if (Directory.Exists(folder)) Directory.Delete(folder, true);
  }
  private static float[] Numbers(int from, int n) { return Enumerable.Range(from, n).Select(i => (float)i).ToArray(); }

  [Test]
  public void IsReadAtAnotherNumberOfRanks() {
    foreach (bool later in new[] { false, true }) {
      Ranks.Run(3, group => {
        using (new DisposeScope()) {
          int r = group.Rank;
          Tensor row = Tensor.From(Numbers(4 * r, 4)).Reshape(1, 4), range = Tensor.From(Numbers(4 * r, 4)), whole = Tensor.From(Numbers(0, 5));
          ShardedCheckpoint state = new ShardedCheckpoint().Box("box", row, new long[] { 3, 4 }, new long[] { r, 0 })
              .Range("range", range, new long[] { 3, 4 }, 4 * r).Tensor("whole", whole).Put("epoch", 3).Put("name", "x").Put("loss", 0.5).Put("on", true);
          if (later) {
            Task saving = state.SaveAsync(group, folder);
            row.Fill_(0);
            saving.Wait();
          } else {
            state.Save(group, folder);
          }
        }
      });
      CollectionAssert.AreEquivalent(new Dictionary<string, object> { { "epoch", 3L }, { "name", "x" }, { "loss", 0.5 }, { "on", true } },
                                     ShardedCheckpoint.Values(folder));
      CollectionAssert.AreEqual(new[] { "box", "range", "whole" }, ShardedCheckpoint.Entries(folder).Keys);
      Assert.AreEqual(DType.Float32, ShardedCheckpoint.Entries(folder)["box"].DType);
      CollectionAssert.AreEqual(new long[] { 3, 4 }, ShardedCheckpoint.Entries(folder)["box"].Shape);
      using (new DisposeScope()) {
        Tensor column = Tensor.From(new float[3]).Reshape(3, 1);
        new ShardedCheckpoint().Box("box", column, new long[] { 3, 4 }, new long[] { 0, 1 }).Load(folder);
        CollectionAssert.AreEqual(new float[] { 1, 5, 9 }, column.ToArray<float>());
        CollectionAssert.AreEqual(Numbers(0, 12), ShardedCheckpoint.Read(folder, "range").ToArray<float>());
        Tensor wrong = Tensor.From(Numbers(0, 2));
        StringAssert.Contains("wrong shape", Check.Throws<ShapeException>(() => new ShardedCheckpoint().Tensor("whole", wrong).Load(folder)).Message);
      }
      ShardedCheckpoint.ToFile(folder, Path.Combine(folder, "one.safetensors"));
      Assert.Greater(new FileInfo(Path.Combine(folder, "one.safetensors")).Length, 100);
    }
  }

  [Test]
  public void AnOptimizerGoesOn() {
    Ranks.Run(2, group => {
      using (new DisposeScope())
      using (Module net = new Linear(5, 3))
      using (Optimizer adam = new Adam(net.Parameters())) {
        new ZeroRedundancyOptimizer(adam, group);
        foreach (Tensor p in net.Parameters()) p.Square().Sum().Backward();
        adam.Step();
        new ShardedCheckpoint().Module(net).Optimizer(adam).Save(group, folder);
      }
    });
    using (new DisposeScope())
    using (Module net = new Linear(5, 3))
    using (Optimizer adam = new Adam(net.Parameters())) {
      new ShardedCheckpoint().Module(net).Optimizer(adam).Load(folder);
      CollectionAssert.Contains(ShardedCheckpoint.Entries(folder).Keys, "optimizer.state.0.exp_avg");
      Assert.AreEqual(1, adam.State(0, "step").ToArray<float>()[0]);
    }
  }

  [Test]
  public void FailuresAreTold() {
    File.WriteAllText(folder, "x");
    try {
      using (new DisposeScope()) {
        Tensor t = Tensor.From(Numbers(0, 2));
        Check.Throws<HaftIOException>(() => new ShardedCheckpoint().Tensor("t", t).Save(null, folder));
        Check.Throws<ArgumentException>(() => new ShardedCheckpoint().Put("x", new object()));
      }
    } finally {
      File.Delete(folder);
    }
  }
}
}
