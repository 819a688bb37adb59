// Parameter servers: modes, clocks, tables, deaths, snapshots.
#include <random>

#include "core/autograd/hooks.h"
#include "core/rpc/parameter_client.h"
#include "tests/dist/store_testing.h"
#include "tests/rpc/agents.h"

namespace haft::rpc::testing {
namespace {

constexpr int64_t kTime = 300 * dist::kSecond;

struct Server {
  Ref<ParameterServer> s;
  explicit Server(Ref<ParameterServer> server) : s(std::move(server)) {}
  ~Server() { s->close(); }
  ParameterServer* operator->() const { return s.get(); }
};

std::vector<int> ranks(int n) {
  std::vector<int> r;
  for (int i = 0; i < n; ++i) r.push_back(i);
  return r;
}

// Ranks below `servers` are servers until all workers have left, the others call `work` with their number.
void run_job(int servers, int workers, ServerOptions options,
             const std::function<void(ParameterClient&, int)>& work,
             const std::function<void(ParameterServer&)>& at_end = {}) {
  options.workers = workers;
  std::atomic<int> left{workers};
  expect_none(run_agents(
      servers + workers, [](Agent&) {},
      [&](Agent& a) {
        if (a.rank() < servers) {
          Server s(ParameterServer::create(Ref<Agent>::share(&a), options));
          while (left) dist::sleep_for(1000000);
          if (at_end) at_end(*s.s);
          s->close();
          return;
        }
        struct Leaving {
          std::atomic<int>& n;
          ~Leaving() { --n; }
        } leaving{left};
        auto c = ParameterClient::create(Ref<Agent>::share(&a), options.name, ranks(servers), kTime);
        work(*c, a.rank() - servers);
        c->leave();
      }));
}

// Least squares: y = x w* + b*, the same for all; each worker has rows of its own.
struct Problem {
  Tensor x, y;
  static Problem of(int worker, int rows, int64_t inputs = 6) {
    std::mt19937_64 random(uint64_t(worker) + 1);
    std::normal_distribution<double> normal;
    Problem p{new_tensor(std::array{int64_t(rows), inputs}, DType::f64),
              new_tensor(std::array{int64_t(rows), int64_t(1)}, DType::f64)};
    for (int i = 0; i < rows; ++i) {
      double sum = 0.5;
      for (int k = 0; k < inputs; ++k) {
        const double v = normal(random);
        p.x.data<double>()[i * inputs + k] = v;
        sum += v * (k + 1);
      }
      p.y.data<double>()[i] = sum;
    }
    return p;
  }
  // The gradients of the mean square error.
  std::pair<Tensor, Tensor> gradients(const Tensor& w, const Tensor& b) const {
    const Tensor error = ops::sub(ops::add(ops::matmul(x, w), b), y);
    const auto scale = Scalar(2.0 / double(x.size(0)));
    return {ops::mul_scalar(ops::matmul(ops::transpose(x, 0, 1), error), scale),
            ops::reshape(ops::mul_scalar(ops::sum(error), scale), std::array{int64_t(1)})};
  }
};
double distance(const Tensor& w, const Tensor& b) {
  double d = std::fabs(at(b, 0) - 0.5);
  for (int64_t i = 0; i < w.numel(); ++i) d = std::max(d, std::fabs(at(w, i) - double(i + 1)));
  return d;
}
const std::vector<std::string> kKeys = {"w", "b"};

void train(ParameterClient& c, int worker, int steps, Tensor* w_out = nullptr, Tensor* b_out = nullptr) {
  const Problem p = Problem::of(worker, 16);
  Tensor w = filled({6, 1}, DType::f64, 0), b = filled({1}, DType::f64, 0);
  c.add("w", w);
  c.add("b", b);
  for (int i = 0; i < steps; ++i) {
    c.pull(kKeys, std::array{w, b});
    const auto [gw, gb] = p.gradients(w, b);
    c.push(kKeys, std::array{gw, gb});
    c.step();
  }
  c.pull(kKeys, std::array{w, b});
  if (w_out) *w_out = w;
  if (b_out) *b_out = b;
}

// What one process does with the mean of all workers' gradients.
std::pair<Tensor, Tensor> train_alone(OptimizerId id, const OptionValues& options, int workers, int steps) {
  Tensor w = filled({6, 1}, DType::f64, 0), b = filled({1}, DType::f64, 0);
  set_requires_grad(w, true);
  set_requires_grad(b, true);
  auto o = make_optimizer(id, std::array{w, b}, options);
  for (int i = 0; i < steps; ++i) {
    NoGradGuard no_grad;
    Tensor gw, gb;
    for (int k = 0; k < workers; ++k) {
      auto [x, y] = Problem::of(k, 16).gradients(w, b);
      gw = k ? ops::add(gw, x) : x;
      gb = k ? ops::add(gb, y) : y;
    }
    set_gradient(w, ops::div_scalar(gw, Scalar(double(workers))));
    set_gradient(b, ops::div_scalar(gb, Scalar(double(workers))));
    o->step();
  }
  return {w, b};
}

struct SyncCase {
  OptimizerId id;
  const char* name;
  std::vector<std::pair<std::string, double>> options;
};

TEST(ParameterServer, SynchronousIsOneProcessOnTheMeanGradient) {
  init();
  for (const SyncCase& k : {SyncCase{OptimizerId::SGD, "SGD", {{"lr", 0.05}, {"momentum", 0.9}}},
                            SyncCase{OptimizerId::Adam, "Adam", {{"lr", 0.1}}},
                            SyncCase{OptimizerId::NAdam, "NAdam", {{"lr", 0.1}}}}) {
    for (int servers : {1, 2}) {
      OptionValues values;
      for (const auto& [n, v] : k.options) values.emplace_back(n, v);
      const auto [w, b] = train_alone(k.id, values, 3, 25);
      Tensor got_w[3], got_b[3];
      ServerOptions o;
      o.optimizer = k.name;
      o.options = k.options;
      run_job(servers, 3, o, [&](ParameterClient& c, int me) { train(c, me, 25, &got_w[me], &got_b[me]); });
      for (int me = 0; me < 3; ++me) {
        for (int64_t i = 0; i < 6; ++i)
          EXPECT_NEAR(at(got_w[me], i), at(w, i), 1e-12) << k.name << " " << servers;
        EXPECT_NEAR(at(got_b[me], 0), at(b, 0), 1e-12);
        EXPECT_TRUE(dist::testing::same_bits(got_w[me], got_w[0]));
      }
    }
  }
}

TEST(ParameterServer, EveryModeConverges) {
  for (ServerMode mode : {ServerMode::synchronous, ServerMode::asynchronous, ServerMode::bounded}) {
    ServerOptions o;
    o.mode = mode;
    o.staleness = 2;
    o.options = {{"lr", 0.02}};
    Tensor w[3], b[3];
    run_job(2, 3, o, [&](ParameterClient& c, int me) { train(c, me, 400, &w[me], &b[me]); });
    EXPECT_LT(distance(w[0], b[0]), 0.05) << int(mode);
  }
}

// Large enough to lie on all servers: each holds its part and no more; values and versions come back whole.
TEST(ParameterServer, PartsOfParametersLieOnAllServers) {
  std::atomic<int64_t> elements{0}, parameters{0};
  ServerOptions o;
  o.options = {{"lr", 1}};
  run_job(
      3, 2, o,
      [&](ParameterClient& c, int) {
        const Tensor large = numbers({101, 97}, DType::f32, [](int64_t i) { return double(i); });
        EXPECT_EQ(c.add("large", large), 0);
        EXPECT_EQ(c.add("small", filled({3}, DType::f64, 5)), 0);
        const Tensor g = filled({101, 97}, DType::f32, 1);
        c.push(std::array{std::string("large"), std::string("small")}, std::array{g, Tensor()});
        EXPECT_EQ(c.step(), 1);
        EXPECT_EQ(c.version(), 1);
        Tensor back = filled({101, 97}, DType::f32, 0), small = filled({3}, DType::f64, 0);
        const auto versions =
            c.pull(std::array{std::string("large"), std::string("small")}, std::array{back, small});
        EXPECT_EQ(versions, (std::vector<int64_t>{1, 0}));
        for (int64_t i = 0; i < back.numel(); ++i) ASSERT_EQ(at(back, i), double(i - 1)) << i;
        EXPECT_EQ(at(small, 2), 5);
      },
      [&](ParameterServer& s) {
        const ServerInfo i = s.info();
        EXPECT_GE(i.elements, 101 * 97 / 3);
        elements += i.elements;
        parameters += i.parameters;
      });
  EXPECT_EQ(elements, 101 * 97 + 3);
  EXPECT_EQ(parameters, 4);
}

// Workers of random pace write down their clock before each step they compute; nobody computes with a clock more than
// `staleness` before the slowest's.
TEST(ParameterServer, StalenessIsNeverExceeded) {
  for (int64_t staleness : {0, 1, 3}) {
    constexpr int kWorkers = 4, kSteps = 60;
    ServerOptions o;
    o.mode = ServerMode::bounded;
    o.staleness = staleness;
    o.options = {{"lr", 0.001}};
    std::atomic<int64_t> clocks[kWorkers] = {};
    std::atomic<int64_t> most{0};
    run_job(2, kWorkers, o, [&](ParameterClient& c, int me) {
      std::mt19937 random(uint32_t(me) * 7 + uint32_t(staleness));
      c.add("w", filled({4}, DType::f32, 1));
      for (int i = 0; i < kSteps; ++i) {
        // The others' clocks only grow: what is seen here of the slowest is at most what it is now.
        int64_t least = INT64_MAX;
        clocks[me] = c.clock();
        for (auto& k : clocks) least = std::min(least, k.load());
        // A worker that has just been let go may not have written its new clock: it lacks one step at most.
        EXPECT_LE(c.clock() - least, staleness + 1);
        int64_t now = c.clock() - least;
        for (int64_t m = most; now > m && !most.compare_exchange_weak(m, now);) {
        }
        if (random() % 8 == 0) dist::sleep_for(int64_t(random() % 2000000));
        c.push(std::array{std::string("w")}, std::array{filled({4}, DType::f32, 1)});
        c.step();
      }
    });
    EXPECT_GE(most, std::min<int64_t>(staleness, 1));
  }
}

// The same by the server alone: a fast worker's step is not answered before the slow one has come near.
TEST(ParameterServer, AFastWorkerWaitsForTheSlowest) {
  ServerOptions o;
  o.mode = ServerMode::bounded;
  o.staleness = 2;
  std::atomic<bool> may_go{false};
  std::atomic<int64_t> fast{0};
  run_job(1, 2, o, [&](ParameterClient& c, int me) {
    c.add("w", filled({4}, DType::f32, 1));
    if (me == 1) {
      while (fast < 2) std::this_thread::yield();
      // Its third step is under way or will be; it can end only after this.
      EXPECT_EQ(fast, 2);
      may_go = true;
      c.step();
      return;
    }
    for (int i = 0; i < 3; ++i) {
      c.step();
      EXPECT_TRUE(i < 2 || may_go);
      fast = i + 1;
    }
  });
}

TEST(ParameterServer, RowsTouchOnlyWhatIsUsed) {
  std::atomic<int64_t> rows{0};
  ServerOptions o;
  o.optimizer = "Adagrad";
  o.options = {{"lr", 0.5}};
  const TableShape table{1000000000, 3, DType::f32, 0.1, 42};
  run_job(
      3, 2, o,
      [&](ParameterClient& c, int me) {
        EXPECT_EQ(c.add_table("users", table), 0);
        const Tensor ids = numbers({2, 2}, DType::i64, [](int64_t i) {
          return double(std::array{5, 999999999, 5, 77}[size_t(i)]);
        });
        int64_t version = -1;
        const Tensor first = c.pull_rows("users", ids, &version);
        EXPECT_EQ(version, 0);
        ASSERT_EQ(first.ndim(), 3);
        EXPECT_EQ(first.size(2), 3);
        EXPECT_EQ(at(first, 0), at(first, 6));  // row 5 twice
        EXPECT_NE(at(first, 0), at(first, 3));
        // Row 5 twice in a worker's gradients, and 77 of worker 1 alone.
        const Tensor some = numbers({me ? 3 : 2}, DType::i64, [](int64_t i) {
          return double(std::array{5, 5, 77}[size_t(i)]);
        });
        c.push_rows("users", some, filled({me ? 3 : 2, 3}, DType::f32, 0.25));
        c.step();
        const Tensor now = c.pull_rows("users", ids, &version);
        // Mean over two workers: row 5 gets 0.5, row 77 0.125; Adagrad's first step is lr * sign.
        for (int64_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(at(now, k), at(first, k) - 0.5, 1e-5);
          EXPECT_EQ(at(now, 3 + k), at(first, 3 + k));
          EXPECT_NEAR(at(now, 9 + k), at(first, 9 + k) - 0.5, 1e-5);
        }
        EXPECT_EQ(failure_of([&] {
                    c.pull_rows("users", numbers({1}, DType::i64, [](int64_t) { return 1e9; }), nullptr);
                  }).code,
                  Code::index);
      },
      [&](ParameterServer& s) { rows += s.info().rows; });
  EXPECT_EQ(rows, 3);
}

// Each row goes the way that an optimizer of that row alone would go, whenever it is used.
TEST(ParameterServer, ARowIsSteppedAsAParameterOfItsOwn) {
  init();
  for (const char* name : {"SGD", "Adam", "RMSprop", "Adagrad", "Lion"}) {
    ServerOptions o;
    o.optimizer = name;
    o.mode = ServerMode::asynchronous;
    o.options = {{"lr", 0.1}};
    if (o.optimizer == "SGD") o.options.emplace_back("momentum", 0.9);
    OptimizerId id = OptimizerId::SGD;
    for (int i = 0; i < kOptimizerCount; ++i)
      if (optimizer_kind(OptimizerId(i)).name == name) id = OptimizerId(i);
    OptionValues values;
    for (const auto& [n, v] : o.options) values.emplace_back(n, v);
    run_job(2, 1, o, [&](ParameterClient& c, int) {
      constexpr int64_t kRows = 20, kWidth = 5;
      c.add_table("t", {kRows, kWidth, DType::f64, 1, 3});
      const Tensor all = numbers({kRows}, DType::i64, [](int64_t i) { return double(i); });
      const Tensor start = c.pull_rows("t", all, nullptr);
      std::vector<Tensor> alone;
      std::vector<Ref<Optimizer>> optimizers;
      for (int64_t r = 0; r < kRows; ++r) {
        alone.push_back(ops::clone(ops::narrow(start, 0, r, 1)));
        set_requires_grad(alone.back(), true);
        optimizers.push_back(make_optimizer(id, {&alone.back(), 1}, values));
      }
      std::mt19937 random(5);
      for (int i = 0; i < 30; ++i) {
        std::vector<int64_t> used;
        for (int64_t r = 0; r < kRows; ++r)
          if (random() % 3 == 0) used.push_back(r);
        const Tensor g = numbers({int64_t(used.size()), kWidth}, DType::f64,
                                 [&](int64_t) { return double(random() % 100) / 50 - 1; });
        c.push_rows("t", to_ids(used), g);
        c.step();
        for (size_t k = 0; k < used.size(); ++k) {
          set_gradient(alone[size_t(used[k])], ops::narrow(g, 0, int64_t(k), 1));
          optimizers[size_t(used[k])]->step();
        }
      }
      const Tensor end = c.pull_rows("t", all, nullptr);
      for (int64_t r = 0; r < kRows; ++r)
        for (int64_t k = 0; k < kWidth; ++k)
          EXPECT_NEAR(at(end, r * kWidth + k), at(alone[size_t(r)], k), 1e-12) << name << " row " << r;
    });
  }
}

TEST(ParameterServer, RefusalsSayWhat) {
  ServerOptions o;
  o.optimizer = "NAdam";
  run_job(1, 1, o, [&](ParameterClient& c, int) {
    EXPECT_EQ(failure_of([&] { c.add_table("t", {10, 2, DType::f32, 0, 0}); }).code, Code::unsupported);
    c.add("w", filled({4}, DType::f32, 1));
    EXPECT_EQ(failure_of([&] { c.add("w", filled({5}, DType::f32, 1)); }).code, Code::mismatch);
    EXPECT_EQ(failure_of([&] { c.add("w", filled({4}, DType::f64, 1)); }).code, Code::mismatch);
    EXPECT_EQ(failure_of([&] { c.add("i", filled({4}, DType::i64, 1)); }).code, Code::dtype);
    EXPECT_EQ(failure_of([&] {
                c.push(std::array{std::string("w")}, std::array{filled({3}, DType::f32, 1)});
              }).code,
              Code::shape);
    EXPECT_EQ(failure_of([&] {
                c.pull(std::array{std::string("x")}, std::array{filled({3}, DType::f32, 1)});
              }).code,
              Code::invalid_argument);
    EXPECT_EQ(failure_of([&] {
                c.push_rows("w", filled({1}, DType::i64, 0), filled({1, 1}, DType::f32, 0));
              }).code,
              Code::invalid_argument);
    EXPECT_EQ(failure_of([&] { c.set_option("unknown", 1); }).code, Code::invalid_argument);
    EXPECT_EQ(failure_of([&] { c.set_option("lr", -1); }).code, Code::invalid_argument);
    c.set_option("lr", 0);
    c.push(std::array{std::string("w")}, std::array{filled({4}, DType::f32, 1)});
    c.step();
    Tensor w = filled({4}, DType::f32, 0);
    EXPECT_EQ(c.pull(std::array{std::string("w")}, std::array{w})[0], 1);
    EXPECT_EQ(at(w, 0), 1);  // a rate of 0
    EXPECT_EQ(
        failure_of([&] { ParameterClient::create(Ref<Agent>::share(&c.agent()), "other", {0}, 0); }).code,
        Code::timeout);
  });
  run_agents(
      1, [](Agent&) {},
      [](Agent& a) {
        ServerOptions bad;
        bad.optimizer = "sgd";
        const Error e = failure_of([&] { ParameterServer::create(Ref<Agent>::share(&a), bad); });
        EXPECT_NE(e.hint.find("SGD, Adam"), std::string::npos) << e.hint;
      });
}

// A worker is killed between two steps, in each mode: the others go on to the end, with its clock forgotten.
TEST(ParameterServer, SurvivesTheDeathOfAWorker) {
  for (ServerMode mode : {ServerMode::synchronous, ServerMode::bounded}) {
    Processes p(4, [mode](Ref<dist::Store> store, int rank) -> std::string {
      Member a(Agent::create(store, rank, 4, {}));
      a->start(patient());
      if (rank == 0) {
        ServerOptions o;
        o.mode = mode;
        o.workers = 3;
        o.staleness = 1;
        o.options = {{"lr", 0.05}};
        Server s(ParameterServer::create(a.a, o));
        for (int w : {1, 2}) store->get(concat("done", w), patient());
        const ServerInfo i = s->info();
        return concat("server ", i.workers, " ", i.waiting);
      }
      auto c = ParameterClient::create(a.a, "parameters", {0}, kTime);
      if (rank == 3) {
        train(*c, 2, 5);
        store->set("ready", "");
        store->get("never", patient());
      }
      Tensor w, b;
      train(*c, rank - 1, 300, &w, &b);
      store->set(concat("done", rank), "");
      return distance(w, b) < 0.05 ? "converged" : "far";
    });
    p.store()->get("ready", patient());
    kill(p.pid(3), SIGKILL);
    EXPECT_EQ(p.told(1), "converged") << int(mode);
    EXPECT_EQ(p.told(2), "converged") << int(mode);
    EXPECT_TRUE(p.told(0).starts_with("server ")) << int(mode);
  }
}

// A server is killed and comes again from its snapshot, at another port: workers enter anew and go on where it stood.
TEST(ParameterServer, ComesAgainFromASnapshot) {
  const dist::Folder folder;
  const std::string path = folder.path + "/server";
  Processes p(3, [path](Ref<dist::Store> store, int rank) -> std::string {
    const bool again = rank == 2;
    if (again) store->get("killed", patient());
    Member a(Agent::create(store, rank == 1 ? 1 : 0, 2, {}));
    a->start(patient());
    if (rank != 1) {
      ServerOptions o;
      o.optimizer = "Adam";
      o.options = {{"lr", 0.1}};
      o.snapshot = path;
      Server s(ParameterServer::create(a.a, o));
      if (!again) {
        store->get("save", patient());
        s->save(path);
        store->set("saved", "");
        store->get("never", patient());
      }
      store->set("again", "");
      store->get("done", patient());
      return "";
    }
    auto c = ParameterClient::create(a.a, "parameters", {0}, kTime);
    c->add_table("t", {100, 2, DType::f64, 1, 9});
    const Tensor row = filled({1}, DType::i64, 7);
    auto step_row = [&] {
      c->push_rows("t", row, filled({1, 2}, DType::f64, 0.5));
      c->step();
    };
    train(*c, 0, 10);
    step_row();
    store->set("save", "");
    store->get("saved", patient());
    step_row();
    Tensor w, b, w2, b2;
    train(*c, 0, 10, &w, &b);
    const Tensor r = c->pull_rows("t", row, nullptr);
    store->set("kill", "");
    store->get("again", patient());
    if (const Error e = failure_of([&] { c->step(); });
        e.code != Code::peer_lost && e.code != Code::invalid_argument)
      return e.message;
    if (c->join() != 11) return concat("clock ", c->clock());
    c->add_table("t", {100, 2, DType::f64, 1, 9});
    step_row();
    train(*c, 0, 10, &w2, &b2);
    const Tensor r2 = c->pull_rows("t", row, nullptr);
    store->set("done", "");
    return dist::testing::same_bits(w, w2) && dist::testing::same_bits(b, b2) &&
                   dist::testing::same_bits(r, r2)
               ? "same"
               : "different";
  });
  p.store()->get("kill", patient());
  kill(p.pid(0), SIGKILL);
  p.told(0);
  p.store()->set("killed", "");
  EXPECT_EQ(p.told(1), "same");
}

// As of a worker whose other server has not lost what this one has.
TEST(ParameterServer, AClockFarAheadIsReachedAtOnce) {
  constexpr int64_t kFar = int64_t(1) << 50;
  std::atomic<bool> left{false};
  expect_none(run_agents(
      2, [](Agent&) {},
      [&](Agent& a) {
        if (a.rank() == 0) {
          Server s(ParameterServer::create(Ref<Agent>::share(&a), {}));
          while (!left) dist::sleep_for(1000000);
          return;
        }
        struct Leaving {
          std::atomic<bool>& flag;
          ~Leaving() { flag = true; }
        } leaving{left};
        a.store().get(server_key("parameters", 0), patient());
        dist::WireWriter enter;
        enter.number(ServerCall::enter).number(kFar);
        answer_of(a.call(0, server_function("parameters"), {{}, enter.bytes.substr(4)}));
        auto c = ParameterClient::create(Ref<Agent>::share(&a), "parameters", {0}, kTime);
        EXPECT_EQ(c->clock(), kFar);
        c->add("w", filled({2}, DType::f32, 1));
        c->push(std::array{std::string("w")}, std::array{filled({2}, DType::f32, 1)});
        EXPECT_EQ(c->step(), kFar + 1);
        c->leave();
      }));
}

// Whoever pulls several parameters of a synchronous server while others train finds all of one version.
TEST(ParameterServer, APullIsOfOneRound) {
  constexpr int kParameters = 60, kSteps = 40;
  std::vector<std::string> keys;
  std::vector<Tensor> ones, values;
  for (int i = 0; i < kParameters; ++i) {
    keys.push_back(concat("p", i));
    ones.push_back(filled({2048}, DType::f32, 1));
  }
  ServerOptions o;
  o.options = {{"lr", 1}};
  std::atomic<bool> trained{false};
  run_job(1, 2, o, [&](ParameterClient& c, int worker) {
    for (int i = 0; i < kParameters; ++i) c.add(keys[size_t(i)], filled({2048}, DType::f32, 0));
    if (worker == 0) {
      for (int i = 0; i < kSteps; ++i) {
        c.push(keys, ones);
        c.step();
      }
      trained = true;
      return;
    }
    // Steps on another thread, without gradients, while this one reads.
    std::thread steps([&] {
      for (int i = 0; i < kSteps; ++i) c.step();
    });
    std::vector<Tensor> mine;
    for (int i = 0; i < kParameters; ++i) mine.push_back(filled({2048}, DType::f32, 7));
    int mixed = 0;
    while (!trained) {
      const std::vector<int64_t> versions = c.pull(keys, mine);
      for (int i = 0; i < kParameters; ++i)
        mixed += versions[size_t(i)] != versions[0] || at(mine[size_t(i)], 0) != -0.5 * double(versions[0]) ||
                 at(mine[size_t(i)], 2047) != at(mine[0], 0);
    }
    steps.join();
    EXPECT_EQ(mixed, 0);
  });
}

TEST(ParameterServer, CloseAnswersWhoWaits) {
  init();
  expect_none(run_agents(
      3, [](Agent&) {},
      [](Agent& a) {
        if (a.rank() == 0) {
          ServerOptions o;
          o.workers = 2;
          Server s(ParameterServer::create(Ref<Agent>::share(&a), o));
          while (s->info().waiting == 0) dist::sleep_for(1000000);
          s->close();
          return;
        }
        if (a.rank() == 2) return;
        auto c = ParameterClient::create(Ref<Agent>::share(&a), "parameters", {0}, kTime);
        EXPECT_EQ(failure_of([&] { c->step(); }).code, Code::cancelled);
      }));
}

}  // namespace
}  // namespace haft::rpc::testing
