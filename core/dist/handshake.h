// The client's side of how stores (wire.h) and agents (core/rpc/message.h) let a process in: both prove that they
// hold a secret.
#pragma once
#include <string>
#include <string_view>

#include "core/dist/socket.h"

namespace haft::dist {

struct Introduction {
  std::string_view magic;  // of the protocol; its last byte is the version
  std::string_view kind;   // "store", "agent"
  const std::string& key;  // of both proofs
  std::string_view more;   // goes with the client's nonce and into its proof
  std::string who, where;  // for messages
};

std::string client_proof(const std::string& key, std::string_view servers_nonce,
                         std::string_view clients_nonce, std::string_view more = {});
std::string server_proof(const std::string& key, std::string_view clients_nonce,
                         std::string_view servers_nonce);

// False when the time has passed. Error: io when the other side hangs up, corrupt when it speaks otherwise,
// invalid_argument when the secrets differ.
bool introduce(Socket& s, const Introduction& i, Deadline deadline);

}  // namespace haft::dist
