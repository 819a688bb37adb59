package io.haft;

/**
 * What a device is. Numbers are 0 and texts empty where the device has none or does not say.
 *
 * @param name as its maker calls it
 * @param computeMajor the architecture's version, 9 of NVIDIA's 9.0
 * @param computeMinor behind the point
 * @param multiprocessors of the CPU: processors
 * @param totalMemory bytes
 * @param l2Cache bytes
 * @param sharedMemory bytes that a group of threads can have
 * @param pci its place, "0000:65:00.0"
 * @param uuid the same in every process and after a restart
 * @param runtime driver and libraries with their versions
 */
public record DeviceProperties(String name, int computeMajor, int computeMinor, int multiprocessors, long totalMemory,
    long l2Cache, long sharedMemory, String pci, String uuid, String runtime) {}
