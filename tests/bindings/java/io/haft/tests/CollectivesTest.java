package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

/** Collectives with gradients, batch norm over ranks, metrics, meshes, replicas of loaders. */
@ExtendWith(Leaks.class)
class CollectivesTest {
  private static Tensor leaf(double... x) {
    return Tensor.of(x).setRequiresGrad();
  }

  private static void same(Tensor got, double... wanted) {
    try (Tensor plain = got.detach()) {
      assertArrayEquals(wanted, plain.toDoubleArray(), 1e-12);
    }
  }

  /** The gradient of the sum of y times the numbers. */
  private static void back(Tensor y, double... slopes) {
    y.mul(Tensor.of(slopes)).sum().backward();
  }

  @Test
  void gradients() throws Exception {
    Ranks.run(3, g -> {
      try (Scope scope = new Scope()) {
        int r = g.rank();
        Tensor x = leaf(1 + r, 2), y = Collectives.allReduce(g, x);
        same(y, 6, 6);
        y.square().sum().backward();
        same(x.grad(), 36, 36);
        x = leaf(3 * r);
        y = Collectives.allReduce(g, x, ReduceOp.AVG);
        same(y, 3);
        back(y, r);
        same(x.grad(), 1);
        x = leaf(r);
        y = Collectives.broadcast(g, x, 1);
        same(y, 1);
        back(y, r + 1);
        same(x.grad(), r == 1 ? 6 : 0);
        x = leaf(r);
        y = Collectives.reduce(g, x, 2, ReduceOp.SUM);
        same(y, r == 2 ? 3 : 0);
        back(y, r + 1);
        same(x.grad(), 3);

        x = Tensor.full(new long[] {r + 1}, (double) r, DType.FLOAT64).setRequiresGrad();
        y = Collectives.allGather(g, x, 0, 1, 2, 3);
        same(y, 0, 1, 1, 2, 2, 2);
        back(y, 0, 1, 2, 3, 4, 5);
        same(x.grad(), r == 0 ? new double[] {0} : r == 1 ? new double[] {3, 6} : new double[] {9, 12, 15});
        same(Collectives.allGather(g, leaf(r, r), 0), 0, 0, 1, 1, 2, 2);
        x = leaf(0, 1, 2);
        y = Collectives.reduceScatter(g, x, 0, ReduceOp.SUM);
        same(y, 3 * r);
        back(y, r + 1);
        same(x.grad(), 1, 2, 3);
        y = Collectives.reduceScatter(g, leaf(0, 1, 2, 3), 0, ReduceOp.AVG, 2, 1, 1);
        same(y, r == 0 ? new double[] {0, 1} : new double[] {r + 1});
        x = leaf(10 * r, 10 * r + 1, 10 * r + 2);
        y = Collectives.allToAllSingle(g, x);
        same(y, r, 10 + r, 20 + r);
        back(y, r, r, r);
        same(x.grad(), 0, 1, 2);
        long here = r + 1;
        y = Collectives.allToAllSingle(g, Tensor.full(new long[] {6}, (double) r, DType.FLOAT64), new long[] {here, here, here}, new long[] {1, 2, 3});
        assertEquals(3 * here, y.numel());

        x = leaf(5);
        y = Collectives.copyTo(g, x);
        same(y, 5);
        back(y, r + 1);
        same(x.grad(), 6);
        x = leaf(r);
        y = Collectives.reduceFrom(g, x);
        same(y, 3);
        back(y, 7);
        same(x.grad(), 7);
        x = leaf(0, 1, 2, 3);
        y = Collectives.splitTo(g, x, 0);
        same(y, r == 0 ? new double[] {0, 1} : r == 1 ? new double[] {2, 3} : new double[] {});  // cut as torch.chunk does
        y.mul(r + 1.0).sum().backward();
        same(x.grad(), 1, 1, 2, 2);
        x = r == 0 ? leaf(0, 1) : leaf(r + 1);
        y = Collectives.gatherFrom(g, x, 0, 2, 1, 1);
        same(y, 0, 1, 2, 3);
        back(y, 5, 6, 7, 8);
        same(x.grad(), r == 0 ? new double[] {5, 6} : new double[] {r + 6});
        g.barrier();
      }
    });
  }

  @Test
  void misuse() throws Exception {
    Ranks.run(2, g -> {
      try (Scope scope = new Scope()) {
        assertTrue(assertThrows(HaftException.class, () -> Collectives.allReduce(g, leaf(1), ReduceOp.MAX)).status().contains("AUTOGRAD"));
        assertThrows(NullPointerException.class, () -> Collectives.allReduce(null, leaf(1)));
        assertThrows(IllegalArgumentException.class, () -> Collectives.allReduce(g, null));
        assertThrows(IllegalArgumentException.class, () -> Collectives.broadcast(g, leaf(1), 2));
        assertThrows(IllegalArgumentException.class, () -> Collectives.allToAllSingle(g, leaf(1, 2), new long[] {1, 1}, new long[] {2}));
        assertThrows(IllegalArgumentException.class, () -> Collectives.logRank(g, 2));
        assertThrows(NullPointerException.class, () -> Collectives.sumValues(g, (double[]) null));
        assertThrows(IllegalArgumentException.class, () -> SyncBatchNorm.convertSyncBatchnorm(new ReLU(), null));
        g.barrier();
      }
    });
  }

