// Agents, parameter servers and shared tensors through the C interface and its C++ wrapper: processes are threads
// over a hash store.
#include <haft/haft.hpp>

#include <atomic>
#include <thread>

#include "capi_testing.h"

namespace {

using haft::Future;
using haft::Rpc;
using haft::RpcRequest;
using haft::Store;

class RpcTest : public CapiTest {
 protected:
  static void run(int n, const std::function<void(const Rpc&)>& before,
                  const std::function<void(const Rpc&, int)>& f) {
    const Store store = Store::hash();
    std::vector<std::string> failures{size_t(n)};
    std::vector<std::thread> threads;
    for (int r = 0; r < n; ++r)
      threads.emplace_back([&, r] {
        try {
          Rpc rpc(store, r, n);
          before(rpc);
          rpc.start();
          f(rpc, r);
          rpc.shutdown();
        } catch (const std::exception& e) {
          failures[size_t(r)] = e.what();
        }
      });
    for (auto& t : threads) t.join();
    for (const std::string& s : failures) EXPECT_EQ(s, "");
  }
};

TEST_F(RpcTest, CallsAnswersAndFailures) {
  std::atomic<int> destroyed{0};
  std::thread later[2];  // of each caller; joined, so that what they hold is released before it is counted
  struct Counted {
    std::atomic<int>* n;
    explicit Counted(std::atomic<int>* count) : n(count) {}
    Counted(const Counted&) = delete;
    ~Counted() { ++*n; }
  };
  run(
      2,
      [&](const Rpc& rpc) {
        auto counted = std::make_shared<Counted>(&destroyed);
        rpc.add_function("double", [counted](const RpcRequest& r) {
          std::vector<Tensor> out;
          for (const Tensor& t : r.tensors()) out.push_back(t + t);
          r.reply(out, r.bytes() + " from " + std::to_string(r.caller()));
        });
        rpc.add_function("throws", [](const RpcRequest&) { throw std::runtime_error("not today"); });
        rpc.add_function("shape", [](const RpcRequest& r) { haft::add(r.tensors()[0], r.tensors()[1]); });
        rpc.add_function("refuses", [](const RpcRequest& r) { r.fail(HAFT_ERROR_QUEUE_FULL, "come again"); });
        rpc.add_function("later", [&later](const RpcRequest& r) {
          later[r.caller()] = std::thread([r] { r.reply({}, "later"); });
        });
      },
      [&](const Rpc& rpc, int rank) {
        const int to = rpc.rank_of("worker" + std::to_string(1 - rank));
        EXPECT_EQ(to, 1 - rank);
        EXPECT_EQ(rpc.name_of(to), "worker" + std::to_string(to));
        EXPECT_EQ(rpc.name_of(), "worker" + std::to_string(rank));
        EXPECT_GT(rpc.port(), 0);
        const Future f = rpc.call(to, "double", {Tensor::from({1.0f, 2.0f})}, "x");
        EXPECT_EQ(f.bytes(), "x from " + std::to_string(rank));
        EXPECT_EQ(f.tensors()[0].to_vector<float>(), (std::vector<float>{2, 4}));
        std::atomic<int> called{0};
        f.on_done([&](const Future& g, haft_status s) { called += s == HAFT_OK && g.is_done() ? 1 : 100; });
        EXPECT_EQ(called, 1);
        EXPECT_EQ(rpc.call(to, "later").bytes(), "later");
        auto failure = [&](const char* function, const std::vector<Tensor>& ts = {}) {
          try {
            rpc.call(to, function, ts).wait();
          } catch (const haft::Error& e) {
            return std::pair<haft_status, std::string>(e.code(), e.message());
          }
          return std::pair<haft_status, std::string>(HAFT_OK, "");
        };
        const std::string who = "rank " + std::to_string(to) + " 'worker" + std::to_string(to) + "', ";
        EXPECT_EQ(failure("throws"),
                  std::make_pair(haft_status(HAFT_ERROR_CALLBACK), who + "'throws': not today"));
        EXPECT_EQ(failure("refuses"),
                  std::make_pair(haft_status(HAFT_ERROR_QUEUE_FULL), who + "'refuses': come again"));
        EXPECT_EQ(failure("shape", {haft::zeros({2}), haft::zeros({3})}).first, HAFT_ERROR_SHAPE);
        EXPECT_EQ(failure("unknown").first, HAFT_ERROR_INVALID_ARGUMENT);
      });
  for (std::thread& t : later)
    if (t.joinable()) t.join();
  EXPECT_EQ(destroyed, 2);
}

// A wait that is over just when the answer comes is none that failed.
TEST_F(RpcTest, ShortWaitsEndWithTheAnswer) {
  run(
      1, [](const Rpc& rpc) { rpc.add_function("empty", [](const RpcRequest&) {}); },
      [](const Rpc& rpc, int) {
        for (int i = 0; i < 1000; ++i) {
          const Future f = rpc.call(0, "empty");
          while (!f.wait(0)) {
          }
        }
      });
}

TEST_F(RpcTest, HandlesAndArgumentsAreChecked) {
  haft_rpc* r = nullptr;
  EXPECT_EQ(haft_rpc_create(nullptr, 0, 1, nullptr, &r), HAFT_ERROR_INVALID_ARGUMENT);
  const Store store = Store::hash();
  EXPECT_EQ(haft_rpc_create(store.get(), 1, 1, nullptr, &r), HAFT_ERROR_INVALID_ARGUMENT);
  haft_rpc_options o = HAFT_RPC_OPTIONS_INIT;
  o.threads = 0;
  EXPECT_EQ(haft_rpc_create(store.get(), 0, 1, &o, &r), HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(r, nullptr);
  const Rpc rpc(store, 0, 1);
  haft_future* f = nullptr;
  EXPECT_EQ(haft_rpc_call(rpc.get(), 0, "x", nullptr, 0, nullptr, 0, HAFT_NONE, &f),
            HAFT_ERROR_INVALID_ARGUMENT);
  rpc.start();
  EXPECT_EQ(haft_rpc_call(rpc.get(), 0, "x", nullptr, 0, nullptr, 5, HAFT_NONE, &f),
            HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_rpc_call(rpc.get(), 0, "", nullptr, 0, nullptr, 0, HAFT_NONE, &f),
            HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(haft_rpc_call(rpc.get(), 3, "x", nullptr, 0, nullptr, 0, HAFT_NONE, &f), HAFT_ERROR_INDEX);
  EXPECT_EQ(f, nullptr);
  // The last handle may go within a function of the agent.
  Rpc* own = new Rpc(rpc);
  own->add_function("ends", [](const RpcRequest&) {});
  EXPECT_TRUE(own->call(0, "ends").wait());
  delete own;
  haft_parameter_server* s = nullptr;
  haft_parameter_server_options so = HAFT_PARAMETER_SERVER_OPTIONS_INIT;
  so.mode = 3;
  EXPECT_EQ(haft_parameter_server_create(rpc.get(), &so, &s), HAFT_ERROR_INVALID_ARGUMENT);
  so.mode = 0;
  so.option_count = 1;
  EXPECT_EQ(haft_parameter_server_create(rpc.get(), &so, &s), HAFT_ERROR_INVALID_ARGUMENT);
  haft_parameter_client* c = nullptr;
  EXPECT_EQ(haft_parameter_client_create(rpc.get(), nullptr, 0, nullptr, 0, &c), HAFT_ERROR_INVALID_ARGUMENT);
  rpc.kill();
  EXPECT_EQ(haft_rpc_call(rpc.get(), 0, "ends", nullptr, 0, nullptr, 0, HAFT_NONE, &f), HAFT_ERROR_CANCELLED);
}

TEST_F(RpcTest, ParameterServerTrains) {
  std::atomic<int> left{2};
  run(
      3, [](const Rpc&) {},
      [&](const Rpc& rpc, int rank) {
        if (rank == 0) {
          const haft::ParameterServer server(rpc, haft::ServerMode::SYNCHRONOUS, 2, "SGD", {"lr"}, {0.5});
          while (left) std::this_thread::yield();
          const haft_parameter_server_info i = server.info();
          EXPECT_EQ(i.version, 2);
          EXPECT_EQ(i.rows, 2);
          EXPECT_EQ(i.parameters, 2);
          return;
        }
        const haft::ParameterClient c(rpc, {0});
        Tensor w = haft::zeros({2});
        EXPECT_EQ(c.add("w", w), 0);
        c.add_table("t", 1000, 3);
        const Tensor ids = Tensor::from({std::int64_t(4), std::int64_t(900)});
        for (int i = 0; i < 2; ++i) {
          c.push({"w"}, {haft::full({2}, float(rank))});  // mean 1.5
          c.push_rows("t", ids, haft::ones({2, 3}));
          EXPECT_EQ(c.step(), i + 1);
        }
        EXPECT_EQ(c.pull({"w"}, {w}), std::vector<std::int64_t>{2});
        EXPECT_EQ(w.to_vector<float>(), (std::vector<float>{-1.5f, -1.5f}));
        EXPECT_EQ(c.pull_rows("t", ids).to_vector<float>(), std::vector<float>(6, -1));
        c.leave();
        --left;
      });
}

TEST_F(RpcTest, SharedTensorsAreOneMemory) {
  Tensor t = haft::full({2, 3}, 1.0);
  EXPECT_FALSE(haft::is_shared(t));
  haft::share_memory(t);
  EXPECT_TRUE(haft::is_shared(t));
  Tensor other = haft::open_shared(haft::shared_name(t));
  haft::add_(other, haft::full({2, 3}, 6.0));
  EXPECT_EQ(t.to_vector<float>(), std::vector<float>(6, 7));
  haft_tensor* none = nullptr;
  EXPECT_EQ(haft_tensor_from_shared("haft-shared", &none), HAFT_ERROR_INVALID_ARGUMENT);
}

}  // namespace
