// Java: a class for each entry of modules.def. Few optional parameters are constructors of their own; many
// are a nested class Options, whose methods set them one by one.
#include "tools/generate/modules.h"

namespace haft::generate {
namespace {

constexpr size_t kFewOptions = 2;

// A parameter of a constructor: as declared, and as it is handed to another constructor.
struct JavaArgument {
  std::string declaration, name, doc;
};

std::string java_type(const Parameter& p) {
  switch (p.type) {
    case ParameterType::boolean: return "boolean ";
    case ParameterType::floating: return "double ";
    case ParameterType::floats: return "double[] ";
    case ParameterType::ints:
    case ParameterType::pair: return "long[] ";
    case ParameterType::tensor: return "Tensor ";
    case ParameterType::word: return p.words + " ";
    default: return "long ";
  }
}

std::string java_default(const Parameter& p) {
  if (p.type == ParameterType::optional_integer) return "Index.NONE";
  if (p.type == ParameterType::pair) return "new long[] {" + p.default_value + "}";
  if (p.type == ParameterType::tensor) return "null";
  if (p.type == ParameterType::floats) return "new double[0]";
  if (p.type == ParameterType::ints) return "new long[0]";
  if (p.type == ParameterType::word) return p.words + "." + upper_case(p.default_value);
  return p.default_value;
}

std::string text(const Entry& m, const std::string& doc) { return escaped_xml(with_camel_case(m, doc)); }

JavaArgument argument(const Entry& m, const Parameter& p) {
  std::string name = camel_case(p.c_name()), doc = p.doc;
  if (p.type == ParameterType::pair) doc += "; height and width, or one number for both";
  if (p.type == ParameterType::tensor) doc += "; null: none";
  return {java_type(p) + name, name, text(m, doc)};
}

// What the function of Make takes for a parameter; `from` is where it is found: "" or "o.".
std::vector<std::string> handed(const Parameter& p, const std::string& from) {
  std::string name = from + camel_case(p.c_name());
  if (p.type == ParameterType::word) return {p.words + ".code(" + name + ")"};
  if (p.type != ParameterType::pair) return {name};
  std::string end = "(" + name + ", \"" + camel_case(p.c_name()) + "\")";
  return {"Pairs.height" + end, "Pairs.width" + end};
}

class JavaClass {
  const Entry& m_;
  const std::vector<const Parameter*> required_, optional_;
  const bool by_options_;  // in a nested class
  std::string out_;

 public:
  explicit JavaClass(const Entry& m)
      : m_(m),
        required_(required(m)),
        optional_(optional(m)),
        by_options_(m.kind == EntryKind::optimizer || optional_.size() > kFewOptions) {}

  std::string write() {
    static const char* const bases[] = {"Module", "Module", "Loss", "Optimizer", "Scheduler"};
    out_ = "// " + std::string(kModulesBanner) + "\npackage io.haft;\n\n";
    if (m_.kind == EntryKind::optimizer) out_ += "import java.util.Collection;\n\n";
    out_ += paragraph("/** ", " * ", text(m_, m_.doc) + " */") + "public class " + m_.name + " extends " +
            bases[int(m_.kind)] + " {\n";
    if (by_options_) options_class();
    constructors();
    return out_ + "}\n";
  }

 private:
  // "<head>Make.conv2d(...);" at an indentation of four.
  std::string call_make(const std::string& head, const std::string& from, const std::string& tail) const {
    std::vector<std::string> values;
    if (m_.kind == EntryKind::optimizer) values.push_back("params");
    if (m_.kind == EntryKind::schedule) values.push_back("optimizer");
    for (const Parameter& p : m_.parameters)
      for (const std::string& v : handed(p, p.has_default ? from : "")) values.push_back(v);
    if (m_.dtype) values.push_back("Build.dtype(build)");
    if (m_.device) values.push_back("Build.device(build)");
    if (m_.generator) values.push_back(m_.builds() ? "Build.generator(build)" : "generator");
    return call("    " + head + "Make." + camel_case(m_.function) + "(", values, ")" + tail).substr(4);
  }

  void comment(const std::string& summary, const std::vector<JavaArgument>& arguments) {
    if (arguments.empty()) {
      out_ += "  /** " + summary + " */\n";
      return;
    }
    out_ += "  /**\n" + paragraph("   * ", "   * ", summary) + "   *\n";
    for (const JavaArgument& a : arguments)
      out_ += paragraph("   * @param " + a.name + " ", "   *     ", a.doc);
    out_ += "   */\n";
  }

