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
        outputs.add(out[0]);
        return new Tensor[] {Tensor.zeros(2, 3)};
      });
      assertEquals(0, net.call(x).abs().sum().item());
      assertArrayEquals(wanted, outputs.get(0).toFloatArray());
      net.removeHook(post);
      net.addForwardHook((in, out) -> null);
      assertArrayEquals(wanted, net.call(x).toFloatArray());
      net.removeHook(pre);
      assertFalse(Arrays.equals(wanted, net.call(x).toFloatArray()));
    }
  }

  @Test
  void everyLayer() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.randn(2, 4, 6, 6);
      Map<Module, long[]> cases = new LinkedHashMap<>();
      cases.put(new Conv2d(4, 8, 3, new Conv2d.Options().stride(2).padding(1).bias(false)), new long[] {2, 8, 3, 3});
      cases.put(new Conv2d(4, 8, new long[] {1, 3}, new Conv2d.Options().dilation(2).groups(2), Build.of(DType.FLOAT32)), new long[] {2, 8, 6, 2});
      cases.put(new BatchNorm2d(4, new BatchNorm.Options().momentum(0.2).affine(false)), new long[] {2, 4, 6, 6});
      cases.put(new MaxPool2d(2), new long[] {2, 4, 3, 3});
      cases.put(new MaxPool2d(3, new Pool().stride(2).padding(1).ceilMode(true)), new long[] {2, 4, 4, 4});
      cases.put(new AvgPool2d(2, new Pool().countIncludePad(false)), new long[] {2, 4, 3, 3});
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
      try (Module e = new Embedding(10, 3, 0); Module b = new BatchNorm1d(3); ModuleDict d = new ModuleDict().put("a", new Identity()); ModuleList l = new ModuleList(new ReLU(), new Tanh())) {
        Tensor rows = e.call(Tensor.of(new long[] {0, 9, 3}));
        assertArrayEquals(new long[] {3, 3}, b.call(rows).shape());
        assertEquals(0, rows.get(0).abs().sum().item());
        assertThrows(IndexOutOfBoundsException.class, () -> e.call(Tensor.of(new long[] {10})));
        assertNotNull(d.get("a"));
        Embedding plain = new Embedding(4, 2, Build.of(DType.FLOAT64)), last = new Embedding(4, 2, -1, Build.of(DType.FLOAT64));
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
  void training() {
    try (Scope scope = new Scope()) {
      Haft.manualSeed(1);
      Tensor x = Tensor.randn(256, 4), target = x.sum(1).gt(0.0).cast(DType.INT64);
      for (int kind = 0; kind < 3; kind++) {
        try (Net net = new Net()) {
          Tensor[] params = net.parameters();
          Optimizer o = kind == 0 ? new Sgd(params, new Sgd.Options().lr(0.1).momentum(0.9).nesterov(true)) : kind == 1 ? new Adam(List.of(params), 0.02) : new AdamW(params, new AdamW.Options().lr(0.02).weightDecay(0.1));
          try (o; Scheduler s = Scheduler.cosine(o, 60, 0)) {
            double before = 0, after = 0;
            for (int i = 0; i < 60; i++) {
              try (Scope step = new Scope()) {
                Tensor loss = net.call(x).crossEntropy(target);
                o.zeroGrad();
                loss.backward();
                Haft.clipGradNorm(List.of(params), 5);
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
      try (Net net = new Net(); Optimizer o = new Sgd(net.parameters(), 1.0)) {
        try (Scheduler s = Scheduler.lambda(o, epoch -> 1.0 / (1 + epoch))) {
          s.step();
          assertEquals(0.5, o.lr());
          s.step();
          assertEquals(1.0 / 3, o.lr(), 1e-12);
        }
        RuntimeException mine = new RuntimeException("rate");
        assertSame(mine, assertThrows(RuntimeException.class, () -> Scheduler.lambda(o, epoch -> {
          throw mine;
        }).step()));
        assertThrows(IllegalArgumentException.class, () -> new Sgd(net.parameters(), -1.0));
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
      assertThrows(FileException.class, () -> b.load("/nowhere"));
      Init.constant_(a.scale, 4);
      assertEquals(12, a.scale.sum().item());
      Init.kaimingUniform_(a.hidden.parameter("weight"), Math.sqrt(5), Init.Fan.IN);
      Init.orthogonal_(a.hidden.parameter("weight"), 1);
    }
  }
}
