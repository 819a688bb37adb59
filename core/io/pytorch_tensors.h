// The tensors that a pickle of PyTorch's holds: their names, what memory they name and how they lie in it.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/array.h"
#include "core/io/pickle.h"

namespace haft {

struct StoredTensor {
  std::string name;
  std::string storage;  // the key of its memory
  DType dtype = DType::none;
  std::string type;    // PyTorch's word for it, for a dtype that haft lacks
  int64_t offset = 0;  // in elements
  ArrayRef::Sizes sizes, strides;
};

struct StoredMemory {
  DType dtype = DType::none;  // none: of a type that haft lacks
  std::string type;
  int64_t numel = 0;
};

struct StoredTensors {
  std::vector<StoredTensor> tensors;             // in the order of the pickle
  std::map<std::string, StoredMemory> storages;  // all that the pickle names, by key
};

StoredTensors find_tensors(const Pickle& pickle, std::string_view where);

}  // namespace haft
