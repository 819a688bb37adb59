// What each launcher sets, and what is read of it.
#include "core/dist/launch_environment.h"

#include "tests/dist/environment.h"
#include "tests/dist/store_testing.h"

using namespace haft;
using namespace haft::dist;

namespace {

using Variables = std::map<std::string, std::string>;

const Variables kTorchrun = {{"RANK", "5"},
                             {"WORLD_SIZE", "8"},
                             {"LOCAL_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "4"},
                             {"GROUP_RANK", "1"},
                             {"MASTER_ADDR", "node7"},
                             {"MASTER_PORT", "1234"},
                             {"TORCHELASTIC_RUN_ID", "job"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"}};
const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "1"},       {"OMPI_COMM_WORLD_SIZE", "3"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
                            {"OMPI_COMM_WORLD_NODE_RANK", "1"},  {"PMIX_RANK", "1"},
                            {"PMIX_NAMESPACE", "4711"}};
const Variables kSlurm = {{"SLURM_PROCID", "5"},
                          {"SLURM_NTASKS", "7"},
                          {"SLURM_LOCALID", "1"},
                          {"SLURM_NODEID", "2"},
                          {"SLURM_JOB_ID", "41000"},
                          {"SLURM_STEP_ID", "3"},
                          {"SLURM_STEP_NODELIST", "gpu[07-09]"},
                          {"SLURM_STEP_TASKS_PER_NODE", "2(x2),3"}};

Variables with(Variables v, const Variables& more) {
  for (auto& [name, value] : more) v[name] = value;
  return v;
}

TEST(LaunchEnvironment, ReadsEveryLauncher) {
  struct Case {
    Variables variables;
    LaunchEnvironment want;
  } cases[] = {
      {{}, {}},
      {kTorchrun, {"torchrun", 5, 8, 1, 4, 1, 2, "node7", 1234, "job", ""}},
      // torchrun's agent has a store of its own at that port.
      {with(kTorchrun, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}}),
       {"torchrun", 5, 8, 1, 4, 1, 2, "node7", 1235, "job", ""}},
      {{{"MASTER_ADDR", "h"}, {"MASTER_PORT", "5"}}, {"none", 0, 1, 0, 1, 0, 0, "h", 5, "", ""}},
      {{{"RANK", "0"}, {"WORLD_SIZE", "1"}}, {"torchrun", 0, 1, 0, 1, 0, 0, "", 29500, "", ""}},
      {kOpenMpi, {"openmpi", 1, 3, 1, 3, 0, 0, "127.0.0.1", 29500, "4711", ""}},
      // Several machines: Open MPI does not say which is the first.
      {with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}}),
       {"openmpi", 1, 3, 1, 2, 0, 0, "", 29500, "4711", ""}},
      {with(kOpenMpi, {{"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}, {"MASTER_ADDR", "n1"}}),
       {"openmpi", 1, 3, 1, 2, 0, 0, "n1", 29500, "4711", ""}},
      {{{"PMIX_RANK", "0"}, {"PMIX_SIZE", "2"}, {"PMIX_LOCAL_SIZE", "2"}},
       {"pmix", 0, 2, 0, 2, 0, 0, "127.0.0.1", 29500, "", ""}},
      {kSlurm, {"slurm", 5, 7, 1, 3, 2, 0, "gpu07", 20000 + 41003 % 20000, "41000.3", ""}},
      {with(kSlurm, {{"MASTER_ADDR", "a"}, {"MASTER_PORT", "9"}, {"SLURM_NODEID", "1"}}),
       {"slurm", 5, 7, 1, 2, 1, 0, "a", 9, "41000.3", ""}},
      // A batch script, before srun: one process.
      {{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "7"}, {"SLURM_JOB_ID", "1"}}, {}},
      // salloc's interactive step, and the job of a federation.
      {with(kSlurm, {{"SLURM_STEP_ID", "4294967290"}}), {}},
      {with(kSlurm, {{"SLURM_JOB_ID", "4227858432"}}),
       {"slurm", 5, 7, 1, 3, 2, 0, "gpu07", 20000 + (4227858432 + 3) % 20000, "4227858432.3", ""}},
      {{{"JOB_COMPLETION_INDEX", "2"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "job-0.svc"}},
       {"kubernetes", 2, 4, 0, 1, 2, 0, "job-0.svc", 29500, "", ""}},
      // haft-run comes first, also inside of another launcher.
      {with(with(kSlurm, kTorchrun), {{"HAFT_RANK", "1"},
                                      {"HAFT_WORLD_SIZE", "2"},
                                      {"HAFT_LOCAL_RANK", "0"},
                                      {"HAFT_LOCAL_WORLD_SIZE", "1"},
                                      {"HAFT_NODE_RANK", "1"},
                                      {"HAFT_RUN_ID", "mine"},
                                      {"HAFT_RESTART_COUNT", "3"},
                                      {"HAFT_STORE", "tcp://h:1"}}),
       {"haft-run", 1, 2, 0, 1, 1, 3, "node7", 1234, "mine", "tcp://h:1"}},
  };
  for (auto& c : cases) {
    Environment environment(c.variables);
    const LaunchEnvironment e = read_launch_environment();
    SCOPED_TRACE(c.want.launcher);
    EXPECT_STREQ(e.launcher, c.want.launcher);
    EXPECT_EQ(e.rank, c.want.rank);
    EXPECT_EQ(e.world_size, c.want.world_size);
    EXPECT_EQ(e.local_rank, c.want.local_rank);
    EXPECT_EQ(e.local_world_size, c.want.local_world_size);
    EXPECT_EQ(e.node_rank, c.want.node_rank);
    EXPECT_EQ(e.restart_count, c.want.restart_count);
    EXPECT_EQ(e.master_host, c.want.master_host);
    EXPECT_EQ(e.master_port, c.want.master_port);
    EXPECT_EQ(e.run_id, c.want.run_id);
    EXPECT_EQ(e.store_url, c.want.store_url);
  }
}

TEST(LaunchEnvironment, RefusesHalves) {
  struct {
    Variables variables;
    const char* text;
  } cases[] = {
      {{{"RANK", "0"}}, "RANK is set, but WORLD_SIZE is not"},
      {{{"WORLD_SIZE", "2"}}, "WORLD_SIZE is set, but RANK is not"},
      {{{"RANK", "two"}, {"WORLD_SIZE", "2"}}, "RANK is 'two'"},
      {{{"RANK", "-1"}, {"WORLD_SIZE", "2"}}, "RANK is '-1'"},
      {{{"RANK", "2"}, {"WORLD_SIZE", "2"}}, "RANK=2 and WORLD_SIZE=2"},
      {{{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_PORT", "http"}}, "MASTER_PORT is 'http'"},
      {{{"JOB_COMPLETION_INDEX", "1"}}, "JOB_COMPLETION_INDEX is set, but WORLD_SIZE is not"},
  };
  for (auto& c : cases) {
    Environment environment(c.variables);
    const Error e = error_of([] { read_launch_environment(); });
    EXPECT_TRUE(e.code == Code::invalid_argument && says(e, c.text)) << e.message;
  }
}

TEST(LaunchEnvironment, FirstHostOfSlurmsLists) {
  const char* cases[][2] = {{"node", "node"},
                            {"a,b", "a"},
                            {"node[07-09,12],other", "node07"},
                            {"node[3,5]", "node3"},
                            {"rack[1-2]n[4-5]", "rack1n[4-5]"},
                            {"n[10-12]-ib,b", "n10-ib"}};
  for (auto& c : cases) EXPECT_EQ(first_slurm_host(c[0]), c[1]);
}

}  // namespace
