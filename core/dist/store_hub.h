// The server's side of the store's protocol, without its sockets: what arrives goes in, what is to be sent comes out.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/dist/wire.h"

namespace haft::dist {

class StoreHub {
 public:
  // One connection. Until the client has shown that it knows the secret it may send kHelloSize bytes.
  struct Peer {
    std::string in, out, nonce;
    bool known = false;
    bool wants_value = false;
    std::string awaits;  // the key; empty: it waits for none
  };

  explicit StoreHub(std::string secret) : secret_(std::move(secret)) {}
  void greet(Peer& p);
  // False: the peer broke the rules and is to be hung up on, after what there is to send. A request before the last
  // one's answer is such a case.
  [[nodiscard]] bool receive(Peer& p, std::string_view bytes);
  void leave(Peer& p);  // before it goes
  // Those whose key came since the last call: they have something to send.
  std::vector<Peer*> take_woken() { return std::exchange(woken_, {}); }
  const Table& table() const { return table_; }

 private:
  std::string secret_;
  Table table_;
  std::multimap<std::string, Peer*, std::less<>> waiting_;
  std::vector<Peer*> woken_;

  bool check_hello(Peer& p);
  void answer(Peer& p, std::string_view body);
  void wake(std::string_view key);
};

}  // namespace haft::dist
