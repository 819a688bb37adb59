// A file's bytes as memory that tensors can live on.
#pragma once
#include <string>

#include "core/io/array.h"

namespace haft {

// Maps a regular file copy-on-write: pages load when touched, and an in-place write into a tensor on it
// changes neither the file nor other mappings. Pipes and empty files are read instead. Another process that
// shortens a mapped file makes later reads fault (SIGBUS), as with every mmap; replace files with AtomicFile,
// which never does.
Ref<ByteBlock> map_file(const std::string& path);

}  // namespace haft
