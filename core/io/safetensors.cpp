#include "core/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/json_reader.h"
#include "core/io/mapped_file.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr int64_t kMaxHeaderBytes = 100'000'000;  // the reference implementation's limit

struct TypeName {
  DType dtype;
  std::string_view text;
};
constexpr TypeName kTypes[] = {
    {DType::boolean, "BOOL"},   {DType::u8, "U8"},   {DType::i8, "I8"},   {DType::i16, "I16"},
    {DType::i32, "I32"},        {DType::i64, "I64"}, {DType::f16, "F16"}, {DType::bf16, "BF16"},
    {DType::f32, "F32"},        {DType::f64, "F64"}, {DType::c64, "C64"}, {DType::f8e4m3fn, "F8_E4M3"},
    {DType::f8e5m2, "F8_E5M2"},
};
// Types that the format has and haft does not: a valid file, so not Code::corrupt.
constexpr std::string_view kForeign[] = {"U16",     "U32",     "U64",         "F4",         "F6_E2M3",
                                         "F6_E3M2", "F8_E8M0", "F8_E5M2FNUZ", "F8_E4M3FNUZ"};

struct Entry {
  std::string name, dtype_text;
  DType dtype = DType::none;
  ArrayRef::Sizes sizes;
  int64_t begin = 0, end = 0;
};

std::string of(std::string_view where, const std::string& name) {
  return concat(where, ": array ", quoted(name));
}

// Accepts exactly the header's grammar; any other event is a violation at its place.
class ArraysReader : public JsonHandler {
 public:
  explicit ArraysReader(std::string_view where) : where_(where) {}

  std::vector<Entry> entries;
  Metadata metadata;

  void begin_object() override {
    if (state_ == kStart)
      state_ = kNames;
    else if (state_ == kEntryOrMetadata)
      state_ = in_metadata_ ? kMetadata : kFields;
    else
      unexpected("an object");
  }
  void end_object() override {
    if (state_ == kFields) finish_entry();
    state_ = state_ == kNames ? kDone : kNames;
  }
  void key(std::string& k) override {
    if (state_ == kNames) {
      if (!names_.insert(k).second)
        fail(Code::corrupt, concat(of(where_, k), " appears twice in the header"));
      in_metadata_ = k == "__metadata__";
      entry_ = Entry();
      entry_.name = std::move(k);
      seen_ = 0;
      state_ = kEntryOrMetadata;
    } else if (state_ == kMetadata) {
      metadata_key_ = std::move(k);
      state_ = kMetadataValue;
    } else {
      int bit = k == "dtype" ? 1 : k == "shape" ? 2 : k == "data_offsets" ? 4 : 0;
      if (bit == 0)
        fail(Code::corrupt, concat(of(where_, entry_.name), " has the field ", quoted(k),
                                   "; wanted only dtype, shape and data_offsets"));
      if (seen_ & bit)
        fail(Code::corrupt, concat(of(where_, entry_.name), " has the field ", quoted(k), " twice"));
      seen_ |= bit;
      state_ = bit == 1 ? kDtype : bit == 2 ? kShape : kOffsets;
    }
  }
  void string(std::string& s) override {
    if (state_ == kDtype) {
      entry_.dtype_text = std::move(s);
      state_ = kFields;
    } else if (state_ == kMetadataValue) {
      if (!metadata.emplace(metadata_key_, std::move(s)).second)
        fail(Code::corrupt, concat(where_, ": __metadata__ has the key ", quoted(metadata_key_), " twice"));
      state_ = kMetadata;
    } else {
      unexpected("a string");
    }
  }
  void integer(int64_t v) override {
    if (state_ == kSizes) {
      if (v < 0)
        fail(Code::corrupt, concat(of(where_, entry_.name), " has the size ", v, "; wanted 0 or more"));
      entry_.sizes.push_back(v);
    } else if (state_ == kOffsetValues && offsets_ < 2) {
      if (v < 0)
        fail(Code::corrupt,
             concat(of(where_, entry_.name), " has the data offset ", v, "; wanted 0 or more"));
      (offsets_++ ? entry_.end : entry_.begin) = v;
    } else {
      unexpected("an integer");
    }
  }
  void begin_array() override {
    if (state_ == kShape)
      state_ = kSizes;
    else if (state_ == kOffsets)
      state_ = kOffsetValues, offsets_ = 0;
    else
      unexpected("a list");
  }
  void end_array() override {
    if (state_ == kOffsetValues && offsets_ != 2)
      fail(Code::corrupt, concat(of(where_, entry_.name), " has ", offsets_, " data offsets; wanted 2"));
    state_ = kFields;
  }
  void null() override { unexpected("null"); }
  void boolean(bool) override { unexpected("a boolean"); }
  void real(double) override { unexpected("a fraction"); }

 private:
  enum State {
    kStart,
    kNames,
    kEntryOrMetadata,
    kMetadata,
    kMetadataValue,
    kFields,
    kDtype,
    kShape,
    kSizes,
    kOffsets,
    kOffsetValues,
    kDone,
  };

