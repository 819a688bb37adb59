// What haft-run was asked to do. The options are torchrun's.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace launcher {

// Where a stream goes: bits, by local rank, of 1 stdout and 2 stderr.
struct Streams {
  int all = 0;
  std::map<int, int> by_rank;
  int of(int local_rank) const {
    const auto it = by_rank.find(local_rank);
    return it == by_rank.end() ? all : it->second;
  }
};

struct Options {
  int processes = 1;                 // --nproc-per-node
  int min_nodes = 1, max_nodes = 1;  // --nnodes
  int node_rank = -1;
  std::string backend = "tcp";  // --rdzv-backend
  std::string endpoint;         // host:port, a folder for file; empty: this machine alone
  std::string run_id;
  int max_restarts = 0;
  double join_timeout = 600;  // --rdzv-conf: until min_nodes have come
  double last_call = 30;      // and how long then to wait for more
  double lost_after = 10;     // without a sign of life a node counts as lost
  double stop_after = 5;      // between TERM and KILL
  std::string log_dir;
  Streams redirects, tee;
  std::vector<std::string> command;
};

// Ends the program with 0 after --help; throws haft::Error for what makes no sense.
Options parse_options(int argc, char** argv);

}  // namespace launcher
