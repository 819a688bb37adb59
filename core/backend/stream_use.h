// Storages that streams besides their own work on. Such a storage outlives its last tensor until each of
// these streams has passed the point where that went.
#pragma once
#include <haft/backend.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "core/tensor/storage.h"

namespace haft {

struct StreamUse {
  Device device;
  haft_raw_stream stream;
  StreamUse* next;
};

// Work of stream s of device d, enqueued until now or later, reads or writes the storage.
void add_stream_use(Storage& storage, Device d, haft_raw_stream s);

class RetiredStorages {
  struct Point {
    Device device;
    haft_raw_event event;
  };
  struct Entry {
    Storage* storage;
    StreamUse* uses;  // streams without an event yet
    std::vector<Point> points;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::atomic<bool> any_{false};

  static void mark(Entry& e);
  static bool passed(Entry& e);

 public:
  void add(Storage& s) noexcept;
  bool reap() noexcept;  // finishes those whose streams have passed; true when there was one

  // While a device records, events would become part of the recording: everything waits for its end.
  static void hold() noexcept;
  static void go_on() noexcept;
};

}  // namespace haft
