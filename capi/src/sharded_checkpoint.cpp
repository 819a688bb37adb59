// Checkpoints that ranks write together.
#include <haft/sharded_checkpoint.h>

#include <cstring>

#include "capi/src/checkpoint_arguments.h"
#include "capi/src/group_handle.h"
#include "capi/src/rpc_handle.h"
#include "core/io/text.h"
#include "core/parallel/sharded_parts.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct ReaderObject final : HandleObject {
  Ref<ShardedReader> value;
};

Ref<ShardedReader> reader_of(const haft_sharded_checkpoint* c) {
  return object_of<ReaderObject>(c, HandleType::sharded_checkpoint, 0, "c").value;
}

std::vector<TensorPiece> pieces_arg(const haft_checkpoint_piece* pieces, int64_t count, int index) {
  if (count < 0 || (count && !pieces))
    fail_argument(Code::invalid_argument,
                  concat("pieces must be an array of piece_count >= 0 pieces, got ",
                         pieces ? "count " : "NULL with count ", count),
                  index, "pieces");
  std::vector<TensorPiece> out;
  for (int64_t i = 0; i < count; ++i) {
    const haft_checkpoint_piece& given = pieces[i];
    for (int64_t word : given.reserved) check_reserved(word, index, "pieces");
    TensorPiece& p = out.emplace_back();
    p.name = to_text(given.name, index, "pieces.name");
    p.tensor = arg(given.tensor, index, "pieces.tensor");
    p.whole = !given.shape;
    if (p.whole && (given.offsets || given.first))
      fail_argument(Code::invalid_argument,
                    concat("the piece of ", quoted(p.name), " has a place, but no shape of the whole"), index,
                    "pieces");
    if (p.whole) continue;
    const IntList shape = int_list(given.shape, given.ndim, index, "pieces.shape");
    p.shape.assign(shape.begin(), shape.end());
    p.flat = !given.offsets;
    p.first = given.first;
    if (p.flat) continue;
    if (given.first)
      fail_argument(Code::invalid_argument,
                    concat("the piece of ", quoted(p.name), " has offsets and a first element"), index,
                    "pieces");
    const IntList offsets = int_list(given.offsets, given.ndim, index, "pieces.offsets");
    p.offsets.assign(offsets.begin(), offsets.end());
  }
  return out;
}

const CheckpointSection& values_of(const ShardedReader& r) {
  static const CheckpointSection& none = *new CheckpointSection;
  const auto at = r.index().sections.find("values");
  return at == r.index().sections.end() ? none : at->second;
}

template <class Of>
void check_index(int64_t index, const Of& of, const char* what) {
  if (index < 0 || index >= int64_t(of.size()))
    fail_argument(Code::index, concat("index ", index, " is outside the ", int64_t(of.size()), " ", what), 1,
                  "index");
}

}  // namespace

