// Blocks of fibers.
#include "on_host.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "blocks.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

#ifndef __x86_64__
#error "fibers are written for x86-64"
#endif

// Saves what the ABI wants kept, stores the stack pointer in *from and goes on where `to` was left.
extern "C" void haft_cuda_switch(void** from, void* to);
asm(R"(
.text
.type haft_cuda_switch, @function
haft_cuda_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size haft_cuda_switch, .-haft_cuda_switch
)");

namespace haft::cuda_on_host {

namespace {

constexpr size_t kStack = 256 << 10;
constexpr int kLanes = 32;
constexpr uint64_t kNobody = 0xdeaddeaddeaddeadull;

struct Fiber {
  char* stack = nullptr;
  void* sp = nullptr;
  Place place;
  bool running = false;             // has begun and not ended
  const uint64_t* until = nullptr;  // waits for *until to differ from `seen`
  uint64_t seen = 0;
  int lane = 0;
  struct Warp* warp = nullptr;
};
struct Warp {
  int alive = 0, arrived = 0;
  uint64_t passed = 0;  // barriers; its last bit says which half of `slots` is written next
  uint64_t slots[2][kLanes];
};
struct Block {
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  std::vector<char> shared;
  int alive = 0, arrived = 0;
  uint64_t passed = 0;
  const BlockLaunch* launch = nullptr;
  void* scheduler = nullptr;
  Fiber* now = nullptr;
};
thread_local Block* current = nullptr;

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "device code: %s\n", what);
  std::abort();
}

void to_scheduler() {
  Fiber* f = current->now;
#ifdef __SANITIZE_ADDRESS__
  void* fake;
  __sanitizer_start_switch_fiber(&fake, current->launch->stack_bottom, current->launch->stack_size);
  haft_cuda_switch(&f->sp, current->scheduler);
  // Perhaps for another launch, of another thread: where that one's stack lies is told anew.
  __sanitizer_finish_switch_fiber(fake, &current->launch->stack_bottom, &current->launch->stack_size);
#else
  haft_cuda_switch(&f->sp, current->scheduler);
#endif
}

// A barrier of a block or a warp whose last thread has come.
void pass(Block& b) {
  b.arrived = 0;
  ++b.passed;
}
void pass(Warp& w) {
  w.arrived = 0;
  ++w.passed;
  for (uint64_t& s : w.slots[w.passed & 1]) s = kNobody;  // all have read what stood there
}
template <class Group>
void wait_at(Group& g) {
  if (++g.arrived == g.alive) return pass(g);
  Fiber* f = current->now;
  f->until = &g.passed;
  f->seen = g.passed;
  to_scheduler();
}
template <class Group>
void leave(Group& g) {  // who has ended is not waited for
  if (--g.alive > 0 && g.arrived == g.alive) pass(g);
}

extern "C" void haft_cuda_fiber() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(nullptr, &current->launch->stack_bottom, &current->launch->stack_size);
#endif
  for (;;) {
    current->launch->invoke(current->launch->function, current->launch->arguments);
    Fiber* f = current->now;
    f->running = false;
    leave(*f->warp);
    leave(*current);
    to_scheduler();
  }
}

void enter(Fiber& f) {
  if (!f.stack) {
    f.stack = static_cast<char*>(
        mmap(nullptr, kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (f.stack == MAP_FAILED) wrong("no memory for a thread's stack");
    void** top = reinterpret_cast<void**>(f.stack + kStack);
    *--top = nullptr;  // the ABI's alignment at a function's entry
    *--top = reinterpret_cast<void*>(haft_cuda_fiber);
    top -= 6;
    f.sp = top;
  }
  current->now = &f;
#ifdef __SANITIZE_ADDRESS__
  void* fake;
  __sanitizer_start_switch_fiber(&fake, f.stack, kStack);
  haft_cuda_switch(&current->scheduler, f.sp);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
  haft_cuda_switch(&current->scheduler, f.sp);
#endif
}

}  // namespace

Place& place() { return current->now->place; }
void* dynamic_shared() { return current->shared.data(); }
int lane() { return current->now->lane; }
void sync_block() { wait_at(*current); }
void sync_warp() { wait_at(*current->now->warp); }
uint64_t exchange(uint64_t mine, int from) {
  Warp& w = *current->now->warp;
  uint64_t* slots = w.slots[w.passed & 1];
  slots[current->now->lane] = mine;
  sync_warp();
  return from >= 0 && from < kLanes ? slots[from] : kNobody;
}
unsigned ballot(bool mine) {
  Warp& w = *current->now->warp;
  uint64_t* slots = w.slots[w.passed & 1];
  slots[current->now->lane] = mine;
  sync_warp();
  unsigned all = 0;
  for (int i = 0; i < kLanes; ++i) all |= unsigned(slots[i] == 1) << i;
  return all;
}

void run_block(const BlockLaunch& launch, const Index3& at, bool backwards) {
  static thread_local Block block;
  if (current) wrong("a kernel was launched by a kernel");
  current = &block;
  block.launch = &launch;
  const int n = int(launch.block.x * launch.block.y * launch.block.z);
  if (n < 1 || n > 1024) wrong("a block has 1 to 1024 threads");
  if (int(block.fibers.size()) < n) block.fibers.resize(size_t(n));
  block.warps.assign(size_t((n + kLanes - 1) / kLanes), {});
  block.shared.assign(launch.shared + 16, char(0xff));
  block.alive = n;
  block.arrived = 0;
  for (Warp& w : block.warps)
    for (auto& half : w.slots)
      for (uint64_t& s : half) s = kNobody;
  for (int i = 0; i < n; ++i) {
    Fiber& f = block.fibers[size_t(i)];
    const unsigned u = unsigned(i), x = launch.block.x, y = launch.block.y;
    f.place = {{u % x, u / x % y, u / x / y}, at, launch.block, launch.grid};
    f.lane = i % kLanes;
    f.warp = &block.warps[size_t(i / kLanes)];
    ++f.warp->alive;
    f.until = nullptr;
    f.running = false;
  }
  // The first round begins every thread; later ones go on with those whose barrier was passed.
  std::vector<bool> begun(size_t(n), false);
  for (bool any = true; any && block.alive;) {
    any = false;
    for (int k = 0; k < n; ++k) {
      const int i = backwards ? n - 1 - k : k;
      Fiber& f = block.fibers[size_t(i)];
      if (!begun[size_t(i)]) {
        begun[size_t(i)] = true;
        f.running = true;
      } else if (!f.running || (f.until && *f.until == f.seen)) {
        continue;
      }
      f.until = nullptr;
      any = true;
      enter(f);
    }
  }
  if (block.alive) wrong("a barrier that not all threads of the block or warp reach");
  current = nullptr;
}

}  // namespace haft::cuda_on_host
