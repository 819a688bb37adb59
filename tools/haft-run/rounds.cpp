#include "tools/haft-run/rounds.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>

#include "core/base/error.h"
#include "core/dist/sha256.h"

using haft::Code;
using haft::concat;
using haft::fail;
using haft::now_ns;
using haft::dist::Deadline;
using haft::dist::kSecond;

namespace launcher {

namespace {

int64_t in_ns(double seconds) { return int64_t(seconds * 1e9); }

// "text|text|..." of so many parts; none holds a bar.
std::vector<std::string> parts_of(const std::string& s, size_t count) {
  std::vector<std::string> parts(1);
  for (char c : s)
    if (c == '|')
      parts.emplace_back();
    else
      parts.back() += c;
  if (parts.size() != count)
    fail(Code::corrupt, concat("the store holds '", s, "', which no haft-run has written"),
         "is haft-run of one version on all machines, and does HAFT_SECRET keep others out?");
  return parts;
}

}  // namespace

int free_port() {
  constexpr int kLowest = 10000;
  int first_of_system = 32768;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> first_of_system;
  std::random_device random;
  for (int tries = 0; tries < 200; ++tries) {
    const bool any = first_of_system <= kLowest || tries >= 100;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in a = {};
    a.sin_family = AF_INET;
    a.sin_port = htons(uint16_t(any ? 0 : kLowest + int(random() % unsigned(first_of_system - kLowest))));
    socklen_t size = sizeof a;
    const bool free = fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&a), sizeof a) == 0 &&
                      getsockname(fd, reinterpret_cast<sockaddr*>(&a), &size) == 0;
    if (fd >= 0) close(fd);
    if (free) return ntohs(a.sin_port);
  }
  fail(Code::io, "there is no free port");
}

Rounds::Rounds(const Options& o, haft::Ref<haft::dist::Store> store, bool holds_store)
    : o_(o),
      store_(std::move(store)),
      holds_store_(holds_store),
      id_(haft::dist::to_hex(haft::dist::random_bytes(8))) {
  round_.number = -1;
}

std::string Rounds::key(std::string_view what) const { return concat("round/", round_.number, "/", what); }

Round Rounds::begin(const std::function<void()>& while_waiting) {
  const int64_t began = now_ns();
  auto pause = [&] {
    while_waiting();
    haft::dist::sleep_for(kSecond / 50);
  };
  // The first round that is not over; one that goes on without this machine hears that it has come.
  ++round_.number;
  failure_.clear();
  done_ = false;
  int place = 0;
  while (true) {
    if (!has(key("closed"))) {
      place = int(store_->add(key("joined"), 1)) - 1;
      char host[256] = "";
      gethostname(host, sizeof host - 1);
      const char* name =
          std::getenv("HAFT_NODE_ADDR");  // by which other machines reach this one, where its own does not do
      store_->set(key(concat("node/", place)), concat(id_, "|", name && *name ? name : host, "|",
                                                      o_.processes, "|", o_.node_rank, "|", round_.restarts));
      // The first to come waits for the others and closes the round.
      if (place == 0) {
        int joined = 1;
        for (int64_t enough = 0; joined < o_.max_nodes;) {
          joined = int(store_->add(key("joined"), 0));
          // Those of the last round come as soon as they have ended their processes.
          const bool all_back =
              joined >= expected_ || now_ns() - began > in_ns(o_.lost_after + o_.stop_after);
          if (joined >= o_.min_nodes && all_back && !enough) enough = now_ns();
          if (joined >= o_.max_nodes || (enough && now_ns() - enough > in_ns(o_.last_call))) break;
          if (now_ns() - began > in_ns(o_.join_timeout))
            fail(Code::timeout,
                 concat(joined, "/", o_.min_nodes, " machines came within ", o_.join_timeout, " s to ",
                        store_->name()),
                 "start haft-run on all of them with the same --nnodes, --rdzv-endpoint and --rdzv-id");
          pause();
        }
        joined = std::min(joined, o_.max_nodes);
        store_->set(key("closed"), concat(joined));
      }
      while (!has(key("closed"))) {
        if (now_ns() - began > in_ns(o_.join_timeout + o_.last_call))
          fail(Code::timeout,
               concat("waited ", o_.join_timeout + o_.last_call, " s for round ", round_.number, " of ",
                      store_->name(), " to begin"),
               "the machine that came first is lost, or too few came");
        pause();
      }
      round_.nodes = std::atoi(store_->get(key("closed"), Deadline::in(kSecond)).c_str());
      if (place < round_.nodes) break;
    }
    // Others run. With room for more they begin anew.
    const int nodes = std::atoi(store_->get(key("closed"), Deadline::in(kSecond)).c_str());
    if (nodes < o_.max_nodes) store_->set(key("wanted"), id_);
    while (!has(key("over"))) {
      if (has(key("all done")))
        fail(Code::cancelled, concat("the job ended without this machine, at ", store_->name()));
      pause();
    }
    // Those of that round begin the next one: alone they would not wait for this machine, nor this one for them.
    const int64_t over = now_ns();
    ++round_.number;
    while (!has(key("joined")) && now_ns() - over < in_ns(o_.lost_after + o_.stop_after)) pause();
  }

  struct Node {
    int place, asked_rank, processes;
    std::string host;
  };
  std::vector<Node> nodes;
  for (int n = 0; n < round_.nodes; ++n) {
    const std::vector<std::string> p =
        parts_of(store_->get(key(concat("node/", n)), Deadline::in(in_ns(o_.lost_after))), 5);
    nodes.push_back({n, std::atoi(p[3].c_str()), std::atoi(p[2].c_str()), p[1]});
    round_.restarts = std::max(round_.restarts, std::atoi(p[4].c_str()));
  }
  // Machines that said which they are stand in that order.
  std::stable_sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return (a.asked_rank < 0 ? INT32_MAX : a.asked_rank) < (b.asked_rank < 0 ? INT32_MAX : b.asked_rank);
  });
  round_.world_size = 0;
  for (int n = 0; n < round_.nodes; ++n) {
    if (n > 0 && nodes[size_t(n)].asked_rank >= 0 &&
        nodes[size_t(n)].asked_rank == nodes[size_t(n) - 1].asked_rank)
      fail(Code::invalid_argument, concat("two machines say --node-rank ", nodes[size_t(n)].asked_rank, ": ",
                                          nodes[size_t(n)].host, " and ", nodes[size_t(n) - 1].host));
    if (nodes[size_t(n)].place == place) {
      round_.node = n;
      round_.first_rank = round_.world_size;
    }
    round_.world_size += nodes[size_t(n)].processes;
  }
  // Where rank 0 will be: that machine alone knows which of its ports are free.
  if (round_.node == 0)
    store_->set(key("master"), concat(round_.nodes == 1 ? "127.0.0.1" : nodes[0].host, "|", free_port()));
  const std::vector<std::string> master =
      parts_of(store_->get(key("master"), Deadline::in(in_ns(o_.lost_after))), 2);
  round_.master_host = master[0];
  round_.master_port = std::atoi(master[1].c_str());
  awaited_.assign(size_t(round_.nodes), now_ns());
  looked_ = beat_ = 0;
  beat();
  return round_;
}

