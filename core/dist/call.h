// What a rank calls: the few facts that all ranks of a group must agree on. They travel before the data of each
// call and are compared before anything is reduced or written.
#pragma once
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/tensor/dtype.h"
#include "core/tensor/shape.h"

namespace haft::dist {

enum class Kind : uint8_t {
  none,
  broadcast,
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  reduce_scatter,
  all_to_all,
  barrier,
  monitored_barrier,
  send,
  recv,
};
const char* kind_name(Kind k);

// Values are those of haft/process_group.h.
enum class ReduceOp : uint8_t { sum, prod, min, max, avg, band, bor, bxor };
constexpr int kReduceOps = 8;
const char* reduce_name(ReduceOp op);

constexpr uint32_t kMagic = 0x68616674;  // "haft"

// Precedes the data of a call on each stream that the call uses.
struct Header {
  uint32_t magic = kMagic;
  Kind kind = Kind::none;
  DType dtype = DType::none;
  ReduceOp reduce = ReduceOp::sum;
  uint8_t ndim = 0;
  int32_t root = -1;
  uint8_t uneven = 0;  // 1: ranks may bring different shapes
  uint8_t device = 0;  // 1: tensors of devices, of which each rank has its own
  // Whose parameters move, by the number that all ranks give it; 0: nobody's in particular.
  uint16_t unit = 0;
  uint64_t seq = 0;  // from 1, in the order in which the group's calls were issued
  int64_t link = 0;  // elements that follow on this stream
  int64_t sizes[8] = {};
};
static_assert(sizeof(Header) == 96);  // of 16: what follows stays aligned

// "all_reduce #7 (float32 [2, 3], sum)"
std::string describe(const Header& h);

// Whether both may be one call; link apart.
bool agree(const Header& a, const Header& b);
// The reason, when they do not. `theirs` came from another process and may hold anything.
std::string mismatch_text(int my_rank, const Header& mine, int their_rank, const Header& theirs);

}  // namespace haft::dist
