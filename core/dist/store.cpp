#include "core/dist/store.h"

#include <charconv>

#include "core/base/error.h"

namespace haft::dist {

void sleep_for(int64_t ns) {
  if (ns <= 0) return;
  timespec t{time_t(ns / kSecond), long(ns % kSecond)};
  while (clock_nanosleep(CLOCK_MONOTONIC, 0, &t, &t) != 0) {
  }
}

void check_key(std::string_view key) {
  if (key.empty() || key.size() > kMaxKey)
    fail(Code::invalid_argument,
         concat("a key of a store has 1 to ", kMaxKey, " bytes with its prefixes, got ", key.size()), {},
         "key");
}

void check_value(std::string_view key, std::string_view value) {
  check_key(key);
  if (value.size() > kMaxValue)
    fail(Code::invalid_argument,
         concat("the value for key '", key, "' has ", value.size(), " bytes, a store takes ", kMaxValue),
         "stores are for addresses and flags; send data through a process group", "value");
}

void check_ttl(int64_t ttl_ns) {
  if (ttl_ns <= 0)
    fail(Code::invalid_argument, concat("a lease lasts longer than 0, got ", double(ttl_ns) / 1e9, " s"), {},
         "ttl");
}

void fail_waited(const Store& store, std::string_view key, Deadline deadline) {
  fail(Code::timeout,
       concat("waited ", deadline.given_text(), " for key '", key, "' of the store ", store.name()),
       "the process that sets it has not come so far, has failed, or talks to another store");
}

int64_t added(std::string_view key, std::string_view value, int64_t delta) {
  int64_t number = 0;
  if (!value.empty()) {
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      fail(Code::invalid_argument, concat("cannot add to key '", key, "': its value is no decimal number"),
           "a key is either for add or for set", "key");
  }
  if (__builtin_add_overflow(number, delta, &number))
    fail(Code::overflow, concat("adding ", delta, " to key '", key, "' leaves 64 bits"), {}, "delta");
  return number;
}

void Store::wait(std::span<const std::string> keys, Deadline deadline) {
  for (const std::string& key : keys) wait_for(key, deadline);
}

namespace {
std::string given_up(const std::string& meeting) { return meeting + "/given up"; }
}  // namespace

std::string next_meeting(Store& store, const std::string& what, int rank) {
  while (true) {
    std::string meeting = concat(what, "/", store.add(concat(what, "/came/", rank), 1));
    if (const std::string over[] = {given_up(meeting)}; !store.check(over)) return meeting;
  }
}

void give_up_meeting(Store& store, const std::string& meeting) noexcept try {
  store.set(given_up(meeting), "1");
} catch (...) {  // the store is lost, and with it all meetings
}

// ---- PrefixStore ----

PrefixStore::PrefixStore(std::string prefix, Ref<Store> store)
    : prefix_(std::move(prefix)), store_(std::move(store)) {
  check_key(prefix_);
  prefix_ += '/';
}

std::string PrefixStore::full(std::string_view key) const {
  check_key(key);
  return prefix_ + std::string(key);
}
void PrefixStore::set(std::string_view key, std::string_view value) { store_->set(full(key), value); }
std::string PrefixStore::get(std::string_view key, Deadline deadline) {
  return store_->get(full(key), deadline);
}
bool PrefixStore::check(std::span<const std::string> keys) {
  std::vector<std::string> ks;
  for (const std::string& key : keys) ks.push_back(full(key));
  return store_->check(ks);
}
int64_t PrefixStore::add(std::string_view key, int64_t delta) { return store_->add(full(key), delta); }
bool PrefixStore::compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                              std::string* current) {
  return store_->compare_set(full(key), expected, desired, current);
}
bool PrefixStore::remove(std::string_view key) { return store_->remove(full(key)); }
void PrefixStore::lease(std::string_view key, std::string_view value, int64_t ttl_ns) {
  store_->lease(full(key), value, ttl_ns);
}
void PrefixStore::wait_for(std::string_view key, Deadline deadline) { store_->wait_for(full(key), deadline); }

// ---- Table ----

const std::string* Table::find(std::string_view key) {
  auto it = entries_.find(key);
  if (it == entries_.end()) return nullptr;
  if (it->second.expires && it->second.expires <= now_ns()) {
    stored_ -= cost(it->first, it->second.value);
    entries_.erase(it);
    return nullptr;
  }
  return &it->second.value;
}

void Table::erase_expired() {
  const int64_t now = now_ns();
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->second.expires && it->second.expires <= now) {
      stored_ -= cost(it->first, it->second.value);
      it = entries_.erase(it);
    } else {
      ++it;
    }
  }
}

