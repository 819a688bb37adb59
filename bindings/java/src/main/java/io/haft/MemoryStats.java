package io.haft;

/**
 * Memory of a device as haft sees it.
 *
 * @param live bytes handed out
 * @param peak highest live since the last reset
 * @param reserved bytes held from the system, caches included
 * @param allocations requests so far
 * @param cacheHits of these, served from a cache
 * @param limit what Haft.setMemoryLimit set; 0: none
 * @param total bytes that the device has; -1: unknown
 * @param free bytes of these that nobody holds; -1: unknown
 * @param pinnedLive bytes of pinned host memory handed out for devices of its type; the CPU's: for all types
 * @param pinnedReserved the same, caches included
 * @param peakReserved highest reserved since the last reset; -1 for the CPU
 * @param retries requests that were served when caches had been given back
 * @param failures requests that failed for want of memory
 */
public record MemoryStats(long live, long peak, long reserved, long allocations, long cacheHits, long limit, long total,
    long free, long pinnedLive, long pinnedReserved, long peakReserved, long retries, long failures) {}
