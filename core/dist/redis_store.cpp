#include "core/dist/redis_store.h"

#include <charconv>

#include "core/base/error.h"

namespace haft::dist {

namespace {

constexpr int64_t kCallTime = 60 * kSecond;

int64_t to_count(std::string_view s) {
  int64_t n = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size())
    fail(Code::corrupt, "an answer that is not of Redis's protocol");
  return n;
}

}  // namespace

// RESP2: a line, an error, a number, bytes or nothing, a list.
struct RedisStore::Reply {
  char kind = '+';
  int64_t number = 0;
  std::optional<std::string> text;
  std::vector<Reply> list;
};

RedisStore::Reply RedisStore::read(AnswerReader& r, int depth) {
  const std::string line = r.line();
  Reply reply;
  if (line.empty() || depth > 1) fail(Code::corrupt, "an answer that is not of Redis's protocol");
  reply.kind = line[0];
  const std::string_view rest = std::string_view(line).substr(1);
  switch (reply.kind) {
    case '+':
    case '-': reply.text = rest; break;
    case ':': reply.number = to_count(rest); break;
    case '$': {
      const int64_t size = to_count(rest);
      if (size > int64_t(kMaxValue)) fail(Code::corrupt, "a value that is too long");
      if (size < 0) break;
      reply.text = r.bytes(size_t(size));
      r.bytes(2);
      break;
    }
    case '*': {
      const int64_t count = to_count(rest);
      if (count > 2) fail(Code::corrupt, "a list that is too long");
      for (int64_t i = 0; i < count; ++i) reply.list.push_back(read(r, depth + 1));
      break;
    }
    default: fail(Code::corrupt, "an answer that is not of Redis's protocol");
  }
  return reply;
}

RedisStore::Reply RedisStore::ask(Socket& s, std::span<const std::string_view> words, Deadline deadline) {
  std::string request = concat("*", words.size(), "\r\n");
  for (std::string_view word : words) {
    request += concat("$", word.size(), "\r\n");
    request.append(word).append("\r\n");
  }
  if (!s.send_all(request, deadline)) fail(Code::timeout, concat("no answer within ", deadline.given_text()));
  AnswerReader r(s, deadline);
  return read(r, 0);
}

Socket RedisStore::connect(Deadline deadline, bool patient) {
  Socket s = connect_to(o_.at, deadline, "a Redis server", patient);
  auto say = [&](std::initializer_list<std::string_view> words) {
    const Reply r = ask(s, words, deadline);
    if (r.kind == '-')
      fail(Code::invalid_argument, concat("Redis at ", to_text(o_.at), " refused this process: ", *r.text),
           "the url has user and password: redis://user:password@host:port/database", "url");
  };
  if (!o_.user.empty())
    say({"AUTH", o_.user, o_.password});
  else if (!o_.password.empty())
    say({"AUTH", o_.password});
  if (o_.database) say({"SELECT", std::to_string(o_.database)});
  return s;
}

RedisStore::RedisStore(RedisOptions options) : o_(std::move(options)) {
  Socket s = connect(o_.deadline, true);
  const std::string_view ping[] = {"PING"};
  const Reply r = ask(s, ping, o_.deadline);
  if (r.kind == '-')
    fail(Code::invalid_argument, concat("Redis at ", to_text(o_.at), " refused this process: ", *r.text),
         "the url has user and password: redis://user:password@host:port/database", "url");
  idle_.give(std::move(s));
}

RedisStore::Reply RedisStore::call(std::span<const std::string_view> words) {
  const Deadline deadline = Deadline::in(kCallTime);
  Reply r;
  try {
    Socket s = idle_.take();
    if (!s) s = connect(deadline, false);
    r = ask(s, words, deadline);
    idle_.give(std::move(s));
  } catch (const Error& e) {
    if (e.code != Code::io && e.code != Code::timeout && e.code != Code::corrupt) throw;
    fail(e.code, concat("the store ", name(), ", ", words[0], ": ", e.message), e.hint);
  }
  if (r.kind == '-') {
    const bool number = r.text->find("not an integer") != std::string::npos;
    const bool overflow = r.text->find("would overflow") != std::string::npos;
    fail(number     ? Code::invalid_argument
         : overflow ? Code::overflow
                    : Code::io,
         concat("the store ", name(), ", ", words[0], ": ", *r.text),
         number ? "a key is either for add or for set" : "");
  }
  return r;
}
RedisStore::Reply RedisStore::call(std::initializer_list<std::string_view> words) {
  return call(std::span<const std::string_view>(words.begin(), words.size()));
}

void RedisStore::set(std::string_view key, std::string_view value) {
  check_value(key, value);
  if (o_.ttl)
    call({"SET", key, value, "EX", std::to_string(o_.ttl)});
  else
    call({"SET", key, value});
}

void RedisStore::lease(std::string_view key, std::string_view value, int64_t ttl_ns) {
  check_value(key, value);
  check_ttl(ttl_ns);
  call({"SET", key, value, "PX", std::to_string((ttl_ns + 999999) / 1000000)});
}

bool RedisStore::try_get(std::string_view key, std::string* value) {
  Reply r = call({"GET", key});
  if (!r.text) return false;
  *value = std::move(*r.text);
  return true;
}

bool RedisStore::check(std::span<const std::string> keys) {
  if (keys.empty()) return true;
  std::vector<std::string_view> words = {"EXISTS"};
  for (const std::string& key : keys) {
    check_key(key);
    words.push_back(key);
  }
  return call(words).number == int64_t(keys.size());
}

int64_t RedisStore::add(std::string_view key, int64_t delta) {
  check_key(key);
  const Reply r = call({"INCRBY", key, std::to_string(delta)});
  if (o_.ttl) call({"EXPIRE", key, std::to_string(o_.ttl)});
  return r.number;
}

bool RedisStore::compare_set(std::string_view key, std::string_view expected, std::string_view desired,
                             std::string* current) {
  check_value(key, desired);
  Reply r = call({"EVAL",
                  "local c = redis.call('GET', KEYS[1]) "
                  "if c == ARGV[1] or (not c and ARGV[1] == '') then "
                  "redis.call('SET', KEYS[1], ARGV[2]) "
                  "if ARGV[3] ~= '0' then redis.call('EXPIRE', KEYS[1], ARGV[3]) end "
                  "return {1, ARGV[2]} end return {0, c or ''}",
                  "1", key, expected, desired, std::to_string(o_.ttl)});
  if (r.list.size() != 2 || !r.list[1].text)
    fail(Code::corrupt, concat("the store ", name(), " answered EVAL with nonsense"));
  *current = std::move(*r.list[1].text);
  return r.list[0].number == 1;
}

bool RedisStore::remove(std::string_view key) {
  check_key(key);
  return call({"DEL", key}).number > 0;
}

}  // namespace haft::dist
