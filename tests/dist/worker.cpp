// dist_worker [seconds]: meets the other processes of its job, as the launcher's variables say, and prints who it is
// and what all ranks add up to.
#include <cstdio>
#include <cstdlib>

#include "core/base/error.h"
#include "core/dist/rendezvous.h"

using namespace haft;
using namespace haft::dist;

int main(int argc, char** argv) {
  try {
    const Deadline deadline = Deadline::in((argc > 1 ? std::atoi(argv[1]) : 300) * kSecond);
    Rendezvous v = rendezvous("env://", -1, -1, deadline);
    const LaunchEnvironment e = read_launch_environment();
    v.store->add("sum", v.rank);
    if (v.store->add("added", 1) == v.world_size) v.store->set("all", "1");
    v.store->get("all", deadline);
    std::printf("rank %d of %d, local %d of %d, by %s, sum %s\n", v.rank, v.world_size, e.local_rank,
                e.local_world_size, e.launcher, v.store->get("sum", deadline).c_str());
    std::fflush(stdout);
    // Where rank 0 holds the store it is the last to go.
    if (v.rank != 0)
      v.store->add("out", 1);
    else
      while (v.store->add("out", 0) < v.world_size - 1 && !deadline.passed()) sleep_for(kSecond / 1000);
    return 0;
  } catch (const Error& e) {
    std::fprintf(stderr, "%s\n", e.message.c_str());
    return 3;
  }
}
