#include "core/backend/stream_use.h"

#include "core/backend/registry.h"
#include "core/backend/stream.h"

namespace haft {

void add_stream_use(Storage& storage, Device d, haft_raw_stream s) {
  StreamUse* first = storage.uses.load(std::memory_order_acquire);
  auto known = [&] {
    for (StreamUse* u = first; u; u = u->next)
      if (u->device == d && u->stream == s) return true;
    return false;
  };
  if (known()) return;
  note_stream_use(d, s);
  auto* use = new StreamUse{d, s, first};
  while (!storage.uses.compare_exchange_weak(first, use, std::memory_order_acq_rel)) {
    if (known()) {
      delete use;
      return;
    }
    use->next = first;
  }
}

namespace {

std::atomic<int> recordings{0};

void drop(StreamUse*& use) noexcept {
  StreamUse* next = use->next;
  delete use;
  use = next;
}

}  // namespace

void RetiredStorages::hold() noexcept { recordings.fetch_add(1, std::memory_order_acq_rel); }
void RetiredStorages::go_on() noexcept { recordings.fetch_sub(1, std::memory_order_acq_rel); }

// Records an event on each stream that has none.
void RetiredStorages::mark(Entry& e) {
  for (; e.uses; drop(e.uses)) {
    const Device d = e.uses->device;
    if (!is_stream(d, e.uses->stream)) continue;  // it finished its work when it went
    e.points.reserve(e.points.size() + 1);
    haft_raw_event event = create_event(d);
    e.points.push_back({d, event});
    record_event(d, event, e.uses->stream);
  }
}

void RetiredStorages::add(Storage& storage) noexcept {
  Entry e{&storage, storage.uses.exchange(nullptr, std::memory_order_acquire), {}};
  try {
    if (!recordings.load(std::memory_order_acquire)) mark(e);
    std::lock_guard lock(mutex_);
    entries_.push_back(e);
    any_.store(true, std::memory_order_relaxed);
  } catch (...) {  // no memory for records, or the device is broken: wait here
    for (Point p : e.points) {
      try {
        synchronize_event(p.device, p.event);
      } catch (...) {
      }
      destroy_event(p.device, p.event);
    }
    for (; e.uses; drop(e.uses)) try {
        synchronize_stream(e.uses->device, e.uses->stream);
      } catch (...) {
      }
    Storage::finish(&storage);
  }
  reap();  // this one too, where its streams have no work
}

bool RetiredStorages::passed(Entry& e) {
  for (; !e.points.empty(); e.points.pop_back()) {
    const Point p = e.points.back();
    try {
      if (!query_event(p.device, p.event)) return false;
    } catch (...) {  // a device that failed uses nothing any more
    }
    destroy_event(p.device, p.event);
  }
  return true;
}

bool RetiredStorages::reap() noexcept {
  if (!any_.load(std::memory_order_relaxed) || recordings.load(std::memory_order_acquire)) return false;
  bool found = false;
  for (;;) {
    Storage* done = nullptr;
    {
      std::lock_guard lock(mutex_);
      for (size_t i = 0; i < entries_.size() && !done; ++i) {
        Entry& e = entries_[i];
        try {
          mark(e);
        } catch (...) {
          continue;  // tried again next time
        }
        if (!passed(e)) continue;
        done = e.storage;
        std::swap(e, entries_.back());
        entries_.pop_back();
      }
      if (entries_.empty()) any_.store(false, std::memory_order_relaxed);
    }
    if (!done) return found;
    Storage::finish(done);  // outside the lock: it may free anything
    found = true;
  }
}

}  // namespace haft
