// Usage: haft_generate SOURCE                     writes the generated files that are committed: contract and pages
//        haft_generate --check SOURCE             names those that are not what they would be
//        haft_generate --build SOURCE TO          writes those that only the build wants, which nobody reviews
//        haft_generate --java|--csharp SOURCE TO  writes classes: layers, losses, optimizers, schedules, distributions
// SOURCE is the root of the checkout, TO a folder.
// A file that would not change is left alone, so that nothing is rebuilt for it. Exit code 1 with one line on
// a wrong ops.def, modules.def, distributions.def or header, and when a check finds drift.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tools/generate/distributions.h"
#include "tools/generate/generate.h"
#include "tools/generate/modules.h"

namespace {

using namespace haft;
using namespace haft::generate;

using Files = std::map<std::string, std::string>;

std::vector<std::string> api_order(const std::string& root, const std::vector<Function>& functions) {
  const std::string path = root + "/capi/abi/api_order.txt";
  return extend_order(std::filesystem::exists(path) ? read_file(path) : "", functions);
}

// The functions of the hand-written headers and those of the generated ones.
std::vector<Function> all_functions(const std::string& root, const Catalogue& catalogue,
                                    const std::vector<Entry>& entries) {
  std::vector<Function> functions = scan_headers(root);
  check_by_hand(functions);
  const std::pair<const char*, std::string> generated[] = {{"layers.h", c_layers(entries)},
                                                           {"ops.h", c_header(catalogue)},
                                                           {"optimizers.h", c_optimizers(entries)}};
  for (const auto& [header, text] : generated)
    for (Function& f : scan_header(header, text)) functions.push_back(std::move(f));
  return functions;
}

// What every committed file should be, by its path below the source root.
Files generate_committed(const std::string& root) {
  Catalogue catalogue = read_catalogue(root);
  Files files;
  files["capi/include/haft/ops.h"] = c_header(catalogue);
  files["capi/include/haft/ops.hpp"] = cpp_header(catalogue);
  files["docs/operators.md"] = reference_page(catalogue);
  files["docs/gpu-operators.md"] = gpu_page(catalogue);

  std::vector<Entry> entries = read_modules(catalogue);
  files["capi/include/haft/layers.h"] = c_layers(entries);
  files["capi/include/haft/layers.hpp"] = cpp_factories(entries);
  files["capi/include/haft/optimizers.h"] = c_optimizers(entries);
  files["capi/include/haft/optimizers.hpp"] = cpp_optimizers(entries);
  files["docs/layers.md"] = modules_page(entries);
  const std::vector<DistributionEntry> distributions = read_distributions();
  files["capi/include/haft/distribution_kinds.hpp"] = cpp_distributions(distributions);
  files["docs/distributions.md"] =
      distributions_page(read_file(root + "/docs/distributions.md"), distributions);
  std::vector<Function> functions = all_functions(root, catalogue, entries);
  std::vector<std::string> order = api_order(root, functions);
  files["capi/abi/api_order.txt"] = order_file(order);
  files["capi/abi/symbols.txt"] = symbol_list(functions);
  files["capi/include/haft/api_table.h"] = table_header(functions, order);
  files["capi/include/haft/haft_dl.h"] =
      loader_header(read_file(root + "/tools/generate/haft_dl.h.in"), functions, order);
  return files;
}

// What only the build wants, by its path below the folder of generated files.
Files generate_built(const std::string& root) {
  Catalogue catalogue = read_catalogue(root);
  Files files;
  files["core/ops/functions.h"] = core_functions(catalogue);
  files["capi/src/ops.cpp"] = c_shims(catalogue);
  std::vector<Entry> entries = read_modules(catalogue);
  const std::vector<Function> functions = all_functions(root, catalogue, entries);
  files["capi/src/api_table.cpp"] = table_source(api_order(root, functions));
  files["capi/haft.map"] = version_script(functions);
  files["bindings/ops.i"] = bindings_interface(catalogue);
  files["tests/ops/recorded_functions.h"] = recorded_functions(catalogue);
  files["bindings/python/haft/_ops.py"] = python_operators(catalogue);
  files["bindings/python/haft/_made.py"] = python_made(catalogue);
  files["bindings/python/haft/nn/functional/_activations.py"] = python_activations(catalogue);
  files["bindings/python/haft/nn/functional/_operators.py"] = python_functionals(catalogue);
  for (auto& [path, text] : python_forms()) files["bindings/python/haft/" + path] = text;

  files["core/nn/factories.h"] = core_factories(entries);
  files["core/nn/functions.cpp"] = core_function_modules(entries, catalogue);
  files["capi/src/modules.cpp"] = module_shims(entries);
  files["tests/bindings/makers.h"] = module_makers(entries);
  files["bindings/modules.hpp"] = modules_interface(entries);
  for (auto& [path, text] : python_classes(entries)) files["bindings/python/haft/" + path] = text;
  files["bindings/python/haft/distributions/_kinds.py"] = python_distributions(read_distributions());
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
  std::vector<Entry> entries = read_modules(read_catalogue(root));
  const std::vector<DistributionEntry> distributions = read_distributions();
  if (!java) {
    write(to / "Made.cs", csharp_classes(entries));
    write(to / "MadeDistributions.cs", csharp_distributions(distributions));
    return 0;
  }
  for (const auto& [name, text] : java_classes(entries)) write(to / name, text);
  for (const auto& [name, text] : java_distributions(distributions)) write(to / name, text);
  return 0;
}

int write_files(const Files& files, const std::filesystem::path& to, bool check) {
  int drifted = 0;
  for (const auto& [name, text] : files) {
    std::filesystem::path path = to / name;
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
  bool build = argc == 4 && option == "--build";
  bool classes = argc == 4 && (option == "--java" || option == "--csharp");
  if (argc != 2 && !check && !build && !classes) {
    std::fprintf(stderr,
                 "usage: haft_generate [--check] <source root>\n"
                 "       haft_generate --build|--java|--csharp <source root> <to>\n");
    return 2;
  }
  try {
    if (classes) return write_classes(argv[2], option == "--java", argv[3]);
    if (build) return write_files(generate_built(argv[2]), argv[3], false);
    return write_files(generate_committed(argv[argc - 1]), argv[argc - 1], check);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "haft_generate: %s\n", e.what());
    return 1;
  }
}
