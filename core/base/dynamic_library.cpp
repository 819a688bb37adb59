#include "core/base/dynamic_library.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "core/base/error.h"

namespace haft {

bool DynamicLibrary::try_open(const std::string& path, DynamicLibrary* out, std::string* error) {
  // RTLD_LOCAL: two plug-ins may bring different versions of the same library.
  void* h = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!h) {
    const char* why = dlerror();
    if (error) *error = why ? why : "the loader gave no reason";
    return false;
  }
  out->close();
  out->handle_ = h;
  out->path_ = path;
  return true;
}

DynamicLibrary DynamicLibrary::open(const std::string& path) {
  DynamicLibrary lib;
  std::string error;
  if (!try_open(path, &lib, &error))
    fail(Code::unavailable, concat("cannot open the library ", path, ": ", error));
  return lib;
}

void DynamicLibrary::close() noexcept {
  if (handle_) dlclose(handle_);
  handle_ = nullptr;
}

void* DynamicLibrary::find(const char* name) const { return handle_ ? dlsym(handle_, name) : nullptr; }

void* DynamicLibrary::symbol(const char* name) const {
  void* p = find(name);
  if (!p)
    fail(Code::unavailable, concat("the library ", path_, " has no symbol ", name),
         "it may be of another version");
  return p;
}

std::string library_directory() {
  Dl_info info;
  void* map = nullptr;
  char path[PATH_MAX];
  if (!dladdr1(reinterpret_cast<void*>(&library_directory), &info, &map, RTLD_DL_LINKMAP) || !map) return {};
  // The loader noted a library's directory when it opened it, so a relative path and a later chdir do no harm.
  if (static_cast<link_map*>(map)->l_name[0]) return dlinfo(map, RTLD_DI_ORIGIN, path) == 0 ? path : "";
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0 || size_t(n) == sizeof path) return {};
  std::string program(path, size_t(n));
  return program.substr(0, program.rfind('/'));
}

std::vector<std::string> plugin_files(std::string_view name, std::string* tried) {
  std::vector<std::string> files;
  const char* list = secure_getenv("HAFT_BACKEND_PATH");
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    const size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    if (folder.empty()) continue;
    std::string file = concat(folder, "/libhaft_", name, ".so");
    if (folder[0] == '/')
      files.push_back(std::move(file));
    else
      *tried += concat("\n  ", file, ": not tried, the folder is not absolute");
  }
  if (std::string own = library_directory(); !own.empty())
    files.push_back(concat(own, "/libhaft_", name, ".so"));
  return files;
}

}  // namespace haft
