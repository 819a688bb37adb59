#include "core/serve/exposition.h"

#include <charconv>
#include <cmath>

#include "core/base/fork.h"

namespace haft::serve {

namespace {

// Never destroyed: sessions may outlive static objects. Free in a child of the process, whatever its parent did.
struct List {
  std::mutex mutex;
  std::vector<Session*> sessions;  // in order of creation

  List() {
    on_fork([] { list().mutex.lock(); }, [] { list().mutex.unlock(); }, [] { list().mutex.unlock(); });
  }
  static List& list() {
    static List& one = *new List;
    return one;
  }
};

std::string number(double v) {
  if (!std::isfinite(v)) return std::isnan(v) ? "NaN" : v > 0 ? "+Inf" : "-Inf";
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, v, std::chars_format::general).ptr};
}

struct Figures {
  std::string label;
  int64_t memory_limit;
  Metrics metrics;
};

std::vector<Figures> all_figures() {
  std::vector<Ref<Session>> sessions;
  {
    std::lock_guard lock(List::list().mutex);
    for (Session* s : List::list().sessions)
      if (!s->is_foreign()) sessions.push_back(Ref<Session>::share(s));
  }
  std::vector<Figures> all;
  for (const Ref<Session>& s : sessions)
    all.push_back({label("session", s->name()), s->memory_limit(), s->metrics()});
  return all;
}

}  // namespace

Shown::Shown(Session& s) : session_(s) {
  std::lock_guard lock(List::list().mutex);
  List::list().sessions.push_back(&s);
}

Shown::~Shown() {
  std::lock_guard lock(List::list().mutex);
  std::erase(List::list().sessions, &session_);
}

Family::Family(std::string& text, std::string name, const char* type, const char* help)
    : text_(text), name_(std::move(name)) {
  text_ += concat("# HELP ", name_, " ", help, "\n# TYPE ", name_, " ", type, "\n");
}

void Family::line(const char* suffix, const std::string& labels, double value) {
  text_ += name_ + suffix;
  if (!labels.empty()) text_ += "{" + labels + "}";
  text_ += " " + number(value) + "\n";
}

void Family::add(const std::string& labels, const Histogram& h) {
  const std::string before = labels.empty() ? "" : labels + ",";
  int64_t sum = 0;
  for (size_t i = 0; i < h.counts().size(); ++i) {
    sum += h.counts()[i];
    line("_bucket", before + label("le", i < h.bounds().size() ? number(h.bounds()[i]) : "+Inf"),
         double(sum));
  }
  line("_sum", labels, h.sum());
  line("_count", labels, double(sum));
}

std::string label(const char* name, const std::string& value) {
  std::string s = std::string(name) + "=\"";
  for (char c : value) {
    if (c == '\\' || c == '"') s += '\\';
    s += c == '\n' ? "\\n" : std::string(1, c);
  }
  return s + '"';
}

void write_sessions(std::string& text) {
  const std::vector<Figures> all = all_figures();
  if (all.empty()) return;
  {
    Family f(text, "haft_session_requests_total", "counter", "Requests that have ended, by how.");
    for (const Figures& s : all) {
      const Counts& n = s.metrics.counts;
      const std::pair<const char*, int64_t> ends[] = {{"completed", n.completed}, {"failed", n.failed},
                                                      {"invalid", n.invalid},     {"refused", n.refused},
                                                      {"cancelled", n.cancelled}, {"timed_out", n.timed_out}};
      for (auto [end, count] : ends) f.add(s.label + "," + label("outcome", end), double(count));
    }
  }
  auto family = [&](const char* name, const char* type, const char* help, auto&& figure) {
    Family f(text, name, type, help);
    for (const Figures& s : all) f.add(s.label, figure(s));
  };
  auto gauge = [&](const char* name, const char* help, auto&& figure) {
    family(name, "gauge", help, [&](const Figures& s) { return double(figure(s)); });
  };
  family("haft_session_latency_seconds", "histogram", "From submission to answer, of completed requests.",
         [](const Figures& s) -> const Histogram& { return s.metrics.latencies; });
  family("haft_session_batch_requests", "histogram", "Requests that ran together.",
         [](const Figures& s) -> const Histogram& { return s.metrics.batch_sizes; });
  gauge("haft_session_queue_requests", "Requests that wait.",
        [](const Figures& s) { return s.metrics.queue_length; });
  gauge("haft_session_queue_peak_requests", "The most requests that have waited.",
        [](const Figures& s) { return s.metrics.queue_peak; });
  gauge("haft_session_running_batches", "Batches that run.",
        [](const Figures& s) { return s.metrics.running; });
  gauge("haft_session_memory_bytes", "Tensors that runs have made and that live.",
        [](const Figures& s) { return s.metrics.bytes_live; });
  gauge("haft_session_memory_peak_bytes", "The most of them.",
        [](const Figures& s) { return s.metrics.bytes_peak; });
  gauge("haft_session_memory_limit_bytes", "What they may have; 0: no limit.",
        [](const Figures& s) { return s.memory_limit; });
}

}  // namespace haft::serve