  void finish_entry() {
    const char* missing = !(seen_ & 1)   ? "dtype"
                          : !(seen_ & 2) ? "shape"
                          : !(seen_ & 4) ? "data_offsets"
                                         : nullptr;
    if (missing) fail(Code::corrupt, concat(of(where_, entry_.name), " lacks the field ", missing));
    entries.push_back(std::move(entry_));
  }
  [[noreturn]] void unexpected(const char* got) {
    static constexpr const char* wanted[] = {"an object with the arrays' names",
                                             "a name",
                                             "an object",
                                             "a key",
                                             "a string",
                                             "a field's name",
                                             "a string as dtype",
                                             "a list as shape",
                                             "an integer as size",
                                             "a list as data_offsets",
                                             "two integers as data_offsets",
                                             "the end"};
    std::string at = state_ == kStart ? std::string(where_) + ": header"
                     : in_metadata_   ? std::string(where_) + ": __metadata__"
                                      : of(where_, entry_.name);
    fail(Code::corrupt, concat(at, " has ", got, "; wanted ", wanted[state_]));
  }

  std::string_view where_;
  State state_ = kStart;
  bool in_metadata_ = false;
  int seen_ = 0, offsets_ = 0;
  Entry entry_;
  std::string metadata_key_;
  std::set<std::string> names_;
};

// `size` is the number of bytes after the header.
void check_entries(std::vector<Entry>& entries, int64_t size, std::string_view where) {
  for (Entry& e : entries) {
    e.dtype = safetensors_type(e.dtype_text);
    if (e.dtype == DType::none) {
      bool foreign = std::find(std::begin(kForeign), std::end(kForeign), e.dtype_text) != std::end(kForeign);
      fail(foreign ? Code::dtype : Code::corrupt,
           concat(of(where, e.name), " has the dtype ", quoted(e.dtype_text),
                  foreign ? ", which haft does not have" : ", which the format does not have",
                  "; wanted BOOL, U8, I8, I16, I32, I64, F16, BF16, F32 or F64"));
    }
    std::string spans = concat(" has data_offsets [", e.begin, ", ", e.end, "]");
    if (e.begin > e.end)
      fail(Code::corrupt, concat(of(where, e.name), spans, "; wanted the second not to be smaller"));
    if (e.end > size)
      fail(Code::corrupt, concat(of(where, e.name), spans, ", but the file holds ", size, " bytes of data"));
    int64_t want;
    if (!dense_bytes(e.sizes, e.dtype, &want))
      fail(Code::corrupt,
           concat(of(where, e.name), " has the shape ", e.sizes, ", whose bytes do not fit in 63 bits"));
    if (want != e.end - e.begin)
      fail(Code::corrupt, concat(of(where, e.name), spans, ", which is ", e.end - e.begin, " bytes; ",
                                 e.dtype_text, " of shape ", e.sizes, " wants ", want));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end != b.end ? a.end < b.end : a.name < b.name;
  });
  int64_t at = 0;
  for (const Entry& e : entries) {
    if (e.begin != at)
      fail(Code::corrupt,
           concat(of(where, e.name), " begins at data offset ", e.begin,
                  e.begin < at ? ", inside the array before it" : ", which leaves a hole", "; wanted ", at));
    at = e.end;
  }
  if (at != size)
    fail(Code::corrupt, concat(where, ": holds ", size, " bytes of data, but its arrays end at ", at));
}

struct Layout {
  std::vector<const ArrayRef*> order;
  std::string prefix;  // header length and header
};

