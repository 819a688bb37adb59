// The figures of all sessions of the process in Prometheus' text format 0.0.4, which OpenMetrics' and OpenTelemetry's
// collectors read, too: https://prometheus.io/docs/instrumenting/exposition_formats
#pragma once
#include <string>

#include "core/serve/session.h"

namespace haft::serve {

// While it lives the session's figures are shown. Its owner keeps the session alive longer.
class Shown {
  Session& session_;

 public:
  explicit Shown(Session& s);
  Shown(const Shown&) = delete;
  ~Shown();
};

// One family of figures: its lines, each with labels (`name="value"`, ...) or none.
class Family {
  std::string& text_;
  const std::string name_;

 public:
  Family(std::string& text, std::string name, const char* type, const char* help);
  void add(const std::string& labels, double value) { line("", labels, value); }
  void add(const std::string& labels, const Histogram& h);

 private:
  void line(const char* suffix, const std::string& labels, double value);
};

// `name="value"`, with what the format wants escaped.
std::string label(const char* name, const std::string& value);

void write_sessions(std::string& text);

}  // namespace haft::serve
