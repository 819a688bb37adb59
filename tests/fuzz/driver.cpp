// main of a fuzz target without libFuzzer: `fuzz_npy [runs] [seed]` mutates the target's seeds at random, the
// same way for the same seed; with FUZZ_KEEP=PATH each input is written there before it runs. `fuzz_npy FILE`
// runs one input; `fuzz_npy --seeds FOLDER` writes the seeds for libFuzzer.
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "tests/fuzz/fuzz.h"

namespace {

struct Random {
  uint64_t state;
  uint64_t next() {  // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  size_t below(size_t n) { return n ? size_t(next() % n) : 0; }
};

const uint64_t kIntegers[] = {0,
                              1,
                              2,
                              7,
                              8,
                              127,
                              128,
                              255,
                              256,
                              65535,
                              65536,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x100000000,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0xffffffffffffffff};
const char* const kTokens[] = {"{",
                               "}",
                               "[",
                               "]",
                               "(",
                               ")",
                               ",",
                               ":",
                               "\"",
                               "'",
                               "\\",
                               "\\u00",
                               "\\ud800",
                               "null",
                               "true",
                               "-",
                               "1e9",
                               "9223372036854775807",
                               "9223372036854775808",
                               "4611686018427387904",
                               "0.5",
                               "\"BOOL\"",
                               "\"F64\"",
                               "\"U16\"",
                               "\"shape\":",
                               "\"dtype\":",
                               "\"data_offsets\":",
                               "\"__metadata__\":",
                               "{\"float\":\"nan\"}",
                               ">f4",
                               "|O",
                               "|b1",
                               "True",
                               "L",
                               "\x1f\x8b",
                               "\xff",
                               "\xed\xa0\x80"};

void mutate(std::string& s, const std::vector<std::string>& seeds, Random& r) {
  size_t at = r.below(s.size() + 1), n = 1 + r.below(r.below(4) ? 4 : 64);
  switch (r.below(11)) {
    case 0:
      if (at < s.size()) s[at] = char(s[at] ^ (1 << r.below(8)));
      break;
    case 1:
      if (at < s.size()) s[at] = char(r.next());
      break;
    case 2: s.erase(at, n); break;
    case 3: s.resize(at); break;
    case 4: s.insert(at, std::string(n, char(r.next()))); break;
    case 5: s.insert(at, s.substr(r.below(s.size() + 1), n)); break;
    case 6: s.insert(at, kTokens[r.below(std::size(kTokens))]); break;
    case 7: {  // a number in binary, in both byte orders
      uint64_t v = kIntegers[r.below(std::size(kIntegers))] + r.below(3) - 1;
      size_t width = size_t(1) << r.below(4);
      if (r.below(2)) v = __builtin_bswap64(v) >> (64 - 8 * width);
      if (at + width <= s.size()) std::memcpy(&s[at], &v, width);
      break;
    }
    case 8: {  // a number in text
      while (at < s.size() && !std::isdigit(uint8_t(s[at]))) ++at;
      size_t end = at;
      while (end < s.size() && std::isdigit(uint8_t(s[end]))) ++end;
      s.replace(at, end - at,
                r.below(2) ? std::to_string(r.below(200))
                           : std::to_string(kIntegers[r.below(std::size(kIntegers))]));
      break;
    }
    case 9: {  // the tail of another seed
      const std::string& other = seeds[r.below(seeds.size())];
      s = s.substr(0, at) + other.substr(r.below(other.size() + 1));
      break;
    }
    default: {  // keep a length field true after the rest has changed
      uint64_t v = s.size() >= 8 ? s.size() - 8 - r.below(s.size() - 7) : 0;
      if (s.size() >= 8) std::memcpy(&s[0], &v, 8);
    }
  }
  if (s.size() > 4096) s.resize(4096);
}

void run(const std::string& s) {
  // A block of exactly this size, so that the sanitizer sees the first byte beyond it.
  std::unique_ptr<uint8_t[]> copy(new uint8_t[s.size()]);
  std::memcpy(copy.get(), s.data(), s.size());
  LLVMFuzzerTestOneInput(copy.get(), s.size());
}

void keep(const std::string& path, const std::string& s) { std::ofstream(path, std::ios::binary) << s; }

}  // namespace

int main(int argc, char** argv) {
  auto seeds = fuzz_seeds();
  if (argc == 3 && std::string(argv[1]) == "--seeds") {
    for (size_t i = 0; i < seeds.size(); ++i)
      keep(std::string(argv[2]) + "/seed" + std::to_string(i), seeds[i]);
    return 0;
  }
  if (argc >= 2 && !std::isdigit(uint8_t(argv[1][0]))) {
    std::ifstream f(argv[1], std::ios::binary);
    if (!f) return std::fprintf(stderr, "cannot open %s\n", argv[1]), 2;
    run({std::istreambuf_iterator<char>(f), {}});
    return 0;
  }
  long runs = argc > 1 ? std::atol(argv[1]) : 20000;
  Random r{argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1};
  const char* crash_file = std::getenv("FUZZ_KEEP");
  for (auto& s : seeds) run(s);
  for (long i = 0; i < runs; ++i) {
    std::string s = seeds[r.below(seeds.size())];
    for (size_t k = 1 + r.below(r.below(3) ? 3 : 12); k > 0; --k) mutate(s, seeds, r);
    if (crash_file) keep(crash_file, s);
    run(s);
  }
  std::printf("%ld runs over %zu seeds\n", runs, seeds.size());
  return 0;
}
