#include "core/dist/handshake.h"

#include "core/dist/sha256.h"
#include "core/dist/wire.h"

namespace haft::dist {

std::string client_proof(const std::string& key, std::string_view servers_nonce,
                         std::string_view clients_nonce, std::string_view more) {
  return hmac_sha256(key, concat("client", servers_nonce, clients_nonce, more));
}

std::string server_proof(const std::string& key, std::string_view clients_nonce,
                         std::string_view servers_nonce) {
  return hmac_sha256(key, concat("server", clients_nonce, servers_nonce));
}

bool introduce(Socket& s, const Introduction& i, Deadline deadline) {
  std::string greeting(i.magic.size() + kNonce, '\0'), proof(kMac, '\0');
  if (!s.receive_all(greeting.data(), greeting.size(), deadline)) return false;
  if (!greeting.starts_with(i.magic))
    fail(Code::corrupt,
         concat("what listens at ", i.where, " is no ", i.kind, " of haft's protocol ", int(i.magic.back())),
         "is the port right, and is haft of one version everywhere?");
  const std::string theirs = greeting.substr(i.magic.size()), mine = random_bytes(kNonce);
  if (!s.send_all(concat(i.magic, mine, i.more, client_proof(i.key, theirs, mine, i.more)), deadline))
    return false;
  for (size_t got = 0; got < kMac;) {
    const int64_t n = s.receive(proof.data() + got, kMac - got, deadline);
    if (n < 0) return false;
    if (n == 0 && got == 1 && proof[0] == kRefused)
      fail(Code::invalid_argument, concat(i.who, " refused this process"),
           "its secret (HAFT_SECRET) is another one, or one side has none", "secret");
    if (n == 0) fail(Code::io, "the other side hung up");  // as on the oldest of too many strangers, too
    got += size_t(n);
  }
  if (!equal_secretly(proof, server_proof(i.key, mine, theirs)))
    fail(Code::invalid_argument, concat("what listens at ", i.where, " does not know the secret of this job"),
         "HAFT_SECRET must be the same everywhere", "secret");
  return true;
}

}  // namespace haft::dist
