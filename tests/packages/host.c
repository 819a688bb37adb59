/* A C program with haft that opens a C++ library later on. */
#include <dlfcn.h>
#include <haft/haft.h>
#include <stdio.h>

int main(int argc, char** argv) {
  void* library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int (*run)(void);
  if (!library) {
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no library given");
    return 1;
  }
  *(void**)&run = dlsym(library, "run");
  return haft_get_version_number() && run ? run() : 1;
}
