#include "core/dist/store_hub.h"

#include "core/dist/handshake.h"
#include "core/dist/sha256.h"

namespace haft::dist {

void StoreHub::greet(Peer& p) {
  p.nonce = random_bytes(kNonce);
  p.out.append(kStoreMagic).append(p.nonce);
}

bool StoreHub::check_hello(Peer& p) {
  const std::string_view in = p.in;
  if (in.substr(0, kStoreMagic.size()) != kStoreMagic.substr(0, in.size()) || in.size() > kHelloSize)
    return false;
  if (in.size() < kHelloSize) return true;
  const std::string theirs(in.substr(kStoreMagic.size(), kNonce));
  if (!equal_secretly(in.substr(kStoreMagic.size() + kNonce), client_proof(secret_, p.nonce, theirs))) {
    p.out += kRefused;
    return false;
  }
  p.known = true;
  p.out += server_proof(secret_, theirs, p.nonce);
  p.in.clear();
  return true;
}

bool StoreHub::receive(Peer& p, std::string_view bytes) {
  if (!p.known) {
    if (p.in.size() + bytes.size() > kHelloSize) return false;
    p.in.append(bytes);
    return check_hello(p);
  }
  if (!p.awaits.empty() || !p.out.empty()) return false;
  p.in.append(bytes);
  if (p.in.size() < 4) return true;
  uint32_t size;
  std::memcpy(&size, p.in.data(), 4);
  if (size == 0 || size > kMaxFrame || p.in.size() - 4 > size) return false;
  if (p.in.size() - 4 < size) return true;
  const std::string request = std::move(p.in);
  p.in = {};
  try {
    answer(p, std::string_view(request).substr(4));
  } catch (const Error& e) {
    if (e.code == Code::corrupt) return false;
    p.out = std::move(WireWriter().number(uint8_t(e.code)).text(e.message).text(e.hint).finish());
  }
  return true;
}

void StoreHub::answer(Peer& p, std::string_view body) {
  WireReader r(body);
  WireWriter w;
  w.number(uint8_t(0));
  const auto call = Call(r.number<uint8_t>());
  if (call == Call::check) {
    bool all = true;
    for (auto n = r.number<uint32_t>(); n; --n) all &= table_.find(r.text()) != nullptr;
    r.end();
    p.out = std::move(w.number(uint8_t(all)).finish());
    return;
  }
  const std::string_view key = r.text();
  switch (call) {
    case Call::get:
    case Call::wait: {
      r.end();
      check_key(key);
      const std::string* value = table_.find(key);
      if (!value) {
        p.awaits = key;
        p.wants_value = call == Call::get;
        waiting_.emplace(p.awaits, &p);
        return;
      }
      if (call == Call::get) w.text(*value);
      break;
    }
    case Call::set: {
      const std::string_view value = r.text();
      r.end();
      table_.set(key, value);
      wake(key);
      break;
    }
    case Call::lease: {
      const std::string_view value = r.text();
      const auto ttl = r.number<int64_t>();
      r.end();
      check_ttl(ttl);
      table_.set(key, value, ttl);
      wake(key);
      break;
    }
    case Call::add: {
      const auto delta = r.number<int64_t>();
      r.end();
      w.number(table_.add(key, delta));
      wake(key);
      break;
    }
    case Call::compare_set: {
      const std::string_view expected = r.text(), desired = r.text();
      r.end();
      check_value(key, desired);
      std::string current;
      const bool changed = table_.compare_set(key, expected, desired, &current);
      w.number(uint8_t(changed)).text(current);
      if (changed) wake(key);
      break;
    }
    case Call::remove:
      r.end();
      w.number(uint8_t(table_.remove(key)));
      break;
    default:
      fail(Code::corrupt,
           concat("a client asks the store for call ", int(call), ", it knows 1 to ", int(Call::lease)),
           "run the same haft in all processes");
  }
  p.out = std::move(w.finish());
}

void StoreHub::wake(std::string_view key) {
  auto [first, last] = waiting_.equal_range(key);
  if (first == last) return;
  const std::string* value = table_.find(key);
  if (!value) return;  // a lease that ended at once
  for (auto it = first; it != last; ++it) {
    Peer& p = *it->second;
    WireWriter w;
    w.number(uint8_t(0));
    if (p.wants_value) w.text(*value);
    p.out = std::move(w.finish());
    p.awaits.clear();
    woken_.push_back(&p);
  }
  waiting_.erase(first, last);
}

void StoreHub::leave(Peer& p) {
  std::erase(woken_, &p);
  if (p.awaits.empty()) return;
  auto [first, last] = waiting_.equal_range(p.awaits);
  for (auto it = first; it != last; ++it)
    if (it->second == &p) {
      waiting_.erase(it);
      break;
    }
}

}  // namespace haft::dist
