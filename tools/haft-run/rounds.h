// The machines of a job agree over a store on who takes part. A round is one start of all processes: it begins when
// enough machines have come, and ends when all processes have ended well, one has failed, a machine is lost, or
// another one wants to come in.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/dist/store.h"
#include "tools/haft-run/options.h"

namespace launcher {

struct Round {
  int number = 0;
  int restarts = 0;  // after failures, before this round
  int node = 0, nodes = 1;
  int first_rank = 0, world_size = 1;
  std::string master_host;
  int master_port = 0;
};

class Rounds {
 public:
  enum class End { going_on, done, failed, changed };

  Rounds(const Options& o, haft::Ref<haft::dist::Store> store, bool holds_store);
  // Waits until a round has begun with this machine in it. Throws when too few come.
  Round begin(const std::function<void()>& while_waiting);
  // How the round stands. Looks at the store four times a second at most, unless `now`.
  End look(bool now = false);
  void report_done();
  void report_failure(const std::string& text);  // the first one counts
  std::string failure() const { return failure_; }
  // The machine that holds the store stays until the others have heard how it ended.
  void leave();

 private:
  const Options& o_;
  haft::Ref<haft::dist::Store> store_;
  bool holds_store_;
  Round round_;
  std::string failure_;
  std::string id_;
  int64_t looked_ = 0, beat_ = 0;
  int expected_ = 0;              // machines that will come to the next round
  std::vector<int64_t> awaited_;  // since when a node's first sign of life is; 0: it was there
  bool done_ = false;

  std::string key(std::string_view what) const;
  bool has(const std::string& k) { return store_->check({&k, 1}); }
  void beat();
  void end(std::string_view kind, const std::string& text);
};

// A port of this machine that was free a moment ago, below those that the system gives to whoever asks for any: these
// go to others meanwhile.
int free_port();

}  // namespace launcher
