// A network on a device. Requests are joined on the host; what was joined goes there as a whole, and so does the answer come back.
using Haft;

sealed class OnDevice : Module {
  internal readonly Module Net;
  readonly Device device;

  internal OnDevice(Module net, Device device) {
    Net = RegisterModule("net", net.To(device));
    this.device = device;
  }

  public override Tensor Forward(Tensor x) { return Net.Call(x.To(device)).To(Device.Cpu); }
}