Layout lay_out(std::span<const ArrayRef> arrays, const Metadata& metadata) {
  Layout l;
  for (const ArrayRef& a : arrays) l.order.push_back(&a);
  std::sort(l.order.begin(), l.order.end(), [](const ArrayRef* a, const ArrayRef* b) {
    int64_t x = item_size(a->dtype), y = item_size(b->dtype);
    return x != y ? x > y : a->name < b->name;
  });

  std::string h = "{";
  if (!metadata.empty()) {
    h += "\"__metadata__\":{";
    for (auto& [key, value] : metadata) {
      if (!valid_utf8(key) || !valid_utf8(value))
        fail(Code::invalid_argument, concat("safetensors: the metadata ", quoted(key), " is not UTF-8"));
      if (h.back() != '{') h += ',';
      append_json_string(h, key);
      h += ':';
      append_json_string(h, value);
    }
    h += '}';
  }
  std::set<std::string_view> names;
  int64_t at = 0;
  for (const ArrayRef* a : l.order) {
    std::string who = concat("safetensors: array ", quoted(a->name));
    if (a->name == "__metadata__" || !valid_utf8(a->name))
      fail(Code::invalid_argument,
           concat(who, a->name == "__metadata__" ? " has the name that the format reserves"
                                                 : " has a name that is not UTF-8"));
    if (!names.insert(a->name).second)
      fail(Code::invalid_argument, concat(who, " is given twice; names must differ"));
    const std::string_view type = safetensors_type(a->dtype);
    if (type.empty())
      fail(Code::dtype, concat(who, " is of ", dtype_name(a->dtype), ", which is not written"),
           "write real and imaginary part as two arrays");
    int64_t bytes, end;
    if (!dense_bytes(a->sizes, a->dtype, &bytes) || bytes != a->bytes ||
        __builtin_add_overflow(at, bytes, &end))
      fail(Code::invalid_argument, concat(who, " of shape ", a->sizes, " comes with ", a->bytes, " bytes"));
    if (h.size() > 1) h += ',';
    append_json_string(h, a->name);
    h += concat(":{\"dtype\":\"", type, "\",\"shape\":[");
    for (int64_t i = 0; i < a->sizes.size(); ++i) h += concat(i ? "," : "", a->sizes[i]);
    h += concat("],\"data_offsets\":[", at, ",", end, "]}");
    at = end;
  }
  h += '}';
  h.resize((h.size() + 7) / 8 * 8, ' ');
  if (int64_t(h.size()) > kMaxHeaderBytes)
    fail(Code::invalid_argument, concat("safetensors: the header would have ", h.size(),
                                        " bytes; the format allows ", kMaxHeaderBytes));
  uint64_t n = h.size();
  l.prefix.assign(reinterpret_cast<const char*>(&n), 8);
  l.prefix += h;
  return l;
}

}  // namespace

std::string_view safetensors_type(DType t) {
  for (const TypeName& n : kTypes)
    if (n.dtype == t) return n.text;
  return {};
}

DType safetensors_type(std::string_view name) {
  for (const TypeName& n : kTypes)
    if (n.text == name) return n.dtype;
  return DType::none;
}

const Array* Safetensors::find(std::string_view name) const {
  for (const Array& a : arrays)
    if (a.name == name) return &a;
  return nullptr;
}

void write_safetensors(const std::string& path, std::span<const ArrayRef> arrays, const Metadata& metadata) {
  Layout l = lay_out(arrays, metadata);
  AtomicFile file(path);
  file.write(l.prefix);
  for (const ArrayRef* a : l.order) file.write(a->data, a->bytes);
  file.commit();
}

std::string encode_safetensors(std::span<const ArrayRef> arrays, const Metadata& metadata) {
  Layout l = lay_out(arrays, metadata);
  for (const ArrayRef* a : l.order)
    if (a->bytes) l.prefix.append(static_cast<const char*>(a->data), size_t(a->bytes));
  return std::move(l.prefix);
}

Safetensors read_safetensors(const std::string& path) {
  auto block = map_file(path);
  return parse_safetensors(block->bytes(), concat("safetensors file ", quoted(path, 4096)), block);
}

Safetensors parse_safetensors(std::span<const uint8_t> bytes, std::string_view where,
                              const Ref<ByteBlock>& owner) {
  if (bytes.size() < 8)
    fail(Code::corrupt,
         concat(where, ": has ", bytes.size(), " bytes; wanted at least the 8 of the header's length"));
  uint64_t n;
  std::memcpy(&n, bytes.data(), 8);
  if (n > uint64_t(kMaxHeaderBytes))
    fail(Code::corrupt, concat(where, ": the header's length is ", n, "; wanted at most ", kMaxHeaderBytes),
         "is this a safetensors file?");
  if (n > bytes.size() - 8)
    fail(Code::corrupt,
         concat(where, ": the header's length is ", n, ", but only ", bytes.size() - 8, " bytes follow"),
         "was the file cut off while it was copied?");
  std::string_view header(reinterpret_cast<const char*>(bytes.data()) + 8, size_t(n));
  if (header.empty() || header[0] != '{')
    fail(Code::corrupt, concat(where, ": the header does not begin with '{'"), "is this a safetensors file?");

  ArraysReader reader(where);
  parse_json(header, reader, where);
  auto data = bytes.subspan(8 + size_t(n));
  check_entries(reader.entries, int64_t(data.size()), where);

  Safetensors out;
  out.metadata = std::move(reader.metadata);
  out.arrays.reserve(reader.entries.size());
  for (Entry& e : reader.entries) {
    Array a;
    a.name = std::move(e.name);
    a.dtype = e.dtype;
    a.sizes = std::move(e.sizes);
    a.bytes = e.end - e.begin;
    a.data = data.data() + e.begin;
    a.owner = owner;
    if (a.dtype == DType::boolean)
      if (int64_t i = find_bad_bool(a.data, a.bytes); i >= 0)
        fail(Code::corrupt,
             concat(of(where, a.name), " has the byte ", static_cast<const uint8_t*>(a.data)[i],
                    " as element ", i, "; wanted 0 or 1"));
    align_array(a);  // the format promises no alignment, only good writers do
    out.arrays.push_back(std::move(a));
  }
  return out;
}

}  // namespace haft
