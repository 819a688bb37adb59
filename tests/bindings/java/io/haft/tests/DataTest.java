package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Leaks.class)
class DataTest {
  static final class Squares extends Dataset {
    final Set<String> threads = ConcurrentHashMap.newKeySet();

    @Override
    public long size() {
      return 103;
    }

    @Override
    public Tensor[] get(long i) {
      threads.add(Thread.currentThread().getName() + Thread.currentThread().getId());
      return new Tensor[] {Tensor.of(new float[] {i, i + 0.5f}), Tensor.scalar(i * i)};
    }
  }

  @Test
  void itemsFromJavaOnManyThreads() {
    for (int workers : new int[] {0, 3}) {
      Squares data = new Squares();
      try (Scope scope = new Scope(); DataLoader loader = new DataLoader(data, new DataLoader.Options().batchSize(10).shuffle(true).workers(workers).seed(5))) {
        assertEquals(11, loader.batchCount());
        List<Long> order = new ArrayList<>();
        for (int epoch = 0; epoch < 2; epoch++) {
          Set<Long> seen = new HashSet<>();
          for (Batch b : loader) {
            float[] x = b.get(0).toFloatArray();
            long[] y = b.get(1).toLongArray();
            assertEquals(y.length, b.size());
            for (int i = 0; i < y.length; i++) {
              assertEquals((double) x[2 * i] * x[2 * i], y[i]);
              assertEquals(x[2 * i] + 0.5f, x[2 * i + 1]);
              assertTrue(seen.add(y[i]));
            }
          }
          assertEquals(103, seen.size());
        }
        if (workers > 0) assertTrue(data.threads.size() > 1, data.threads.toString());
      }
    }
  }

  @Test
  void foldersOfPictures(@TempDir Path folder) throws Exception {
    try (Scope scope = new Scope()) {
      for (int i = 0; i < 4; i++) {
        Path of = Files.createDirectories(folder.resolve(i % 2 == 0 ? "cat" : "bird"));
        Haft.savePng(Tensor.full(new long[] {3, 5 + i, 7}, 10.0 * i).to(DType.UINT8), of.resolve(i + ".png").toString());
      }
      try (ImageFolderDataset data = new ImageFolderDataset(folder.toString())) {
        assertArrayEquals(new String[] {"bird", "cat"}, data.classes());
        assertArrayEquals(new long[] {0, 0, 1, 1}, data.targets().toLongArray());
        assertArrayEquals(new long[] {3, 8, 7}, data.get(1)[0].shape());
        Transform[] steps = {Transform.randomResizedCrop(4, 4, 0.5, 1, 1, 1, Interpolation.NEAREST), Transform.toFloat(1)};
        try (DataLoader loader = new DataLoader(data, new DataLoader.Options().batchSize(4).transforms(steps).workers(2)); Batch b = loader.next()) {
          assertArrayEquals(new long[] {4, 3, 4, 4}, b.get(0).shape());
          assertArrayEquals(new float[] {10, 30, 0, 20}, b.get(0).mean(new long[] {1, 2, 3}).toFloatArray());
        }
        for (Transform t : steps) t.close();
      }
      String[] paths = {folder.resolve("cat/2.png").toString()};
      try (ImageFilesDataset data = new ImageFilesDataset(paths, new long[] {7}, 1)) {
        assertArrayEquals(new long[] {1, 7, 7}, data.get(0)[0].shape());
        assertEquals(7, data.get(0)[1].itemLong());
        assertArrayEquals(new long[] {7}, data.targets().toLongArray());
      }
      assertEquals(20, Haft.loadImage(paths[0], 4).select(0, 0).max().itemLong());
      assertThrows(FileException.class, () -> new ImageFolderDataset(folder.resolve("cat").toString()));
    }
  }

