#include <fstream>
#include <sstream>

#include "tools/generate/generate.h"

namespace haft::generate {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(Code::io, concat("cannot read ", path));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

std::string trim(std::string_view text) {
  size_t first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
  std::string out;
  for (const std::string& item : items) {
    if (!out.empty()) out += separator;
    out += item;
  }
  return out;
}

std::string call(const std::string& head, const std::vector<std::string>& items, const std::string& tail) {
  size_t line_start = head.rfind('\n') + 1;  // npos + 1 == 0
  size_t indent = head.size() - line_start, column = indent;
  size_t tail_width = tail.find('\n') == std::string::npos ? tail.size() : tail.find('\n');
  std::string out = head;
  // Behind a long name the column that is left would be a narrow one.
  if (indent > kColumns / 2 && indent + join(items, ", ").size() + tail_width > kColumns) {
    column = indent = head.find_first_not_of(' ', line_start) - line_start + 4;
    out += "\n" + std::string(indent, ' ');
  }
  for (size_t i = 0; i < items.size(); ++i) {
    bool last = i + 1 == items.size();
    size_t width = items[i].size() + (last ? tail_width : 1);
    if (i && column + 1 + width > kColumns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (i) {
      out += " ";
      ++column;
    }
    out += items[i];
    if (!last) out += ",";
    column += items[i].size() + 1;
  }
  return out + tail;
}

std::string definition(const std::string& head, const std::string& body) {
  std::string one_line = head + " " + trim(body) + " }";
  bool fits = one_line.size() <= kColumns && one_line.find('\n') == std::string::npos;
  return fits ? one_line + "\n" : head + "\n" + body + "}\n";
}

std::string paragraph(const std::string& first, const std::string& prefix, const std::string& text) {
  std::string out, line = first;
  bool empty = true;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!empty && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line = prefix;
      empty = true;
    }
    if (!empty) line += " ";
    line += word;
    empty = false;
  }
  return out + line + "\n";
}

std::string heading(const std::string& open, const std::string& title, const std::string& close) {
  std::string line = open + " ---- " + title + " ";
  size_t width = kColumns - close.size() - (close.empty() ? 0 : 1);
  if (line.size() < width) line += std::string(width - line.size(), '-');
  return line + (close.empty() ? "" : " " + close) + "\n";
}

}  // namespace haft::generate
