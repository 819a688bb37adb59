// What happens where a plug-in or a library is looked for, as text for loading.py.
//
//   loading plugin FILE [abi|hash]       opens a plug-in as the engine does (with an ABI or operators of another haft):
//                                        "serves N devices" and the description of each, or its reason
//   loading libraries                    NVIDIA's libraries, a line each: "cuDNN 9.19.0 /path" or "cuDNN - reason"
//   loading functions NAME FUNCTION...   whether that library has these functions
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/cuda/kernel.h"
#include "core/cuda/library.h"
#include "core/schema/op_hash.h"

namespace haft::cuda {
const haft_backend_host* host = nullptr;
}

namespace {

using namespace haft;
using namespace haft::cuda;

int plugin(const char* file, const char* other) {
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::printf("does not load: %s\n", dlerror()), 1;
  auto entry = reinterpret_cast<haft_backend_entry_fn>(dlsym(library, HAFT_BACKEND_ENTRY));
  if (!entry) return std::printf("no entry\n"), 1;
  haft_backend_host engine{sizeof(haft_backend_host),
                           HAFT_BACKEND_ABI,
                           "1.0.0",
                           kOpsHash,
                           kOpCount,
                           nullptr,
                           nullptr,
                           nullptr,
                           nullptr,
                           nullptr};
  if (!std::strcmp(other, "abi")) ++engine.abi;
  if (!std::strcmp(other, "hash")) ++engine.ops_hash;
  char reason[512] = "";
  const haft_backend* table = entry(&engine, reason, sizeof reason);
  if (!table) return std::printf("refuses: %s\n", reason), 1;
  int32_t count = 0;
  if (table->device_count(&count, reason, sizeof reason))
    return std::printf("counts nothing: %s\n", reason), 1;
  std::printf("serves %d devices\n", count);
  for (int32_t i = 0; i < count; ++i) {
    char text[8192];
    if (table->describe(i, text, sizeof text, reason, sizeof reason))
      return std::printf("says nothing: %s\n", reason), 1;
    std::printf("%s\n", text);
  }
  return 0;
}

int libraries() {
  for (int i = 0; i < kLibraryCount; ++i) {
    const LibraryFacts l = library_facts(Library(i));
    if (l.path.empty())
      std::printf("%s - %s\n", l.name, l.why.c_str());
    else
      std::printf("%s %s %s\n", l.name, l.version.c_str(), l.path.c_str());
  }
  return 0;
}

int functions(const char* name, std::vector<const char*> names) {
  std::vector<void*> table(names.size());
  for (int i = 0; i < kLibraryCount; ++i) {
    const Library l = Library(i);
    if (std::strcmp(library_facts(l).name, name)) continue;
    const bool there = find_functions(l, names, table.data());
    std::printf("%s\n", there ? "there" : library_facts(l).why.c_str());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && !std::strcmp(argv[1], "plugin")) return plugin(argv[2], argc > 3 ? argv[3] : "");
  if (argc == 2 && !std::strcmp(argv[1], "libraries")) return libraries();
  if (argc > 3 && !std::strcmp(argv[1], "functions")) return functions(argv[2], {argv + 3, argv + argc});
  return 2;
}
