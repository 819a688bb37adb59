// oneDNN behind a cache of ready-made calls: a primitive with its memory objects is built once per shape and thread
// that runs it at the same time. It always runs on the calling thread: our own pool decides what runs beside what.
#pragma once
#include <oneapi/dnnl/dnnl.h>

#include <cstdint>
#include <memory>
#include <span>

#include "core/tensor/view.h"

namespace haft::cpu {

void check_dnnl(dnnl_status_t status, const char* what);  // fails with internal, or out_of_memory
dnnl_engine_t dnnl_cpu_engine();

// Holds oneDNN's OpenMP team of this thread at one while it lives; the host program's setting comes back
// after. Primitives are created under it too, because they bake the number of threads in.
class SingleThreaded {
  int saved_;

 public:
  SingleThreaded();
  ~SingleThreaded();
  SingleThreaded(const SingleThreaded&) = delete;
};

dnnl_data_type_t dnnl_dtype(uint8_t dtype);  // HAFT_FLOAT32 or HAFT_BFLOAT16
bool cpu_has_bf16();                         // bf16 multiply-add in hardware
bool cpu_has_tiles();                        // and whole tiles of them (AMX)

dnnl_memory_desc_t tagged_desc(dnnl_data_type_t type, std::span<const int64_t> dims, dnnl_format_tag_t tag);
dnnl_memory_desc_t strided_desc(dnnl_data_type_t type, std::span<const int64_t> dims,
                                std::span<const int64_t> strides);

// A primitive and its arguments. Belongs to one thread at a time.
class DnnlCall {
 public:
  static constexpr int kMaxArgs = 6;
  DnnlCall() = default;
  ~DnnlCall();
  DnnlCall(const DnnlCall&) = delete;

  // Takes pd, which must have been created with dnnl_user_attr(); `ids` are the DNNL_ARG_* in the order of run().
  void build(dnnl_primitive_desc_t pd, std::span<const int> ids);
  void build_reorder(const dnnl_memory_desc_t& from, const dnnl_memory_desc_t& to);
  void run(std::initializer_list<const void*> data);
  bool ready() const { return primitive_ != nullptr; }
  int64_t note[8] = {};  // the owner's facts about the call

 private:
  dnnl_primitive_t primitive_ = nullptr;
  dnnl_exec_arg_t args_[kMaxArgs + 1] = {};
  const void* handle_[kMaxArgs + 1] = {};  // what each memory object holds
  int count_ = 0;
  int64_t scratch_ = 0;
};

// Creates a primitive descriptor with user scratchpad; nullptr when oneDNN has no implementation for it.
dnnl_primitive_desc_t try_primitive_desc(const void* op_desc, dnnl_primitive_desc_t hint = nullptr);

// What one cached call is for: kind, shape, layouts, packed into words by the caller.
struct CallKey {
  static constexpr int kWords = 14;
  uint64_t word[kWords] = {};
  bool operator==(const CallKey&) const = default;
  // Sizes of one call fit in 32 bits each; larger tensors are refused before.
  static constexpr uint64_t pair(int64_t a, int64_t b) {
    return uint64_t(a) << 32 | (uint64_t(b) & 0xffffffffu);
  }
};

// This thread's cached call for the key; an empty one (ready() == false) the first time. The reference is
// good until the next cached_call().
DnnlCall& cached_call(const CallKey& key);

}  // namespace haft::cpu
