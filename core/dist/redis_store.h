// A store in a Redis server, which several jobs may share: rendezvous() gives each run a prefix of its own.
#pragma once
#include <optional>
#include <vector>

#include "core/dist/socket.h"
#include "core/dist/store.h"

namespace haft::dist {

struct RedisOptions {
  Address at;
  std::string user, password;
  int database = 0;
  int ttl = 0;  // seconds after which a key that was set is gone; 0: never
  Deadline deadline = Deadline::in(300 * kSecond);  // for the first connection
};

class RedisStore final : public PolledStore {
  struct Reply;
  RedisOptions o_;
  SocketPool idle_;

  Socket connect(Deadline deadline, bool patient);
  Reply call(std::initializer_list<std::string_view> words);
  Reply call(std::span<const std::string_view> words);
  static Reply ask(Socket& s, std::span<const std::string_view> words, Deadline deadline);
  static Reply read(class AnswerReader& r, int depth);

 public:
  explicit RedisStore(RedisOptions options);
  void set(std::string_view key, std::string_view value) override;
  bool check(std::span<const std::string> keys) override;
  int64_t add(std::string_view key, int64_t delta) override;
  bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                   std::string* current) override;
  bool remove(std::string_view key) override;
  void lease(std::string_view key, std::string_view value, int64_t ttl_ns) override;
  std::string name() const override { return "redis://" + to_text(o_.at); }
  std::string host() const override { return o_.at.host; }

 protected:
  bool try_get(std::string_view key, std::string* value) override;
};

}  // namespace haft::dist
