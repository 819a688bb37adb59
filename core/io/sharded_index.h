// The index of a sharded checkpoint, checkpoint.json in its folder: which box of which tensor lies where. The pieces
// are arrays of safetensors files beside it, so that other tools read them, too.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/boxes.h"
#include "core/io/checkpoint_file.h"

namespace haft {

struct ShardedPiece {
  int64_t file = 0;  // in ShardedIndex::files
  std::string key;   // the array's name there
  Box box;
};

struct ShardedTensor {
  std::string name;
  DType dtype = DType::none;
  ArrayRef::Sizes shape;
  std::vector<ShardedPiece> pieces;  // all of it once; none of them is empty
};

struct ShardedIndex {
  static constexpr int kVersion = 1;
  static constexpr const char* kFile = "checkpoint.json";

  std::vector<std::string> files;      // names within the folder
  std::vector<ShardedTensor> tensors;  // in the order of their names
  std::map<std::string, CheckpointSection> sections;

  const ShardedTensor* find(std::string_view name) const;
};

std::string encode_index(const ShardedIndex& index);
// All that an index says of itself is checked: pieces are all of their tensor once, every array is used by one piece,
// files are names without a folder. Code::corrupt, or Code::unsupported for a newer version, in messages that begin
// with `where`.
ShardedIndex parse_index(std::string_view text, std::string_view where);

}  // namespace haft
