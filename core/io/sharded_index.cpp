#include "core/io/sharded_index.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/io/checkpoint_section.h"
#include "core/io/safetensors.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr std::string_view kFormat = "haft-sharded-checkpoint";

void append_numbers(std::string& out, const Box::Sizes& v) {
  out += '[';
  for (int64_t i = 0; i < v.size(); ++i) out += concat(i ? "," : "", v[i]);
  out += ']';
}

// Events of objects and lists become values of the place where they stand, which the keys on the way to it tell.
class IndexReader : public JsonHandler {
 public:
  explicit IndexReader(std::string_view where) : where_(where) {}
  ShardedIndex index;

  void begin_object() override {
    if (section_) return ++section_depth_, section_->begin_object();
    switch (state_) {
      case kStart: state_ = kTop; break;
      case kTensors: state_ = kTensorNames; break;
      case kTensor: state_ = kFields, fields_ = 0; break;
      case kPieces: state_ = kPieceFields, fields_ = 0, tensor().pieces.emplace_back(); break;
      case kSections: state_ = kSectionNames; break;
      case kSection: section_.emplace(where_), section_depth_ = 1, section_->begin_object(); return;
      default: unexpected("an object");
    }
  }
  void end_object() override {
    if (section_) return end_section();
    switch (state_) {
      case kFields: need(7, "dtype, shape and pieces"), state_ = kTensorNames; break;
      case kPieceFields: need(15, "file, key, offset and size"), state_ = kPieces; break;
      case kTensorNames:
      case kSectionNames: state_ = kTop; break;
      default: state_ = kDone;
    }
  }
  void key(std::string& k) override {
    if (section_) return section_->key(k);
    switch (state_) {
      case kTop:
        if (!top_.insert(k).second) bad(concat("has ", quoted(k), " twice"));
        if (!format_ && k != "format") bad(concat("begins with ", quoted(k), "; wanted \"format\""));
        if (format_ && !version_ && k != "version") bad("tells no version behind its format");
        state_ = k == "format"    ? kFormatValue
                 : k == "version" ? kVersionValue
                 : k == "files"   ? kFiles
                 : k == "tensors" ? kTensors
                                  : kSections;
        if (state_ == kSections && k != "sections") bad(concat("has the unknown field ", quoted(k)));
        break;
      case kTensorNames:
        index.tensors.emplace_back().name = std::move(k);
        state_ = kTensor;
        break;
      case kFields: {
        const int f = k == "dtype" ? 1 : k == "shape" ? 2 : k == "pieces" ? 4 : 0;
        field(f, k);
        state_ = f == 1 ? kDtype : f == 2 ? kShape : kPiecesBegin;
        break;
      }
      case kPieceFields: {
        const int f = k == "file" ? 1 : k == "key" ? 2 : k == "offset" ? 4 : k == "size" ? 8 : 0;
        field(f, k);
        state_ = f == 1 ? kFile : f == 2 ? kKey : f == 4 ? kOffset : kSize;
        break;
      }
      case kSectionNames:
        section_name_ = std::move(k);
        if (index.sections.count(section_name_))
          bad(concat("has the section ", quoted(section_name_), " twice"));
        state_ = kSection;
        break;
      default: unexpected("a field");
    }
  }
  void string(std::string& v) override {
    if (section_) return section_->string(v);
    switch (state_) {
      case kFormatValue:
        if (v != kFormat) bad(concat("is of the format ", quoted(v), "; wanted ", quoted(kFormat)));
        format_ = true;
        state_ = kTop;
        break;
      case kFileNames: index.files.push_back(std::move(v)); break;
      case kDtype:
        if ((tensor().dtype = safetensors_type(v)) == DType::none)
          bad(concat("has the dtype ", quoted(v), ", which haft does not have"));
        state_ = kFields;
        break;
      case kKey:
        piece().key = std::move(v);
        state_ = kPieceFields;
        break;
      default: unexpected("a string");
    }
  }
  void integer(int64_t v) override {
    if (section_) return section_->integer(v);
    switch (state_) {
      case kVersionValue:
        if (v < 1) bad(concat("has the version ", v));
        if (v > ShardedIndex::kVersion)
          fail(Code::unsupported,
               concat(where_, ": has the version ", v, "; this haft reads up to ", ShardedIndex::kVersion),
               "read it with the haft that wrote it, or a newer one");
        version_ = true;
        state_ = kTop;
        break;
      case kShapeValues: size(tensor().shape, v); break;
      case kFile:
        piece().file = v;
        state_ = kPieceFields;
        break;
      case kOffsetValues: size(piece().box.offsets, v); break;
      case kSizeValues: size(piece().box.sizes, v); break;
      default: unexpected("an integer");
    }
  }
  void begin_array() override {
    if (section_) return section_->begin_array();
    switch (state_) {
      case kFiles: state_ = kFileNames; break;
      case kShape: state_ = kShapeValues; break;
      case kPiecesBegin: state_ = kPieces, outer_ = fields_; break;
      case kOffset: state_ = kOffsetValues; break;
      case kSize: state_ = kSizeValues; break;
      default: unexpected("a list");
    }
  }
  void end_array() override {
    if (section_) return section_->end_array();
    switch (state_) {
      case kFileNames: state_ = kTop; break;
      case kShapeValues: state_ = kFields; break;
      case kPieces: state_ = kFields, fields_ = outer_; break;
      default: state_ = kPieceFields;
    }
  }
  void boolean(bool v) override { section_ ? section_->boolean(v) : unexpected("a boolean"); }
  void real(double v) override { section_ ? section_->real(v) : unexpected("a fraction"); }
  void null() override { section_ ? section_->null() : unexpected("null"); }

