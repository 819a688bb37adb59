// Ranks with a simulated GPU each, and what the simulation counts.
#pragma once
#include <dlfcn.h>

#include "core/backend/registry.h"
#include "tests/dist/ranks.h"

namespace haft::dist::testing {

inline Device gpu(int rank) { return {load_backend(HAFT_CUDA_PLUGIN), uint16_t(rank)}; }
inline Tensor there(std::vector<double> v, int rank) {
  return ops::to_device(numbers({int64_t(v.size())}, DType::f32, [&](int64_t i) { return v[size_t(i)]; }),
                        gpu(rank));
}
inline std::string text(const Tensor& t) {
  const Tensor h = ops::contiguous(ops::to_device(t, Device{}));
  std::string s;
  for (int64_t i = 0; i < h.numel(); ++i) s += concat(i ? " " : "", at(h, i));
  return s;
}

// The simulation is in the plug-in.
template <class F>
F* simulated(const char* name) {
  gpu(0);
  return reinterpret_cast<F*>(dlsym(dlopen(HAFT_CUDA_PLUGIN, RTLD_NOW | RTLD_NOLOAD), name));
}
// How often the host has waited for a device so far.
inline int64_t waits() { return simulated<int64_t()>("haft_simulated_waits")(); }
// Off: a device does nothing before the host waits for it, however often it is asked.
inline void let_queries_run(bool on) { simulated<void(int)>("haft_simulated_queries")(on); }

}  // namespace haft::dist::testing
