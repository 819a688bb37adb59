#include "core/rpc/parameter_client.h"

#include "core/base/thread_state.h"
#include "core/ops/functions.h"

namespace haft::rpc {

namespace {

constexpr int64_t kWhole = 1024;  // elements of a part, at least

void check_pairs(size_t keys, size_t tensors) {
  if (keys != tensors)
    fail(Code::invalid_argument,
         concat("wanted one tensor for each key, got ", keys, " keys and ", tensors, " tensors"), {}, "keys");
}

// Numbers of rows by the server that has them, and where each stands in the list.
struct RowsByServer {
  std::vector<std::vector<int64_t>> ids, places;
};
RowsByServer by_server(const std::vector<int64_t>& all, size_t servers) {
  RowsByServer r{std::vector<std::vector<int64_t>>(servers), std::vector<std::vector<int64_t>>(servers)};
  for (size_t i = 0; i < all.size(); ++i) {
    const size_t s = size_t(uint64_t(all[i]) % servers);
    r.ids[s].push_back(all[i]);
    r.places[s].push_back(int64_t(i));
  }
  return r;
}

[[noreturn, gnu::cold]] void fail_answer(int server, const std::string& got, const std::string& wanted) {
  fail(Code::corrupt, concat("the parameter server of rank ", server, " answered ", got, ", wanted ", wanted),
       "run the same haft in all processes");
}

}  // namespace

ParameterClient::ParameterClient(Ref<Agent> agent, std::string name, std::vector<int> servers,
                                 int64_t timeout_ns)
    : agent_(std::move(agent)),
      function_(server_function(name)),
      name_(std::move(name)),
      servers_(std::move(servers)),
      timeout_ns_(timeout_ns) {}

Ref<ParameterClient> ParameterClient::create(Ref<Agent> agent, std::string name, std::vector<int> servers,
                                             int64_t timeout_ns) {
  agent->check_open();
  if (servers.empty()) fail(Code::invalid_argument, "no server is named", {}, "servers");
  const dist::Deadline deadline = dist::Deadline::in(timeout_ns);
  for (size_t i = 0; i < servers.size(); ++i) {
    if (std::find(servers.begin(), servers.begin() + int64_t(i), servers[i]) != servers.begin() + int64_t(i))
      fail(Code::invalid_argument, concat("server ", servers[i], " is named twice"), {}, "servers");
    const std::string its_name = agent->name_of(servers[i]);
    try {
      agent->store().get(server_key(name, servers[i]), deadline);
    } catch (const Error& e) {
      if (e.code != Code::timeout) throw;
      fail(Code::timeout,
           concat("waited ", deadline.given_text(), " for the parameter server '", name, "' of rank ",
                  servers[i], " '", its_name, "'"),
           "that process creates it, under the same name");
    }
  }
  auto c = Ref<ParameterClient>::adopt(
      new ParameterClient(std::move(agent), std::move(name), std::move(servers), timeout_ns));
  c->join();
  return c;
}

Ref<Future> ParameterClient::send(int server, ServerCall call, const dist::WireWriter& text,
                                  std::vector<Tensor> tensors) {
  Payload p{std::move(tensors), std::string(1, char(call))};
  p.bytes.append(text.bytes, 4);
  return agent_->call(server, function_, p, timeout_ns_);
}
ParameterClient::Futures ParameterClient::send_all(ServerCall call, const dist::WireWriter& text) {
  Futures f;
  for (int s : servers_) f.push_back(send(s, call, text));
  return f;
}
const Payload& ParameterClient::answer(const Ref<Future>& f) {
  f->wait(dist::Deadline::never());  // its time is the call's
  return f->value();
}

int64_t ParameterClient::join() {
  int64_t clock = 0;
  for (const auto& f : send_all(ServerCall::look, {}))
    clock = std::max(clock, dist::WireReader(answer(f).bytes).number<int64_t>());
  dist::WireWriter w;
  w.number(clock);
  for (const auto& f : send_all(ServerCall::enter, w)) answer(f);
  std::lock_guard lock(mutex_);
  pushes_.clear();
  return clock_ = clock;
}
void ParameterClient::leave() {
  for (const auto& f : send_all(ServerCall::leave, {})) answer(f);
}

// Contiguous parts of nearly equal length; a small parameter lies on the server that its name chooses.
std::vector<ParameterClient::Part> ParameterClient::parts_of(const std::string& key, int64_t numel) const {
  const auto n = int64_t(servers_.size());
  if (numel < n * kWhole) {
    uint64_t hash = 14695981039346656037u;  // the same in every process, which std::hash need not be
    for (char c : key) hash = (hash ^ uint8_t(c)) * 1099511628211u;
    return {{servers_[size_t(hash % uint64_t(n))], 0, numel}};
  }
  std::vector<Part> parts;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t from = numel / n * i + std::min(i, numel % n),
                  to = numel / n * (i + 1) + std::min(i + 1, numel % n);
    parts.push_back({servers_[size_t(i)], from, to - from});
  }
  return parts;
}

