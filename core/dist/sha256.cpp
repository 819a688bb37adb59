#include "core/dist/sha256.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/base/error.h"

namespace haft::dist {

namespace {

// FIPS 180-4: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t turned(uint32_t x, int n) { return x >> n | x << (32 - n); }

void compress(uint32_t (&state)[8], const unsigned char* block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) {
    std::memcpy(&w[i], block + 4 * i, 4);
    w[i] = __builtin_bswap32(w[i]);
  }
  for (int i = 16; i < 64; ++i)
    w[i] = w[i - 16] + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
           (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
  uint32_t s[8];
  std::memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; ++i) {
    const uint32_t a = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) +
                       ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRound[i] + w[i];
    const uint32_t b = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) +
                       ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    std::memmove(s + 1, s, 7 * sizeof *s);
    s[4] += a;
    s[0] = a + b;
  }
  for (int i = 0; i < 8; ++i) state[i] += s[i];
}

}  // namespace

std::string sha256(std::string_view bytes) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 64; left -= 64, p += 64) compress(state, p);
  unsigned char last[128] = {};
  if (left) std::memcpy(last, p, left);
  last[left] = 0x80;
  const size_t size = left < 56 ? 64 : 128;
  const uint64_t bits = __builtin_bswap64(uint64_t(bytes.size()) * 8);
  std::memcpy(last + size - 8, &bits, 8);
  for (size_t at = 0; at < size; at += 64) compress(state, last + at);
  for (uint32_t& word : state) word = __builtin_bswap32(word);
  return std::string(reinterpret_cast<const char*>(state), sizeof state);
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string inner(64, '\x36'), outer(64, '\x5c');
  const std::string short_key = key.size() > 64 ? sha256(key) : std::string(key);
  for (size_t i = 0; i < short_key.size(); ++i) {
    inner[i] = char(inner[i] ^ short_key[i]);
    outer[i] = char(outer[i] ^ short_key[i]);
  }
  return sha256(outer + sha256(inner.append(bytes)));
}

bool equal_secretly(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char differ = 0;
  for (size_t i = 0; i < a.size(); ++i) differ = static_cast<unsigned char>(differ | (a[i] ^ b[i]));
  return differ == 0;
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (unsigned char c : bytes) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

std::string random_bytes(size_t count) {
  std::string out(count, '\0');
  for (size_t at = 0; at < count;) {
    const ssize_t n = getrandom(&out[at], count - at, 0);
    if (n < 0 && errno != EINTR) fail(Code::io, concat("getrandom: ", std::strerror(errno)));
    if (n > 0) at += size_t(n);
  }
  return out;
}

}  // namespace haft::dist
