// What the engine says of a failure, in the words of a language: the contract is C's, and so are its texts.
#ifndef HAFT_BINDINGS_SPOKEN_HPP
#define HAFT_BINDINGS_SPOKEN_HPP
#include <cctype>
#include <string>

namespace haft {
namespace bindings {

enum class Words { snake, camel, pascal };

struct Language {
  Words functions, arguments;
  const char* null;
};

inline std::string cased(const std::string& snake, Words words) {
  if (words == Words::snake) return snake;
  std::string out;
  bool up = words == Words::pascal;
  for (char c : snake) {
    if (c == '_')
      up = !out.empty() || up;
    else
      out += up ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c, up = false;
  }
  return out;
}

/// "haft_session_run" as run or Run.
inline std::string function_name(std::string c_name, const Language& l) {
  if (c_name.compare(0, 5, "haft_") == 0) c_name.erase(0, 5);
  for (const char* noun : {"tensor_",
                           "module_",
                           "optimizer_",
                           "scheduler_",
                           "loader_",
                           "session_",
                           "request_",
                           "dataset_",
                           "weights_",
                           "writer_",
                           "generator_",
                           "cancel_token_",
                           "store_",
                           "process_group_",
                           "work_",
                           "data_parallel_",
                           "model_averager_",
                           "parallel_",
                           "device_mesh_",
                           "pipeline_",
                           "rpc_",
                           "parameter_server_",
                           "parameter_client_",
                           "fully_sharded_"})
    if (c_name.compare(0, std::string(noun).size(), noun) == 0) {
      c_name.erase(0, std::string(noun).size());
      break;
    }
  return cased(c_name, l.functions);
}

/// A message or hint: C's functions, the argument at fault, NULL and HAFT_NONE under the names of the language.
inline std::string spoken(const std::string& text, const std::string& argument, const Language& l) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    auto in_word = [&](std::size_t i) {
      return std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_';
    };
    std::size_t end = at;
    while (end < text.size() && in_word(end)) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    const std::string word = text.substr(at, end - at);
    if (word == "NULL" || word == "HAFT_NONE")
      out += l.null;
    else if (word.compare(0, 5, "haft_") == 0)
      out += function_name(word, l);
    else if (word == argument || (at >= 8 && text.compare(at - 8, 8, "options.") == 0))
      out += cased(word, l.arguments);
    else
      out += word;
    at = end;
  }
  return out;
}

/// The whole of it. A message that begins with its operator in brackets needs no function before it.
inline std::string spoken_text(const std::string& function, const std::string& message,
                               const std::string& hint, const Language& l) {
  std::string out = message;
  if (!function.empty() && !message.empty() && message[0] != '[')
    out = function_name(function, l) + ": " + out;
  return hint.empty() ? out : out + " (" + hint + ")";
}

}  // namespace bindings
}  // namespace haft
#endif
