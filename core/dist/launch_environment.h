// What a launcher told this process about the job, whoever it was.
#pragma once
#include <string>

namespace haft::dist {

struct LaunchEnvironment {
  const char* launcher = "none";  // haft-run, torchrun, openmpi, pmix, slurm, kubernetes
  int rank = 0, world_size = 1;
  int local_rank = 0, local_world_size = 1;  // among the processes of this machine
  int node_rank = 0;
  int restart_count = 0;
  std::string master_host;  // empty: nobody said it
  int master_port = 0;
  std::string run_id;  // differs between jobs; empty: nobody said it
  // Of a store that the launcher holds; empty: rank 0 holds one at the master's address.
  std::string store_url;
};

// The first launcher whose rank and world size are there: haft-run's HAFT_*, torchrun's, Open MPI's, PMIx's, Slurm's, a
// Kubernetes indexed job's. Variables that say half of it, or no numbers, are refused by name.
LaunchEnvironment read_launch_environment();

// The first host of Slurm's list, such as node[07-09,12],other.
std::string first_slurm_host(const std::string& list);

}  // namespace haft::dist
