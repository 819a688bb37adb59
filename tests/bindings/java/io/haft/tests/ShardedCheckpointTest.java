package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Leaks.class)
class ShardedCheckpointTest {
  @TempDir File folder;

  private static Tensor numbers(int from, int n) {
    float[] values = new float[n];
    for (int i = 0; i < n; i++) values[i] = from + i;
    return Tensor.of(values);
  }

  @Test
  void isReadAtAnotherNumberOfRanks() throws Exception {
    String at = new File(folder, "checkpoint").getPath();
    for (boolean later : new boolean[] {false, true}) {
      Ranks.run(3, group -> {
        int r = group.rank();
        try (Scope scope = new Scope()) {
          Tensor row = numbers(4 * r, 4).reshape(1, 4), range = numbers(4 * r, 4), whole = numbers(0, 5);
          ShardedCheckpoint state = new ShardedCheckpoint().box("box", row, new long[] {3, 4}, new long[] {r, 0})
              .range("range", range, new long[] {3, 4}, 4 * r).tensor("whole", whole).put("epoch", 3).put("name", "x").put("loss", 0.5).put("on", true);
          if (later) {
            CompletableFuture<Void> saving = state.saveAsync(group, at);
            row.fill_(0);
            saving.join();
          } else {
            state.save(group, at);
          }
        }
      });
      assertEquals(Map.of("epoch", 3L, "name", "x", "loss", 0.5, "on", true), ShardedCheckpoint.values(at));
      assertEquals(Set.of("box", "range", "whole"), ShardedCheckpoint.entries(at).keySet());
      assertEquals(new ShardedCheckpoint.Entry(DType.FLOAT32, List.of(3L, 4L)), ShardedCheckpoint.entries(at).get("box"));
      try (Scope scope = new Scope()) {
        Tensor column = Tensor.full(new long[] {3, 1}, 0.0, DType.FLOAT32);
        new ShardedCheckpoint().box("box", column, new long[] {3, 4}, new long[] {0, 1}).load(at);
        assertArrayEquals(new float[] {1, 5, 9}, column.toFloatArray());
        assertArrayEquals(numbers(0, 12).toFloatArray(), ShardedCheckpoint.read(at, "range").toFloatArray());
        Tensor wrong = numbers(0, 2);
        assertThrows(ShapeException.class, () -> new ShardedCheckpoint().tensor("whole", wrong).load(at));
      }
      ShardedCheckpoint.toFile(at, at + ".safetensors");
      assertTrue(Files.size(Path.of(at + ".safetensors")) > 100);
    }
  }

  @Test
  void anOptimizerGoesOn() throws Exception {
    String at = new File(folder, "checkpoint").getPath();
    float[][] wanted = new float[1][];
    Ranks.run(2, group -> {
      try (Scope scope = new Scope(); Module net = new Linear(5, 3)) {
        try (Optimizer adam = new Adam(net.parameters(), 0.1)) {
          new ZeroRedundancyOptimizer(adam, group);
          for (Tensor p : net.parameters()) p.square().sum().backward();
          adam.step();
          new ShardedCheckpoint().module(net).optimizer(adam).save(group, at);
          adam.step();
          if (group.rank() == 0) wanted[0] = net.parameters()[0].detach().toFloatArray();
        }
      }
    });
    try (Scope scope = new Scope(); Module net = new Linear(5, 3); Optimizer adam = new Adam(net.parameters(), 0.1)) {
      new ShardedCheckpoint().module(net).optimizer(adam).load(at);
      assertTrue(ShardedCheckpoint.entries(at).containsKey("optimizer.state.0.exp_avg"));
      assertEquals(1, adam.state(0, "step").toFloatArray()[0]);
      assertEquals(15, wanted[0].length);
    }
  }

  @Test
  void failuresAreTold() throws Exception {
    Path file = folder.toPath().resolve("file");
    Files.writeString(file, "x");
    try (Scope scope = new Scope()) {
      Tensor t = numbers(0, 2);
      assertThrows(FileException.class, () -> new ShardedCheckpoint().tensor("t", t).save(null, file.toString()));
      assertThrows(IllegalArgumentException.class, () -> new ShardedCheckpoint().put("x", new Object()));
      new ShardedCheckpoint().tensor("t", t).saveAsync(null, folder + "/alone").join();
      assertArrayEquals(new float[] {0, 1}, ShardedCheckpoint.read(folder + "/alone", "t").toFloatArray());
    }
  }
}
