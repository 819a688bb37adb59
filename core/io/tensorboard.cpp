#include "core/io/tensorboard.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/io/protobuf.h"
#include "core/io/text.h"

namespace haft {

namespace {

// Field numbers are those of TensorFlow's event.proto and summary.proto.
Message event(double wall_time) { return std::move(Message().real64(1, wall_time)); }
Message summary(double wall_time, int64_t step, const Message& value) {
  return std::move(event(wall_time).integer(2, step).message(5, Message().message(1, value)));
}

void make_folders(const std::string& path) {
  for (size_t i = 1; i <= path.size(); ++i) {
    if (i < path.size() && path[i] != '/') continue;
    std::string part = path.substr(0, i);
    if (::mkdir(part.c_str(), 0777) == 0 || errno == EEXIST) continue;
    int error = errno;
    struct stat st;  // a folder above may exist where one may not create
    if (::stat(part.c_str(), &st) != 0 || !S_ISDIR(st.st_mode)) fail_errno("create the folder", part, error);
  }
}

void check_tag(std::string_view tag) {
  if (tag.empty() || !valid_utf8(tag))
    fail(Code::invalid_argument, tag.empty() ? "TensorBoard: the tag is empty"
                                             : concat("TensorBoard: the tag ", quoted(tag), " is not UTF-8"));
}

}  // namespace

EventWriter::EventWriter(const std::string& folder, EventWriterOptions options)
    : options_(std::move(options)) {
  if (folder.empty())
    fail(Code::invalid_argument, "TensorBoard: the folder's name is empty",
         "use \".\" for the current folder");
  if (!options_.clock)
    options_.clock = [] {
      return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    };
  if (options_.host.empty()) {
    char host[256] = "localhost";
    ::gethostname(host, sizeof host - 1);
    options_.host = host;
  }
  std::replace(options_.host.begin(), options_.host.end(), '/', '_');
  make_folders(folder);

  double now = options_.clock();
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%010lld", static_cast<long long>(now));
  static std::atomic<uint64_t> counter{0};
  do {
    path_ = concat(folder, "/events.out.tfevents.", static_cast<const char*>(seconds), ".", options_.host,
                   ".", int64_t(::getpid()), ".", counter.fetch_add(1, std::memory_order_relaxed));
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  } while (fd_ < 0 && (errno == EEXIST || errno == EINTR));
  if (fd_ < 0) fail_errno("create", path_, errno);
  try {
    add_event(event(now).bytes(3, "brain.Event:2").view());
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

EventWriter::~EventWriter() { ::close(fd_); }

void EventWriter::add_scalar(std::string_view tag, float value, int64_t step) {
  check_tag(tag);
  add_event(summary(options_.clock(), step, Message().bytes(1, tag).real32(2, value)).view());
}

void EventWriter::add_histogram(std::string_view tag, std::span<const double> values, int64_t step) {
  check_tag(tag);
  constexpr int kBuckets = 30;
  double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      fail(Code::invalid_argument, concat("TensorBoard: the histogram ", quoted(tag), " got ", values[i],
                                          " as value ", i, "; wanted finite values"));
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
    sum += values[i];
    squares += values[i] * values[i];
  }
  if (values.empty())
    fail(Code::invalid_argument, concat("TensorBoard: the histogram ", quoted(tag), " got no values"));

  // Divided before subtracting, because high - low may overflow.
  double width = high / kBuckets - low / kBuckets;
  std::vector<double> limits(kBuckets), counts(kBuckets, 0.0);
  for (int k = 0; k < kBuckets; ++k)
    limits[size_t(k)] = k == kBuckets - 1 ? high : std::min(high, low + width * (k + 1));
  for (double v : values) {
    double k = width > 0 ? v / width - low / width : 0;
    counts[size_t(std::clamp(k, 0.0, double(kBuckets - 1)))] += 1;
  }
  Message histogram;
  histogram.real64(1, low).real64(2, high).real64(3, double(values.size())).real64(4, sum).real64(5, squares);
  histogram.packed(6, limits).packed(7, counts);
  add_event(summary(options_.clock(), step, Message().bytes(1, tag).message(5, histogram)).view());
}

void EventWriter::add_image(std::string_view tag, std::string_view png, int64_t height, int64_t width,
                            int64_t channels, int64_t step, double wall_time) {
  check_tag(tag);
  Message image;
  image.integer(1, height).integer(2, width).integer(3, channels).bytes(4, png);
  add_event(summary(wall_time ? wall_time : options_.clock(), step, Message().bytes(1, tag).message(4, image))
                .view());
}

void EventWriter::add_text(std::string_view tag, std::string_view text, int64_t step, double wall_time) {
  check_tag(tag);
  if (!valid_utf8(text))
    fail(Code::invalid_argument, concat("TensorBoard: the text ", quoted(tag), " is not UTF-8"));
  // The text plug-in's metadata, and a TensorProto of one string (type 7).
  const Message plugin = std::move(Message().message(1, Message().bytes(1, "text")));
  const Message tensor = std::move(
      Message().integer(1, 7).message(2, Message().message(2, Message().integer(1, 1))).bytes(8, text));
  add_event(summary(wall_time ? wall_time : options_.clock(), step,
                    Message().bytes(1, concat(tag, "/text_summary")).message(8, tensor).message(9, plugin))
                .view());
}

void EventWriter::add_graph(std::string_view definition) {
  add_event(event(options_.clock()).bytes(4, definition).view());
}

void EventWriter::add_event(std::string_view event) {
  uint64_t n = event.size();
  std::string record(reinterpret_cast<const char*>(&n), 8);
  uint32_t crc = masked_crc32c(&n, 8);
  record.append(reinterpret_cast<const char*>(&crc), 4);
  record += event;
  crc = masked_crc32c(event.data(), event.size());
  record.append(reinterpret_cast<const char*>(&crc), 4);

  std::lock_guard lock(mutex_);
  int64_t begin = -1, written = 0;
  while (written < int64_t(record.size())) {
    const ssize_t n = ::write(fd_, record.data() + written, record.size() - size_t(written));
    if (n >= 0) {
      if (begin < 0) begin = ::lseek(fd_, 0, SEEK_CUR) - n;  // behind what others have appended
      written += n;
    } else if (errno != EINTR) {
      const int error = errno;
      fail_errno("append to", path_, error, take_back(begin, written) ? "" : "its last record is incomplete");
    }
  }
}

// Readers stop at the first broken record: what a full disk took in part goes away again, unless somebody
// else has appended to it since.
bool EventWriter::take_back(int64_t begin, int64_t written) noexcept {
  if (written == 0) return true;
  struct stat st;
  return ::fstat(fd_, &st) == 0 && st.st_size == begin + written && ::ftruncate(fd_, begin) == 0;
}

void EventWriter::flush() {
  if (::fdatasync(fd_) != 0 && errno != EINVAL) fail_errno("flush", path_, errno);
}

}  // namespace haft
