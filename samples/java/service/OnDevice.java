package service;

import io.haft.*;
import io.haft.Module;

/** A network on a device. Requests are joined on the host; what was joined goes there as a whole, and so does the answer come back. */
final class OnDevice extends Module {
  final Module net;
  private final Device device;

  OnDevice(Module net, Device device) {
    this.net = child("net", net.to(null, device));
    this.device = device;
  }

  @Override
  public Tensor forward(Tensor x) {
    return net.call(x.to(device)).to(Device.CPU);
  }
}
