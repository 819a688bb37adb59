// Tensors in memory that several processes map: what one writes the others read, element by element. The memory has
// no name in the file system and goes with its last owner, also when that is killed.
#pragma once
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace haft::rpc {

// Moves a tensor of the CPU into such memory; it keeps its identity (nn/set_data.h). Nothing when it is there already.
void share_memory(const Tensor& t);
bool is_shared(const Tensor& t);
// By which processes of the same user on the same machine open it, as long as this process keeps the memory:
// "haft-shared 1 <process> <descriptor> <inode> <dtype> <offset> <ndim> <sizes> <strides>".
std::string shared_name(const Tensor& t);
Tensor open_shared(std::string_view name);

}  // namespace haft::rpc
