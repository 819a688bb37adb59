// Reads event files back, for tests: frames, checksums and the fields that haft writes.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/io/crc32c.h"
#include "tests/io/io_testing.h"

namespace haft {

struct ReadEvent {
  double wall_time = 0;
  int64_t step = 0;
  std::string file_version, tag;
  float scalar = 0;
  bool is_histogram = false;
  double low = 0, high = 0, count = 0, sum = 0, squares = 0;
  std::vector<double> limits, counts;
};

// Field number -> raw content (varints as 8 bytes); a repeated field keeps its last value.
inline std::map<int, std::string> fields_of(const std::string& m) {
  std::map<int, std::string> out;
  size_t i = 0;
  auto varint = [&] {
    uint64_t v = 0;
    for (int shift = 0;; shift += 7) {
      uint8_t b = uint8_t(m.at(i++));
      v |= uint64_t(b & 127) << shift;
      if (b < 128) return v;
    }
  };
  while (i < m.size()) {
    uint64_t tag = varint(), wire = tag & 7;
    if (wire == 0) {
      uint64_t v = varint();
      out[int(tag >> 3)] = std::string(reinterpret_cast<char*>(&v), 8);
      continue;
    }
    size_t n = wire == 1 ? 8 : wire == 5 ? 4 : size_t(varint());
    out[int(tag >> 3)] = m.substr(i, n);
    i += n;
  }
  return out;
}

template <class T>
T scalar_of(const std::string& bytes) {
  T v{};
  EXPECT_EQ(bytes.size(), sizeof v);
  std::memcpy(&v, bytes.data(), std::min(bytes.size(), sizeof v));
  return v;
}

// Complete records only: a crash may leave a part of the last one.
inline std::vector<ReadEvent> read_events(const std::string& path) {
  std::string all = slurp(path);
  std::vector<ReadEvent> out;
  for (size_t at = 0; at + 12 <= all.size();) {
    uint64_t n = scalar_of<uint64_t>(all.substr(at, 8));
    EXPECT_EQ(scalar_of<uint32_t>(all.substr(at + 8, 4)), masked_crc32c(all.data() + at, 8));
    if (at + 16 + n > all.size()) break;
    EXPECT_EQ(scalar_of<uint32_t>(all.substr(at + 12 + n, 4)), masked_crc32c(all.data() + at + 12, n));
    auto event = fields_of(all.substr(at + 12, n));
    at += 16 + n;
    ReadEvent e;
    e.wall_time = scalar_of<double>(event.at(1));
    if (event.count(2)) e.step = scalar_of<int64_t>(event[2]);
    e.file_version = event[3];
    if (event.count(5)) {
      auto value = fields_of(fields_of(event[5]).at(1));
      e.tag = value.at(1);
      if (value.count(2)) e.scalar = scalar_of<float>(value[2]);
      if (value.count(5)) {
        auto h = fields_of(value[5]);
        e.is_histogram = true;
        double* to[] = {&e.low, &e.high, &e.count, &e.sum, &e.squares};
        for (int f = 1; f <= 5; ++f) *to[f - 1] = scalar_of<double>(h.at(f));
        for (size_t i = 0; i < h[6].size(); i += 8) e.limits.push_back(scalar_of<double>(h[6].substr(i, 8)));
        for (size_t i = 0; i < h[7].size(); i += 8) e.counts.push_back(scalar_of<double>(h[7].substr(i, 8)));
      }
    }
    out.push_back(e);
  }
  return out;
}

}  // namespace haft