  /** A thread that is interrupted in a call that waits ends the group, as in ProcessGroup. */
  @Test
  void interruptionsAbortTheGroup() throws Exception {
    Ranks.run(2, g -> {
      try (Tensor x = leaf(1); ReLU stage = new ReLU(); Pipeline pipeline = new Pipeline(g, stage, new Pipeline.Options())) {
        if (g.rank() == 0) {
          Thread.currentThread().interrupt();
          String message = assertThrows(CancelledException.class, () -> Collectives.allReduce(g, x)).getMessage();
          assertTrue(message.contains("was interrupted"), message);
          assertThrows(CancelledException.class, () -> pipeline.evaluate(new Tensor[] {x}, null));
          assertTrue(Thread.interrupted());
        } else {
          String message = assertThrows(CancelledException.class, g::barrier).getMessage();
          assertTrue(message.contains("rank 0 that waited in a call was interrupted"), message);
        }
      }
    });
  }

  @Test
  void metricsAndMessages() throws Exception {
    Ranks.run(3, g -> {
      assertArrayEquals(new double[] {3, 0.75}, Collectives.sumValues(g, g.rank(), 0.25));
      assertArrayEquals(new double[0], Collectives.sumValues(g));
      Collectives.logRank(g, g.rank());
      Collectives.logRank(g, ProcessGroup.ANY_SOURCE);
    });
  }

  private static final class Net extends Module {
    final Module norm = child("norm", new BatchNorm1d(3)), rest = child("rest", new Sequential(new BatchNorm1d(3), new Tanh()));

    @Override
    public Tensor forward(Tensor x) {
      return rest.call(norm.call(x));
    }
  }

  private static Tensor rows(int from, int to) {
    float[][] out = new float[to - from][3];
    for (int i = from; i < to; i++) for (int k = 0; k < 3; k++) out[i - from][k] = (float) Math.sin(1 + 3 * i + k) * (k + 1);
    return Tensor.of(out);
  }

  @Test
  void batchNormOverAllRanks() throws Exception {
    Ranks.run(2, g -> {
      int from = g.rank() == 0 ? 0 : 5, to = g.rank() == 0 ? 5 : 8;
      try (Net net = new Net(); Net whole = new Net(); Scope scope = new Scope()) {
        assertSame(net, SyncBatchNorm.convertSyncBatchnorm(net, g));
        assertEquals("SyncBatchNorm", net.norm.type());
        assertEquals("SyncBatchNorm", net.get("rest.0").type());
        assertTrue(net.toString().contains("SyncBatchNorm"), net.toString());
        Tensor x = rows(from, to).setRequiresGrad(), all = rows(0, 8).setRequiresGrad();
        Tensor y = net.call(x), wanted = whole.call(all);
        y.square().sum().backward();
        wanted.square().sum().backward();
        try (NoGrad off = new NoGrad()) {
          assertArrayEquals(wanted.narrow(0, from, to - from).contiguous().toFloatArray(), y.toFloatArray(), 1e-5f);
          assertArrayEquals(all.grad().narrow(0, from, to - from).contiguous().toFloatArray(), x.grad().toFloatArray(), 1e-4f);
        }
        assertArrayEquals(whole.norm.buffer("running_var").toFloatArray(), net.norm.buffer("running_var").toFloatArray(), 1e-5f);
        Tensor mean = Tensor.zeros(3), z = Collectives.syncBatchNorm(g, rows(from, to), null, null, mean, null, 1, 1e-5);
        assertEquals(rows(0, 8).mean(0).toFloatArray()[1], mean.toFloatArray()[1], 1e-5f);
        assertEquals(to - from, z.size(0));
        Module alone = new BatchNorm1d(3);
        assertSame(alone, SyncBatchNorm.convertSyncBatchnorm(alone, g));
        assertEquals("SyncBatchNorm", alone.type());
        assertThrows(ShapeException.class, () -> alone.call(Tensor.zeros(2, 4)));
        alone.close();
      }
    });
  }

