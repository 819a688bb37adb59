#include "core/rpc/message.h"

#include "core/io/tensors.h"

namespace haft::rpc {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kMaxTensors = 65536;

size_t aligned(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }

[[noreturn]] void fail_frame(const char* what) {
  fail(Code::corrupt, concat("a message between agents is broken: ", what));
}

}  // namespace

std::string encode(uint64_t call, FrameKind kind, std::string_view function, const Payload& payload,
                   int64_t limit) {
  std::vector<Array> arrays;
  size_t data = 0;
  dist::WireWriter meta;
  if (kind == FrameKind::request) meta.text(function);
  meta.number(uint32_t(payload.tensors.size()));
  for (const Tensor& t : payload.tensors) {
    const Array& a = arrays.emplace_back(to_array({}, t));
    meta.number(uint8_t(a.dtype)).number(uint8_t(a.sizes.size()));
    for (int64_t s : a.sizes) meta.number(s);
    data += aligned(size_t(a.bytes));
  }
  if (payload.tensors.size() > kMaxTensors)
    fail(Code::invalid_argument,
         concat("a call carries at most ", kMaxTensors, " tensors, got ", payload.tensors.size()), {},
         "tensors");
  if (payload.bytes.size() > UINT32_MAX / 2)
    fail(Code::invalid_argument, concat("a call carries at most 2 GiB of bytes, got ", payload.bytes.size()),
         "tensors may be larger", "bytes");
  meta.text(payload.bytes);
  // Behind the room of a store's length.
  const std::string_view texts = std::string_view(meta.bytes).substr(4);
  FrameHeader h{aligned(texts.size()) + data, call, kind, uint32_t(texts.size())};
  if (h.size > size_t(limit))
    fail(Code::invalid_argument,
         concat("the ", kind == FrameKind::request ? "call" : "answer", " has ", h.size,
                " bytes, a message at most ", limit),
         "make several calls, or raise max_message_bytes on both sides");
  std::string frame;
  frame.reserve(sizeof h + h.size);
  frame.append(reinterpret_cast<const char*>(&h), sizeof h).append(texts);
  auto pad = [&] { frame.resize(sizeof h + aligned(frame.size() - sizeof h)); };
  pad();
  for (const Array& a : arrays) {
    frame.append(static_cast<const char*>(a.bytes ? a.data : ""), size_t(a.bytes));
    pad();
  }
  return frame;
}

std::string encode_failure(uint64_t call, const Error& error) {
  dist::WireWriter meta;
  constexpr size_t kLongest = 64 << 10;  // a peer refuses longer frames than its max_message
  meta.number(int32_t(error.code))
      .text(std::string_view(error.message).substr(0, kLongest))
      .text(std::string_view(error.hint).substr(0, kLongest));
  const std::string_view texts = std::string_view(meta.bytes).substr(4);
  const FrameHeader h{texts.size(), call, FrameKind::failure, uint32_t(texts.size())};
  std::string frame(reinterpret_cast<const char*>(&h), sizeof h);
  frame.append(texts);
  return frame;
}

Message decode(const FrameHeader& header, const Ref<ByteBlock>& body) {
  if (header.meta > header.size) fail_frame("its texts are longer than it is");
  const auto* at = reinterpret_cast<const char*>(body->data);
  dist::WireReader r({at, header.meta});
  Message m;
  m.call = header.call;
  m.kind = header.kind;
  if (m.kind == FrameKind::failure) {
    m.code = Code(r.number<int32_t>());
    if (!is_failure(int32_t(m.code))) fail_frame("an unknown status");
    m.text = r.text();
    m.hint = r.text();
    r.end();
    return m;
  }
  if (m.kind != FrameKind::request && m.kind != FrameKind::answer) fail_frame("an unknown kind");
  if (m.kind == FrameKind::request) m.function = r.text();
  size_t offset = aligned(header.meta);
  const auto tensors = r.number<uint32_t>();
  if (tensors > kMaxTensors) fail_frame("too many tensors");
  for (uint32_t i = 0; i < tensors; ++i) {
    Array a;
    a.owner = body;
    const auto dtype = r.number<uint8_t>(), ndim = r.number<uint8_t>();
    if (dtype == 0 || dtype >= kDTypeCount || ndim > HAFT_MAX_DIMS) fail_frame("a tensor that cannot be");
    a.dtype = DType(dtype);
    for (int d = 0; d < ndim; ++d) a.sizes.push_back(r.number<int64_t>());
    if (!dense_bytes({a.sizes.begin(), a.sizes.end()}, a.dtype, &a.bytes))
      fail_frame("a tensor of an impossible size");
    if (offset > header.size || header.size - offset < size_t(a.bytes))
      fail_frame("a tensor that is not in it");
    a.data = at + offset;
    if (a.dtype == DType::boolean && find_bad_bool(a.data, a.bytes) >= 0)
      fail_frame("a bool that is neither 0 nor 1");
    m.payload.tensors.push_back(to_tensor(a));
    offset += aligned(size_t(a.bytes));
  }
  m.payload.bytes = r.text();
  r.end();
  return m;
}

}  // namespace haft::rpc
