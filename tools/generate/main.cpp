// Usage: haft_generate <source root>                      writes the generated files
//        haft_generate --check <source root>              names those that are not what they would be
//        haft_generate --java|--csharp <source root> <to>  writes the classes of layers, optimizers and
//        schedules
// A file that would not change is left alone, so that nothing is rebuilt for it. Exit code 1 with one line on
// a wrong ops.def, modules.def or header, and when a check finds drift.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tools/generate/generate.h"
#include "tools/generate/modules.h"

namespace {

using namespace haft;
using namespace haft::generate;

// What every generated file should be, by its path below the source root.
std::map<std::string, std::string> generate_all(const std::string& root) {
  Catalogue catalogue = read_catalogue(root);
  std::map<std::string, std::string> files;
  files["core/ops/functions.h"] = core_functions(catalogue);
  files["capi/include/haft/ops.h"] = c_header(catalogue);
  files["capi/include/haft/ops.hpp"] = cpp_header(catalogue);
  files["capi/src/generated/ops.cpp"] = c_shims(catalogue);
  files["docs/operators.md"] = reference_page(catalogue);
  files["bindings/ops.i"] = bindings_interface(catalogue);
  files["tests/ops/recorded_functions.h"] = recorded_functions(catalogue);

  std::vector<Function> functions = scan_headers(root);
  std::vector<Made> made = read_modules(root, functions);
  files["bindings/modules.hpp"] = modules_interface(made);
  files["capi/include/haft/layers.hpp"] = cpp_factories(made);
  files["capi/include/haft/optimizers.hpp"] = cpp_optimizers(made);
  files["bindings/python/haft/nn/modules/_layers.py"] = python_modules(made, MadeKind::layer);
  files["bindings/python/haft/optim/_optimizers.py"] = python_modules(made, MadeKind::optimizer);
  files["bindings/python/haft/optim/_schedules.py"] = python_modules(made, MadeKind::schedule);
  files["docs/layers.md"] = modules_page(made);
  for (Function& f : scan_header("ops.h", files["capi/include/haft/ops.h"]))
    functions.push_back(std::move(f));
  std::string order_path = root + "/capi/abi/api_order.txt";
  std::vector<std::string> order =
      extend_order(std::filesystem::exists(order_path) ? read_file(order_path) : "", functions);
  files["capi/abi/api_order.txt"] = order_file(order);
  files["capi/abi/haft.map"] = version_script(functions);
  files["capi/abi/symbols.txt"] = symbol_list(functions);
  files["capi/include/haft/api_table.h"] = table_header(functions, order);
  files["capi/include/haft/haft_dl.h"] =
      loader_header(read_file(root + "/tools/generate/haft_dl.h.in"), functions, order);
  files["capi/src/generated/api_table.cpp"] = table_source(order);
  return files;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) fail(Code::io, concat("cannot write ", path.string()));
}

// The build puts these beside the classes that SWIG writes.
int write_classes(const std::string& root, bool java, const std::filesystem::path& to) {
  std::vector<Made> made = read_modules(root, scan_headers(root));
  if (!java) return write(to / "Made.cs", csharp_classes(made)), 0;
  for (const auto& [name, text] : java_classes(made)) write(to / name, text);
  return 0;
}

int run(const std::string& root, bool check) {
  int drifted = 0;
  for (const auto& [name, text] : generate_all(root)) {
    std::filesystem::path path = std::filesystem::path(root) / name;
    if (std::filesystem::exists(path) && read_file(path.string()) == text) continue;
    if (check) {
      std::fprintf(stderr, "%s is not what tools/generate writes: build the target regen\n", name.c_str());
      ++drifted;
      continue;
    }
    write(path, text);
    std::printf("%s\n", name.c_str());
  }
  return drifted ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view option = argc > 2 ? argv[1] : "";
  bool check = argc == 3 && option == "--check";
  bool classes = argc == 4 && (option == "--java" || option == "--csharp");
  if (argc != 2 && !check && !classes) {
    std::fprintf(stderr,
                 "usage: haft_generate [--check] <source root>\n"
                 "       haft_generate --java|--csharp <source root> <to>\n");
    return 2;
  }
  try {
    if (classes) return write_classes(argv[2], option == "--java", argv[3]);
    return run(argv[argc - 1], check);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "haft_generate: %s\n", e.what());
    return 1;
  }
}
