// Usage: haft_generate <source root> [<output root>]
// Writes the generated files below the output root (default: the source root); a file that would not change is left
// alone, so that nothing is rebuilt for it. Exit code 1 with one line on a wrong ops.def or header.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tools/generate/generate.h"

namespace {

using namespace haft;
using namespace haft::generate;

void write_file(const std::filesystem::path& path, const std::string& text) {
  if (std::filesystem::exists(path) && read_file(path.string()) == text) return;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) fail(Code::io, concat("cannot write ", path.string()));
}

void run(const std::string& root, const std::string& out) {
  Catalogue catalogue = read_catalogue(root);
  std::map<std::string, std::string> files;
  files["core/ops/functions.h"] = core_functions(catalogue);
  for (const auto& [path, text] : files) write_file(std::filesystem::path(out) / path, text);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: haft_generate <source root> [<output root>]\n");
    return 2;
  }
  try {
    run(argv[1], argv[argc - 1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "haft_generate: %s\n", e.what());
    return 1;
  }
  return 0;
}
