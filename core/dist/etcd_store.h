// A store in an etcd cluster, by the JSON form of its third protocol.
#pragma once
#include <map>
#include <mutex>

#include "core/dist/socket.h"
#include "core/dist/store.h"

namespace haft::dist {

struct EtcdOptions {
  Address at;
  std::string user, password;
  Deadline deadline = Deadline::in(300 * kSecond);  // for the first connection
};

class EtcdStore final : public PolledStore {
  EtcdOptions o_;
  SocketPool idle_;
  std::mutex mutex_;
  std::string token_;  // of who is logged in; guarded by mutex_
  // The fields of an answer by their names; no two that are asked for have the same.
  using Fields = std::map<std::string, std::string>;
  struct Answer {
    int status = 0;  // of HTTP
    Fields fields;
  };
  Answer ask(const char* path, const std::string& body, const std::string& token, Deadline deadline,
             bool patient);
  Fields call(const char* path, const std::string& body, Deadline deadline, bool patient);
  Fields call(const char* path, const std::string& body) {
    return call(path, body, Deadline::in(60 * kSecond), false);
  }
  Fields fields_of(const char* path, Answer a) const;
  std::string log_in(Deadline deadline, bool patient);  // the new token

 public:
  explicit EtcdStore(EtcdOptions options);
  void set(std::string_view key, std::string_view value) override;
  bool check(std::span<const std::string> keys) override;
  int64_t add(std::string_view key, int64_t delta) override;
  bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                   std::string* current) override;
  bool remove(std::string_view key) override;
  // etcd counts whole seconds, from its least time to live upwards.
  void lease(std::string_view key, std::string_view value, int64_t ttl_ns) override;
  std::string name() const override { return "etcd://" + to_text(o_.at); }
  std::string host() const override { return o_.at.host; }

 protected:
  bool try_get(std::string_view key, std::string* value) override;
};

std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);  // Code::corrupt

}  // namespace haft::dist
