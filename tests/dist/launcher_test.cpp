// haft-run with real processes. What is waited for is counted, not timed.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "tests/dist/environment.h"
#include "tests/dist/server_process.h"
#include "tests/dist/store_testing.h"

using namespace haft;
using namespace haft::dist;

namespace {

std::string content(const std::string& path) {
  std::ifstream f(path);
  return {std::istreambuf_iterator<char>(f), {}};
}

// A haft-run at work; its output goes to files.
struct Running {
  pid_t pid = 0;
  std::string out, err;
  Running(Running&& o) noexcept
      : pid(std::exchange(o.pid, 0)), out(std::move(o.out)), err(std::move(o.err)) {}

  Running(const Folder& folder, const std::string& name, const std::vector<std::string>& arguments,
          const std::string& program = HAFT_RUN)
      : out(folder.path + "/" + name + ".out"), err(folder.path + "/" + name + ".err") {
    std::vector<std::string> all = {program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& a : all) argv.push_back(a.data());
    argv.push_back(nullptr);
    pid = fork();
    if (pid == 0) {
      const int o = open(out.c_str(), O_WRONLY | O_CREAT, 0600),
                e = open(err.c_str(), O_WRONLY | O_CREAT, 0600);
      dup2(o, 1);
      dup2(e, 2);
      execvp(argv[0], argv.data());
      _exit(126);
    }
  }
  ~Running() {
    if (pid) kill(pid, SIGKILL), wait();
  }
  // The exit code, or 1000 + the signal.
  int wait() {
    int status = 0;
    waitpid(pid, &status, 0);
    pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  std::multiset<std::string> lines() const {
    std::multiset<std::string> all;
    std::istringstream s(content(out));
    for (std::string line; std::getline(s, line);) all.insert(line);
    return all;
  }
};

struct Launcher : testing::Test {
  Environment clean{{}};
  Folder folder;
  int count = 0;

