// What goes over a store's connection.
//
// Server: magic (8), nonce (16). Client: magic (8), nonce (16), HMAC(secret, "client" server's nonce, client's nonce)
// (32). Server: HMAC(secret, "server" client's nonce, server's nonce) (32). Who does not know the secret gets one
// byte, kRefused, and is hung up on; the secret itself is never sent. Then requests and answers take turns: uint32
// length, then a body of at most kMaxFrame. A request is a byte, Call, and its fields; an answer a byte, 0, and its
// fields, or a Code and two texts. Numbers are little-endian; text is a uint32 and its bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/dist/store.h"

namespace haft::dist {

constexpr std::string_view kStoreMagic = "haftstr\1";  // the last byte is the protocol's version
static_assert(kStoreMagic.size() == 8);
constexpr char kRefused = '-';
constexpr size_t kNonce = 16, kMac = 32;
constexpr size_t kHelloSize = kStoreMagic.size() + kNonce + kMac;  // all that strangers may send
constexpr size_t kMaxFrame = 2 * kMaxValue + (1u << 20);           // compare_set has two values

enum class Call : uint8_t { set = 1, get, wait, check, add, compare_set, remove, lease };

class WireWriter {
 public:
  std::string bytes = std::string(4, '\0');  // room for the length

  template <class T>
  WireWriter& number(T v) {
    bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
    return *this;
  }
  WireWriter& text(std::string_view s) {
    number(uint32_t(s.size()));
    bytes.append(s);
    return *this;
  }
  std::string& finish() {
    const auto size = uint32_t(bytes.size() - 4);
    std::memcpy(bytes.data(), &size, 4);
    return bytes;
  }
};

class WireReader {
  std::string_view left_;
  [[noreturn, gnu::cold]] static void fail_short() {
    fail(Code::corrupt, "a message of a store's connection does not hold what its kind promises");
  }

 public:
  explicit WireReader(std::string_view body) : left_(body) {}
  template <class T>
  T number() {
    T v;
    if (left_.size() < sizeof v) fail_short();
    std::memcpy(&v, left_.data(), sizeof v);
    left_.remove_prefix(sizeof v);
    return v;
  }
  std::string_view text() {
    const auto size = number<uint32_t>();
    if (left_.size() < size) fail_short();
    const std::string_view s = left_.substr(0, size);
    left_.remove_prefix(size);
    return s;
  }
  void end() {
    if (!left_.empty()) fail_short();
  }
};

}  // namespace haft::dist
