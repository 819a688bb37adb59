// TensorBoard's event files: records of protobuf messages, each with checksums.
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace haft {

struct EventWriterOptions {
  std::function<double()> clock;  // seconds since 1970; empty: the system's clock
  std::string host;               // part of the file's name; empty: the system's name
};

// One file, `events.out.tfevents.<seconds>.<host>.<pid>.<n>`, in a folder that is made when it is missing.
// Each call appends one whole record with one write, so what was logged before a crash of the process stays
// readable. May be used from several threads.
class EventWriter {
 public:
  explicit EventWriter(const std::string& folder, EventWriterOptions options = {});
  ~EventWriter();
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  void add_scalar(std::string_view tag, float value, int64_t step);
  // 30 buckets of equal width from the smallest to the largest value; values are finite and at least one.
  void add_histogram(std::string_view tag, std::span<const double> values, int64_t step);
  // A picture as a PNG file holds it, and a text, which TensorBoard reads as Markdown. wall_time: seconds since 1970;
  // 0: now.
  void add_image(std::string_view tag, std::string_view png, int64_t height, int64_t width, int64_t channels,
                 int64_t step, double wall_time);
  void add_text(std::string_view tag, std::string_view text, int64_t step, double wall_time);
  void add_graph(std::string_view definition);  // the bytes of a message GraphDef: graph_def.h
  void add_event(std::string_view event);  // the bytes of a message Event, not empty
  void flush();                            // waits until the disk has everything

  const std::string& path() const { return path_; }

 private:
  bool take_back(int64_t begin, int64_t written) noexcept;

  EventWriterOptions options_;
  std::string path_;
  std::mutex mutex_;
  int fd_ = -1;
};

}  // namespace haft
