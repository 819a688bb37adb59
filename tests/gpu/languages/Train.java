// A small network learns on a device: its loss falls, a replayed recording goes on with it, and the profile shows kernels.
//
//   java -cp haft.jar:. Train [DEVICE]
import io.haft.*;
import io.haft.Module;

public class Train {
  public static void main(String[] arguments) {
    Device device = Device.of(arguments.length > 0 ? arguments[0] : "cuda:0");
    Haft.manualSeed(1);
    Tensor x = Tensor.randn(256, 16).to(device), y = x.narrow(1, 0, 1).tanh();
    try (Module net = new Sequential(new Linear(16, 64), new Tanh(), new Linear(64, 1))) {
      net.to(DType.FLOAT32, device);
      MSELoss error = new MSELoss();
      double first = 0, last = 0, replayed;
      String table;
      try (Optimizer optimizer = new AdamW(net.parameters(), 1e-2);
          Profiler profiler = new Profiler(false, true, false, false)) {
        for (int step = 0; step < 100; ++step)
          try (Scope scope = new Scope()) {
            optimizer.zeroGrad();
            Tensor loss = error.call(net.call(x), y);
            loss.backward();
            optimizer.step();
            if (step == 0) first = loss.item();
            if (step == 99) last = loss.item();
          }
        try (Profile p = profiler.stop()) {
          table = p.table();
        }
        try (Scope scope = new Scope(); DeviceGraph graph = new DeviceGraph(device)) {
          Tensor[] loss = new Tensor[1];
          graph.record(() -> {
            optimizer.zeroGrad();
            loss[0] = error.call(net.call(x), y);
            loss[0].backward();
            optimizer.step();
          });
          for (int step = 0; step < 100; ++step) graph.replay();
          replayed = loss[0].item();
        }
      }
      if (last >= first / 10) throw new IllegalStateException("loss " + first + ", then " + last);
      if (replayed >= last) throw new IllegalStateException("loss " + last + ", after replays " + replayed);
      if (!table.contains("On devices") && !table.contains("Not shown")) throw new IllegalStateException(table);
      System.out.println("Java " + System.getProperty("java.version") + " on " + device + ": loss " + first + ", " + last + " after 100 steps, " + replayed
          + " after 100 replays; "
          + (table.contains("On devices") ? "the profile has kernels" : table.substring(table.indexOf("Not shown"))));
    }
  }
}
