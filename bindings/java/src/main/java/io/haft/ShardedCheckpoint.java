package io.haft;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * Checkpoints that the ranks of a group write together and that any number of ranks reads (docs/sharded-checkpoints.md).
 *
 * <pre>{@code
 * ShardedCheckpoint state = new ShardedCheckpoint().module(model).optimizer(adam).put("epoch", 3);
 * state.save(world, "run/checkpoint");
 * ...
 * new ShardedCheckpoint().module(model).optimizer(adam).load("run/checkpoint");
 * long epoch = (Long) ShardedCheckpoint.values("run/checkpoint").get("epoch");
 * }</pre>
 *
 * <p>An object says what a rank has, or wants to have: parts of tensors, a module, its optimizer and schedule, and values. What several ranks have is
 * written once; of an optimizer that is spread each rank writes its part. Since 1.0.
 */
public final class ShardedCheckpoint {
  /**
   * What a checkpoint says of a tensor.
   *
   * @param dtype its type
   * @param shape of the whole
   */
  public record Entry(DType dtype, List<Long> shape) {}

  private final List<Runnable> content = new ArrayList<>();

  /** Of nothing yet. */
  public ShardedCheckpoint() {}

  private ShardedCheckpoint with(Runnable add) {
    content.add(add);
    return this;
  }

  /**
   * A whole tensor.
   *
   * @param name of the tensor
   * @param t the same on every rank that gives it
   * @return this
   */
  public ShardedCheckpoint tensor(String name, Tensor t) {
    return with(() -> ShardedCheckpoints.add(name, t));
  }

  /**
   * A box of a tensor.
   *
   * @param name of the whole
   * @param t what this rank has of it
   * @param shape of the whole
   * @param offsets where the box begins, a number a dimension
   * @return this
   */
  public ShardedCheckpoint box(String name, Tensor t, long[] shape, long[] offsets) {
    long[] s = shape.clone(), o = offsets.clone();
    return with(() -> ShardedCheckpoints.addBox(name, t, s, o));
  }

  /**
   * A range of a tensor's elements, in row-major order.
   *
   * @param name of the whole
   * @param t what this rank has of it
   * @param shape of the whole
   * @param first the number of its first element
   * @return this
   */
  public ShardedCheckpoint range(String name, Tensor t, long[] shape, long first) {
    long[] s = shape.clone();
    return with(() -> ShardedCheckpoints.addRange(name, t, s, first));
  }

  /**
   * Parameters and buffers of a module.
   *
   * @param m the module
   * @return this
   */
  public ShardedCheckpoint module(Module m) {
    return with(() -> ShardedCheckpoints.setModule(m));
  }

  /**
   * The state of an optimizer.
   *
   * @param o the optimizer
   * @return this
   */
  public ShardedCheckpoint optimizer(Optimizer o) {
    return with(() -> ShardedCheckpoints.setOptimizer(o));
  }

  /**
   * The state of a schedule.
   *
   * @param s the schedule
   * @return this
   */
  public ShardedCheckpoint scheduler(Scheduler s) {
    return with(() -> ShardedCheckpoints.setScheduler(s));
  }

  /**
   * A value of your own, which {@link #load} leaves alone.
   *
   * @param key its name; of several ranks' values the lowest rank's counts
   * @param value Long, Integer, Double, Float, Boolean or String
   * @return this
   */
  public ShardedCheckpoint put(String key, Object value) {
    if (value instanceof String s) return with(() -> ShardedCheckpoints.addText(key, s));
    if (value instanceof Boolean b) return with(() -> ShardedCheckpoints.addFlag(key, b));
    if (value instanceof Double || value instanceof Float) return with(() -> ShardedCheckpoints.addNumber(key, ((Number) value).doubleValue()));
    if (value instanceof Long || value instanceof Integer) return with(() -> ShardedCheckpoints.addInteger(key, ((Number) value).longValue()));
    throw new IllegalArgumentException("put: '" + key + "' is neither a number nor a text");
  }

  // The engine takes what this thread has put together.
  private void gather() {
    ShardedCheckpoints.clear();
    try {
      for (Runnable add : content) add.run();
    } catch (RuntimeException | Error e) {
      ShardedCheckpoints.clear();
      throw e;
    }
  }

