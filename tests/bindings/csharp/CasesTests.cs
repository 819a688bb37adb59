using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using Haft;
using NUnit.Framework;
using Module = Haft.Module;

namespace HaftTests {

// Every layer, loss, optimizer and schedule computes what PyTorch does; tests/bindings/cases.py wrote what that is.
[TestFixture]
public class CasesTests {
  // A line of cases.txt and its file.
  private sealed class Case {
    public readonly string File, Kind, Name, Mode;
    public readonly double Room;
    private readonly Dictionary<string, string> options;
    private readonly List<KeyValuePair<string, Tensor>> tensors;

    public Case(string folder, string line, bool wide) {
      string[] parts = line.Split('\t');
      File = parts[0];
      Kind = parts[1];
      Name = parts[2];
      Mode = parts[3];
      Room = double.Parse(parts[4], CultureInfo.InvariantCulture);
      options = parts.Skip(5).ToDictionary(o => o.Substring(0, o.IndexOf('=')), o => o.Substring(o.IndexOf('=') + 1));
      tensors = Weights.Load(Path.Combine(folder, File + ".safetensors")).Select(e => new KeyValuePair<string, Tensor>(
          e.Key, !wide && e.Value.DType == DType.Float64 && Kind != "schedule" ? e.Value.Cast(DType.Float32) : e.Value)).ToList();
    }

    public Tensor Get(string key) { return tensors.FirstOrDefault(e => e.Key == key).Value; }

    public bool IsWide { get { return tensors.Any(e => e.Value.DType == DType.Float64); } }

    public List<KeyValuePair<string, Tensor>> Part(string name) {
      return tensors.Where(e => e.Key.StartsWith(name + "/", StringComparison.Ordinal))
          .Select(e => new KeyValuePair<string, Tensor>(e.Key.Substring(name.Length + 1), e.Value)).ToList();
    }

    public Tensor[] Numbered(string name) { return Enumerable.Range(0, Part(name).Count).Select(i => Get(name + "/" + i)).ToArray(); }

    private object Value(Type type, string option) {
      string text = options[option];
      type = Nullable.GetUnderlyingType(type) ?? type;
      if (type == typeof(long)) return long.Parse(text, CultureInfo.InvariantCulture);
      if (type == typeof(double)) return double.Parse(text, CultureInfo.InvariantCulture);
      if (type == typeof(bool)) return text == "true";
      if (type == typeof(Tensor)) return Get("option/" + option);
      if (type == typeof(double[])) return text.Split(',').Select(n => double.Parse(n, CultureInfo.InvariantCulture)).ToArray();
      if (type.IsEnum) return Enum.Parse(type, text.Replace("_", ""), true);
      long[] list = text.Split(new[] { ',' }, StringSplitOptions.RemoveEmptyEntries).Select(n => long.Parse(n, CultureInfo.InvariantCulture)).ToArray();
      if (type == typeof(Pair)) return list.Length == 1 ? (Pair)list[0] : new Pair(list[0], list[1]);
      Assert.AreEqual(typeof(Dims), type, File + ": " + option);
      return (Dims)list;
    }

    // By the public class, whose one constructor takes all by name.
    public object Make(object first) {
      ConstructorInfo c = typeof(Tensor).Assembly.GetType("Haft." + Name, true).GetConstructors().Single();
      var left = options.Keys.ToDictionary(o => o.Replace("_", "").ToLowerInvariant());
      var values = new List<object>();
      foreach (ParameterInfo p in c.GetParameters()) {
        string option;
        if (left.TryGetValue(p.Name.ToLowerInvariant(), out option)) {
          values.Add(Value(p.ParameterType, option));
          left.Remove(p.Name.ToLowerInvariant());
        } else if (values.Count == 0 && first != null) {
          values.Add(first);
        } else {
          Assert.IsTrue(p.IsOptional, File + ": " + p.Name);
          values.Add(p.DefaultValue == null && p.ParameterType.IsValueType ? Activator.CreateInstance(p.ParameterType)
                     : p.ParameterType == typeof(Dims) || p.ParameterType == typeof(Device) ? Activator.CreateInstance(p.ParameterType) : p.DefaultValue);
        }
      }
      CollectionAssert.IsEmpty(left.Values, File);
      return c.Invoke(values.ToArray());
    }
  }

  private static void Close(Tensor got, Tensor wanted, double limit, string what) {
    Assert.IsNotNull(got, what);
    Assert.AreEqual(wanted.Shape, got.Shape, what);
    Assert.AreEqual(wanted.DType, got.DType, what);
    double[] a = got.Detach().Cast(DType.Float64).ToArray<double>(), b = wanted.Cast(DType.Float64).ToArray<double>();
    double largest = Math.Max(1, b.Where(x => !double.IsNaN(x) && !double.IsInfinity(x)).Select(Math.Abs).DefaultIfEmpty(0).Max());
    for (int i = 0; i < b.Length; ++i) {
      if (a[i] != b[i] && !(Math.Abs(a[i] - b[i]) <= limit * largest) && !(double.IsNaN(a[i]) && double.IsNaN(b[i])))
        Assert.Fail(what + " at " + i + ": " + a[i] + ", PyTorch " + b[i]);
    }
  }

