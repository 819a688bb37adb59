// Until when a call may wait. Exact: whoever waits does so to the nanosecond of the monotonic clock.
#pragma once
#include <time.h>

#include <cstdint>
#include <string>

#include "core/base/sync.h"
#include "core/base/text.h"

namespace haft::dist {

constexpr int64_t kSecond = 1000000000;

class Deadline {
  int64_t at_ = INT64_MAX;
  int64_t given_ = INT64_MAX;

 public:
  static Deadline never() { return {}; }
  static Deadline in(int64_t ns) {
    Deadline d;
    const int64_t now = now_ns();
    d.given_ = ns < 0 ? 0 : ns;
    d.at_ = d.given_ > INT64_MAX - now ? INT64_MAX : now + d.given_;
    return d;
  }
  // The earlier of both; what messages say was waited stays this one's.
  Deadline but_within(int64_t ns) const {
    Deadline d = in(ns);
    if (at_ < d.at_) d.at_ = at_;
    d.given_ = given_;
    return d;
  }
  bool is_never() const { return at_ == INT64_MAX; }
  int64_t at() const { return at_; }  // of now_ns()
  int64_t left() const {
    if (is_never()) return INT64_MAX;
    const int64_t now = now_ns();
    return at_ > now ? at_ - now : 0;
  }
  bool passed() const { return left() == 0; }
  bool passed_by(int64_t ns) const { return !is_never() && now_ns() - at_ >= ns; }
  // For ppoll: nullptr waits without an end.
  const timespec* left(timespec& t) const {
    if (is_never()) return nullptr;
    const int64_t ns = left();
    t = {time_t(ns / kSecond), long(ns % kSecond)};
    return &t;
  }
  std::string given_text() const { return is_never() ? "for ever" : concat(double(given_) / 1e9, " s"); }
};

void sleep_for(int64_t ns);  // also when signals arrive

}  // namespace haft::dist
