package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;

import io.haft.*;
import io.haft.Module;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every layer, loss, optimizer and schedule computes what PyTorch does; tests/bindings/cases.py wrote what that is. */
@ExtendWith(Leaks.class)
class CasesTest {
  /** A line of cases.txt and its file. */
  private static final class Case {
    final String file, kind, name, mode;
    final double room;
    final LinkedHashMap<String, String> options = new LinkedHashMap<>();
    final Map<String, Tensor> tensors;

    Case(String folder, String line, boolean wide) {
      String[] parts = line.split("\t");
      file = parts[0];
      kind = parts[1];
      name = parts[2];
      mode = parts[3];
      room = Double.parseDouble(parts[4]);
      for (String option : Arrays.asList(parts).subList(5, parts.length)) options.put(option.substring(0, option.indexOf('=')), option.substring(option.indexOf('=') + 1));
      tensors = new LinkedHashMap<>();
      Weights.load(Path.of(folder, file + ".safetensors").toString()).forEach((key, t) ->
          tensors.put(key, !wide && t.dtype() == DType.FLOAT64 && !kind.equals("schedule") ? t.cast(DType.FLOAT32) : t));
    }

    LinkedHashMap<String, Tensor> part(String name) {
      LinkedHashMap<String, Tensor> out = new LinkedHashMap<>();
      tensors.forEach((key, t) -> {
        if (key.startsWith(name + "/")) out.put(key.substring(name.length() + 1), t);
      });
      return out;
    }

    Tensor[] numbered(String name) {
      LinkedHashMap<String, Tensor> found = part(name);
      Tensor[] out = new Tensor[found.size()];
      for (int i = 0; i < out.length; i++) out[i] = found.get(Integer.toString(i));
      return out;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    Object value(Class<?> type, String option) {
      String text = options.get(option);
      if (type == long.class) return Long.parseLong(text);
      if (type == double.class) return Double.parseDouble(text);
      if (type == boolean.class) return text.equals("true");
      if (type == long[].class) return Arrays.stream(text.split(",")).filter(n -> !n.isEmpty()).mapToLong(Long::parseLong).toArray();
      if (type == double[].class) return Arrays.stream(text.split(",")).mapToDouble(Double::parseDouble).toArray();
      if (type == Tensor.class) return tensors.get("option/" + option);
      assertTrue(type.isEnum(), () -> file + ": " + option + " of " + type);
      return Enum.valueOf((Class<Enum>) type, text.toUpperCase(Locale.ROOT));
    }

    boolean fits(Class<?> type, String option) {
      String text = options.get(option);
      if (type == long.class) return text.matches("-?\\d+");
      if (type == long[].class) return text.matches("(-?\\d+(,-?\\d+)*)?");
      if (type == double[].class) return text.matches("-?\\d.*");
      boolean number = text.matches("-?\\d.*");
      return type == boolean.class ? text.equals("true") || text.equals("false") : number == (type == double.class);
    }

    /** By the public class: its constructor takes what has no default, its Options the rest; short entries take all in a row. */
    Object make(Object first) throws Exception {
      Class<?> type = Class.forName("io.haft." + name), kept = null;
      for (Class<?> c : type.getDeclaredClasses())
        if (c.getSimpleName().equals("Options")) kept = c;
      List<String> names = new ArrayList<>(options.keySet());
      int before = first == null ? 0 : 1;
      for (Constructor<?> c : type.getConstructors()) {
        Class<?>[] types = c.getParameterTypes();
        if (first != null && !(types.length > 0 && types[0].isInstance(first))) continue;
        boolean withOptions = types.length > 0 && types[types.length - 1] == kept;
        int positional = types.length - before - (withOptions ? 1 : 0);
        if (withOptions != (kept != null) || (kept == null ? positional != names.size() : positional > names.size())) continue;
        Object[] values = new Object[types.length];
        if (first != null) values[0] = first;
        boolean fits = true;
        for (int i = 0; i < positional; i++) {
          fits = fits && types[before + i] != Build.class && types[before + i] != Generator.class && fits(types[before + i], names.get(i));
          if (fits) values[before + i] = value(types[before + i], names.get(i));
        }
        if (!fits) continue;
        if (withOptions) {
          Object o = kept.getConstructor().newInstance();
          for (String option : names.subList(positional, names.size())) assertSame(o, set(o, option), () -> file + ": " + option);
          values[types.length - 1] = o;
        }
        return c.newInstance(values);
      }
      return fail(file + ": no constructor takes " + options);
    }

    private Object set(Object o, String option) throws Exception {
      for (Method m : o.getClass().getDeclaredMethods()) {
        if (!m.getName().equalsIgnoreCase(option.replace("_", ""))) continue;
        if (m.getParameterCount() == 1 && fits(m.getParameterTypes()[0], option)) return m.invoke(o, value(m.getParameterTypes()[0], option));
        String[] list = options.get(option).split(",");
        if (m.getParameterCount() == 2 && list.length == 2) return m.invoke(o, Long.parseLong(list[0]), Long.parseLong(list[1]));
      }
      return fail(file + ": Options lacks " + option);
    }
  }

  private static void close(Tensor got, Tensor wanted, double limit, String what) {
    assertNotNull(got, what);
    assertArrayEquals(wanted.shape(), got.shape(), what);
    assertEquals(wanted.dtype(), got.dtype(), what);
    double[] a = got.detach().cast(DType.FLOAT64).toDoubleArray(), b = wanted.cast(DType.FLOAT64).toDoubleArray();
    double largest = 1;
    for (double x : b) largest = Double.isFinite(x) ? Math.max(largest, Math.abs(x)) : largest;
    for (int i = 0; i < b.length; i++) assertTrue(a[i] == b[i] || Math.abs(a[i] - b[i]) <= limit * largest || Double.isNaN(a[i]) && Double.isNaN(b[i]),
        what + " at " + i + ": " + a[i] + ", PyTorch " + b[i]);
  }

