package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every entry of core/schema/modules.def is a class: each of its constructors works. tests/bindings/entries.py wrote their names. */
@ExtendWith(Leaks.class)
class RegistryTest {
  private Scope scope;
  private final List<Object> made = new ArrayList<>();

  @BeforeEach
  void open() {
    scope = new Scope();
  }

  @AfterEach
  void close() throws Exception {
    for (Object o : made) ((AutoCloseable) o).close();
    scope.close();
  }

  private static List<String[]> entries(String kind) throws Exception {
    String file = System.getenv("HAFT_ENTRIES");
    Assumptions.assumeTrue(file != null, "HAFT_ENTRIES names no file");
    return Files.readAllLines(Path.of(file)).stream().map(l -> l.split(" ", -1)).filter(e -> e[0].equals(kind)).toList();
  }

  private static Class<?> find(String name) {
    return assertDoesNotThrow(() -> Class.forName("io.haft." + name), name + " has no class");
  }

  /** What every parameter of a type is given. */
  private <T> Object value(Class<T> type, Tensor[] params, Optimizer optimizer) throws Exception {
    if (type == long.class) return 2L;
    if (type == double.class) return 0.3;
    if (type == double[].class) return new double[] {0.3};  // of the one group
    if (type == boolean.class) return true;
    if (type == long[].class) return new long[] {2};
    if (type == Tensor.class) return null;  // a weight that may be given
    if (type == Tensor[].class) return params;
    if (type == Collection.class) return List.of(params);
    if (type == Optimizer.class) return optimizer;
    if (type == Build.class) return Build.of(DType.FLOAT64);
    if (type == Reduction.class) return Reduction.SUM;
    if (type == PaddingMode.class) return PaddingMode.REFLECT;
    if (type == Interpolation.class) return Interpolation.AREA;
    if (type == BagMode.class) return BagMode.MAX;
    if (type == OrthogonalMap.class) return OrthogonalMap.CAYLEY;
    if (type == Generator.class) {
      Generator g = new Generator(1);
      made.add(g);
      return g;
    }
    assertEquals("Options", type.getSimpleName());
    Object options = type.getConstructor().newInstance();
    for (Method m : type.getDeclaredMethods()) assertSame(options, m.invoke(options, values(m.getParameterTypes(), params, optimizer)), m::toString);
    return type.getConstructor().newInstance();
  }

  private Object[] values(Class<?>[] types, Tensor[] params, Optimizer optimizer) throws Exception {
    Object[] out = new Object[types.length];
    for (int i = 0; i < out.length; i++) out[i] = value(types[i], params, optimizer);
    return out;
  }

  private Object make(Constructor<?> constructor, Tensor[] params, Optimizer optimizer) throws Exception {
    Object[] values = values(constructor.getParameterTypes(), params, optimizer);
    Object o;
    try {
      o = constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      if (!(e.getCause() instanceof IndexOutOfBoundsException)) throw e;
      int last = Arrays.asList(values).lastIndexOf(2L);  // a position among two
      values[last] = -1L;
      o = constructor.newInstance(values);
    }
    made.add(o);
    return o;
  }

  /** The first of a few inputs that fits, one or two of them. Most sizes are 2. */
  private static Tensor run(Module m) {
    RuntimeException refused = null;
    boolean wide = m.parameters().length > 0 && m.parameters()[0].dtype() == DType.FLOAT64;
    Tensor floats = wide ? Tensor.randn(2, 2, 2, 2).cast(DType.FLOAT64) : Tensor.randn(2, 2, 2, 2);
    Tensor index = Tensor.of(new long[] {0, 1});
    for (Tensor x : List.of(floats, floats.get(0), floats.get(0).get(0), floats.unsqueeze(0), index, index.unsqueeze(0), Tensor.randn(1, 4, 2, 2),
                            Tensor.randn(1, 4, 1), Tensor.randn(2, 4, 4, 4), Tensor.randn(1, 2, 4, 4, 4), Tensor.randn(2, 1, 512).cast(floats.dtype()))) {
      for (Tensor[] inputs : new Tensor[][] {{x}, {x, x}, {x, x.mul(0).cast(DType.INT64)}}) {
        try {
          return m.call(inputs)[0];
        } catch (IllegalArgumentException e) {
          refused = e;
        }
      }
    }
    throw refused;
  }

  @Test
  void layers() throws Exception {
    List<String[]> all = entries("layer");
    assertTrue(all.size() > 20);
    for (String[] entry : all) {
      if (entry[1].equals("SpectralNorm") || entry[1].equals("Orthogonal")) continue;  // they want a weight first: ParametrizeTest
      Constructor<?>[] constructors = find(entry[1]).getConstructors();
      assertTrue(constructors.length > 0, entry[1]);
      for (Constructor<?> c : constructors) {
        Module m = (Module) make(c, null, null);
        assertTrue(run(m).numel() > 0, c::toString);
        assertEquals(entry[1], m.type());
        if (!entry[2].equals("?")) assertEquals(entry[2], String.join(",", m.stateDict().keySet()), c::toString);
      }
    }
  }

