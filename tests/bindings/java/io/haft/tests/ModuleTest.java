package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.nio.file.Path;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Leaks.class)
class ModuleTest {
  @TempDir
  Path folder;

  static class Net extends Module {
    final Module hidden = child("hidden", new Linear(4, 8)), out = child("out", new Linear(8, 3));
    final Tensor scale = parameter("scale", Tensor.ones(3)), seen = buffer("seen", Tensor.zeros(new long[] {1}));

    @Override
    public Tensor forward(Tensor x) {
      return out.call(hidden.call(x).relu()).mul(scale);
    }
  }

  @Test
  void modulesOfOnesOwn() {
    try (Scope scope = new Scope(); Net net = new Net()) {
      assertEquals(Set.of("hidden.weight", "hidden.bias", "out.weight", "out.bias", "scale"), net.namedParameters().keySet());
      assertEquals(4 * 8 + 8 + 8 * 3 + 3 + 3, net.parameterCount());
      assertTrue(net.toString().startsWith("Net("), net.toString());
      assertEquals(6, net.stateDict().size());
      Tensor x = Tensor.randn(5, 4);
      float[] direct = net.forward(x).toFloatArray();
      assertArrayEquals(direct, net.call(x).toFloatArray());
      assertArrayEquals(direct, new Sequential(net).call(x).toFloatArray());
      List<String> names = new ArrayList<>();
      net.visit((m, name) -> names.add(name));
      assertEquals(List.of("hidden", "out", ""), names);
      assertSame(net.out, net.get("out"));
      assertThrows(IllegalArgumentException.class, () -> net.get("none"));
      net.eval();
      assertFalse(net.hidden.isTraining());
      net.train();
      net.call(x).sum().backward();
      assertNotNull(net.scale.grad());
      net.zeroGrad();
      assertNull(net.scale.grad());
      net.setRequiresGrad(false);
      assertFalse(net.call(x).requiresGrad());
      assertThrows(UnsupportedOperationException.class, () -> new Module() {}.call(x));
    }
  }

  @Test
  void hooksSeeAndReplace() {
    try (Scope scope = new Scope(); Net net = new Net()) {
      Tensor x = Tensor.randn(2, 4), other = Tensor.randn(2, 4);
      float[] wanted = net.call(other).toFloatArray();
      long pre = net.addForwardPreHook(in -> new Tensor[] {other});
      assertArrayEquals(wanted, net.call(x).toFloatArray());
      List<Tensor> outputs = new ArrayList<>();
      long post = net.addForwardHook((in, out) -> {
        outputs.add(Scope.current().keep(out[0]));
        return new Tensor[] {Tensor.zeros(2, 3)};
      });
      assertEquals(0, net.call(x).abs().sum().item());
      assertArrayEquals(wanted, outputs.get(0).toFloatArray());
      outputs.get(0).close();
      net.removeHook(post);
      net.addForwardHook((in, out) -> null);
      assertArrayEquals(wanted, net.call(x).toFloatArray());
      net.removeHook(pre);
      assertFalse(Arrays.equals(wanted, net.call(x).toFloatArray()));
    }
  }

  /** Threads that add and remove hooks at once do not lose count: without hooks, call() is forward itself. */
  @Test
  void hooksOfManyThreads() throws Exception {
    try (Tensor x = Tensor.ones(2); Tensor y = Tensor.ones(2); Module net = new Module() {
      @Override
      public Tensor forward(Tensor in) {
        return y;
      }
    }) {
      List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
      Thread[] threads = new Thread[4];
      java.util.concurrent.CountDownLatch all = new java.util.concurrent.CountDownLatch(threads.length);
      for (int k = 0; k < threads.length; k++) {
        threads[k] = new Thread(() -> {
          all.countDown();
          while (all.getCount() > 0) Thread.onSpinWait();
          for (int i = 0; i < 20000; i++) {
            long id = untilNotBusy(() -> net.addForwardHook((in, out) -> null));
            untilNotBusy(() -> {
              net.removeHook(id);
              return id;
            });
          }
        });
        threads[k].setUncaughtExceptionHandler((t, e) -> failures.add(e));
        threads[k].start();
      }
      for (Thread t : threads) t.join();
      assertEquals(List.of(), failures);
      assertSame(y, net.call(x));
      long last = net.addForwardHook((in, out) -> null);
      try (Tensor hooked = net.call(x)) {
        assertNotSame(y, hooked);
      }
      net.removeHook(last);
      assertSame(y, net.call(x));
    }
  }

