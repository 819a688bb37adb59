#include "tools/haft-run/options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "core/base/error.h"
#include "core/base/processors.h"
#include "core/base/text.h"

using haft::Code;
using haft::concat;
using haft::fail;

namespace launcher {

namespace {

const char* const kHelp =
    R"(usage: haft-run [options] program [arguments]
       haft-run [options] script.py [arguments]
       haft-run [options] -m module [arguments]

Starts a program several times, on this machine and others, tells each process its rank, and ends all when one fails.
Options are torchrun's; - and _ in their names are the same.

  --nproc-per-node N   processes on this machine, or auto or cpu: one a processor (1)
  --nnodes N           machines, or MIN:MAX for as many as come (1)
  --node-rank R        this machine's place, 0 to N - 1; without it machines are numbered as they come
  --master-addr HOST, --master-port PORT   where machine 0 listens, or
  --rdzv-endpoint HOST[:PORT]              the same
  --rdzv-backend KIND  what machines meet in: tcp, c10d and static are a store at the endpoint that haft-run holds; file,
                       redis and etcd are stores that are there (tcp)
  --rdzv-id ID         the job's name; jobs of different names do not meet
  --rdzv-conf K=V,...  join_timeout (600), last_call_timeout (30), lost_after (10): seconds
  --standalone         this machine alone (what --nnodes 1 without an endpoint is, too)
  --max-restarts N     how often to start all processes again when one fails (0)
  --log-dir DIR        where redirected output goes: DIR/ID/attempt_N/RANK/stdout.log and stderr.log
  -r, --redirects S    0: print all, 1: stdout, 2: stderr, 3: both into files; 0:1,1:3 says it by local rank (0)
  -t, --tee S          the same, but print it, too (0)
  --stop-timeout S     seconds between TERM and KILL (5)
  --no-python          accepted: a program is run as it is; only *.py and -m go to $PYTHON or python3

HAFT_SECRET, when set everywhere to the same text, keeps others out of the store; on one machine haft-run makes one up.
)";

int to_int(const std::string& option, const std::string& s, int least) {
  int n = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size() || n < least)
    fail(Code::invalid_argument, concat(option, " '", s, "': wanted a whole number from ", least));
  return n;
}

double to_seconds(const std::string& option, const std::string& s) {
  double n = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size() || !(n >= 0) || n > 1e9)
    fail(Code::invalid_argument, concat(option, " '", s, "': wanted seconds from 0"));
  return n;
}

Streams to_streams(const std::string& option, const std::string& s) {
  Streams r;
  for (size_t at = 0; at <= s.size();) {
    const size_t end = std::min(s.find(',', at), s.size());
    const std::string part = s.substr(at, end - at);
    const size_t colon = part.find(':');
    const int streams = to_int(option, colon == std::string::npos ? part : part.substr(colon + 1), 0);
    if (streams > 3) fail(Code::invalid_argument, concat(option, " '", part, "': streams are 0 to 3"));
    if (colon == std::string::npos)
      r.all = streams;
    else
      r.by_rank[to_int(option, part.substr(0, colon), 0)] = streams;
    at = end + 1;
  }
  return r;
}

void set_conf(Options& o, const std::string& option, const std::string& s) {
  for (size_t at = 0; at < s.size();) {
    const size_t end = std::min(s.find(',', at), s.size()), is = s.find('=', at);
    const std::string key = s.substr(at, is - at);
    if (is >= end) fail(Code::invalid_argument, concat(option, " '", s, "': wanted name=value,..."));
    const double seconds = to_seconds(option, s.substr(is + 1, end - is - 1));
    if (key == "join_timeout" || key == "timeout")
      o.join_timeout = seconds;
    else if (key == "last_call_timeout")
      o.last_call = seconds;
    else if (key == "lost_after")
      o.lost_after = seconds;
    else
      fail(Code::invalid_argument, concat(option, ": there is no '", key, "'"),
           "join_timeout, last_call_timeout, lost_after");
    at = end + 1;
  }
}

// What stands in front of a script or a module.
void put_interpreter(std::vector<std::string>& command, bool module) {
  if (!module && !command[0].ends_with(".py")) return;
  const char* python = std::getenv("PYTHON");
  std::vector<std::string> before = {python && *python ? python : "python3", "-u"};
  if (module) before.push_back("-m");
  command.insert(command.begin(), before.begin(), before.end());
}

