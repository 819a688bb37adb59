#include "core/io/tensors.h"

#include <cstring>

#include "core/backend/commit.h"
#include "core/dispatch/host_access.h"
#include "core/dispatch/layout.h"
#include "core/io/text.h"

namespace haft {

namespace {

struct StorageBlock : ByteBlock {
  Ref<Storage> storage;
};

}  // namespace

Array to_array(std::string name, const Tensor& t) {
  Array a;
  a.name = std::move(name);
  a.dtype = t.dtype();
  a.sizes.assign(t.sizes());
  a.bytes = t.bytes();
  if (a.bytes == 0) return a;
  TensorImpl& memory = resolve(*t.impl(), false);
  if (t.device().is_cpu() && memory.view.contiguous) {
    auto block = make_ref<StorageBlock>();
    block->storage = memory.storage;
    check_committed(*memory.storage, "save", memory.view.data);
    block->data = static_cast<uint8_t*>(memory.view.data);
    block->size = a.bytes;
    a.data = block->data;
    a.owner = std::move(block);
  } else {
    auto block = allocate_block(a.bytes);
    copy_to_host(t, block->data);
    a.data = block->data;
    a.owner = std::move(block);
  }
  return a;
}

Tensor to_tensor(const Array& a) {
  if (a.sizes.size() > HAFT_MAX_DIMS)
    fail(Code::shape, concat("the array ", quoted(a.name), " has ", a.sizes.size(),
                             " dimensions; a tensor has at most ", HAFT_MAX_DIMS));
  // A tensor of a few bytes lives inside its storage; it should not hold a whole file in memory.
  if (!a.owner || a.bytes <= kInlineBytes) {
    Tensor t = new_tensor(a.sizes, a.dtype);
    if (a.bytes) std::memcpy(t.data<void>(), a.data, size_t(a.bytes));
    return t;
  }
  Ref<ByteBlock> owner = a.owner;
  auto storage = wrap_storage(
      Device{}, const_cast<void*>(a.data), a.bytes,
      [](Storage& s) { Ref<ByteBlock>::adopt(static_cast<ByteBlock*>(s.owner)); }, owner.get());
  owner.leak();
  return tensor_over(std::move(storage), a.sizes, contiguous_strides(a.sizes), a.dtype);
}

}  // namespace haft
