#include "core/cpu/lapack.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/dynamic_library.h"

namespace haft::cpu {

namespace {

bool open(const std::string& path, Lapack* l) {
  DynamicLibrary library;
  if (!DynamicLibrary::try_open(path, &library, nullptr)) return false;
  // 1: threads of its own, which it has started by now.
  auto parallel = reinterpret_cast<int (*)()>(library.find("openblas_get_parallel"));
  if (parallel && parallel() == 1) return false;
  l->ssyevd = reinterpret_cast<Lapack::Syevd<float>>(library.find("ssyevd_"));
  l->dsyevd = reinterpret_cast<Lapack::Syevd<double>>(library.find("dsyevd_"));
  l->sgesdd = reinterpret_cast<Lapack::Gesdd<float>>(library.find("sgesdd_"));
  l->dgesdd = reinterpret_cast<Lapack::Gesdd<double>>(library.find("dgesdd_"));
  l->sgeev = reinterpret_cast<Lapack::Geev<float>>(library.find("sgeev_"));
  l->dgeev = reinterpret_cast<Lapack::Geev<double>>(library.find("dgeev_"));
  if (!l->ssyevd || !l->dsyevd || !l->sgesdd || !l->dgesdd || !l->sgeev || !l->dgeev) return false;
  l->get_threads = reinterpret_cast<int (*)()>(library.find("omp_get_max_threads"));
  l->set_threads =
      l->get_threads ? reinterpret_cast<void (*)(int)>(library.find("omp_set_num_threads")) : nullptr;
  library.keep();
  return true;
}

const Lapack* find() {
  static Lapack found;
  if (const char* named = secure_getenv("HAFT_LAPACK"))
    return std::string_view(named) != "none" && named[0] == '/' && open(named, &found) ? &found : nullptr;
#ifdef __x86_64__
  for (const char* build : {"openblas-serial", "openblas-openmp"})
    if (open(std::string("/usr/lib/x86_64-linux-gnu/") + build + "/liblapack.so.3", &found)) return &found;
#endif
  return open("liblapack.so.3", &found) ? &found : nullptr;
}

}  // namespace

const Lapack* lapack() {
  static const Lapack* const found = find();
  return found;
}

}  // namespace haft::cpu
