#include "core/cuda/fuse_cache.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/base/text.h"

namespace haft::cuda {

namespace {

namespace fs = std::filesystem;

constexpr char kPrefix[] = "fused-", kSuffix[] = ".bin";

struct Header {
  char magic[8];  // "haftfuse"
  uint64_t key_size, image_size, checksum;
};
constexpr char kMagic[] = "haftfuse";

std::string hex(uint64_t v) {
  std::string s(16, '0');
  for (int i = 15; i >= 0; --i, v >>= 4) s[size_t(i)] = "0123456789abcdef"[v & 15];
  return s;
}
fs::path file_of(const std::string& folder, const std::string& key) {
  return fs::path(folder) / concat(kPrefix, hex(text_hash(key)), hex(text_hash(key, 1)), kSuffix);
}
bool is_ours(const fs::path& p) {
  const std::string name = p.filename().string();
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

void remove_oldest(const std::string& folder, int64_t most) {
  struct File {
    fs::file_time_type time;
    int64_t bytes;
    fs::path path;
  };
  std::vector<File> files;
  int64_t all = 0;
  std::error_code e;
  for (fs::directory_iterator i(folder, e), end; !e && i != end; i.increment(e)) {
    if (!is_ours(i->path())) continue;
    std::error_code gone;  // by another process
    const File f{i->last_write_time(gone), int64_t(i->file_size(gone)), i->path()};
    if (gone) continue;
    all += f.bytes;
    files.push_back(f);
  }
  std::ranges::sort(files, {}, &File::time);
  for (const File& f : files) {
    if (all <= most) return;
    fs::remove(f.path, e);
    all -= f.bytes;
  }
}

}  // namespace

uint64_t text_hash(const std::string& s, uint64_t seed) {
  uint64_t h = 0xcbf29ce484222325ull ^ (seed * 0x9e3779b97f4a7c15ull);
  for (const char c : s) h = (h ^ uint8_t(c)) * 0x100000001b3ull;
  return h;
}

std::string cache_folder() {
  // What a process loads must not depend on where it stands.
  auto absolute = [](const char* name) -> std::string {
    const char* v = std::getenv(name);
    return v && v[0] == '/' ? v : "";
  };
  if (std::getenv("HAFT_CACHE_PATH")) return absolute("HAFT_CACHE_PATH");  // empty: nothing is kept
  if (const std::string x = absolute("XDG_CACHE_HOME"); !x.empty()) return x + "/haft";
  if (const std::string h = absolute("HOME"); !h.empty()) return h + "/.cache/haft";
  return "";
}

bool read_cache(const std::string& key, std::string* image) {
  const std::string folder = cache_folder();
  if (folder.empty()) return false;
  const fs::path path = file_of(folder, key);
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return false;
  const auto size = uint64_t(in.tellg());  // of the file that is open: another may have its name by now
  in.seekg(0);
  Header h;
  if (!in.read(reinterpret_cast<char*>(&h), sizeof h) || std::memcmp(h.magic, kMagic, 8)) return false;
  if (h.key_size != key.size() || h.image_size > size || size != sizeof h + h.key_size + h.image_size)
    return false;
  std::string found(h.key_size, '\0'), bytes(h.image_size, '\0');
  if (!in.read(found.data(), std::streamsize(found.size())) ||
      !in.read(bytes.data(), std::streamsize(bytes.size())))
    return false;
  if (found != key || text_hash(bytes) != h.checksum) return false;
  std::error_code e;
  fs::last_write_time(path, fs::file_time_type::clock::now(), e);  // the oldest is the one used longest ago
  *image = std::move(bytes);
  return true;
}

void write_cache(const std::string& key, const std::string& image, int64_t most) {
  const std::string folder = cache_folder();
  if (folder.empty()) return;
  std::error_code e;
  fs::create_directories(folder, e);
  static std::atomic<int> next{0};
  const fs::path path = file_of(folder, key), aside = concat(path.string(), ".", getpid(), ".", next++);
  Header h{{}, key.size(), image.size(), text_hash(image)};
  std::memcpy(h.magic, kMagic, 8);
  {
    std::ofstream out(aside, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&h), sizeof h);
    out.write(key.data(), std::streamsize(key.size()));
    out.write(image.data(), std::streamsize(image.size()));
    out.close();
    if (out.fail()) return void(fs::remove(aside, e));
  }
  fs::rename(aside, path, e);
  if (e) return void(fs::remove(aside, e));
  remove_oldest(folder, most);
}

}  // namespace haft::cuda
