// The command line of the samples: numbers by name, each with its default and what it is for, a device, and whatever
// else stands there.
#ifndef SAMPLES_OPTIONS_HPP
#define SAMPLES_OPTIONS_HPP

#include <haft/haft.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

struct Option {
  const char* name;
  double value, lowest;
  const char* help;
};

class Options {
 public:
  std::vector<std::string> rest;  // what is no option

  // Adds --seed, --threads and --device, which take effect at once: what this thread makes from here on lies on that
  // device, unless it says otherwise. Ends the program for --help, and with code 2 for what it cannot read.
  Options(int argc, char** argv, const char* about, std::vector<Option> known) : options_(std::move(known)) {
    options_.push_back(
        {"--seed", 0, 0, "of all that is drawn; the same seed and threads give the same numbers"});
    options_.push_back({"--threads", 0, 0, "of an operator; 0: all processors"});
    for (int i = 1; i < argc; ++i) {
      if (!std::strcmp(argv[i], "--help")) help(argv[0], about);
      if (std::strncmp(argv[i], "--", 2)) {
        rest.push_back(argv[i]);
        continue;
      }
      if (!std::strcmp(argv[i], "--device")) {
        if (i + 1 == argc) fail(argv[0], "--device wants the name of a device");
        device_ = argv[++i];
        continue;
      }
      Option* o = find(argv[i]);
      char* end = nullptr;
      if (!o) fail(argv[0], std::string("unknown option '") + argv[i] + "' (--help lists them)");
      const char* text = i + 1 < argc ? argv[++i] : "";
      o->value = std::strtod(text, &end);
      if (end == text || *end || !(o->value >= o->lowest && o->value < 1e15))
        fail(argv[0], std::string(o->name) + " wants a number from " + std::to_string(long(o->lowest)) +
                          ", got '" + text + "'");
    }
    try {
      haft::set_default_device(haft::device(device_));
    } catch (const haft::Error& e) {
      fail(argv[0], e.what());
    }
    if (number("--threads") > 0) haft::set_num_threads(int((*this)["--threads"]));
    haft::manual_seed((*this)["--seed"]);
  }

  double number(const char* name) { return find(name)->value; }
  long operator[](const char* name) { return long(number(name)); }

  [[noreturn]] static void fail(const char* program, std::string text) {
    for (char& c : text)
      if (c == '\n') c = ' ';
    const char* slash = std::strrchr(program, '/');
    std::fprintf(stderr, "%s: %s\n", slash ? slash + 1 : program, text.c_str());
    std::exit(2);
  }

 private:
  std::vector<Option> options_;
  const char* device_ = "cpu";

  Option* find(const char* name) {
    for (Option& o : options_)
      if (!std::strcmp(o.name, name)) return &o;
    return nullptr;
  }
  [[noreturn]] void help(const char* program, const char* about) {
    std::printf("usage: %s %s\n", program, about);
    for (const Option& o : options_) std::printf("  %-12s %s (%g)\n", o.name, o.help, o.value);
    std::printf("  %-12s where it computes: cpu, or cuda:0 where its plug-in is installed (cpu)\n",
                "--device");
    std::exit(0);
  }
};

#endif
