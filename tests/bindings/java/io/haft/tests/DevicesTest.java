package io.haft.tests;

import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.haft.*;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Streams, events, recordings and batches of devices: on the simulated one, and on simulated GPUs where HAFT_DEVICES says "cuda". */
@ExtendWith(Leaks.class)
class DevicesTest {
  private final String type = System.getenv().getOrDefault("HAFT_DEVICES", "sim");
  private Device device;

  @BeforeEach
  void aDevice() {
    assumeTrue(Haft.deviceCount(type) > 1, "there are no devices of type " + type);
    device = Device.of(type + ":0");
  }

  @AfterEach
  void theFirstAgain() {
    if (device != null) Haft.setCurrentDevice(device);
  }

  @Test
  void theCurrentDevice() {
    Device second = Device.of(type + ":1");
    assertEquals(device, Device.of(type));
    Haft.setCurrentDevice(second);
    assertEquals(second, Device.of(type));
    assertEquals(second, Haft.currentDevice(type));
    assertTrue(Haft.canAccessPeer(second, second));
    Haft.setKernelChoice(1);
    assertEquals(1, Haft.kernelChoice());
    Haft.setKernelChoice(0);
  }

  @Test
  void eventsOrderStreams() {
    try (Scope scope = new Scope(); DeviceStream s = new DeviceStream(device); DeviceStream high = new DeviceStream(device, -1); DeviceStream first = Haft.currentStream(device);
        DeviceEvent made = new DeviceEvent(device); DeviceEvent used = new DeviceEvent(device)) {
      Tensor x = Tensor.ones(1000).to(device).mul(3);
      made.record(first);
      s.waitFor(made);
      Haft.setCurrentStream(s);
      Tensor y = x.mul(2);
      Haft.recordStream(x, s);
      used.record(s);
      high.waitFor(used);
      Haft.setCurrentStream(high);
      Tensor z = y.add(1);
      high.synchronize();
      Haft.setCurrentStream(first);
      assertTrue(high.isDone() && used.isDone());
      assertEquals(7000, z.sum().item(), 0);
      assertEquals(device, s.device());
    }
  }

  @Test
  void whatAStreamUsesStays() {
    try (DeviceStream s = new DeviceStream(device); DeviceStream first = Haft.currentStream(device); Scope scope = new Scope()) {
      Tensor sum;
      try (Tensor x = Tensor.ones(1 << 16).to(device)) {
        first.synchronize();
        Haft.setCurrentStream(s);
        sum = x.add(1).sum();
        Haft.recordStream(x, s);
        Haft.setCurrentStream(first);
      }
      Tensor next = Tensor.zeros(1 << 16).to(device);  // not in that memory before s is done
      s.synchronize();
      assertEquals(1 << 17, sum.item(), 0);
      assertEquals(0, next.sum().item(), 0);
    }
  }

  @Test
  void pinnedBatches() {
    try (Scope scope = new Scope()) {
      Tensor items = Tensor.arange(10).reshape(10, 1), pinned = Haft.pinMemory(items, device);
      assertTrue(Haft.isPinned(pinned));
      assertFalse(Haft.isPinned(items));
      for (boolean stays : new boolean[] {false, true})
        try (TensorDataset all = new TensorDataset(items); DataLoader loader = new DataLoader(all, new DataLoader.Options().batchSize(4).device(device).pinMemory(stays))) {
          double sum = 0;
          for (Batch batch : loader) {
            Tensor t = batch.get(0);
            assertEquals(stays ? Device.CPU : device, t.device());
            assertEquals(stays, Haft.isPinned(t));
            sum += t.to(device).sum().item();
          }
          assertEquals(45, sum, 0);
        }
    }
  }

  @Test
  void recordingsShareMemory() {
    try (Scope scope = new Scope(); DeviceGraph first = new DeviceGraph(device); DeviceGraph second = new DeviceGraph(device)) {
      Tensor x = Tensor.ones(8).to(device);
      Haft.synchronize(device);
      Tensor[] y = new Tensor[2];
      first.record(() -> y[0] = x.add(1).mul(x));
      second.beginSharing(first);
      assertTrue(Haft.isRecording());
      y[1] = x.add(2).mul(x);
      second.end();
      x.fill_(3);
      first.replay();
      second.replay();
      assertEquals(12, y[0].select(0, 0).item(), 0);
      assertEquals(15, y[1].select(0, 7).item(), 0);
    }
  }

  @Test
  void handlesForOtherCode() {
    try (DeviceStream s = new DeviceStream(device); DeviceEvent e = new DeviceEvent(device)) {
      if (!type.equals("cuda")) {
        assertThrows(HaftException.class, s::nativeHandle);
        return;
      }
      assertTrue(s.nativeHandle() > 2 && e.nativeHandle() != 0);
      try (DeviceStream same = DeviceStream.fromNativeHandle(device, s.nativeHandle()); DeviceStream legacy = DeviceStream.fromNativeHandle(device, 0)) {
        assertEquals(s.nativeHandle(), same.nativeHandle());
        assertEquals(1, legacy.nativeHandle());
        e.record(s);
        legacy.waitFor(e);
        legacy.synchronize();
      }
    }
  }
}
