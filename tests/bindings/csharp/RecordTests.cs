// Every call that the engine's own operator records make, again through the generated members: results and gradients.
// tests/ops/dump_test.cpp explains the file, which HAFT_OPS_CALLS names.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class RecordTests {
  private sealed class Call {
    internal string Op;
    internal long Seed;
    internal readonly List<Tensor> Inputs = new List<Tensor>(), Outs = new List<Tensor>(), Starts = new List<Tensor>();
    internal readonly List<string> Arguments = new List<string>();
    internal readonly Dictionary<int, Tensor> Grads = new Dictionary<int, Tensor>();
  }

  [Test]
  public void EveryCall() {
    string path = Environment.GetEnvironmentVariable("HAFT_OPS_CALLS");
    if (path == null || !File.Exists(path)) Assert.Ignore("HAFT_OPS_CALLS names no file");
    var seen = new HashSet<string>();
    var wrong = new List<string>();
    using (var lines = new StreamReader(path)) {
      for (;;) {
        using (new DisposeScope()) {
          Call call = Read(lines);
          if (call == null) break;
          seen.Add(call.Op);
          try {
            Repeat(call);
          } catch (Exception e) {
            wrong.Add(call.Op + " (seed " + call.Seed + "): " + ((e as TargetInvocationException)?.InnerException ?? e).Message);
          }
        }
      }
    }
    Assert.IsEmpty(wrong, string.Join("\n", wrong.Take(20)));
    Assert.Greater(seen.Count, 150);
  }

  private static Call Read(TextReader lines) {
    Call call = null;
    for (string line; (line = lines.ReadLine()) != null;) {
      string word = line.Split(' ')[0], rest = line.Length > word.Length ? line.Substring(word.Length + 1) : "";
      switch (word) {
        case "op": call = new Call { Op = rest }; break;
        case "seed": call.Seed = long.Parse(rest); break;
        case "in":
          string text = rest.Substring(2);
          call.Inputs.Add(text == "none" ? null : ReadTensor(text));
          if (rest[0] == '1') call.Inputs.Last().RequiresGrad = true;
          break;
        case "arg": call.Arguments.Add(rest); break;
        case "out": call.Outs.Add(ReadTensor(rest)); break;
        case "by": call.Starts.Add(rest == "none" ? null : ReadTensor(rest)); break;
        case "grad": call.Grads[int.Parse(rest.Split(' ')[0])] = ReadTensor(rest.Substring(rest.IndexOf(' ') + 1)); break;
        case "end": return call;
      }
    }
    return null;
  }

  private static Tensor ReadTensor(string text) {
    string[] halves = text.Split(':'), head = halves[0].Trim().Split(' ');
    long[] size = head.Length < 2 ? new long[0] : head[1].Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries).Select(long.Parse).ToArray();
    double[] values = halves[1].Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries).Select(v => double.Parse(v, CultureInfo.InvariantCulture)).ToArray();
    DType dtype = Named(head[0]);
    return Tensor.From(values).To(dtype).Reshape(size);
  }
  private static DType Named(string name) { return Enum.GetValues(typeof(DType)).Cast<DType>().First(d => d.Name() == name); }

  private static void Repeat(Call call) {
    Runtime.ManualSeed(call.Seed);
    object result = Invoke(call);
    Tensor[] outs = result as Tensor[] ?? new[] { (Tensor)result };
    Assert.AreEqual(call.Outs.Count, outs.Length);
    for (int i = 0; i < outs.Length; ++i) Same(outs[i], call.Outs[i], call.Op == "empty" || call.Op == "empty_like");
    int[] live = Enumerable.Range(0, outs.Length).Where(i => call.Starts[i] != null).ToArray();
    if (live.Length == 0) return;
    int[] wanted = Enumerable.Range(0, call.Inputs.Count).Where(i => call.Inputs[i] != null && call.Inputs[i].RequiresGrad).ToArray();
    Tensor[] grads = Autograd.Grad(live.Select(i => outs[i]), wanted.Select(i => call.Inputs[i]), live.Select(i => call.Starts[i]), allowUnused: true);
    for (int i = 0; i < wanted.Length; ++i) {
      Assert.AreEqual(call.Grads.ContainsKey(wanted[i]), grads[i] != null);
      if (grads[i] != null) Same(grads[i], call.Grads[wanted[i]], false);
    }
  }

  private static void Same(Tensor got, Tensor want, bool undefined) {
    Assert.AreEqual(want.DType, got.DType);
    CollectionAssert.AreEqual(want.Shape, got.Shape);
    if (undefined) return;
    double[] a = got.Detach().To(DType.Float64).ToArray<double>(), b = want.To(DType.Float64).ToArray<double>();
    for (int i = 0; i < a.Length; ++i)
      if (!a[i].Equals(b[i]) && !(a[i] == b[i]) && !(Math.Abs(a[i] - b[i]) <= 1e-12 + 1e-9 * Math.Abs(b[i]))) Assert.Fail("element " + i + " is " + a[i] + ", expected " + b[i]);
  }

  // The operator as a member of Tensor: a method of its first tensor, or a static one. Named results have a List form.
  private static object Invoke(Call call) {
    string name = call.Op.EndsWith("_scalar") ? call.Op.Substring(0, call.Op.Length - 7) : call.Op;
    name = string.Concat(name.Split('_').Select(w => char.ToUpperInvariant(w[0]) + w.Substring(1)));
    var arguments = call.Arguments.Select(a => Value(a, call.Inputs)).ToList();
    foreach (bool loose in new[] { false, true })
    foreach (string candidate in new[] { name, name + "List" }) {
      foreach (MethodInfo m in typeof(Tensor).GetMethods(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static)) {
        if (m.Name != candidate || m.IsGenericMethod) continue;
        var given = m.IsStatic ? arguments : arguments.Skip(1).ToList();
        ParameterInfo[] parameters = m.GetParameters();
        if (!m.IsStatic && !(arguments.FirstOrDefault() is Tensor)) continue;
        if (m.ReturnType != typeof(Tensor) && m.ReturnType != typeof(Tensor[])) continue;
        object[] fitting = Fit(parameters, given, loose);
        if (fitting == null) continue;
        return m.Invoke(m.IsStatic ? null : arguments[0], fitting);
      }
    }
    throw new MissingMethodException("Tensor." + name + "(" + string.Join("; ", call.Arguments) + ")");
  }
  private static object[] Fit(ParameterInfo[] parameters, List<object> given, bool loose) {
    // What the binding leaves out is a generator.
    if (parameters.Length != given.Count) return null;
    var fitting = new object[given.Count];
    for (int i = 0; i < given.Count; ++i) {
      Type t = parameters[i].ParameterType;
      object v = given[i];
      if (v == null && !t.IsValueType) fitting[i] = null;
      else if (v == null && t == typeof(long)) fitting[i] = long.MinValue;
      else if (v == null && t == typeof(Device)) fitting[i] = default(Device);
      else if (v == null && t == typeof(DType)) fitting[i] = DType.None;
      else if (v is long && t == typeof(Reduction)) fitting[i] = (Reduction)(long)v;
      else if (v is long && t == typeof(Device)) fitting[i] = default(Device);
      else if (v is long[] && t == typeof(Dims)) fitting[i] = new Dims((long[])v);
      else if (v is double && t == typeof(double) || v is long && t == typeof(long) || v is bool && t == typeof(bool) || v is DType && t == typeof(DType) || v is Tensor && t == typeof(Tensor) || v is string && t == typeof(string)) fitting[i] = v;
      else if (loose && v is long && t == typeof(double)) fitting[i] = (double)(long)v;
      else if (v is Tensor[] && t.IsInstanceOfType(v)) fitting[i] = v;
      else return null;
    }
    return fitting;
  }
  private static object Value(string text, List<Tensor> inputs) {
    string kind = text.Split(' ')[0], value = text.Length > kind.Length ? text.Substring(kind.Length + 1) : "";
    switch (kind) {
      case "none": return null;
      case "tensor": return inputs[int.Parse(value)];
      case "list": return value.Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries).Select(i => i == "none" ? null : inputs[int.Parse(i)]).ToArray();
      case "ints": return value.Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries).Select(long.Parse).ToArray();
      case "dtype": return Named(value);
      case "int": return long.Parse(value);
      case "float": return value == "inf" ? double.PositiveInfinity : value == "-inf" ? double.NegativeInfinity : double.Parse(value, CultureInfo.InvariantCulture);
      case "bool": return value == "1";
      case "text": return value;
    }
    throw new FormatException(text);
  }
}
}
