// NumPy's .npz: a zip archive of .npy files, each under the name of its array.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "core/io/arrays_file.h"
#include "core/io/zip.h"

namespace haft {

// Stored, or deflated as numpy.savez_compressed does. Equal input gives equal bytes. Code::invalid_argument for equal
// names, Code::dtype for types that NumPy does not have.
void write_npz(const std::string& path, std::span<const ArrayRef> arrays, bool compressed);
std::string encode_npz(std::span<const ArrayRef> arrays, bool compressed);

// Arrays are read when they are asked for; those that are stored, aligned and in row-major order lie in the file's
// memory.
std::unique_ptr<ArraysFile> open_npz(std::unique_ptr<ZipArchive> archive, std::string where);

}  // namespace haft
