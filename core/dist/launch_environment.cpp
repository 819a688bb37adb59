#include "core/dist/launch_environment.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"

namespace haft::dist {

namespace {

constexpr int kDefaultPort = 29500;

const char* text_of(const char* name) {
  const char* v = std::getenv(name);
  return v && *v ? v : nullptr;
}

template <class T = int>
std::optional<T> number_of(const char* name) {
  const char* v = text_of(name);
  if (!v) return {};
  T n = 0;
  const std::string_view s = v;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size() || n < 0)
    fail(Code::invalid_argument,
         concat("environment variable ", name, " is '", v, "', wanted a number from 0"));
  return n;
}

// The names by which a launcher calls what it says.
struct Names {
  const char *launcher, *rank, *world_size, *local_rank, *local_world_size, *node_rank, *run_id;
};
constexpr Names kLaunchers[] = {
    {"haft-run", "HAFT_RANK", "HAFT_WORLD_SIZE", "HAFT_LOCAL_RANK", "HAFT_LOCAL_WORLD_SIZE", "HAFT_NODE_RANK",
     "HAFT_RUN_ID"},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "TORCHELASTIC_RUN_ID"},
    {"openmpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_NODE_RANK", "PMIX_NAMESPACE"},
    {"pmix", "PMIX_RANK", "PMIX_SIZE", "PMIX_LOCAL_RANK", "PMIX_LOCAL_SIZE", "PMIX_NODEID", "PMIX_NAMESPACE"},
    {"slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE", "SLURM_NODEID",
     "SLURM_JOB_ID"},
    {"kubernetes", "JOB_COMPLETION_INDEX", "WORLD_SIZE", nullptr, nullptr, "JOB_COMPLETION_INDEX",
     "JOB_NAME"},
};

// Of Slurm's "2(x3),1": how many tasks the node has.
std::optional<int> slurm_tasks_of(int node) {
  const char* v = text_of("SLURM_STEP_TASKS_PER_NODE");
  if (!v) return {};
  std::string_view s = v;
  while (!s.empty()) {
    int tasks = 0, nodes = 1;
    auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), tasks);
    if (error != std::errc()) return {};
    s.remove_prefix(size_t(end - s.data()));
    if (s.starts_with("(x")) {
      auto [close, wrong] = std::from_chars(s.data() + 2, s.data() + s.size(), nodes);
      if (wrong != std::errc() || close == s.data() + s.size()) return {};
      s.remove_prefix(size_t(close - s.data()) + 1);
    }
    if (node < nodes) return tasks;
    node -= nodes;
    if (s.starts_with(",")) s.remove_prefix(1);
  }
  return {};
}

}  // namespace

std::string first_slurm_host(const std::string& list) {
  const size_t end = list.find_first_of("[,");
  std::string host = list.substr(0, end);
  if (end == std::string::npos || list[end] == ',') return host;
  const size_t stop = list.find_first_of("-,]", end);
  if (stop == std::string::npos)
    fail(Code::invalid_argument, concat("cannot read Slurm's list of hosts '", list, "'"));
  host += list.substr(end + 1, stop - end - 1);
  // What follows the brackets belongs to each name.
  const size_t close = list.find(']', end);
  if (close != std::string::npos) host += list.substr(close + 1, list.find(',', close) - close - 1);
  return host;
}

LaunchEnvironment read_launch_environment() {
  LaunchEnvironment e;
  for (const Names& n : kLaunchers) {
    const std::string_view launcher = n.launcher;
    const std::optional<int> rank = number_of(n.rank), world = number_of(n.world_size);
    if (!rank && !world) continue;
    // A batch script of Slurm's and a shell of salloc's have a rank, too, but only srun starts ranks. The numbers of
    // such steps are the last ones below 2^32.
    if (launcher == "slurm" && number_of<int64_t>("SLURM_STEP_ID").value_or(INT64_MAX) >= 0xfffffff0)
      continue;
    if (!rank || !world) {
      if (launcher == "pmix" || (launcher == "torchrun" && !rank && text_of("JOB_COMPLETION_INDEX")))
        continue;
      fail(Code::invalid_argument,
           concat("environment variable ", rank ? n.rank : n.world_size, " is set, but ",
                  rank ? n.world_size : n.rank, " is not"),
           "a launcher sets both: start the program with haft-run, torchrun, mpirun or srun, or set both by "
           "hand");
    }
    e.launcher = n.launcher;
    e.rank = *rank;
    e.world_size = *world;
    if (e.world_size < 1 || e.rank >= e.world_size)
      fail(Code::invalid_argument,
           concat("environment variables ", n.rank, "=", e.rank, " and ", n.world_size, "=", e.world_size,
                  ": a rank is below the world size"));
    e.local_rank = n.local_rank ? number_of(n.local_rank).value_or(0) : 0;
    e.node_rank = number_of(n.node_rank).value_or(0);
    if (launcher == "openmpi") e.node_rank = 0;  // its NODE_RANK counts processes, not machines
    e.local_world_size = 1;
    if (launcher == "slurm")
      e.local_world_size = slurm_tasks_of(e.node_rank).value_or(e.world_size);
    else if (n.local_world_size)
      e.local_world_size = number_of(n.local_world_size).value_or(1);
    if (const char* id = text_of(n.run_id)) e.run_id = id;
    if (const char* host = text_of("MASTER_ADDR")) e.master_host = host;
    e.master_port = number_of("MASTER_PORT").value_or(0);
    e.restart_count =
        number_of(launcher == "haft-run" ? "HAFT_RESTART_COUNT" : "TORCHELASTIC_RESTART_COUNT").value_or(0);
    if (launcher == "haft-run") {
      if (const char* url = text_of("HAFT_STORE")) e.store_url = url;
    } else if (launcher == "torchrun") {
      // Its own store, of another protocol, may sit at the master's port.
      const char* agent = text_of("TORCHELASTIC_USE_AGENT_STORE");
      if (agent && std::string_view(agent) == "True" && e.master_port)
        e.master_port = e.master_port % 65535 + 1;
    } else if (launcher == "openmpi" || launcher == "pmix") {
      // Neither names a machine: where all ranks are on this one, it is this one.
      if (e.master_host.empty() && e.local_world_size == e.world_size) e.master_host = "127.0.0.1";
    } else if (launcher == "slurm") {
      const int64_t job = number_of<int64_t>("SLURM_JOB_ID").value_or(0),
                    step = *number_of<int64_t>("SLURM_STEP_ID");
      e.run_id = concat(job, ".", step);
      const char* nodes = text_of("SLURM_STEP_NODELIST");
      if (!nodes) nodes = text_of("SLURM_NODELIST");
      if (e.master_host.empty() && nodes) e.master_host = first_slurm_host(nodes);
      if (!e.master_port) e.master_port = int(20000 + (job + step) % 20000);
    }
    if (!e.master_port) e.master_port = kDefaultPort;
    return e;
  }
  // A program that knows rank and world size by itself is told where rank 0 is, all the same.
  if (const char* host = text_of("MASTER_ADDR")) e.master_host = host;
  e.master_port = number_of("MASTER_PORT").value_or(0);
  return e;
}

}  // namespace haft::dist
