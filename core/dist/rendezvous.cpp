#include "core/dist/rendezvous.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "core/base/error.h"
#include "core/dist/etcd_store.h"
#include "core/dist/redis_store.h"
#include "core/dist/tcp_store.h"

namespace haft::dist {

namespace {

constexpr const char* kForms =
    "urls of stores are env://, tcp://host:port, file:///folder, redis://host:port, etcd://host:port and "
    "hash://";

int to_number(std::string_view s, int most, std::string_view what, std::string_view url) {
  int n = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size() || n < 0 || n > most)
    fail(Code::invalid_argument,
         concat(what, " '", s, "' in '", without_password(url), "' is no number in 0..", most), kForms,
         "url");
  return n;
}

std::string decoded(std::string_view s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    unsigned char c = 0;
    if (s[i] == '%' && i + 2 < s.size() &&
        std::from_chars(&s[i + 1], &s[i + 1] + 2, c, 16).ptr == &s[i + 1] + 2) {
      out += char(c);
      i += 2;
    } else {
      out += s[i];
    }
  }
  return out;
}

}  // namespace

std::string without_password(std::string_view url) {
  const size_t start = url.find("://");
  if (start == std::string_view::npos || url.starts_with("file:")) return std::string(url);
  // The last one: a password that should have been written with %40 and %2F is one, too.
  const size_t at = url.substr(0, url.find('?')).rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(url);
  return std::string(url.substr(0, start + 3)) + "..." + std::string(url.substr(at));
}

StoreUrl parse_store_url(std::string_view url) {
  StoreUrl u;
  std::string_view rest = url;
  const size_t scheme = rest.find("://");
  if (scheme == std::string_view::npos || scheme == 0)
    fail(Code::invalid_argument, concat("'", without_password(url), "' is no url of a store"), kForms, "url");
  u.scheme = rest.substr(0, scheme);
  rest.remove_prefix(scheme + 3);
  if (const size_t q = rest.find('?'); q != std::string_view::npos) {
    for (std::string_view query = rest.substr(q + 1); !query.empty();) {
      const std::string_view one = query.substr(0, query.find('&'));
      query.remove_prefix(std::min(query.size(), one.size() + 1));
      const size_t is = one.find('=');
      if (is == std::string_view::npos || is == 0)
        fail(Code::invalid_argument,
             concat("'", one, "' in '", without_password(url), "' is not of the form name=value"), kForms,
             "url");
      u.query[std::string(one.substr(0, is))] = decoded(one.substr(is + 1));
    }
    rest = rest.substr(0, q);
  }
  for (const auto& [name, value] : u.query)
    if (name != "rank" && name != "world_size" && !(name == "bind" && u.scheme == "tcp") &&
        !(name == "ttl" && u.scheme == "redis"))
      fail(Code::invalid_argument,
           concat("'", name, "' in '", without_password(url), "' says nothing to a store of ", u.scheme),
           "rank and world_size, in a rendezvous; bind of tcp://, ttl of redis://", "url");
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    u.path = decoded(rest.substr(slash));
    rest = rest.substr(0, slash);
  }
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = rest.substr(0, at);
    const size_t colon = who.find(':');
    u.user = decoded(who.substr(0, colon));
    if (colon != std::string_view::npos) u.password = decoded(who.substr(colon + 1));
    rest.remove_prefix(at + 1);
  }
  size_t colon = rest.rfind(':');
  if (rest.starts_with("[")) {  // an address of IPv6
    const size_t close = rest.find(']');
    if (close == std::string_view::npos || (close + 1 < rest.size() && rest[close + 1] != ':'))
      fail(Code::invalid_argument, concat("'", without_password(url), "' opens [ without a matching ]"),
           kForms, "url");
    u.at.host = rest.substr(1, close - 1);
    colon = close + 1 < rest.size() ? close + 1 : std::string_view::npos;
  } else {
    u.at.host = rest.substr(0, colon);
  }
  u.at.port = colon == std::string_view::npos ? -1 : to_number(rest.substr(colon + 1), 65535, "port", url);
  return u;
}

std::string with_port(std::string_view url, int port) {
  std::string with(url);
  if (parse_store_url(url).at.port < 0)
    with.insert(std::min(url.find_first_of("/?", url.find("://") + 3), url.size()), concat(":", port));
  return with;
}

std::string job_secret() {
  const char* s = std::getenv("HAFT_SECRET");
  return s ? s : "";
}

