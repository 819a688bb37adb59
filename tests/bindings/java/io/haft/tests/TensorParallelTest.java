package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.util.Arrays;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

/** Layers spread over ranks against the dense ones, and what stands between backward and step. */
@ExtendWith(Leaks.class)
class TensorParallelTest {
  // Each rank makes another: rank 0's count.
  private static Linear linear(long in, long out, int rank) {
    return new Linear(in, out, Build.of(new Generator(31 * in + out + 1000L * rank)));
  }

  private static Embedding embedding(long rows, long width, int rank) {
    return new Embedding(rows, width, null, Build.of(new Generator(rows + 1000L * rank)));
  }

  private static Tensor input(long... sizes) {
    Tensor t = Tensor.arange(0, 1000, 1.0).narrow(0, 0, count(sizes)).mul(0.7).sin();
    return t.reshape(sizes).detach().setRequiresGrad();
  }

  private static long count(long[] sizes) {
    long n = 1;
    for (long s : sizes) n *= s;
    return n;
  }

  private static void close(Tensor got, Tensor wanted) {
    try (NoGrad off = new NoGrad()) {
      assertArrayEquals(wanted.sizes(), got.sizes());
      assertArrayEquals(wanted.contiguous().toFloatArray(), got.contiguous().toFloatArray(), 2e-5f);
    }
  }

  /** Of n rows the part of a rank of two. */
  private static Tensor part(Tensor whole, long dim, int rank) {
    long n = whole.size(dim), first = (n + 1) / 2;
    return rank == 0 ? whole.narrow(dim, 0, first) : whole.narrow(dim, first, n - first);
  }

  @Test
  void aBlockIsTheDenseBlock() throws Exception {
    for (boolean split : new boolean[] {true, false})
      Ranks.run(2, g -> {
        int r = g.rank();
        try (Scope scope = new Scope(); Module up = linear(5, 7, 0); Module down = linear(7, 4, 0);
            Module column = new ColumnParallelLinear(g, linear(5, 7, r), new ColumnParallelLinear.Options().splitOutput(split));
            Module row = new RowParallelLinear(g, linear(7, 4, r), new RowParallelLinear.Options().splitInput(split))) {
          Tensor x = input(2, 3, 5), mine = input(2, 3, 5);
          Tensor wanted = down.call(up.call(x).relu()), got = row.call(column.call(mine).relu());
          close(got, wanted);
          wanted.square().sum().backward();
          got.square().sum().backward();
          close(mine.grad(), x.grad());
          close(column.parameter("weight").grad(), part(up.parameter("weight").grad(), 0, r));
          close(column.parameter("bias").grad(), part(up.parameter("bias").grad(), 0, r));
          close(row.parameter("weight").grad(), part(down.parameter("weight").grad(), 1, r));
          close(row.parameter("bias").grad(), down.parameter("bias").grad());
          assertTrue(column.toString().contains("ranks=2"), column.toString());
        }
      });
  }

  @Test
  void blocksAreSpreadEach() throws Exception {
    Ranks.run(2, g -> {
      try (Scope scope = new Scope(); Module dense = linear(4, 12, 0);
          Module column = new ColumnParallelLinear(g, dense, new ColumnParallelLinear.Options().blocks(3))) {
        Tensor x = input(2, 4), y = dense.call(x), got = column.call(x);
        for (int k = 0; k < 3; k++) close(got.narrow(1, 2 * k, 2), part(y.narrow(1, 4 * k, 4), 1, g.rank()));
        assertThrows(IllegalArgumentException.class, () -> new ColumnParallelLinear(g, dense, new ColumnParallelLinear.Options().blocks(5)));
        assertThrows(IllegalArgumentException.class, () -> new ColumnParallelLinear(g, new ReLU()));
        assertThrows(ShapeException.class, () -> new RowParallelLinear(g, new Linear(1, 4)));
        g.barrier();
      }
    });
  }