extern "C" {

haft_status haft_sharded_checkpoint_save(haft_process_group* g, const char* folder,
                                         const haft_checkpoint_piece* pieces, int64_t piece_count,
                                         const haft_checkpoint_parts* parts, const haft_key_value* values,
                                         int64_t value_count, haft_future** out) noexcept {
  return boundary("haft_sharded_checkpoint_save", [&] {
    CancelGuard guard;
    Ref<dist::Group> group;
    if (g) group = group_of(g);
    std::string where;
    std::vector<TensorPiece> ps;
    CheckpointSection section;
    std::optional<Parts> p;
    CheckpointParts given;
    given.default_generator = false;
    try {
      where = to_text(folder, 1, "folder");
      ps = pieces_arg(pieces, piece_count, 2);
      section = values_arg(values, value_count, 5);
      if (parts) given = p.emplace(parts, 4).parts;
    } catch (...) {
      parallel::tell_failed_save(group);
      throw;
    }
    if (!out) return parallel::save_sharded_parts(std::move(group), where, ps, given, section, {});
    auto future = make_ref<rpc::Future>();
    haft_future* h = hand_out_future(future);
    try {
      parallel::save_sharded_parts(std::move(group), where, ps, given, section,
                                   [future](std::shared_ptr<const Error> error) {
                                     if (future->answer({}, std::move(error))) future->call_back();
                                   });
    } catch (...) {
      release_handle(h, HandleType::future);
      throw;
    }
    *out = h;
  });
}

haft_status haft_sharded_checkpoint_open(const char* folder, haft_sharded_checkpoint** out) noexcept {
  return boundary("haft_sharded_checkpoint_open", [&] {
    CancelGuard guard;
    check_out(out, 1, "out");
    auto h = make_ref<ReaderObject>();
    h->value = make_ref<ShardedReader>(std::string(to_text(folder, 0, "folder")));
    *out = hand_out_object<haft_sharded_checkpoint>(HandleType::sharded_checkpoint, std::move(h));
  });
}

haft_status haft_sharded_checkpoint_retain(haft_sharded_checkpoint* c) noexcept {
  return boundary("haft_sharded_checkpoint_retain",
                  [&] { retain_handle(c, HandleType::sharded_checkpoint); });
}
void haft_sharded_checkpoint_release(haft_sharded_checkpoint* c) noexcept {
  release_handle(c, HandleType::sharded_checkpoint);
}

haft_status haft_sharded_checkpoint_get_count(const haft_sharded_checkpoint* c, int64_t* out) noexcept {
  return boundary("haft_sharded_checkpoint_get_count", [&] {
    check_out(out, 1, "out");
    *out = int64_t(reader_of(c)->index().tensors.size());
  });
}

haft_status haft_sharded_checkpoint_get_tensor_info(const haft_sharded_checkpoint* c, int64_t index,
                                                    haft_sharded_tensor_info* info) noexcept {
  return boundary("haft_sharded_checkpoint_get_tensor_info", [&] {
    check_out(info, 2, "info");
    const uint32_t size = info->struct_size;
    haft_sharded_tensor_info r =
        options_of(info, haft_sharded_tensor_info HAFT_SHARDED_TENSOR_INFO_INIT, 2, "info");
    auto reader = reader_of(c);
    const auto& tensors = reader->index().tensors;
    check_index(index, tensors, "tensors");
    const ShardedTensor& t = tensors[size_t(index)];
    r = {size, int32_t(t.dtype), t.name.c_str(), t.shape.data(), t.shape.size(), int64_t(t.pieces.size())};
    std::memcpy(info, &r, std::min<size_t>(size, sizeof r));
  });
}

haft_status haft_sharded_checkpoint_tensor(const haft_sharded_checkpoint* c, const char* name,
                                           haft_tensor** out) noexcept {
  return boundary("haft_sharded_checkpoint_tensor", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    auto reader = reader_of(c);
    const ShardedTensor* t = reader->index().find(to_text(name, 1, "name"));
    if (!t)
      fail_argument(Code::invalid_argument,
                    concat("checkpoint ", quoted(reader->folder(), 4096), " holds no tensor ", quoted(name)),
                    1, "name");
    emit(out, reader->whole(*t));
  });
}

haft_status haft_sharded_checkpoint_load(const haft_sharded_checkpoint* c,
                                         const haft_checkpoint_piece* pieces, int64_t piece_count,
                                         int32_t cast, const haft_checkpoint_parts* parts,
                                         int32_t rank) noexcept {
  return boundary("haft_sharded_checkpoint_load", [&] {
    CancelGuard guard;
    auto reader = reader_of(c);
    const std::vector<TensorPiece> ps = pieces_arg(pieces, piece_count, 1);
    const bool casts = to_bool(cast, 3, "cast");
    std::optional<Parts> p;
    CheckpointParts given;
    given.default_generator = false;
    if (parts) given = p.emplace(parts, 4).parts;
    parallel::load_sharded_parts(*reader, rank, ps, casts, given);
  });
}

haft_status haft_sharded_checkpoint_get_value_count(const haft_sharded_checkpoint* c, int64_t* out) noexcept {
  return boundary("haft_sharded_checkpoint_get_value_count", [&] {
    check_out(out, 1, "out");
    *out = int64_t(values_of(*reader_of(c)).size());
  });
}

haft_status haft_sharded_checkpoint_get_value(const haft_sharded_checkpoint* c, int64_t index,
                                              haft_key_value* out) noexcept {
  return boundary("haft_sharded_checkpoint_get_value", [&] {
    check_out(out, 2, "out");
    auto reader = reader_of(c);
    const CheckpointSection& values = values_of(*reader);
    check_index(index, values, "values");
    const auto& [key, value] = *std::next(values.begin(), index);
    *out = value_to(key, value);
  });
}

haft_status haft_sharded_checkpoint_find_value(const haft_sharded_checkpoint* c, const char* key,
                                               haft_key_value* out) noexcept {
  return boundary("haft_sharded_checkpoint_find_value", [&] {
    check_out(out, 2, "out");
    auto reader = reader_of(c);
    const CheckpointSection& values = values_of(*reader);
    const auto at = values.find(std::string(to_text(key, 1, "key")));
    if (at == values.end())
      fail_argument(Code::invalid_argument, concat("the checkpoint holds no value ", quoted(key)), 1, "key");
    *out = value_to(at->first, at->second);
  });
}

haft_status haft_sharded_checkpoint_to_file(const haft_sharded_checkpoint* c, const char* path) noexcept {
  return boundary("haft_sharded_checkpoint_to_file", [&] {
    CancelGuard guard;
    reader_of(c)->write_whole(std::string(to_text(path, 1, "path")));
  });
}

}  // extern "C"