  @Test
  void optimizers() throws Exception {
    List<String[]> all = entries("optimizer");
    assertTrue(all.size() >= 3);
    for (String[] entry : all) {
      for (Constructor<?> c : find(entry[1]).getConstructors()) {
        Tensor p = Tensor.of(new double[] {1, -2}).unsqueeze(0).setRequiresGrad(true);  // a matrix, which Muon wants
        Optimizer o = (Optimizer) make(c, new Tensor[] {p}, null);
        o.step(() -> {
          o.zeroGrad(true);
          Tensor loss = p.mul(p).sum();
          loss.backward();
          if (o instanceof SparseAdam) p.setGrad(Tensor.fromRows(Tensor.of(new long[] {0}), p.grad(), 1));
          return loss;
        });
        assertTrue(p.detach().toDoubleArray()[0] < 1, c::toString);  // against the gradient, however far
      }
    }
  }

  @Test
  void schedules() throws Exception {
    List<String[]> all = entries("schedule");
    assertTrue(all.size() >= 5);
    for (String[] entry : all) {
      for (Constructor<?> c : find(entry[1]).getConstructors()) {
        Tensor p = Tensor.of(new double[] {1, -2}).setRequiresGrad(true);
        SGD o = new SGD(new Tensor[] {p}, 0.75);
        made.add(o);
        Scheduler s = (Scheduler) make(c, null, o);
        double first = o.lr();
        boolean looks = entry[1].equals("ReduceLROnPlateau");
        boolean moved = first != 0.75;
        for (int i = 0; i < 2; i++) {
          if (looks) s.step(1.0);
          else s.step();
          moved |= o.lr() != 0.75;
        }
        assertEquals(2, s.lastEpoch());
        if (looks) {
          assertThrows(IllegalArgumentException.class, s::step);
          for (int i = 0; i < 12; i++) s.step(1.0);
        }
        assertTrue(moved || o.lr() != 0.75, c + ": " + o.lr());
      }
    }
  }

  @Test
  void schedulesOfSchedules() {
    Tensor p = Tensor.of(new double[] {1, -2}).setRequiresGrad(true);
    try (SGD o = new SGD(new Tensor[] {p}, 1.0);
        ConstantLR a = new ConstantLR(o, 0.5, 2);
        ExponentialLR b = new ExponentialLR(o, 0.5);
        SequentialLR s = new SequentialLR(o, new Scheduler[] {a, b}, 2)) {
      double[] rates = new double[4];
      for (int i = 0; i < 4; i++, s.step()) rates[i] = o.lr();
      assertArrayEquals(new double[] {0.5, 0.5, 1, 0.5}, rates);
      assertThrows(IllegalArgumentException.class, () -> new SequentialLR(o, new Scheduler[] {a, b}));
      assertThrows(IllegalArgumentException.class, () -> s.step(1.0));
    }
    try (SGD o = new SGD(new Tensor[] {p}, 1.0);
        ConstantLR a = new ConstantLR(o, 0.5, 2);
        MultiplicativeLR b = new MultiplicativeLR(o, step -> 0.5 * step);
        ChainedScheduler s = new ChainedScheduler(a, b)) {
      double[] rates = new double[3];
      for (int i = 0; i < 3; i++, s.step()) rates[i] = o.lr();
      assertArrayEquals(new double[] {0.5, 0.25, 0.5}, rates);
      assertThrows(IllegalArgumentException.class, () -> new ChainedScheduler());
      assertThrows(IllegalArgumentException.class, () -> new ChainedScheduler(a, a));
    }
  }

  @Test
  void clippingOfAnOptimizersGradients() {
    try (Tensor p = Tensor.ones(3).setRequiresGrad(); Tensor q = Tensor.ones(1).setRequiresGrad()) {
      try (SGD o = new SGD(new Tensor[] {p}, 1.0); Tensor both = Tensor.cat(List.of(p, q), 0); Tensor loss = both.mul(2).sum()) {
        o.addGroup(List.of(q));
        loss.backward();
        assertEquals(4, o.clipGradNorm(1), 1e-6);  // of both groups: sqrt(4 * 2^2)
        try (Tensor g = p.grad(); Tensor h = q.grad()) {
          assertArrayEquals(new float[] {0.5f, 0.5f, 0.5f}, g.toFloatArray(), 1e-5f);
          assertEquals(0.5, h.item(), 1e-5);
        }
        assertEquals(0.5, o.clipGradNorm(0.25, Double.POSITIVE_INFINITY), 1e-5);
        assertThrows(InvalidArgumentException.class, () -> o.clipGradNorm(-1));
      }
    }
  }

  @Test
  void windowsWantOneNumberOrTwo() {
    assertThrows(IllegalArgumentException.class, () -> new AdaptiveAvgPool2d());
    assertThrows(IllegalArgumentException.class, () -> new MaxPool2d(new long[] {1, 2, 3}));
    assertThrows(IllegalArgumentException.class, () -> new AvgPool2d(null));
    try (Conv2d c = new Conv2d(2, 4, new long[] {1, 3}, null, null); MaxPool2d p = new MaxPool2d(new long[] {1, 2}, new MaxPool2d.Options().stride(1, 2))) {
      assertArrayEquals(new long[] {4, 2, 1, 3}, c.parameter("weight").shape());
      assertArrayEquals(new long[] {1, 2, 4, 3}, p.call(Tensor.randn(1, 2, 4, 6)).shape());
    }
  }
}
