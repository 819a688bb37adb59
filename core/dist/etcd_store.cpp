#include "core/dist/etcd_store.h"

#include <charconv>

#include "core/base/error.h"
#include "core/io/json_reader.h"
#include "core/io/text.h"

namespace haft::dist {

namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct FieldCollector final : JsonHandler {
  std::map<std::string, std::string> fields;
  std::string at;
  void put(std::string v) { fields[at] = std::move(v); }
  void null() override {}
  void boolean(bool v) override { put(v ? "true" : "false"); }
  void integer(int64_t v) override { put(std::to_string(v)); }
  void real(double) override {}
  void string(std::string& v) override { put(std::move(v)); }
  void key(std::string& v) override { at = std::move(v); }
  void begin_object() override {}
  void end_object() override {}
  void begin_array() override {}
  void end_array() override {}
};

std::string quoted(std::string_view bytes) { return concat("\"", to_base64(bytes), "\""); }

bool starts_without_case(std::string_view s, std::string_view with) {
  if (s.size() < with.size()) return false;
  for (size_t i = 0; i < with.size(); ++i)
    if ((s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 32 : s[i]) != with[i]) return false;
  return true;
}

size_t to_size(std::string_view s, int base) {
  while (s.starts_with(" ")) s.remove_prefix(1);
  size_t n = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n, base);
  if (error != std::errc() || end == s.data() || n > 2 * kMaxValue)
    fail(Code::corrupt, "an answer of impossible length");
  return n;
}

