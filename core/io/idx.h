// IDX, the format of MNIST and its family: a big-endian header and array, often gzipped.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "core/io/array.h"

namespace haft {

// Takes gzipped and plain files by their content. uint8 and int8 of a plain file are mapped; wider types are
// turned into little-endian. Code::corrupt for a wrong magic, sizes that do not match the data, a damaged or
// cut gzip stream.
Array read_idx(const std::string& path);
Array parse_idx(std::span<const uint8_t> bytes, std::string_view where, const Ref<ByteBlock>& owner = {});

}  // namespace haft
