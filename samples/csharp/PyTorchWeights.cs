// Weights exchanged with PyTorch through a safetensors file. In Python:
//   from safetensors.torch import load_file, save_file
//   save_file(net.state_dict(), "weights.safetensors")       # read here
//   net.load_state_dict(load_file("weights.safetensors"))    # written here
// for net = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3)).
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using Haft;

static class PyTorchWeights {
  static Module Network() { return new Sequential(new Linear(4, 16), new ReLU(), new Linear(16, 3)); }

  static int Main(string[] arguments) {
    string path = arguments.Length > 0 ? arguments[0] : Path.Combine(Path.GetTempPath(), "weights.safetensors");
    using (new DisposeScope())
    using (Module net = Network()) {
      if (arguments.Length > 0 && File.Exists(path)) {
        net.Load(path);
        Console.WriteLine("read " + path);
      } else {
        net.Save(path);
        Console.WriteLine("wrote " + path);
      }
      using (var file = new Weights(path))
        foreach (string name in file.Names)
          Console.WriteLine(name + " " + file[name].DType.ToString().ToLowerInvariant() + " [" + string.Join(", ", file[name].Shape) + "]");
      using (Module other = Network()) {
        other.Load(path);
        Tensor x = (Tensor.Arange(20).Float().Reshape(5, 4) - 10) / 10, y = net.Call(x).Detach();
        Console.WriteLine("outputs " + string.Join(" ", y.ToArray<float>().Select(v => v.ToString("R", CultureInfo.InvariantCulture))));
        double difference = (y - other.Call(x)).Abs().Max().Item();
        Console.WriteLine("largest difference: " + difference);
        return difference == 0 ? 0 : 1;
      }
    }
  }
}
