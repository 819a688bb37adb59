#include "core/tensor/account.h"

#include "core/tensor/host_allocator.h"

namespace haft {

int64_t MemoryAccount::charge_at_limit(int64_t bytes) {
  ask_host_for_memory();
  const int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (now <= limit) return now;
  live.fetch_sub(bytes, std::memory_order_relaxed);
  fail(Code::out_of_memory,
       concat("the account's memory limit is ", limit, " bytes: ", bytes, " asked for, ", now - bytes,
              " live"),
       "release results, run less at once or raise the limit", kMemoryLimit);
}

}  // namespace haft
