// Streams, events, recordings and batches of devices: on the simulated one, and on simulated GPUs where HAFT_DEVICES says "cuda".
using System;
using Haft;
using NUnit.Framework;

namespace HaftTests {

[TestFixture]
public class DevicesTests {
  private readonly string type = Environment.GetEnvironmentVariable("HAFT_DEVICES") ?? "sim";
  private Device device;

  [SetUp]
  public void ADevice() {
    if (Device.Count(type) < 2) Assert.Ignore("there are no devices of type " + type);
    device = Device.Parse(type + ":0");
  }

  [TearDown]
  public void TheFirstAgain() { Functions.SetCurrentDevice(device); }

  [Test]
  public void TheCurrentDevice() {
    Device second = Device.Parse(type + ":1");
    Assert.AreEqual(device, Device.Parse(type));
    Functions.SetCurrentDevice(second);
    Assert.AreEqual(second, Device.Parse(type));
    Assert.AreEqual(second, Functions.CurrentDevice(type));
    Assert.IsTrue(Functions.CanAccessPeer(second, second));
    Functions.SetKernelChoice(1);
    Assert.AreEqual(1, Functions.KernelChoice());
    Functions.SetKernelChoice(0);
  }

  [Test]
  public void EventsOrderStreams() {
    using (new DisposeScope())
    using (DeviceStream s = new DeviceStream(device), high = new DeviceStream(device, -1), first = Functions.CurrentStream(device))
    using (DeviceEvent made = new DeviceEvent(device), used = new DeviceEvent(device)) {
      Tensor x = Tensor.Ones(1000).To(device) * 3;
      made.Record(first);
      s.Wait(made);
      Functions.SetCurrentStream(s);
      Tensor y = x * 2;
      Functions.RecordStream(x, s);
      used.Record(s);
      high.Wait(used);
      Functions.SetCurrentStream(high);
      Tensor z = y + 1;
      high.Synchronize();
      Functions.SetCurrentStream(first);
      Assert.IsTrue(high.IsDone() && used.IsDone());
      Assert.AreEqual(7000, z.Sum().Item());
      Assert.AreEqual(device, s.Device());
    }
  }

  [Test]
  public void WhatAStreamUsesStays() {
    using (new DisposeScope())
    using (DeviceStream s = new DeviceStream(device), first = Functions.CurrentStream(device)) {
      Tensor sum;
      using (Tensor x = Tensor.Ones(1 << 16).To(device)) {
        first.Synchronize();
        Functions.SetCurrentStream(s);
        sum = (x + 1).Sum();
        Functions.RecordStream(x, s);
        Functions.SetCurrentStream(first);
      }
      Tensor next = Tensor.Zeros(1 << 16).To(device);  // not in that memory before s is done
      s.Synchronize();
      Assert.AreEqual(1 << 17, sum.Item());
      Assert.AreEqual(0, next.Sum().Item());
    }
  }

  [Test]
  public void PinnedBatches() {
    using (new DisposeScope()) {
      Tensor items = Tensor.Arange(10).Reshape(10, 1), pinned = Functions.PinMemory(items, device);
      Assert.IsTrue(Functions.IsPinned(pinned));
      Assert.IsFalse(Functions.IsPinned(items));
      foreach (bool stays in new[] { false, true })
        using (var all = new TensorDataset(items))
        using (var loader = new DataLoader(all, 4, device: device, pinMemory: stays)) {
          double sum = 0;
          foreach (Tensor[] batch in loader) {
            Assert.AreEqual(stays ? Device.Cpu : device, batch[0].Device);
            Assert.AreEqual(stays, Functions.IsPinned(batch[0]));
            sum += batch[0].To(device).Sum().Item();
          }
          Assert.AreEqual(45, sum);
        }
    }
  }

  [Test]
  public void RecordingsShareMemory() {
    using (new DisposeScope())
    using (DeviceGraph first = new DeviceGraph(device), second = new DeviceGraph(device)) {
      Tensor x = Tensor.Ones(8).To(device), y = null, z;
      device.Synchronize();
      first.Record(() => y = (x + 1) * x);
      second.BeginSharing(first);
      Assert.IsTrue(Functions.IsRecording());
      z = (x + 2) * x;
      second.End();
      x.Fill_(3);
      first.Replay();
      second.Replay();
      Assert.AreEqual(12, y.Select(0, 0).Item());
      Assert.AreEqual(15, z.Select(0, 7).Item());
    }
  }

  [Test]
  public void HandlesForOtherCode() {
    using (var s = new DeviceStream(device))
    using (var e = new DeviceEvent(device)) {
      if (type != "cuda") {
        Check.Throws<HaftNotSupportedException>(() => s.NativeHandle());
        return;
      }
      Assert.IsTrue(s.NativeHandle() > 2 && e.NativeHandle() != 0);
      using (DeviceStream same = DeviceStream.FromNativeHandle(device, s.NativeHandle()), legacy = DeviceStream.FromNativeHandle(device, 0)) {
        Assert.AreEqual(s.NativeHandle(), same.NativeHandle());
        Assert.AreEqual(1, legacy.NativeHandle());
        e.Record(s);
        legacy.Wait(e);
        legacy.Synchronize();
      }
    }
  }
}
}
