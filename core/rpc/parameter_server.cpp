#include "core/rpc/parameter_server.h"

#include <unistd.h>

#include "core/base/thread_state.h"
#include "core/io/tensors.h"
#include "core/ops/functions.h"

namespace haft::rpc {

namespace {

const OptimizerKind& kind_of(const std::string& name) {
  std::string all;
  for (int i = 0; i < kOptimizerCount; ++i) {
    const OptimizerKind& k = optimizer_kind(OptimizerId(i));
    if (k.name == name) return k;
    all += concat(i ? ", " : "", k.name);
  }
  fail(Code::invalid_argument, concat("there is no optimizer '", name, "'"), concat("there are: ", all),
       "optimizer");
}

Tensor one_tensor(const Request& r, size_t i) {
  if (i >= r.arguments.tensors.size())
    fail(Code::corrupt,
         concat("a request of rank ", r.caller, " to a parameter server has ", r.arguments.tensors.size(),
                " tensors, wanted at least ", i + 1),
         "run the same haft in all processes");
  return r.arguments.tensors[i];
}

[[noreturn, gnu::cold]] void fail_not_entered(int rank) {
  fail(Code::invalid_argument, concat("rank ", rank, " has not entered"),
       "a worker that comes again joins again");
}

void reply(Request& r, std::vector<Tensor> tensors, dist::WireWriter& w) {
  r.reply({std::move(tensors), w.bytes.substr(4)});
}

// The mean over `divisor` workers of gradients in the order given.
Tensor mean(const std::vector<const Tensor*>& gradients, int64_t divisor) {
  Tensor sum = ops::clone(*gradients[0]);
  for (size_t i = 1; i < gradients.size(); ++i) ops::add_(sum, *gradients[i]);
  return divisor == 1 ? sum : ops::div_scalar(sum, Scalar(double(divisor)));
}

}  // namespace

ParameterServer::ParameterServer(Ref<Agent> agent, ServerOptions options)
    : agent_(std::move(agent)), options_(std::move(options)) {
  if (options_.workers < 1)
    fail(Code::invalid_argument, concat("workers must be at least 1, got ", options_.workers), {}, "workers");
  if (options_.staleness < 0)
    fail(Code::invalid_argument, concat("staleness must be 0 or more, got ", options_.staleness), {},
         "staleness");
  rule_.kind = &kind_of(options_.optimizer);
  OptionValues values;
  for (const auto& [name, value] : options_.options) values.emplace_back(name, value);
  rule_.options = optimizer_options(*rule_.kind, values);
  rule_.kind->check(rule_.options);
}

Ref<ParameterServer> ParameterServer::create(Ref<Agent> agent, ServerOptions options) {
  agent->check_open();
  auto self = Ref<ParameterServer>::adopt(new ParameterServer(std::move(agent), std::move(options)));
  ParameterServer& s = *self;
  if (!s.options_.snapshot.empty() && access(s.options_.snapshot.c_str(), F_OK) == 0) s.load();
  // They keep the server alive until close().
  try {
    s.function_ = std::make_shared<Agent::Function>([self](Request& r) { self->answer(r); });
    s.watcher_ = std::make_shared<Agent::Watcher>(
        [self](int rank, uint64_t connection) { self->gone(rank, connection); });
    s.agent_->add_function(server_function(s.options_.name), s.function_);
    s.agent_->watch(s.watcher_);
    s.agent_->store().set(server_key(s.options_.name, s.agent_->rank()), "");
  } catch (...) {
    s.close();
    throw;
  }
  return self;
}

void ParameterServer::close() noexcept {
  std::vector<Waiting> waiting;
  std::shared_ptr<Agent::Function> function;
  std::shared_ptr<Agent::Watcher> watcher;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    waiting.swap(waiting_);
    function.swap(function_);
    watcher.swap(watcher_);
  }
  agent_->remove_function(function.get());
  for (Waiting& w : waiting) {
    try {
      w.request->refuse(Error(Code::cancelled, "the parameter server is closed"));
    } catch (...) {
      w.request->abandon();
    }
  }
}

Ref<Parameter> ParameterServer::find(std::string_view key) {
  std::lock_guard lock(mutex_);
  const auto it = parameters_.find(key);
  if (it == parameters_.end())
    fail(Code::invalid_argument, concat("there is no parameter '", key, "'"), "workers add parameters first",
         "key");
  return it->second;
}

// Whoever comes first brings the values.
void ParameterServer::add(std::string_view key, Ref<Parameter> fresh,
                          const std::function<void(Parameter&)>& check, Request& r) {
  Ref<Parameter> p;
  {
    std::lock_guard lock(mutex_);
    auto it = parameters_.find(key);
    if (it == parameters_.end()) it = parameters_.emplace(key, fresh).first;
    p = it->second;
  }
  std::lock_guard lock(p->mutex);
  check(*p);
  dist::WireWriter w;
  w.number(p->version);
  reply(r, {}, w);
}

