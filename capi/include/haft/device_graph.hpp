// Recorded device work in C++17 over haft/device_graph.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_DEVICE_GRAPH_HPP
#define HAFT_DEVICE_GRAPH_HPP

namespace haft {

/// Work of a device that is recorded once and replayed at the cost of one call, over the same memory.
class DeviceGraph : public detail::Handle<haft_device_graph, haft_device_graph_retain, haft_device_graph_release> {
 public:
  using Handle::Handle;
  /// With nothing recorded yet.
  explicit DeviceGraph(haft_device d) {
    haft_device_graph* g = nullptr;
    check(haft_device_graph_create(d, &g));
    *this = DeviceGraph(g);
  }
  /// From here on what this thread enqueues on its current stream of the device is recorded instead of run.
  void begin() const { check(haft_device_graph_begin(get())); }
  /// The same in the memory of another graph's last recording; both are replayed in the order of their recordings,
  /// never at once.
  void begin_sharing(const DeviceGraph& memory) const { check(haft_device_graph_begin_sharing(get(), memory.get())); }
  /// Ends the recording, which replays from now on.
  void end() const { check(haft_device_graph_end(get())); }
  /// Ends the recording and throws it away.
  void discard() const { check(haft_device_graph_discard(get())); }
  /// Enqueues all that was recorded on this thread's current stream of the device.
  void replay() const { check(haft_device_graph_replay(get())); }
  /// Whether something is recorded that replays.
  bool is_ready() const {
    std::int32_t yes = 0;
    check(haft_device_graph_is_ready(get(), &yes));
    return yes != 0;
  }
  /// Records what body() enqueues; an exception of its own ends the recording.
  template <class F>
  void record(F&& body) const {
    begin();
    try {
      body();
    } catch (...) {
      (void)haft_device_graph_discard(get());
      throw;
    }
    end();
  }
};

/// Whether this thread records.
inline bool is_recording() {
  std::int32_t yes = 0;
  check(haft_device_graph_is_recording(&yes));
  return yes != 0;
}

}  // namespace haft
#endif
