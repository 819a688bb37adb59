// Reads sharded checkpoints: of each file the ranges that meet what is wanted, however it was cut when it was written.
#pragma once
#include <mutex>
#include <span>

#include "core/base/ref.h"
#include "core/io/safetensors.h"
#include "core/io/sharded_index.h"
#include "core/tensor/tensor.h"

namespace haft {

// A tensor that is a part of a whole, or all of it.
struct TensorPiece {
  std::string name;
  Tensor tensor;
  bool whole = true;             // the tensor is all there is; otherwise:
  std::vector<int64_t> shape;    // of the whole
  std::vector<int64_t> offsets;  // where the tensor begins in it, a number a dimension; or empty:
  int64_t first = 0;             // its elements are those of the row-major whole from this one on, if `flat`
  bool flat = false;
};

std::vector<int64_t> shape_of(const TensorPiece& p);
// The boxes that a piece is, whose data lie one behind the other in it; of none of its elements: none. Fails with
// Code::shape for what reaches beyond the whole.
std::vector<Box> boxes_of(const TensorPiece& p);

class ShardedReader : public RefCounted {
 public:
  explicit ShardedReader(std::string folder);
  const std::string& folder() const { return folder_; }
  const ShardedIndex& index() const { return index_; }

  // A new host tensor with all elements, on the mapped file where one piece has them.
  Tensor whole(const ShardedTensor& t);
  // Fills the tensors. All names that are missing and all shapes and types that do not fit (`cast`: types are cast)
  // make one error, and what is damaged is found, before any of them is written.
  void load(std::span<const TensorPiece> pieces, bool cast) { fill(pieces, check(pieces, cast)); }
  // The same in two steps: what may fail, and what is left to do. `all_of`: what the checkpoint has under names that
  // begin so, and no piece wants, is an error, too.
  using Wanted = std::vector<std::pair<const ShardedTensor*, std::vector<Box>>>;
  Wanted check(std::span<const TensorPiece> pieces, bool cast, std::string_view all_of = {});
  void fill(std::span<const TensorPiece> pieces, const Wanted& wanted);
  // One safetensors file with the whole tensors.
  void write_whole(const std::string& path);

 private:
  const Array& array_of(const ShardedTensor& t, const ShardedPiece& p);
  // The elements of these boxes, one behind the other.
  Tensor read(const ShardedTensor& t, std::span<const Box> boxes, IntList sizes);

  const std::string folder_;
  ShardedIndex index_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Safetensors>> files_;               // opened when asked for
  std::vector<std::map<std::string_view, const Array*>> arrays_;  // of each
};

}  // namespace haft
