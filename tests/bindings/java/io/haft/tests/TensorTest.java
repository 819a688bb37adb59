package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.nio.*;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class TensorTest {
  private final Random random = new Random(Leaks.SEED);
  private Scope scope;

  @BeforeEach
  void open() {
    scope = new Scope();
  }

  @AfterEach
  void close() {
    scope.close();
  }

  @Test
  void arraysOfEveryType() {
    int n = 1 + random.nextInt(40);
    float[] f = new float[n];
    double[] d = new double[n];
    long[] l = new long[n];
    int[] i = new int[n];
    short[] s = new short[n];
    byte[] b = new byte[n];
    boolean[] z = new boolean[n];
    for (int k = 0; k < n; k++) {
      f[k] = random.nextFloat();
      d[k] = random.nextGaussian();
      l[k] = random.nextLong();
      i[k] = random.nextInt();
      s[k] = (short) random.nextInt();
      b[k] = (byte) random.nextInt();
      z[k] = random.nextBoolean();
    }
    assertArrayEquals(f, Tensor.of(f).toFloatArray());
    assertArrayEquals(d, Tensor.of(d).toDoubleArray());
    assertArrayEquals(l, Tensor.of(l).toLongArray());
    assertArrayEquals(i, Tensor.of(i).toIntArray());
    assertArrayEquals(s, Tensor.of(s).toShortArray());
    assertArrayEquals(b, Tensor.of(b).toByteArray());
    assertArrayEquals(z, Tensor.of(z).toBooleanArray());
    assertArrayEquals(b, Tensor.ofUnsigned(b).toByteArray());
    assertArrayEquals(s, Tensor.ofFloat16(s).toShortArray());
    assertArrayEquals(s, Tensor.ofBFloat16(s).toShortArray());
    DType[] types = {DType.FLOAT32, DType.FLOAT64, DType.INT64, DType.INT32, DType.INT16, DType.INT8, DType.BOOL};
    Tensor[] made = {Tensor.of(f), Tensor.of(d), Tensor.of(l), Tensor.of(i), Tensor.of(s), Tensor.of(b), Tensor.of(z)};
    for (int k = 0; k < made.length; k++) assertEquals(types[k], made[k].dtype());
    assertEquals(DType.UINT8, Tensor.ofUnsigned(b).dtype());
    // Strided tensors come out row by row.
    Tensor m = Tensor.of(new float[][] {{1, 2, 3}, {4, 5, 6}});
    assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, m.t().toFloatArray());
    assertEquals(0, Tensor.zeros(3, 0).toFloatArray().length);
    assertThrows(IllegalArgumentException.class, () -> Tensor.of(new float[5], 2, 2));
    assertThrows(IllegalArgumentException.class, () -> Tensor.of(new float[][] {{1, 2}, {3}}));
    assertThrows(DTypeException.class, () -> m.toDoubleArray());
    assertThrows(NullPointerException.class, () -> Tensor.of((float[]) null));
  }

  @Test
  void complexNumbers() {
    Tensor t = Tensor.ofComplex(new float[] {1, 0, 0, 1, -1, 0, 0, -1});
    assertEquals(DType.COMPLEX64, t.dtype());
    assertTrue(t.dtype().isComplex() && !t.dtype().isFloating());
    assertArrayEquals(new long[] {4}, t.sizes());
    assertArrayEquals(new float[] {0, 0, 4, 0, 0, 0, 0, 0}, t.fftFft().viewAsReal().contiguous().toFloatArray());
    Tensor d = Tensor.ofComplex(new double[] {1, 2, 3, 4}, 2, 1);
    assertEquals(DType.COMPLEX128, d.dtype());
    assertArrayEquals(new long[] {2, 1}, d.sizes());
    assertArrayEquals(new double[] {-3, 4, -7, 24}, d.mul(d).viewAsReal().toDoubleArray());
    assertThrows(IllegalArgumentException.class, () -> Tensor.ofComplex(new float[3]));
  }

  @Test
  void halves() {
    short[] all = new short[65536];
    for (int i = 0; i < all.length; i++) all[i] = (short) i;
    float[] half = Tensor.ofFloat16(all).toFloatArray(), brain = Tensor.ofBFloat16(all).toFloatArray();
    for (int i = 0; i < all.length; i++) {
      assertEquals(Float.floatToIntBits(half[i]), Float.floatToIntBits(Float16.toFloat(all[i])), "float16 " + i);
      assertEquals(Float.floatToIntBits(brain[i]), Float.floatToIntBits(BFloat16.toFloat(all[i])), "bfloat16 " + i);
      if (!Float.isNaN(half[i])) assertEquals(all[i], Float16.fromFloat(half[i]));
      if (!Float.isNaN(brain[i])) assertEquals(all[i], BFloat16.fromFloat(brain[i]));
    }
    // Rounding as the engine rounds, over all magnitudes.
    float[] any = new float[20000];
    for (int i = 0; i < any.length; i++) any[i] = Float.intBitsToFloat(random.nextInt());
    short[] wantHalf = Tensor.of(any).cast(DType.FLOAT16).toShortArray(), wantBrain = Tensor.of(any).cast(DType.BFLOAT16).toShortArray();
    for (int i = 0; i < any.length; i++) {
      if (Float.isNaN(any[i])) {
        assertTrue(Float.isNaN(Float16.toFloat(Float16.fromFloat(any[i]))));
        assertTrue(Float.isNaN(BFloat16.toFloat(BFloat16.fromFloat(any[i]))));
        continue;
      }
      assertEquals(wantHalf[i], Float16.fromFloat(any[i]), () -> "float16 of some number");
      assertEquals(wantBrain[i], BFloat16.fromFloat(any[i]), () -> "bfloat16 of some number");
    }
  }

  @Test
  void eightBits() {
    assertEquals(13, DType.FLOAT8_E4M3FN.code());
    assertEquals("float8_e5m2", DType.FLOAT8_E5M2.toString());
    assertTrue(DType.FLOAT8_E4M3FN.isFloating());
    assertEquals(1, DType.FLOAT8_E4M3FN.bytes());
    Tensor x = Tensor.of(new float[] {1, -2, 465, 0.1f}).cast(DType.FLOAT8_E4M3FN);
    assertEquals(DType.FLOAT8_E4M3FN, x.dtype());
    assertArrayEquals(new byte[] {56, (byte) 192, 126, 29}, x.toByteArray());
    assertArrayEquals(new float[] {1, -2, 448, 0.1015625f}, x.toFloatArray());
    assertArrayEquals(new float[] {0.5f, 1}, Tensor.ofFloat8(new byte[] {56, 60}, DType.FLOAT8_E5M2).toFloatArray());
    assertThrows(IllegalArgumentException.class, () -> Tensor.ofFloat8(new byte[1], DType.INT8));
    assertThrows(DTypeException.class, () -> x.add(x));
    Tensor w = Tensor.of(new float[][] {{1, 0}, {1, 1}}).cast(DType.FLOAT8_E4M3FN), one = Tensor.ones();
    assertArrayEquals(new float[] {1, 1, 1, 2}, Tensor.of(new float[][] {{1, 0}, {1, 1}}).cast(DType.FLOAT8_E4M3FN).scaledMm(w.t(), one, one, null, DType.FLOAT32).toFloatArray());
  }

  @Test
  void buffersShareMemory() {
    FloatBuffer in = ByteBuffer.allocateDirect(4 * 8).order(ByteOrder.nativeOrder()).asFloatBuffer();
    for (int i = 0; i < 8; i++) in.put(i, i);
    in.position(2);
    Tensor t = Tensor.over(in, 2, 3);
    assertArrayEquals(new float[] {2, 3, 4, 5, 6, 7}, t.toFloatArray());
    in.put(2, 100);
    assertEquals(100, t.index(Index.at(0), Index.at(0)).item());
    t.add_(1);
    assertEquals(101, in.get(2));
    FloatBuffer out = t.floatBuffer();
    out.put(5, -1);
    t.touch();
    assertEquals(-1, in.get(7));
    t.close();
    assertEquals(101, out.get(0));  // the view keeps the memory
    ByteBuffer bytes = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
    for (DType d : DType.values()) assertEquals(16 / d.bytes(), Tensor.over(bytes, d).numel());
    LongBuffer longs = Tensor.arange(5).longBuffer();
    assertEquals(4, longs.get(4));
    assertArrayEquals(new double[] {1, 2}, Tensor.of(DoubleBuffer.wrap(new double[] {0, 1, 2, 3}, 1, 2)).toDoubleArray());
    assertThrows(IllegalArgumentException.class, () -> Tensor.over(FloatBuffer.allocate(4)));
    assertThrows(IllegalArgumentException.class, () -> Tensor.over(in, 100));
    assertThrows(IllegalArgumentException.class, () -> Tensor.over(ByteBuffer.allocateDirect(8).asFloatBuffer()), "big endian");
    assertThrows(IllegalArgumentException.class, () -> Tensor.over(ByteBuffer.allocateDirect(8).order(ByteOrder.nativeOrder()).asReadOnlyBuffer(), DType.INT8));
    assertThrows(IllegalArgumentException.class, () -> Tensor.arange(6).view(2, 3).t().byteBuffer());
    assertThrows(DTypeException.class, () -> Tensor.arange(6).floatBuffer());
    assertEquals(0, Tensor.zeros(0, 3).floatBuffer().capacity());
  }

  @Test
  void operators() {
    Tensor a = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2), b = Tensor.of(new float[] {10, 20}, 2);
    assertArrayEquals(new float[] {11, 22, 13, 24}, a.add(b).toFloatArray());
    assertArrayEquals(new float[] {1.5f, 2.5f, 3.5f, 4.5f}, a.add(0.5).toFloatArray());
    Tensor whole = Tensor.of(new int[] {1, 2}).add(2);
    assertEquals(DType.INT32, whole.dtype());  // an integer stays one
    assertEquals(DType.FLOAT32, Tensor.of(new int[] {1}).add(2.0).dtype());
    assertSame(a, a.mul_(2).add_(b));
    assertArrayEquals(new float[] {12, 24, 16, 28}, a.toFloatArray());
    Tensor out = Tensor.zeros(2, 2);
    a.addOut(b, out);
    assertArrayEquals(new float[] {22, 44, 26, 48}, out.toFloatArray());
    assertArrayEquals(new long[] {2, 3, 1}, Tensor.zeros(new long[] {1, 2, 3}).permute(1, 2, 0).shape());
    assertArrayEquals(new long[] {6, 1}, Tensor.rand(2, 3).reshape(-1, 1).shape());
    assertEquals(DType.FLOAT64, Tensor.ones(new long[] {2}, DType.FLOAT64).dtype());
    assertArrayEquals(new float[] {3, 7}, Tensor.of(new float[][] {{1, 2}, {3, 4}}).sum(1).toFloatArray());
    assertEquals(10, Tensor.of(new float[][] {{1, 2}, {3, 4}}).sum().item());
    assertArrayEquals(new long[] {2, 4}, Tensor.cat(List.of(Tensor.ones(2, 2), Tensor.ones(2, 2)), 1).shape());
    assertArrayEquals(new long[] {2, 3}, Tensor.stack(List.of(Tensor.ones(3), Tensor.ones(3)), 0).shape());
    assertEquals(1L << 40, Tensor.arange(1L << 40, (1L << 40) + 1, 1L).itemLong());
    assertEquals(Long.MIN_VALUE + 5, Tensor.scalar(Long.MIN_VALUE + 5).itemLong());
    Values top = Tensor.of(new float[] {3, 9, 1, 7}).max(0);
    assertEquals(9, top.values().item());
    assertEquals(1, top.indices().itemLong());
    Tensor[] parts = Tensor.arange(7).split(3);
    assertArrayEquals(new long[] {6}, parts[2].toLongArray());
    Tensor target = Tensor.of(new long[] {0, 1});
    Tensor scores = Tensor.of(new float[][] {{2, 1}, {0, 3}});
    double each = scores.crossEntropy(target, null, Reduction.NONE).sum().item();
    assertEquals(each / 2, scores.crossEntropy(target).item(), 1e-6);
    assertEquals(each, scores.crossEntropy(target, null, Reduction.SUM).item(), 1e-6);
    try (Generator g = new Generator(7); Generator h = new Generator(7)) {
      assertArrayEquals(Tensor.randn(new long[] {5}, null, null, g).toFloatArray(), Tensor.randn(new long[] {5}, null, null, h).toFloatArray());
      assertEquals(g.state(), h.state());
      Generator.State s = g.state();
      float[] next = Tensor.rand(new long[] {3}, null, null, g).toFloatArray();
      g.setState(s);
      assertArrayEquals(next, Tensor.rand(new long[] {3}, null, null, g).toFloatArray());
    }
  }

  @Test
  void printing() {
    assertEquals("tensor([[1., 2.],\n        [3., 4.]])", Tensor.of(new float[][] {{1, 2}, {3, 4}}).toString());
    assertEquals("float32", DType.FLOAT32.toString());
    assertEquals("cpu", Device.CPU.toString());
    assertEquals(Device.CPU, Device.of("cpu"));
    assertEquals(Device.CPU, Tensor.ones(1).device());
    assertThrows(HaftException.class, () -> Device.of("toaster"));
    assertThrows(IllegalArgumentException.class, () -> Device.of("cpu:x"));
  }

  /** Reads with the parts, and with loops. */
  private void assertIndexed(float[] want, long[] size, Tensor got) {
    assertArrayEquals(size, got.shape());
    assertArrayEquals(want, got.toFloatArray());
  }

  @Test
  void indexing() {
    Tensor x = Tensor.arange(0.0, 24.0).view(2, 3, 4);
    assertIndexed(new float[] {12, 14}, new long[] {2}, x.index(Index.at(1), Index.at(0), Index.slice(0, 4, 2)));
    assertIndexed(new float[] {3, 7, 11, 15, 19, 23}, new long[] {2, 3}, x.index(Index.ellipsis(), Index.at(-1)));
    assertIndexed(new float[] {16, 17, 18, 19}, new long[] {1, 4}, x.index(Index.at(1), Index.newAxis(), Index.at(1)));
    assertIndexed(new float[] {8, 0, 20, 12}, new long[] {2, 2}, x.index(Index.all(), Index.of(2, 0), Index.at(0)));
    assertIndexed(new float[] {22, 23}, new long[] {2}, x.index(Index.mask(x.gt(21.0))));
    assertIndexed(new float[] {5, 6}, new long[] {1, 1, 2}, x.index(Index.to(1), Index.slice(1, 2), Index.slice(1, -1)));
    assertIndexed(x.toFloatArray(), new long[] {2, 3, 4}, x.index());
    assertTrue(x.index(Index.from(1)).sharesMemory(x));
    assertArrayEquals(new float[] {20, 21, 22, 23}, x.get(1).get(2).toFloatArray());
    Tensor y = Tensor.zeros(3, 4);
    y.put(1, Index.at(0)).put(Tensor.of(new long[] {5, 6}), Index.from(1), Index.of(0, 3)).put(-1, Index.mask(y.eq(0L)));
    assertArrayEquals(new float[] {1, 1, 1, 1, 5, -1, -1, 6, 5, -1, -1, 6}, y.toFloatArray());
    y.put(Double.NaN, Index.ellipsis());
    assertTrue(y.isnan().all().itemLong() == 1);
    y.put(0, Index.all());
    assertEquals(0, y.sum().item());
    Tensor s = Tensor.scalar(2.0);
    s.put(9, Index.ellipsis());
    assertEquals(9, s.item());
    Tensor leaf = Tensor.ones(3).requiresGrad_(), copy = leaf.mul(2);
    copy.put(Tensor.scalar(5.0), Index.at(1));
    copy.sum().backward();
    assertArrayEquals(new float[] {2, 0, 2}, leaf.grad().toFloatArray());
    assertThrows(IndexOutOfBoundsException.class, () -> x.index(Index.at(2)));
    assertThrows(IndexOutOfBoundsException.class, () -> x.index(Index.all(), Index.all(), Index.all(), Index.all()));
    assertThrows(IllegalArgumentException.class, () -> x.index(Index.ellipsis(), Index.ellipsis()));
    assertThrows(IllegalArgumentException.class, () -> Index.slice(0, 1, 0));
  }

  @Test
  void failures() {
    ShapeException e = assertThrows(ShapeException.class, () -> Tensor.ones(2, 3).add(Tensor.ones(4)));
    assertInstanceOf(IllegalArgumentException.class, e);
    assertEquals("HAFT_ERROR_SHAPE", e.status());
    assertEquals("haft_add", e.function());
    assertTrue(e.getMessage().contains("[2, 3]") && e.getMessage().contains("[4]"), e.getMessage());
    assertTrue(e.hint().contains("equal or 1"), e.hint());
    IndexException i = assertThrows(IndexException.class, () -> Tensor.ones(3).select(0, 3));
    assertInstanceOf(IndexOutOfBoundsException.class, i);
    assertThrows(DTypeException.class, () -> Tensor.arange(3).setRequiresGrad());
    LinAlgException l = assertThrows(LinAlgException.class, () -> Tensor.ones(2, 2).linalgInv());
    assertEquals("HAFT_ERROR_LINALG", l.status());
    assertTrue(l.getMessage().contains("singular"), l.getMessage());
    HaftFailure none = assertThrows(InvalidArgumentException.class, () -> Tensor.ones(1).mm(null));
    for (HaftFailure spoken : List.of(none, assertThrows(ShapeException.class, () -> Tensor.ones(2).mm(Tensor.ones(2)))))
      assertFalse(((Exception) spoken).getMessage().matches(".*(haft_|NULL).*"), ((Exception) spoken).getMessage());
    FileException f = assertThrows(FileException.class, () -> Haft.loadNpy("/nowhere/\u00fc\ud83d\ude00.npy"));
    assertInstanceOf(java.io.UncheckedIOException.class, f);
    assertTrue(f.getMessage().contains("/nowhere/\u00fc\ud83d\ude00.npy"), f.getMessage());
    Haft.setMemoryLimit(Haft.memoryStats().live() + (1 << 20));
    try {
      MemoryLimitException m = assertThrows(MemoryLimitException.class, () -> Tensor.empty(1 << 22));
      assertEquals("memoryLimit", m.argument());
    } finally {
      Haft.setMemoryLimit(0);
    }
    HaftException g = assertThrows(HaftException.class, () -> Tensor.ones(1).backward());
    assertEquals("HAFT_ERROR_AUTOGRAD", g.status());
    InvalidArgumentException a = assertThrows(InvalidArgumentException.class, () -> Tensor.ones(2).add((Tensor) null));
    assertFalse(a.argument().isEmpty());
    assertThrows(IllegalArgumentException.class, () -> Haft.loadNpy(null));
    Tensor t = Tensor.ones(1);
    t.close();
    t.close();
    assertTrue(t.isClosed());
    IllegalStateException c = assertThrows(IllegalStateException.class, t::numel);
    assertTrue(c.getMessage().contains("closed"), c.getMessage());
    assertThrows(ClosedException.class, () -> Tensor.ones(1).add(t));
    assertThrows(IllegalStateException.class, () -> Tensor.cat(List.of(t), 0));
  }

  @Test
  void whatIsClosedPrintsThat() {
    Tensor t = Tensor.ones(2);
    t.close();
    assertEquals("Tensor(closed)", t.toString());
    Linear net = new Linear(2, 2);
    AdamW optimizer = new AdamW(net.parameters(), 0.001);
    assertEquals("AdamW(lr=0.001, groups=1, parameters=2)", optimizer.toString());
    Generator generator = new Generator(1);
    assertEquals("Generator", generator.toString());
    generator.close();
    optimizer.close();
    net.close();
    assertEquals("Generator(closed)", generator.toString());
    assertEquals("AdamW(closed)", optimizer.toString());
    assertEquals("Linear(closed)", net.toString());
  }

  @Test
  void sizesMustBeThere() {
    String text = assertThrows(NullPointerException.class, () -> Tensor.zeros((long[]) null)).getMessage();
    assertTrue(text.contains("size is null"), text);
  }

  @Test
  void closedObjectsSayWhatTheyAre() {
    Tensor x = Tensor.ones(2);
    Linear net = new Linear(2, 2);
    x.close();
    net.close();
    assertEquals("Tensor is closed", assertThrows(ClosedException.class, () -> x.exp()).getMessage());
    assertEquals("Linear is closed", assertThrows(ClosedException.class, net::parameters).getMessage());
  }
}