ParameterClient::Known ParameterClient::known(const std::string& key, bool table) {
  std::lock_guard lock(mutex_);
  const auto it = known_.find(key);
  if (it == known_.end())
    fail(Code::invalid_argument, concat("this worker has added no parameter '", key, "'"), "add it first",
         "key");
  if ((it->second.table.width > 0) != table)
    fail(Code::invalid_argument,
         concat("'", key, table ? "' is no table" : "' is a table, whose rows are pulled and pushed"), {},
         "key");
  return it->second;
}

int64_t ParameterClient::add_known(const std::string& key, Known k, Futures futures) {
  int64_t version = INT64_MAX;
  for (const auto& f : futures)
    version = std::min(version, dist::WireReader(answer(f).bytes).number<int64_t>());
  std::lock_guard lock(mutex_);
  known_[key] = std::move(k);
  return version;
}

int64_t ParameterClient::add(const std::string& key, const Tensor& value) {
  NoGradGuard no_grad;
  if (value.numel() == 0) fail(Code::shape, concat("'", key, "' has no elements"), {}, "tensor");
  const Tensor flat = ops::reshape(value, std::array{int64_t(-1)});
  Futures futures;
  for (const Part& p : parts_of(key, flat.numel())) {
    dist::WireWriter w;
    w.text(key).number(flat.numel()).number(p.from);
    futures.push_back(send(p.server, ServerCall::add, w, {ops::narrow(flat, 0, p.from, p.count)}));
  }
  return add_known(key, {flat.numel(), {}}, std::move(futures));
}

int64_t ParameterClient::add_table(const std::string& key, const TableShape& t) {
  dist::WireWriter w;
  w.text(key).number(t.rows).number(t.width).number(uint8_t(t.dtype)).number(t.std).number(t.seed);
  return add_known(key, {0, t}, send_all(ServerCall::add_table, w));
}

std::vector<int64_t> ParameterClient::pull(std::span<const std::string> keys,
                                           std::span<const Tensor> tensors) {
  NoGradGuard no_grad;
  check_pairs(keys.size(), tensors.size());
  std::map<int, Message> messages;
  std::vector<std::vector<Part>> parts;
  for (size_t i = 0; i < keys.size(); ++i) {
    const Known k = known(keys[i], false);
    if (!tensors[i].defined() || tensors[i].numel() != k.numel)
      fail(Code::shape,
           concat("'", keys[i], "' has ", k.numel, " elements, the tensor for it has ",
                  tensors[i].defined() ? tensors[i].numel() : 0),
           {}, "tensors");
    for (const Part& p : parts.emplace_back(parts_of(keys[i], k.numel))) {
      Message& m = messages[p.server];
      m.text.text(keys[i]);
      ++m.count;
    }
  }
  std::map<int, Ref<Future>> futures;
  for (auto& [server, m] : messages) {
    dist::WireWriter w;
    w.number(m.count);
    w.bytes.append(m.text.bytes, 4);
    futures[server] = send(server, ServerCall::pull, w);
  }
  struct Answer {
    const Payload* payload;
    size_t at = 0;
  };
  std::map<int, Answer> answers;
  for (auto& [server, f] : futures) {
    const Payload& p = answer(f);
    const size_t count = messages[server].count;
    if (p.tensors.size() != count || p.bytes.size() != count * 8)
      fail_answer(server, concat(p.tensors.size(), " tensors with ", p.bytes.size(), " bytes of versions"),
                  concat(count, " with ", count * 8));
    answers[server] = {&p};
  }
  // Everything is there before anything is written.
  std::vector<int64_t> versions;
  for (size_t i = 0; i < keys.size(); ++i) {
    std::vector<Tensor> pieces;
    int64_t version = INT64_MAX;
    for (const Part& p : parts[i]) {
      Answer& a = answers[p.server];
      pieces.push_back(a.payload->tensors[a.at]);
      int64_t v;
      std::memcpy(&v, a.payload->bytes.data() + 8 * a.at++, 8);
      version = std::min(version, v);
    }
    const Tensor all = pieces.size() == 1 ? pieces[0] : ops::cat(pieces);
    if (all.numel() != tensors[i].numel())
      fail_answer(parts[i][0].server,
                  concat(all.numel(), " elements of '", keys[i], "'",
                         pieces.size() > 1 ? " together with the others" : ""),
                  concat(tensors[i].numel()));
    ops::copy_(tensors[i], ops::reshape(all, tensors[i].sizes()));
    versions.push_back(version);
  }
  return versions;
}

