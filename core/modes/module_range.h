// A range in the profile for a module that runs, where such ranges are asked for.
#pragma once
#include <atomic>
#include <cstdint>

namespace haft {

extern std::atomic<uint32_t> module_ranges;  // profiles that have them, of all threads

class ModuleRange {
  bool on_ = false;

  static bool push(const char* type);
  static void pop();

 public:
  explicit ModuleRange(const char* type) {
    if (module_ranges.load(std::memory_order_relaxed)) [[unlikely]]
      on_ = push(type);
  }
  ~ModuleRange() {
    if (on_) [[unlikely]]
      pop();
  }
  ModuleRange(const ModuleRange&) = delete;
};

}  // namespace haft
