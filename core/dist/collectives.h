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

// How many elements a rank gives each and gets from each, where ranks have parts of their own; empty: as the call says.
struct Amounts {
  std::vector<int64_t> gives, gets;
};
// Comes back when all ranks have come to the same call, of the same amounts; nothing is moved.
void agree_on(Exchange& x, const Header& call, const Amounts& amounts, Deadline deadline);
// `call` says what; blocks are as its kind wants them. Fails with the group's failure.
void run_collective(Exchange& x, const Header& call, const Buffers& b, Deadline deadline);

}  // namespace haft::dist
