// haft-run: starts the processes of a job, on one machine or many, and ends them together.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "core/base/error.h"
#include "core/dist/rendezvous.h"
#include "core/dist/sha256.h"
#include "tools/haft-run/rounds.h"
#include "tools/haft-run/workers.h"

using namespace haft;
using namespace launcher;

namespace {

void say(const std::string& text) { std::fprintf(stderr, "haft-run: %s\n", text.c_str()); }

// Somebody asked haft-run to end.
struct Asked {
  int signal;
};

struct Meeting {
  Ref<dist::Store> store;
  std::string url;  // for the workers
  bool holds = false;
};

Meeting meet(const Options& o) {
  dist::StoreOptions s;
  s.secret = dist::job_secret();
  s.deadline = dist::Deadline::in(int64_t(o.join_timeout * 1e9));
  Meeting m;
  if (o.endpoint.empty()) {
    if (s.secret.empty()) setenv("HAFT_SECRET", (s.secret = dist::to_hex(dist::random_bytes(16))).c_str(), 1);
    s.serve = m.holds = true;
    m.store = dist::open_store("tcp://127.0.0.1:0", s);
    m.url = m.store->name();
    return m;
  }
  if (o.backend != "tcp") {
    m.url = o.backend + "://" + o.endpoint;
    m.store = dist::open_store(m.url, s);
    return m;
  }
  m.url = dist::with_port("tcp://" + o.endpoint, 29400);
  if (s.secret.empty()) say("HAFT_SECRET is not set: whoever reaches " + o.endpoint + " can join the job");
  // Where the endpoint is one of this machine's addresses and still free, the store is here.
  if (o.node_rank <= 0) {
    s.serve = true;
    try {
      m.store = dist::open_store(m.url, s);
      m.holds = true;
      return m;
    } catch (const Error& e) {
      if (e.code != Code::io || o.node_rank == 0) throw;
    }
    s.serve = false;
  }
  m.store = dist::open_store(m.url, s);
  return m;
}

Workers::Environments environments(const Options& o, const Round& r, const std::string& url) {
  Workers::Environments all;
  for (int i = 0; i < o.processes; ++i) {
    std::map<std::string, std::string> e;
    auto set = [&](const char* name, auto value) { e[name] = concat(value); };
    const int rank = r.first_rank + i;
    for (const char* prefix : {"", "HAFT_"}) {
      auto both = [&](const char* name, int value) { e[std::string(prefix) + name] = concat(value); };
      both("RANK", rank);
      both("WORLD_SIZE", r.world_size);
      both("LOCAL_RANK", i);
      both("LOCAL_WORLD_SIZE", o.processes);
    }
    set("ROLE_RANK", rank);
    set("ROLE_WORLD_SIZE", r.world_size);
    set("ROLE_NAME", "default");
    set("GROUP_RANK", r.node);
    set("GROUP_WORLD_SIZE", r.nodes);
    set("MASTER_ADDR", r.master_host);
    set("MASTER_PORT", r.master_port);
    set("TORCHELASTIC_RESTART_COUNT", r.restarts);
    set("TORCHELASTIC_MAX_RESTARTS", o.max_restarts);
    set("TORCHELASTIC_RUN_ID", o.run_id);
    set("TORCHELASTIC_USE_AGENT_STORE", "False");  // rank 0 holds PyTorch's
    set("HAFT_NODE_RANK", r.node);
    set("HAFT_RESTART_COUNT", r.restarts);
    set("HAFT_RUN_ID", concat(o.run_id, ".", r.number));  // no round's keys are another's
    set("HAFT_STORE", url);
    if (o.processes > 1 && !std::getenv("OMP_NUM_THREADS")) set("OMP_NUM_THREADS", 1);
    all.push_back(std::move(e));
  }
  return all;
}

// Runs one round to its end. `code`: what haft-run ends with when no further one follows.
Rounds::End run_round(const Options& o, Rounds& rounds, const Round& r, const std::string& url, int* code) {
  Workers workers(o);
  workers.start(environments(o, r, url), r.first_rank,
                concat(o.log_dir, "/", o.run_id, "/attempt_", r.number));
  bool reported = false;
  while (true) {
    if (const int asked = workers.poll(100)) {
      say(concat(signal_name(asked), ": ending ", o.processes, " processes"));
      rounds.report_failure(concat("machine ", r.node, " was told to end by ", signal_name(asked)));
      workers.stop();
      throw Asked{asked};
    }
    if (workers.failure() && !reported) {
      reported = true;
      const Failure& f = *workers.failure();
      *code = f.code;
      char host[256] = "";
      gethostname(host, sizeof host - 1);
      rounds.report_failure(concat("rank ", r.first_rank + f.local_rank, " (local rank ", f.local_rank,
                                   ", pid ", f.pid, ", host ", host, "): ", f.text));
    } else if (!workers.is_running() && !reported) {
      reported = true;
      *code = 0;
      rounds.report_done();
    }
    const Rounds::End end = rounds.look(reported);
    if (end == Rounds::End::going_on) continue;
    if (workers.is_running()) workers.stop();
    return end;
  }
}

int run(Options& o) {
  const Meeting m = meet(o);
  // Without a name the job's is the store's: who meets there belongs together.
  if (o.run_id.empty()) o.run_id = o.endpoint.empty() ? dist::to_hex(dist::random_bytes(4)) : "none";
  Rounds rounds(o, make_ref<dist::PrefixStore>("haft-run/" + o.run_id, m.store), m.holds);
  Workers waiting(o);  // hears signals while machines are waited for
  while (true) {
    const Round r = rounds.begin([&] {
      if (const int asked = waiting.poll(0)) throw Asked{asked};
    });
    if (r.nodes > 1 || r.number > 0)
      say(concat("round ", r.number, ": machine ", r.node, " of ", r.nodes, ", ranks ", r.first_rank, " to ",
                 r.first_rank + o.processes - 1, " of ", r.world_size));
    int code = 1;
    const Rounds::End end = run_round(o, rounds, r, m.url, &code);
    if (end == Rounds::End::done) {
      rounds.leave();
      return 0;
    }
    if (end == Rounds::End::changed) {
      say(rounds.failure() + ": starting again with it");
      continue;
    }
    say("first failure: " + rounds.failure());
    if (r.restarts >= o.max_restarts) {
      if (o.max_restarts) say(concat("gave up after ", o.max_restarts, " restarts"));
      rounds.leave();
      return code ? code : 1;
    }
    say(concat("restart ", r.restarts + 1, " of ", o.max_restarts));
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Options o = parse_options(argc, argv);
    return run(o);
  } catch (const Asked& a) {
    return 128 + a.signal;
  } catch (const Error& e) {
    say(e.message);
    if (!e.hint.empty()) say("  " + e.hint);
    return 1;
  } catch (const std::exception& e) {
    say(e.what());
    return 1;
  }
}
