// Ranks for tests: threads of this process over a HashStore, or processes over a FileStore.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "core/dist/group.h"
#include "core/init.h"
#include "core/ops/functions.h"

namespace haft::dist::testing {

// What the groups of this run's tests are made with: HAFT_TEST_ENGINE, or what the engine chooses.
inline std::string tested_engine() {
  setenv("HAFT_BACKEND_PATH", HAFT_ENGINES, 0);
  const char* name = getenv("HAFT_TEST_ENGINE");
  return name ? name : "";
}

inline GroupOptions patient(double seconds = 300) {
  GroupOptions o;
  o.engine = tested_engine();
  o.timeout_ns = int64_t(seconds * 1e9);
  return o;
}

// The host that a rank says it is on where HAFT_TEST_HOSTS tells how many ranks share one; empty: the machine.
inline std::string tested_host(int rank) {
  const char* ranks = getenv("HAFT_TEST_HOSTS");
  return ranks ? concat("host", rank / atoi(ranks)) : "";
}

// Closes the group at the end of a scope.
struct Member {
  Ref<Group> g;
  explicit Member(Ref<Group> group) : g(std::move(group)) {}
  Member(Member&&) = default;
  ~Member() {
    if (g) g->close();
  }
  Group* operator->() const { return g.get(); }
  Group& operator*() const { return *g; }
};

// What each rank failed with; empty: nothing.
using Failures = std::vector<std::string>;

// Where HAFT_TEST_WORLD names a folder, this process is one rank of those that mpirun has started, which all run the
// same tests over a store there, and the failure of each stands for all.
inline Failures run_processes(const std::string& folder, int n, const std::function<void(Group&)>& f,
                              const GroupOptions& options) {
  static int times = 0;
  Failures failures{size_t(n)};
  const int world = atoi(getenv("OMPI_COMM_WORLD_SIZE")), me = atoi(getenv("OMPI_COMM_WORLD_RANK"));
  ++times;
  if (n > world || me >= n) return failures;
  try {
    Member m(Group::create(make_ref<PrefixStore>(concat("run", times), make_ref<FileStore>(folder)), me, n,
                           options));
    f(*m);
  } catch (const Error& e) {
    for (std::string& text : failures) text = concat(int(e.code), ": ", e.message);
  }
  return failures;
}

inline Failures run_threads(int n, const std::function<void(Group&)>& f, GroupOptions options = patient(),
                            const std::function<std::string(int)>& host = tested_host) {
  init();
  if (const char* folder = getenv("HAFT_TEST_WORLD")) return run_processes(folder, n, f, options);
  Ref<Store> store = make_ref<HashStore>();
  Failures failures{size_t(n)};
  std::vector<std::thread> threads;
  for (int r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      try {
        GroupOptions mine = options;
        mine.host = host(r);
        Member m(Group::create(store, r, n, mine));
        f(*m);
      } catch (const Error& e) {
        failures[size_t(r)] = concat(int(e.code), ": ", e.message);
      }
    });
  for (std::thread& t : threads) t.join();
  return failures;
}

inline void expect_none(const Failures& failures) {
  for (size_t r = 0; r < failures.size(); ++r) EXPECT_EQ(failures[r], "") << "rank " << r;
}

// Processes end with this one, whatever happens, and are killed after ten minutes. f answers what it has to tell.
class Processes {
  std::filesystem::path folder_;
  std::vector<pid_t> pids_;
  std::vector<int> ends_;

 public:
  Processes(int n, const std::function<std::string(Ref<Store>, int)>& f) {
    init();
    char name[] = "/tmp/haft-ranks-XXXXXX";
    folder_ = mkdtemp(name);
    for (int r = 0; r < n; ++r) {
      int pipe_ends[2];
      EXPECT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
      const pid_t parent = getpid(), pid = fork();
      if (pid < 0) {
        ADD_FAILURE() << "fork: " << strerror(errno);
        std::abort();
      }
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        alarm(600);
        setenv("HAFT_HOSTID", tested_host(r).c_str(), 1);
        std::string told;
        try {
          told = f(make_ref<FileStore>(folder_.string()), r);
        } catch (const Error& e) {
          told = concat(int(e.code), ": ", e.message);
        } catch (const std::exception& e) {
          told = e.what();
        }
        if (write(pipe_ends[1], told.data(), told.size()) < 0) _exit(1);
        _exit(0);
      }
      close(pipe_ends[1]);
      pids_.push_back(pid);
      ends_.push_back(pipe_ends[0]);
    }
  }
  std::string folder() const { return folder_.string(); }  // of their store
  Ref<Store> store() const { return make_ref<FileStore>(folder_.string()); }
  pid_t pid(int r) const { return pids_[size_t(r)]; }
  // What a rank has told when it ended: nothing where it was killed, and by which signal it ended otherwise.
  std::string told(int r) {
    std::string s;
    char part[4096];
    for (ssize_t n; (n = read(ends_[size_t(r)], part, sizeof part)) > 0;) s.append(part, size_t(n));
    siginfo_t end{};
    if (waitid(P_PID, id_t(pid(r)), &end, WEXITED | WNOWAIT) == 0 && end.si_code != CLD_EXITED &&
        end.si_status != SIGKILL)
      s += concat("ended by signal ", end.si_status);
    return s;
  }
  ~Processes() {
    for (pid_t p : pids_) kill(p, SIGKILL);
    for (pid_t p : pids_) waitpid(p, nullptr, 0);
    for (int e : ends_) close(e);
    std::filesystem::remove_all(folder_);
  }
};

inline Tensor numbers(std::vector<int64_t> sizes, DType t, const std::function<double(int64_t)>& f) {
  Tensor x = new_tensor(sizes, t);
  visit_dtype(t, [&]<class T>() {
    for (int64_t i = 0; i < x.numel(); ++i) {
      if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
        x.data<T>()[i] = T(float(f(i)));
      else
        x.data<T>()[i] = T(f(i));
    }
  });
  return x;
}
inline Tensor filled(std::vector<int64_t> sizes, DType t, double v) {
  return numbers(std::move(sizes), t, [v](int64_t) { return v; });
}
inline double at(const Tensor& x, int64_t i) {
  return visit_dtype(x.dtype(), [&]<class T>() -> double {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      return double(float(x.data<T>()[i]));
    else
      return double(x.data<T>()[i]);
  });
}
inline bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.numel() == b.numel() &&
         (!a.bytes() || std::memcmp(a.data<char>(), b.data<char>(), size_t(a.bytes())) == 0);
}

inline Job job(Kind k, std::vector<Tensor> in, std::vector<Tensor> out, int root = -1,
               ReduceOp op = ReduceOp::sum) {
  Job j;
  j.call.kind = k;
  j.call.root = root;
  j.call.reduce = op;
  j.in = std::move(in);
  j.out = std::move(out);
  return j;
}
inline Job all_reduce(const Tensor& t, ReduceOp op = ReduceOp::sum) {
  return job(Kind::all_reduce, {t}, {t}, -1, op);
}
inline Job barrier() { return job(Kind::barrier, {}, {}); }
// With a time of its own: groups are made, and do all else, without haste.
inline Job within(int seconds, Job j) {
  j.timeout_ns = seconds * kSecond;
  return j;
}
inline Job send(const Tensor& t, int peer, int tag = 0) {
  Job j = job(Kind::send, {t}, {});
  j.peer = peer;
  j.tag = tag;
  return j;
}
inline Job recv(const Tensor& t, int peer, int tag = 0) {
  Job j = job(Kind::recv, {}, {t});
  j.peer = peer;
  j.tag = tag;
  return j;
}

}  // namespace haft::dist::testing
