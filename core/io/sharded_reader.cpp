#include "core/io/sharded_reader.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/dispatch/defaults.h"
#include "core/io/mapped_file.h"
#include "core/io/tensors.h"
#include "core/io/text.h"
#include "core/ops/functions.h"

namespace haft {

namespace {

void append_item(std::string& list, int64_t& count, const std::string& item) {
  constexpr int64_t kShown = 20;
  if (count++ < kShown) list += concat(list.empty() ? "" : ", ", item);
}
void append_list(std::string& text, const char* what, const std::string& list, int64_t count) {
  if (!count) return;
  text += concat(text.empty() ? "" : "; ", what, " ", list);
  if (count > 20) text += concat(" and ", count - 20, " more");
}

}  // namespace

std::vector<int64_t> shape_of(const TensorPiece& p) {
  return p.whole ? std::vector<int64_t>(p.tensor.sizes().begin(), p.tensor.sizes().end()) : p.shape;
}

std::vector<Box> boxes_of(const TensorPiece& p) {
  const std::vector<int64_t> shape = shape_of(p);
  const auto refuse = [&](const std::string& what) {
    fail(Code::shape, concat("the piece of ", quoted(p.name), " ", what), {}, "pieces");
  };
  int64_t bytes;
  if (!dense_bytes(shape, p.tensor.dtype(), &bytes))
    refuse(concat("is of a whole of ", shape, ", whose bytes do not fit in 63 bits"));
  if (p.flat) {
    const int64_t all = bytes / item_size(p.tensor.dtype()), n = p.tensor.numel();
    if (p.first < 0 || p.first > all || n > all - p.first)
      refuse(concat("has ", n, " elements from ", p.first, " on; the whole of ", shape, " has ", all));
    return n ? boxes_of_range(shape, p.first, n) : std::vector<Box>();
  }
  Box b;
  b.sizes.assign(p.tensor.sizes());
  if (p.whole)
    b.offsets.resize(b.sizes.size());
  else
    b.offsets.assign(p.offsets);
  if (std::string s = box_trouble(b, shape); !s.empty()) refuse(s);
  return p.tensor.numel() ? std::vector<Box>{b} : std::vector<Box>();
}

ShardedReader::ShardedReader(std::string folder) : folder_(std::move(folder)) {
  auto block = map_file(concat(folder_, "/", ShardedIndex::kFile));
  index_ = parse_index({reinterpret_cast<const char*>(block->data), size_t(block->size)},
                       concat("checkpoint ", quoted(folder_, 4096)));
  files_.resize(index_.files.size());
  arrays_.resize(index_.files.size());
}

const Array& ShardedReader::array_of(const ShardedTensor& t, const ShardedPiece& p) {
  std::lock_guard lock(mutex_);
  const size_t f = size_t(p.file);
  if (!files_[f]) {
    auto file = std::make_unique<Safetensors>(read_safetensors(concat(folder_, "/", index_.files[f])));
    std::map<std::string_view, const Array*> names;
    for (const Array& a : file->arrays) names.emplace(a.name, &a);
    arrays_[f] = std::move(names);
    files_[f] = std::move(file);
  }
  auto at = arrays_[f].find(p.key);
  const Array* a = at == arrays_[f].end() ? nullptr : at->second;
  if (!a || a->dtype != t.dtype || !std::ranges::equal(a->sizes, p.box.sizes))
    fail(Code::corrupt,
         concat("checkpoint ", quoted(folder_, 4096), ": ", quoted(index_.files[f]),
                a ? concat(" has ", quoted(p.key), " as ", dtype_name(a->dtype), " of ", a->sizes)
                  : concat(" has no array ", quoted(p.key)),
                "; tensor ", quoted(t.name), " wants ", dtype_name(t.dtype), " of ", p.box.sizes));
  return *a;
}

Tensor ShardedReader::read(const ShardedTensor& t, std::span<const Box> boxes, IntList sizes) {
  // All files first: what is asked for is there before memory is.
  std::vector<std::pair<const ShardedPiece*, const Array*>> from;
  for (const ShardedPiece& p : t.pieces)
    if (std::ranges::any_of(boxes, [&](const Box& b) { return intersect(b, p.box).has_value(); }))
      from.emplace_back(&p, &array_of(t, p));
  if (boxes.size() == 1 && from.size() == 1 && from[0].first->box == boxes[0]) {
    Array a = *from[0].second;
    a.sizes.assign(sizes);
    return to_tensor(a);
  }
  Tensor out = new_tensor(sizes, t.dtype);
  const int64_t item = item_size(t.dtype);
  char* at = out.data<char>();
  for (const Box& b : boxes) {
    for (auto& [piece, array] : from)
      if (auto both = intersect(b, piece->box)) copy_box(*both, piece->box, array->data, b, at, item);
    at += b.numel() * item;
  }
  return out;
}

Tensor ShardedReader::whole(const ShardedTensor& t) {
  int64_t bytes;
  dense_bytes(t.shape, t.dtype, &bytes);
  const Box all = whole_box(t.shape);
  return read(t, bytes ? std::span<const Box>(&all, 1) : std::span<const Box>(), t.shape);
}

ShardedReader::Wanted ShardedReader::check(std::span<const TensorPiece> pieces, bool cast,
                                           std::string_view all_of) {
  std::string missing, unexpected, shapes, types, trouble;
  int64_t missing_count = 0, unexpected_count = 0, shape_count = 0, type_count = 0;
  Wanted wanted;
  for (const TensorPiece& p : pieces) {
    const ShardedTensor* t = index_.find(p.name);
    if (!t) {
      append_item(missing, missing_count, quoted(p.name));
      continue;
    }
    const std::vector<int64_t> shape = shape_of(p);
    if (!std::ranges::equal(shape, t->shape)) {
      append_item(shapes, shape_count, concat(quoted(p.name), " (", t->shape, ", wanted ", shape, ")"));
      continue;
    }
    if (!cast && p.tensor.dtype() != t->dtype)
      append_item(
          types, type_count,
          concat(quoted(p.name), " (", dtype_name(t->dtype), ", wanted ", dtype_name(p.tensor.dtype()), ")"));
    wanted.emplace_back(t, boxes_of(p));
  }
  if (!all_of.empty())
    for (const ShardedTensor& t : index_.tensors)
      if (t.name.starts_with(all_of) && std::ranges::find(pieces, t.name, &TensorPiece::name) == pieces.end())
        append_item(unexpected, unexpected_count, quoted(t.name));
  append_list(trouble, "missing", missing, missing_count);
  append_list(trouble, "unexpected", unexpected, unexpected_count);
  append_list(trouble, "wrong shape", shapes, shape_count);
  append_list(trouble, "wrong type", types, type_count);
  if (!trouble.empty())
    fail(shape_count                                         ? Code::shape
         : type_count && !missing_count && !unexpected_count ? Code::dtype
                                                             : Code::invalid_argument,
         concat("checkpoint ", quoted(folder_, 4096), " does not fit: ", trouble),
         type_count && !shape_count && !missing_count && !unexpected_count
             ? "load it with cast to convert types"
             : "",
         "pieces");
  for (auto& [t, boxes] : wanted)
    for (const ShardedPiece& p : t->pieces)
      if (std::ranges::any_of(boxes, [&](const Box& b) { return intersect(b, p.box).has_value(); }))
        array_of(*t, p);
  return wanted;
}

void ShardedReader::fill(std::span<const TensorPiece> pieces, const Wanted& wanted) {
  NoGradGuard off;
  for (size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i].tensor.numel())
      ops::copy_(pieces[i].tensor, read(*wanted[i].first, wanted[i].second, pieces[i].tensor.sizes()));
}

void ShardedReader::write_whole(const std::string& path) {
  std::vector<Array> arrays;
  for (const ShardedTensor& t : index_.tensors) arrays.push_back(to_array(t.name, whole(t)));
  write_safetensors(path, std::vector<ArrayRef>(arrays.begin(), arrays.end()), {{"format", "pt"}});
}

}  // namespace haft
