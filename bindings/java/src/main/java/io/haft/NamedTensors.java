package io.haft;

import java.util.LinkedHashMap;
import java.util.Map;

/** Tensors by name on their way through the shim. */
final class NamedTensors {
  private NamedTensors() {}

  static Map<String, Tensor> adopt(Object[] packed) {
    String[] names = (String[]) packed[0];
    long[] handles = (long[]) packed[1];
    Map<String, Tensor> out = new LinkedHashMap<>();
    for (int i = 0; i < names.length; i++) out.put(names[i], Tensor.adopt(handles[i]));
    return out;
  }

  static Object[] pack(Map<String, Tensor> named) {
    String[] names = named.keySet().toArray(new String[0]);
    long[] handles = new long[names.length];
    for (int i = 0; i < names.length; i++) handles[i] = NativeObject.handle(named.get(names[i]));
    return new Object[] {names, handles};
  }
}
