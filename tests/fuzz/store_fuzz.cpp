// What arrives at a store's port, from strangers and from clients that know the secret.
#include "core/dist/sha256.h"
#include "core/dist/store_hub.h"
#include "tests/fuzz/fuzz.h"

using namespace haft;
using namespace haft::dist;

namespace {

constexpr const char* kSecret = "secret";

// The first byte says who speaks: an even one a stranger, an odd one a client, let in by the fuzzer.
std::string of_client(std::initializer_list<std::string> requests) {
  std::string all = "\1";
  for (const std::string& r : requests) all += r;
  return all;
}

}  // namespace

std::vector<std::string> fuzz_seeds() {
  auto w = [](Call c, std::string_view key) { return WireWriter().number(c).text(key); };
  std::vector<std::string> out;
  out.push_back(std::string("\0", 1) + std::string(kStoreMagic) + std::string(kNonce + kMac, 'x'));
  out.push_back(std::string("\0GET / HTTP/1.1\r\n\r\n", 19));
  out.push_back(of_client({w(Call::set, "key").text("value").finish(), w(Call::get, "key").finish()}));
  out.push_back(of_client({w(Call::add, "n").number(int64_t(3)).finish(), w(Call::wait, "n").finish()}));
  out.push_back(
      of_client({w(Call::compare_set, "k").text("").text("new").finish(), w(Call::remove, "k").finish()}));
  out.push_back(
      of_client({w(Call::lease, "l").text("v").number(int64_t(1000000)).finish(),
                 WireWriter().number(Call::check).number(uint32_t(2)).text("l").text("k").finish()}));
  out.push_back(of_client({w(Call::get, "absent").finish()}));
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  StoreHub hub(kSecret);
  // Somebody waits for a key that the input may set.
  StoreHub::Peer waiter, p;
  waiter.known = true;
  FUZZ_CHECK(hub.receive(waiter, WireWriter().number(Call::get).text("key").finish()));
  hub.greet(p);
  FUZZ_CHECK(p.out.size() == kStoreMagic.size() + kNonce);
  p.out.clear();
  if (data[0] & 1) {
    const std::string mine(kNonce, 'n');
    FUZZ_CHECK(
        hub.receive(p, std::string(kStoreMagic) + mine + hmac_sha256(kSecret, "client" + p.nonce + mine)));
    FUZZ_CHECK(p.known && p.out == hmac_sha256(kSecret, "server" + mine + p.nonce));
    p.out.clear();
  }
  const bool stranger = !p.known;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  // In pieces, as a network would: at the ends of messages where the lengths are true, and in odd places else.
  while (!bytes.empty()) {
    size_t piece = 1 + bytes.size() / 3;
    uint32_t length = 0;
    if (!stranger && bytes.size() >= 4) {
      std::memcpy(&length, bytes.data(), 4);
      if (length < bytes.size() - 3) piece = length + 4;
    }
    const bool stays = hub.receive(p, bytes.substr(0, piece));
    bytes.remove_prefix(piece);
    FUZZ_CHECK(p.in.size() <= (stranger ? kHelloSize : size));
    FUZZ_CHECK(!stranger || !p.known);
    if (!stays) break;
    FUZZ_CHECK(p.awaits.empty() || p.out.empty());
    if (!p.out.empty()) {
      uint32_t promised = 0;
      FUZZ_CHECK(p.out.size() >= 5);
      std::memcpy(&promised, p.out.data(), 4);
      FUZZ_CHECK(promised == p.out.size() - 4 && promised <= kMaxFrame);
      p.out.clear();
    }
  }
  FUZZ_CHECK(hub.table().stored() <= size + 128 * size);
  for (StoreHub::Peer* woken : hub.take_woken()) FUZZ_CHECK(!woken->out.empty() && woken->awaits.empty());
  hub.leave(p);
  hub.leave(waiter);
  return 0;
}