void Rounds::beat() {
  const int64_t now = now_ns(), lasts = std::max(in_ns(o_.lost_after), kSecond);
  if (round_.nodes == 1 || (beat_ && now - beat_ < lasts / 5)) return;
  beat_ = now;
  store_->lease(key(concat("alive/", round_.node)), "1", lasts);
}

Rounds::End Rounds::look(bool now) {
  if (!now && now_ns() - looked_ < kSecond / 4) return End::going_on;
  looked_ = now_ns();
  beat();
  if (has(key("over"))) {
    const std::string text = store_->get(key("over"), Deadline::in(kSecond));
    failure_ = text.substr(std::min(text.size(), size_t(7)));
    expected_ = round_.nodes + (text.starts_with("changed") ? 1 : text.starts_with("lost") ? -1 : 0);
    if (text.starts_with("changed")) return End::changed;
    ++round_.restarts;
    return End::failed;
  }
  if (done_ && has(key("all done"))) return End::done;
  for (int n = 0; n < round_.nodes && round_.nodes > 1; ++n) {
    if (n == round_.node) continue;
    int64_t& awaited = awaited_[size_t(n)];
    if (has(key(concat("alive/", n))) || has(key(concat("done/", n))))
      awaited = 0;
    else if (!awaited || looked_ - awaited > std::max(in_ns(o_.lost_after), kSecond))
      end("lost   ", concat("machine ", n, " of ", round_.nodes, " gives no sign of life"));
  }
  if (round_.node == 0 && !done_ && has(key("wanted"))) end("changed", "another machine has come");
  return End::going_on;
}

void Rounds::end(std::string_view kind, const std::string& text) {
  std::string first;
  store_->compare_set(key("over"), "", std::string(kind) + text, &first);
}

void Rounds::report_done() {
  done_ = true;
  store_->set(key(concat("done/", round_.node)), "1");
  if (store_->add(key("done"), 1) == round_.nodes) store_->set(key("all done"), "1");
}

void Rounds::report_failure(const std::string& text) { end("failed ", text); }

void Rounds::leave() {
  if (round_.nodes == 1) return;
  const std::string out = key("out");
  if (!holds_store_) {
    store_->add(out, 1);
    return;
  }
  const Deadline deadline = Deadline::in(in_ns(o_.lost_after));
  while (store_->add(out, 0) < round_.nodes - 1 && !deadline.passed()) haft::dist::sleep_for(kSecond / 50);
}

}  // namespace launcher
