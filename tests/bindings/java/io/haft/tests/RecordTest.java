package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import java.io.BufferedReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every call that the engine's own operator records make, again through the generated methods: results and gradients.
 * tests/ops/dump_test.cpp explains the file, which HAFT_OPS_CALLS names.
 */
@ExtendWith(Leaks.class)
class RecordTest {
  private static final Set<String> UNDEFINED = Set.of("empty", "empty_like");

  private static final class Call {
    String op;
    long seed;
    final List<Tensor> inputs = new ArrayList<>(), outs = new ArrayList<>(), starts = new ArrayList<>();
    final List<String> arguments = new ArrayList<>();
    final Map<Integer, Tensor> grads = new HashMap<>();
  }

  @Test
  void everyCall() throws Exception {
    String path = System.getenv("HAFT_OPS_CALLS");
    Assumptions.assumeTrue(path != null && Files.exists(Path.of(path)), "HAFT_OPS_CALLS names no file");
    Set<String> seen = new TreeSet<>();
    List<String> wrong = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(Path.of(path))) {
      while (true) {
        try (Scope scope = new Scope()) {
          Call call = read(lines);
          if (call == null) break;
          seen.add(call.op);
          try {
            repeat(call);
          } catch (InvocationTargetException e) {
            wrong.add(call.op + " (seed " + call.seed + "): " + e.getCause());
          } catch (Exception | AssertionError e) {
            wrong.add(call.op + " (seed " + call.seed + "): " + e);
          }
        }
      }
    }
    assertTrue(wrong.isEmpty(), () -> wrong.size() + " calls differ:\n" + String.join("\n", wrong.subList(0, Math.min(20, wrong.size()))));
    assertTrue(seen.size() > 150, "only " + seen.size() + " operators");
  }

  private static Tensor tensor(String text) {
    int colon = text.indexOf(':');
    String[] head = text.substring(0, colon).split(" ");
    DType dtype = DType.valueOf(head[0].toUpperCase(Locale.ROOT));
    long[] size = head.length < 2 || head[1].isEmpty() ? new long[0] : Arrays.stream(head[1].split(",")).mapToLong(Long::parseLong).toArray();
    double[] v = Arrays.stream(text.substring(colon + 1).trim().split(" ")).filter(s -> !s.isEmpty()).mapToDouble(Double::parseDouble).toArray();
    return Tensor.of(v, v.length).reshape(size).cast(dtype);
  }

  private static Call read(BufferedReader lines) throws java.io.IOException {
    Call c = null;
    for (String line; (line = lines.readLine()) != null;) {
      String[] parts = line.split(" ", 2);
      String rest = parts.length > 1 ? parts[1] : "";
      switch (parts[0]) {
        case "op" -> {
          c = new Call();
          c.op = rest;
        }
        case "seed" -> c.seed = Long.parseLong(rest);
        case "in" -> {
          String text = rest.substring(2);
          Tensor t = text.equals("none") ? null : tensor(text);
          c.inputs.add(rest.charAt(0) == '1' ? t.requiresGrad_() : t);
        }
        case "arg" -> c.arguments.add(rest);
        case "out" -> c.outs.add(tensor(rest));
        case "by" -> c.starts.add(rest.equals("none") ? null : tensor(rest));
        case "grad" -> c.grads.put(Integer.parseInt(rest.substring(0, rest.indexOf(' '))), tensor(rest.substring(rest.indexOf(' ') + 1)));
        case "end" -> {
          return c;
        }
        default -> fail("unknown line " + line);
      }
    }
    return null;
  }

  private static String camel(String name) {
    StringBuilder s = new StringBuilder();
    boolean up = false;
    for (char ch : name.toCharArray()) {
      if (ch == '_') {
        up = true;
        continue;
      }
      s.append(up ? Character.toUpperCase(ch) : ch);
      up = false;
    }
    return s.toString();
  }

  /** The value of an argument for a parameter of that type; NO where it does not go. */
  private static final Object NO = new Object();

  private static Object value(String text, Class<?> type, List<Tensor> inputs, boolean widen) {
    String[] p = text.split(" ", 2);
    String v = p.length > 1 ? p[1] : "";
    switch (p[0]) {
      case "none":
        return type == long.class ? (Object) Long.MIN_VALUE : type.isPrimitive() ? NO : null;
      case "tensor":
        return type == Tensor.class ? inputs.get(Integer.parseInt(v)) : NO;
      case "list":
        return type != Tensor[].class ? NO : Arrays.stream(v.split(" ")).filter(s -> !s.isEmpty()).map(s -> s.equals("none") ? null : inputs.get(Integer.parseInt(s))).toArray(Tensor[]::new);
      case "ints":
        return type != long[].class ? NO : Arrays.stream(v.split(",")).filter(s -> !s.isEmpty()).mapToLong(Long::parseLong).toArray();
      case "dtype":
        return type == DType.class ? DType.valueOf(v.toUpperCase(Locale.ROOT)) : NO;
      case "int":
        if (type == Reduction.class) return Reduction.values()[Integer.parseInt(v)];
        return type == long.class ? (Object) Long.valueOf(v) : type == double.class && widen ? (Object) Double.valueOf(v) : NO;
      case "float":
        return type == double.class ? Double.valueOf(v.replace("inf", "Infinity").replace("nan", "NaN")) : NO;
      case "text":
        return type == String.class ? v : NO;
      case "bool":
        return type == boolean.class ? v.equals("1") : type == long.class ? (Object) Long.valueOf(v) : NO;
      default:
        throw new AssertionError("unknown argument " + text);
    }
  }

  private static void repeat(Call call) throws Exception {
    String op = call.op.endsWith("_scalar") ? call.op.substring(0, call.op.length() - 7) : call.op, name = camel(op);
    for (int pass = 0; pass < 2; pass++) for (Method m : Tensor.class.getMethods()) {
      if (!m.getName().equals(name)) continue;
      boolean isStatic = Modifier.isStatic(m.getModifiers());
      Class<?>[] types = m.getParameterTypes();
      int skip = isStatic ? 0 : 1;
      if (types.length + skip != call.arguments.size()) continue;
      Object[] arguments = new Object[types.length];
      boolean fits = true;
      for (int i = 0; i < types.length && fits; i++) fits = (arguments[i] = value(call.arguments.get(i + skip), types[i], call.inputs, pass == 1)) != NO;
      Object self = isStatic ? null : value(call.arguments.get(0), Tensor.class, call.inputs, false);
      if (!fits || self == NO) continue;
      Haft.manualSeed(call.seed);
      Object result = m.invoke(self, arguments);
      compare(call, result instanceof Tensor[] ts ? ts : result instanceof Values v ? new Tensor[] {v.values(), v.indices()} : new Tensor[] {(Tensor) result});
      return;
    }
    throw new AssertionError("no method takes " + call.arguments);
  }

  private static void compare(Call call, Tensor[] outs) {
    assertEquals(call.outs.size(), outs.length);
    List<Tensor> live = new ArrayList<>(), starts = new ArrayList<>(), wanted = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < outs.length; i++) {
      same(outs[i], call.outs.get(i), UNDEFINED.contains(call.op));
      if (call.starts.get(i) == null) continue;
      live.add(outs[i]);
      starts.add(call.starts.get(i));
    }
    if (live.isEmpty()) return;
    for (int i = 0; i < call.inputs.size(); i++) {
      if (call.inputs.get(i) == null || !call.inputs.get(i).requiresGrad()) continue;
      wanted.add(call.inputs.get(i));
      places.add(i);
    }
    Tensor[] grads = Haft.grad(live.toArray(new Tensor[0]), wanted.toArray(new Tensor[0]), Tensor.ALLOW_UNUSED, starts.toArray(new Tensor[0]));
    for (int i = 0; i < grads.length; i++) {
      Tensor want = call.grads.get(places.get(i));
      assertEquals(want == null, grads[i] == null, "gradient " + places.get(i));
      if (want != null) same(grads[i], want, false);
    }
  }

  private static void same(Tensor got, Tensor want, boolean shapeOnly) {
    assertEquals(want.dtype(), got.dtype());
    assertArrayEquals(want.shape(), got.shape());
    if (shapeOnly) return;
    double[] a = got.detach().cast(DType.FLOAT64).toDoubleArray(), b = want.cast(DType.FLOAT64).toDoubleArray();
    for (int i = 0; i < a.length; i++) {
      if (Double.compare(a[i], b[i]) == 0 || a[i] == b[i]) continue;
      assertEquals(b[i], a[i], 1e-12 + 1e-9 * Math.abs(b[i]), "element " + i);
    }
  }
}
