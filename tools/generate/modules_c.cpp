// C texts of modules.def: structs of options with their functions, and the shims behind them.
#include <algorithm>
#include <tuple>

#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

struct Field {
  std::string declaration, value, doc;  // "int64_t stride[2]", "{1, 1}"
  int size;
};

std::string none_or(const Parameter& p, const std::string& otherwise) {
  return p.default_value == "none" ? "HAFT_NONE" : p.has_default ? p.default_value : otherwise;
}

constexpr const char* kReserved = "int32_t reserved";

// Nothing may lie unnamed where a struct ended in some version, since there it grew.
void fill_to_eight(std::vector<Field>& fields) {
  int size = 4;
  for (const Field& f : fields) size = (f.size == 4 ? size : (size + 7) / 8 * 8) + f.size;
  if (size % 8) fields.push_back({kReserved, "0", "0", 4});
}

std::vector<Field> fields_of(const Entry& e) {
  std::vector<Field> out;
  for (const Parameter& p : e.parameters) {
    const std::string name = p.c_name();
    std::string doc = p.doc + (p.range.empty() ? "" : ", " + p.range) + (p.has_default ? "" : "; to be set");
    switch (p.type) {
      case ParameterType::boolean:
        out.push_back({"int32_t " + name, p.default_value == "true" ? "1" : "0", "0 or 1: " + doc, 4});
        break;
      case ParameterType::floating: out.push_back({"double " + name, none_or(p, "0"), doc, 8}); break;
      case ParameterType::floats:  // they were added at the end
        fill_to_eight(out);
        out.push_back({"const double* " + name, "0", doc, 8});
        out.push_back({"int64_t " + name + "_count", "0", "number of numbers in " + name, 8});
        break;
      case ParameterType::ints:
        out.push_back({"const int64_t* " + name, "0", doc, 8});
        out.push_back({"int64_t " + name + "_count", "0", "number of integers in " + name, 8});
        break;
      case ParameterType::pair: {
        const std::string v = none_or(p, "0");
        out.push_back({"int64_t " + name + "[2]", "{" + v + ", " + v + "}", doc + "; height and width", 16});
        break;
      }
      case ParameterType::tensor:
        out.push_back({"const haft_tensor* " + name, "0", doc + "; NULL: none", 8});
        break;
      case ParameterType::word:
        out.push_back({"int32_t " + name, p.constant(), p.constant() + " and the like: " + doc, 4});
        break;
      case ParameterType::optional_integer:
        out.push_back({"int64_t " + name, "HAFT_NONE", doc + "; HAFT_NONE: none", 8});
        break;
      case ParameterType::integer: out.push_back({"int64_t " + name, none_or(p, "0"), doc, 8}); break;
    }
  }
  if (e.dtype)
    out.push_back({"haft_dtype dtype", "HAFT_DTYPE_NONE", "HAFT_DTYPE_NONE: this thread's default", 4});
  if (e.device)
    out.push_back({"haft_device device", "HAFT_DEVICE_DEFAULT", "HAFT_DEVICE_DEFAULT: this thread's", 4});
  if (e.generator)
    out.push_back(
        {"haft_generator* generator", "0", "what numbers are drawn from; NULL: the default one", 8});
  fill_to_eight(out);
  return out;
}

bool has_reserved(const Entry& e) {
  return std::ranges::any_of(fields_of(e), [](const Field& f) { return f.declaration == kReserved; });
}

std::string sentence(std::string text) {
  text[0] = char(text[0] >= 'a' && text[0] <= 'z' && text.find(' ') != std::string::npos ? text[0] - 'a' + 'A'
                                                                                         : text[0]);
  return text;
}

std::string options_struct(const Entry& e) {
  const std::string name = e.options_name();
  std::string out = "/* Options of haft_" + e.function + "_create. */\ntypedef struct " + name +
                    " {\n  uint32_t struct_size;\n";
  std::vector<std::string> values = {"(uint32_t)sizeof(" + name + ")"};
  for (const Field& f : fields_of(e)) {
    out += paragraph("  /* ", "     ", sentence(f.doc) + ". */") + "  " + f.declaration + ";\n";
    values.push_back(f.value);
  }
  out += "} " + name + ";\n";
  std::string init = "#define " + e.options_init() + " {" + join(values, ", ") + "}";
  if (init.size() > kColumns) init = "#define " + e.options_init() + " \\\n  {" + join(values, ", ") + "}";
  return out + init + "\n\n";
}

std::string out_text(const Entry& e) {
  if (e.kind == EntryKind::optimizer) return "a new optimizer; the caller releases it";
  return e.kind == EntryKind::schedule ? "a new scheduler; the caller releases it"
                                       : "a new module; the caller releases it";
}

std::vector<std::string> c_parameters(const Entry& e) {
  std::vector<std::string> out;
  if (e.kind == EntryKind::optimizer) out = {"haft_tensor* const* params", "int64_t count"};
  if (e.kind == EntryKind::schedule) out = {"haft_optimizer* o"};
  if (e.has_options()) out.push_back("const " + e.options_name() + "* options");
  out.push_back(e.kind == EntryKind::optimizer  ? "haft_optimizer** out"
                : e.kind == EntryKind::schedule ? "haft_scheduler** out"
                                                : "haft_module** out");
  return out;
}

