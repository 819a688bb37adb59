#include "core/dist/tcp_store.h"

#include "core/base/fork.h"
#include "core/dist/handshake.h"
#include "core/dist/wire.h"

namespace haft::dist {

TcpStore::TcpStore(TcpStoreOptions options) : generation_(fork_generation()), o_(std::move(options)) {
  if (o_.serve) {
    Address at = o_.bind.host.empty() ? o_.where : o_.bind;
    at.port = o_.where.port;
    server_ = make_ref<TcpServer>(at, o_.secret);
    o_.where.port = server_->address().port;
    if (!o_.bind.host.empty()) o_.where.host = o_.bind.host;  // whoever serves reaches itself there
  }
  idle_.give(connect(o_.deadline, true));
}

TcpStore::~TcpStore() {
  if (server_ && fork_generation() != generation_) server_.leak();  // its thread stayed in the parent
}

Socket TcpStore::connect(Deadline deadline, bool patient) {
  while (true) {
    Socket s = connect_to(o_.where, deadline, "a store", patient);
    try {
      const std::string at = to_text(o_.where);
      if (introduce(s, {kStoreMagic, "store", o_.secret, {}, "the store at " + at, at}, deadline)) return s;
    } catch (const Error& e) {
      if (e.code != Code::io || !patient) throw;  // a server that ends while another starts
    }
    if (deadline.passed())
      fail(Code::timeout,
           concat("waited ", deadline.given_text(), " for the store at ", to_text(o_.where),
                  " to let this process in"),
           "it is overloaded or stopped");
    sleep_for(std::min(kSecond / 50, deadline.left()));
  }
}

std::string TcpStore::call(std::string& request, std::string_view awaited, Deadline deadline) {
  Socket s = idle_.take();
  std::string body;
  try {
    if (!s) s = connect(deadline, false);
    uint32_t size = 0;
    bool in_time =
        s.send_all(request, deadline) && s.receive_all(reinterpret_cast<char*>(&size), 4, deadline);
    if (in_time) {
      if (size == 0 || size > kMaxFrame) fail(Code::corrupt, concat("the store ", name(), " sent nonsense"));
      body.resize(size);
      in_time = s.receive_all(body.data(), size, deadline);
    }
    if (!in_time) {
      if (!awaited.empty()) fail_waited(*this, awaited, deadline);
      fail(Code::timeout, concat("the store ", name(), " did not answer within ", deadline.given_text()),
           "the process or machine that holds it is stopped or out of reach");
    }
  } catch (const Error& e) {
    if (e.code != Code::io) throw;
    fail(Code::io, concat("the store ", name(), " is lost: ", e.message),
         "the process that held it has ended");
  }
  WireReader r(body);
  const auto code = Code(r.number<uint8_t>());
  if (code != Code::ok) {
    const std::string message(r.text()), hint(r.text());
    idle_.give(std::move(s));
    fail(code, message, hint);
  }
  idle_.give(std::move(s));
  body.erase(0, 1);
  return body;
}

std::string TcpStore::call(std::string& request) { return call(request, {}, Deadline::in(o_.call_timeout)); }

void TcpStore::set(std::string_view key, std::string_view value) {
  check_value(key, value);
  call(WireWriter().number(Call::set).text(key).text(value).finish());
}
// A deadline that has passed asks only whether the key is there, which takes the time of any call.
Deadline TcpStore::look_first(std::string_view key, Deadline deadline) {
  if (!deadline.passed()) return deadline;
  const std::string one(key);
  if (!check({&one, 1})) fail_waited(*this, key, deadline);
  return Deadline::in(o_.call_timeout);
}
std::string TcpStore::get(std::string_view key, Deadline deadline) {
  check_key(key);
  deadline = look_first(key, deadline);
  const std::string body = call(WireWriter().number(Call::get).text(key).finish(), key, deadline);
  return std::string(WireReader(body).text());
}
void TcpStore::wait_for(std::string_view key, Deadline deadline) {
  check_key(key);
  deadline = look_first(key, deadline);
  call(WireWriter().number(Call::wait).text(key).finish(), key, deadline);
}
bool TcpStore::check(std::span<const std::string> keys) {
  WireWriter w;
  w.number(Call::check).number(uint32_t(keys.size()));
  for (const std::string& key : keys) {
    check_key(key);
    w.text(key);
  }
  if (w.bytes.size() > kMaxFrame) fail(Code::invalid_argument, "too many keys for one check", {}, "keys");
  return WireReader(call(w.finish())).number<uint8_t>() != 0;
}
int64_t TcpStore::add(std::string_view key, int64_t delta) {
  check_key(key);
  return WireReader(call(WireWriter().number(Call::add).text(key).number(delta).finish())).number<int64_t>();
}
bool TcpStore::compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                           std::string* current) {
  check_value(key, desired);
  check_value(key, expected);
  const std::string body =
      call(WireWriter().number(Call::compare_set).text(key).text(expected).text(desired).finish());
  WireReader r(body);
  const bool changed = r.number<uint8_t>() != 0;
  *current = r.text();
  return changed;
}
bool TcpStore::remove(std::string_view key) {
  check_key(key);
  return WireReader(call(WireWriter().number(Call::remove).text(key).finish())).number<uint8_t>() != 0;
}
void TcpStore::lease(std::string_view key, std::string_view value, int64_t ttl_ns) {
  check_value(key, value);
  check_ttl(ttl_ns);
  call(WireWriter().number(Call::lease).text(key).text(value).number(ttl_ns).finish());
}

}  // namespace haft::dist
