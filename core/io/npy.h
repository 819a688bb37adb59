// NumPy's .npy files, versions 1 to 3: one array of booleans, integers or floats.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/io/array.h"

namespace haft {

// Fails with Code::dtype for bfloat16 and 8-bit floats, which NumPy does not have.
void write_npy(const std::string& path, const ArrayRef& array);
std::string encode_npy(const ArrayRef& array);
// What stands in front of the elements, a multiple of 64 bytes.
std::string npy_header(const ArrayRef& array);

// Maps the file; an array in Fortran order is rewritten in row-major order. Big-endian elements, objects and
// types that haft lacks are Code::dtype; anything that contradicts the format is Code::corrupt.
Array read_npy(const std::string& path);
Array parse_npy(std::span<const uint8_t> bytes, std::string_view where, const Ref<ByteBlock>& owner = {});

}  // namespace haft