void ParameterServer::push(Request& r, std::vector<Push> pushes) {
  dist::WireWriter w;
  if (options_.mode == ServerMode::synchronous) {
    std::lock_guard lock(mutex_);
    const auto it = workers_.find(r.caller);
    if (it == workers_.end() || !it->second.lives || it->second.connection != r.connection)
      fail_not_entered(r.caller);
    for (Push& p : pushes) pushed_[r.caller].push_back(std::move(p));
    return reply(r, {}, w);
  }
  Rule rule;
  {
    std::lock_guard lock(mutex_);
    rule = rule_;
  }
  for (const Push& p : pushes) {
    std::lock_guard lock(p.parameter->mutex);
    if (p.ids)
      p.parameter->step_rows(rule, p.ids, p.gradient);
    else
      p.parameter->step(rule, p.gradient);
  }
  {
    std::lock_guard lock(mutex_);
    ++version_;
  }
  reply(r, {}, w);
}

// ---- requests ----

void ParameterServer::answer(Request& r) {
  NoGradGuard no_grad;
  dist::WireReader in(r.arguments.bytes);
  const auto call = in.number<uint8_t>();
  switch (ServerCall(call)) {
    case ServerCall::look: return on_look(r, in);
    case ServerCall::enter: return on_enter(r, in);
    case ServerCall::add: return on_add(r, in);
    case ServerCall::add_table: return on_add_table(r, in);
    case ServerCall::pull: return on_pull(r, in);
    case ServerCall::push: return on_push(r, in);
    case ServerCall::pull_rows: return on_pull_rows(r, in);
    case ServerCall::push_rows: return on_push_rows(r, in);
    case ServerCall::step: return on_step(r, in);
    case ServerCall::option: return on_option(r, in);
    case ServerCall::leave: return on_leave(r, in);
  }
  fail(Code::corrupt,
       concat("rank ", r.caller, " asks the parameter server for call ", int(call), ", it knows 0 to ",
              int(ServerCall::leave)),
       "run the same haft in all processes");
}

void ParameterServer::on_look(Request& r, dist::WireReader& in) {
  in.end();
  dist::WireWriter out;
  std::lock_guard lock(mutex_);
  out.number(options_.mode == ServerMode::synchronous ? version_ : slowest());
  reply(r, {}, out);
}

void ParameterServer::on_enter(Request& r, dist::WireReader& in) {
  const auto clock = in.number<int64_t>();
  in.end();
  {
    std::lock_guard lock(mutex_);
    workers_[r.caller] = {r.connection, clock, true};
    pushed_.erase(r.caller);
  }
  advance();  // before the answer: who has it finds the clock that it brought
  dist::WireWriter out;
  reply(r, {}, out);
}

void ParameterServer::on_add(Request& r, dist::WireReader& in) {
  const std::string key(in.text());
  const auto total = in.number<int64_t>(), offset = in.number<int64_t>();
  in.end();
  const Tensor part = one_tensor(r, 0);
  if (!is_float(part.dtype()))
    fail(Code::dtype, concat("'", key, "' is ", dtype_name(part.dtype()), ", wanted a floating type"), {},
         "tensor");
  const auto same = [&](Parameter& p) { p.check_same(key, total, offset, part); };
  add(key, make_ref<Parameter>(ops::clone(part), total, offset), same, r);
}

void ParameterServer::on_add_table(Request& r, dist::WireReader& in) {
  const std::string key(in.text());
  TableShape t;
  t.rows = in.number<int64_t>();
  t.width = in.number<int64_t>();
  t.dtype = DType(in.number<uint8_t>());
  t.std = in.number<double>();
  t.seed = in.number<uint64_t>();
  in.end();
  if (t.rows < 1 || t.width < 1 || t.width > (int64_t(1) << 32) || !is_float(t.dtype) || !(t.std >= 0) ||
      t.std > 1e300)
    fail(Code::invalid_argument,
         concat("the table '", key, "' has ", t.rows, " rows of ", t.width, " ",
                is_valid(int(t.dtype)) ? dtype_name(t.dtype) : "unknown", " and the deviation ", t.std),
         "at least 1 row and column of a floating type, and a deviation of 0 or more", "table");
  if (!rule_.kind->numbers.empty())
    fail(Code::unsupported,
         concat(rule_.kind->name, " keeps numbers for a whole parameter: it cannot step rows of the table '",
                key, "' alone"),
         "take SGD, Adam, AdamW, Adagrad, RMSprop or another optimizer whose state is one of each element");
  const auto same = [&](Parameter& p) { p.check_same(key, t); };
  add(key, make_ref<Parameter>(t), same, r);
}

