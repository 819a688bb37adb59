// Runs one block of a launch; device code sees on_host.h instead.
#pragma once
#include "on_host.h"

namespace haft::cuda_on_host {

struct BlockLaunch {
  const void* function;
  void (*invoke)(const void* function, void** arguments);
  void** arguments;
  Index3 grid, block;
  size_t shared;
  mutable const void* stack_bottom = nullptr;  // of the thread that runs blocks, for the address sanitizer
  mutable size_t stack_size = 0;
};
void run_block(const BlockLaunch& launch, const Index3& at, bool backwards);

}  // namespace haft::cuda_on_host
