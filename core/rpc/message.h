// What goes over a connection between two agents.
//
// Server: magic (8), nonce (16). Client: magic, nonce, its rank (4), HMAC(key, "client" server's nonce, client's
// nonce, rank) (32). Server: HMAC(key, "server" client's nonce, server's nonce) (32). The key is the job's secret and
// a nonce that the job's store holds: whoever knows only one of them gets one byte, kRefused, and is hung up on. Then
// frames: requests from the client, answers from the server, in any order. A frame is a FrameHeader, `meta` bytes of
// texts and shapes, and, each at a multiple of 64 bytes from the end of the header, the elements of its tensors.
// Numbers are little-endian.
#pragma once
#include <string>
#include <vector>

#include "core/dist/wire.h"
#include "core/io/array.h"
#include "core/tensor/tensor.h"

namespace haft::rpc {

constexpr std::string_view kMagic = "haftrpc\1";  // the last byte is the protocol's version
constexpr size_t kNonce = dist::kNonce, kMac = dist::kMac;
constexpr size_t kGreetingSize = kMagic.size() + kNonce;
constexpr size_t kHelloSize = kGreetingSize + 4 + kMac;  // all that strangers may send

// What functions take and answer.
struct Payload {
  std::vector<Tensor> tensors;
  std::string bytes;
};

enum class FrameKind : uint32_t { request = 1, answer = 2, failure = 3 };

struct FrameHeader {
  uint64_t size;  // bytes that follow
  uint64_t call;
  FrameKind kind;
  uint32_t meta;
};
static_assert(sizeof(FrameHeader) == 24);

// Tensors are copied, so that they may change afterwards.
std::string encode(uint64_t call, FrameKind kind, std::string_view function, const Payload& payload,
                   int64_t limit);
std::string encode_failure(uint64_t call, const Error& error);

struct Message {
  uint64_t call = 0;
  FrameKind kind{};
  std::string function;  // of a request
  Payload payload;       // of a request and an answer: tensors lie in the frame's memory
  Code code = Code::ok;  // of a failure
  std::string text, hint;
};
// Code::corrupt for what is no frame.
Message decode(const FrameHeader& header, const Ref<ByteBlock>& body);

}  // namespace haft::rpc
