package io.haft;

/** Where a tensor lives: {@link #CPU}, or what {@link #of(String)} reads. */
public final class Device {
  /** The processor and its memory. */
  public static final Device CPU = new Device(0x10000);

  private final int code;

  private Device(int code) {
    this.code = code;
  }

  /**
   * Reads "cpu", "cuda" or "cuda:1"; the first use of a kind of device loads its plug-in.
   *
   * @param text as "cpu" or "sim:0"
   * @return the device
   */
  public static Device of(String text) {
    return of(Native.parseDevice(text));
  }

  static Device of(int code) {
    return code == CPU.code ? CPU : new Device(code);
  }

  /** 0, the thread's default device, for null. */
  static int code(Device d) {
    return d == null ? 0 : d.code;
  }

  /**
   * Position among the devices of its kind.
   *
   * @return its position
   */
  public int index() {
    return code & 0xffff;
  }

  /**
   * What it is.
   *
   * @return its properties
   */
  public DeviceProperties properties() {
    long[] n = Haft.deviceNumbers(this);
    String[] t = Haft.deviceTexts(this).split("\n", -1);
    return new DeviceProperties(t[0], (int) n[DevicePlaces.computeMajor], (int) n[DevicePlaces.computeMinor],
        (int) n[DevicePlaces.multiprocessors], n[DevicePlaces.totalMemory], n[DevicePlaces.l2Cache], n[DevicePlaces.sharedMemory],
        t[1], t[2], t[3]);
  }

  /**
   * What it is and what it leans on, for people: lines "name: value", of a plug-in with its libraries and what is missing without
   * those that are not there.
   *
   * @return the text
   */
  public String describe() {
    return Haft.describeDevice(this);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Device d && d.code == code;
  }

  @Override
  public int hashCode() {
    return code;
  }

  @Override
  public String toString() {
    return Native.deviceText(code);
  }
}