  /**
   * Writes what the ranks have. All ranks of the group call it; an interruption aborts the group.
   *
   * @param group of the ranks; null: this process alone
   * @param folder that all ranks reach
   */
  public void save(ProcessGroup group, String folder) {
    if (group == null) {
      gather();
      ShardedCheckpoints.saveAlone(folder);
      return;
    }
    ProcessGroup.run(group, () -> {
      gather();
      ShardedCheckpoints.save(group, folder);
      return null;
    });
  }

  /**
   * The same with what tensors hold now; files are written while the program goes on. A save of the group begins when the one before it has ended.
   *
   * @param group of the ranks; null: this process alone
   * @param folder that all ranks reach
   * @return done when all ranks have written
   */
  public CompletableFuture<Void> saveAsync(ProcessGroup group, String folder) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    try (RpcFuture begun = begin(group, folder)) {
      Haft.futureOnDone(begun, future -> {
        try (future) {
          AsynchronousCalls.answerBytes(future);
        } catch (Throwable t) {
          done.completeExceptionally(t);
          return;
        }
        done.complete(null);
      });
    }
    return done;
  }

  private RpcFuture begin(ProcessGroup group, String folder) {
    if (group != null)
      return ProcessGroup.run(group, () -> {
        gather();
        return ShardedCheckpoints.saveAsync(group, folder);
      });
    gather();
    return ShardedCheckpoints.saveAloneAsync(folder);
  }

  /**
   * Fills the tensors and restores the parts from a checkpoint, however its ranks had cut them. What is missing or does not fit is told before
   * anything changes; values are cast to the tensors' types.
   *
   * @param folder the checkpoint
   */
  public void load(String folder) {
    gather();
    ShardedCheckpoints.load(folder, true, 0);
  }

  private static List<String> fields(byte[] listed) {
    List<String> out = new ArrayList<>();
    for (int at = 0, end; at < listed.length; at = end + 1) {
      for (end = at; listed[end] != 0;) end++;
      out.add(new String(listed, at, end - at, StandardCharsets.UTF_8));
    }
    return out;
  }

  /**
   * {@return the tensors of a checkpoint by their names}
   *
   * @param folder the checkpoint
   */
  public static Map<String, Entry> entries(String folder) {
    Map<String, Entry> out = new LinkedHashMap<>();
    List<String> f = fields(ShardedCheckpoints.tensors(folder));
    for (int i = 0; i < f.size(); i += 3) {
      List<Long> shape = new ArrayList<>();
      for (String n : f.get(i + 1).split(",")) if (!n.isEmpty()) shape.add(Long.parseLong(n));
      out.put(f.get(i + 2), new Entry(DType.of(Integer.parseInt(f.get(i))), List.copyOf(shape)));
    }
    return out;
  }

  /**
   * {@return the values of a checkpoint by their keys: Long, Double, Boolean or String}
   *
   * @param folder the checkpoint
   */
  public static Map<String, Object> values(String folder) {
    Map<String, Object> out = new LinkedHashMap<>();
    List<String> f = fields(ShardedCheckpoints.values(folder));
    for (int i = 0; i < f.size(); i += 3) {
      String text = f.get(i + 2);
      out.put(f.get(i), switch (f.get(i + 1)) {
        case "b" -> !text.equals("0");
        case "i" -> Long.valueOf(text);
        case "d" -> text.endsWith("inf") ? (Object) (text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY)
            : text.contains("nan") ? (Object) Double.NaN : Double.valueOf(text);
        default -> text;
      });
    }
    return out;
  }

  /**
   * {@return a whole tensor of a checkpoint}
   *
   * @param folder the checkpoint
   * @param name of the tensor
   */
  public static Tensor read(String folder, String name) {
    return ShardedCheckpoints.readTensor(Objects.requireNonNull(folder, "folder is null"), name);
  }

  /**
   * Writes one safetensors file with all tensors of a checkpoint whole.
   *
   * @param folder the checkpoint
   * @param path the file
   */
  public static void toFile(String folder, String path) {
    ShardedCheckpoints.toFile(folder, path);
  }
}
