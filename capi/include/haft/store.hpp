// Stores and rendezvous in C++17 over haft/store.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_STORE_HPP
#define HAFT_STORE_HPP

namespace haft {

#ifndef SWIG
namespace detail {
// As the C interface takes them; what is no rank becomes -1, which is refused.
inline std::vector<std::int32_t> rank_list(const std::vector<std::int64_t>& ranks) {
  std::vector<std::int32_t> out;
  for (std::int64_t r : ranks) out.push_back(r < 0 || r > 2147483647 ? -1 : static_cast<std::int32_t>(r));
  return out;
}
}  // namespace detail
#endif

/// Keys with bytes that all processes of a job see.
class Store : public detail::Handle<haft_store, haft_store_retain, haft_store_release> {
  static std::vector<const char*> texts(const std::vector<std::string>& keys) {
    std::vector<const char*> out;
    for (const std::string& k : keys) out.push_back(k.c_str());
    return out;
  }

 public:
  using Handle::Handle;
  /// One of the urls of haft_store_create. The secret "" is none; without one the environment's HAFT_SECRET holds.
  static Store open(const std::string& url, bool serve = false, std::int64_t timeout_us = 300000000) {
    haft_store_options o = HAFT_STORE_OPTIONS_INIT;
    o.serve = serve;
    o.timeout_us = timeout_us;
    haft_store* s = nullptr;
    check(haft_store_create(url.c_str(), &o, &s));
    return Store(s);
  }
  static Store open_with_secret(const std::string& url, const std::string& secret, bool serve = false,
                                std::int64_t timeout_us = 300000000) {
    haft_store_options o = HAFT_STORE_OPTIONS_INIT;
    o.serve = serve;
    o.timeout_us = timeout_us;
    o.secret = secret.c_str();
    haft_store* s = nullptr;
    check(haft_store_create(url.c_str(), &o, &s));
    return Store(s);
  }
  /// A store for the threads of this process.
  static Store hash() {
    haft_store* s = nullptr;
    check(haft_hash_store_create(&s));
    return Store(s);
  }
  /// This store under keys of its own.
  Store prefixed(const std::string& prefix) const {
    haft_store* s = nullptr;
    check(haft_prefix_store_create(prefix.c_str(), get(), &s));
    return Store(s);
  }

  void set(const std::string& key, const std::string& value) const {
    check(haft_store_set(get(), key.c_str(), value.data(), static_cast<std::int64_t>(value.size())));
  }
  /// Waits until somebody has set the key.
  std::string get_value(const std::string& key, std::int64_t timeout_us = HAFT_NONE) const {
    std::string value(256, '\0');
    for (std::int64_t size = 0;;) {
      const auto room = static_cast<std::int64_t>(value.size());
      const haft_status s = haft_store_get(get(), key.c_str(), timeout_us, &value[0], room, &size);
      if (s == HAFT_OK || size <= room) check(s);
      value.resize(static_cast<std::size_t>(size));
      if (s == HAFT_OK) return value;
    }
  }
  void wait(const std::vector<std::string>& keys, std::int64_t timeout_us = HAFT_NONE) const {
    const std::vector<const char*> ks = texts(keys);
    check(haft_store_wait(get(), ks.data(), static_cast<std::int64_t>(ks.size()), timeout_us));
  }
  /// Whether all keys are there.
  bool has(const std::vector<std::string>& keys) const {
    const std::vector<const char*> ks = texts(keys);
    std::int32_t yes = 0;
    check(haft_store_check(get(), ks.data(), static_cast<std::int64_t>(ks.size()), &yes));
    return yes != 0;
  }
  /// Adds to a key whose value is a decimal number, 0 when it is new; answers the sum.
  std::int64_t add(const std::string& key, std::int64_t delta) const {
    std::int64_t sum = 0;
    check(haft_store_add(get(), key.c_str(), delta, &sum));
    return sum;
  }
  /// True: the key holds `desired` now. `current` gets what it holds then, whoever has set it.
  bool compare_set(const std::string& key, const std::string& expected, const std::string& desired,
                   std::string* current = nullptr) const {
    std::string room(current ? desired.size() + 256 : 0, '\0');
    std::int32_t changed = 0;
    for (std::int64_t size = 0;;) {
      const auto capacity = static_cast<std::int64_t>(room.size());
      const haft_status s = haft_store_compare_set(
          get(), key.c_str(), expected.data(), static_cast<std::int64_t>(expected.size()), desired.data(),
          static_cast<std::int64_t>(desired.size()), &changed, current ? &room[0] : nullptr, capacity, &size);
      if (s == HAFT_OK || size <= capacity) check(s);
      if (current) room.resize(static_cast<std::size_t>(size));
      if (s != HAFT_OK) continue;  // a longer value stood there, and stands
      if (current) current->swap(room);
      return changed != 0;
    }
  }
  /// Removes a key; answers whether it was there.
  bool remove(const std::string& key) const {
    std::int32_t there = 0;
    check(haft_store_delete(get(), key.c_str(), &there));
    return there != 0;
  }
  void lease(const std::string& key, const std::string& value, std::int64_t ttl_us) const {
    check(haft_store_lease(get(), key.c_str(), value.data(), static_cast<std::int64_t>(value.size()), ttl_us));
  }
  /// The port of a tcp:// store; 0 for others.
  int port() const {
    std::int32_t p = 0;
    check(haft_store_get_port(get(), &p));
    return p;
  }
};

/// The store of a job, and who this process is in it.
struct Rendezvous {
  Store store;
  int rank = 0;
  int world_size = 1;
};
/// Waits until all processes of the job are there; -1: the url or the launcher says it.
inline Rendezvous rendezvous(const std::string& url = "env://", int rank = -1, int world_size = -1,
                             std::int64_t timeout_us = 300000000) {
  haft_rendezvous_options o = HAFT_RENDEZVOUS_OPTIONS_INIT;
  o.rank = rank;
  o.world_size = world_size;
  o.timeout_us = timeout_us;
  haft_store* s = nullptr;
  std::int32_t r = 0, w = 1;
  check(haft_rendezvous(url.c_str(), &o, &s, &r, &w));
  return {Store(s), r, w};
}

/// What the launcher said.
inline haft_launch_environment launch_environment() {
  haft_launch_environment e = HAFT_LAUNCH_ENVIRONMENT_INIT;
  check(haft_get_launch_environment(&e));
  return e;
}

}  // namespace haft
#endif
