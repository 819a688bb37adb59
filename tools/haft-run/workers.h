// The processes on this machine: started, listened to, and ended together.
#pragma once
#include <sys/types.h>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/haft-run/options.h"

namespace launcher {

struct Failure {
  int local_rank = 0;
  pid_t pid = 0;
  int code = 0;      // of exit; 128 + signal for one that was killed
  std::string text;  // "exit code 3", "killed by SIGSEGV"
};

class Workers {
  struct Stream {
    int from = -1;  // the pipe
    int to_file = -1, to_terminal = -1;
    std::string line;  // begun
  };
  struct Worker {
    pid_t pid = 0;  // 0: it has ended
    int rank = 0;
    Stream streams[2];
  };
  struct Unread {  // lines for one of haft-run's own streams, in the order in which they came
    int to;
    std::string text;
    size_t at = 0;  // of what is written
  };
  const Options& o_;
  std::vector<Worker> workers_;
  std::deque<Unread> unread_;
  size_t unread_bytes_ = 0;
  int asked_ = 0;  // by which signal haft-run was told to end
  int running_ = 0;
  std::optional<Failure> failure_;

  void read(Worker& w, Stream& s, bool to_the_end);
  void print(const Worker& w, int to, std::string_view line);
  void pass_on();
  void reap();
  void signal_all(int signal);

 public:
  // A worker's own variables, by local rank.
  using Environments = std::vector<std::map<std::string, std::string>>;

  explicit Workers(const Options& o) : o_(o) {}
  ~Workers();  // none stays behind, nor what they have said
  Workers(const Workers&) = delete;
  // `logs`: the folder for redirected output.
  void start(const Environments& environments, int first_rank, const std::string& logs);
  // Passes output on and notices ends, for at most so long. A signal that asks haft-run to end is answered.
  int poll(int milliseconds);
  bool is_running() const { return running_ > 0; }
  const std::optional<Failure>& failure() const { return failure_; }  // the first one
  // TERM, and KILL for those that are still there later.
  void stop();
};

std::string signal_name(int signal);

}  // namespace launcher
