// What the command line says; what is wrong with it ends the program with status 2.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

sealed class Usage : Exception {
  internal Usage(string text) : base(text) {}
}

struct ModelOption {
  internal string Name, Architecture, File;
}

sealed class Options {
  internal const string Help =
      @"usage: Service [OPTION VALUE]...
  --model NAME=ARCHITECTURE:FILE   serves the weights of FILE at /models/NAME/predict; more than one may be given
                      (clothes=perceptron:clothes.safetensors). ARCHITECTURE is perceptron or convolution,
                      or sentences: FILE is a folder with model.safetensors, vocab.txt and config.json, and the page /models/NAME/embed
  --data DIR          trains where FILE is missing (/usr/share/datasets/fashion-mnist)
  --device D          where models compute: cpu, or cuda:0 where its plug-in is installed (cpu)
  --host NAME         which names are answered; + for all (localhost)
  --port N            0: any that is free (8080)
  --max-batch N       rows that run as one (32)
  --max-delay-ms N    how long the first of a batch waits for others (1)
  --max-queue N       requests of a model that wait; one more is answered 429 (256)
  --workers N         batches of a model that run at once; 0: as many as suit the machine (0)
  --max-open N        requests in work at once, of all models; one more is answered 503 (512)
  --max-body N        bytes (1048576)
  --max-rows N        pictures or sentences in a request (64)
  --timeout-ms N      from the request's head to its answer; a header X-Timeout-Ms may shorten it (5000)
  --memory-mib N      of tensors that a model's runs make; 0: no limit (256)
  --linger-s N        after SIGTERM the service still serves so long, unready, that balancers turn away; a second SIGTERM: no longer (0)
  --drain-s N         then it answers what it has, for so long at most (30)
  --leaks N           of so many objects one remembers where it was made, to tell when nobody disposes it; 0: none (128)
  --log LEVEL         debug (with a line for every request), info or warning (info)
";

  internal readonly List<ModelOption> Models = new List<ModelOption>();
  internal string Data = "/usr/share/datasets/fashion-mnist", Host = "localhost", Device = "cpu";
  internal int Port = 8080, MaxBatch = 32, MaxQueue = 256, Workers, MaxOpen = 512, MaxBody = 1 << 20, MaxRows = 64,
               Leaks = 128;
  internal long MemoryLimit = 256L << 20;
  internal TimeSpan MaxDelay = TimeSpan.FromMilliseconds(1), Timeout = TimeSpan.FromSeconds(5), Linger = TimeSpan.Zero,
                    Drain = TimeSpan.FromSeconds(30);
  internal Log.Level LogLevel = Log.Level.Info;

  internal static Options Parse(string[] arguments) {
    var o = new Options();
    var actions = new Dictionary<string, Action<string, string>> {
      { "--model", (name, value) => o.Models.Add(Model(value)) },
      { "--data", (name, value) => o.Data = value },
      { "--device", (name, value) => o.Device = value },
      { "--host", (name, value) => o.Host = value },
      { "--port", (name, value) => o.Port = Integer(name, value, 0, 65535) },
      { "--max-batch", (name, value) => o.MaxBatch = Integer(name, value, 1, 65536) },
      { "--max-delay-ms", (name, value) => o.MaxDelay = TimeSpan.FromMilliseconds(Integer(name, value, 0)) },
      { "--max-queue", (name, value) => o.MaxQueue = Integer(name, value, 1) },
      { "--workers", (name, value) => o.Workers = Integer(name, value, 0, 1024) },
      { "--max-open", (name, value) => o.MaxOpen = Integer(name, value, 1) },
      { "--max-body", (name, value) => o.MaxBody = Integer(name, value, 1) },
      { "--max-rows", (name, value) => o.MaxRows = Integer(name, value, 1) },
      { "--timeout-ms", (name, value) => o.Timeout = TimeSpan.FromMilliseconds(Integer(name, value, 1)) },
      { "--memory-mib", (name, value) => o.MemoryLimit = (long)Integer(name, value, 0) << 20 },
      { "--linger-s", (name, value) => o.Linger = TimeSpan.FromSeconds(Integer(name, value, 0, 86400)) },
      { "--drain-s", (name, value) => o.Drain = TimeSpan.FromSeconds(Integer(name, value, 0, 86400)) },
      { "--leaks", (name, value) => o.Leaks = Integer(name, value, 0) },
      { "--log", (name, value) => o.LogLevel = Level(value) }
    };
    for (int i = 0; i < arguments.Length; i += 2) {
      Action<string, string> action;
      if (!actions.TryGetValue(arguments[i], out action))
        throw new Usage("unknown option '" + arguments[i] + "' (--help lists them)");
      if (i + 1 == arguments.Length) throw new Usage(arguments[i] + " wants a value");
      action(arguments[i], arguments[i + 1]);
    }
    if (o.Models.Count == 0) o.Models.Add(Model("clothes=perceptron:clothes.safetensors"));
    IGrouping<string, ModelOption> twice = o.Models.GroupBy(m => m.Name).FirstOrDefault(g => g.Count() > 1);
    if (twice != null) throw new Usage("--model names '" + twice.Key + "' twice");
    return o;
  }

  static int Integer(string name, string value, int lowest, int highest = int.MaxValue) {
    int n;
    if (!int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out n) || n < lowest || n > highest)
      throw new Usage(name + " wants an integer from " + lowest + " to " + highest + ", got '" + value + "'");
    return n;
  }
  static Log.Level Level(string value) {
    Log.Level level;
    if (!Enum.TryParse(value, true, out level))
      throw new Usage("--log wants debug, info or warning, got '" + value + "'");
    return level;
  }
  static ModelOption Model(string value) {
    int equals = value.IndexOf('='), colon = value.IndexOf(':', equals + 1);
    if (equals < 1 || colon < 0 || colon + 1 == value.Length)
      throw new Usage("--model wants NAME=ARCHITECTURE:FILE, got '" + value + "'");
    var m = new ModelOption { Name = value.Substring(0, equals),
                              Architecture = value.Substring(equals + 1, colon - equals - 1),
                              File = Path.GetFullPath(value.Substring(colon + 1)) };
    if (!m.Name.All(c => c < 128 && char.IsLetterOrDigit(c) || c == '-' || c == '_'))
      throw new Usage("a model's name has letters, digits, - and _ only, got '" + m.Name + "'");
    if (!Architectures.All.ContainsKey(m.Architecture) && m.Architecture != Architectures.OfSentences)
      throw new Usage("no architecture '" + m.Architecture + "': " + string.Join(", ", Architectures.All.Keys) + ", " +
                      Architectures.OfSentences);
    return m;
  }
}
