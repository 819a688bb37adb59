package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.util.*;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class AutogradTest {
  /** x / sqrt(1 + x^2), its gradient in operators. */
  static class SoftClip extends Function {
    private static Tensor root(Tensor x) {
      return x.square().add(1.0).rsqrt();
    }

    @Override
    protected Tensor[] forward(Context ctx, Tensor... in) {
      ctx.save(in[0]);
      return new Tensor[] {in[0].mul(root(in[0]))};
    }

    @Override
    protected Tensor[] backward(Context ctx, Tensor... grads) {
      assertTrue(ctx.needsGrad(0));
      return new Tensor[] {grads[0].mul(root(ctx.saved(0)).pow(3L))};
    }
  }

  @Test
  void functionsOfOnesOwn() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.randn(new long[] {2, 3}, DType.FLOAT64).requiresGrad_();
      double[] v = x.detach().toDoubleArray(), got = new SoftClip().apply(x).detach().toDoubleArray();
      for (int i = 0; i < v.length; i++) assertEquals(v[i] / Math.sqrt(1 + v[i] * v[i]), got[i], 1e-12);
      Haft.gradgradcheck(in -> new Tensor[] {new SoftClip().apply(in)}, x);
      HaftException e = assertThrows(HaftException.class, () -> Haft.gradcheck(in -> new Tensor[] {in[0].detach().mul(in[0])}, x));
      assertEquals("HAFT_ERROR_AUTOGRAD", e.status());
      // Several outputs, one of them unused; an input without a gradient.
      Function split = new Function() {
        @Override
        protected Tensor[] forward(Context ctx, Tensor... in) {
          return new Tensor[] {in[0].add(in[1]), in[0].sub(in[1])};
        }

        @Override
        protected Tensor[] backward(Context ctx, Tensor... g) {
          assertNull(g[1]);
          assertFalse(ctx.needsGrad(1));
          return new Tensor[] {g[0], null};
        }
      };
      Tensor a = Tensor.ones(3).requiresGrad_();
      split.applyAll(2, a, Tensor.ones(3))[0].sum().backward();
      assertArrayEquals(new float[] {1, 1, 1}, a.grad().toFloatArray());
    }
  }

  @Test
  void contextsEndWithTheirCall() {
    AtomicReference<Function.Context> kept = new AtomicReference<>();
    Function f = new Function() {
      @Override
      protected Tensor[] forward(Context ctx, Tensor... in) {
        kept.set(ctx);
        return new Tensor[] {in[0].mul(2)};
      }

      @Override
      protected Tensor[] backward(Context ctx, Tensor... g) {
        return g;
      }
    };
    try (Scope scope = new Scope()) {
      f.apply(Tensor.ones(1));
      assertThrows(IllegalStateException.class, () -> kept.get().saved(0));
    }
  }

  static final class Mine extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** What a callback throws arrives as the very same object, with its own stack. */
  private static void same(RuntimeException mine, Runnable call) {
    RuntimeException got = assertThrows(RuntimeException.class, call::run);
    assertSame(mine, got);
    assertEquals("thrower", got.getStackTrace()[0].getMethodName());
  }

  private static RuntimeException thrower() {
    return new Mine();
  }

  @Test
  void exceptionsArriveAsThemselves() {
    RuntimeException mine = thrower();
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.ones(2).requiresGrad_();
      x.mul(2);
      Tensor y = x.mul(3);
      y.addHook(g -> {
        throw mine;
      });
      same(mine, () -> y.sum().backward());
      Function forward = new SoftClip() {
        @Override
        protected Tensor[] forward(Context ctx, Tensor... in) {
          throw mine;
        }
      };
      same(mine, () -> forward.apply(x));
      Function backward = new SoftClip() {
        @Override
        protected Tensor[] backward(Context ctx, Tensor... g) {
          throw mine;
        }
      };
      same(mine, () -> backward.apply(x).sum().backward());
      same(mine, () -> Haft.gradcheck(in -> {
        throw mine;
      }, Tensor.ones(new long[] {1}, DType.FLOAT64).requiresGrad_()));
      try (Module net = new Sequential(new Linear(2, 2), new Module() {
        @Override
        public Tensor forward(Tensor t) {
          throw mine;
        }
      })) {
        same(mine, () -> net.call(x));
      }
      // An Error, too; a wrong number of results is told.
      StackOverflowError error = new StackOverflowError();
      Function broken = new SoftClip() {
        @Override
        protected Tensor[] forward(Context ctx, Tensor... in) {
          throw error;
        }
      };
      assertSame(error, assertThrows(StackOverflowError.class, () -> broken.apply(x)));
      assertThrows(HaftException.class, () -> new SoftClip() {
        @Override
        protected Tensor[] forward(Context ctx, Tensor... in) {
          return new Tensor[] {in[0], in[0]};
        }
      }.apply(x));
      assertThrows(NullPointerException.class, () -> new SoftClip() {
        @Override
        protected Tensor[] forward(Context ctx, Tensor... in) {
          return new Tensor[] {((Tensor) null).exp()};
        }
      }.apply(x));
    }
  }

  @Test
  void whatIsSavedGoesThroughHooks() {
    List<Object> packed = new ArrayList<>();
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.of(new float[] {1, 2, 3}).requiresGrad_(), y;
      try (SavedTensorHooks hooks = new SavedTensorHooks(t -> {
        packed.add(t.toFloatArray());
        return packed.get(packed.size() - 1);
      }, p -> Tensor.of((float[]) p).mul(10))) {
        y = x.square().sum();
      }
      assertEquals(1, packed.size());
      x.square();  // is kept as it is
      assertEquals(1, packed.size());
      y.backward();
      assertArrayEquals(new float[] {20, 40, 60}, x.grad().toFloatArray());
      Tensor[] made = new Tensor[2];
      try (SavedTensorHooks hooks = new SavedTensorHooks(t -> {
        made[0] = t.mul(2);
        return made[1] = made[0].mul(5);
      }, p -> (Tensor) p)) {
        y = x.square().sum();
      }
      assertTrue(made[0].isClosed());   // made and not answered
      assertFalse(made[1].isClosed());  // the graph's
      y.backward();
      made[1].close();
      RuntimeException mine = thrower();
      try (SavedTensorHooks hooks = new SavedTensorHooks(t -> 1, p -> {
        throw mine;
      })) {
        y = x.square().sum();
      }
      Tensor failing = y;
      same(mine, failing::backward);
      try (SavedTensorHooks hooks = new SavedTensorHooks(t -> {
        throw mine;
      }, p -> null)) {
        same(mine, x::square);
      }
    }
  }

  @Test
  void functionsOfFunctions() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.of(new double[] {1, 2}), y = Tensor.of(new double[] {3, 5}), v = Tensor.of(new double[] {1, 10});
      TensorsFunction both = in -> new Tensor[] {in[0].mul(in[1]), in[0].sum()};
      Tensor[][] j = Autograd.jacobian(both, x, y);
      assertEquals(2, j.length);
      assertArrayEquals(new double[] {3, 0, 0, 5}, j[0][0].toDoubleArray());
      assertArrayEquals(new double[] {1, 0, 0, 2}, j[0][1].toDoubleArray());
      assertArrayEquals(new double[] {1, 1}, j[1][0].toDoubleArray());
      assertArrayEquals(new double[] {0, 0}, j[1][1].toDoubleArray());
      TensorsFunction cubes = in -> new Tensor[] {in[0].mul(in[0]).mul(in[0]).sum()};
      assertArrayEquals(new double[] {6, 0, 0, 12}, Autograd.hessian(cubes, x)[0][0].toDoubleArray());
      Autograd.Products p = Autograd.vjp(in -> new Tensor[] {in[0].mul(in[1])}, new Tensor[] {x, y}, new Tensor[] {v});
      assertArrayEquals(new double[] {3, 10}, p.outputs()[0].toDoubleArray());
      assertArrayEquals(new double[] {3, 50}, p.products()[0].toDoubleArray());
      assertArrayEquals(new double[] {1, 20}, p.products()[1].toDoubleArray());
      p = Autograd.jvp(both, new Tensor[] {x, y}, new Tensor[] {v, v});
      assertArrayEquals(new double[] {4, 70}, p.products()[0].toDoubleArray());
      assertArrayEquals(new double[] {11}, p.products()[1].toDoubleArray());
      p = Autograd.hvp(cubes, new Tensor[] {x}, new Tensor[] {y});
      assertEquals(9, p.outputs()[0].item());
      assertArrayEquals(new double[] {18, 60}, p.products()[0].toDoubleArray());
      Tensor leaf = Tensor.of(new double[] {2}).requiresGrad_();
      Autograd.jacobian(in -> new Tensor[] {in[0].mul(in[0]).mul(in[0])}, true, leaf)[0][0].sum().backward();
      assertArrayEquals(new double[] {12}, leaf.grad().toDoubleArray());
      assertThrows(IllegalArgumentException.class, () -> Autograd.hessian(both, x, y));
      RuntimeException mine = thrower();
      same(mine, () -> Autograd.jacobian(in -> {
        throw mine;
      }, x));
    }
  }

  @Test
  void manyExamplesAtOnce() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.of(new double[] {1, 2, 3, 4, 5, 6}).reshape(3, 2), y = Tensor.of(new double[] {10, 100});
      int[] calls = {0};
      TensorsFunction gradient = in -> {
        calls[0]++;
        assertArrayEquals(new long[] {2}, in[0].sizes());
        return Autograd.vjp(u -> new Tensor[] {u[0].mul(u[0]).mul(in[1]).sum()}, new Tensor[] {in[0]}, null).products();
      };
      Tensor found = Autograd.vmap(gradient, new long[] {0, Autograd.WHOLE}, new long[] {1}, Autograd.Randomness.ERROR, 0, x, y)[0];
      assertArrayEquals(new long[] {2, 3}, found.sizes());
      assertArrayEquals(new double[] {20, 60, 100, 400, 800, 1200}, found.toDoubleArray());
      assertEquals(1, calls[0]);
      assertArrayEquals(new double[] {5, 25, 61}, Autograd.vmap(in -> new Tensor[] {in[0].mul(in[0]).sum()}, x)[0].toDoubleArray());
      TensorsFunction square = in -> new Tensor[] {in[0].mul(in[0])};
      assertArrayEquals(new double[] {20, 0, 0, 200}, Autograd.jacobian(square, false, 1, y)[0][0].toDoubleArray());
      assertThrows(RuntimeException.class, () -> Autograd.vmap(in -> new Tensor[] {in[0].mul(in[0].sum().item())}, x));
      assertThrows(IllegalArgumentException.class, () -> Autograd.vmap(in -> new Tensor[] {in[0].add(Tensor.rand(2))}, x));
    }
  }

  @Test
  void checkpointsRunTwice() {
    try (Scope scope = new Scope()) {
      int[] calls = {0};
      Tensor x = Tensor.of(new double[] {1, 2}).requiresGrad_();
      TensorsFunction f = in -> {
        calls[0]++;
        return new Tensor[] {in[0].square().mul(in[0].exp().detach().mul(0).add(1))};
      };
      Tensor y = Autograd.checkpoint(in -> Autograd.checkpoint(f, in), x)[0];
      assertEquals(1, calls[0]);
      y.sum().backward();
      assertTrue(calls[0] >= 2);
      assertArrayEquals(new double[] {2, 4}, x.grad().toDoubleArray());
      RuntimeException mine = thrower();
      int[] run = {0};
      Tensor failing = Autograd.checkpoint(in -> {
        if (run[0]++ > 0) throw mine;
        return new Tensor[] {in[0].exp()};
      }, x)[0].sum();
      same(mine, failing::backward);
    }
  }

  @Test
  void optimizersTakeClosures() {
    try (Scope scope = new Scope()) {
      Tensor p = Tensor.of(new double[] {3, -4}).requiresGrad_(), target = Tensor.of(new double[] {1, 2});
      LBFGS o = new LBFGS(new Tensor[] {p}, new LBFGS.Options().strongWolfe(true));
      Tensor loss = o.step(() -> {
        o.zeroGrad(true);
        Tensor l = p.sub(target).square().sum();
        l.backward();
        return l;
      });
      assertEquals(40, loss.item());
      assertArrayEquals(new double[] {1, 2}, p.detach().toDoubleArray(), 1e-7);
      assertThrows(IllegalArgumentException.class, () -> o.step());
      RuntimeException mine = thrower();
      same(mine, () -> o.step(() -> {
        throw mine;
      }));
    }
  }

  @Test
  void lookupsGiveGradientsOfRows() {
    try (Scope scope = new Scope()) {
      Embedding table = new Embedding(4, 2, new Embedding.Options().paddingIdx(1).sparse(true));
      Tensor weight = table.parameter("weight"), at = Tensor.of(new long[] {2, 0, 2});
      table.forward(at).sum().backward();
      Tensor g = weight.grad();
      assertTrue(g.isSparse());
      assertArrayEquals(new float[] {1, 1, 0, 0, 2, 2, 0, 0}, g.toDense().toFloatArray());
      assertArrayEquals(new long[] {0, 2}, g.coalesce().sparseIndices().toLongArray());
      assertArrayEquals(new float[] {1, 1, 2, 2}, g.coalesce().sparseValues().toFloatArray());
      assertThrows(HaftException.class, () -> g.mul(2));
      float[] before = weight.detach().toFloatArray().clone();
      new SparseAdam(new Tensor[] {weight}, new SparseAdam.Options().lr(0.5)).step();
      float[] after = weight.detach().toFloatArray();
      for (int i = 0; i < 8; ++i) assertEquals(i / 2 % 2 == 0 ? before[i] - 0.5 : before[i], after[i], 1e-5);
      assertThrows(HaftException.class, () -> new Adam(new Tensor[] {weight}, 0.1).step());
    }
  }

  @Test
  void weightsAreAveraged() {
    try (Scope scope = new Scope()) {
      Linear model = new Linear(1, 1);
      Module average = Haft.averagedModel(new Linear(1, 1), -1, false);
      for (float v : new float[] {2, 4}) {
        Init.constant_(model.parameter("weight"), v);
        Haft.updateAverage(average, model);
      }
      assertEquals(3, average.parameter("module.weight").item());
      Haft.updateAverageBy(average, model, all -> {
        Init.constant_(all[0], all[all.length / 2].item() * 10);
        return new Tensor[0];
      });
      assertEquals(40, average.parameter("module.weight").item());
      assertEquals(3, average.buffer("n_averaged").item());
      BatchNorm1d norm = new BatchNorm1d(1);
      int[] left = {2};
      Haft.updateBn(norm, none -> left[0]-- > 0 ? new Tensor[] {Tensor.of(new float[] {left[0], left[0] + 2}).reshape(2, 1)} : new Tensor[0]);
      assertEquals(1.5, norm.buffer("running_mean").item());
      RuntimeException mine = thrower();
      same(mine, () -> Haft.updateBn(norm, none -> {
        throw mine;
      }));
    }
  }

  @Test
  void callbacksRunAtTheEndOfBackward() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.ones(2).requiresGrad_(), y = x.mul(3);
      List<float[]> seen = new ArrayList<>();
      y.addHook(g -> {
        Haft.addBackwardCallback(() -> seen.add(x.grad().toFloatArray()));
        return null;
      });
      y.sum().backward(null, Tensor.RETAIN_GRAPH);
      assertEquals(1, seen.size());
      assertArrayEquals(new float[] {3, 3}, seen.get(0));
      assertThrows(InvalidArgumentException.class, () -> Haft.addBackwardCallback(() -> {}));
    }
  }

  @Test
  void hooks() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.ones(2).requiresGrad_(), y = x.mul(3);
      List<Tensor> seen = new ArrayList<>();
      long id = y.addHook(g -> {
        seen.add(Scope.current().keep(g));
        return g.mul(10);
      });
      x.addAccumulateHook(g -> seen.add(Scope.current().keep(g)));
      y.sum().backward(null, Tensor.RETAIN_GRAPH);
      assertArrayEquals(new float[] {30, 30}, x.grad().toFloatArray());
      y.removeHook(id);
      x.zeroGrad();
      assertNull(x.grad());
      y.sum().backward();
      assertArrayEquals(new float[] {3, 3}, x.grad().toFloatArray());
      assertEquals(3, seen.size());
      assertArrayEquals(new float[] {1, 1}, seen.get(0).toFloatArray());  // arguments of callbacks may be kept, by saying so
      for (Tensor t : seen) t.close();  // they belong to no scope
      assertThrows(IllegalArgumentException.class, () -> x.addHook(null));
    }
  }

  @Test
  void gradientsAndModes() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.scalar(2.0).requiresGrad_();
      Tensor first = Haft.gradWithGraph(x.pow(3L), x)[0];
      assertEquals(12, first.item(), 1e-6);
      assertEquals(12, Haft.grad(first, x)[0].item(), 1e-6);
      assertNull(Haft.grad(new Tensor[] {x.mul(2)}, new Tensor[] {Tensor.ones(1).requiresGrad_()}, Tensor.ALLOW_UNUSED)[0]);
      Tensor a = Tensor.scalar(2.0).requiresGrad_(), b = Tensor.scalar(3.0).requiresGrad_(), h = a.mul(b);
      Haft.backwardInputs(new Tensor[] {h.mul(h)}, new Tensor[] {a, h});
      assertEquals(36, a.grad().item(), 1e-6);
      assertEquals(12, h.grad().item(), 1e-6);
      assertNull(b.grad());
      assertThrows(IllegalArgumentException.class, () -> Haft.backwardInputs(new Tensor[] {a.mul(2)}, new Tensor[0]));
      try (NoGrad off = new NoGrad()) {
        assertFalse(x.mul(2).requiresGrad());
        try (EnableGrad on = new EnableGrad()) {
          assertTrue(x.mul(2).requiresGrad());
        }
        assertFalse(Haft.isGradEnabled());
      }
      assertTrue(Haft.isGradEnabled());
      Tensor inside;
      try (InferenceMode mode = new InferenceMode()) {
        inside = x.mul(2);
      }
      assertThrows(HaftException.class, () -> inside.mul(x).backward());
      try (AnomalyMode mode = new AnomalyMode()) {
        HaftException e = assertThrows(HaftException.class, () -> x.sub(2.0).sqrt().mul(0).backward());
        assertTrue(e.getMessage().contains("sqrt"), e.getMessage());
      }
    }
  }

  /** Doubles its input in place and answers it. */
  static class Twice extends Function {
    private final boolean answered;

    Twice(boolean answered) {
      this.answered = answered;
    }

    @Override
    protected Tensor[] forward(Context ctx, Tensor... in) {
      ctx.save(in[1]);
      Tensor x = in[0].mul_(in[1]);
      return new Tensor[] {answered ? x : x.add(1.0)};
    }

    @Override
    protected Tensor[] backward(Context ctx, Tensor... g) {
      return new Tensor[] {g[0].mul(ctx.saved(0)), g[0].mul(7.0)};
    }
  }

  @Test
  void anInputWrittenInPlaceTakesTheHistory() {
    try (Scope scope = new Scope()) {
      Tensor x = Tensor.of(new double[] {0.5, -2, 3, 0.25}).requiresGrad_(), w = Tensor.of(new double[] {2, -1}).requiresGrad_();
      Tensor y = x.mul(3.0);
      Tensor z = new Twice(true).apply(y.slice(0, 1, 3), w);
      assertArrayEquals(new double[] {-12, -9}, z.detach().toDoubleArray());
      y.square().sum().backward();
      assertArrayEquals(new double[] {9, -144, 54, 4.5}, x.grad().toDoubleArray());
      assertArrayEquals(new double[] {-168, -126}, w.grad().toDoubleArray());
      for (Runnable wrong : new Runnable[] {() -> new Twice(false).apply(x.mul(1.0).slice(0, 0, 2), w), () -> new Twice(true).apply(x.slice(0, 0, 2), w)}) {
        HaftException e = assertThrows(HaftException.class, wrong::run);
        assertEquals("HAFT_ERROR_AUTOGRAD", e.status());
        assertTrue(e.getMessage().contains("wrote input 0 in place"), e.getMessage());
      }
    }
  }

  /** A function as one kernel, on a device that fuses and on the CPU, with derivatives of two orders. */
  @Test
  void functionsAreFused() {
    TensorsFunction gate = in -> new Tensor[] {in[0].silu().mul(in[1])};
    for (String name : System.getenv("HAFT_BACKEND_PATH") == null ? new String[] {"cpu"} : new String[] {"cpu", "sim:0"}) {
      Device d = Device.of(name);
      try (Scope scope = new Scope(); Fused f = Haft.fuse(gate, "gate")) {
        float[][] found = new float[2][];
        for (int fused = 0; fused < 2; ++fused) {
          Tensor x = Tensor.of(new float[] {1, -2, 3}).to(d).requiresGrad_(), y = Tensor.of(new float[] {4, 5, -6}).to(d).requiresGrad_();
          Tensor out = (fused == 1 ? f.call(new Tensor[] {x, y}) : gate.apply(new Tensor[] {x, y}))[0];
          out.mul(out).sum().backward();
          found[fused] = x.grad().add(y.grad()).to(Device.CPU).toFloatArray();
        }
        assertArrayEquals(found[0], found[1], 1e-4f);
        assertEquals(name.equals("cpu") ? 0 : 2, f.kernels());
        assertEquals(name.equals("cpu"), f.reason().contains("fuses no kernels"));
        Tensor x = Tensor.of(new float[] {1, 2}).to(d);
        try (Fused bad = Haft.fuse(in -> new Tensor[] {in[0].softmax(0)}, "bad")) {
          String said = assertThrows(HaftException.class, () -> bad.call(new Tensor[] {x})).getMessage();
          assertTrue(said.contains("softmax does not compute element by element"), said);
        }
      }
    }
  }
}
