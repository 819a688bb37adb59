// The schedules of collectives over dense memory.
#pragma once
#include "core/dist/exchange.h"

namespace haft::dist {

// One block of memory for each rank, or a single one.
struct Block {
  std::byte* at;
  int64_t count;  // elements
};
struct Buffers {
  std::vector<Block> in, out;
};

// Comes back when all ranks have come to the same call; nothing is moved.
void agree_on(Exchange& x, const Header& call, Deadline deadline);
// `call` says what; blocks are as its kind wants them. Fails with the group's failure.
void run_collective(Exchange& x, const Header& call, const Buffers& b, Deadline deadline);

}  // namespace haft::dist
