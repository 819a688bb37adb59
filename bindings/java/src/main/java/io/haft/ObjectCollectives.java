package io.haft;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InvalidClassException;
import java.io.ObjectInputFilter;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Collectives of serializable Java objects over a {@link ProcessGroup}, by PyTorch's names: for settings, metrics and paths, not for tensors.
 * All ranks are Java programs that have the same classes.
 *
 * <p>Reading serialized objects runs code of their classes. Only who may join the group (its store's secret) can send any, and the filter
 * says which classes are read at all; without one of your own only those of java.base. What it refuses is an
 * {@link InvalidArgumentException} on the rank that reads; the group lives.
 *
 * <pre>{@code
 * List<Double> losses = world.objects().allGatherObject(loss);
 * }</pre>
 */
public final class ObjectCollectives {
  static final ObjectInputFilter JAVA_BASE = ObjectInputFilter.Config.createFilter("java.base/*;!*");

  /**
   * What {@link #recvObjectList(int)} has got.
   *
   * @param <T> the class of the objects
   * @param objects in the sender's order
   * @param source who sent them
   */
  public record Received<T>(List<T> objects, int source) {}

  private final ProcessGroup group;
  private final ObjectInputFilter filter;

  ObjectCollectives(ProcessGroup group, ObjectInputFilter filter) {
    this.group = group;
    this.filter = Objects.requireNonNull(filter, "filter is null");
  }

  /**
   * An object of each rank's for all.
   *
   * @param <T> the class of the objects
   * @param object this rank's, serializable; may be null
   * @return all ranks', by rank
   */
  public <T> List<T> allGatherObject(T object) {
    try (Tensor mine = bytes(object); Parts parts = new Parts(sizesOfAll(mine))) {
      group.allGather(parts.tensors, mine);
      return parts.read();
    }
  }

  /**
   * An object of each rank's for one rank.
   *
   * @param <T> the class of the objects
   * @param object this rank's, serializable; may be null
   * @param root who gets them
   * @return for the root all ranks', by rank; empty on the others
   */
  public <T> List<T> gatherObject(T object, int root) {
    try (Tensor mine = bytes(object); Parts parts = new Parts(sizesOfAll(mine), group.rank() == root)) {
      group.gather(parts.tensors, mine, root);
      return parts.read();
    }
  }

  /**
   * The objects of one rank for all.
   *
   * @param <T> the class of the objects
   * @param objects of the root, serializable; of the others nobody looks at them
   * @param root whose
   * @return the root's objects
   */
  public <T> List<T> broadcastObjectList(List<? extends T> objects, int root) {
    boolean mine = group.rank() == root;
    try (Tensor given = mine ? bytes(list(objects)) : null; Tensor size = Tensor.of(new long[] {mine ? given.numel() : 0})) {
      group.broadcast(size, root);
      try (Tensor came = mine ? null : room(size.itemLong())) {
        group.broadcast(mine ? given : came, root);
        return read(mine ? given : came);
      }
    }
  }

  /**
   * One object of one rank's for each rank.
   *
   * @param <T> the class of the objects
   * @param objects of the root: one for each rank, serializable; of the others nobody looks at them
   * @param root whose
   * @return the one for this rank
   */
  public <T> T scatterObjectList(List<? extends T> objects, int root) {
    boolean mine = group.rank() == root;
    if (mine && objects.size() != group.size())
      throw new IllegalArgumentException("scatterObjectList: wanted one object for each of " + group.size() + " ranks, got " + objects.size());
    try (Parts given = new Parts(mine ? objects : List.of()); Tensor size = Tensor.of(new long[] {0}); Parts sizes = given.sizes()) {
      group.scatter(size, sizes.tensors, root);
      try (Tensor came = room(size.itemLong())) {
        group.scatter(came, given.tensors, root);
        return read(came);
      }
    }
  }

  /**
   * Sends objects to one rank, which calls recvObjectList.
   *
   * @param objects serializable
   * @param peer to whom
   */
  public void sendObjectList(List<?> objects, int peer) {
    try (Tensor mine = bytes(list(objects)); Tensor size = Tensor.of(new long[] {mine.numel()})) {
      group.send(size, peer);
      group.send(mine, peer);
    }
  }

  /**
   * Receives what sendObjectList sends. One thread of a rank at a time.
   *
   * @param <T> the class of the objects
   * @param peer from whom; {@link ProcessGroup#ANY_SOURCE}: whoever is first
   * @return the objects, and whose they are
   */
  public <T> Received<T> recvObjectList(int peer) {
    try (Tensor size = Tensor.of(new long[] {0})) {
      int source = group.recv(size, peer);
      try (Tensor came = room(size.itemLong())) {
        group.recv(came, source);
        return new Received<>(read(came), source);
      }
    }
  }

  private static List<Object> list(List<?> objects) {
    return new ArrayList<>(Objects.requireNonNull(objects, "objects is null"));
  }

  private long[] sizesOfAll(Tensor mine) {
    try (Tensor size = Tensor.of(new long[] {mine.numel()}); Tensor all = Tensor.of(new long[group.size()])) {
      group.allGatherInto(all, size);
      return all.toLongArray();
    }
  }

  private static Tensor room(long bytes) {
    return Tensor.empty(new long[] {bytes}, DType.UINT8);
  }

  private static Tensor bytes(Object object) {
    ByteArrayOutputStream to = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(to)) {
      out.writeObject(object);
    } catch (IOException e) {
      throw refused("cannot be sent: " + e, e);
    }
    return Tensor.ofUnsigned(to.toByteArray());
  }

  private static InvalidArgumentException refused(String what, Exception cause) {
    InvalidArgumentException e = new InvalidArgumentException(HaftFailure.Details.of(1, "an object of a collective " + what));
    e.initCause(cause);
    return e;
  }

  @SuppressWarnings("unchecked")
  private <T> T read(Tensor from) {
    try (ObjectInputStream in = new Input(new ByteArrayInputStream(from.toByteArray()))) {
      in.setObjectInputFilter(filter);
      return (T) in.readObject();
    } catch (InvalidClassException e) {
      throw refused("is not read: " + e.getMessage() + "; objects(filter) says which classes may come", e);
    } catch (IOException | ClassNotFoundException e) {
      throw refused("is not read: " + e, e);
    }
  }

  /** Finds classes where the application that calls has them, wherever haft is loaded from. */
  private static final class Input extends ObjectInputStream {
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

    Input(InputStream from) throws IOException {
      super(from);
    }

    @Override
    protected Class<?> resolveClass(ObjectStreamClass described) throws IOException, ClassNotFoundException {
      try {
        return Class.forName(described.getName(), false, loader);
      } catch (ClassNotFoundException e) {
        return super.resolveClass(described);  // primitives
      }
    }
  }

  /** Tensors of bytes that go when the call is over. */
  private final class Parts implements AutoCloseable {
    final Tensor[] tensors;

    private Parts(Tensor[] tensors) {
      this.tensors = tensors;
    }

    Parts(long[] sizes) {
      this(sizes, true);
    }

    Parts(long[] sizes, boolean wanted) {
      this(new Tensor[wanted ? sizes.length : 0]);
      fill(i -> room(sizes[i]));
    }

    Parts(List<?> objects) {
      this(new Tensor[objects.size()]);
      fill(i -> bytes(objects.get(i)));
    }

    /** How many bytes each has, one tensor for each. */
    Parts sizes() {
      Parts out = new Parts(new Tensor[tensors.length]);
      out.fill(i -> Tensor.of(new long[] {tensors[i].numel()}));
      return out;
    }

    private void fill(java.util.function.IntFunction<Tensor> one) {
      try {
        for (int i = 0; i < tensors.length; i++) tensors[i] = one.apply(i);
      } catch (Throwable t) {
        close();
        throw t;
      }
    }

    <T> List<T> read() {
      List<T> out = new ArrayList<>(tensors.length);
      for (Tensor t : tensors) out.add(ObjectCollectives.this.read(t));
      return out;
    }

    @Override
    public void close() {
      for (Tensor t : tensors) if (t != null) t.close();
    }
  }
}