void Table::set(std::string_view key, std::string_view value, int64_t ttl_ns) {
  check_value(key, value);
  const auto with_it = [&] {
    const std::string* old = find(key);
    return stored_ + cost(key, value) - (old ? cost(key, *old) : 0);
  };
  size_t after = with_it();
  if (after > kMaxStored) {
    erase_expired();
    after = with_it();
  }
  if (after > kMaxStored)
    fail(Code::overflow,
         concat("no room for key '", key, "': the store holds ", stored_, " of ", kMaxStored, " bytes"),
         "delete keys that are no longer asked for", "value");
  int64_t expires = 0;
  if (ttl_ns && __builtin_add_overflow(now_ns(), ttl_ns, &expires)) expires = 0;
  auto it = entries_.find(key);
  if (it == entries_.end()) {
    entries_.emplace(std::string(key), Entry{std::string(value), expires});
  } else {
    it->second.value.assign(value);
    it->second.expires = expires;
  }
  stored_ = after;
}

int64_t Table::add(std::string_view key, int64_t delta) {
  const std::string* value = find(key);
  const int64_t sum = added(key, value ? std::string_view(*value) : std::string_view(), delta);
  set(key, std::to_string(sum));
  return sum;
}

bool Table::compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                        std::string* current) {
  const std::string* value = find(key);
  const bool equal = value ? *value == expected : expected.empty();
  if (equal) {
    std::string after(desired);  // nothing fails once it is set
    set(key, desired);
    *current = std::move(after);
  } else if (value) {
    *current = *value;
  } else {
    current->clear();
  }
  return equal;
}

bool Table::remove(std::string_view key) {
  if (!find(key)) return false;
  auto it = entries_.find(key);
  stored_ -= cost(it->first, it->second.value);
  entries_.erase(it);
  return true;
}

// ---- HashStore ----

const std::string* HashStore::await(std::unique_lock<std::mutex>& lock, std::string_view key,
                                    Deadline deadline) {
  check_key(key);
  while (true) {
    if (const std::string* value = table_.find(key)) return value;
    if (deadline.is_never()) {
      changed_.wait(lock);
    } else if (deadline.passed()) {
      fail_waited(*this, key, deadline);
    } else {
      changed_.wait_until(lock,
                          std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline.at())));
    }
  }
}

void HashStore::set(std::string_view key, std::string_view value) {
  std::lock_guard lock(mutex_);
  table_.set(key, value);
  changed_.notify_all();
}
std::string HashStore::get(std::string_view key, Deadline deadline) {
  std::unique_lock lock(mutex_);
  return *await(lock, key, deadline);
}
void HashStore::wait_for(std::string_view key, Deadline deadline) {
  std::unique_lock lock(mutex_);
  await(lock, key, deadline);
}
bool HashStore::check(std::span<const std::string> keys) {
  std::lock_guard lock(mutex_);
  for (const std::string& key : keys) {
    check_key(key);
    if (!table_.find(key)) return false;
  }
  return true;
}
int64_t HashStore::add(std::string_view key, int64_t delta) {
  std::lock_guard lock(mutex_);
  const int64_t sum = table_.add(key, delta);
  changed_.notify_all();
  return sum;
}
bool HashStore::compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                            std::string* current) {
  std::lock_guard lock(mutex_);
  check_value(key, desired);
  const bool changed = table_.compare_set(key, expected, desired, current);
  if (changed) changed_.notify_all();
  return changed;
}
bool HashStore::remove(std::string_view key) {
  std::lock_guard lock(mutex_);
  check_key(key);
  return table_.remove(key);
}
void HashStore::lease(std::string_view key, std::string_view value, int64_t ttl_ns) {
  check_ttl(ttl_ns);
  std::lock_guard lock(mutex_);
  table_.set(key, value, ttl_ns);
  changed_.notify_all();
}

// ---- PolledStore ----

std::string PolledStore::get(std::string_view key, Deadline deadline) {
  check_key(key);
  std::string value;
  for (int64_t pause = kSecond / 1000;; pause = std::min(2 * pause, kSecond / 20)) {
    if (try_get(key, &value)) return value;
    const int64_t left = deadline.left();
    if (left == 0) fail_waited(*this, key, deadline);
    sleep_for(std::min(pause, left));
  }
}

void PolledStore::wait_for(std::string_view key, Deadline deadline) { get(key, deadline); }

}  // namespace haft::dist
