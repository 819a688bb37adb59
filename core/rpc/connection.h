// One connection between two agents, and what an agent knows of a peer.
#pragma once
#include <deque>

#include "core/rpc/agent.h"

namespace haft::rpc {

struct Connection : RefCounted {
  dist::Socket socket;
  uint64_t number = 0;
  int peer = -1;      // its rank, once it is known
  bool ours = false;  // this process made it: it sends requests and gets answers

  // Of the thread that moves bytes.
  std::string nonce, hello;
  int64_t stranger_until = 0;  // 0: it is known
  FrameHeader header;
  size_t header_got = 0;
  Ref<ByteBlock> body;
  uint64_t body_got = 0;

  std::mutex mutex;
  std::deque<std::string> out;
  size_t out_at = 0;  // sent of the first
  int64_t queued = 0;
  uint32_t events = 0;
  bool broken = false;
};

struct Agent::Peer {
  bool connecting = false;  // a thread does
  int greeting = -1;        // its socket, while the peer has not let it in
  std::string info;         // what the store holds of it
  std::string name;
  dist::Address at;
  Ref<Connection> out;
  bool lost = false;
};

}  // namespace haft::rpc
