// Embeddings of the lines at the input, by the service's network of sentences; with --print 2 the numbers of their tokens:
//
//   mono Embed.exe FOLDER [--print 1|2] [--threads N] [--device D] <lines.txt
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Haft;

static class Embed {
  static int Main(string[] arguments) {
    bool tokens = arguments.Length > 2 && arguments[1] == "--print" && arguments[2] == "2";
    var lines = new List<string>();
    using (var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false)))
      for (string line; (line = input.ReadLine()) != null;) lines.Add(line);
    try {
      int device = Array.IndexOf(arguments, "--device") + 1;
      if (device > 0 && device < arguments.Length) Runtime.DefaultDevice = arguments[device];
      if (arguments.Length > 4 && arguments[3] == "--threads") Runtime.NumThreads = int.Parse(arguments[4]);
      var text = new StringBuilder();
      using (new InferenceMode())
      using (new DisposeScope())
      using (var net = new Sentences(arguments[0])) {
        net.Eval();
        if (tokens) {
          foreach (string line in lines) text.Append(string.Join(" ", net.Tokenizer.Encode(line, net.Most))).Append('\n');
        } else if (lines.Count > 0) {
          Tensor y = net.Call(net.Tokens(lines));
          float[] numbers = y.ToArray<float>();
          for (int i = 0; i < numbers.Length; ++i)
            text.Append(numbers[i].ToString("R", CultureInfo.InvariantCulture)).Append((i + 1) % y.Shape[1] == 0 ? '\n' : ' ');
        }
      }
      Console.Out.Write(text);
      return 0;
    } catch (Exception e) when (!(e is NullReferenceException)) {
      Console.Error.WriteLine("Embed: " + e.Message.Replace('\n', ' '));
      return 2;
    }
  }
}