  @Test
  void embeddingAndLossOverTheVocabulary() throws Exception {
    Tensor index = Tensor.of(new long[] {0, 3, 6, 2, 5, 1}, 2, 3), target = Tensor.of(new long[] {1, 4, 6, 0, -100, 2}, 2, 3);
    Ranks.run(2, g -> {
      int r = g.rank();
      try (Scope scope = new Scope(); Module table = embedding(7, 4, 0); Module head = linear(4, 7, 0);
          Module spread = new VocabParallelEmbedding(g, embedding(7, 4, r)); Module column = new ColumnParallelLinear(g, linear(4, 7, r))) {
        Tensor wanted = head.call(table.call(index)).reshape(6, 7).crossEntropy(target.reshape(6));
        Tensor got = Collectives.crossEntropy(g, column.call(spread.call(index)), target, 7);
        assertEquals(wanted.item(), got.item(), 1e-5);
        wanted.backward();
        got.backward();
        close(spread.parameter("weight").grad(), part(table.parameter("weight").grad(), 0, r));
        close(column.parameter("weight").grad(), part(head.parameter("weight").grad(), 0, r));
        Tensor smooth = head.call(table.call(index)).reshape(6, 7).crossEntropy(target.reshape(6), null, Reduction.SUM, -100, 0.2);
        assertEquals(smooth.item(), Collectives.crossEntropy(g, column.call(spread.call(index)), target, 7, Reduction.SUM, -100, 0.2).item(), 1e-4);
        assertThrows(IllegalArgumentException.class, () -> Collectives.crossEntropy(g, column.call(spread.call(index)), target, 7, null, -100, 0));
      }
    });
    index.close();
    target.close();
  }

  @Test
  void sequencesAreSpread() throws Exception {
    Tensor index = Tensor.of(new long[] {0, 3, 6, 2, 5, 1, 4, 4}, 4, 2);  // (tokens, batch)
    Ranks.run(2, g -> {
      int r = g.rank();
      ColumnParallelLinear.Options tokens = new ColumnParallelLinear.Options().sequenceDim(0);
      try (Scope scope = new Scope(); Module table = embedding(7, 4, 0); Module norm = new LayerNorm(new long[] {4}); Module up = linear(4, 6, 0); Module down = linear(6, 4, 0);
          Module spread = new VocabParallelEmbedding(g, embedding(7, 4, r), 0); Module part = new LayerNorm(new long[] {4});
          Module column = new ColumnParallelLinear(g, linear(4, 6, r), tokens);
          Module row = new RowParallelLinear(g, linear(6, 4, r), new RowParallelLinear.Options().sequenceDim(0))) {
        Collectives.sumGradients(part, g);
        Tensor x = table.call(index), wanted = x.add(down.call(up.call(norm.call(x)).relu()));
        Tensor mine = spread.call(index), got = mine.add(row.call(column.call(part.call(mine)).relu()));
        assertEquals(2, got.size(0));
        close(got, part(wanted, 0, r));
        wanted.square().sum().backward();
        Collectives.gatherFrom(g, got, 0).square().sum().backward();
        close(part.parameter("weight").grad(), norm.parameter("weight").grad());
        close(spread.parameter("weight").grad(), part(table.parameter("weight").grad(), 0, r));
        close(row.parameter("weight").grad(), part(down.parameter("weight").grad(), 1, r));
      }
    });
    index.close();
  }
  /** Between backward and step, where a step has several backwards. */
  @Test
  void gradientsAreJoined() throws Exception {
    Ranks.run(2, g -> {
      int r = g.rank();
      try (Scope scope = new Scope(); Module mine = linear(5, 3, 0); Module whole = linear(5, 3, 0)) {
        Tensor x = input(8, 5).detach();
        for (int k = 0; k < 2; k++) mine.call(x.narrow(0, 4 * r + 2 * k, 2)).square().sum().backward();
        whole.call(x).square().sum().div(2.0).backward();
        Collectives.joinGradients(g, mine.parameters());
        for (String name : new String[] {"weight", "bias"}) close(mine.parameter(name).grad(), whole.parameter(name).grad());

        Tensor late = Tensor.of(new float[] {1, 2}).setRequiresGrad(), fixed = Tensor.ones(1);
        if (r == 0) late.setGrad(Tensor.of(new float[] {4, 6}));
        Collectives.joinGradients(g, new Tensor[] {late, fixed}, ReduceOp.SUM);
        close(late.grad(), Tensor.of(new float[] {4, 6}));
        Collectives.joinGradients(g, late, fixed);
        close(late.grad(), Tensor.of(new float[] {4, 6}));
        late.setGrad(Tensor.of(new float[] {r, 2 - r}));
        Collectives.joinGradients(g, late);
        close(late.grad(), Tensor.of(new float[] {0.5f, 1.5f}));
        assertNull(fixed.grad());
        assertThrows(NullPointerException.class, () -> Collectives.joinGradients(null, late));
        assertThrows(NullPointerException.class, () -> Collectives.joinGradients(g, (Tensor[]) null));
        assertThrows(IllegalArgumentException.class, () -> Collectives.joinGradients(g, new Tensor[] {late}, null));
        g.barrier();
      }
    });
  }