  // A constructor whose body is `body`, preceded by an empty line.
  void constructor(const std::string& summary, const std::vector<JavaArgument>& arguments,
                   const std::string& body, bool open = false) {
    if (out_.back() == '\n' && out_[out_.size() - 2] != '{') out_ += "\n";
    comment(summary, arguments);
    std::vector<std::string> declarations;
    for (const JavaArgument& a : arguments) declarations.push_back(a.declaration);
    if (open) {
      std::string& last = declarations.back();
      last.replace(last.find("[] "), 3, "... ");
    }
    out_ += call("  public " + m_.name + "(", declarations, ") {") + "\n    " + body + "\n  }\n";
  }

  // Arguments before the optional ones. `square`: one number stands for both sides of a window.
  std::vector<JavaArgument> leading(bool square = false) const {
    std::vector<JavaArgument> out;
    if (m_.kind == EntryKind::schedule)
      out.push_back({"Optimizer optimizer", "optimizer", "whose learning rate"});
    for (const Parameter* p : required_) {
      out.push_back(argument(m_, *p));
      if (square && p->type == ParameterType::pair)
        out.back().declaration = "long " + out.back().name,
        out.back().doc = text(m_, p->doc) + "; height and width";
    }
    return out;
  }
  bool has_pair() const {
    for (const Parameter* p : required_)
      if (p->type == ParameterType::pair) return true;
    return false;
  }
  static std::string names(const std::vector<JavaArgument>& arguments) {
    std::vector<std::string> out;
    for (const JavaArgument& a : arguments) out.push_back(a.name);
    return join(out, ", ");
  }
  // As names(), with one number as two.
  std::string widened() const {
    std::vector<std::string> out;
    if (m_.kind == EntryKind::schedule) out.push_back("optimizer");
    for (const Parameter* p : required_)
      out.push_back(p->type == ParameterType::pair ? "new long[] {" + camel_case(p->c_name()) + "}"
                                                   : camel_case(p->c_name()));
    return join(out, ", ");
  }
  static std::string with(std::string list, const std::string& more) {
    return list.empty() ? more : more.empty() ? list : list + ", " + more;
  }
  // A constructor for windows given as an array, and before it one for a single number.
  void both(const std::string& summary, std::vector<JavaArgument> more, const std::string& rest,
            bool full = false) {
    if (has_pair()) {
      std::vector<JavaArgument> arguments = leading(true);
      arguments.insert(arguments.end(), more.begin(), more.end());
      constructor(summary, arguments, "this(" + with(widened(), full ? names(more) : rest) + ");");
    }
    std::vector<JavaArgument> arguments = leading();
    arguments.insert(arguments.end(), more.begin(), more.end());
    bool open = more.empty() && !required_.empty() && required_.back()->type == ParameterType::ints;
    constructor(summary, arguments, full ? rest : "this(" + with(names(leading()), rest) + ");", open);
  }

  // What is given most, wherever it stands.
  void reduction_constructor() {
    const Parameter& p = *m_.find("reduction");
    std::vector<std::string> rest;
    for (const Parameter* o : optional_) rest.push_back(o == &p ? "reduction" : java_default(*o));
    constructor(
        "With a reduction.", {argument(m_, p)},
        by_options_ ? "this(new Options().reduction(reduction));" : "this(" + join(rest, ", ") + ");");
  }