  Running start(const std::vector<std::string>& arguments) {
    return {folder, concat("run", count++), arguments};
  }
  // Each process runs the script, which finds the folder in $1.
  Running shell(std::vector<std::string> options, const std::string& script) {
    for (const std::string& s :
         {std::string("sh"), std::string("-c"), script, std::string("sh"), folder.path})
      options.push_back(s);
    return start(options);
  }
  // The numbers of processes that wrote theirs there, once there are so many.
  std::vector<pid_t> pids(size_t how_many) {
    const std::string path = folder.path + "/pids";
    while (true) {
      std::vector<pid_t> all;
      std::istringstream s(content(path));
      for (pid_t p; s >> p;) all.push_back(p);
      if (all.size() >= how_many && content(path).ends_with("\n")) return all;
      sleep_for(kSecond / 100);
    }
  }
  static void expect_gone(const std::vector<pid_t>& all) {
    for (pid_t p : all)
      while (kill(p, 0) == 0 || errno != ESRCH) {
        // One that nobody waits for any more is as good as gone.
        std::istringstream s(content(concat("/proc/", p, "/stat")));
        std::string number, name, state;
        s >> number >> name >> state;
        if (state == "Z") break;
        sleep_for(kSecond / 100);
      }
  }
};

using Lines = std::multiset<std::string>;

TEST_F(Launcher, TellsRanksAndPrefixesOutput) {
  Running r = shell({"--nproc-per-node=3"},
                    "echo $RANK $WORLD_SIZE $LOCAL_RANK $LOCAL_WORLD_SIZE $GROUP_RANK $HAFT_RANK "
                    "$TORCHELASTIC_RESTART_COUNT "
                    "${MASTER_ADDR:?} ${MASTER_PORT:+port} ${HAFT_STORE:+store} ${HAFT_SECRET:+secret}; "
                    "printf unended; echo err >&2");
  EXPECT_EQ(r.wait(), 0) << content(r.err);
  Lines want;
  for (int i = 0; i < 3; ++i) {
    want.insert(concat("[", i, "] ", i, " 3 ", i, " 3 0 ", i, " 0 127.0.0.1 port store secret"));
    want.insert(concat("[", i, "] unended"));
    EXPECT_NE(content(r.err).find(concat("[", i, "] err\n")), std::string::npos);
  }
  EXPECT_EQ(r.lines(), want);
}

TEST_F(Launcher, ProcessesFindEachOther) {
  Running r = start({"--nproc_per_node", "4", HAFT_WORKER});
  EXPECT_EQ(r.wait(), 0) << content(r.err);
  Lines want;
  for (int i = 0; i < 4; ++i)
    want.insert(concat("[", i, "] rank ", i, " of 4, local ", i, " of 4, by haft-run, sum 6"));
  EXPECT_EQ(r.lines(), want);
}

TEST_F(Launcher, OneFailureEndsAll) {
  Running r = shell({"--nproc-per-node", "3"},
                    "echo $$ >> $1/pids; [ $RANK = 1 ] || exec sleep 1000; while [ $(wc -l < $1/pids) -lt 3 "
                    "]; do sleep 0.01; done; exit 7");
  EXPECT_EQ(r.wait(), 7);
  EXPECT_NE(content(r.err).find("first failure: rank 1 (local rank 1, pid "), std::string::npos)
      << content(r.err);
  EXPECT_NE(content(r.err).find("): exit code 7"), std::string::npos) << content(r.err);
  expect_gone(pids(3));
}

TEST_F(Launcher, SignalsAndMissingProgramsAreNamed) {
  Running r = shell({"--nproc-per-node", "2"}, "[ $RANK = 0 ] || exec sleep 1000; kill -SEGV $$");
  EXPECT_EQ(r.wait(), 128 + SIGSEGV);
  EXPECT_NE(content(r.err).find("rank 0 (local rank 0"), std::string::npos) << content(r.err);
  EXPECT_NE(content(r.err).find("killed by SIGSEGV"), std::string::npos) << content(r.err);
  Running none = start({"/nothing/here"});
  EXPECT_EQ(none.wait(), 127);
  EXPECT_NE(content(none.err).find("cannot start /nothing/here"), std::string::npos) << content(none.err);
}

TEST_F(Launcher, WhoIgnoresTermIsKilled) {
  Running r = shell({"--nproc-per-node", "2", "--stop-timeout", "0.1"},
                    "trap '' TERM; sleep 1000 & echo $$ $! >> $1/pids; [ $RANK = 0 ] && { while [ $(wc -l < "
                    "$1/pids) -lt 2 ]; do sleep "
                    "0.01; done; exit 3; }; wait; wait");
  EXPECT_EQ(r.wait(), 3);
  expect_gone(pids(4));
}

TEST_F(Launcher, StartsAgainAsOftenAsItMay) {
  const std::string script =
      "echo $RANK $TORCHELASTIC_RESTART_COUNT $TORCHELASTIC_MAX_RESTARTS >> $1/tries; [ $RANK = 1 ] && [ "
      "$HAFT_RESTART_COUNT -lt 2 ] && "
      "exit 5; [ $HAFT_RESTART_COUNT = 2 ] || exec sleep 1000";
  Running r = shell({"--nproc-per-node", "2", "--max-restarts", "3"}, script);
  EXPECT_EQ(r.wait(), 0) << content(r.err);
  // Rank 0 may be ended before it has written; rank 1 wrote each time.
  const std::string tries = content(folder.path + "/tries");
  for (const char* line : {"1 0 3\n", "1 1 3\n", "1 2 3\n", "0 2 3\n"})
    EXPECT_NE(tries.find(line), std::string::npos) << tries;
  EXPECT_EQ(tries.find(" 3 3\n"), std::string::npos) << tries;
  Running once = shell({"--nproc-per-node", "2", "--max-restarts", "1"}, script);
  EXPECT_EQ(once.wait(), 5);
  EXPECT_NE(content(once.err).find("gave up after 1 restarts"), std::string::npos) << content(once.err);
}

TEST_F(Launcher, NoOrphans) {
  Running killed = shell({"--nproc-per-node", "3"}, "echo $$ >> $1/pids; exec sleep 1000");
  std::vector<pid_t> all = pids(3);
  kill(killed.pid, SIGKILL);
  EXPECT_EQ(killed.wait(), 1000 + SIGKILL);
  expect_gone(all);
  std::filesystem::remove(folder.path + "/pids");
  Running ended = shell(
      {"--nproc-per-node", "3"},
      "trap 'echo term $RANK >> $1/terms; kill $!; exit 0' TERM; sleep 1000 & echo $$ >> $1/pids; wait");
  all = pids(3);
  kill(ended.pid, SIGTERM);
  EXPECT_EQ(ended.wait(), 128 + SIGTERM);
  expect_gone(all);
  for (int i = 0; i < 3; ++i)
    EXPECT_NE(content(folder.path + "/terms").find(concat("term ", i)), std::string::npos);
}

TEST_F(Launcher, RedirectsAndTees) {
  const std::string logs = folder.path + "/logs";
  Running r =
      shell({"--nproc-per-node", "2", "--log-dir", logs, "--rdzv-id", "job", "-r", "0:3", "-t", "1:1"},
            "echo out $RANK; echo err $RANK >&2");
  EXPECT_EQ(r.wait(), 0) << content(r.err);
  EXPECT_EQ(r.lines(), Lines{"[1] out 1"});
  EXPECT_EQ(content(r.err), "[1] err 1\n");
  EXPECT_EQ(content(logs + "/job/attempt_0/0/stdout.log"), "out 0\n");
  EXPECT_EQ(content(logs + "/job/attempt_0/0/stderr.log"), "err 0\n");
  EXPECT_EQ(content(logs + "/job/attempt_0/1/stdout.log"), "out 1\n");
  EXPECT_FALSE(std::filesystem::exists(logs + "/job/attempt_0/1/stderr.log"));
}

TEST_F(Launcher, RefusesWhatMakesNoSense) {
  struct {
    std::vector<std::string> arguments;
    const char* text;
  } cases[] = {
      {{}, "there is no program to start"},
      {{"--nonsense", "true"}, "there is no option --nonsense"},
      {{"--nproc-per-node"}, "--nproc-per-node wants a value"},
      {{"--nproc-per-node", "0", "true"}, "'0': wanted a whole number from 1"},
      {{"--nnodes", "3:2", "true"}, "--nnodes '2': wanted a whole number from 3"},
      {{"--nnodes", "2", "true"}, "wants a place where the machines meet"},
      {{"--nnodes", "2", "--node-rank", "2", "--rdzv-endpoint", "h:1", "true"},
       "--node-rank 2 of --nnodes 2"},
      {{"--standalone", "--master-addr", "h", "true"}, "contradict"},
      {{"--rdzv-backend", "zookeeper", "true"}, "'zookeeper'"},
      {{"--rdzv-backend", "file", "--rdzv-endpoint", "/tmp/x", "true"}, "--rdzv-id"},
      {{"--rdzv-conf", "last=1", "true"}, "there is no 'last'"},
      {{"-r", "4", "true"}, "streams are 0 to 3"},
  };
  for (auto& c : cases) {
    Running r = start(c.arguments);
    EXPECT_EQ(r.wait(), 1);
    EXPECT_NE(content(r.err).find(c.text), std::string::npos) << content(r.err);
  }
}

TEST_F(Launcher, SeveralMachines) {
  const std::string endpoint = concat("127.0.0.1:", free_port());
  setenv("HAFT_SECRET", "of the job", 1);
  setenv("HAFT_NODE_ADDR", "127.0.0.1", 1);
  Running one = start({"--nnodes", "2", "--node-rank", "1", "--nproc-per-node", "2", "--rdzv-endpoint",
                       endpoint, HAFT_WORKER});
  Running zero = start({"--nnodes", "2", "--node-rank", "0", "--nproc-per-node", "1", "--rdzv-endpoint",
                        endpoint, HAFT_WORKER});
  EXPECT_EQ(zero.wait(), 0) << content(zero.err);
  EXPECT_EQ(one.wait(), 0) << content(one.err);
  EXPECT_EQ(zero.lines(), Lines{"[0] rank 0 of 3, local 0 of 1, by haft-run, sum 3"});
  EXPECT_EQ(one.lines(), (Lines{"[1] rank 1 of 3, local 0 of 2, by haft-run, sum 3",
                                "[2] rank 2 of 3, local 1 of 2, by haft-run, sum 3"}));
  // A failure on one machine ends the other's processes and names the rank there, too.
  const std::string script =
      "echo $$ >> $1/pids; [ $RANK = 1 ] || exec sleep 1000; while [ $(wc -l < $1/pids) -lt 2 ]; do sleep "
      "0.01; done; exit 9";
  const std::string other = concat("127.0.0.1:", free_port());
  Running a = shell({"--nnodes", "2", "--rdzv-endpoint", other}, script);
  Running b = shell({"--nnodes", "2", "--rdzv-endpoint", other}, script);
  const int codes[] = {a.wait(), b.wait()};
  EXPECT_EQ(std::max(codes[0], codes[1]), 9);
  EXPECT_EQ(std::min(codes[0], codes[1]), 1);
  for (const Running* r : {&a, &b})
    EXPECT_NE(content(r->err).find("first failure: rank 1 (local rank 0"), std::string::npos)
        << content(r->err);
  expect_gone(pids(2));
  // Strangers are refused.
  const std::string third = concat("127.0.0.1:", free_port());
  Running host = shell({"--nnodes", "2", "--rdzv-endpoint", third}, "true");
  setenv("HAFT_SECRET", "another", 1);
  Running stranger = shell({"--nnodes", "2", "--node-rank", "1", "--rdzv-endpoint", third}, "true");
  EXPECT_EQ(stranger.wait(), 1);
  EXPECT_NE(content(stranger.err).find("refused"), std::string::npos) << content(stranger.err);
}

// Nobody reads what machine 1 prints, more than pipes and buffers hold: it gives signs of life all the same, and all
// of it is read later.
TEST_F(Launcher, UnreadOutputHoldsUpNoSignOfLife) {
  const std::string fifo = folder.path + "/run1.out", script = "[ $RANK = 0 ] || yes | head -c 600000";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int from = open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC),
            to = open(fifo.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  auto machine = [&](const char* node) {
    return shell({"--nnodes=2", "--node-rank", node, "--rdzv-backend=file", "--rdzv-endpoint",
                  folder.path + "/meet", "--rdzv-id=job", "--rdzv-conf=lost_after=5"},
                 script);
  };
  Running zero = machine("0"), one = machine("1");
  for (pollfd p{to, POLLOUT, 0}; poll(&p, 1, 0) > 0;) sleep_for(kSecond / 100);
  close(to);
  const Deadline deadline = soon();
  int signs = 0;
  for (std::string last; signs < 4 && !deadline.passed(); sleep_for(kSecond / 100))
    if (const std::string now = content(folder.path + "/meet/khaft-run%2fjob%2fround%2f0%2falive%2f1");
        now != last) {
      last = now;
      ++signs;
    }
  EXPECT_EQ(signs, 4);
  fcntl(from, F_SETFL, 0);
  int64_t bytes = 0;
  char part[65536];
  for (ssize_t n; (n = read(from, part, sizeof part)) > 0;) bytes += n;
  close(from);
  EXPECT_EQ(bytes, 300000 * 6);  // "[1] y"
  EXPECT_EQ(one.wait(), 0) << content(one.err);
  EXPECT_EQ(zero.wait(), 0) << content(zero.err);
}

// The machine that held the store is gone: processes elsewhere may still save what they have.
TEST_F(Launcher, ProcessesHearThatTheStoreIsLost) {
  setenv("HAFT_SECRET", "of the job", 1);
  const std::string endpoint = concat("127.0.0.1:", free_port());
  auto machine = [&](const char* node) {
    return shell({"--nnodes=2", "--node-rank", node, "--rdzv-endpoint", endpoint},
                 "trap 'echo TERM >> $1/heard; exit' TERM; echo $$ >> $1/pids; while :; do sleep 0.01; done");
  };
  Running zero = machine("0"), one = machine("1");
  const std::vector<pid_t> all = pids(2);
  kill(zero.pid, SIGKILL);
  EXPECT_EQ(one.wait(), 1);
  EXPECT_NE(content(one.err).find("is lost"), std::string::npos) << content(one.err);
  EXPECT_EQ(content(folder.path + "/heard"), "TERM\n");
  expect_gone(all);
}

TEST_F(Launcher, MachinesComeAndGo) {
  const std::string endpoint = concat("127.0.0.1:", free_port());
  const std::vector<std::string> options = {
      "--nnodes",       "1:2", "--rdzv-endpoint", endpoint,
      "--max-restarts", "2",   "--rdzv-conf",     "last_call_timeout=0.1,lost_after=5"};
  // Runs until a file says that it may end; writes the size of its world.
  const std::string script =
      "echo $WORLD_SIZE $HAFT_RESTART_COUNT >> $1/worlds; while ! [ -e $1/end ]; do sleep 0.02; done";
  auto seen = [&](const std::string& line) {
    while (("\n" + content(folder.path + "/worlds")).find("\n" + line + "\n") == std::string::npos)
      sleep_for(kSecond / 50);
  };
  Running first = shell(options, script);
  seen("1 0");
  Running second = shell(options, script);
  seen("2 0");  // a machine that comes is no failure
  kill(second.pid, SIGKILL);
  seen("1 1");  // one that is lost is
  Running third = shell(options, script);
  seen("2 1");
  std::ofstream(folder.path + "/end") << "now";
  EXPECT_EQ(first.wait(), 0) << content(first.err);
  EXPECT_EQ(third.wait(), 0) << content(third.err);
  EXPECT_NE(content(first.err).find("gives no sign of life"), std::string::npos) << content(first.err);
}

// The machine of rank 0 is lost, and the rest goes on; then there are too few.
TEST_F(Launcher, TheRestGoesOnUntilTooFewAreLeft) {
  const std::vector<std::string> options = {"--nnodes=2:3",
                                            "--rdzv-backend=file",
                                            "--rdzv-endpoint",
                                            folder.path + "/meet",
                                            "--rdzv-id=job",
                                            "--max-restarts=3",
                                            "--rdzv-conf=last_call_timeout=5,lost_after=3,join_timeout=12"};
  const std::string script =
      "echo $WORLD_SIZE $HAFT_RESTART_COUNT $RANK $PPID >> $1/worlds; while :; do sleep 0.02; done";
  // The machines, by rank, of a world of this size after so many restarts.
  auto machines = [&](int size, int restarts) {
    std::map<int, pid_t> all;
    const Deadline deadline = soon();
    for (; int(all.size()) < size && !deadline.passed(); sleep_for(kSecond / 50)) {
      std::istringstream in(content(folder.path + "/worlds"));
      int world, count, rank;
      for (pid_t p; in >> world >> count >> rank >> p;)
        if (world == size && count == restarts) all[rank] = p;
    }
    EXPECT_EQ(int(all.size()), size) << restarts;
    return all;
  };
  std::vector<std::unique_ptr<Running>> running;
  for (int i = 0; i < 3; ++i) running.push_back(std::make_unique<Running>(shell(options, script)));
  auto take = [&](pid_t pid) {
    auto at = std::find_if(running.begin(), running.end(), [&](const auto& r) { return r->pid == pid; });
    std::unique_ptr<Running> r = at == running.end() ? nullptr : std::move(*at);
    if (r) running.erase(at);
    return r;
  };
  std::map<int, pid_t> now = machines(3, 0);
  auto lost = take(now[0]);
  ASSERT_TRUE(lost);
  kill(lost->pid, SIGKILL);
  now = machines(2, 1);
  EXPECT_TRUE(now[0] != lost->pid && now[1] != lost->pid);
  lost = take(now[1]);
  ASSERT_TRUE(lost);
  kill(lost->pid, SIGKILL);
  EXPECT_EQ(running[0]->wait(), 1);
  EXPECT_NE(content(running[0]->err).find("1/2 machines came within 12 s"), std::string::npos)
      << content(running[0]->err);
  EXPECT_NE(content(running[0]->err).find("gives no sign of life"), std::string::npos)
      << content(running[0]->err);
}

// Two launchers with a process each, which meet in a store that is there already.
void expect_meeting(Launcher& test, const std::string& backend, const std::string& endpoint) {
  const std::vector<std::string> options = {"--nnodes",        "2",      "--rdzv-backend", backend,
                                            "--rdzv-endpoint", endpoint, "--rdzv-id",      "job",
                                            HAFT_WORKER};
  setenv("HAFT_NODE_ADDR", "127.0.0.1", 1);
  Running a = test.start(options), b = test.start(options);
  EXPECT_EQ(a.wait(), 0) << content(a.err);
  EXPECT_EQ(b.wait(), 0) << content(b.err);
  EXPECT_NE((content(a.out) + content(b.out)).find("rank 1 of 2, local 0 of 1, by haft-run, sum 1"),
            std::string::npos);
}

TEST_F(Launcher, MeetsInAFolder) { expect_meeting(*this, "file", folder.path + "/meet"); }

TEST_F(Launcher, MeetsInRedis) {
  const auto server = start_redis(folder.path, "pass word");
  if (!server) GTEST_SKIP() << "redis-server is not installed (apt-get install redis-server)";
  const std::string endpoint = concat(":pass%20word@127.0.0.1:", server->port, "/1");
  expect_meeting(*this, "redis", endpoint);
}

TEST_F(Launcher, MeetsInEtcd) {
  const auto server = start_etcd(folder.path);
  if (!server) GTEST_SKIP() << "etcd is not installed (apt-get install etcd-server)";
  const std::string endpoint = concat("127.0.0.1:", server->port);
  expect_meeting(*this, "etcd", endpoint);
}

TEST_F(Launcher, OpenMpisVariablesAreRead) {
  const std::string mpirun = program("mpirun");
  if (mpirun.empty()) GTEST_SKIP() << "mpirun is not installed (apt-get install openmpi-bin)";
  setenv("TMPDIR", folder.path.c_str(),
         1);  // an mpirun that ends takes away the folder that another begins to use
  Running r(folder, "mpi",
            {"--allow-run-as-root", "--oversubscribe", "-n", "3", "-x", concat("MASTER_PORT=", free_port()),
             HAFT_WORKER},
            mpirun);
  EXPECT_EQ(r.wait(), 0) << content(r.err);
  Lines want;
  for (int i = 0; i < 3; ++i) want.insert(concat("rank ", i, " of 3, local ", i, " of 3, by openmpi, sum 3"));
  EXPECT_EQ(r.lines(), want);
  unsetenv("TMPDIR");
}

TEST_F(Launcher, SlurmsVariablesAreRead) {
  for (const char* name : {"munged", "slurmctld", "slurmd", "srun"})
    if (program(name).empty())
      GTEST_SKIP() << name << " is not installed (apt-get install munge slurmctld slurmd slurm-client)";
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what slurmd starts outlives it, and is this process's then
  // A cluster of this machine alone, with a key of its own.
  const std::string at = folder.path, socket = at + "/munge.socket";
  std::filesystem::permissions(at, std::filesystem::perms(0755));
  std::filesystem::create_directories(at + "/state");
  std::filesystem::create_directories(at + "/spool");
  std::ofstream(at + "/key") << std::string(1024, 'k');
  std::filesystem::permissions(at + "/key", std::filesystem::perms(0600));
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string user = geteuid() == 0 ? "root" : std::getenv("USER") ? std::getenv("USER") : "nobody";
  std::ofstream(at + "/slurm.conf") << concat(
      "ClusterName=test\nSlurmctldHost=", host, "(127.0.0.1)\nSlurmctldPort=", free_port(),
      "\nSlurmdPort=", free_port(), "\nSlurmUser=", user, "\nSlurmdUser=", user,
      "\nAuthType=auth/munge\nAuthInfo=socket=", socket, "\nCredType=cred/munge", "\nStateSaveLocation=", at,
      "/state\nSlurmdSpoolDir=", at, "/spool\nSlurmctldPidFile=", at, "/ctld.pid\nSlurmdPidFile=", at,
      "/d.pid\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\nMpiDefault=none\nSelectType=select/"
      "cons_tres\n",
      "SelectTypeParameters=CR_CPU\nSlurmdParameters=config_overrides\nReturnToService=2\nNodeName=localhost "
      "NodeHostname=",
      host, " NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN\nPartitionName=main Nodes=ALL Default=YES State=UP\n");
  // slurmd wants control groups at its start, though nothing here uses them: a folder will do where the system has
  // none.
  std::filesystem::create_directories(at + "/cgroup");
  std::ofstream(at + "/cgroup.conf") << concat("CgroupPlugin=cgroup/v1\nCgroupMountpoint=", at, "/cgroup\n");
  setenv("SLURM_CONF", (at + "/slurm.conf").c_str(), 1);
  setenv("MASTER_PORT", std::to_string(free_port()).c_str(), 1);
  auto munged = start_server(
      "munged",
      {"--foreground", "--key-file=" + at + "/key", "--socket=" + socket, "--pid-file=" + at + "/m.pid",
       "--log-file=" + at + "/m.log", "--seed-file=" + at + "/seed"},
      0, at);
  while (!std::filesystem::exists(socket) && kill(munged->pid, 0) == 0 &&
         waitpid(munged->pid, nullptr, WNOHANG) == 0)
    sleep_for(kSecond / 50);
  auto control = start_server("slurmctld", {"-D"}, 0, at);
  auto daemon = start_server("slurmd", {"-D", "-N", "localhost"}, 0, at);
  for (const auto* server : {&munged, &control, &daemon}) {
    sleep_for(kSecond / 5);
    if (waitpid((*server)->pid, nullptr, WNOHANG) != 0)
      GTEST_SKIP() << "Slurm does not run here: " << content(at + "/log");
  }
  Running r(folder, "slurm", {"--immediate=60", "-n", "3", HAFT_WORKER}, program("srun"));
  EXPECT_EQ(r.wait(), 0) << content(r.err) << content(at + "/log");
  Lines want;
  for (int i = 0; i < 3; ++i) want.insert(concat("rank ", i, " of 3, local ", i, " of 3, by slurm, sum 3"));
  EXPECT_EQ(r.lines(), want);
  for (auto* server : {&daemon, &control, &munged}) server->reset();
  std::istringstream left(content(concat("/proc/self/task/", getpid(), "/children")));
  for (pid_t p; left >> p;) kill(p, SIGKILL), waitpid(p, nullptr, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  unsetenv("SLURM_CONF");
}

}  // namespace