  private static void RunModule(Case c, double limit) {
    using (var m = (Module)c.Make(null)) {
      var state = c.Part("state");
      if (c.IsWide) m.To(DType.Float64);
      CollectionAssert.AreEqual(state.Select(e => e.Key), m.StateDict().Keys, c.File);
      m.LoadStateDict(state);
      m.Train(c.Mode != "eval");
      Tensor[] inputs = c.Numbered("input"), wanted = c.Numbered("output"), outputs;
      for (int i = 0; i < inputs.Length; ++i) {
        if (c.Get("gradient/" + i) != null) inputs[i].RequiresGrad = true;
      }
      using (new Autocast(enabled: c.Mode == "autocast")) outputs = m.Call(inputs);
      Assert.AreEqual(wanted.Length, outputs.Length, c.File);
      for (int i = 0; i < wanted.Length; ++i) Close(outputs[i], wanted[i], limit, c.File + ", result " + i);
      var seeds = c.Part("seed");
      if (seeds.Count > 0) Autograd.Backward(seeds.Select(e => outputs[int.Parse(e.Key)]).ToArray(), seeds.Select(e => e.Value).ToArray());
      foreach (var e in c.Part("gradient")) Close(inputs[int.Parse(e.Key)].Grad, e.Value, limit * 5, c.File + ", gradient of input " + e.Key);
      StateDict parameters = m.NamedParameters(), after = m.StateDict();
      foreach (var e in c.Part("grad")) Close(parameters[e.Key].Grad, e.Value, limit * 5, c.File + ", gradient of " + e.Key);
      foreach (var e in c.Part("after")) Close(after[e.Key], e.Value, limit * 5, c.File + ", " + e.Key + " behind");
    }
  }

  private static void RunOptimizer(Case c, double limit) {
    Tensor[] parameters = c.Numbered("param"), targets = c.Numbered("target"), weights = c.Numbered("weight"), quartics = c.Numbered("quartic");
    double[] losses = c.Get("loss").Cast(DType.Float64).ToArray<double>();
    foreach (Tensor p in parameters) p.RequiresGrad = true;
    using (var o = (Optimizer)c.Make(parameters)) {
      for (int step = 0; step < losses.Length; ++step) {
        Tensor loss = o.Step(() => {
          o.ZeroGrad();
          Tensor sum = null;
          for (int i = 0; i < parameters.Length; ++i) {
            Tensor d = parameters[i] - targets[i], square = parameters[i] * parameters[i], term = (weights[i] * d * d + quartics[i] * square * square).Sum();
            sum = sum == null ? term : sum + term;
          }
          sum.Backward();
          return sum;
        });
        Assert.AreEqual(losses[step], loss.Item(), limit * Math.Max(1, Math.Abs(losses[step])), c.File + ", loss " + step);
        for (int i = 0; i < parameters.Length; ++i)
          Close(parameters[i], c.Get("after/" + step + "/" + i), limit, c.File + ", parameter " + i + " behind step " + step);
      }
    }
  }

  private static void RunSchedule(Case c) {
    double[] rates = c.Get("rate").ToArray<double>(), momenta = c.Get("momentum").ToArray<double>();
    double[] metrics = c.Get("metric") == null ? null : c.Get("metric").ToArray<double>();
    Tensor p = Tensor.Zeros(2);
    p.RequiresGrad = true;
    using (var o = new SGD(new[] { p }, 0.4, 0.9))
    using (var s = (Scheduler)c.Make(o)) {
      for (int i = 0; i < rates.Length; ++i) {
        Assert.AreEqual(rates[i], o.LearningRate, 1e-12, c.File + ", rate " + i);
        Assert.AreEqual(momenta[i], o.Option("momentum"), 1e-12, c.File + ", momentum " + i);
        if (i + 1 == rates.Length) break;
        o.Step();
        if (metrics == null) s.Step();
        else s.Step(metrics[i]);
      }
    }
  }

  [TestCase("layer", 100)]
  [TestCase("loss", 20)]
  [TestCase("optimizer", 14)]
  [TestCase("schedule", 12)]
  public void ComputesWhatPytorchDoes(string kind, int least) {
    string folder = Environment.GetEnvironmentVariable("HAFT_CASES");
    if (folder == null) Assert.Ignore("HAFT_CASES names no folder");
    var names = new HashSet<string>();
    foreach (string line in File.ReadAllLines(Path.Combine(folder, "cases.txt")).Where(l => l.Split('\t')[1] == kind)) {
      foreach (bool wide in new[] { true, false }) {
        using (new DisposeScope()) {
          var c = new Case(folder, line, wide);
          double limit = (c.Mode == "autocast" ? 2e-2 : wide ? 1e-9 : 2e-4) * c.Room;
          if (kind == "schedule") RunSchedule(c);
          else if (kind == "optimizer") RunOptimizer(c, limit);
          else RunModule(c, limit);
          names.Add(c.Name);
        }
      }
    }
    Assert.GreaterOrEqual(names.Count, least, kind);
  }
}
}