  void constructors() {
    if (m_.kind == EntryKind::optimizer) return optimizer_constructors();
    if (m_.kind == EntryKind::loss && optional_[0]->type != ParameterType::word) reduction_constructor();
    std::vector<JavaArgument> where;
    if (m_.builds())
      where.push_back({"Build build", "build", "where and as what parameters are made; null: by default"});
    else if (m_.generator)
      where.push_back(
          {"Generator generator", "generator", "what numbers are drawn from; null: the default one"});
    if (by_options_) {
      both("With the defaults.", {}, where.empty() ? "new Options()" : "new Options(), null");
      JavaArgument options{"Options options", "options", "the rest"};
      if (!where.empty()) both("With options.", {options}, "options, null");
      where.insert(where.begin(), options);
      return both(where.size() > 1 ? "With options, and parameters made as `build` says." : "With options.",
                  where, "super(make(" + names(with_all(where)) + "));", true),
             make_method(where);
    }
    for (size_t given = 0; given <= optional_.size(); ++given) {
      bool full = given == optional_.size() && where.empty();
      std::vector<JavaArgument> more;
      std::vector<std::string> left, rest;
      for (size_t i = 0; i < optional_.size(); ++i) {
        JavaArgument a = argument(m_, *optional_[i]);
        if (i < given)
          more.push_back(a);
        else
          left.push_back(a.name + " = " + (optional_[i]->default_value));
        rest.push_back(i < given ? a.name : java_default(*optional_[i]));
      }
      if (!where.empty()) rest.push_back("null");
      std::string summary = !left.empty()           ? "With " + join(left, " and ") + "."
                            : m_.parameters.empty() ? "It has no options."
                                                    : "With given values.";
      if (full && m_.parameters.size() == 1 && optional_.empty() && has_pair()) {  // one number or two
        constructor(summary, leading(), call_make("super(", "", ");"), true);
      } else {
        both(summary, more, full ? call_make("super(", "", ");") : join(rest, ", "), full);
      }
    }
    if (where.empty()) return;
    std::vector<JavaArgument> all;
    std::vector<std::string> rest;
    for (const Parameter* p : optional_) {
      all.push_back(argument(m_, *p));
      rest.push_back(java_default(*p));
    }
    std::string summary =
        m_.builds() ? "With parameters made as `build` says." : "With a generator of its own.";
    if (m_.builds() && !optional_.empty()) both(summary, where, join(rest, ", ") + ", build");
    all.insert(all.end(), where.begin(), where.end());
    both(summary, all, call_make("super(", "", ");"), true);
  }

  std::vector<JavaArgument> with_all(const std::vector<JavaArgument>& more) const {
    std::vector<JavaArgument> out = leading();
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  void make_method(const std::vector<JavaArgument>& more) {
    static const char* const results[] = {"Module", "Module", "Module", "Optimizer", "Scheduler"};
    std::vector<std::string> declarations;
    for (const JavaArgument& a : with_all(more)) declarations.push_back(a.declaration);
    out_ += "\n" +
            call(std::string("  private static ") + results[int(m_.kind)] + " make(", declarations, ") {") +
            "\n    Options o = options == null ? new Options() : options;\n    " +
            call_make("return ", "o.", ";") + "\n  }\n";
  }

  void optimizer_constructors() {
    JavaArgument array{"Tensor[] params", "params", "leaves of a floating dtype"},
        list{"Collection<Tensor> params", "params", array.doc};
    JavaArgument lr = argument(m_, *m_.find("lr")),
                 options{"Options options", "options", "rates and the like"};
    constructor("With a learning rate.", {array, lr}, "this(params, new Options().lr(lr));");
    constructor("With a learning rate.", {list, lr}, "this(array(params), lr);");
    constructor("With options.", {array, options}, "super(make(params, options));");
    constructor("With options.", {list, options}, "this(array(params), options);");
    make_method({array, options});
  }

  void options_class() {
    out_ += "  /** What has a default. */\n  public static final class Options {\n";
    for (const Parameter* p : optional_)
      out_ += "    private " + java_type(*p) + camel_case(p->c_name()) + " = " + java_default(*p) + ";\n";
    for (const Parameter* p : optional_) {
      std::string name = camel_case(p->c_name()), doc = text(m_, p->doc) + "; default " + p->default_value;
      doc[0] = char(std::toupper(doc[0]));
      auto setter = [&](const std::string& parameters, const std::string& value) {
        out_ += "\n" + paragraph("    /** ", "     * ", doc + ". */") + "    public Options " + name + "(" +
                parameters + ") {\n      this." + name + " = " + value + ";\n      return this;\n    }\n";
      };
      if (p->type == ParameterType::pair) {
        setter("long both", "new long[] {both}");
        setter("long height, long width", "new long[] {height, width}");
      } else {
        setter(java_type(*p) + name, name);
      }
    }
    out_ += "  }\n";
  }
};

}  // namespace

std::map<std::string, std::string> java_classes(const std::vector<Entry>& all) {
  std::map<std::string, std::string> out;
  for (const Entry& m : all) out[m.name + ".java"] = JavaClass(m).write();
  return out;
}

}  // namespace haft::generate