  @Test
  void tablesPicturesAndTheirTransforms(@TempDir Path folder) throws Exception {
    Path table = folder.resolve("t.csv"), pictures = folder.resolve("c.bin");
    Files.writeString(table, "a;b;label\n1;2;0\n3;4;1\n");
    byte[] bytes = new byte[2 * 3073];
    for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i % 3073 == 0 ? i / 3073 : 100);
    Files.write(pictures, bytes);
    try (Scope scope = new Scope(); CsvDataset csv = new CsvDataset(table.toString(), -1, DType.INT64, 1, ';'); CifarDataset cifar = new CifarDataset(1, pictures.toString())) {
      assertEquals(2, csv.size());
      assertArrayEquals(new float[] {3, 4}, csv.get(1)[0].toFloatArray());
      assertEquals(1, csv.get(1)[1].itemLong());
      assertThrows(FileException.class, () -> new CsvDataset(table.toString()));
      Transform[] steps = {Transform.resize(8, 0, Interpolation.LINEAR_ANTIALIAS), Transform.centerCrop(4, 6), Transform.randomVerticalFlip(0.5), Transform.colorJitter(0.1, 0.1, 0.1, 0.1),
          Transform.grayscale(1), Transform.toFloat()};
      try (DataLoader loader = new DataLoader(cifar, new DataLoader.Options().batchSize(2).transforms(steps).seed(1))) {
        try (Batch b = loader.next()) {
          assertArrayEquals(new long[] {2, 1, 4, 6}, b.get(0).shape());
          assertArrayEquals(new long[] {0, 1}, b.get(1).toLongArray());
        }
      }
      for (Transform t : steps) t.close();
    }
  }

  @Test
  void measures() {
    try (Scope scope = new Scope(); Evaluator a = new Evaluator(2, 2); Evaluator b = new Evaluator(2, 2)) {
      a.update(Tensor.of(new float[] {1, 0, 1, 0}).reshape(2, 2), Tensor.of(new long[] {0, 1}));
      a.add(Tensor.of(new float[] {1, 3}));
      b.setState(a.state().add(a.state()));
      assertEquals(4, b.count());
      assertEquals(0.5, b.accuracy());
      assertEquals(1, b.accuracy(2));
      assertEquals(2, b.mean());
      assertArrayEquals(new long[] {2, 0, 2, 0}, b.confusion().toLongArray());
      assertArrayEquals(new double[] {0.5, 0}, b.precision().toDoubleArray());
      assertArrayEquals(new double[] {1, 0}, b.recall().toDoubleArray());
    }
  }

  @Test
  void packedSequencesThroughALayer() {
    try (Scope scope = new Scope(); GRU net = new GRU(2, 3)) {
      Tensor x = Tensor.randn(3, 2, 2);
      Tensor[] packed = x.packPaddedSequence(Tensor.of(new long[] {1, 3}), false, false);
      Tensor[] out = net.call(packed[0], Tensor.zeros(1, 2, 3), packed[1]);
      Tensor[] padded = out[0].padPackedSequence(packed[1], packed[3]);
      assertArrayEquals(new long[] {3, 2, 3}, padded[0].shape());
      assertArrayEquals(new long[] {1, 3}, padded[1].toLongArray());
      Tensor alone = net.call(x.select(1, 0).slice(0, 0, 1).unsqueeze(1), Tensor.zeros(1, 1, 3))[0];
      assertArrayEquals(alone.toFloatArray(), padded[0].select(1, 0).slice(0, 0, 1).toFloatArray(), 1e-6f);
    }
  }

  @Test
  void orderDependsOnTheSeedAlone() {
    List<long[]> first = null;
    for (int workers = 0; workers < 3; workers++) {
      try (Scope scope = new Scope(); TensorDataset data = new TensorDataset(Tensor.arange(50)); DataLoader loader = new DataLoader(data, new DataLoader.Options().batchSize(7).shuffle(true).dropLast(true).workers(workers).seed(9))) {
        List<long[]> got = new ArrayList<>();
        Batch kept = null;
        for (Batch b : loader) {
          got.add(b.get(0).toLongArray());
          if (kept == null) kept = b.keep();
        }
        assertEquals(7, got.size());
        assertArrayEquals(got.get(0), kept.get(0).toLongArray());
        if (first == null) first = got;
        for (int i = 0; i < 7; i++) assertArrayEquals(first.get(i), got.get(i));
        DataLoader.State s = loader.state();
        assertEquals(9, s.seed());
        loader.setState(new DataLoader.State(9, 0, 3));
        try (Batch b = loader.next()) {
          assertArrayEquals(first.get(3), b.get(0).toLongArray());
        }
      }
    }
  }

  @Test
  void transformsAndSubsets() {
    try (Scope scope = new Scope(); TensorDataset data = new TensorDataset(Tensor.ofUnsigned(new byte[] {0, (byte) 255, 51, 102}, 2, 1, 1, 2)); Transform scale = Transform.toFloat(); Transform norm = Transform.normalize(0.5, 0.25)) {
      try (DataLoader l = new DataLoader(data, new DataLoader.Options().batchSize(2).transforms(scale, norm)); Batch b = l.next()) {
        assertArrayEquals(new float[] {-2, 2, -1.2f, -0.4f}, b.get(0).toFloatArray(), 1e-6f);
        assertNull(l.next());
      }
      try (DataLoader l = new DataLoader(data, new DataLoader.Options().batchSize(5).indices(Tensor.of(new long[] {1}))); Batch b = l.next()) {
        assertEquals(1, b.size());
      }
      assertThrows(IllegalArgumentException.class, () -> new DataLoader(data, 0));
      assertEquals(2, data.size());
      assertEquals(1, data.get(1).length);
    }
  }

  @Test
  void exceptionsOfItems() {
    RuntimeException mine = new RuntimeException("item 13");
    for (int workers : new int[] {0, 2}) {
      Dataset data = Dataset.of(30, i -> {
        if (i == 13) throw mine;
        return new Tensor[] {Tensor.scalar(i)};
      });
      try (DataLoader l = new DataLoader(data, new DataLoader.Options().batchSize(10).workers(workers))) {
        l.next().close();
        assertSame(mine, assertThrows(RuntimeException.class, l::next));
        l.next().close();
        assertNull(l.next());
      }
    }
    Dataset uneven = Dataset.of(4, i -> new Tensor[] {Tensor.zeros(new long[] {i + 1})});
    try (DataLoader l = new DataLoader(uneven, 2)) {
      assertThrows(RuntimeException.class, l::next);
    }
    RuntimeException first = new RuntimeException("first");
    assertSame(first, assertThrows(RuntimeException.class, () -> new DataLoader(Dataset.of(3, i -> {
      throw first;
    }), 1)));
  }

  /** Items of which all but the first wait for `go`, once they have told `inside`. */
  private static Dataset slow(long size, CountDownLatch inside, CountDownLatch go) {
    return Dataset.of(size, i -> {
      if (i > 0) {
        inside.countDown();
        try {
          go.await();
        } catch (InterruptedException e) {
          throw new RuntimeException(e);
        }
      }
      return new Tensor[] {Tensor.scalar(i)};
    });
  }

  @Test
  void cancelWakesAWaitingThread() throws Exception {
    CountDownLatch inside = new CountDownLatch(1), go = new CountDownLatch(1);
    Dataset slow = slow(100, inside, go);
    DataLoader l = new DataLoader(slow, new DataLoader.Options().workers(1));
    l.next().close();
    Throwable[] failed = new Throwable[1];
    Batch[] got = new Batch[1];
    Thread waiting = new Thread(() -> {
      try {
        got[0] = l.next();
      } catch (Throwable t) {
        failed[0] = t;
      }
    });
    waiting.start();
    assertTrue(inside.await(10, TimeUnit.MINUTES));
    l.cancel();
    waiting.join(10_000);
    assertFalse(waiting.isAlive());
    assertNull(failed[0]);
    assertNull(got[0]);
    go.countDown();
    l.close();
    assertThrows(IllegalStateException.class, l::next);
  }

  /** At once, though the item is not there; the batch is the next call's. */
  @Test
  void anInterruptedThreadComesBack() throws Exception {
    CountDownLatch inside = new CountDownLatch(1), go = new CountDownLatch(1);
    Dataset slow = slow(4, inside, go);
    try (DataLoader l = new DataLoader(slow, new DataLoader.Options().workers(1))) {
      l.next().close();
      List<Object> seen = new ArrayList<>();
      Thread waiting = new Thread(() -> {
        try {
          seen.add(l.next());
        } catch (CancelledException e) {
          seen.add(e.getMessage());
          seen.add(Thread.currentThread().isInterrupted());
        }
      });
      waiting.start();
      assertTrue(inside.await(10, TimeUnit.MINUTES));
      waiting.interrupt();
      waiting.join(TimeUnit.MINUTES.toMillis(10));
      assertFalse(waiting.isAlive());
      assertEquals(List.of("the thread was interrupted: it waits no longer for a batch", true), seen);
      go.countDown();
      assertEquals(List.of(1.0, 2.0, 3.0), rest(l));
      // A loop goes on, too; the end of an epoch that cancel() ended stays its end.
      Iterator<Batch> epoch = l.iterator();
      Thread.currentThread().interrupt();
      assertThrows(CancelledException.class, epoch::hasNext);
      assertTrue(Thread.interrupted());
      assertTrue(epoch.hasNext());
      assertEquals(0, epoch.next().get(0).item());
      Thread.currentThread().interrupt();
      assertThrows(CancelledException.class, epoch::hasNext);
      assertTrue(Thread.interrupted());
      l.cancel();
      assertNull(l.next());
    }
    boolean[] interrupts = {true};
    Dataset own = Dataset.of(4, i -> {
      if (i == 2 && interrupts[0]) {
        Thread other = new Thread(Thread.currentThread()::interrupt);
        other.start();
        while (other.isAlive()) Thread.onSpinWait();
      }
      return new Tensor[] {Tensor.scalar(i)};
    });
    try (DataLoader l = new DataLoader(own, 1)) {  // made by the thread that asks
      l.next().close();
      l.next().close();
      assertThrows(CancelledException.class, l::next);
      assertTrue(Thread.interrupted());
      interrupts[0] = false;
      assertEquals(List.of(2.0, 3.0), rest(l));
    }
  }

  private static List<Double> rest(DataLoader l) {
    List<Double> out = new ArrayList<>();
    for (Batch b = l.next(); b != null; b = l.next()) {
      out.add(b.get(0).item());
      b.close();
    }
    return out;
  }

  @Test
  void aSecondLoopTakesTheEpoch() {
    try (DataLoader loader = new DataLoader(new Squares(), 10)) {
      Iterator<Batch> first = loader.iterator();
      first.next();
      Iterator<Batch> second = loader.iterator();
      IllegalStateException e = assertThrows(IllegalStateException.class, first::hasNext);
      assertTrue(e.getMessage().contains("another loop"), e.getMessage());
      int batches = 0;
      for (; second.hasNext(); batches++) second.next();
      assertEquals(11, batches);
    }
  }

  @Test
  void anItemThatDiffersIsNamed() {
    Dataset uneven = Dataset.of(8, i -> new Tensor[] {Tensor.ones(3), i == 5 ? Tensor.zeros(2, 4) : Tensor.zeros(2, 3)});
    try (DataLoader loader = new DataLoader(uneven, 4)) {
      RuntimeException e = assertThrows(RuntimeException.class, () -> {
        for (Batch batch : loader) batch.get(0);
      });
      assertTrue(e.getMessage().contains("item 5, field 1 is float32 [2, 4], the first item's is float32 [2, 3]"), e.getMessage());
    }
  }
}
