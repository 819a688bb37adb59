package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.lang.ref.WeakReference;
import java.util.*;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class DataParallelTest {
  private interface Body {
    void run(DistributedDataParallel ddp, Module net, ProcessGroup group) throws Exception;
  }

  private static Module net() {
    return new Sequential(new Linear(3, 4), new Tanh(), new Linear(4, 1));
  }

  private static void twoRanks(DistributedDataParallel.Options o, Body body) throws Exception {
    Ranks.run(2, group -> {
      try (Module net = net(); DistributedDataParallel ddp = new DistributedDataParallel(net, group, o); Scope scope = new Scope()) {
        body.run(ddp, net, group);
      }
    });
  }

  private static Tensor input(int rank) {
    return Tensor.of(new float[][] {{1 + rank, 2, -1}, {rank, -rank, 3}});
  }

  private static float[] gradients(Module net) {
    try (NoGrad mode = new NoGrad()) {
      return Tensor.cat(Arrays.stream(net.parameters()).map(p -> p.grad().flatten(0)).toArray(Tensor[]::new), 0).toFloatArray();
    }
  }

  /** What one process has on the batches of both. */
  private static float[] wanted(Module net) {
    for (Tensor p : net.parameters()) p.setGrad(null);
    net.call(Tensor.cat(new Tensor[] {input(0), input(1)}, 0)).mean().backward();
    return gradients(net);
  }

  @Test
  void gradientsAreTheMeansOfAll() throws Exception {
    twoRanks(new DistributedDataParallel.Options().firstBucketBytes(16).bucketBytes(16), (ddp, net, group) -> {
      assertSame(net, ddp.module());
      assertSame(group, ddp.group());
      ddp.call(input(group.rank())).mean().backward();
      float[] got = gradients(net);
      DistributedDataParallel.Info info = ddp.info();
      assertTrue(info.buckets() > 1, info.toString());
      assertEquals(1, info.steps());
      assertEquals(21 * 4, info.gradientBytes());
      ddp.close();
      assertArrayEquals(wanted(net), got, 1e-6f);
    });
  }

  @Test
  void hooksJoinThem() throws Exception {
    AtomicInteger begun = new AtomicInteger(), finished = new AtomicInteger();
    twoRanks(new DistributedDataParallel.Options(), (ddp, net, group) -> {
      ddp.setHook(new GradientHook() {
        @Override
        public Work begin(GradientBucket bucket) {
          begun.incrementAndGet();
          assertEquals(0, bucket.index());
          assertEquals(4, bucket.gradients().length);
          assertEquals(4, bucket.parameters().length);
          assertEquals(21, bucket.buffer().numel());
          return group.allReduceAsync(bucket.buffer());
        }

        @Override
        public void finish(GradientBucket bucket) {
          finished.incrementAndGet();
          bucket.buffer().div_(2);
        }
      });
      ddp.call(input(group.rank())).mean().backward();
      float[] got = gradients(net);
      ddp.setHook(bucket -> {
        throw new IllegalStateException("from the hook");
      });
      assertEquals("from the hook", assertThrows(IllegalStateException.class, () -> ddp.call(input(0)).mean().backward()).getMessage());
      ddp.close();
      assertArrayEquals(wanted(net), got, 1e-6f);
    });
    assertEquals(2, begun.get());
    assertEquals(2, finished.get());
  }

  /** What a failed backward had begun does not stay. */
  @Test
  void worksOfAFailedBackwardGo() throws Exception {
    twoRanks(new DistributedDataParallel.Options().firstBucketBytes(16).bucketBytes(16), (ddp, net, group) -> {
      List<Work> works = new ArrayList<>();
      ddp.setHook(new GradientHook() {
        @Override
        public Work begin(GradientBucket bucket) {
          works.add(group.allReduceAsync(bucket.buffer()));
          return works.get(works.size() - 1);
        }

        @Override
        public void finish(GradientBucket bucket) {
          throw new IllegalStateException("from the hook");
        }
      });
      assertThrows(IllegalStateException.class, () -> ddp.call(input(0)).mean().backward());
      assertTrue(works.size() > 1);
      for (Work work : works) assertThrows(ClosedException.class, work::isDone);
      group.barrier();  // who left would cancel what the other still waits for
    });
  }

  /** A hook that does not name it does not keep it: the collector takes what nobody closed. */
  @Test
  void aHookHoldsNothing() throws Exception {
    Ranks.run(1, group -> {
      try (Module net = net()) {
        DistributedDataParallel ddp = new DistributedDataParallel(net, group);
        ddp.setHook(bucket -> null);
        WeakReference<DistributedDataParallel> left = new WeakReference<>(ddp);
        ddp = null;
        for (int i = 0; i < 500 && left.get() != null; i++) {
          System.gc();
          Thread.sleep(10);
        }
        assertNull(left.get());
      }
    });
  }

  @Test
  void compressionNoSyncAndJoin() throws Exception {
    twoRanks(new DistributedDataParallel.Options(), (ddp, net, group) -> {
      ddp.setCompression(Compression.bf16());
      ddp.call(input(group.rank())).mean().backward();
      assertEquals(21 * 2, ddp.info().sentBytes());
      ddp.setCompression(Compression.topK(0.1).errorFeedback(true).startStep(0));
      ddp.call(input(group.rank())).mean().backward();
      Map<String, Tensor> state = ddp.stateDict();
      assertTrue(state.containsKey("step"), state.keySet().toString());
      ddp.loadStateDict(state);
      assertThrows(InvalidArgumentException.class, () -> ddp.loadStateDict(Map.of("stranger", Tensor.zeros(1))));
      ddp.clearHook();
      for (Tensor p : net.parameters()) p.setGrad(null);
      try (DistributedDataParallel.Stretch alone = ddp.noSync()) {
        assertFalse(ddp.isSync());
        ddp.call(input(group.rank())).mean().backward();
      }
      assertTrue(ddp.isSync());
      ddp.call(input(group.rank())).mean().backward();
      float[] twice = gradients(net);
      try (DistributedDataParallel.Stretch join = ddp.join()) {
        for (int i = 0; i < 1 + group.rank(); i++) ddp.call(input(group.rank())).mean().backward();
        join.close();  // and once more at the end, which does nothing
      }
      group.barrier();
      ddp.close();
      float[] once = wanted(net);
      for (int i = 0; i < once.length; i++) assertEquals(2 * once[i], twice[i], 1e-6f);
    });
  }

  @Test
  void modelsAreAveraged() throws Exception {
    Ranks.run(2, group -> {
      try (Tensor p = Tensor.of(new float[] {group.rank(), 4 * group.rank()});
          ModelAverager averager = new ModelAverager(List.of(p), group, new ModelAverager.Options().period(2));
          ModelAverager outer = new ModelAverager(List.of(p), group, new ModelAverager.Options().period(1).warmupSteps(1).outer(1, 0, false))) {
        assertTrue(averager.step());
        assertFalse(averager.step());
        assertArrayEquals(new float[] {0.5f, 2}, p.toFloatArray());
        assertFalse(outer.step());
        assertTrue(averager.stateDict().containsKey("step"));
      }
    });
  }

  @Test
  void misuse() throws Exception {
    Ranks.run(2, group -> {
      try (Module net = new Linear(2, 2 + group.rank())) {
        assertThrows(MismatchException.class, () -> new DistributedDataParallel(net, group));
      }
    });
    Ranks.run(1, group -> {
      try (Module bare = new ReLU(); Module net = net(); DistributedDataParallel ddp = new DistributedDataParallel(net, group)) {
        assertThrows(InvalidArgumentException.class, () -> new DistributedDataParallel(bare, group));
        assertThrows(InvalidArgumentException.class, () -> new DistributedDataParallel(null, group));
        assertThrows(NullPointerException.class, () -> ddp.setHook(null));
        assertThrows(InvalidArgumentException.class, () -> ddp.setCompression(Compression.topK(2)));
        ddp.close();
        assertThrows(ClosedException.class, ddp::prepare);
      }
    });
  }
  /** A module that takes its tensors anew in each forward, and tells where it was. */
  private static final class Scaled extends Module {
    final Module body = child("body", new Sequential(new Linear(3, 8), new BatchNorm1d(8), new PReLU(), new Linear(8, 2)));
    final Set<String> seen = Collections.synchronizedSet(new TreeSet<>());
    final RuntimeException failure = new IllegalStateException("one row");
    boolean fails;

    Scaled() {
      parameter("scale", Tensor.of(new float[] {1.5f, -2}));
    }

    @Override
    public Tensor forward(Tensor x) {
      Tensor scale = parameter("scale");
      seen.add(x.size(0) + " rows and the scale on " + x.device() + " and " + scale.device());
      if (fails && x.size(0) == 1) throw failure;
      return body.call(x).mul(scale);
    }
  }

  private static void near(Tensor wanted, Tensor got) {
    assertArrayEquals(wanted.sizes(), got.sizes());
    assertArrayEquals(wanted.detach().toFloatArray(), got.detach().to(Device.CPU).toFloatArray(), 1e-4f);
  }

  /** Recorded work runs again over the same memory; what a body throws ends the recording. */
  @Test
  void recordedWorkReplays() {
    Assumptions.assumeTrue(System.getenv("HAFT_BACKEND_PATH") != null, "HAFT_BACKEND_PATH names no folder");
    Device d = Device.of("sim:0");
    try (Scope scope = new Scope(); DeviceGraph g = new DeviceGraph(d)) {
      Tensor x = Tensor.of(new float[] {1, 2}).to(d);
      Haft.synchronize(d);
      Tensor[] y = new Tensor[1];
      g.record(() -> y[0] = x.add(x).mul(x));
      assertTrue(g.isReady());
      g.replay();
      assertArrayEquals(new float[] {2, 8}, y[0].to(Device.CPU).toFloatArray());
      x.copy_(Tensor.of(new float[] {3, 0}).to(d));
      g.replay();
      assertArrayEquals(new float[] {18, 0}, y[0].to(Device.CPU).toFloatArray());
      IllegalStateException mine = new IllegalStateException("mine");
      assertSame(mine, assertThrows(IllegalStateException.class, () -> g.record(() -> {
        throw mine;
      })));
      assertFalse(g.isReady());
      assertTrue(assertThrows(InvalidArgumentException.class, g::replay).getMessage().contains("nothing is recorded"));
    }
  }

  /** A replay makes a scaler's step, or leaves it out, by what gradients are then. */
  @Test
  void aScalersStepReplays() {
    Assumptions.assumeTrue(System.getenv("HAFT_BACKEND_PATH") != null, "HAFT_BACKEND_PATH names no folder");
    Device d = Device.of("sim:0");
    try (Scope scope = new Scope(); DeviceGraph g = new DeviceGraph(d)) {
      Tensor w = Tensor.zeros(1).to(d).requiresGrad_(), x = Tensor.ones(1).to(d);
      SGD optimizer = new SGD(new Tensor[] {w}, 1);
      GradScaler scaler = new GradScaler(8, 2, 0.5, 2, true);
      Runnable step = () -> {
        optimizer.zeroGrad();
        scaler.scale(w.mul(x).sum()).backward();
        scaler.step(optimizer);
        scaler.update();
      };
      step.run();
      g.record(step);
      double[] factors = {1, Double.POSITIVE_INFINITY, 2}, weights = {-2, -2, -4}, scales = {16, 8, 8};
      for (int i = 0; i < 3; i++) {
        x.fill_(factors[i]);
        g.replay();
        assertEquals(weights[i], w.detach().item());
        assertEquals(scales[i], scaler.getScale());
      }
    }
  }

  /** On the devices that only tests have, against one device. */
  @Test
  void oneProcessOnSeveralDevices() {
    Assumptions.assumeTrue(System.getenv("HAFT_BACKEND_PATH") != null, "HAFT_BACKEND_PATH names no folder");
    Device[] devices = {Device.of("sim:0"), Device.of("sim:1"), Device.of("sim:2")};
    try (Scope scope = new Scope(); Scaled one = new Scaled(); Scaled net = new Scaled(); Module many = new DataParallel(net, devices)) {
      net.loadStateDict(one.stateDict());
      net.to(null, devices[0]);
      one.eval();
      many.eval();
      assertSame(net, many.get("module"));
      assertTrue(many.stateDict().containsKey("module.body.0.weight"));
      assertTrue(many.toString().contains("devices=sim:0, sim:1, sim:2"), many.toString());

      Tensor x = Tensor.randn(7, 3), y = many.call(x.to(devices[0])), wanted = one.call(x);
      assertEquals(Set.of("3 rows and the scale on sim:0 and sim:0", "3 rows and the scale on sim:1 and sim:1", "1 rows and the scale on sim:2 and sim:2"), net.seen);
      assertEquals(devices[0], y.device());
      near(wanted, y);
      y.square().sum().backward();
      wanted.square().sum().backward();
      Tensor[] got = net.parameters(), all = one.parameters();
      for (int i = 0; i < all.length; i++) near(all[i].grad(), got[i].grad());

      one.train();
      many.train();
      many.call(x.narrow(0, 0, 6).to(devices[0]));
      one.call(x.narrow(0, 0, 2));  // the first part's statistics stay
      near(one.buffer("body.1.running_mean"), net.buffer("body.1.running_mean"));

      many.eval();
      net.fails = true;
      assertSame(net.failure, assertThrows(IllegalStateException.class, () -> many.call(x.to(devices[0]))));
      try (Module columns = new DataParallel(new Tanh(), 1, devices[1], devices[0]); Module linear = new DataParallel(new Linear(3, 2).to(null, devices[0]), devices);
          Module away = new DataParallel(new Linear(3, 2), devices)) {
        near(x.tanh(), columns.call(x.to(devices[1])));
        assertTrue(assertThrows(ShapeException.class, () -> linear.call(Tensor.zeros(4, 5).to(devices[0]))).getMessage().contains("part 0 on sim:0"));
        assertTrue(assertThrows(HaftException.class, () -> away.call(x)).getMessage().contains("its first device is sim:0"));
      }
    }
  }

  @Test
  void devicesOfOneModule() {
    try (Scope scope = new Scope(); Module net = net(); Module alone = new DataParallel(net, (Device) null)) {
      Tensor x = Tensor.randn(4, 3);
      near(net.call(x), alone.call(x));
      assertTrue(assertThrows(InvalidArgumentException.class, () -> new DataParallel(net)).getMessage().contains("at least one device"));
      assertTrue(assertThrows(InvalidArgumentException.class, () -> new DataParallel(net, Device.CPU, Device.CPU)).getMessage().contains("named twice"));
      assertThrows(InvalidArgumentException.class, () -> new DataParallel(null, Device.CPU));
      assertThrows(NullPointerException.class, () -> new DataParallel(net, (Device[]) null));
      assertThrows(ShapeException.class, () -> alone.call(Tensor.zeros(4, 3), Tensor.zeros(5, 3)));
    }
  }
}
