#include "core/cuda/library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <mutex>
#include <vector>

#include "core/base/dynamic_library.h"
#include "core/base/error.h"
#include "core/cuda/kernel.h"

#ifdef HAFT_CUDA_ON_HOST
namespace haft::cuda_on_host {
// Of the simulation that is linked in, in place of a library's; NULL: it has none.
void* simulated_function(const char* name);
}  // namespace haft::cuda_on_host
#endif

namespace haft::cuda {

namespace {

std::string three(int major, int minor, int patch) { return concat(major, ".", minor, ".", patch); }

// What a library says of its own version; nothing where it lacks the function.
std::string version_of(Library l, auto&& find) {
  if (l == Library::nvrtc) {
    int major = 0, minor = 0;
    auto f = reinterpret_cast<int (*)(int*, int*)>(find("nvrtcVersion"));
    return f && f(&major, &minor) == 0 ? concat(major, ".", minor) : "";
  }
  if (l == Library::nccl) {
    int v = 0;
    auto f = reinterpret_cast<int (*)(int*)>(find("ncclGetVersion"));
    return f && f(&v) == 0 ? three(v / 10000, v / 100 % 100, v % 100) : "";
  }
  if (l == Library::cusolver || l == Library::cufft) {
    int v = 0;
    auto f = reinterpret_cast<int (*)(int*)>(
        find(l == Library::cusolver ? "cusolverGetVersion" : "cufftGetVersion"));
    return f && f(&v) == 0 ? three(v / 1000, v / 100 % 10, v % 100) : "";
  }
  if (l == Library::cupti) {
    uint32_t v = 0;
    auto f = reinterpret_cast<int (*)(uint32_t*)>(find("cuptiGetVersion"));
    return f && f(&v) == 0 ? three(int(v / 10000), int(v / 100 % 100), int(v % 100)) : "";
  }
  auto f =
      reinterpret_cast<size_t (*)()>(find(l == Library::cudnn ? "cudnnGetVersion" : "cublasLtGetVersion"));
  if (!f) return "";
  const int v = int(f());
  return three(v / 10000, v / 100 % 100, v % 100);
}

struct Opened {
  LibraryFacts facts;
  const char* package;  // NVIDIA's folder in site-packages
  bool tried = false;
  DynamicLibrary library;

  void* find(const char* name) const {
#ifdef HAFT_CUDA_ON_HOST
    return cuda_on_host::simulated_function(name);
#else
    return library.find(name);
#endif
  }
};
std::mutex mutex;
Opened& entry(Library l) {
  static auto* all = new Opened[kLibraryCount]{
      {{"cuBLASLt", "libcublasLt.so.13", "matrix products take haft's own, slower kernels", {}, {}, {}},
       "cu13"},
      {{"cuDNN", "libcudnn.so.9", "convolutions and attention take haft's own, slower kernels", {}, {}, {}},
       "cudnn"},
      {{"NCCL", "libnccl.so.2", "GPUs of a process group exchange by way of the host", {}, {}, {}}, "nccl"},
      {{"NVRTC", "libnvrtc.so.13", "chains of pointwise operators are not fused", {}, {}, {}}, "cu13"},
      {{"CUPTI", "libcupti.so.13", "profiles have no rows of kernels and copies", {}, {}, {}}, "cu13"},
      {{"cuSOLVER", "libcusolver.so.12", "matrices are not decomposed on GPUs", {}, {}, {}}, "cu13"},
      {{"cuFFT", "libcufft.so.12", "Fourier transforms are refused on GPUs", {}, {}, {}}, "cu13"}};
  return all[int(l)];
}

#ifdef HAFT_CUDA_ON_HOST
void open(Library l, Opened& o) {
  o.facts.version = version_of(l, [&](const char* name) { return o.find(name); });
  if (o.facts.version.empty())
    o.facts.why = "the simulation has none";
  else
    o.facts.path = "simulated";
}
#else
// The file as the loader found it.
std::string path_of(void* function) {
  Dl_info info;
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

void open(Library l, Opened& o) {
  std::vector<std::string> files;
  std::string tried;
  const char* named = std::getenv("HAFT_CUDA_LIB_PATH");
  for (std::string_view rest = named ? named : ""; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (folder.starts_with('/'))
      files.push_back(concat(folder, "/", o.facts.file));
    else if (!folder.empty())  // what a process loads must not depend on where it stands
      tried += concat("\n  ", folder, ": HAFT_CUDA_LIB_PATH wants absolute folders");
  }
  files.push_back(o.facts.file);
  const std::string here = path_of(reinterpret_cast<void*>(&library_facts));
  if (const size_t end = here.rfind('/'); end != std::string::npos)
    files.push_back(concat(here.substr(0, end), "/../nvidia/", o.package, "/lib/", o.facts.file));
  files.push_back(concat("/usr/local/cuda/lib64/", o.facts.file));
  if (l == Library::cupti) files.push_back(concat("/usr/local/cuda/extras/CUPTI/lib64/", o.facts.file));

  for (const std::string& file : files) {
    std::string error;
    if (!DynamicLibrary::try_open(file, &o.library, &error)) {
      tried += concat("\n  ", error);
      continue;
    }
    auto find = [&](const char* name) { return o.find(name); };
    o.facts.version = version_of(l, find);
    if (o.facts.version.empty()) {
      tried += concat("\n  ", file, ": does not tell its version");
      o.library.close();
      continue;
    }
    const char* known[] = {"cublasLtGetVersion", "cudnnGetVersion", "ncclGetVersion",
                           "nvrtcVersion",       "cuptiGetVersion", "cusolverGetVersion",
                           "cufftGetVersion"};
    static_assert(std::size(known) == size_t(kLibraryCount));
    o.facts.path = path_of(o.find(known[int(l)]));
    return;
  }
  o.facts.why = concat(o.facts.file, " is not there. Tried:", tried);
}
#endif

Opened& opened(Library l) {
  Opened& o = entry(l);
  if (!o.tried) {
    o.tried = true;
    open(l, o);
  }
  return o;
}

}  // namespace

LibraryFacts library_facts(Library l) {
  std::lock_guard lock(mutex);
  return opened(l).facts;
}

void log_line(LogLevel level, const std::string& text) {
  if (host && host->log) host->log(int32_t(level), text.c_str());
}
void log_missing(Library l) {
  const LibraryFacts f = library_facts(l);
  log_line(LogLevel::warning, concat(f.name, " is missing: ", f.feature, ". ", f.why));
}

bool find_functions(Library l, std::span<const char* const> names, void** table) {
  std::lock_guard lock(mutex);
  Opened& o = opened(l);
  if (o.facts.path.empty()) return false;
  for (size_t i = 0; i < names.size(); ++i) {
    table[i] = o.find(names[i]);
    if (table[i]) continue;
    o.facts.why = concat(o.facts.path, " (", o.facts.version, ") has no ", names[i], ": it is too old");
    o.facts.path.clear();
    return false;
  }
  return true;
}

}  // namespace haft::cuda