  /** What is made over a group keeps it, when nobody else does. */
  @Test
  void modulesKeepTheirGroups() throws Exception {
    Ranks.run(2, g -> {
      try (Module norm = SyncBatchNorm.convertSyncBatchnorm(new BatchNorm1d(3), g.subgroup(0, 1)); Module linear = new Linear(3, 3);
          DistributedDataParallel ddp = new DistributedDataParallel(linear, g.subgroup(0, 1)); Module column = new ColumnParallelLinear(g.subgroup(0, 1), linear);
          Scope scope = new Scope()) {
        ddp.setPostLocal(g.subgroup(0, 1), 0);
        for (int i = 0; i < 3; i++) System.gc();
        Thread.sleep(50);
        g.barrier();
        assertEquals(3, norm.call(rows(0, 4)).size(1));
        ddp.call(rows(0, 2)).sum().backward();
        Tensor x = rows(0, 2).setRequiresGrad();
        column.call(x).sum().backward();
        assertEquals(6, x.grad().numel());
        g.barrier();
      }
    });
  }

  @Test
  void meshes() throws Exception {
    Ranks.run(4, g -> {
      try (DeviceMesh mesh = new DeviceMesh(g, new long[] {2, 2}, "dp", "tp"); Scope scope = new Scope()) {
        assertEquals(2, mesh.ndim());
        assertArrayEquals(new long[] {2, 2}, mesh.shape());
        assertEquals(g.rank() / 2, mesh.coordinate(0));
        assertEquals(g.rank() % 2, mesh.coordinate(-1));
        assertEquals("dp", mesh.name(0));
        assertEquals(1, mesh.find("tp"));
        try (ProcessGroup dp = mesh.group(0); ProcessGroup tp = mesh.group("tp")) {
          assertEquals(g.rank() / 2, dp.rank());
          Tensor x = Tensor.of(new double[] {g.rank()});
          tp.allReduce(x);
          same(x, g.rank() < 2 ? 1 : 5);
          dp.allReduce(x);
          same(x, 6);
        }
        try (DeviceMesh part = mesh.slice(1); ProcessGroup tp = part.group("tp")) {
          assertEquals(1, part.ndim());
          assertEquals(g.rank() % 2, tp.rank());
        }
        assertTrue(assertThrows(InvalidArgumentException.class, () -> mesh.find("pp")).getMessage().contains("tp"));
        assertThrows(IndexException.class, () -> mesh.size(2));
        assertThrows(ShapeException.class, () -> new DeviceMesh(g, new long[] {3, 2}));
        assertThrows(IllegalArgumentException.class, () -> new DeviceMesh(g, new long[] {4}, "a", "b"));
      }
    });
  }

  @Test
  void replicasShareTheItems() {
    try (TensorDataset items = new TensorDataset(Tensor.arange(0L, 10L, 1L)); Scope scope = new Scope()) {
      for (boolean drop : new boolean[] {false, true}) {
        Map<Long, Integer> seen = new TreeMap<>();
        for (int r = 0; r < 3; r++) {
          DataLoader.Options o = new DataLoader.Options().batchSize(2).shuffle(true).numReplicas(3).rank(r).dropUneven(drop);
          try (DataLoader loader = new DataLoader(items, o)) {
            assertEquals(drop ? 3 : 4, loader.sampleCount());
            for (Batch batch : loader) for (long i : batch.get(0).toLongArray()) seen.merge(i, 1, Integer::sum);
          }
        }
        assertEquals(drop ? 9 : 10, seen.size());
        assertEquals(drop ? 9 : 12, seen.values().stream().mapToInt(n -> n).sum());
      }
      assertThrows(IllegalArgumentException.class, () -> new DataLoader(items, new DataLoader.Options().numReplicas(2).rank(2)));
      for (boolean pinned : new boolean[] {false, true})
        try (DataLoader loader = new DataLoader(items, new DataLoader.Options().batchSize(4).device(Device.CPU).pinMemory(pinned))) {
          long sum = 0;
          for (Batch batch : loader) for (long i : batch.get(0).toLongArray()) sum += i;
          assertEquals(45, sum);
        }
    }
  }

  @Test
  void dataParallelOverAListOfParameters() throws Exception {
    Ranks.run(2, g -> {
      try (Scope scope = new Scope()) {
        Tensor w = leaf(g.rank() + 1), count = Tensor.of(new double[] {g.rank() + 7});
        Map<String, Tensor> parameters = new LinkedHashMap<>();
        parameters.put("w", w);
        try (DistributedDataParallel ddp = new DistributedDataParallel(parameters, new Tensor[] {count}, g, new DistributedDataParallel.Options())) {
          same(w, 1);
          ddp.prepare();
          same(count, 7);
          w.mul(g.rank() + 1.0).sum().backward();
          same(w.grad(), 1.5);
          assertNull(ddp.module());
          assertSame(g, ddp.group());
          assertThrows(IllegalStateException.class, () -> ddp.call(w));
          assertThrows(IllegalStateException.class, () -> ddp.call(w, w));
        }
        parameters.put("v" + g.rank(), leaf(1));
        String message = assertThrows(MismatchException.class, () -> new DistributedDataParallel(parameters, new Tensor[0], g, new DistributedDataParallel.Options())).getMessage();
        assertTrue(message.contains("v0") || message.contains("v1"), message);
      }
    });
  }
}
