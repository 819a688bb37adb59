// Libraries opened while running: device plug-ins and what they lean on.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace haft {

class DynamicLibrary {
  void* handle_ = nullptr;
  std::string path_;

 public:
  DynamicLibrary() = default;
  // False, with the reason that the loader gave in *error, when the library cannot be opened.
  static bool try_open(const std::string& path, DynamicLibrary* out, std::string* error);
  static DynamicLibrary open(const std::string& path);  // fails with unavailable

  DynamicLibrary(DynamicLibrary&& o) noexcept
      : handle_(std::exchange(o.handle_, nullptr)), path_(std::move(o.path_)) {}
  DynamicLibrary& operator=(DynamicLibrary&& o) noexcept {
    std::swap(handle_, o.handle_);
    path_.swap(o.path_);
    return *this;
  }
  DynamicLibrary(const DynamicLibrary&) = delete;
  ~DynamicLibrary() { close(); }

  void close() noexcept;
  void keep() noexcept { handle_ = nullptr; }  // never close: code of it may run until the process ends
  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }

  void* find(const char* name) const;    // nullptr when the library has no such symbol
  void* symbol(const char* name) const;  // fails with unavailable instead
  template <class Fn>
  Fn function(const char* name) const {
    return reinterpret_cast<Fn>(symbol(name));
  }
};

// The directory that holds libhaft.so (or the program, when the engine is linked into it), without a slash at
// its end; empty when the system does not say.
std::string library_directory();

// The files that may be the plug-in of that name: libhaft_<name>.so in the folders of HAFT_BACKEND_PATH, then beside
// libhaft.so. Only absolute folders are searched: what a process loads must not depend on where it stands; others are
// appended to *tried.
std::vector<std::string> plugin_files(std::string_view name, std::string* tried);

}  // namespace haft
