// A convolutional network learns Fashion-MNIST: 60,000 grey pictures of ten kinds of clothing.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Haft;

static class FashionMnist {
  static readonly string[] names = { "T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot" };
  const string Help = @"usage: FashionMnist [OPTION VALUE]...
  --epochs N    passes over the 60,000 images (3)
  --batch N     images a step (64)
  --lr X        highest learning rate of AdamW; it falls to 0 along a cosine (0.002)
  --data DIR    the four IDX files, plain or .gz (/usr/share/datasets/fashion-mnist,
                from Debian's package dataset-fashion-mnist)
  --threads N   threads of an operator (all processors)
  --seed N      of weights, order and dropout; the same seed and threads give the same numbers (0)
  --device D    cpu, or a device whose plug-in is installed (cpu)
  --out DIR     gets weights.safetensors and the TensorBoard events (fashion_mnist.out)
";

  // What the user gave wrong: exit code 2.
  sealed class Usage : Exception {
    internal Usage(string text) : base(text) {}
  }

  static Dictionary<string, string> Parse(string[] arguments) {
    var o = new Dictionary<string, string> { { "--epochs", "3" }, { "--batch", "64" }, { "--lr", "0.002" }, { "--data", "/usr/share/datasets/fashion-mnist" },
                                             { "--threads", "0" }, { "--seed", "0" }, { "--device", "cpu" }, { "--out", "fashion_mnist.out" } };
    for (int i = 0; i < arguments.Length; i += 2) {
      if (!o.ContainsKey(arguments[i])) throw new Usage("unknown option '" + arguments[i] + "' (--help lists them)");
      if (i + 1 == arguments.Length) throw new Usage(arguments[i] + " wants a value");
      o[arguments[i]] = arguments[i + 1];
    }
    return o;
  }
  static long Integer(Dictionary<string, string> o, string name, long lowest, long highest) {
    long n;
    if (!long.TryParse(o[name], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out n) || n < lowest || n > highest)
      throw new Usage(name + " wants an integer from " + lowest + " to " + highest + ", got '" + o[name] + "'");
    return n;
  }

  static Dataset Open(string folder, string prefix) {
    Func<string, string> find = name => File.Exists(Path.Combine(folder, name)) ? Path.Combine(folder, name) : Path.Combine(folder, name + ".gz");
    try {
      return new IdxDataset(find(prefix + "-images-idx3-ubyte"), find(prefix + "-labels-idx1-ubyte"));
    } catch (IOException e) {
      throw new Usage(e.Message);
    }
  }

  static Module Network() {
    return new Sequential(new Conv2d(1, 32, 3), new ReLU(), new Conv2d(32, 64, 3), new ReLU(), new MaxPool2d(2), new Dropout(0.25), new Flatten(),
                          new Linear(9216, 128), new ReLU(), new Dropout(0.5), new Linear(128, 10));
  }

  // A bar on a terminal, a line every few seconds elsewhere.
  sealed class Bar : IProgress<TrainingProgress> {
    readonly bool terminal = !Console.IsErrorRedirected;
    internal long Epoch, Epochs;
    TimeSpan last;
    public void Report(TrainingProgress p) {
      if (p.Step <= 1) last = TimeSpan.Zero;
      if (!terminal && p.Elapsed - last < TimeSpan.FromSeconds(5)) return;
      last = p.Elapsed;
      double part = (double)p.Step / p.Steps, rate = p.Samples / p.Elapsed.TotalSeconds;
      string bar = new string('#', (int)(part * 24)).PadRight(24, '.');
      string line = string.Format(CultureInfo.InvariantCulture, "epoch {0}/{1} {2} {3,3:0} %  loss {4:0.0000}  accuracy {5:0.00} %  {6:0} images/s  eta {7:0} s", Epoch, Epochs,
                                  bar, 100 * part, p.Loss, 100 * p.Accuracy, rate, (p.Steps - p.Step) * p.Elapsed.TotalSeconds / p.Step);
      Console.Error.Write(terminal ? "\r" + line + "\u001b[K" : line + "\n");
      if (terminal && p.EpochEnds) Console.Error.Write("\r\u001b[K");
    }
  }

  // found[truth, prediction] over the test images
  static long[,] Test(Module net, DataLoader loader) {
    var found = new long[10, 10];
    net.Eval();
    using (new InferenceMode())
      foreach (Tensor[] batch in loader)
        using (new DisposeScope()) {
          long[] guess = net.Call(batch[0].To(Runtime.DefaultDevice)).Argmax(1).ToArray<long>(), truth = batch[1].ToArray<long>();
          for (int i = 0; i < truth.Length; ++i) ++found[truth[i], guess[i]];
          foreach (Tensor t in batch) t.Dispose();
        }
    return found;
  }
  static double Accuracy(long[,] found) { return Enumerable.Range(0, 10).Sum(i => (double)found[i, i]) / found.Cast<long>().Sum(); }

  static void Run(Dictionary<string, string> o) {
    long epochs = Integer(o, "--epochs", 1, 10000), batch = Integer(o, "--batch", 1, 60000), seed = Integer(o, "--seed", 0, int.MaxValue);
    long threads = Integer(o, "--threads", 0, 256);
    double lr;
    if (!double.TryParse(o["--lr"], NumberStyles.Float, CultureInfo.InvariantCulture, out lr) || !(lr > 0) || double.IsInfinity(lr))
      throw new Usage("--lr wants a positive number, got '" + o["--lr"] + "'");
    if (threads > 0) Runtime.NumThreads = (int)threads;
    Runtime.ManualSeed(seed);
    try {
      Runtime.DefaultDevice = o["--device"];
    } catch (Exception e) {
      throw new Usage(e.Message);
    }
    using (Transform scale = Transform.ToFloat(), normalize = Transform.Normalize(0.2860, 0.3530))
    using (Dataset trainData = Open(o["--data"], "train"), testData = Open(o["--data"], "t10k"))
    using (var train = new DataLoader(trainData, batch, true, 1, transforms: new[] { scale, normalize }, seed: seed))
    using (var test = new DataLoader(testData, 500, numWorkers: 1, transforms: new[] { scale, normalize }))
    using (var writer = new Writer(o["--out"]))
    using (Module net = Network())
    using (var adam = new AdamW(net.Parameters(), lr))
    using (var schedule = new CosineAnnealingLR(adam, train.BatchCount * epochs)) {
      Console.WriteLine("{0} images in {1}, a network of {2} parameters, steps of {3}", trainData.Count, o["--data"], net.ParameterCount, batch);
      var trainer = new Trainer(net, adam) { Scheduler = schedule };
      long[,] found = null;
      var bar = new Bar { Epochs = epochs };
      for (long epoch = 1; epoch <= epochs; ++epoch) {
        bar.Epoch = epoch;
        TrainingProgress p = trainer.Fit(train, 1, bar);
        found = Test(net, test);
        writer.AddScalar("loss/train", p.Loss, epoch * p.Steps);
        writer.AddScalar("accuracy/train", p.Accuracy, epoch * p.Steps);
        writer.AddScalar("accuracy/test", Accuracy(found), epoch * p.Steps);
        writer.AddScalar("learning rate", adam.LearningRate, epoch * p.Steps);
        Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "epoch {0}/{1}  loss {2:0.0000}  accuracy {3:0.00} %  test accuracy {4:0.00} %  {5:0.0} s, {6:0} images/s", epoch,
                                        epochs, p.Loss, 100 * p.Accuracy, 100 * Accuracy(found), p.Elapsed.TotalSeconds, p.Samples / p.Elapsed.TotalSeconds));
      }
      Console.WriteLine("\nConfusion: a row is what the pictures show, a column what the network saw.");
      for (int row = 0; row < 10; ++row)
        Console.WriteLine("{0,3} {1,-10}{2}", row, names[row], string.Concat(Enumerable.Range(0, 10).Select(c => found[row, c].ToString().PadLeft(5))));
      string path = Path.Combine(o["--out"], "weights.safetensors");
      net.Save(path);
      Console.WriteLine("\nweights: " + path + "\ncurves:  " + writer.Path + " (tensorboard --logdir " + o["--out"] + ")");
    }
  }

  static int Main(string[] arguments) {
    if (arguments.Contains("--help")) {
      Console.Write(Help);
      return 0;
    }
    try {
      Run(Parse(arguments));
      return 0;
    } catch (Exception e) {
      Console.Error.WriteLine("FashionMnist: " + e.Message.Replace('\n', ' '));
      return e is Usage ? 2 : 1;
    }
  }
}