Ref<Store> open_store(std::string_view url, const StoreOptions& o) {
  StoreUrl u = parse_store_url(url);
  auto need_host = [&](int default_port) {
    if (u.at.host.empty())
      fail(Code::invalid_argument, concat("'", without_password(url), "' names no host"), kForms, "url");
    if (u.at.port < 0) u.at.port = default_port;
  };
  auto need_no_path = [&] {
    if (u.path.size() > 1)
      fail(Code::invalid_argument,
           concat("'", without_password(url), "': ", u.scheme, ":// takes no path, got ", u.path), kForms,
           "url");
  };
  Ref<Store> store;
  if (u.scheme == "tcp") {
    need_host(29500);
    need_no_path();
    if (!u.user.empty())
      fail(Code::invalid_argument, concat("'", without_password(url), "': tcp:// takes no user"),
           "processes show that they know HAFT_SECRET, or the option `secret`", "url");
    TcpStoreOptions t;
    t.where = u.at;
    t.serve = o.serve;
    t.bind.host = u.query["bind"];
    t.secret = o.secret;
    t.deadline = o.deadline;
    store = make_ref<TcpStore>(std::move(t));
  } else if (u.scheme == "file") {
    if (!u.at.host.empty())
      fail(Code::invalid_argument, concat("'", without_password(url), "' names the host '", u.at.host, "'"),
           "the path follows three slashes: file:///shared/folder", "url");
    return make_ref<FileStore>(o.run.empty() ? u.path : concat(u.path, "/", o.run));
  } else if (u.scheme == "redis") {
    need_host(6379);
    store = make_ref<RedisStore>(RedisOptions{
        u.at, u.user, u.password,
        u.path.size() > 1 ? to_number(std::string_view(u.path).substr(1), INT32_MAX, "database", url) : 0,
        u.query.contains("ttl") ? to_number(u.query["ttl"], INT32_MAX, "ttl", url) : 0, o.deadline});
  } else if (u.scheme == "etcd") {
    need_host(2379);
    need_no_path();
    store = make_ref<EtcdStore>(EtcdOptions{u.at, u.user, u.password, o.deadline});
  } else if (u.scheme == "hash") {
    return make_ref<HashStore>();
  } else {
    fail(Code::invalid_argument,
         concat("'", u.scheme, "' is no kind of store, in '", without_password(url), "'"), kForms, "url");
  }
  if (!o.run.empty()) store = make_ref<PrefixStore>(o.run, std::move(store));
  return store;
}

namespace {

void join(Store& store, int rank, int world_size, Deadline deadline, const std::string& where) {
  const std::string here = next_meeting(store, "rendezvous", rank);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  store.set(concat(here, "/", rank), concat(host, ":", getpid()));
  if (store.add(here + "/joined", 1) == world_size) store.set(here + "/all", "1");
  try {
    const std::string all = here + "/all";
    store.wait({&all, 1}, deadline);
  } catch (const Error& e) {
    if (e.code != Code::timeout) throw;
    give_up_meeting(store, here);
    // Who is missing is worth a moment, but no more than that once one of them is known.
    std::string missing;
    int64_t joined = 0, named = 0, absent = 0;
    const Deadline moment = Deadline::in(kSecond / 5);
    for (int r = 0; r < world_size && !(absent && moment.passed()); ++r) {
      const std::string key = concat(here, "/", r);
      if (store.check({&key, 1})) {
        ++joined;
        continue;
      }
      ++absent;
      if (named == 8) continue;
      missing += concat(named++ ? ", " : " ", r);
    }
    if (absent > named) missing += concat(" and ", absent - named, " more");
    fail(Code::timeout,
         concat("rendezvous at ", where, ": ", joined, "/", world_size, " joined, missing rank",
                absent == 1 ? "" : "s", missing, ", waited ", deadline.given_text(), " for key '", here,
                "/all'"),
         "the missing processes did not start, failed before they came here, or look for another address");
  }
}

}  // namespace

Rendezvous rendezvous(std::string_view url, int rank, int world_size, Deadline deadline, std::string secret) {
  StoreUrl u = parse_store_url(url);
  auto given = [&](const char* name, int& value) {
    if (value < 0 && u.query.contains(name)) value = to_number(u.query[name], INT32_MAX, name, url);
  };
  given("rank", rank);
  given("world_size", world_size);
  // Who says all by himself is not asked for the launcher's variables: half of them may be there for something else.
  LaunchEnvironment e;
  if (rank < 0 || world_size < 0 || (u.scheme != "tcp" && u.scheme != "hash")) e = read_launch_environment();
  const bool launched = std::string_view(e.launcher) != "none";
  if ((rank < 0 || world_size < 0) && !launched)
    fail(Code::invalid_argument,
         concat("rendezvous at ", without_password(url), ": nobody says the ",
                rank < 0 ? "rank" : "world size"),
         "start the program with haft-run, torchrun, mpirun or srun, give both, or set RANK and WORLD_SIZE",
         "rank");
  if (rank < 0) rank = e.rank;
  if (world_size < 0) world_size = e.world_size;
  if (world_size < 1 || rank >= world_size)
    fail(Code::invalid_argument, concat("rank ", rank, " is outside of the world of ", world_size), {},
         "rank");

  StoreOptions o;
  o.secret = std::move(secret);
  o.deadline = deadline;
  o.serve = rank == 0;
  std::string where(url);
  if (!e.run_id.empty()) o.run = concat(e.run_id, ".", e.restart_count);
  if (u.scheme == "env") {
    if (!e.store_url.empty()) {
      where = e.store_url;
      o.serve = false;
    } else {
      if (e.master_host.empty())
        fail(Code::invalid_argument,
             concat("env://: MASTER_ADDR is not set, and ", launched ? e.launcher : "nobody",
                    " tells on which machine rank 0 is"),
             "export MASTER_ADDR=<the machine of rank 0>; with mpirun: -x MASTER_ADDR=...");
      where = concat("tcp://", to_text(Address{e.master_host, e.master_port ? e.master_port : 29500}));
      o.run.clear();  // this store is the run's own
    }
  } else if (u.scheme == "tcp") {
    o.run.clear();
  }
  Rendezvous r{open_store(where, o), rank, world_size};
  join(*r.store, rank, world_size, deadline, r.store->name());
  return r;
}

}  // namespace haft::dist
