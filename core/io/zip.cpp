#include "core/io/zip.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr int64_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr uint16_t kEncrypted = 1, kUtf8 = 1 << 11, kZip64 = 1;
constexpr uint16_t kPadding = 0xd935;  // the field that Android's zipalign pads with
constexpr int64_t kMost32 = 0xffffffff, kAlignment = 64;
constexpr int64_t kMostShrunk = 1032;  // times, by deflate

template <class T>
T number(const uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
void put(std::string& out, T v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

uint32_t checksum(uint32_t crc, std::span<const uint8_t> bytes) {
  return bytes.empty() ? crc : uint32_t(crc32_z(crc, bytes.data(), bytes.size()));
}

[[noreturn]] void no_memory(std::string_view where, const char* what) {
  fail(Code::out_of_memory, concat(where, ": no memory to ", what));
}

struct Deflater {
  z_stream z{};
  Deflater() {
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      no_memory("zip", "compress");
  }
  ~Deflater() { deflateEnd(&z); }
  Deflater(const Deflater&) = delete;

  void run(std::span<const uint8_t> in, int flush, std::string& out) {
    uint8_t room[1 << 15];
    do {
      const size_t feed = std::min<size_t>(in.size(), 1 << 30);  // zlib counts in 32 bits
      const bool last = feed == in.size();
      z.next_in = const_cast<Bytef*>(in.data());
      z.avail_in = uInt(feed);
      do {
        z.next_out = room;
        z.avail_out = sizeof room;
        deflate(&z, last ? flush : Z_NO_FLUSH);
        out.append(reinterpret_cast<char*>(room), sizeof room - z.avail_out);
      } while (z.avail_out == 0);
      in = in.subspan(feed);
    } while (!in.empty());
  }
};

std::string deflated(std::span<const std::span<const uint8_t>> parts) {
  Deflater deflater;
  std::string out;
  for (auto part : parts)
    if (!part.empty()) deflater.run(part, Z_NO_FLUSH, out);
  deflater.run({}, Z_FINISH, out);
  return out;
}

struct Inflater {
  z_stream z{};
  explicit Inflater(std::string_view where) {
    if (inflateInit2(&z, -15) != Z_OK) no_memory(where, "decompress");
  }
  ~Inflater() { inflateEnd(&z); }
  Inflater(const Inflater&) = delete;
};

uint16_t flags_of(const std::string& name) {
  return std::any_of(name.begin(), name.end(), [](char c) { return uint8_t(c) >= 0x80; }) ? kUtf8 : 0;
}

// What local header and directory have in common: from the version that reads it to the length of the name.
void put_common(std::string& out, const ZipMember& m, bool wide) {
  put<uint16_t>(out, wide ? 45 : 20);
  put<uint16_t>(out, flags_of(m.name));
  put<uint16_t>(out, m.deflated ? 8 : 0);
  put<uint16_t>(out, 0);
  put<uint16_t>(out, 1 << 5 | 1);  // 1980-01-01, the first day that there is
  put<uint32_t>(out, m.crc);
  put<uint32_t>(out, uint32_t(wide ? kMost32 : m.packed));
  put<uint32_t>(out, uint32_t(wide ? kMost32 : m.bytes));
  put<uint16_t>(out, uint16_t(m.name.size()));
}

bool is_wide(const ZipMember& m) { return m.bytes >= kMost32 || m.packed >= kMost32; }

}  // namespace

void ZipArchive::bad(const std::string& what) const { fail(Code::corrupt, concat(where_, ": ", what)); }

ZipArchive::ZipArchive(std::span<const uint8_t> bytes, std::string where, Ref<ByteBlock> owner)
    : bytes_(bytes), where_(std::move(where)), owner_(std::move(owner)) {
  read_directory(find_directory());
  for (size_t i = 0; i < members_.size(); ++i)
    if (!places_.emplace(members_[i].name, int64_t(i)).second)
      bad(concat("the zip directory names ", quoted(members_[i].name), " twice"));
  checked_.reset(new std::atomic<bool>[members_.size()]());
}

ZipArchive::Directory ZipArchive::find_directory() const {
  const int64_t size = int64_t(bytes_.size());
  // The end of the directory is followed by a comment that says how long it is.
  int64_t end = size - kEndBytes;
  const int64_t least = std::max<int64_t>(end - 0xffff, 0);
  while (end >= least && !(number<uint32_t>(bytes_.data() + end) == kEnd &&
                           number<uint16_t>(bytes_.data() + end + 20) == size - end - kEndBytes))
    --end;
  if (end < least)
    fail(Code::corrupt, concat(where_, ": the end of the zip directory is missing among ", size, " bytes"),
         "was the file cut off while it was copied?");
  const uint8_t* p = bytes_.data() + end;
  Directory d{number<uint16_t>(p + 10), number<uint32_t>(p + 16), number<uint32_t>(p + 12)};
  int64_t limit = end;
  if (end >= kLocatorBytes && number<uint32_t>(p - kLocatorBytes) == kLocator64) {
    const int64_t at = number<int64_t>(p - kLocatorBytes + 8);
    limit = end - kLocatorBytes;
    if (at < 0 || at > limit - kEnd64Bytes || number<uint32_t>(bytes_.data() + at) != kEnd64)
      bad(concat("the zip64 directory's end should lie at byte ", at, ", where it is not"));
    const uint8_t* q = bytes_.data() + at;
    d = {number<int64_t>(q + 32), number<int64_t>(q + 48), number<int64_t>(q + 40)};
    limit = at;
  }
  if (d.begin < 0 || d.bytes < 0 || d.begin > limit || d.bytes > limit - d.begin || d.count < 0 ||
      d.count > d.bytes / kCentralBytes)
    bad(concat("the zip directory has ", d.count, " members in ", d.bytes, " bytes from byte ", d.begin,
               " on, which do not fit in front of byte ", limit));
  return d;
}

void ZipArchive::read_directory(const Directory& d) {
  const uint8_t *p = bytes_.data() + d.begin, *end = p + d.bytes;
  members_.reserve(size_t(d.count));
  for (int64_t i = 0; i < d.count; ++i) {
    if (end - p < kCentralBytes || number<uint32_t>(p) != kCentral)
      bad(concat("the zip directory ends at member ", i, " of ", d.count));
    const uint16_t flags = number<uint16_t>(p + 8), method = number<uint16_t>(p + 10);
    const int64_t name = number<uint16_t>(p + 28), extra = number<uint16_t>(p + 30),
                  comment = number<uint16_t>(p + 32);
    if (end - p - kCentralBytes < name + extra + comment)
      bad(concat("the zip directory ends inside member ", i, " of ", d.count));
    ZipMember m;
    m.name.assign(reinterpret_cast<const char*>(p) + kCentralBytes, size_t(name));
    if (!valid_utf8(m.name)) bad(concat("the name of member ", i, " is not UTF-8"));
    const std::string who = concat(where_, ": ", quoted(m.name));
    if (flags & kEncrypted)
      fail(Code::unsupported, concat(who, " is encrypted"), "write it without a password");
    if (method != 0 && method != 8)
      fail(Code::unsupported,
           concat(who, " is compressed by method ", method, "; wanted 0 (stored) or 8 (deflated)"));
    m.deflated = method == 8;
    m.crc = number<uint32_t>(p + 16);
    m.packed = number<uint32_t>(p + 20);
    m.bytes = number<uint32_t>(p + 24);
    m.header = number<uint32_t>(p + 42);
    // Fields of 32 bits that are all ones stand in the zip64 field, in this order.
    for (const uint8_t *e = p + kCentralBytes + name, *stop = e + extra; stop - e >= 4;) {
      const int64_t id = number<uint16_t>(e), length = number<uint16_t>(e + 2);
      e += 4;
      if (length > stop - e) break;
      if (id == kZip64) {
        const uint8_t* v = e;
        for (int64_t* field : {&m.bytes, &m.packed, &m.header}) {
          if (*field != kMost32 || e + length - v < 8) continue;
          *field = number<int64_t>(v);
          v += 8;
        }
      }
      e += length;
    }
    if (m.packed < 0 || m.bytes < 0 || m.header < 0 || m.header > d.begin - kLocalBytes ||
        (m.deflated ? m.bytes / kMostShrunk > m.packed : m.bytes != m.packed))
      bad(concat("member ", quoted(m.name), " should be ", m.bytes, " bytes out of ", m.packed, " at byte ",
                 m.header, ", which is impossible"));
    members_.push_back(std::move(m));
    p += kCentralBytes + name + extra + comment;
  }
}

int64_t ZipArchive::find(std::string_view name) const {
  auto it = places_.find(name);
  return it == places_.end() ? -1 : it->second;
}

ZipArchive::Content ZipArchive::read(int64_t index) const {
  const ZipMember& m = members_[size_t(index)];
  const uint8_t* p = bytes_.data() + m.header;
  if (number<uint32_t>(p) != kLocal)
    bad(concat("member ", quoted(m.name), " does not begin at byte ", m.header));
  const int64_t begin = m.header + kLocalBytes + number<uint16_t>(p + 26) + number<uint16_t>(p + 28);
  if (begin > int64_t(bytes_.size()) || m.packed > int64_t(bytes_.size()) - begin)
    bad(concat("member ", quoted(m.name), " wants ", m.packed, " bytes from byte ", begin,
               " on, but the file ends at ", int64_t(bytes_.size())));
  Content content{bytes_.subspan(size_t(begin), size_t(m.packed)), owner_};
  if (m.deflated) content = inflated(m, content.bytes);
  std::atomic<bool>& checked = checked_[size_t(index)];
  if (m.deflated || !checked.load(std::memory_order_relaxed)) {
    if (uint32_t crc = checksum(0, content.bytes); crc != m.crc)
      bad(concat("member ", quoted(m.name), " is damaged: its checksum is ", crc, ", wanted ", m.crc));
    checked.store(true, std::memory_order_relaxed);
  }
  return content;
}

ZipArchive::Content ZipArchive::inflated(const ZipMember& m, std::span<const uint8_t> packed) const {
  auto block = allocate_block(m.bytes);
  Inflater in(where_);
  int64_t done = 0;
  size_t at = 0;
  uint8_t beyond;  // one byte more than promised shows that there is more
  for (int rc = Z_OK; rc != Z_STREAM_END;) {
    const int64_t left = m.bytes - done;
    const uInt room = left ? uInt(std::min<int64_t>(left, 1 << 30)) : 1;
    const uInt feed = uInt(std::min<size_t>(packed.size() - at, 1 << 30));
    in.z.next_out = left ? block->data + done : &beyond;
    in.z.avail_out = room;
    in.z.next_in = const_cast<Bytef*>(packed.data() + at);
    in.z.avail_in = feed;
    rc = inflate(&in.z, Z_NO_FLUSH);
    if (rc == Z_MEM_ERROR) no_memory(where_, "decompress");
    const uInt made = room - in.z.avail_out;
    at += feed - in.z.avail_in;
    if (!left && made)
      bad(concat("member ", quoted(m.name), " holds more than the ", m.bytes, " bytes of the directory"));
    done += made;
    if (rc != Z_OK && rc != Z_STREAM_END)
      bad(concat("member ", quoted(m.name), " is damaged near byte ", at, ": ",
                 in.z.msg ? in.z.msg : zError(rc)));
    if (rc == Z_OK && made == 0 && at == packed.size())
      bad(concat("member ", quoted(m.name), " is cut off after ", at, " bytes"));
  }
  if (done != m.bytes)
    bad(concat("member ", quoted(m.name), " holds ", done, " bytes, the directory says ", m.bytes));
  return {block->bytes(), block};
}

void ZipWriter::write(const void* data, int64_t bytes) {
  if (bytes) sink_(data, bytes);
  at_ += bytes;
}

void ZipWriter::add(const std::string& name, std::span<const std::span<const uint8_t>> parts, bool deflate) {
  if (name.size() > 0xffff || !valid_utf8(name))
    fail(Code::invalid_argument,
         concat("zip: the name ", quoted(name), " is longer than 65535 bytes or not UTF-8"));
  ZipMember m;
  m.name = name;
  m.deflated = deflate;
  m.header = at_;
  for (auto part : parts) {
    m.crc = checksum(m.crc, part);
    m.bytes += int64_t(part.size());
  }
  const std::string packed = deflate ? deflated(parts) : std::string();
  m.packed = deflate ? int64_t(packed.size()) : m.bytes;

  std::string extra;
  if (is_wide(m)) {
    put<uint16_t>(extra, kZip64);
    put<uint16_t>(extra, 16);
    put<int64_t>(extra, m.bytes);
    put<int64_t>(extra, m.packed);
  }
  if (!deflate) {
    const int64_t begin = at_ + kLocalBytes + int64_t(name.size() + extra.size()) + 4;
    const int64_t padding = (kAlignment - begin % kAlignment) % kAlignment;
    put<uint16_t>(extra, kPadding);
    put<uint16_t>(extra, uint16_t(padding));
    extra.append(size_t(padding), '\0');
  }
  std::string header;
  put<uint32_t>(header, kLocal);
  put_common(header, m, is_wide(m));
  put<uint16_t>(header, uint16_t(extra.size()));
  header += name;
  header += extra;
  write(header.data(), int64_t(header.size()));
  if (deflate)
    write(packed.data(), m.packed);
  else
    for (auto part : parts) write(part.data(), int64_t(part.size()));
  members_.push_back(std::move(m));
}

void ZipWriter::finish() {
  const int64_t begin = at_, count = int64_t(members_.size());
  for (const ZipMember& m : members_) {
    const bool wide = is_wide(m), far = m.header >= kMost32;
    std::string extra;
    if (wide || far) {
      put<uint16_t>(extra, kZip64);
      put<uint16_t>(extra, uint16_t(16 * wide + 8 * far));
      if (wide) put<int64_t>(extra, m.bytes), put<int64_t>(extra, m.packed);
      if (far) put<int64_t>(extra, m.header);
    }
    std::string entry;
    put<uint32_t>(entry, kCentral);
    put<uint16_t>(entry, 3 << 8 | 45);  // made on Unix
    put_common(entry, m, wide);
    put<uint16_t>(entry, uint16_t(extra.size()));
    put<uint16_t>(entry, 0);
    put<uint32_t>(entry, 0);  // disk, internal attributes
    put<uint32_t>(entry, 0100644u << 16);
    put<uint32_t>(entry, uint32_t(far ? kMost32 : m.header));
    entry += m.name + extra;
    write(entry.data(), int64_t(entry.size()));
  }
  const int64_t bytes = at_ - begin, end64 = at_;
  const bool wide = count >= 0xffff || begin >= kMost32 || bytes >= kMost32;
  std::string end;
  if (wide) {
    put<uint32_t>(end, kEnd64);
    put<int64_t>(end, kEnd64Bytes - 12);
    put<uint32_t>(end, 45 << 16 | 3 << 8 | 45);
    put<int64_t>(end, 0);  // disks
    for (int64_t v : {count, count, bytes, begin}) put<int64_t>(end, v);
    put<uint32_t>(end, kLocator64);
    put<uint32_t>(end, 0);
    put<int64_t>(end, end64);
    put<uint32_t>(end, 1);
  }
  put<uint32_t>(end, kEnd);
  put<uint32_t>(end, 0);
  for (int i = 0; i < 2; ++i) put<uint16_t>(end, uint16_t(wide ? 0xffff : count));
  put<uint32_t>(end, uint32_t(wide ? kMost32 : bytes));
  put<uint32_t>(end, uint32_t(wide ? kMost32 : begin));
  put<uint16_t>(end, 0);
  write(end.data(), int64_t(end.size()));
}

}  // namespace haft
