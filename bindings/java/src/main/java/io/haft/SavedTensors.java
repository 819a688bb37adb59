package io.haft;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** A pair of hooks, and what it packed under the numbers that the engine keeps. */
final class SavedTensors {
  private final Function<Tensor, Object> pack;
  private final Function<Object, Tensor> unpack;
  private final ConcurrentHashMap<Long, Object> packed = new ConcurrentHashMap<>();
  private final AtomicLong next = new AtomicLong();

  SavedTensors(Function<Tensor, Object> pack, Function<Object, Tensor> unpack) {
    this.pack = pack;
    this.unpack = unpack;
  }

  long pack(Tensor x) {
    Object p = pack.apply(x);
    if (p == null) throw new NullPointerException("the pack hook answered null");
    Scope.keepInside(p);
    long number = next.incrementAndGet();
    packed.put(number, p);
    return number;
  }

  Tensor unpack(long number) {
    return unpack.apply(packed.get(number));
  }

  void drop(long number) {
    packed.remove(number);
  }
}
