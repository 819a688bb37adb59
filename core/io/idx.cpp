#include "core/io/idx.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/io/mapped_file.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr int kMaxDims = 8;  // haft's limit; the format's is 255

DType type_of(uint8_t code) {
  switch (code) {
    case 0x08: return DType::u8;
    case 0x09: return DType::i8;
    case 0x0b: return DType::i16;
    case 0x0c: return DType::i32;
    case 0x0d: return DType::f32;
    case 0x0e: return DType::f64;
    default: return DType::none;
  }
}

uint32_t big_endian32(const uint8_t* p) {
  return uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 | uint32_t(p[3]);
}

// The first four bytes: two zeros, the type and the number of dimensions. Returns the header's length.
int64_t check_magic(const uint8_t* p, int64_t available, std::string_view where) {
  if (available < 4)
    fail(Code::corrupt,
         concat(where, ": has ", available, " bytes; wanted at least the 4 of the magic number"));
  if (p[0] != 0 || p[1] != 0 || type_of(p[2]) == DType::none)
    fail(Code::corrupt,
         concat(where, ": begins with the bytes ", p[0], " ", p[1], " ", p[2],
                "; wanted 0 0 and a type of 8, 9, 11, 12, 13 or 14"),
         "is this an IDX file?");
  if (p[3] > kMaxDims)
    fail(Code::corrupt, concat(where, ": has ", p[3], " dimensions; wanted at most ", kMaxDims));
  return 4 + 4 * int64_t(p[3]);
}

// `p` holds the whole header. Fills dtype, sizes and bytes.
Array read_header(const uint8_t* p, std::string_view where) {
  Array a;
  a.dtype = type_of(p[2]);
  for (int d = 0; d < p[3]; ++d) a.sizes.push_back(big_endian32(p + 4 + 4 * d));
  if (!dense_bytes(a.sizes, a.dtype, &a.bytes))
    fail(Code::corrupt, concat(where, ": has the shape ", a.sizes, ", whose bytes do not fit in 63 bits"));
  return a;
}

[[noreturn]] void wrong_length(const Array& a, std::string_view where, std::string_view got) {
  fail(Code::corrupt, concat(where, ": ", dtype_name(a.dtype), " of shape ", a.sizes, " wants ", a.bytes,
                             " bytes of data, but there are ", got));
}

// A gzip stream of one or several members.
class Inflater {
 public:
  Inflater(std::span<const uint8_t> in, std::string_view where) : in_(in), where_(where) {
    if (inflateInit2(&z_, 15 + 16) != Z_OK)
      fail(Code::out_of_memory, concat(where, ": no memory to decompress"));
  }
  ~Inflater() { inflateEnd(&z_); }
  Inflater(const Inflater&) = delete;

  // Fills dst as far as the stream goes; returns the bytes written, fewer than n only at the stream's end.
  int64_t read(uint8_t* dst, int64_t n) {
    int64_t done = 0;
    while (done < n && !ended_) {
      // zlib counts in 32 bits.
      uInt room = uInt(std::min<int64_t>(n - done, 1 << 30)),
           feed = uInt(std::min<size_t>(in_.size() - at_, 1 << 30));
      z_.next_out = dst + done;
      z_.avail_out = room;
      z_.next_in = const_cast<Bytef*>(in_.data() + at_);
      z_.avail_in = feed;
      int rc = inflate(&z_, Z_NO_FLUSH);
      done += room - z_.avail_out;
      at_ += feed - z_.avail_in;
      if (rc == Z_STREAM_END) {
        next_member();
      } else if (rc == Z_BUF_ERROR || (rc == Z_OK && at_ == in_.size() && z_.avail_out > 0)) {
        fail(Code::corrupt, concat(where_, ": the gzip stream is cut off after ", in_.size(), " bytes"),
             "was the file cut off while it was copied or downloaded?");
      } else if (rc == Z_MEM_ERROR) {
        fail(Code::out_of_memory, concat(where_, ": no memory to decompress"));
      } else if (rc != Z_OK) {
        fail(Code::corrupt, concat(where_, ": the gzip stream is damaged near byte ", at_, ": ",
                                   z_.msg ? z_.msg : zError(rc)));
      }
    }
    return done;
  }

 private:
  void next_member() {
    if (at_ == in_.size()) {
      ended_ = true;
    } else if (in_.size() - at_ >= 2 && in_[at_] == 0x1f && in_[at_ + 1] == 0x8b) {
      inflateReset(&z_);
    } else {
      fail(Code::corrupt, concat(where_, ": ", in_.size() - at_, " bytes follow the gzip stream"));
    }
  }

  z_stream z_{};
  std::span<const uint8_t> in_;
  std::string_view where_;
  size_t at_ = 0;
  bool ended_ = false;
};

Array inflate_idx(std::span<const uint8_t> bytes, std::string_view where) {
  Inflater in(bytes, where);
  uint8_t header[4 + 4 * kMaxDims];
  int64_t length = check_magic(header, in.read(header, 4), where);
  if (in.read(header + 4, length - 4) != length - 4)
    fail(Code::corrupt, concat(where, ": ends inside its header"));
  Array a = read_header(header, where);
  // Deflate shrinks at most 1032 times: a small file cannot make us allocate a large array.
  if (a.bytes / 1032 > int64_t(bytes.size()))
    wrong_length(a, where, concat("only ", bytes.size(), " compressed ones"));
  auto block = allocate_block(a.bytes);
  if (int64_t n = in.read(block->data, a.bytes); n != a.bytes) wrong_length(a, where, concat(n));
  uint8_t more;
  // Also makes zlib compare the stream's checksum and length.
  if (in.read(&more, 1) != 0) wrong_length(a, where, "more");
  a.data = block->data;
  a.owner = std::move(block);
  return a;
}

template <class U>
void swap_bytes(U* p, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (sizeof(U) == 2)
      p[i] = __builtin_bswap16(p[i]);
    else if constexpr (sizeof(U) == 4)
      p[i] = __builtin_bswap32(p[i]);
    else
      p[i] = __builtin_bswap64(p[i]);
  }
}

void to_little_endian(Array& a) {
  int64_t item = item_size(a.dtype);
  if (item == 1 || a.bytes == 0) return;
  auto block = allocate_block(a.bytes);
  std::memcpy(block->data, a.data, size_t(a.bytes));
  if (item == 2)
    swap_bytes(reinterpret_cast<uint16_t*>(block->data), a.bytes / 2);
  else if (item == 4)
    swap_bytes(reinterpret_cast<uint32_t*>(block->data), a.bytes / 4);
  else
    swap_bytes(reinterpret_cast<uint64_t*>(block->data), a.bytes / 8);
  a.data = block->data;
  a.owner = std::move(block);
}

}  // namespace

Array read_idx(const std::string& path) {
  auto block = map_file(path);
  return parse_idx(block->bytes(), concat("IDX file ", quoted(path, 4096)), block);
}

Array parse_idx(std::span<const uint8_t> bytes, std::string_view where, const Ref<ByteBlock>& owner) {
  Array a;
  if (bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) {
    a = inflate_idx(bytes, where);
  } else {
    int64_t size = int64_t(bytes.size()), length = check_magic(bytes.data(), size, where);
    if (length > size) fail(Code::corrupt, concat(where, ": ends inside its header"));
    a = read_header(bytes.data(), where);
    if (a.bytes != size - length) wrong_length(a, where, concat(size - length));
    a.data = bytes.data() + length;
    a.owner = owner;
  }
  to_little_endian(a);
  return a;
}

}  // namespace haft