  /** The engine refuses changes of a module by two threads at once. */
  private static long untilNotBusy(java.util.function.LongSupplier change) {
    while (true) {
      try {
        return change.getAsLong();
      } catch (StateException e) {
        Thread.yield();
      }
    }
  }

  @Test
  void everyLayer() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.randn(2, 4, 6, 6);
      Map<Module, long[]> cases = new LinkedHashMap<>();
      cases.put(new Conv2d(4, 8, 3, new Conv2d.Options().stride(2).padding(1).bias(false)), new long[] {2, 8, 3, 3});
      cases.put(new Conv2d(4, 8, new long[] {1, 3}, new Conv2d.Options().dilation(2).groups(2), Build.of(DType.FLOAT32)), new long[] {2, 8, 6, 2});
      cases.put(new BatchNorm2d(4, new BatchNorm2d.Options().momentum(0.2).affine(false)), new long[] {2, 4, 6, 6});
      cases.put(new MaxPool2d(2), new long[] {2, 4, 3, 3});
      cases.put(new MaxPool2d(3, new MaxPool2d.Options().stride(2).padding(1).ceilMode(true)), new long[] {2, 4, 4, 4});
      cases.put(new AvgPool2d(2, new AvgPool2d.Options().countIncludePad(false)), new long[] {2, 4, 3, 3});
      cases.put(new AdaptiveAvgPool2d(1), new long[] {2, 4, 1, 1});
      cases.put(new AdaptiveAvgPool2d(2, 3), new long[] {2, 4, 2, 3});
      cases.put(new LayerNorm(6, 6), new long[] {2, 4, 6, 6});
      cases.put(new Flatten(), new long[] {2, 144});
      for (Module m : List.of(new ReLU(), new LeakyReLU(0.1), new ELU(), new GELU(true), new SiLU(), new Sigmoid(), new Tanh(), new Softplus(), new Hardswish(), new Mish(),
          new Softmax(1), new LogSoftmax(1), new Identity(), new Dropout(0.3))) cases.put(m, new long[] {2, 4, 6, 6});
      cases.forEach((m, size) -> {
        try (m) {
          assertArrayEquals(size, m.call(x).shape(), m::toString);
        }
      });
      try (Module e = new Embedding(10, 3, new Embedding.Options().paddingIdx(0)); Module b = new BatchNorm1d(3); ModuleDict d = new ModuleDict().put("a", new Identity()); ModuleList l = new ModuleList(new ReLU(), new Tanh())) {
        Tensor rows = e.call(Tensor.of(new long[] {0, 9, 3}));
        assertArrayEquals(new long[] {3, 3}, b.call(rows).shape());
        assertEquals(0, rows.get(0).abs().sum().item());
        assertThrows(IndexOutOfBoundsException.class, () -> e.call(Tensor.of(new long[] {10})));
        assertNotNull(d.get("a"));
        try (LSTM lstm = new LSTM(3, 4, new LSTM.Options().bidirectional(true)); GRUCell cell = new GRUCell(3, 4)) {
          Tensor[] y = lstm.call(Tensor.randn(6, 3), Tensor.zeros(2, 3, 4), Tensor.zeros(2, 3, 4), Tensor.of(new long[] {3, 2, 1}));  // packed sequences
          assertArrayEquals(new long[] {6, 8}, y[0].shape());
          assertArrayEquals(new long[] {2, 3, 4}, y[2].shape());
          assertArrayEquals(new long[] {16, 4}, lstm.parameter("weight_hh_l0_reverse").shape());
          assertArrayEquals(new long[] {2, 4}, cell.call(Tensor.randn(2, 3)).shape());
        }
        try (Transformer both = new Transformer(new Transformer.Options().dModel(6).nhead(2).numEncoderLayers(1).numDecoderLayers(1).dimFeedforward(8));
            MultiheadAttention heads = new MultiheadAttention(6, 2); KVCache cache = new KVCache(1, 2, 4, 6)) {
          assertArrayEquals(new long[] {4, 2, 6}, both.call(Tensor.randn(5, 2, 6), Tensor.randn(4, 2, 6))[0].shape());
          assertArrayEquals(new long[] {18, 6}, both.parameter("decoder.layers.0.multihead_attn.in_proj_weight").shape());
          Tensor s = Tensor.randn(3, 2, 6), step = Tensor.randn(1, 2, 1, 6);
          assertArrayEquals(new long[] {2, 3, 3}, heads.call(s, s, s)[1].shape());
          cache.call(step, step);
          assertArrayEquals(new long[] {1, 2, 2, 6}, cache.call(step, step)[1].shape());
          cache.buffer("length").fill_(0);
          assertArrayEquals(new long[] {1, 2, 1, 6}, cache.call(step, step)[1].shape());
        }
        Embedding plain = new Embedding(4, 2, null, Build.of(DType.FLOAT64)),
            last = new Embedding(4, 2, new Embedding.Options().paddingIdx(-1), Build.of(DType.FLOAT64));
        assertEquals(DType.FLOAT64, plain.parameter("weight").dtype());
        assertTrue(plain.call(Tensor.of(new long[] {0, 1, 2, 3})).abs().sum(1).amin().item() > 0);
        assertFalse(plain.toString().contains("padding"), plain.toString());
        assertEquals(0, last.call(Tensor.of(new long[] {3})).abs().sum().item());
        assertEquals(2, l.childCount());
        for (Module m : l) assertArrayEquals(x.shape(), m.call(x).shape());
      }
    }
  }

  @Test
  void everyLoss() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.randn(6, 4).setRequiresGrad(true), y = Tensor.rand(6, 4), classes = Tensor.of(new long[] {0, 3, 1, 1, 2, 0});
      Tensor logs = x.logSoftmax(1), odds = x.sigmoid(), weight = Tensor.rand(4), each = Tensor.rand(6, 4), shares = y.softmax(1);
      Object[][] cases = {
          {new CrossEntropyLoss(), x, classes, x.crossEntropy(classes)},
          {new CrossEntropyLoss(new CrossEntropyLoss.Options().weight(weight).reduction(Reduction.SUM).ignoreIndex(1).labelSmoothing(0.1)), x, classes, x.crossEntropy(classes, weight, Reduction.SUM, 1, 0.1)},
          {new CrossEntropyLoss(Reduction.NONE), x, shares, x.crossEntropy(shares, null, Reduction.NONE)},
          {new NLLLoss(), logs, classes, logs.nllLoss(classes)},
          {new NLLLoss(new NLLLoss.Options().weight(weight).reduction(Reduction.SUM).ignoreIndex(0)), logs, classes, logs.nllLoss(classes, weight, Reduction.SUM, 0)},
          {new MSELoss(), x, y, x.mseLoss(y)},
          {new MSELoss(Reduction.NONE), x, y, x.mseLoss(y, Reduction.NONE)},
          {new L1Loss(Reduction.SUM), x, y, x.l1Loss(y, Reduction.SUM)},
          {new SmoothL1Loss(Reduction.MEAN, 0.3), x, y, x.smoothL1Loss(y, Reduction.MEAN, 0.3)},
          {new HuberLoss(Reduction.SUM, 0.7), x, y, x.huberLoss(y, Reduction.SUM, 0.7)},
          {new BCELoss(each, Reduction.MEAN), odds, y, odds.binaryCrossEntropy(y, each, Reduction.MEAN)},
          {new BCEWithLogitsLoss(), x, y, x.binaryCrossEntropyWithLogits(y)},
          {new BCEWithLogitsLoss(new BCEWithLogitsLoss.Options().weight(each).posWeight(weight).reduction(Reduction.SUM)), x, y, x.binaryCrossEntropyWithLogits(y, each, weight, Reduction.SUM)},
          {new KLDivLoss(Reduction.SUM, true), logs, shares.log(), logs.klDiv(shares.log(), Reduction.SUM, true)},
          {new PoissonNLLLoss(), x, y, x.poissonNllLoss(y)},
          {new SoftMarginLoss(Reduction.SUM), x, y, x.softMarginLoss(y, Reduction.SUM)},
          {new HingeEmbeddingLoss(Reduction.SUM), x, y.sign(), x.hingeEmbeddingLoss(y.sign(), 1, Reduction.SUM)},
          {new MultiMarginLoss(), x, classes, x.multiMarginLoss(classes)},
          {new MultiLabelSoftMarginLoss(weight, Reduction.SUM), x, y, x.multilabelSoftMarginLoss(y, weight, Reduction.SUM)},
      };
      for (Object[] c : cases) {
        try (Loss loss = (Loss) c[0]) {
          Tensor got = loss.call((Tensor) c[1], (Tensor) c[2]), wanted = (Tensor) c[3];
          assertArrayEquals(wanted.shape(), got.shape(), loss::toString);
          assertArrayEquals(wanted.toFloatArray(), got.toFloatArray(), loss::toString);
          assertArrayEquals(gradient(wanted, x), gradient(got, x), loss::toString);
          assertTrue(loss.toString().startsWith(loss.getClass().getSimpleName()), loss.toString());
        }
      }
      try (Loss triplet = new TripletMarginLoss()) {
        assertArrayEquals(x.tripletMarginLoss(y, each).toFloatArray(), triplet.call(x, y, each).toFloatArray());
        assertThrows(IllegalArgumentException.class, () -> triplet.call(x, y));
      }
      try (Loss weighted = new BCEWithLogitsLoss(new BCEWithLogitsLoss.Options().posWeight(weight))) {
        assertEquals(Set.of("pos_weight"), weighted.stateDict().keySet());  // as PyTorch's
        weighted.to(DType.FLOAT64);
        Tensor wide = x.cast(DType.FLOAT64);
        assertEquals(DType.FLOAT64, weighted.call(wide, y.cast(DType.FLOAT64)).dtype());
        assertThrows(IllegalArgumentException.class, () -> weighted.call(wide, wide, wide));
      }
      assertThrows(IllegalArgumentException.class, () -> new MSELoss(null));
    }
  }

  /** x + 1 without a mask, x times the mask with one. */
  static final class Masked extends Module {
    @Override
    public Tensor[] forward(Tensor... inputs) {
      return new Tensor[] {inputs[1] == null ? inputs[0].add(1) : inputs[0].mul(inputs[1])};
    }
  }

  /** A parameter that the first forward makes is the module's; what else it makes goes with the call. */
  @Test
  void aParameterMadeInsideForwardStays() {
    class Lazy extends Module {
      Tensor weight, hidden;

      @Override
      public Tensor forward(Tensor x) {
        if (weight == null) weight = parameter("weight", Tensor.ones(2));
        hidden = x.mul(weight);
        return hidden.add(1);
      }
    }
    Lazy lazy = new Lazy();
    try (Module net = new Sequential(lazy); Tensor x = Tensor.ones(2); Tensor y = net.call(x)) {
      assertTrue(lazy.hidden.isClosed());
      try (Tensor again = net.call(x)) {
        assertArrayEquals(new float[] {2, 2}, again.toFloatArray());
      }
      lazy.weight.close();
    }
  }

  @Test
  void absentInputsAreNull() {
    try (Scope scope = new Scope(); Masked m = new Masked()) {
      Tensor x = Tensor.of(new float[] {2});
      assertEquals(3, m.call(x, null)[0].item());
      List<Tensor> masks = new ArrayList<>();
      m.addForwardPreHook(in -> {
        masks.add(in[1]);
        return null;
      }); // through the engine
      assertEquals(3, m.call(x, null)[0].item());
      assertNull(masks.get(0));
    }
  }

  private static float[] gradient(Tensor y, Tensor x) {
    return Haft.grad(new Tensor[] {y.sum()}, new Tensor[] {x}, Tensor.RETAIN_GRAPH)[0].toFloatArray();
  }

  /** What the engine has and no class: a layer of nn.hpp, or an operator that reduces as losses do. */
  @Test
  void everyLossOfTheEngineHasItsClass() throws Exception {
    int losses = 0;
    try (java.util.jar.JarFile jar = new java.util.jar.JarFile(Haft.class.getProtectionDomain().getCodeSource().getLocation().getPath())) {
      for (java.util.jar.JarEntry e : Collections.list(jar.entries())) {
        if (!e.getName().matches("io/haft/\\w+\\.class")) continue;
        Class<?> c = Class.forName(e.getName().replace('/', '.').replace(".class", ""));
        if (Loss.class.isAssignableFrom(c) && c != Loss.class) losses++;
      }
    }
    Set<String> reducing = new TreeSet<>();
    for (java.lang.reflect.Method m : TensorOperators.class.getDeclaredMethods())
      if (List.of(m.getParameterTypes()).contains(Reduction.class)) reducing.add(m.getName());
    assertTrue(reducing.remove("linearCrossEntropy"), "whose weights are a layer's");
    assertTrue(reducing.removeIf(name -> name.startsWith("weighted")), "whose weights come with each call");
    assertTrue(reducing.size() >= 9, reducing::toString);
    assertEquals(reducing.size(), losses, reducing + " and as many losses");
  }

  @Test
  void training() {
    try (Scope scope = new Scope()) {
      Haft.manualSeed(1);
      Tensor x = Tensor.randn(256, 4), target = x.sum(1).gt(0.0).cast(DType.INT64);
      for (int kind = 0; kind < 3; kind++) {
        try (Net net = new Net()) {
          Tensor[] params = net.parameters();
          Optimizer o = kind == 0 ? new SGD(params, new SGD.Options().lr(0.1).momentum(0.9).nesterov(true)) : kind == 1 ? new Adam(List.of(params), 0.02) : new AdamW(params, new AdamW.Options().lr(0.02).weightDecay(0.1));
          try (o; Scheduler s = new CosineAnnealingLR(o, 60, 0)) {
            double before = 0, after = 0;
            for (int i = 0; i < 60; i++) {
              try (Scope step = new Scope()) {
                Tensor loss = net.call(x).crossEntropy(target);
                o.zeroGrad();
                loss.backward();
                assertTrue(Haft.clipGradNorm(List.of(params), 5).item() > 0);
                o.step();
                s.step();
                if (i == 0) before = loss.item();
                after = loss.item();
              }
            }
            assertTrue(after < before / 3, before + " to " + after);
            assertEquals(0, o.lr(), 1e-9);
            assertEquals(60, s.lastEpoch());
          }
        }
      }
      try (Net net = new Net(); Optimizer o = new SGD(net.parameters(), 1.0)) {
        try (Scheduler s = new LambdaLR(o, epoch -> 1.0 / (1 + epoch))) {
          s.step();
          assertEquals(0.5, o.lr());
          s.step();
          assertEquals(1.0 / 3, o.lr(), 1e-12);
        }
        RuntimeException mine = new RuntimeException("rate");
        assertSame(mine, assertThrows(RuntimeException.class, () -> new LambdaLR(o, epoch -> {
          throw mine;
        }).step()));
        assertThrows(IllegalArgumentException.class, () -> new SGD(net.parameters(), -1.0));
      }
    }
  }

  @Test
  void files() {
    try (Scope scope = new Scope(); Net a = new Net(); Net b = new Net()) {
      Tensor x = Tensor.randn(3, 4);
      String path = folder.resolve("w\u00e9ights-\ud83d\ude80.safetensors").toString();
      a.save(path);
      b.load(path);
      assertArrayEquals(a.call(x).toFloatArray(), b.call(x).toFloatArray());
      Map<String, Tensor> file = Weights.load(path);
      assertEquals(a.stateDict().keySet(), file.keySet());
      file.remove("scale");
      assertThrows(InvalidArgumentException.class, () -> b.loadStateDict(file));
      b.loadStateDict(file, false);
      try (Weights w = new Weights(path)) {
        assertEquals(6, w.size());
        assertArrayEquals(a.scale.toFloatArray(), w.tensor("scale").toFloatArray());
        assertTrue(w.names().contains("hidden.bias"));
      }
      String npz = folder.resolve("x.npz").toString();
      for (boolean compressed : new boolean[] {false, true}) {
        Weights.saveNpz(Map.of("x", x), npz, compressed);
        assertArrayEquals(x.toFloatArray(), Weights.load(npz).get("x").toFloatArray());
      }
      Haft.saveNpy(x, folder.resolve("x.npy").toString());
      assertArrayEquals(x.toFloatArray(), Haft.loadNpy(folder.resolve("x.npy").toString()).toFloatArray());
      try (Optimizer o = new Adam(a.parameters(), 0.1); Optimizer p = new Adam(b.parameters(), 0.5)) {
        a.call(x).sum().backward();
        o.step();
        String checkpoint = folder.resolve("c").toString();
        Checkpoint.save(checkpoint, new Checkpoint.Parts().module(a).optimizer(o), Map.of("epoch", 3, "loss", 0.25, "name", "n\u00e4me", "best", true));
        try (Checkpoint c = Checkpoint.load(checkpoint, new Checkpoint.Parts().module(b).optimizer(p))) {
          assertEquals(3, c.integer("epoch"));
          assertEquals(0.25, c.number("loss"));
          assertEquals("n\u00e4me", c.text("name"));
          assertEquals(1, c.integer("best"));
          assertThrows(IllegalArgumentException.class, () -> c.number("none"));
        }
        assertArrayEquals(a.call(x).toFloatArray(), b.call(x).toFloatArray());
        assertEquals(0.1, p.lr());
      }
      try (Writer w = new Writer(folder.resolve("runs").toString())) {
        w.addScalar("loss", 1.5, 1);
        w.addHistogram("x", x, 1);
        w.addGraph(a, new Tensor[] {x});
        w.flush();
        assertTrue(Path.of(w.path()).toFile().length() > 50);
      }
      Profiler profiler = new Profiler(true);
      try (Profiler.Range range = Profiler.range("forward")) {
        a.call(x);
      }
      try (Profile p = profiler.stop()) {
        assertTrue(p.table().contains("linear"), p.table());
        p.writeTrace(folder.resolve("trace.json").toString());
      }
      try (Profiler whole = new Profiler(true, true, true, true)) {
        a.call(x);
        try (Profile p = whole.stop()) {
          assertTrue(p.table().contains("Linear"), p.table());
          if (System.getenv("HAFT_BACKEND_PATH") != null) {
            Tensor there = Tensor.ones(3).to(Device.of("sim:0"));
            try (Profiler onDevice = new Profiler(false, true, false, false)) {
              there.exp();
              try (Profile q = onDevice.stop()) {
                assertTrue(q.table().contains("sim_exp"), q.table());
              }
            }
          }
        }
      }
      assertThrows(FileException.class, () -> b.load("/nowhere"));
      Init.constant_(a.scale, 4);
      assertEquals(12, a.scale.sum().item());
      Init.kaimingUniform_(a.hidden.parameter("weight"), Math.sqrt(5), Init.Fan.IN);
      Init.orthogonal_(a.hidden.parameter("weight"), 1);
      Tensor kernel = Tensor.ones(2, 2, 3), matrix = Tensor.ones(4, 3);
      Init.dirac_(kernel, 1);
      assertArrayEquals(new float[] {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0}, kernel.toFloatArray());
      Init.sparse_(matrix, 0.5, 0.01);
      assertEquals(6, matrix.eq(0).sum().item());
    }
  }

  @Test
  void forwardMustAnswer() {
    class Silent extends Module {
      @Override
      public Tensor forward(Tensor x) {
        return null;
      }
    }
    try (Silent silent = new Silent(); Tensor x = Tensor.ones(2)) {
      String direct = assertThrows(NullPointerException.class, () -> silent.call(x)).getMessage();
      assertTrue(direct.contains("Silent.forward answered null"), direct);
      try (Module net = new Sequential(silent)) {
        assertEquals(direct, assertThrows(NullPointerException.class, () -> net.call(x)).getMessage());
      }
    }
  }
}
