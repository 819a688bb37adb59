// NVIDIA's libraries beside the runtime: opened when they are first needed, never linked, so that a machine that
// lacks one loses what it serves and nothing else. Their functions are declared by who calls them (cublaslt.h, ...),
// without NVIDIA's headers.
//
// They are looked for in the folders of HAFT_CUDA_LIB_PATH, then where the loader looks, in the packages of NVIDIA's
// that Python's site-packages has beside haft's own, and in /usr/local/cuda/lib64.
#pragma once
#include <span>
#include <string>

#include "core/base/log.h"

namespace haft::cuda {

enum class Library : int { cublaslt, cudnn, nccl, nvrtc, cupti, cusolver, cufft };
constexpr int kLibraryCount = 7;

struct LibraryFacts {
  const char* name;     // "cuBLASLt"
  const char* file;     // "libcublasLt.so.13"
  const char* feature;  // what is missing without it
  std::string path;     // empty where it is not there,
  std::string why;      // for this reason
  std::string version;  // "13.1.0"
};
LibraryFacts library_facts(Library l);  // opens it
void log_missing(Library l);            // that it is missing, what for and why, to haft's log

void log_line(LogLevel level, const std::string& text);

// Fills `table`, pointers in the order of `names`. False where the library is not there or lacks one of them, which
// its facts say from then on.
bool find_functions(Library l, std::span<const char* const> names, void** table);

// A struct of function pointers, looked up once: functions_of<CublasLt>(Library::cublaslt, kNames). NULL where they
// are not all there.
template <class Table, size_t kN>
const Table* functions_of(Library l, const char* const (&names)[kN]) {
  static_assert(sizeof(Table) == kN * sizeof(void*), "a name for each pointer");
  static Table table;
  static const bool there = find_functions(l, names, reinterpret_cast<void**>(&table));
  return there ? &table : nullptr;
}

}  // namespace haft::cuda
