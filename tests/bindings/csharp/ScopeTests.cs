using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class ScopeTests {
  [Test]
  public void AScopeDisposesWhatWasBornInside() {
    Tensor before = Tensor.Of(1f), kept, inner, moved;
    using (var scope = new DisposeScope()) {
      Tensor gone = before + 1;
      kept = scope.Keep(gone * 2);
      Assert.AreSame(scope, DisposeScope.Current);
      using (var nested = new DisposeScope()) {
        inner = gone + 5;
        moved = nested.MoveOut(gone + 7);
        Assert.AreEqual(1, nested.Count);
      }
      Assert.IsTrue(inner.IsDisposed);
      Assert.AreEqual(9, moved.Item());
      Assert.IsFalse(gone.IsDisposed);
    }
    Assert.IsTrue(moved.IsDisposed);
    Assert.IsNull(DisposeScope.Current);
    Assert.AreEqual(4, kept.Item());
    Assert.IsFalse(before.IsDisposed);
    before.Dispose();
    kept.Dispose();
  }

  [Test]
  public void AScopeFollowsItsAsynchronousFlow() {
    Tensor[] born = Task.WhenAll(Enumerable.Range(0, 16).Select(i => Flow(i))).Result;
    Assert.IsTrue(born.All(t => t.IsDisposed));
    Assert.IsNull(DisposeScope.Current);
  }
  private static async Task<Tensor> Flow(int i) {
    using (var scope = new DisposeScope()) {
      Tensor first = Tensor.Full(3, (long)i);
      await Task.Delay(5 + i % 3);
      Assert.AreSame(scope, DisposeScope.Current);
      Tensor second = await Task.Run(() => first + 1);
      await Task.Yield();
      Assert.AreEqual(2, scope.Count);
      Assert.AreEqual(i + 1, second[0].Item());
      Assert.AreEqual(3, scope.Count);
      return second;
    }
  }

  [Test]
  public void AScopeThatEndedInAnotherFlowTakesNothing() {
    var scope = new DisposeScope();
    Task.Run(() => scope.Dispose()).Wait();
    Tensor t = Tensor.Of(1f);
    Assert.IsNull(DisposeScope.Current);
    scope.Dispose();
    Assert.AreEqual(1, t.Item());
    t.Dispose();
    // This flow still names the ended scope; a new one works as ever.
    using (new DisposeScope()) t = Tensor.Of(2f);
    Assert.IsTrue(t.IsDisposed);
  }

  [Test]
  public void ThreadsShareAScope() {
    using (var scope = new DisposeScope()) {
      Task[] all = Enumerable.Range(0, 8).Select(i => Task.Run(() => {
        for (int k = 0; k < 200; ++k) {
          Tensor t = Tensor.Of((float)k);
          if (k % 2 == 0) t.Dispose();
        }
      })).ToArray();
      Task.WaitAll(all);
      Assert.AreEqual(800, scope.Count);
    }
  }
}
}
