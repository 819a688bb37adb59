#include "core/rpc/shared_tensor.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include "core/base/descriptor.h"
#include "core/base/thread_state.h"
#include "core/nn/set_data.h"
#include "core/ops/functions.h"

namespace haft::rpc {

namespace {

constexpr std::string_view kKind = "haft-shared 1 ";
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

struct Block {
  Descriptor memory;
  void* at = nullptr;
  size_t bytes = 0;
  ~Block() {
    if (at) munmap(at, bytes);
  }
};

void release(Storage& s) { delete static_cast<Block*>(s.owner); }

[[noreturn]] void fail_system(const char* what) {
  const int error = errno;
  fail(Code::unavailable, concat("shared memory: ", what, ": ", std::strerror(error)));
}

Ref<Storage> map(Descriptor memory, size_t bytes) {
  auto block = std::make_unique<Block>();
  block->memory = std::move(memory);
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, block->memory.get(), 0);
  if (at == MAP_FAILED)
    fail(Code::out_of_memory,
         concat("cannot map ", bytes, " bytes of shared memory: ", std::strerror(errno)));
  block->at = at;
  block->bytes = bytes;
  Ref<Storage> s = wrap_storage(Device{}, at, int64_t(bytes), release, block.get());
  block.release();
  s->expose();  // others write: nothing derived from it may be kept
  return s;
}

const Block& block_of(const Tensor& t) {
  if (!is_shared(t))
    fail(Code::invalid_argument, "the tensor is not in shared memory", "share_memory moves it there", "t");
  return *static_cast<Block*>(t.impl()->storage->owner);
}

ino_t inode_of(int fd) {
  struct stat st;
  if (fstat(fd, &st) != 0) fail_system("fstat");
  return st.st_ino;
}

}  // namespace

bool is_shared(const Tensor& t) { return t.impl()->storage && t.impl()->storage->release == release; }

void share_memory(const Tensor& t) {
  if (is_shared(t)) return;
  if (!t.device().is_cpu())
    fail(Code::device, "only tensors of the CPU can be shared between processes", {}, "t");
  NoGradGuard no_grad;
  const Tensor dense = ops::contiguous(t);
  const auto bytes = size_t(std::max<int64_t>(dense.bytes(), 1));
  Descriptor memory(memfd_create("haft-tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) fail_system("memfd_create");
  if (ftruncate(memory.get(), off_t(bytes)) != 0) fail_system("ftruncate");
  // Nobody makes it shorter under the feet of those who have mapped it.
  if (fcntl(memory.get(), F_ADD_SEALS, kSeals) != 0) fail_system("F_ADD_SEALS");
  Ref<Storage> s = map(std::move(memory), bytes);
  if (dense.bytes()) std::memcpy(s->data, dense.data<void>(), size_t(dense.bytes()));
  nn::set_data(t, tensor_over(std::move(s), dense.sizes(), contiguous_strides(dense.sizes()), dense.dtype()));
}

std::string shared_name(const Tensor& t) {
  const Block& b = block_of(t);
  const int64_t offset = (t.data<char>() - static_cast<char*>(b.at)) / item_size(t.dtype());
  std::string s = concat(kKind, int64_t(getpid()), " ", b.memory.get(), " ",
                         uint64_t(inode_of(b.memory.get())), " ", int(t.dtype()), " ", offset, " ", t.ndim());
  for (int64_t n : t.sizes()) s += concat(" ", n);
  for (int64_t n : t.strides()) s += concat(" ", n);
  return s;
}

Tensor open_shared(std::string_view name) {
  const std::string_view whole = name;
  auto bad = [&](const char* what) {
    fail(Code::invalid_argument, concat("'", whole, "' names no shared tensor: ", what),
         "it comes from the name of a shared tensor", "name");
  };
  if (!name.starts_with(kKind)) bad("it begins otherwise");
  name.remove_prefix(kKind.size() - 1);
  auto next = [&](int64_t most) {
    int64_t n = -1;
    if (name.empty() || name[0] != ' ') bad("a number is missing");
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), n);
    if (error != std::errc() || n < 0 || n > most) bad("a number is wrong");
    name.remove_prefix(size_t(end - name.data()));
    return n;
  };
  const int64_t process = next(INT32_MAX), descriptor = next(INT32_MAX), inode = next(INT64_MAX),
                dtype = next(kDTypeCount - 1), offset = next(INT64_MAX), ndim = next(HAFT_MAX_DIMS);
  std::vector<int64_t> sizes, strides;
  for (int64_t i = 0; i < ndim; ++i) sizes.push_back(next(INT64_MAX));
  for (int64_t i = 0; i < ndim; ++i) strides.push_back(next(INT64_MAX));
  if (!name.empty() || dtype == 0) bad("it goes on");

  Descriptor memory(open(concat("/proc/", process, "/fd/", descriptor).c_str(), O_RDWR | O_CLOEXEC));
  struct stat st = {};
  if (!memory || fstat(memory.get(), &st) != 0 || int64_t(st.st_ino) != inode)
    fail(Code::unavailable, concat("the shared memory of process ", process, " is gone or out of reach"),
         "that process must live and keep the tensor, on this machine and of the same user", "name");
  if ((fcntl(memory.get(), F_GET_SEALS) & kSeals) != kSeals) bad("what it names is not haft's");
  // The last element lies within.
  int64_t last = offset;
  bool empty = false;
  for (int64_t i = 0; i < ndim; ++i) {
    int64_t step;
    empty |= sizes[size_t(i)] == 0;
    if (sizes[size_t(i)] > 0 && (__builtin_mul_overflow(sizes[size_t(i)] - 1, strides[size_t(i)], &step) ||
                                 __builtin_add_overflow(last, step, &last)))
      bad("its sizes are impossible");
  }
  const int64_t room = st.st_size / item_size(DType(dtype));
  if (empty ? offset > room : last >= room) bad("it is larger than its memory");
  return tensor_over(map(std::move(memory), size_t(st.st_size)), sizes, strides, DType(dtype), offset);
}

}  // namespace haft::rpc
