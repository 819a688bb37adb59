// What lists every function of the C ABI, written by hand or not: the function table, the loader for programs
// that dlopen haft, the linker's version script and the list of symbols that a test compares with the library.
#include <algorithm>
#include <cstdlib>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

constexpr std::string_view kTableBanner =
    "Generated from core/schema/ops.def and the headers beside this one by tools/generate; do not edit.";

// "1.2" -> 0x00010002
unsigned version_number(const std::string& since) {
  char* end = nullptr;
  unsigned long major = std::strtoul(since.c_str(), &end, 10), minor = 0;
  if (*end == '.') minor = std::strtoul(end + 1, &end, 10);
  if (major == 0 || major > 0x7fff || minor > 0xffff || *end)
    fail(Code::invalid_argument, concat("not a version: ", since));
  return unsigned(major << 16 | minor);
}

std::map<std::string, const Function*> by_name(const std::vector<Function>& functions) {
  std::map<std::string, const Function*> out;
  for (const Function& f : functions)
    if (!out.emplace(f.name, &f).second)
      fail(Code::invalid_argument,
           concat(f.name, " is declared in ", out[f.name]->header, " and in ", f.header));
  return out;
}

std::string includes(const std::vector<Function>& functions) {
  std::vector<std::string> headers;
  for (const Function& f : functions) headers.push_back(f.header);
  std::sort(headers.begin(), headers.end());
  headers.erase(std::unique(headers.begin(), headers.end()), headers.end());
  std::string out;
  for (const std::string& h : headers) out += "#include <haft/" + h + ">\n";
  return out;
}

std::vector<std::string> c_parameters(const Function& f) {
  return f.parameters.empty() ? std::vector<std::string>{"void"} : f.parameters;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

}  // namespace

std::vector<std::string> extend_order(const std::string& old_order, const std::vector<Function>& functions) {
  std::map<std::string, const Function*> known = by_name(functions);
  std::vector<std::string> order;
  for (const std::string& line : split(old_order, '\n')) {
    std::string name = trim(line);
    if (name.empty() || name[0] == '#') continue;
    if (!known.count(name))
      fail(Code::invalid_argument,
           concat("capi/abi/api_order.txt lists ", name, ", which no header declares: a published ",
                  "function stays for ever (one that never was: remove its line)"));
    order.push_back(name);
  }
  std::vector<std::string> listed = order;
  std::sort(listed.begin(), listed.end());
  for (const Function& f : functions)
    if (!std::binary_search(listed.begin(), listed.end(), f.name)) order.push_back(f.name);
  return order;
}

std::string order_file(const std::vector<std::string>& order) {
  return "# The slots of haft_api, in order. tools/generate appends new functions; nothing is ever moved or "
         "removed.\n" +
         join(order, "\n") + "\n";
}

std::string table_header(const std::vector<Function>& functions, const std::vector<std::string>& order) {
  std::string out = "/* " + std::string(kTableBanner) + R"(
 *
 * Every function of haft in one table, for programs that load the library at run time and look up one symbol.
 * haft_dl.h does so and gives the functions their usual names. Slots are only ever appended: the table of a
 * newer library serves a program built with an older header.
 */
#ifndef HAFT_API_TABLE_H
#define HAFT_API_TABLE_H
)" + includes(functions) +
                    R"(
#ifdef __cplusplus
extern "C" {
#endif

typedef struct haft_api {
  uint32_t struct_size; /* bytes that the library's table has */
  uint32_t version;     /* the library's HAFT_VERSION_NUMBER */
)";
  std::map<std::string, const Function*> known = by_name(functions);
  for (const std::string& name : order) {
    const Function& f = *known[name];
    out += call("  " + f.returns + " (*" + name + ")(", c_parameters(f), ");\n");
  }
  return out + R"(} haft_api;

/**
 * @brief The function table, or NULL when the library does not serve `version`.
 * @param[in] version  HAFT_VERSION_NUMBER of the caller's headers; 0 asks for the table whatever its version
 * @return a table that lives as long as the process; NULL when the library's major version is another one
 *     or its minor version is lower
 * @note Thread class: any.
 * @since 1.0
 */
HAFT_API const haft_api* haft_get_api(uint32_t version) HAFT_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
)";
}

std::string table_source(const std::vector<std::string>& order) {
  std::string out = "// " + std::string(kTableBanner) + R"(
#include <haft/api_table.h>

namespace {

const haft_api kTable = {
    sizeof(haft_api),
    HAFT_VERSION_NUMBER,
)";
  for (const std::string& name : order) out += "    " + name + ",\n";
  return out + R"(};

}  // namespace

extern "C" const haft_api* haft_get_api(uint32_t version) HAFT_NOTHROW {
  const uint32_t own = HAFT_VERSION_NUMBER;
  // Patch releases serve each other.
  bool served = version == 0 || (version / 1000000 == own / 1000000 && version / 1000 <= own / 1000);
  return served ? &kTable : nullptr;
}
)";
}

std::string loader_header(const std::string& pattern, const std::vector<Function>& functions,
                          const std::vector<std::string>& order) {
  std::string forwards;
  std::map<std::string, const Function*> known = by_name(functions);
  for (const std::string& name : order) {
    const Function& f = *known[name];
    std::string head = "static inline " + f.returns + " " + name + "(";
    std::string body = std::string(f.returns == "void" ? "" : "return ") + "haft_dl_table->" + name + "(";
    forwards += definition(call(head, c_parameters(f), ") HAFT_DL_NOTHROW {"),
                           call("  " + body, f.parameter_names, ");\n"));
  }
  return replaced(replaced(pattern, "@BANNER@", std::string(kTableBanner)), "@FUNCTIONS@", forwards);
}

std::string version_script(const std::vector<Function>& functions) {
  std::map<unsigned, std::vector<std::string>> nodes;
  std::map<unsigned, std::string> versions;
  nodes[version_number("1.0")].push_back("haft_get_api");
  versions[version_number("1.0")] = "1.0";
  for (const Function& f : functions) {
    nodes[version_number(f.since)].push_back(f.name);
    versions[version_number(f.since)] = f.since;
  }
  std::string out = "# " + std::string(kBanner) + "\n# One node for each release that added functions.\n",
              parent;
  for (auto& [number, names] : nodes) {
    std::sort(names.begin(), names.end());
    std::string node = "HAFT_" + versions[number];
    out += node + " {\n  global:\n    " + join(names, ";\n    ") + ";\n";
    if (parent.empty()) out += "  local:\n    *;\n";
    out += "}" + (parent.empty() ? "" : " " + parent) + ";\n";
    parent = node;
  }
  return out;
}

std::string symbol_list(const std::vector<Function>& functions) {
  std::vector<std::string> lines{"haft_get_api@@HAFT_1.0"};
  for (const Function& f : functions) lines.push_back(f.name + "@@HAFT_" + f.since);
  std::sort(lines.begin(), lines.end());
  return join(lines, "\n") + "\n";
}

}  // namespace haft::generate
