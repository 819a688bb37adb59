package io.haft;

import java.util.Arrays;
import java.util.Objects;

/**
 * A module on several devices of this process at once, each of which computes a part of the batch (torch.nn.DataParallel):
 *
 * <pre>{@code
 * Module many = new DataParallel(net.to(null, Device.of("cuda:0")), Device.of("cuda:0"), Device.of("cuda:1"));
 * many.call(batch).square().mean().backward();  // gradients come to the parameters of net
 * }</pre>
 *
 * Parameters stay where they are: each call copies them to the other devices, and gradients come back to them. Buffers are copied as well;
 * what the first device's part writes into them stays. Results are gathered on the first device.
 *
 * <p>A part is computed by a thread of its own, whose default device is the part's. A module of your own therefore takes its tensors anew in each
 * forward, by {@code parameter(name)} and {@code buffer(name)} or through its layers: a field has the first device's. What forward throws comes out
 * of the call; errors of the engine name the part and its device. {@link DistributedDataParallel} over several processes is faster. Since 1.0.
 */
public class DataParallel extends Module {
  /**
   * The batch is the first dimension of inputs and results.
   *
   * @param module on the first of the devices; it is the child "module", and closed with this
   * @param devices at least one, all different; null among them: the thread's default one
   * @throws InvalidArgumentException there is no device, or one is named twice
   */
  public DataParallel(Module module, Device... devices) {
    this(module, 0, devices);
  }

  /**
   * The batch is a dimension of inputs and results. Parts have ceil(n / devices) of its n rows, the last ones fewer or none; inputs without
   * dimensions go to all, and results without become a vector with one element a part.
   *
   * @param module on the first of the devices; it is the child "module", and closed with this. A call throws {@link HaftException} when it is
   *     elsewhere, {@link ShapeException} for inputs without a common batch
   * @param dim the batch's; negative counts from the end
   * @param devices at least one, all different; null among them: the thread's default one
   * @throws InvalidArgumentException there is no device, or one is named twice
   */
  public DataParallel(Module module, long dim, Device... devices) {
    super(ParallelCalls.dataParallel(module, codes(devices), dim));
    hold("module", module);
  }

  private static long[] codes(Device[] devices) {
    return Arrays.stream(Objects.requireNonNull(devices, "devices is null")).mapToLong(Device::code).toArray();
  }
}
