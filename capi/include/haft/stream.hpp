// Streams and events in C++17 over haft/stream.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_STREAM_HPP
#define HAFT_STREAM_HPP

namespace haft {

class Event;

/// Work of a device in an order of its own.
class Stream : public detail::Handle<haft_stream, haft_stream_retain, haft_stream_release> {
 public:
  using Handle::Handle;
  /// A stream besides the default one; below 0: what waits there begins before what waits on others.
  explicit Stream(haft_device d, std::int32_t priority = 0) {
    haft_stream* s = nullptr;
    check(haft_stream_create_with_priority(d, priority, &s));
    *this = Stream(s);
  }
  /// Where it works.
  haft_device device() const {
    haft_device d = 0;
    check(haft_stream_get_device(get(), &d));
    return d;
  }
  /// Waits for all its work.
  void synchronize() const { check(haft_stream_synchronize(get())); }
  /// Whether all its work is done.
  bool is_done() const {
    std::int32_t done = 0;
    check(haft_stream_is_done(get(), &done));
    return done != 0;
  }
  /// What other code knows it by: a cudaStream_t of a CUDA device. Lent.
  void* native() const {
    void* out = nullptr;
    check(haft_stream_get_native(get(), &out));
    return out;
  }
  /// A stream that other code has made, and destroys when haft has let go of it (haft/stream.h).
  static Stream from_native(haft_device d, void* native) {
    haft_stream* s = nullptr;
    check(haft_stream_from_native(d, native, &s));
    return Stream(s);
  }
  /// Later work starts after what the event has recorded.
  inline void wait(const Event& e) const;
};

/// A point in the work of a stream.
class Event : public detail::Handle<haft_event, haft_event_retain, haft_event_release> {
 public:
  using Handle::Handle;
  /// timing: its time shall be asked for.
  explicit Event(haft_device d, bool timing = false) {
    haft_event* e = nullptr;
    check(haft_event_create(d, timing, &e));
    *this = Event(e);
  }
  /// Marks the end of the stream's work so far; an empty stream: this thread's current one.
  void record(const Stream& s = Stream()) const { check(haft_event_record(get(), s.get())); }
  /// Whether what it has recorded is done.
  bool is_done() const {
    std::int32_t done = 0;
    check(haft_event_is_done(get(), &done));
    return done != 0;
  }
  /// What other code knows it by: a cudaEvent_t of a CUDA device. Lent.
  void* native() const {
    void* out = nullptr;
    check(haft_event_get_native(get(), &out));
    return out;
  }
  /// Waits for what it has recorded.
  void synchronize() const { check(haft_event_synchronize(get())); }
  /// Milliseconds of the device from this event to a later one.
  double elapsed(const Event& end) const {
    double ms = 0;
    check(haft_event_get_elapsed(get(), end.get(), &ms));
    return ms;
  }
};

inline void Stream::wait(const Event& e) const { check(haft_stream_wait(get(), e.get())); }

/// The calling thread's stream of a device.
inline Stream current_stream(haft_device d = HAFT_DEVICE_DEFAULT) {
  haft_stream* s = nullptr;
  check(haft_stream_current(d, &s));
  return Stream(s);
}
/// The stream of a device that is there without being made.
inline Stream default_stream(haft_device d = HAFT_DEVICE_DEFAULT) {
  haft_stream* s = nullptr;
  check(haft_stream_default(d, &s));
  return Stream(s);
}
/// Sends what this thread does on the stream's device there.
inline void set_current_stream(const Stream& s) { check(haft_set_current_stream(s.get())); }

/// Keeps the tensor's memory until the stream's present work has run, also when the tensor goes before.
inline void record_stream(const Tensor& t, const Stream& s) { check(haft_tensor_record_stream(t.get(), s.get())); }
/// A copy of a host tensor in memory that devices of d's type read and write by themselves.
inline Tensor pin_memory(const Tensor& t, haft_device d = HAFT_DEVICE_DEFAULT) {
  haft_tensor* out = nullptr;
  check(haft_tensor_pin_memory(t.get(), d, &out));
  return Tensor(out);
}
/// Whether it lies in such memory.
inline bool is_pinned(const Tensor& t) {
  std::int32_t yes = 0;
  check(haft_tensor_is_pinned(t.get(), &yes));
  return yes != 0;
}

/// Makes a stream current for a scope.
class StreamGuard {
  Stream before_;

 public:
  explicit StreamGuard(const Stream& s) : before_(current_stream(s.device())) { set_current_stream(s); }
  ~StreamGuard() { (void)haft_set_current_stream(before_.get()); }
  StreamGuard(const StreamGuard&) = delete;
};

}  // namespace haft
#endif
