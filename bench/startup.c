/* Opens a library as a plug-in host would and, where it is haft, makes a first tensor. usage: startup LIBRARY
 */
#include "bench/timing.h"

#include <dlfcn.h>
#include <stdint.h>

static double resident_mb(void) {
  char line[256];
  double kb = 0;
  FILE* f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, "VmRSS:", 6)) kb = atof(line + 6);
  if (f) fclose(f);
  return kb / 1024;
}

int main(int argc, char** argv) {
  double start = now(CLOCK_MONOTONIC), before = resident_mb();
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  int32_t (*ones)(const int64_t*, int64_t, int32_t, int32_t, void**);
  if (!library) {
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: startup LIBRARY");
    return 1;
  }
  *(void**)&ones = dlsym(library, "haft_ones");
  if (ones) {
    const int64_t size[1] = {1};
    void* tensor = NULL;
    if (ones(size, 1, 0, 0, &tensor) != 0) return 1;
  }
  emit("start", 1, "ms", (now(CLOCK_MONOTONIC) - start) * 1e3, NULL);
  emit("resident", 1, "MB", resident_mb() - before, NULL);
  return 0;
}