  /** The norm of what the ranks have together is that of the dense block, and so is what clipping leaves. */
  @Test
  void gradientsAreClipped() throws Exception {
    Ranks.run(2, g -> {
      int r = g.rank();
      try (Scope scope = new Scope(); Module up = linear(5, 7, 0); Module down = linear(7, 4, 0); Module column = new ColumnParallelLinear(g, linear(5, 7, r));
          Module row = new RowParallelLinear(g, linear(7, 4, r))) {
        down.call(up.call(input(6, 5)).relu()).square().sum().backward();
        row.call(column.call(input(6, 5)).relu()).square().sum().backward();
        Tensor[] all = {up.parameter("weight"), up.parameter("bias"), down.parameter("weight"), down.parameter("bias")};
        Tensor[] mine = {column.parameter("weight"), column.parameter("bias"), row.parameter("weight"), row.parameter("bias")};
        long[] copies = {1, 1, 1, 2};  // all ranks add the whole bias of a row-parallel layer
        double wanted = Haft.clipGradNorm(all, 0.5).item();
        assertTrue(wanted > 0.5);
        assertEquals(wanted, Collectives.clipGradNorm(g, mine, copies, 0.5, 2), 1e-5 * wanted);
        assertEquals(0.5, Collectives.clipGradNorm(g, mine, copies, 1, 2), 1e-5);
        close(mine[0].grad(), part(all[0].grad(), 0, r));
        close(mine[2].grad(), part(all[2].grad(), 1, r));
        close(mine[3].grad(), all[3].grad());
        double largest = Haft.clipGradNorm(all, 0.01, Double.POSITIVE_INFINITY).item();
        assertEquals(largest, Collectives.clipGradNorm(g, mine, copies, 0.01, Double.POSITIVE_INFINITY), 1e-5);
        close(mine[1].grad(), part(all[1].grad(), 0, r));
        Tensor[] weights = {mine[0], mine[2]};
        assertEquals(Haft.clipGradNorm(new Tensor[] {all[0], all[2]}, 1).item(), Collectives.clipGradNorm(g, weights, 1), 1e-6);
        assertThrows(InvalidArgumentException.class, () -> Collectives.clipGradNorm(g, weights, new long[] {1}, 1, 2));
        assertThrows(InvalidArgumentException.class, () -> Collectives.clipGradNorm(g, weights, new long[] {1, 3}, 1, 2));
        assertThrows(InvalidArgumentException.class, () -> Collectives.clipGradNorm(g, weights, -1));
        assertThrows(NullPointerException.class, () -> Collectives.clipGradNorm(g, weights, null, 1, 2));
        assertThrows(NullPointerException.class, () -> Collectives.clipGradNorm(g, null, 1));
        g.barrier();
      }
    });
  }

  /** What a rank draws apart, and what it draws with all others behind it. */
  private static float[][] drawn(long stream, long n) {
    try (Scope scope = new Scope(); Generator generator = new Generator(3)) {
      long before = Haft.setRandomStream(stream);
      float[] apart = Tensor.rand(new long[] {n}, DType.FLOAT32, Device.CPU, generator).toFloatArray();
      assertEquals(stream, Haft.setRandomStream(before));
      return new float[][] {apart, Tensor.rand(new long[] {4}, DType.FLOAT32, Device.CPU, generator).toFloatArray()};
    }
  }

  @Test
  void randomStreams() throws Exception {
    float[][] first = drawn(1, 8), second = drawn(2, 1000), own = drawn(0, 8);
    assertArrayEquals(first[0], drawn(1, 8)[0]);
    assertFalse(Arrays.equals(first[0], Arrays.copyOf(second[0], 8)));
    assertFalse(Arrays.equals(first[0], own[0]));
    assertArrayEquals(own[0], drawn(0, 8)[0]);
    assertArrayEquals(first[1], second[1]);  // whatever was drawn apart, generators stay equal
    assertEquals(0, Haft.setRandomStream(5));
    try {
      long[] other = {-1};
      Thread thread = new Thread(() -> other[0] = Haft.setRandomStream(0));
      thread.start();
      thread.join();
      assertEquals(0, other[0]);  // another thread's is its own
      assertThrows(InvalidArgumentException.class, () -> Haft.setRandomStream(-1));
    } finally {
      assertEquals(5, Haft.setRandomStream(0));
    }
  }
}