void ParameterServer::on_pull(Request& r, dist::WireReader& in) {
  std::vector<Ref<Parameter>> wanted;
  for (auto n = in.number<uint32_t>(); n; --n) {
    const std::string_view key = in.text();
    wanted.push_back(find(key));
    if (wanted.back()->is_table())
      fail(Code::invalid_argument, concat("'", key, "' is a table"), "pull rows", "keys");
  }
  in.end();
  std::vector<Tensor> tensors;
  dist::WireWriter out;
  {
    std::shared_lock round(rounds_);
    for (const Ref<Parameter>& p : wanted) {
      std::lock_guard lock(p->mutex);
      tensors.push_back(ops::clone(p->value()));
      out.number(p->version);
    }
  }
  reply(r, std::move(tensors), out);
}

void ParameterServer::on_push(Request& r, dist::WireReader& in) {
  std::vector<Push> pushes;
  const auto n = in.number<uint32_t>();
  for (uint32_t i = 0; i < n; ++i) {
    const std::string_view key = in.text();
    Push& p = pushes.emplace_back(Push{find(key), {}, one_tensor(r, i)});
    p.parameter->check_gradient(key, p.gradient);
  }
  in.end();
  push(r, std::move(pushes));
}

void ParameterServer::on_pull_rows(Request& r, dist::WireReader& in) {
  const std::string_view key = in.text();
  in.end();
  Ref<Parameter> p = find(key);
  const Tensor ids = one_tensor(r, 0);
  p->check_rows(key, ids, nullptr);
  dist::WireWriter out;
  std::lock_guard lock(p->mutex);
  Tensor rows = p->rows(ids_of(ids));
  out.number(p->version);
  reply(r, {rows}, out);
}

void ParameterServer::on_push_rows(Request& r, dist::WireReader& in) {
  const std::string_view key = in.text();
  in.end();
  Push p{find(key), one_tensor(r, 0), one_tensor(r, 1)};
  p.parameter->check_rows(key, p.ids, &p.gradient);
  push(r, {p});
}

void ParameterServer::on_step(Request& r, dist::WireReader& in) {
  const auto clock = in.number<int64_t>();
  in.end();
  {
    std::lock_guard lock(mutex_);
    if (closed_) fail(Code::cancelled, "the parameter server is closed");
    Worker& w = workers_[r.caller];
    if (!w.lives || w.connection != r.connection) fail_not_entered(r.caller);
    w.clock = clock;
    waiting_.push_back({Ref<Request>::share(&r), clock});
  }
  advance();
}

void ParameterServer::on_option(Request& r, dist::WireReader& in) {
  const std::string name(in.text());
  const auto value = in.number<double>();
  in.end();
  {
    std::lock_guard lock(mutex_);
    const int i = rule_.kind->find_option(name);
    if (i < 0)
      fail(Code::invalid_argument, concat(rule_.kind->name, " has no option '", name, "'"), {}, "name");
    Rule changed = rule_;
    changed.options[size_t(i)] = value;
    rule_.kind->check(changed.options);
    rule_ = std::move(changed);
  }
  dist::WireWriter out;
  reply(r, {}, out);
}

void ParameterServer::on_leave(Request& r, dist::WireReader& in) {
  in.end();
  gone(r.caller, r.connection);  // before the answer: who has it finds the worker gone
  dist::WireWriter out;
  reply(r, {}, out);
}

// ---- clocks ----

// The caller has the lock.
int64_t ParameterServer::slowest() const {
  if (int(workers_.size()) < options_.workers) return 0;  // somebody has not come yet
  int64_t least = INT64_MAX;
  for (const auto& [rank, w] : workers_)
    if (w.lives) least = std::min(least, w.clock);
  return least == INT64_MAX ? version_ : least;
}

