// What the plug-in says of itself to people: its file, the driver, NVIDIA's libraries and what is missing without
// those not there.
#include <dlfcn.h>

#include <cstdio>

#include "core/cuda/guard.h"
#include "core/cuda/library.h"
#include "core/cuda/slots.h"

namespace haft::cuda {

void check(int status, const char* what);

std::string version_text(int v) { return concat(v / 1000, ".", v % 1000 / 10); }
std::string driver_text() {
  int driver = 0, own = 0;
  check(runtime().driver_version(&driver), "the driver's version");
  check(runtime().runtime_version(&own), "the runtime's version");
  return concat("CUDA ", version_text(own), ", driver for CUDA ", version_text(driver));
}

namespace {

int32_t describe(int32_t index, char* text, uint32_t text_size, char* error, uint32_t size) {
  return guard(error, size, [&] {
    const DeviceFacts& f = device_facts(index);
    std::string s;
    Dl_info file;
    if (dladdr(reinterpret_cast<void*>(&version_text), &file) && file.dli_fname)
      s = concat("plug-in: ", file.dli_fname);
    s += concat("\nshared memory: ", f.max_shared_per_block >> 10, " KiB a block");
    for (int i = 0; i < kLibraryCount; ++i) {
      const LibraryFacts l = library_facts(Library(i));
      s += concat("\n", l.name, ": ");
      s += l.path.empty() ? concat("none, so ", l.feature, ". ", l.why) : concat(l.version, ", ", l.path);
    }
    std::snprintf(text, text_size, "%s", s.c_str());
  });
}

}  // namespace

void fill_description(haft_backend* t) { t->describe = describe; }

}  // namespace haft::cuda
