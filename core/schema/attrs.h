// Attributes of an op call as a flat array of 8-byte words, in the order of the signature: the same words go
// to the kernel, the tape and a captured graph, and are copied with memcpy.
//
//   int, bool, dtype, device   one word, the value          (absent optional int: kNone; dtype, device: 0)
//   float                      one word, the bits of a double
//   Scalar                     two words: ScalarKind, then int64 or the bits of a double
//   int[], float[]             one word: offset << 32 | length; the payload follows all fixed words
#pragma once
#include <bit>
#include <cstdint>
#include <span>

#include "core/base/small_vec.h"

namespace haft {

constexpr int64_t kNone = INT64_MIN;

enum class ScalarKind : uint8_t { none = 0, boolean = 1, integer = 2, floating = 3 };

// The nearest int64; 0 for NaN. A plain conversion is undefined for what does not fit.
constexpr int64_t saturated(double v) {
  constexpr double above = 9223372036854775808.0;  // 2^63, the first that does not fit
  return v != v ? 0 : v >= above ? INT64_MAX : v < -above ? INT64_MIN : int64_t(v);
}

// A number as a user wrote it; it takes part in promotion by kind, never as a tensor.
struct Scalar {
  ScalarKind kind = ScalarKind::none;
  union {
    int64_t i;
    double d;
  };
  Scalar() : i(0) {}
  Scalar(bool v) : kind(ScalarKind::boolean), i(v) {}
  Scalar(int v) : kind(ScalarKind::integer), i(v) {}
  Scalar(int64_t v) : kind(ScalarKind::integer), i(v) {}
  Scalar(double v) : kind(ScalarKind::floating), d(v) {}
  double to_double() const { return kind == ScalarKind::floating ? d : double(i); }
  int64_t to_int() const { return kind == ScalarKind::floating ? saturated(d) : i; }
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>)
      return kind == ScalarKind::floating ? d != 0 : i != 0;
    else if constexpr (std::is_integral_v<T>)
      return T(to_int());
    else
      return kind == ScalarKind::floating ? T(d) : T(i);
  }
};

class AttrWriter {
  // Payloads are written behind room for the fixed words, and move down when finish() finds fewer of them.
  static constexpr int kMostFixed = 16;
  SmallVec<uint64_t, kMostFixed + 16> words_;
  int room_, fixed_ = 0;
  uint32_t lists_ = 0;  // bit i: word i describes a list

  [[gnu::noinline]] void close_gap() {
    uint64_t down = uint64_t(room_ - fixed_) << 32;
    for (uint32_t left = lists_; left; left &= left - 1) words_[std::countr_zero(left)] -= down;
    for (int64_t i = room_; i < words_.size(); ++i) words_[fixed_ + i - room_] = words_[i];
    words_.resize(words_.size() - (room_ - fixed_));
    room_ = fixed_;
  }
  // Out of line, as every function of an operator that takes a list would carry it.
  [[gnu::noinline]] AttrWriter& add_list(const void* from, size_t n) {
    lists_ |= 1u << fixed_;
    words_[fixed_++] = uint64_t(words_.size()) << 32 | uint64_t(n);
    if (n) words_.append(static_cast<const uint64_t*>(from), int64_t(n));
    return *this;
  }

 public:
  AttrWriter() : AttrWriter(kMostFixed) {}
  // For who knows how many fixed words will come.
  explicit AttrWriter(int fixed) : room_(fixed) { words_.resize_uninitialized(fixed); }
  AttrWriter& add(int64_t v) {
    words_[fixed_++] = uint64_t(v);
    return *this;
  }
  AttrWriter& add(double v) {
    words_[fixed_++] = std::bit_cast<uint64_t>(v);
    return *this;
  }
  AttrWriter& add(Scalar s) {
    words_[fixed_++] = uint64_t(s.kind);
    words_[fixed_++] = uint64_t(s.i);
    return *this;
  }
  AttrWriter& add(std::span<const int64_t> v) { return add_list(v.data(), v.size()); }
  AttrWriter& add(std::span<const double> v) { return add_list(v.data(), v.size()); }
  std::span<uint64_t> finish() {
    if (fixed_ != room_) close_gap();
    return {words_.data(), size_t(words_.size())};
  }
};

// Reads words by position: `at` counts words, a Scalar takes two.
struct AttrReader {
  const uint64_t* words;
  int64_t i(int at) const { return int64_t(words[at]); }
  bool b(int at) const { return words[at] != 0; }
  double d(int at) const { return std::bit_cast<double>(words[at]); }
  Scalar scalar(int at) const {
    Scalar s;
    s.kind = ScalarKind(words[at]);
    s.i = int64_t(words[at + 1]);
    return s;
  }
  std::span<const int64_t> ints(int at) const {
    return {reinterpret_cast<const int64_t*>(words + (words[at] >> 32)), size_t(words[at] & 0xffffffffu)};
  }
  std::span<const double> doubles(int at) const {
    return {reinterpret_cast<const double*>(words + (words[at] >> 32)), size_t(words[at] & 0xffffffffu)};
  }
};

}  // namespace haft