// One answer of HTTP/1.1.
std::string read_http(AnswerReader& r, int* status, bool* stays) {
  const std::string first = r.line();
  if (!first.starts_with("HTTP/1.") || first.size() < 12)
    fail(Code::corrupt, "an answer that is not of HTTP");
  *status = int(to_size(std::string_view(first).substr(9, 3), 10));
  *stays = true;
  bool chunked = false;
  size_t size = 0;
  for (int lines = 0;; ++lines) {
    const std::string line = r.line();
    if (line.empty()) break;
    if (lines == 100) fail(Code::corrupt, "an answer with too many headers");
    if (starts_without_case(line, "content-length:")) size = to_size(std::string_view(line).substr(15), 10);
    if (starts_without_case(line, "transfer-encoding: chunked")) chunked = true;
    if (starts_without_case(line, "connection: close")) *stays = false;
  }
  if (!chunked) return r.bytes(size);
  std::string body;
  while (const size_t n = to_size(r.line(), 16)) {
    if (body.size() + n > 2 * kMaxValue) fail(Code::corrupt, "an answer that is too long");
    body += r.bytes(n);
    r.bytes(2);
  }
  while (!r.line().empty()) {
  }
  return body;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t v = 0;
    for (size_t k = 0; k < 3; ++k) v = v << 8 | (i + k < bytes.size() ? uint8_t(bytes[i + k]) : 0);
    for (size_t k = 0; k < 4; ++k) out += i + k > bytes.size() ? '=' : kDigits[v >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string from_base64(std::string_view text) {
  std::string out;
  uint32_t v = 0;
  int bits = 0;
  for (char c : text) {
    if (c == '=') break;
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) fail(Code::corrupt, "text that is not base64");
    v = v << 6 | uint32_t(digit);
    if ((bits += 6) >= 8) out += char(v >> (bits -= 8) & 255);
  }
  return out;
}

EtcdStore::EtcdStore(EtcdOptions options) : o_(std::move(options)) {
  if (!o_.user.empty())
    log_in(o_.deadline, true);
  else
    call("/v3/kv/range", concat("{\"key\":", quoted("haft"), ",\"keys_only\":true}"), o_.deadline, true);
}

std::string EtcdStore::log_in(Deadline deadline, bool patient) {
  constexpr const char* path = "/v3/auth/authenticate";
  std::string who = "{\"name\":\"";
  append_json_escaped(who, o_.user);
  who += "\",\"password\":\"";
  append_json_escaped(who, o_.password);
  std::string token = fields_of(path, ask(path, who + "\"}", {}, deadline, patient))["token"];
  std::lock_guard lock(mutex_);
  return token_ = std::move(token);
}

EtcdStore::Fields EtcdStore::call(const char* path, const std::string& body, Deadline deadline,
                                  bool patient) {
  std::string token;
  {
    std::lock_guard lock(mutex_);
    token = token_;
  }
  Answer a = ask(path, body, token, deadline, patient);
  // The server forgets who has said nothing for some minutes.
  constexpr int kUnauthorized = 401;
  if (a.status == kUnauthorized && !o_.user.empty())
    a = ask(path, body, log_in(deadline, patient), deadline, patient);
  return fields_of(path, std::move(a));
}

EtcdStore::Fields EtcdStore::fields_of(const char* path, Answer a) const {
  if (a.status != 200)
    fail(Code::io, concat("the store ", name(), ", ", path, ": ", a.status, " ", a.fields["message"]),
         a.status == 404 ? "is this etcd 3.4 or later?" : "");
  return std::move(a.fields);
}

EtcdStore::Answer EtcdStore::ask(const char* path, const std::string& body, const std::string& token,
                                 Deadline deadline, bool patient) {
  std::string request = concat("POST ", path, " HTTP/1.1\r\nHost: ", to_text(o_.at),
                               "\r\nContent-Type: application/json\r\nContent-Length: ", body.size(), "\r\n");
  if (!token.empty()) request += concat("Authorization: ", token, "\r\n");
  request += "\r\n" + body;
  FieldCollector answer;
  int status = 0;
  try {
    Socket s = idle_.take();
    if (!s) s = connect_to(o_.at, deadline, "an etcd server", patient);
    if (!s.send_all(request, deadline))
      fail(Code::timeout, concat("no answer within ", deadline.given_text()));
    AnswerReader r(s, deadline);
    bool stays = false;
    const std::string text = read_http(r, &status, &stays);
    if (stays) idle_.give(std::move(s));
    if (status == 200 || text.starts_with("{")) parse_json(text, answer, "answer");
  } catch (const Error& e) {
    if (e.code != Code::io && e.code != Code::timeout && e.code != Code::corrupt) throw;
    fail(e.code, concat("the store ", name(), ", ", path, ": ", e.message), e.hint);
  }
  return {status, std::move(answer.fields)};
}

void EtcdStore::set(std::string_view key, std::string_view value) {
  check_value(key, value);
  call("/v3/kv/put", concat("{\"key\":", quoted(key), ",\"value\":", quoted(value), "}"));
}

void EtcdStore::lease(std::string_view key, std::string_view value, int64_t ttl_ns) {
  check_value(key, value);
  check_ttl(ttl_ns);
  const int64_t seconds = ttl_ns / kSecond + (ttl_ns % kSecond != 0);
  const std::string id = call("/v3/lease/grant", concat("{\"TTL\":", seconds, "}"))["ID"];
  call("/v3/kv/put",
       concat("{\"key\":", quoted(key), ",\"value\":", quoted(value), ",\"lease\":\"", id, "\"}"));
}

bool EtcdStore::try_get(std::string_view key, std::string* value) {
  Fields f = call("/v3/kv/range", concat("{\"key\":", quoted(key), "}"));
  if (!f.contains("count")) return false;
  *value = from_base64(f["value"]);
  return true;
}

bool EtcdStore::check(std::span<const std::string> keys) {
  for (const std::string& key : keys) {
    check_key(key);
    if (!call("/v3/kv/range", concat("{\"key\":", quoted(key), ",\"count_only\":true}")).contains("count"))
      return false;
  }
  return true;
}

int64_t EtcdStore::add(std::string_view key, int64_t delta) {
  check_key(key);
  std::string current;
  while (true) {
    if (!try_get(key, &current)) current.clear();
    const int64_t sum = added(key, current, delta);
    if (compare_set(key, current, std::to_string(sum), &current)) return sum;
  }
}

bool EtcdStore::compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                            std::string* current) {
  check_value(key, desired);
  const std::string k = quoted(key);
  auto attempt = [&](const std::string& condition) {
    Fields f = call(
        "/v3/kv/txn",
        concat("{\"compare\":[{\"key\":", k, ",", condition, "}],\"success\":[{\"requestPut\":{\"key\":", k,
               ",\"value\":", quoted(desired), "}}],\"failure\":[{\"requestRange\":{\"key\":", k, "}}]}"));
    const bool done = f["succeeded"] == "true";
    *current = done ? std::string(desired) : from_base64(f["value"]);
    return done;
  };
  if (expected.empty() && attempt("\"target\":\"CREATE\",\"createRevision\":\"0\"")) return true;
  return attempt(concat("\"target\":\"VALUE\",\"value\":", quoted(expected)));
}

bool EtcdStore::remove(std::string_view key) {
  check_key(key);
  return call("/v3/kv/deleterange", concat("{\"key\":", quoted(key), "}")).contains("deleted");
}

}  // namespace haft::dist
