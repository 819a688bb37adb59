// The last calls of a group, for whoever asks why it hangs or died. Always on; an entry costs two looks at the clock.
#pragma once
#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "core/dist/call.h"

namespace haft::dist {

class Recorder {
 public:
  enum class State : uint8_t { issued, started, finished, failed };
  static constexpr uint64_t kKept = 2048;

  // Answers the entry's number.
  uint64_t add(const Header& call, int peer, int32_t tag);
  void set(uint64_t number, State state);
  // A JSON object: `about`, which is text of such fields, and the entries, oldest first.
  std::string json(const std::string& about) const;

 private:
  struct Entry {
    Header call;
    int peer;
    int32_t tag;
    State state;
    int64_t at[4];  // ns of the state's beginning
  };
  mutable std::mutex mutex_;
  uint64_t count_ = 0;
  std::unique_ptr<std::array<Entry, kKept>> entries_;
};

std::string json_text(std::string_view s);  // with its quotes

}  // namespace haft::dist