// Options that do not go together.
void check(const Options& o, bool standalone) {
  if (standalone && (o.max_nodes > 1 || !o.endpoint.empty()))
    fail(Code::invalid_argument,
         "--standalone is this machine alone: --nnodes above 1 and an endpoint contradict it");
  if (o.max_nodes > 1 && o.endpoint.empty())
    fail(Code::invalid_argument, concat("--nnodes ", o.max_nodes, " wants a place where the machines meet"),
         "--rdzv-endpoint HOST:PORT with HOST one of the machines, the same on all");
  if (o.backend != "tcp" && (o.endpoint.empty() || o.run_id.empty()))
    fail(Code::invalid_argument, concat("--rdzv-backend ", o.backend, " wants --rdzv-endpoint and --rdzv-id"),
         "a store that outlives the job knows by the id which job is which: take a new one each time");
  if (o.node_rank >= o.max_nodes)
    fail(Code::invalid_argument,
         concat("--node-rank ", o.node_rank, " of --nnodes ", o.max_nodes, ": ranks are below it"));
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options o;
  std::string host, port;
  bool standalone = false, module = false;
  const std::map<std::string, std::function<void(const std::string&, const std::string&)>> with_value = {
      {"--nproc-per-node",
       [&](auto& n, auto& v) {
         o.processes = v == "auto" || v == "cpu" ? haft::processors() : to_int(n, v, 1);
       }},
      {"--nnodes",
       [&](auto& n, auto& v) {
         const size_t colon = v.find(':');
         o.min_nodes = to_int(n, v.substr(0, colon), 1);
         o.max_nodes = colon == std::string::npos ? o.min_nodes : to_int(n, v.substr(colon + 1), o.min_nodes);
       }},
      {"--node-rank", [&](auto& n, auto& v) { o.node_rank = to_int(n, v, 0); }},
      {"--master-addr", [&](auto&, auto& v) { host = v; }},
      {"--master-port", [&](auto& n, auto& v) { port = std::to_string(to_int(n, v, 1)); }},
      {"--rdzv-endpoint", [&](auto&, auto& v) { o.endpoint = v; }},
      {"--rdzv-backend",
       [&](auto& n, auto& v) {
         o.backend = v == "static" || v == "c10d" ? "tcp" : v;
         if (o.backend != "tcp" && o.backend != "file" && o.backend != "redis" && o.backend != "etcd")
           fail(Code::invalid_argument,
                concat(n, " '", v, "': wanted tcp, c10d, static, file, redis or etcd"));
       }},
      {"--rdzv-id", [&](auto&, auto& v) { o.run_id = v; }},
      {"--rdzv-conf", [&](auto& n, auto& v) { set_conf(o, n, v); }},
      {"--max-restarts", [&](auto& n, auto& v) { o.max_restarts = to_int(n, v, 0); }},
      {"--log-dir", [&](auto&, auto& v) { o.log_dir = v; }},
      {"--redirects", [&](auto& n, auto& v) { o.redirects = to_streams(n, v); }},
      {"--tee", [&](auto& n, auto& v) { o.tee = to_streams(n, v); }},
      {"--stop-timeout", [&](auto& n, auto& v) { o.stop_after = to_seconds(n, v); }},
  };
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    std::string name = argv[i], value;
    if (name == "--") {
      ++i;
      break;
    }
    const size_t is = name.find('=');
    bool has_value = is != std::string::npos;
    if (has_value) {
      value = name.substr(is + 1);
      name.resize(is);
    }
    for (size_t c = 2; c < name.size(); ++c)
      if (name[c] == '_') name[c] = '-';
    if (name == "-r") name = "--redirects";
    if (name == "-t") name = "--tee";
    if (name == "-h" || name == "--help") {
      std::fputs(kHelp, stdout);
      std::exit(0);
    }
    if (name == "--standalone") {
      standalone = true;
    } else if (name == "--no-python") {
    } else if (name == "-m" || name == "--module") {
      module = true;
    } else if (const auto it = with_value.find(name); it != with_value.end()) {
      if (!has_value) {
        if (++i == argc) fail(Code::invalid_argument, name + " wants a value");
        value = argv[i];
      }
      it->second(name, value);
    } else {
      fail(Code::invalid_argument, "there is no option " + name, "haft-run --help lists them");
    }
  }
  for (; i < argc; ++i) o.command.emplace_back(argv[i]);
  if (o.command.empty())
    fail(Code::invalid_argument, "there is no program to start", "haft-run [options] program [arguments]");
  put_interpreter(o.command, module);
  if (!host.empty() || !port.empty()) {
    if (!o.endpoint.empty())
      fail(Code::invalid_argument, "--rdzv-endpoint says what --master-addr and --master-port say");
    o.endpoint = (host.empty() ? "127.0.0.1" : host) + ":" + (port.empty() ? "29400" : port);
  }
  check(o, standalone);
  for (const Streams* s : {&o.redirects, &o.tee})
    if ((s->all || !s->by_rank.empty()) && o.log_dir.empty()) o.log_dir = "haft-run-logs";
  return o;
}

}  // namespace launcher