// The gradients of all who have made the next step, as one. The version rises when they are applied; what fails of some
// parameters keeps the others from nothing.
void ParameterServer::apply_round() {
  int64_t divisor = 0;
  std::vector<Push> pushes;
  for (auto& [rank, w] : workers_) {
    if (!w.lives || w.clock <= version_) continue;
    ++divisor;
    for (Push& p : pushed_[rank]) pushes.push_back(std::move(p));
    pushed_.erase(rank);
  }
  std::exception_ptr failure;
  const auto apply = [&](Parameter& parameter) {
    std::vector<const Tensor*> gradients;
    std::vector<Tensor> ids, rows;
    for (const Push& p : pushes) {
      if (p.parameter.get() != &parameter) continue;
      if (p.ids)
        ids.push_back(p.ids), rows.push_back(p.gradient);
      else
        gradients.push_back(&p.gradient);
    }
    std::lock_guard lock(parameter.mutex);
    if (!gradients.empty()) parameter.step(rule_, mean(gradients, divisor));
    if (!ids.empty()) {
      const Tensor all = ops::cat(rows);
      parameter.step_rows(rule_, ops::cat(ids),
                          divisor == 1 ? all : ops::div_scalar(all, Scalar(double(divisor))));
    }
  };
  {
    std::lock_guard round(rounds_);
    for (auto& [key, parameter] : parameters_) {
      try {
        apply(*parameter);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
  }
  ++version_;
  if (failure) std::rethrow_exception(failure);
}

void ParameterServer::advance() {
  NoGradGuard no_grad;
  std::vector<Ref<Request>> ready;
  std::unique_ptr<Error> failure;
  int64_t version;
  {
    std::lock_guard lock(mutex_);
    ready.reserve(waiting_.size());
    const int64_t least = slowest();
    if (options_.mode == ServerMode::synchronous)
      while (version_ < least) {
        if (pushed_.empty()) {  // workers that come from a server far ahead of this one's snapshot
          version_ = least;
          break;
        }
        try {
          apply_round();
        } catch (const Error& e) {  // who waits for the round is told
          failure = std::make_unique<Error>(e);
        }
      }
    std::erase_if(waiting_, [&](Waiting& w) {
      const bool waits = options_.mode == ServerMode::synchronous ? w.clock > version_
                         : options_.mode == ServerMode::bounded   ? w.clock - least > options_.staleness
                                                                  : false;
      if (!waits) ready.push_back(std::move(w.request));
      return !waits;
    });
    version = version_;
  }
  for (Ref<Request>& r : ready) {
    try {
      if (failure) {
        r->refuse(*failure);
      } else {
        dist::WireWriter w;
        w.number(version);
        reply(*r, {}, w);
      }
    } catch (...) {
      r->abandon();
    }
  }
}

void ParameterServer::gone(int rank, uint64_t connection) {
  try {
    {
      std::lock_guard lock(mutex_);
      const auto it = workers_.find(rank);
      if (it == workers_.end() || !it->second.lives || it->second.connection != connection) return;
      it->second.lives = false;
      pushed_.erase(rank);
      std::erase_if(waiting_, [&](const Waiting& w) {
        return w.request->caller == rank && w.request->connection == connection;
      });
    }
    advance();
  } catch (const std::exception&) {  // no memory: the next step looks again
  }
}

ServerInfo ParameterServer::info() {
  std::lock_guard lock(mutex_);
  ServerInfo i;
  i.version = version_;
  i.slowest = slowest();
  i.waiting = int64_t(waiting_.size());
  for (const auto& [rank, w] : workers_) {
    i.workers += w.lives;
    if (w.lives) i.fastest = std::max(i.fastest, w.clock);
  }
  for (const auto& [key, p] : parameters_) {
    std::lock_guard one(p->mutex);
    ++i.parameters;
    i.rows += p->rows_used();
    i.elements += p->is_table() ? p->rows_used() * p->value().size(1) : p->value().numel();
  }
  return i;
}

// ---- snapshots ----

void ParameterServer::save(const std::string& path) {
  std::map<std::string, CheckpointSection> sections;
  std::vector<Array> arrays;
  {
    std::lock_guard lock(mutex_);
    CheckpointSection& s = sections["server"];
    s["version"] = version_;
    int64_t living = 0;
    for (const auto& [rank, w] : workers_) living += w.lives;
    s["workers"] = int(workers_.size()) < options_.workers ? options_.workers : living;
    s["optimizer"] = rule_.kind->name;
    for (size_t i = 0; i < rule_.options.size(); ++i)
      s["option " + rule_.kind->options[i].name] = rule_.options[i];
    for (const auto& [key, p] : parameters_) {
      std::lock_guard one(p->mutex);
      p->save(key, sections["parameter " + key], arrays, rule_);
    }
  }
  std::vector<ArrayRef> refs(arrays.begin(), arrays.end());
  write_checkpoint(path, sections, refs);
}

void ParameterServer::load() {
  const CheckpointFile f = read_checkpoint(options_.snapshot);
  version_ = checkpoint_value<int64_t>(f, "server", "version");
  // Who had died before is not waited for.
  options_.workers =
      int(std::clamp<int64_t>(checkpoint_value<int64_t>(f, "server", "workers"), 1, options_.workers));
  const auto& kind = checkpoint_value<std::string>(f, "server", "optimizer");
  if (kind != rule_.kind->name)
    fail(Code::mismatch, concat("the snapshot ", options_.snapshot, " is of the optimizer ", kind,
                                ", this server has ", rule_.kind->name));
  constexpr std::string_view kPrefix = "parameter ";
  for (const auto& [section, values] : f.sections)
    if (section.starts_with(kPrefix)) {
      const std::string key = section.substr(kPrefix.size());
      parameters_.emplace(key, Parameter::load(key, f, section, rule_));
    }
}

}  // namespace haft::rpc