  // What only the whole tells.
  void finish() {
    for (const char* name : {"format", "version", "files", "tensors"})
      if (!top_.count(name)) bad(concat("lacks ", quoted(name)));
    std::set<std::string_view> files;
    for (const std::string& f : index.files) {
      if (f.empty() || f == "." || f == ".." || f.size() > 255 || f.find('/') != f.npos ||
          f.find('\0') != f.npos)
        bad(concat("names the file ", quoted(f), "; wanted a name within the folder"));
      if (!files.insert(f).second) bad(concat("names the file ", quoted(f), " twice"));
    }
    std::ranges::sort(index.tensors, {}, &ShardedTensor::name);
    std::set<std::pair<int64_t, std::string_view>> arrays;
    const std::string* before = nullptr;
    std::vector<const Box*> boxes;
    for (const ShardedTensor& t : index.tensors) {
      name_ = &t.name;
      if (before && *before == t.name) bad("stands there twice");
      before = &t.name;
      int64_t bytes;
      if (!dense_bytes(t.shape, t.dtype, &bytes))
        bad(concat("has the shape ", t.shape, ", whose bytes do not fit in 63 bits"));
      if (!bytes && !t.pieces.empty()) bad("has pieces, but no elements");
      boxes.clear();
      for (const ShardedPiece& p : t.pieces) {
        if (p.file < 0 || p.file >= int64_t(index.files.size()))
          bad(concat("has a piece in file ", p.file, "; there are ", int64_t(index.files.size())));
        if (std::string s = box_trouble(p.box, t.shape); !s.empty()) bad("has a piece that " + s);
        if (p.box.numel() == 0) bad("has an empty piece");
        if (!arrays.insert({p.file, p.key}).second)
          bad(concat("has the array ", quoted(p.key), " of ", quoted(index.files[size_t(p.file)]),
                     ", which another piece has"));
        boxes.push_back(&p.box);
      }
      if (std::string s = bytes ? tiling_trouble(boxes, t.shape) : ""; !s.empty())
        bad("has pieces that " + s);
    }
  }