  private static void module(Case c, double limit) throws Exception {
    try (Module m = (Module) c.make(null)) {
      Map<String, Tensor> state = c.part("state");
      if (c.tensors.values().stream().anyMatch(t -> t.dtype() == DType.FLOAT64)) m.to(DType.FLOAT64);
      assertEquals(state.keySet(), m.stateDict().keySet(), c.file);
      m.loadStateDict(state);
      m.train(!c.mode.equals("eval"));
      Tensor[] inputs = c.numbered("input"), wanted = c.numbered("output");
      for (int i = 0; i < inputs.length; i++)
        if (c.tensors.containsKey("gradient/" + i)) inputs[i].requiresGrad_();
      Tensor[] outputs;
      try (Autocast autocast = new Autocast(c.mode.equals("autocast"))) {
        outputs = m.call(inputs);
      }
      assertEquals(wanted.length, outputs.length, c.file);
      for (int i = 0; i < wanted.length; i++) close(outputs[i], wanted[i], limit, c.file + ", result " + i);
      Map<String, Tensor> seeds = c.part("seed");
      Tensor[] seeded = seeds.keySet().stream().map(i -> outputs[Integer.parseInt(i)]).toArray(Tensor[]::new);
      if (seeded.length > 0) Haft.backward(seeded, seeds.values().toArray(Tensor[]::new));
      c.part("gradient").forEach((i, g) -> close(inputs[Integer.parseInt(i)].grad(), g, limit * 5, c.file + ", gradient of input " + i));
      Map<String, Tensor> parameters = m.namedParameters(), after = m.stateDict();
      c.part("grad").forEach((key, g) -> close(parameters.get(key).grad(), g, limit * 5, c.file + ", gradient of " + key));
      c.part("after").forEach((key, t) -> close(after.get(key), t, limit * 5, c.file + ", " + key + " behind"));
    }
  }

  private static void optimizer(Case c, double limit) throws Exception {
    Tensor[] params = c.numbered("param"), targets = c.numbered("target"), weights = c.numbered("weight"), quartics = c.numbered("quartic");
    double[] losses = c.tensors.get("loss").cast(DType.FLOAT64).toDoubleArray();
    for (Tensor p : params) p.requiresGrad_();
    try (Optimizer o = (Optimizer) c.make(params)) {
      for (int step = 0; step < losses.length; step++) {
        Tensor loss = o.step(() -> {
          o.zeroGrad();
          Tensor sum = null;
          for (int i = 0; i < params.length; i++) {
            Tensor d = params[i].sub(targets[i]), square = params[i].mul(params[i]);
            Tensor term = weights[i].mul(d.mul(d)).add(quartics[i].mul(square.mul(square))).sum();
            sum = sum == null ? term : sum.add(term);
          }
          sum.backward();
          return sum;
        });
        assertEquals(losses[step], loss.item(), limit * Math.max(1, Math.abs(losses[step])), c.file + ", loss " + step);
        for (int i = 0; i < params.length; i++) close(params[i], c.tensors.get("after/" + step + "/" + i), limit, c.file + ", parameter " + i + " behind step " + step);
      }
    }
  }

  private static void schedule(Case c) throws Exception {
    double[] rates = c.tensors.get("rate").toDoubleArray(), momenta = c.tensors.get("momentum").toDoubleArray();
    double[] metrics = c.tensors.containsKey("metric") ? c.tensors.get("metric").toDoubleArray() : null;
    try (SGD o = new SGD(new Tensor[] {Tensor.zeros(2).requiresGrad_()}, new SGD.Options().lr(0.4).momentum(0.9)); Scheduler s = (Scheduler) c.make(o)) {
      for (int i = 0; i < rates.length; i++) {
        assertEquals(rates[i], o.lr(), 1e-12, c.file + ", rate " + i);
        assertEquals(momenta[i], o.option("momentum", 0), 1e-12, c.file + ", momentum " + i);
        if (i + 1 == rates.length) break;
        o.step();
        if (metrics == null) s.step();
        else s.step(metrics[i]);
      }
    }
  }

  private static void run(String kind, int least) throws Exception {
    String folder = System.getenv("HAFT_CASES");
    Assumptions.assumeTrue(folder != null, "HAFT_CASES names no folder");
    Set<String> names = new HashSet<>();
    for (String line : Files.readAllLines(Path.of(folder, "cases.txt"))) {
      if (!line.split("\t")[1].equals(kind)) continue;
      for (boolean wide : new boolean[] {true, false}) {
        try (Scope scope = new Scope()) {
          Case c = new Case(folder, line, wide);
          double limit = (c.mode.equals("autocast") ? 2e-2 : wide ? 1e-9 : 2e-4) * c.room;
          if (kind.equals("schedule")) schedule(c);
          else if (kind.equals("optimizer")) optimizer(c, limit);
          else module(c, limit);
          names.add(c.name);
        }
      }
    }
    assertTrue(names.size() >= least, kind + ": " + names.size());
  }

  @Test
  void layers() throws Exception {
    run("layer", 100);
  }

  @Test
  void losses() throws Exception {
    run("loss", 20);
  }

  @Test
  void optimizers() throws Exception {
    run("optimizer", 14);
  }

  @Test
  void schedules() throws Exception {
    run("schedule", 12);
  }
}