void ParameterClient::push(std::span<const std::string> keys, std::span<const Tensor> gradients) {
  NoGradGuard no_grad;
  check_pairs(keys.size(), gradients.size());
  std::map<int, Message> messages;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!gradients[i].defined()) continue;
    const Known k = known(keys[i], false);
    if (gradients[i].numel() != k.numel)
      fail(Code::shape,
           concat("'", keys[i], "' has ", k.numel, " elements, its gradient has ", gradients[i].numel()), {},
           "gradients");
    const Tensor flat = ops::reshape(gradients[i], std::array{int64_t(-1)});
    for (const Part& p : parts_of(keys[i], k.numel)) {
      Message& m = messages[p.server];
      m.text.text(keys[i]);
      m.tensors.push_back(ops::narrow(flat, 0, p.from, p.count));
      ++m.count;
    }
  }
  for (auto& [server, m] : messages) {
    dist::WireWriter w;
    w.number(m.count);
    w.bytes.append(m.text.bytes, 4);
    Ref<Future> f = send(server, ServerCall::push, w, std::move(m.tensors));
    std::lock_guard lock(mutex_);
    pushes_.push_back(std::move(f));
  }
}

Tensor ParameterClient::pull_rows(const std::string& key, const Tensor& rows, int64_t* version) {
  NoGradGuard no_grad;
  const Known k = known(key, true);
  const Tensor dense = ops::contiguous(rows);
  const Unique unique(ids_of(dense));
  const size_t n = servers_.size();
  const auto [ids, places] = by_server(unique.ids, n);
  dist::WireWriter w;
  w.text(key);
  Futures futures(n);
  for (size_t s = 0; s < n; ++s)
    if (!ids[s].empty()) futures[s] = send(servers_[s], ServerCall::pull_rows, w, {to_ids(ids[s])});
  Tensor all = ops::zeros(std::array{int64_t(unique.ids.size()), k.table.width}, k.table.dtype, Device{});
  int64_t least = INT64_MAX;
  for (size_t s = 0; s < n; ++s) {
    if (!futures[s]) continue;
    const Payload& p = answer(futures[s]);
    if (p.tensors.size() != 1)
      fail_answer(servers_[s], concat(p.tensors.size(), " tensors for rows of '", key, "'"), "1");
    ops::index_add_(all, 0, to_ids(places[s]), p.tensors[0]);  // into zeros: each place comes once
    least = std::min(least, dist::WireReader(p.bytes).number<int64_t>());
  }
  if (version) *version = least == INT64_MAX ? 0 : least;
  SmallVec<int64_t, 8> sizes;
  for (int64_t s : rows.sizes()) sizes.push_back(s);
  sizes.push_back(k.table.width);
  return ops::reshape(ops::index_select(all, 0, to_ids(unique.index)), {sizes.begin(), sizes.end()});
}

void ParameterClient::push_rows(const std::string& key, const Tensor& rows, const Tensor& gradients) {
  NoGradGuard no_grad;
  const Known k = known(key, true);
  const Tensor dense = ops::contiguous(rows);
  if (gradients.numel() != dense.numel() * k.table.width)
    fail(Code::shape,
         concat("gradients of ", dense.numel(), " rows of '", key, "' have the shape ", gradients.sizes(),
                ", wanted ", k.table.width, " of each row"),
         {}, "gradients");
  if (dense.numel() == 0) return;
  const Unique unique(ids_of(dense));
  const Tensor sums = unique.sum(ops::reshape(gradients, std::array{dense.numel(), k.table.width}));
  const size_t n = servers_.size();
  const auto [ids, places] = by_server(unique.ids, n);
  dist::WireWriter w;
  w.text(key);
  for (size_t s = 0; s < n; ++s) {
    if (ids[s].empty()) continue;
    Ref<Future> f = send(servers_[s], ServerCall::push_rows, w,
                         {to_ids(ids[s]), ops::index_select(sums, 0, to_ids(places[s]))});
    std::lock_guard lock(mutex_);
    pushes_.push_back(std::move(f));
  }
}

void ParameterClient::finish_pushes() {
  Futures pushes;
  {
    std::lock_guard lock(mutex_);
    pushes.swap(pushes_);
  }
  for (const auto& f : pushes) answer(f);
}

int64_t ParameterClient::step() {
  finish_pushes();
  const int64_t clock = this->clock() + 1;
  dist::WireWriter w;
  w.number(clock);
  int64_t version = INT64_MAX;
  for (const auto& f : send_all(ServerCall::step, w))
    version = std::min(version, dist::WireReader(answer(f).bytes).number<int64_t>());
  std::lock_guard lock(mutex_);
  version_ = version;
  return clock_ = clock;
}

void ParameterClient::set_option(const std::string& name, double value) {
  finish_pushes();  // they are of the time before
  dist::WireWriter w;
  w.text(name).number(value);
  for (const auto& f : send_all(ServerCall::option, w)) answer(f);
}

int64_t ParameterClient::clock() {
  std::lock_guard lock(mutex_);
  return clock_;
}
int64_t ParameterClient::version() {
  std::lock_guard lock(mutex_);
  return version_;
}

}  // namespace haft::rpc
