// NVRTC, simulated: the host's compiler makes a library of the text, and its "cubin" is that library's file. The
// runtime's simulation loads it (load_image) and launches what is in it.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "compiled.h"
#include "libraries.h"
#include "simulated.h"

namespace haft::cuda_on_host {

namespace {

namespace fs = std::filesystem;

constexpr char kMagic[] = "simulated cubin ";
std::atomic<int64_t> compiled{0};

// A folder of its own, gone at the end; of a name that no other has had, or the loader would take its library for one
// that it has.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "haft-nvrtc-XXXXXX").string();
    if (mkdtemp(name.data())) path = name;
  }
  ~Folder() {
    std::error_code e;
    fs::remove_all(path, e);
  }
};
std::string read_file(const fs::path& p) {
  std::ifstream in(p, std::ios::binary);
  return (std::ostringstream() << in.rdbuf()).str();
}
void write_file(const fs::path& p, const std::string& text) {
  fs::create_directories(p.parent_path());
  std::ofstream(p, std::ios::binary) << text;
}

struct Program {
  std::string text, log, cubin;
  std::map<std::string, std::string> headers;
};

int version(int* major, int* minor) { return *major = 99, *minor = 0, 0; }
int create(void** out, const char* text, const char*, int n, const char* const* headers,
           const char* const* names) {
  auto* p = new Program{text, {}, {}, {}};
  for (int i = 0; i < n; ++i) p->headers[names[i]] = headers[i];
  *out = p;
  return 0;
}
int destroy(void** p) {
  delete static_cast<Program*>(*p);
  return *p = nullptr, 0;
}
int compile(void* program, int, const char* const*) {
  auto& p = *static_cast<Program*>(program);
  ++compiled;
  const Folder folder;
  for (const auto& [name, text] : p.headers) write_file(folder.path / name, text);
  write_file(folder.path / "kernel.cpp", p.text + "#include \"tests/cuda/on_host/compiled.h\"\n");
  const fs::path library = folder.path / "kernel.so", log = folder.path / "log";
  const std::string command = std::string(HAFT_HOST_COMPILER) +
                              " -std=c++20 -O1 -fPIC -shared -w -fno-gnu-unique -Wl,-Bsymbolic "
                              "-DHAFT_CUDA_ON_HOST -DHAFT_CUDA_COMPILED -I" +
                              folder.path.string() +
                              " -I" HAFT_SOURCE " -I" HAFT_SOURCE "/capi/include -include " HAFT_SOURCE
                              "/tests/cuda/on_host/on_host.h -o " +
                              library.string() + " " + (folder.path / "kernel.cpp").string() + " > " +
                              log.string() + " 2>&1";
  const int status = std::system(command.c_str());
  p.log = read_file(log);
  if (status) return 6;  // NVRTC_ERROR_COMPILATION
  const std::string file = read_file(library);
  const uint64_t size = file.size();
  p.cubin = std::string(kMagic) + std::string(reinterpret_cast<const char*>(&size), sizeof size) + file;
  return 0;
}
int log_size(void* p, size_t* n) { return *n = static_cast<Program*>(p)->log.size() + 1, 0; }
int log_text(void* p, char* out) { return std::strcpy(out, static_cast<Program*>(p)->log.c_str()), 0; }
int cubin_size(void* p, size_t* n) { return *n = static_cast<Program*>(p)->cubin.size(), 0; }
int cubin(void* p, char* out) {
  const std::string& s = static_cast<Program*>(p)->cubin;
  return std::memcpy(out, s.data(), s.size()), 0;
}
int arch_count(int* n) { return *n = 3, 0; }
int archs(int* out) { return out[0] = 80, out[1] = 90, out[2] = 100, 0; }
const char* error_text(int s) { return s == 6 ? "NVRTC_ERROR_COMPILATION" : "an error"; }

using Invoke = void (*)(const void*, void**);
std::map<const void*, Invoke>& kernels() {
  static auto* all = new std::map<const void*, Invoke>;
  return *all;
}

}  // namespace

void* nvrtc_function(const char* name) {
  struct Function {
    const char* name;
    void* f;
  };
  static const Function all[] = {{"nvrtcVersion", reinterpret_cast<void*>(version)},
                                 {"nvrtcCreateProgram", reinterpret_cast<void*>(create)},
                                 {"nvrtcDestroyProgram", reinterpret_cast<void*>(destroy)},
                                 {"nvrtcCompileProgram", reinterpret_cast<void*>(compile)},
                                 {"nvrtcGetProgramLogSize", reinterpret_cast<void*>(log_size)},
                                 {"nvrtcGetProgramLog", reinterpret_cast<void*>(log_text)},
                                 {"nvrtcGetCUBINSize", reinterpret_cast<void*>(cubin_size)},
                                 {"nvrtcGetCUBIN", reinterpret_cast<void*>(cubin)},
                                 {"nvrtcGetPTXSize", reinterpret_cast<void*>(cubin_size)},
                                 {"nvrtcGetPTX", reinterpret_cast<void*>(cubin)},
                                 {"nvrtcGetNumSupportedArchs", reinterpret_cast<void*>(arch_count)},
                                 {"nvrtcGetSupportedArchs", reinterpret_cast<void*>(archs)},
                                 {"nvrtcGetErrorString", reinterpret_cast<void*>(error_text)}};
  for (const Function& f : all)
    if (!std::strcmp(f.name, name)) return f.f;
  return nullptr;
}

int64_t kernels_compiled() { return compiled; }

int load_image(void** library, const void* image) {
  const char* p = static_cast<const char*>(image);
  if (std::strncmp(p, kMagic, sizeof kMagic - 1)) return 200;  // cudaErrorInvalidKernelImage
  uint64_t size;
  std::memcpy(&size, p + sizeof kMagic - 1, sizeof size);
  const Folder folder;
  const fs::path file = folder.path / "kernel.so";
  write_file(file, std::string(p + sizeof kMagic - 1 + sizeof size, size));
  *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!*library) return 200;
  static const Hooks hooks = {place, dynamic_shared, sync_block, sync_warp, exchange, ballot, lane};
  reinterpret_cast<void (*)(const Hooks*)>(dlsym(*library, "haft_attach"))(&hooks);
  return 0;
}
int kernel_in(const void** kernel, void* library, const char* name) {
  std::lock_guard guard(lock());
  *kernel = dlsym(library, name);
  if (!*kernel) return 500;  // cudaErrorSymbolNotFound
  kernels()[*kernel] = reinterpret_cast<Invoke>(dlsym(library, "haft_invoke"));
  return 0;
}
void (*invoke_of(const void* kernel))(const void*, void**) {
  const auto found = kernels().find(kernel);
  return found == kernels().end() ? nullptr : found->second;
}

}  // namespace haft::cuda_on_host