 private:
  enum State {
    kStart,
    kTop,
    kFormatValue,
    kVersionValue,
    kFiles,
    kFileNames,
    kTensors,
    kTensorNames,
    kTensor,
    kFields,
    kDtype,
    kShape,
    kShapeValues,
    kPiecesBegin,
    kPieces,
    kPieceFields,
    kFile,
    kKey,
    kOffset,
    kOffsetValues,
    kSize,
    kSizeValues,
    kSections,
    kSectionNames,
    kSection,
    kDone
  };
  ShardedTensor& tensor() { return index.tensors.back(); }
  ShardedPiece& piece() { return tensor().pieces.back(); }
  void size(Box::Sizes& sizes, int64_t v) {
    if (sizes.size() == HAFT_MAX_DIMS) bad(concat("has more than ", HAFT_MAX_DIMS, " dimensions"));
    sizes.push_back(v);
  }
  void field(int bit, const std::string& k) {
    if (!bit) bad(concat("has the unknown field ", quoted(k)));
    if (fields_ & bit) bad(concat("has the field ", quoted(k), " twice"));
    fields_ |= bit;
  }
  void need(int all, const char* names) {
    if (fields_ != all) bad(concat("lacks one of the fields ", names));
  }
  void end_section() {
    section_->end_object();
    if (--section_depth_) return;
    index.sections.emplace(std::move(section_name_), std::move(section_->section));
    section_.reset();
    state_ = kSectionNames;
  }
  [[noreturn]] void unexpected(const char* got) { bad(concat("has ", got, " where it does not belong")); }
  [[noreturn]] void bad(std::string_view what) {
    const std::string* name = name_                                     ? name_
                              : state_ >= kTensor && state_ < kSections ? &tensor().name
                                                                        : nullptr;
    fail(Code::corrupt,
         concat(where_, ": ", name ? concat("tensor ", quoted(*name), " ") : std::string(), what));
  }

  std::string_view where_;
  State state_ = kStart;
  bool format_ = false, version_ = false;
  int fields_ = 0, outer_ = 0, section_depth_ = 0;
  std::set<std::string> top_;
  std::string section_name_;
  std::optional<SectionReader> section_;
  const std::string* name_ = nullptr;
};

}  // namespace

const ShardedTensor* ShardedIndex::find(std::string_view name) const {
  auto at = std::ranges::lower_bound(tensors, name, {},
                                     [](const ShardedTensor& t) { return std::string_view(t.name); });
  return at != tensors.end() && at->name == name ? &*at : nullptr;
}

std::string encode_index(const ShardedIndex& index) {
  std::string out =
      concat("{\"format\":\"", kFormat, "\",\"version\":", ShardedIndex::kVersion, ",\n\"files\":[");
  for (size_t i = 0; i < index.files.size(); ++i) {
    if (i) out += ',';
    append_json_string(out, index.files[i]);
  }
  out += "],\n\"tensors\":{";
  for (size_t i = 0; i < index.tensors.size(); ++i) {
    const ShardedTensor& t = index.tensors[i];
    out += i ? ",\n" : "\n";
    append_json_string(out, t.name);
    out += concat(":{\"dtype\":\"", safetensors_type(t.dtype), "\",\"shape\":");
    append_numbers(out, t.shape);
    out += ",\"pieces\":[";
    for (size_t p = 0; p < t.pieces.size(); ++p) {
      const ShardedPiece& piece = t.pieces[p];
      out += concat(p ? ",\n " : "", "{\"file\":", piece.file, ",\"key\":");
      append_json_string(out, piece.key);
      out += ",\"offset\":";
      append_numbers(out, piece.box.offsets);
      out += ",\"size\":";
      append_numbers(out, piece.box.sizes);
      out += '}';
    }
    out += "]}";
  }
  out += "},\n\"sections\":{";
  bool first = true;
  for (auto& [name, section] : index.sections) {
    out += first ? "\n" : ",\n";
    first = false;
    append_json_string(out, name);
    out += ':' + encode_section(name, section);
  }
  return out + "}}\n";
}

ShardedIndex parse_index(std::string_view text, std::string_view where) {
  IndexReader reader(where);
  parse_json(text, reader, where);
  reader.finish();
  return std::move(reader.index);
}

}  // namespace haft
