// Compiled kernels on disk, a file a key: in HAFT_CACHE_PATH, an absolute folder, else in XDG_CACHE_HOME/haft, else
// in ~/.cache/haft. Several processes may share it. It is a help and no more: what cannot be read or written is
// compiled again.
#pragma once
#include <cstdint>
#include <string>

namespace haft::cuda {

uint64_t text_hash(const std::string& s, uint64_t seed = 0);  // FNV-1a

std::string cache_folder();  // empty: there is none
// False where there is no whole file of just this key.
bool read_cache(const std::string& key, std::string* image);
// Replaces the file at once, and removes the oldest ones beyond `most` bytes in all.
constexpr int64_t kMostCached = int64_t(256) << 20;
void write_cache(const std::string& key, const std::string& image, int64_t most = kMostCached);

}  // namespace haft::cuda