std::string declaration(const Entry& e) {
  const bool optimizer = e.kind == EntryKind::optimizer, schedule = e.kind == EntryKind::schedule;
  std::string out = e.has_options() ? options_struct(e) : "";
  const std::string torch = e.is_module() ? "torch.nn."
                            : optimizer   ? "torch.optim."
                                          : "torch.optim.lr_scheduler.";
  out += "/**\n" + paragraph(" * @brief ", " *   ", e.doc + " " + torch + e.name + ".");
  if (optimizer)
    out +=
        " * @param[in]  params   leaves of a floating dtype, each once; retained by the optimizer\n"
        " * @param[in]  count    number of params, at least 1\n";
  if (schedule) out += " * @param[in]  o        whose rates it sets; retained\n";
  if (e.has_options()) {
    std::vector<std::string> set;
    for (const Parameter* p : required(e)) set.push_back(p->c_name());
    out += paragraph(" * @param[in]  options  ", " *     ",
                     set.empty() ? "NULL: the defaults of " + e.options_init()
                                 : "begun as " + e.options_init() + "; to be set: " + join(set, ", "));
  }
  if (e.kind == EntryKind::loss || e.inputs.size() > 1)
    out += paragraph(" * @param[out] out      ", " *     ",
                     out_text(e) + ". haft_module_forward_many takes " + join(e.inputs, ", ") +
                         " and answers the " + (e.kind == EntryKind::loss ? "loss" : "result"));
  else
    out += " * @param[out] out      " + out_text(e) + "\n";
  std::vector<std::string> statuses = {"HAFT_OK"};
  if (!e.parameters.empty())
    statuses.push_back("HAFT_ERROR_INVALID_ARGUMENT for a value that it cannot have");
  if (e.has_options()) statuses.push_back("HAFT_ERROR_BAD_STRUCT");
  if (e.builds() || optimizer) statuses.push_back("HAFT_ERROR_DTYPE");
  if (e.builds()) statuses.push_back("HAFT_ERROR_DEVICE");
  if (optimizer) statuses.push_back("HAFT_ERROR_AUTOGRAD for what is no leaf");
  if (schedule) statuses.push_back("HAFT_ERROR_BUSY");
  statuses.push_back("HAFT_ERROR_OUT_OF_MEMORY");
  out += paragraph(" * @return ", " *     ", join(statuses, ", ") + ".");
  out += std::string(" * @note Thread class: ") + (schedule ? "exclusive on o" : "any") + ".\n * @since " +
         e.since + "\n */\n";
  return out +
         call("HAFT_API haft_status haft_" + e.function + "_create(", c_parameters(e), ") HAFT_NOTHROW;\n");
}

std::string header(const std::string& guard, const std::string& about, const std::string& types) {
  return "/* " + std::string(kModulesBanner) + "\n *\n" + about + " */\n#ifndef " + guard + "\n#define " +
         guard + "\n#include <haft/types.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + types;
}

constexpr const char* kEnd = "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";

// What the engine's function takes for a parameter.
std::string converted(const Entry& e, const Parameter& p, int index) {
  const std::string name = p.c_name(), rest = concat(", ", index, ", \"options.", name, "\")");
  switch (p.type) {
    case ParameterType::boolean: return "to_bool(o." + name + rest;
    case ParameterType::floats: return "double_list(o." + name + ", o." + name + "_count" + rest;
    case ParameterType::ints: return "int_list(o." + name + ", o." + name + "_count" + rest;
    case ParameterType::pair: return "nn::Pair{o." + name + "[0], o." + name + "[1]}";
    case ParameterType::tensor: return "optional_arg(o." + name + rest;
    case ParameterType::word:
      return std::string(p.words == "Reduction" ? e.batchmean ? "to_batch_reduction(o." : "to_reduction(o."
                         : p.words == "PaddingMode"   ? "to_padding_mode(o."
                         : p.words == "BagMode"       ? "to_bag_mode(o."
                         : p.words == "OrthogonalMap" ? "to_orthogonal_map(o."
                                                      : "to_interpolation(o.") +
             name + rest;
    default: return "o." + name;
  }
}

