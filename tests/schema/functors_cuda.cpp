// The functors as CUDA compiles them: a kernel for every POINTWISE op of ops.def and every dtype that it
// takes, over the text of core/schema/functors.h. No GPU is needed.
//
//   functors_cuda text                  prints the kernels; nvcc compiles them in the test schema.nvcc
//   functors_cuda nvrtc LIBRARY FOLDER  compiles them by that libnvrtc, with the headers of haft in FOLDER and
//                                       no others, for compute capabilities 8.0 and 9.0
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/schema/op_id.h"
#include "core/schema/signature.h"

namespace haft {
namespace {

struct Line {
  const char *name, *signature;
  uint32_t traits;
};
constexpr Line kPointwise[] = {
#define POINTWISE(name, signature, traits, ...) {#name, signature, traits},
#define VIEW(...)
#define GENERAL(...)
#define COMPOSITE(...)
#include "core/schema/ops.def"
#undef POINTWISE
#undef VIEW
#undef GENERAL
#undef COMPOSITE
};

struct Type {
  const char *stored, *computed;
  bool integer;
};
constexpr Type kTypes[] = {{"float", "float", false},    {"double", "double", false},
                           {"half", "float", false},     {"bfloat16", "float", false},
                           {"bool", "bool", true},       {"uint8_t", "uint8_t", true},
                           {"int8_t", "int8_t", true},   {"int16_t", "int16_t", true},
                           {"int32_t", "int32_t", true}, {"int64_t", "int64_t", true}};

// The same choice as in cpu/elementwise_blocks.h: gradients (INTERNAL) exist for floats only.
bool takes(const Line& op, const Type& t) {
  return t.integer ? !(op.traits & (FLOAT | INTERNAL)) : !(op.traits & INTONLY);
}
std::string kernel_name(const Line& op, const Type& t) { return concat(op.name, "_on_", t.stored); }

void add_kernel(std::string& text, const Line& op, const Type& t) {
  std::string parameters, arguments;
  int inputs = 0;
  for (const Argument& a : parse_signature(op.name, op.signature).arguments) {
    if (is_input(a.type)) {
      const bool mask = (inputs == 0 && op.traits & MASK0) || (inputs == 1 && op.traits & MASK1);
      parameters += concat("const ", mask ? "bool" : t.stored, "* ", a.name, "_, ");
      arguments += concat(inputs++ ? ", " : "", "load(", a.name, "_[i])");
    } else {
      const char* type = a.type == ArgType::boolean ? "bool" : t.integer ? "int64_t" : t.computed;
      parameters += concat(type, " ", a.name, "_, ");
      arguments += concat(", ", a.name, "_");
    }
  }
  text += concat("extern \"C\" __global__ void ", kernel_name(op, t), "(", parameters,
                 op.traits & BOOLOUT ? "bool" : t.stored, "* out, int64_t n) {\n",
                 "  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;\n",
                 "  if (i < n) store(out + i, op_", op.name, "::apply(", arguments, "));\n}\n");
}

std::string all_kernels() {
  std::string text = "#include \"core/schema/functors.h\"\nusing namespace haft::fn;\n";
  for (const Line& op : kPointwise)
    for (const Type& t : kTypes)
      if (takes(op, t)) add_kernel(text, op, t);
  return text;
}

int failed(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

int compile_by_nvrtc(const char* path, const std::string& folder) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return failed(dlerror());
  auto get = [&]<class F>(F*& f, const char* name) {
    return (f = reinterpret_cast<F*>(dlsym(library, name))) != nullptr;
  };
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(void*, int, const char* const*);
  int (*log_size)(void*, size_t*), (*log_text)(void*, char*), (*ptx_size)(void*, size_t*),
      (*ptx)(void*, char*), (*destroy)(void**);
  if (!get(create, "nvrtcCreateProgram") || !get(compile, "nvrtcCompileProgram") ||
      !get(log_size, "nvrtcGetProgramLogSize") || !get(log_text, "nvrtcGetProgramLog") ||
      !get(ptx_size, "nvrtcGetPTXSize") || !get(ptx, "nvrtcGetPTX") || !get(destroy, "nvrtcDestroyProgram"))
    return failed(concat(path, " lacks a function of NVRTC: ", dlerror()));

  const std::vector<const char*> names = {
      "core/schema/functors.h",         "core/schema/math_cuda.h",
      "core/schema/special.h",          "core/schema/bessel.h",
      "core/schema/incomplete_gamma.h", "core/schema/rare.h",
      "core/schema/functors_base.h",    "core/schema/functors_unary.h",
      "core/schema/functors_binary.h",  "core/schema/functors_activation.h"};
  std::vector<std::string> texts;
  for (const char* n : names) {
    std::ifstream file(folder + "/" + n);
    if (!file) return failed(concat("cannot read ", folder, "/", n));
    texts.push_back((std::ostringstream() << file.rdbuf()).str());
  }
  std::vector<const char*> headers;
  for (const std::string& t : texts) headers.push_back(t.c_str());

  const std::string source = all_kernels();
  for (const char* arch : {"--gpu-architecture=compute_80", "--gpu-architecture=compute_90"}) {
    void* program = nullptr;
    if (int s =
            create(&program, source.c_str(), "pointwise.cu", int(names.size()), headers.data(), names.data()))
      return failed(concat("nvrtcCreateProgram answers ", s));
    const char* options[] = {arch, "--std=c++17"};
    const int status = compile(program, 2, options);
    size_t bytes = 0;
    log_size(program, &bytes);
    std::string log(bytes, '\0');
    log_text(program, log.data());
    if (status || log.find_first_not_of(std::string("\0 \n", 3)) != std::string::npos)
      return failed(concat(arch, ": nvrtcCompileProgram answers ", status, "\n", log));
    ptx_size(program, &bytes);
    std::string code(bytes, '\0');
    ptx(program, code.data());
    for (const Line& op : kPointwise)
      for (const Type& t : kTypes)
        if (takes(op, t) && code.find(".entry " + kernel_name(op, t) + "(") == std::string::npos)
          return failed(concat(arch, ": the PTX lacks ", kernel_name(op, t)));
    destroy(&program);
  }
  return 0;
}

}  // namespace
}  // namespace haft

int main(int argc, char** argv) {
  if (argc == 2 && !std::strcmp(argv[1], "text")) return std::puts(haft::all_kernels().c_str()) < 0;
  if (argc == 4 && !std::strcmp(argv[1], "nvrtc")) return haft::compile_by_nvrtc(argv[2], argv[3]);
  return haft::failed("usage: functors_cuda text | functors_cuda nvrtc LIBRARY FOLDER");
}
