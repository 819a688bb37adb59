// Weights exchanged with PyTorch through a safetensors file. In Python:
//   from safetensors.torch import load_file, save_file
//   save_file(net.state_dict(), "weights.safetensors")       # read here
//   net.load_state_dict(load_file("weights.safetensors"))    # written here
// for net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)).
using System;
using System.IO;
using Haft;

static class PyTorchWeights {
  static Module Network() { return new Sequential(new Linear(4, 8), new ReLU(), new Linear(8, 2)); }

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
        foreach (string name in file.Names) Console.WriteLine("  " + name + " (" + string.Join(", ", file[name].Shape) + ")");
      using (Module other = Network()) {
        other.Load(path);
        Tensor x = Tensor.Randn(3, 4);
        Console.WriteLine("largest difference: " + (net.Call(x) - other.Call(x)).Abs().Max().Item());
      }
    }
    return 0;
  }
}