std::string shim(const Entry& e) {
  const std::string name = "haft_" + e.function + "_create";
  const int index = e.kind == EntryKind::optimizer ? 2 : e.kind == EntryKind::schedule ? 1 : 0;
  std::vector<std::string> values, head = {"\"" + name + "\""};
  for (const Parameter& p : e.parameters) {
    const std::string v = converted(e, p, index);
    values.push_back(e.kind == EntryKind::optimizer && p.type == ParameterType::boolean ? "double(" + v + ")"
                                                                                        : v);
  }
  if (e.builds())
    values.push_back(concat("build_of(o.dtype, o.device, ", e.generator ? "o.generator" : "nullptr", ")"));
  else if (e.generator)
    values.push_back("to_generator(o.generator, 0, \"options.generator\")");
  if (e.kind == EntryKind::optimizer) head.insert(head.end(), {"OptimizerId::" + e.name, "params", "count"});
  if (e.kind == EntryKind::schedule) head.push_back("o");
  std::string out = call("haft_status " + name + "(", c_parameters(e), ") HAFT_NOTHROW {\n");
  const std::string result = e.kind == EntryKind::optimizer  ? "create_optimizer("
                             : e.kind == EntryKind::schedule ? "create_scheduler("
                                                             : "create_module(";
  if (!e.has_options()) {
    head.insert(head.end(), {"out", "nn::" + e.function});
    return out + call("  return " + result, head, ");\n}\n");
  }
  head.insert(head.end(), {e.all_default() ? "options" : "needed(options)",
                           e.options_name() + " " + e.options_init(), "out"});
  const std::string take =
      e.kind == EntryKind::schedule ? "[](Ref<Optimizer> optimizer, const " : "[](const ";
  head.push_back(take + e.options_name() + "& o) {\n");
  out += call("  return " + result, head, "");
  if (has_reserved(e)) out += concat("    check_reserved(o.reserved, ", index, ");\n");
  if (e.kind == EntryKind::optimizer)
    out += call("    return std::vector<double>{", values, "};\n");
  else if (e.kind == EntryKind::schedule)
    values.insert(values.begin(), "std::move(optimizer)"),
        out += call("    return make_" + e.function + "(", values, ");\n");
  else
    out += call("    return nn::" + e.function + "(", values, ");\n");
  return out + "  });\n}\n";
}

}  // namespace

std::string c_layers(const std::vector<Entry>& all) {
  std::string out =
      header("HAFT_LAYERS_H", " * Layers and losses. haft/nn.h includes this and says what modules do.\n",
             "typedef struct haft_module haft_module;\n");
  for (const Entry& e : all)
    if (e.is_module()) out += "\n" + declaration(e);
  return out + kEnd;
}

std::string c_optimizers(const std::vector<Entry>& all) {
  std::string out = header(
      "HAFT_OPTIMIZERS_H",
      " * Optimizers and schedules of the learning rate. haft/optim.h includes this and says what they do.\n",
      "typedef struct haft_optimizer haft_optimizer;\ntypedef struct haft_scheduler haft_scheduler;\n");
  for (const Entry& e : all)
    if (!e.is_module()) out += "\n" + declaration(e);
  return out + kEnd;
}

std::string module_shims(const std::vector<Entry>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// The C functions that make layers, losses, optimizers and schedules.
#include "capi/src/create.h"
#include "core/nn/factories.h"

using namespace haft;
using namespace haft::capi;

extern "C" {
)";
  for (const Entry& e : all) out += "\n" + shim(e);
  return out + "\n}  // extern \"C\"\n";
}

std::string module_makers(const std::vector<Entry>& all) {
  std::string out = "// " + std::string(kModulesBanner) + R"(
//
// Each entry by its C function, with options that are given as text: tests/bindings/cpp.
)";
  for (const Entry& e : all) {
    std::vector<std::string> taken = c_parameters(e), arguments;
    if (e.has_options()) taken.erase(taken.end() - 2);
    if (e.kind == EntryKind::schedule) taken[0] = "haft_optimizer* o_";
    taken.insert(taken.begin(), "const Given& given");
    out += "\ninline haft_status make_" + e.name + "(" + join(taken, ", ") + ") {\n";
    if (e.has_options())
      out += "  " + e.options_name() + " o = " + e.options_init() + ";\n";
    else
      out += "  (void)given;\n";
    for (const Parameter& p : e.parameters) {
      const std::string name = "\"" + p.name + "\", o." + p.c_name();
      out += p.type == ParameterType::word ? "  given.word(" + name + ", \"" + p.words + "\");\n"
             : p.type == ParameterType::ints || p.type == ParameterType::floats
                 ? "  given.take(" + name + ", o." + p.c_name() + "_count);\n"
                 : "  given.take(" + name + ");\n";
    }
    if (e.kind == EntryKind::optimizer) arguments = {"params", "count"};
    if (e.kind == EntryKind::schedule) arguments = {"o_"};
    if (e.has_options()) arguments.push_back("&o");
    arguments.push_back("out");
    out += "  return haft_" + e.function + "_create(" + join(arguments, ", ") + ");\n}\n";
  }
  for (auto [name, first, last] : {std::tuple("MODULE", EntryKind::layer, EntryKind::loss),
                                   std::tuple("OPTIMIZER", EntryKind::optimizer, EntryKind::optimizer),
                                   std::tuple("SCHEDULE", EntryKind::schedule, EntryKind::schedule)}) {
    out += std::string("\n#define HAFT_") + name + "_MAKERS";
    for (const Entry& e : all)
      if (e.kind >= first && e.kind <= last) out += " \\\n  {\"" + e.name + "\", make_" + e.name + "},";
    out += "\n";
  }
  return out;
}

}  // namespace haft::generate
