// What nvrtc.cpp adds behind a kernel's text that it compiles for the host: how the simulation gets in, and the text
// reaches it.
#pragma once
#include <utility>

#include "tests/cuda/on_host/on_host.h"

namespace haft::cuda_on_host {

struct Hooks {
  Place& (*place)();
  void* (*dynamic_shared)();
  void (*sync_block)();
  void (*sync_warp)();
  uint64_t (*exchange)(uint64_t, int);
  unsigned (*ballot)(bool);
  int (*lane)();
};

#ifdef HAFT_CUDA_COMPILED
static Hooks hooks;
Place& place() { return hooks.place(); }
void* dynamic_shared() { return hooks.dynamic_shared(); }
void sync_block() { hooks.sync_block(); }
void sync_warp() { hooks.sync_warp(); }
uint64_t exchange(uint64_t mine, int from) { return hooks.exchange(mine, from); }
unsigned ballot(bool mine) { return hooks.ballot(mine); }
int lane() { return hooks.lane(); }

template <class... P>
void invoke(void (*kernel)(P...), void** a) {
  [&]<size_t... I>(std::index_sequence<I...>) { kernel(*static_cast<P*>(a[I])...); }
  (std::index_sequence_for<P...>());
}
extern "C" void haft_attach(const Hooks* h) { hooks = *h; }
extern "C" void haft_invoke(const void*, void** a) { invoke(haft::cuda::haft_fused, a); }
#endif

}  // namespace haft::cuda_on_host
