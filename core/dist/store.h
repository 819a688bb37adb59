// Where the processes of a job meet: a store keeps bytes by key, and who asks for a key that nobody has set yet waits.
// Stores are for finding each other and agreeing, some calls a second, never for data.
#pragma once
#include <condition_variable>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/ref.h"
#include "core/dist/deadline.h"

namespace haft::dist {

constexpr size_t kMaxKey = 4096;           // bytes of a key, with all prefixes
constexpr size_t kMaxValue = 16u << 20;    // bytes of a value
constexpr size_t kMaxStored = 256u << 20;  // bytes of all keys and values in one process's memory

// Any thread may call anything at any time. A call that waits and is not served by its deadline fails with
// Code::timeout and names the key; a store that is gone is Code::io.
class Store : public RefCounted {
 public:
  virtual ~Store() = default;

  virtual void set(std::string_view key, std::string_view value) = 0;
  // Waits until the key is there.
  virtual std::string get(std::string_view key, Deadline) = 0;
  // Whether all keys are there.
  virtual bool check(std::span<const std::string> keys) = 0;
  // Waits until all keys are there.
  void wait(std::span<const std::string> keys, Deadline);
  // The value is a decimal number, 0 when the key is new; answers the sum.
  virtual int64_t add(std::string_view key, int64_t delta) = 0;
  // Sets the key to `desired` if it holds `expected`; empty: or is not there. `current`: what it holds afterwards.
  virtual bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                           std::string* current) = 0;
  // Whether the key was there.
  virtual bool remove(std::string_view key) = 0;
  // set(), but the key is gone after ttl_ns unless it is set again: the sign of life of a process.
  virtual void lease(std::string_view key, std::string_view value, int64_t ttl_ns) = 0;

  virtual std::string name() const = 0;   // for messages: no secret is in it
  virtual int port() const { return 0; }  // of a TcpStore
  // Where its server is, as it was given; empty: nowhere in a network.
  virtual std::string host() const { return {}; }

 protected:
  virtual void wait_for(std::string_view key, Deadline) = 0;
  friend class PrefixStore;
};

// Where ranks meet that have come here equally often: <what>/<number>. A meeting that some rank has given up is
// passed over: ranks meet again after a start of which only some had a part.
std::string next_meeting(Store& store, const std::string& what, int rank);
void give_up_meeting(Store& store, const std::string& meeting) noexcept;

// Refuse what no store takes.
void check_key(std::string_view key);
void check_value(std::string_view key, std::string_view value);
void check_ttl(int64_t ttl_ns);
[[noreturn, gnu::cold]] void fail_waited(const Store& store, std::string_view key, Deadline deadline);
// What add() makes of a value.
int64_t added(std::string_view key, std::string_view value, int64_t delta);

// Another store under keys of its own.
class PrefixStore : public Store {
  std::string prefix_;
  Ref<Store> store_;
  std::string full(std::string_view key) const;

 public:
  PrefixStore(std::string prefix, Ref<Store> store);  // the key is prefix/key
  void set(std::string_view key, std::string_view value) override;
  std::string get(std::string_view key, Deadline) override;
  bool check(std::span<const std::string> keys) override;
  int64_t add(std::string_view key, int64_t delta) override;
  bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                   std::string* current) override;
  bool remove(std::string_view key) override;
  void lease(std::string_view key, std::string_view value, int64_t ttl_ns) override;
  std::string name() const override { return store_->name(); }
  int port() const override { return store_->port(); }
  std::string host() const override { return store_->host(); }

 protected:
  void wait_for(std::string_view key, Deadline) override;
};

// Keys and values of one owner, who locks. What has expired is gone when somebody looks.
class Table {
  struct Entry {
    std::string value;
    int64_t expires;  // of now_ns(); 0: never
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, Entry, Hash, std::equal_to<>> entries_;
  size_t stored_ = 0;
  static size_t cost(std::string_view key, std::string_view value) { return key.size() + value.size() + 128; }
  void erase_expired();

 public:
  const std::string* find(std::string_view key);
  void set(std::string_view key, std::string_view value, int64_t ttl_ns = 0);
  int64_t add(std::string_view key, int64_t delta);
  bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                   std::string* current);
  bool remove(std::string_view key);
  size_t stored() const { return stored_; }
};

// For the threads of one process.
class HashStore final : public Store {
  std::mutex mutex_;
  std::condition_variable changed_;
  Table table_;
  const std::string* await(std::unique_lock<std::mutex>& lock, std::string_view key, Deadline);

 public:
  void set(std::string_view key, std::string_view value) override;
  std::string get(std::string_view key, Deadline) override;
  bool check(std::span<const std::string> keys) override;
  int64_t add(std::string_view key, int64_t delta) override;
  bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                   std::string* current) override;
  bool remove(std::string_view key) override;
  void lease(std::string_view key, std::string_view value, int64_t ttl_ns) override;
  std::string name() const override { return "hash store"; }

 protected:
  void wait_for(std::string_view key, Deadline) override;
};

// A store that cannot tell when a key comes: waiting is asking again, after 1 ms at first and 50 ms at last.
class PolledStore : public Store {
 public:
  std::string get(std::string_view key, Deadline) final;

 protected:
  virtual bool try_get(std::string_view key, std::string* value) = 0;
  void wait_for(std::string_view key, Deadline) final;
};

// A folder that all processes reach. It holds one file a key, written beside it and renamed, so that a reader sees
// all of a value or none; changes hold a lock on the folder's `lock`. Nothing is forced to disk: after a crash of the
// machine the job begins anew. A folder serves one run; rendezvous() makes one for each.
class FileStore final : public PolledStore {
  std::string folder_;
  int64_t call_timeout_;  // ns that the lock may take
  std::string path_of(std::string_view key) const;
  void write(std::string_view key, std::string_view value, int64_t ttl_ns);

 public:
  explicit FileStore(std::string folder, int64_t call_timeout = 60 * kSecond);
  void set(std::string_view key, std::string_view value) override;
  bool check(std::span<const std::string> keys) override;
  int64_t add(std::string_view key, int64_t delta) override;
  bool compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                   std::string* current) override;
  bool remove(std::string_view key) override;
  void lease(std::string_view key, std::string_view value, int64_t ttl_ns) override;
  std::string name() const override { return "file://" + folder_; }

 protected:
  bool try_get(std::string_view key, std::string* value) override;
};

}  // namespace haft::dist
