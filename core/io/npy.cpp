#include "core/io/npy.h"

#include <cstring>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/mapped_file.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint32_t kMaxHeader = 1 << 20;

struct Name {
  DType dtype;
  std::string_view text;  // without the byte order
};
constexpr Name kNames[] = {
    {DType::boolean, "b1"}, {DType::u8, "u1"},  {DType::i8, "i1"},    {DType::i16, "i2"},
    {DType::i32, "i4"},     {DType::i64, "i8"}, {DType::f16, "f2"},   {DType::f32, "f4"},
    {DType::f64, "f8"},     {DType::c64, "c8"}, {DType::c128, "c16"},
};

struct Header {
  std::string descr;
  bool fortran = false;
  ArrayRef::Sizes sizes;
};

// The header is a Python dict of three known keys; this reads that much of Python and nothing more.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view where) : s_(text), where_(where) {}

  Header read() {
    Header h;
    int seen = 0;
    want('{');
    while (!take('}')) {
      std::string key = text();
      want(':');
      int bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
      if (!bit || seen & bit)
        bad(concat("the header has the key ", quoted(key),
                   bit ? " twice" : "; wanted descr, fortran_order and shape"));
      seen |= bit;
      if (bit == 1)
        h.descr = descr();
      else if (bit == 2)
        h.fortran = boolean();
      else
        h.sizes = shape();
      if (!take(',')) {
        want('}');
        break;
      }
    }
    if (seen != 7) bad("the header lacks one of descr, fortran_order and shape");
    skip();
    if (i_ != s_.size()) bad(concat("the header goes on after its closing brace at byte ", i_));
    return h;
  }

 private:
  void skip() {
    while (i_ < s_.size() && (s_[i_] == ' ' || s_[i_] == '\n' || s_[i_] == '\t' || s_[i_] == '\r')) ++i_;
  }
  bool take(char c) {
    skip();
    if (i_ >= s_.size() || s_[i_] != c) return false;
    ++i_;
    return true;
  }
  void want(char c) {
    if (!take(c))
      bad(concat("the header has ", i_ < s_.size() ? quoted(s_.substr(i_), 20) : "its end", " at byte ", i_,
                 "; wanted '", std::string_view(&c, 1), "'"));
  }
  std::string text() {
    skip();
    char q = i_ < s_.size() ? s_[i_] : '\0';
    if (q != '\'' && q != '"') want('\'');
    size_t end = s_.find(q, i_ + 1);
    if (end == s_.npos) bad("the header has a string without its end");
    std::string t(s_.substr(i_ + 1, end - i_ - 1));
    i_ = end + 1;
    return t;
  }
  std::string descr() {
    skip();
    if (i_ < s_.size() && s_[i_] == '[')
      fail(Code::dtype, concat(where_, ": has elements of several fields (a structured dtype)"),
           "save each field as an array of its own");
    return text();
  }
  bool boolean() {
    skip();
    for (std::string_view w : {"True", "False"})
      if (s_.substr(i_, w.size()) == w) {
        i_ += w.size();
        return w == "True";
      }
    bad(concat("fortran_order is ", quoted(s_.substr(i_), 20), "; wanted True or False"));
  }
  ArrayRef::Sizes shape() {
    ArrayRef::Sizes sizes;
    want('(');
    while (!take(')')) {
      skip();
      size_t start = i_;
      int64_t v = 0;
      for (; i_ < s_.size() && s_[i_] >= '0' && s_[i_] <= '9'; ++i_)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s_[i_] - '0', &v))
          bad("the shape has a size beyond 63 bits");
      if (i_ == start) bad(concat("the shape has ", quoted(s_.substr(i_), 20), "; wanted a size"));
      sizes.push_back(v);
      if (i_ < s_.size() && s_[i_] == 'L') ++i_;  // Python 2 wrote its longs so
      if (!take(',')) {
        want(')');
        break;
      }
    }
    return sizes;
  }
  [[noreturn]] void bad(const std::string& what) { fail(Code::corrupt, concat(where_, ": ", what)); }

  std::string_view s_, where_;
  size_t i_ = 0;
};

DType parse_descr(const std::string& d, std::string_view where) {
  std::string what = concat(where, ": has elements of dtype ", quoted(d));
  bool order = !d.empty() && std::string_view("<>|=").find(d[0]) != std::string_view::npos;
  std::string_view type = std::string_view(d).substr(order ? 1 : 0);
  if (type.starts_with('O'))
    fail(Code::dtype, what + ", which are Python objects", "save numbers; objects would run code when read");
  for (const Name& n : kNames) {
    if (n.text != type) continue;
    if (d[0] == '>' && item_size(n.dtype) > 1)
      fail(Code::dtype, what + ", which are big-endian; wanted little-endian",
           "save a.astype(a.dtype.newbyteorder('<'))");
    return n.dtype;
  }
  fail(Code::dtype, what + "; wanted b1, u1, i1, i2, i4, i8, f2, f4, f8, c8 or c16",
       "convert with astype before saving");
}

// Column-major src to row-major dst; the last dimension runs fastest in dst.
template <class T>
void to_row_major(const T* src, T* dst, const ArrayRef::Sizes& sizes, int64_t numel) {
  ArrayRef::Sizes index(sizes.size()), stride(sizes.size());
  int64_t step = 1, n = sizes.size();
  for (int64_t d = 0; d < n; ++d) stride[d] = step, step *= sizes[d];
  int64_t inner = sizes[n - 1], inner_stride = stride[n - 1], at = 0;
  for (int64_t done = 0; done < numel; done += inner) {
    for (int64_t i = 0; i < inner; ++i)
      std::memcpy(dst++, src + at + i * inner_stride, sizeof(T));  // src may be unaligned
    for (int64_t d = n - 2; d >= 0; --d) {
      at += stride[d];
      if (++index[d] < sizes[d]) break;
      at -= stride[d] * sizes[d];
      index[d] = 0;
    }
  }
}

}  // namespace

