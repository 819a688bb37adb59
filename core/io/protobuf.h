// Protobuf's wire format, as much of it as event files need.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haft {

class Message {
 public:
  Message& integer(int field, int64_t v) { return tag(field, 0).varint(uint64_t(v)); }
  Message& real64(int field, double v) { return tag(field, 1).raw(&v, 8); }
  Message& bytes(int field, std::string_view v) {
    return tag(field, 2).varint(v.size()).raw(v.data(), v.size());
  }
  Message& real32(int field, float v) { return tag(field, 5).raw(&v, 4); }
  Message& message(int field, const Message& m) { return bytes(field, m.out_); }
  Message& packed(int field, const std::vector<double>& v) {
    return bytes(field, {reinterpret_cast<const char*>(v.data()), v.size() * 8});
  }
  std::string_view view() const { return out_; }

 private:
  Message& tag(int field, int wire) { return varint(uint64_t(field) << 3 | uint64_t(wire)); }
  Message& varint(uint64_t v) {
    for (; v > 127; v >>= 7) out_ += char(v | 128);
    out_ += char(v);
    return *this;
  }
  Message& raw(const void* p, size_t n) {
    out_.append(static_cast<const char*>(p), n);
    return *this;
  }
  std::string out_;
};

}  // namespace haft
