// Reads the functions out of C headers: every declaration that starts a line with HAFT_API, and the @since of
// the comment before it (or of the header's first comment).
#include <algorithm>
#include <filesystem>

#include "tools/generate/generate.h"

namespace haft::generate {
namespace {

const char* const kGenerated[] = {"ops.h", "layers.h", "optimizers.h", "api_table.h", "haft_dl.h"};

bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string single_spaced(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return trim(out);
}

std::string since_of(const std::string& comment) {
  size_t at = comment.find("@since ");
  if (at == std::string::npos) return "";
  std::string version;
  for (size_t i = at + 7; i < comment.size() && (word_char(comment[i]) || comment[i] == '.'); ++i)
    version += comment[i];
  while (!version.empty() && version.back() == '.') version.pop_back();  // the end of a sentence
  return version;
}

// "const int64_t* dims" -> dims, "void (*release)(void* user)" -> release, "double v[2]" -> v
std::string parameter_name(const std::string& parameter) {
  size_t star = parameter.find("(*");
  if (star != std::string::npos) {
    size_t end = parameter.find(')', star);
    return trim(parameter.substr(star + 2, end - star - 2));
  }
  size_t end = parameter.find('[');
  if (end == std::string::npos) end = parameter.size();
  while (end > 0 && !word_char(parameter[end - 1])) --end;
  size_t start = end;
  while (start > 0 && word_char(parameter[start - 1])) --start;
  return start == 0 ? "" : parameter.substr(start, end - start);  // a lone word is a type without a name
}

Function parse(std::string_view text, const std::string& where) {
  auto refuse = [&](const char* what) {
    fail(Code::invalid_argument, concat(where, ": ", what, ": ", text));
  };
  size_t open = text.find('(');
  if (open == std::string::npos) refuse("not a function");
  Function f;
  size_t name = open;
  while (name > 0 && text[name - 1] == ' ') --name;
  size_t end = name;
  while (name > 0 && word_char(text[name - 1])) --name;
  f.name = std::string(text.substr(name, end - name));
  f.returns = trim(text.substr(0, name));
  if (f.name.rfind("haft_", 0) != 0 || f.returns.empty()) refuse("not a function of haft");
  int depth = 1;
  size_t start = open + 1, at = start;
  for (; at < text.size() && depth; ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if ((text[at] == ',' && depth == 1) || depth == 0) {
      f.parameters.push_back(trim(text.substr(start, at - start)));
      start = at + 1;
    }
  }
  if (depth) refuse("a parenthesis is missing");
  if (f.parameters.size() == 1 && f.parameters[0] == "void") f.parameters.clear();
  for (const std::string& p : f.parameters) {
    f.parameter_names.push_back(parameter_name(p));
    if (f.parameter_names.back().empty()) refuse("a parameter without a name");
  }
  return f;
}

}  // namespace

std::vector<Function> scan_header(const std::string& header, const std::string& text) {
  std::vector<Function> out;
  std::string comment, file_since;
  bool first_comment = true;
  for (size_t i = 0; i < text.size();) {
    bool line_start = i == 0 || text[i - 1] == '\n';
    if (text.compare(i, 2, "/*") == 0) {
      size_t end = std::min(text.find("*/", i + 2), text.size());
      comment = text.substr(i, end - i);
      if (first_comment) file_since = since_of(comment);
      first_comment = false;
      i = end + 2;
    } else if (text.compare(i, 2, "//") == 0 || text[i] == '#') {  // a preprocessor line may go on
      while (i < text.size() && (text[i] != '\n' || text[i - 1] == '\\')) ++i;
    } else if (line_start && text.compare(i, 9, "HAFT_API ") == 0) {
      std::string where = concat(header, ":", 1 + std::count(text.begin(), text.begin() + long(i), '\n'));
      std::string declaration;
      for (i += 9; i < text.size() && text[i] != ';'; ++i) {
        if (text.compare(i, 2, "/*") == 0) {
          i = std::min(text.find("*/", i + 2), text.size()) + 1;
        } else {
          declaration += text[i];
        }
      }
      Function f = parse(single_spaced(declaration), where);
      f.header = header;
      f.since = since_of(comment);
      if (f.since.empty()) f.since = file_since;
      if (f.since.empty())
        fail(Code::invalid_argument, concat(where, ": ", f.name, " has no @since in its comment"));
      out.push_back(std::move(f));
      comment.clear();
    } else {
      if (text[i] > ' ') comment.clear();  // it belonged to something else
      ++i;
    }
  }
  return out;
}

std::vector<Function> scan_headers(const std::string& root) {
  std::vector<std::string> headers;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/capi/include/haft")) {
    std::string name = entry.path().filename().string();
    bool generated = std::find(std::begin(kGenerated), std::end(kGenerated), name) != std::end(kGenerated);
    if (entry.path().extension() == ".h" && !generated) headers.push_back(name);
  }
  std::sort(headers.begin(), headers.end());
  std::vector<Function> out;
  for (const std::string& name : headers)
    for (Function& f : scan_header(name, read_file(root + "/capi/include/haft/" + name)))
      if (f.name != "haft_get_api") out.push_back(std::move(f));  // it hands out the table
  return out;
}

}  // namespace haft::generate