std::string npy_header(const ArrayRef& a) {
  const Name* type = nullptr;
  for (const Name& n : kNames)
    if (n.dtype == a.dtype) type = &n;
  if (!type)
    fail(Code::dtype, concat("npy: NumPy has no ", dtype_name(a.dtype), " that haft writes"),
         "cast to float32 first, or write safetensors");
  int64_t bytes;
  if (!dense_bytes(a.sizes, a.dtype, &bytes) || bytes != a.bytes)
    fail(Code::invalid_argument,
         concat("npy: an array of shape ", a.sizes, " comes with ", a.bytes, " bytes"));
  std::string h = concat("{'descr': '", item_size(a.dtype) == 1 ? "|" : "<", type->text,
                         "', 'fortran_order': False, 'shape': (");
  for (int64_t i = 0; i < a.sizes.size(); ++i) h += concat(i ? ", " : "", a.sizes[i]);
  h += a.sizes.size() == 1 ? ",), }" : "), }";

  // Version 2 only widens the length. The elements begin at a multiple of 64.
  size_t lead = h.size() + 65 < 65536 ? 10 : 12;
  h.resize((lead + h.size() + 1 + 63) / 64 * 64 - lead - 1, ' ');
  h += '\n';
  uint32_t n = uint32_t(h.size());
  std::string out(kMagic);
  out += lead == 10 ? '\1' : '\2';
  out += '\0';
  out.append(reinterpret_cast<const char*>(&n), lead - 8);
  return out + h;
}

void write_npy(const std::string& path, const ArrayRef& array) {
  std::string header = npy_header(array);
  AtomicFile file(path);
  file.write(header);
  file.write(array.data, array.bytes);
  file.commit();
}

std::string encode_npy(const ArrayRef& array) {
  std::string out = npy_header(array);
  if (array.bytes) out.append(static_cast<const char*>(array.data), size_t(array.bytes));
  return out;
}

Array read_npy(const std::string& path) {
  auto block = map_file(path);
  return parse_npy(block->bytes(), concat("npy file ", quoted(path, 4096)), block);
}

Array parse_npy(std::span<const uint8_t> bytes, std::string_view where, const Ref<ByteBlock>& owner) {
  if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    fail(Code::corrupt, concat(where, ": does not begin as an npy file does"),
         "is this a raw dump, or a .npz? An archive of .npy files is opened as weights are");
  int major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    fail(Code::unsupported,
         concat(where, ": has the format version ", major, ".", minor, "; wanted 1.0, 2.0 or 3.0"));
  size_t lead = major == 1 ? 10 : 12;
  uint32_t n = 0;
  if (bytes.size() < lead) fail(Code::corrupt, concat(where, ": ends inside its header"));
  std::memcpy(&n, bytes.data() + 8, lead - 8);
  if (n > kMaxHeader || n > bytes.size() - lead)
    fail(Code::corrupt, concat(where, ": the header's length is ", n, ", but ", bytes.size() - lead,
                               " bytes follow and at most ", kMaxHeader, " are wanted"));

  Header h = HeaderReader({reinterpret_cast<const char*>(bytes.data()) + lead, n}, where).read();
  auto data = bytes.subspan(lead + n);
  Array a;
  a.dtype = parse_descr(h.descr, where);
  a.sizes = h.sizes;
  if (!dense_bytes(a.sizes, a.dtype, &a.bytes))
    fail(Code::corrupt, concat(where, ": has the shape ", a.sizes, ", whose bytes do not fit in 63 bits"));
  if (a.bytes != int64_t(data.size()))
    fail(Code::corrupt,
         concat(where, ": ", h.descr, " of shape ", a.sizes, " wants ", a.bytes, " bytes of data, but ",
                data.size(), " are there"),
         a.bytes > int64_t(data.size()) ? "was the file cut off while it was copied?"
                                        : "does the file hold several arrays?");
  a.data = data.data();
  a.owner = owner;
  if (a.dtype == DType::boolean)
    if (int64_t i = find_bad_bool(a.data, a.bytes); i >= 0)
      fail(Code::corrupt,
           concat(where, ": has the byte ", data[size_t(i)], " as boolean ", i, "; wanted 0 or 1"));

  if (h.fortran && a.sizes.size() > 1 && a.bytes > 0) {
    auto block = allocate_block(a.bytes);
    int64_t item = item_size(a.dtype), numel = a.bytes / item;
    if (item == 1)
      to_row_major(data.data(), block->data, a.sizes, numel);
    else if (item == 2)
      to_row_major(reinterpret_cast<const uint16_t*>(data.data()), reinterpret_cast<uint16_t*>(block->data),
                   a.sizes, numel);
    else if (item == 4)
      to_row_major(reinterpret_cast<const uint32_t*>(data.data()), reinterpret_cast<uint32_t*>(block->data),
                   a.sizes, numel);
    else
      to_row_major(reinterpret_cast<const uint64_t*>(data.data()), reinterpret_cast<uint64_t*>(block->data),
                   a.sizes, numel);
    a.data = block->data;
    a.owner = std::move(block);
  }
  align_array(a);
  return a;
}

}  // namespace haft
