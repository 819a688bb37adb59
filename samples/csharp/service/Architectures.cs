// The networks that weights may be of, and their training on Fashion-MNIST: grey pictures of ten kinds of clothing.
using System;
using System.Collections.Generic;
using System.IO;
using Haft;

static class Architectures {
  internal static readonly string[] Labels = { "T-shirt", "Trouser", "Pullover", "Dress", "Coat",
                                               "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot" };
  internal const string OfSentences = "sentences";  // a folder, which Sentences reads
  internal const int Side = 28, Pixels = Side * Side;
  const double Mean = 0.2860, Deviation = 0.3530;

  internal static readonly IReadOnlyDictionary<string, Func<Module>> All = new Dictionary<string, Func<Module>> {
    { "perceptron", () => new Sequential(new Flatten(), new Linear(Pixels, 128), new ReLU(), new Linear(128, 10)) },
    { "convolution", () => new Sequential(new Conv2d(1, 8, 3), new ReLU(), new MaxPool2d(2), new Conv2d(8, 16, 3),
                                          new ReLU(), new MaxPool2d(2), new Flatten(), new Linear(400, 10)) }
  };

  // Numbers from 0 to 1, row after row, as the networks were trained on.
  internal static Tensor Input(float[] pixels, int rows) {
    for (int i = 0; i < rows * Pixels; ++i) pixels[i] = (float)((pixels[i] - Mean) / Deviation);
    return Tensor.From(new ReadOnlySpan<float>(pixels, 0, rows * Pixels), (rows, 1, Side, Side));
  }

  // The weights of the epoch with the lowest loss on the test's pictures, into the file.
  internal static void Train(string model, Module net, string data, string file) {
    Func<string, string> find = name =>
        File.Exists(Path.Combine(data, name)) ? Path.Combine(data, name) : Path.Combine(data, name + ".gz");
    Func<string, Dataset> open = part =>
        new IdxDataset(find(part + "-images-idx3-ubyte"), find(part + "-labels-idx1-ubyte"));
    using (Transform scale = Transform.ToFloat(), normalize = Transform.Normalize(Mean, Deviation))
    using (Dataset pictures = open("train"), test = open("t10k"))
    using (var loader = new DataLoader(pictures, 64, true, 1, transforms: new[] { scale, normalize }, seed: 0))
    using (var held = new DataLoader(test, 500, numWorkers: 1, transforms: new[] { scale, normalize }))
    using (var adam = new AdamW(net.Parameters(), 1e-3)) {
      var trainer = new Trainer(net, adam) { Validation = held, Patience = 1, RestoreBest = true };
      TrainingProgress end = trainer.Fit(loader, 3, new Report { Model = model });
      Log.Info("model.trained", "model", model, "epochs", end.Epoch, "best_epoch", end.BestEpoch,
               "accuracy", end.ValidationAccuracy);
    }
    net.Save(file);
  }
  sealed class Report : IProgress<TrainingProgress> {
    internal string Model;
    void IProgress<TrainingProgress>.Report(TrainingProgress p) {
      if (p.EpochEnds)
        Log.Info("model.training", "model", Model, "epoch", p.Epoch, "loss", p.Loss, "validation_loss", p.ValidationLoss,
                 "seconds", p.Elapsed.TotalSeconds);
    }
  }
}
