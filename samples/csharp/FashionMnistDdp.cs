// Several processes train one network on Fashion-MNIST: each on its share of the pictures, gradients are the mean of all.
//
//   mcs FashionMnistDdp.cs -r:Haft.dll -r:System.Core.dll
//   haft-run --nproc-per-node 2 mono FashionMnistDdp.exe [--data FOLDER] [--steps N] [--device cpu]
//
// Where the folder has no pictures, drawn ones take their place.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Haft;

static class FashionMnistDdp {
  const int Drawn = 2000, Pixels = 28 * 28, Batch = 32;

  // Pictures with a bright stripe whose height tells the class, in noise; the same in every process.
  static Dataset Draw() {
    var noise = new Random(1);
    var pixels = new byte[Drawn * Pixels];
    var classes = new long[Drawn];
    for (int i = 0; i < Drawn; ++i) {
      classes[i] = i % 10;
      for (int p = 0; p < Pixels; ++p) pixels[i * Pixels + p] = (byte)(noise.Next(64) + (p / 28 / 2 - 2 == classes[i] ? 128 : 0));
    }
    using (Tensor images = Tensor.From(pixels, new Dims(Drawn, 1, 28, 28)), labels = Tensor.From(classes)) return new TensorDataset(images, labels);
  }

  static Dataset Pictures(string folder) {
    string images = Path.Combine(folder, "train-images-idx3-ubyte.gz");
    return File.Exists(images) ? (Dataset)new IdxDataset(images, Path.Combine(folder, "train-labels-idx1-ubyte.gz")) : Draw();
  }

  // Batches of this rank's share: as many for each rank.
  static DataLoader Loader(Dataset data, int rank, int worldSize) {
    long[] share = Enumerable.Range(0, (int)(data.Count / worldSize)).Select(i => rank + (long)i * worldSize).ToArray();
    using (Tensor indices = Tensor.From(share))
    using (Transform scale = Transform.ToFloat(), normalize = Transform.Normalize(0.2860, 0.3530))
      return new DataLoader(data, Batch, true, 1, dropLast: true, transforms: new[] { scale, normalize }, seed: rank, indices: indices);
  }

  // Whether every rank's weights are this one's, bit by bit.
  static bool Agree(Module net, ProcessGroup world) {
    using (new NoGrad())
    using (new DisposeScope()) {
      Tensor mine = Tensor.Cat(net.Parameters().Select(p => p.Flatten(0)).ToArray(), 0);
      Tensor[] all = Enumerable.Range(0, world.Size).Select(r => mine.Clone()).ToArray();
      world.AllGather(all, mine);
      float[] bits = mine.ToArray<float>();
      return all.All(one => one.ToArray<float>().SequenceEqual(bits));
    }
  }

  static float Step(DistributedDataParallel ddp, Optimizer optimizer, Tensor[] batch, Device here) {
    using (new DisposeScope()) {
      Tensor loss = ddp.Call(batch[0].To(here)).CrossEntropy(batch[1].To(here));
      optimizer.ZeroGrad(false);  // gradients lie in the buckets: they are kept, and nothing is copied
      loss.Backward();            // all ranks' gradients are joined when it returns
      optimizer.Step();
      foreach (Tensor t in batch) t.Dispose();
      return (float)loss.Item();
    }
  }

  static int Main(string[] arguments) {
    string folder = "/usr/share/datasets/fashion-mnist", device = "cpu";
    int steps = 500;
    for (int i = 0; i + 1 < arguments.Length; i += 2) {
      if (arguments[i] == "--data") folder = arguments[i + 1];
      if (arguments[i] == "--device") device = arguments[i + 1];  // "cuda": one for each process, "cuda:0": the same for all
      if (arguments[i] == "--steps") steps = int.Parse(arguments[i + 1], CultureInfo.InvariantCulture);
    }
    steps = Math.Max(steps, 20);
    LaunchEnvironment launched = LaunchEnvironment.Get();
    Runtime.NumThreads = Math.Max(1, Runtime.NumThreads / launched.LocalWorldSize);
    Device here = device == "cpu" || device.Contains(":") ? device : device + ":" + launched.LocalRank;

    using (ProcessGroup world = ProcessGroup.Init("env://")) {
      int rank = world.Rank;
      Runtime.ManualSeed(rank);  // every rank begins with other weights, and gets those of rank 0
      using (Dataset data = Pictures(folder))
      using (DataLoader loader = Loader(data, rank, world.Size))
      using (Module net = new Sequential(new Conv2d(1, 16, 3), new ReLU(), new MaxPool2d(2), new Flatten(), new Linear(16 * 13 * 13, 10)).To(here))
      using (var ddp = new DistributedDataParallel(net, world))
      using (var optimizer = new SGD(net.Parameters(), 0.02, momentum: 0.9)) {
        var losses = new float[steps];
        for (int step = 0; step < steps;)
          foreach (Tensor[] batch in loader) {
            losses[step] = Step(ddp, optimizer, batch, here);
            if (++step == steps) break;
          }
        using (Tensor ends = Tensor.Of(losses.Take(10).Average(), losses.Skip(steps - 10).Average())) {
          world.AllReduce(ends, ReduceOp.Avg);
          bool same = Agree(net, world);
          float[] mean = ends.ToArray<float>();
          if (rank == 0)
            Console.WriteLine(string.Format(CultureInfo.InvariantCulture, "{0} ranks, {1} steps: loss {2:0.0000} to {3:0.0000}, weights {4}", world.Size, steps,
                                            mean[0], mean[1], same ? "agree" : "DIFFER"));
          return same ? 0 : 1;
        }
      }
    }
  }
}
