// Streams of the plug-in "sim" that stand still.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <utility>

#include "core/backend/device.h"
#include "core/backend/stream.h"

namespace haft {

// A stream of sim that runs nothing for the length of a scope: what was enqueued there waits.
class HeldStream {
  Device device_;
  haft_raw_stream stream_;
  bool held_ = true;

  static void hold(Device d, haft_raw_stream s, int on) {
    using Hold = void (*)(int32_t, haft_raw_stream, int32_t);
    static const Hold fn = [] {
      void* library = dlopen(HAFT_SIM_DEVICE, RTLD_NOW | RTLD_NOLOAD);
      void* symbol = library ? dlsym(library, "haft_sim_hold") : nullptr;
      if (!symbol) std::abort();
      return reinterpret_cast<Hold>(symbol);
    }();
    fn(d.index, s, on);
  }

 public:
  explicit HeldStream(Device d, haft_raw_stream s = 0) : device_(d), stream_(s) { hold(d, s, 1); }
  ~HeldStream() { let_go(); }
  HeldStream(const HeldStream&) = delete;
  void let_go() {
    if (std::exchange(held_, false)) hold(device_, stream_, 0);
  }
};

}  // namespace haft
