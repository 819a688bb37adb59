// Data parallel through the C interface and C++: ranks are threads over one hash store.
#include <haft/haft.hpp>

#include <atomic>
#include <map>
#include <thread>

#include "ranks_testing.h"

namespace {

using haft::DataParallel;
using haft::ModelAverager;
using haft::ProcessGroup;
using haft::Work;
using haft::nn::Module;
using haft::nn::NamedTensors;

class DataParallels : public RanksTest {
 protected:
  static void run(const std::function<void(const ProcessGroup&)>& f) { expect_none(RanksTest::run(2, f)); }
};

void want(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}

// y = w x over x = rank + 1: dw is x, whose mean is 1.5.
struct Model {
  Module linear;
  Tensor x;
  explicit Model(int rank) : linear(haft::nn::Linear(1, 1)), x(haft::full({2, 1}, float(rank + 1))) {}
  float gradient() const { return linear.parameter("weight").grad().to_vector<float>()[0]; }
  template <class F>
  void step(F&& forward) const {
    haft::mean(forward(x)).backward();
  }
};

TEST_F(DataParallels, TrainsAModule) {
  run([](const ProcessGroup& g) {
    Model m(g.rank());
    DataParallel d(m.linear, g);
    want(m.linear.parameter("weight").to_vector<float>() == m.linear.parameter("weight").to_vector<float>(),
         "weight");
    m.step(d);
    want(m.gradient() == 1.5f, "mean");
    m.linear.zero_grad();
    d.set_sync(false);
    want(!d.sync(), "sync");
    m.step(d);
    want(m.gradient() == float(g.rank() + 1), "own");
    d.set_sync(true);
    m.step(d);
    want(m.gradient() == 3, "both together");
    const haft_data_parallel_info i = d.info();
    want(i.rank == g.rank() && i.size == 2 && i.buckets == 1 && i.steps == 2 && i.gradient_bytes == 16 &&
             i.sent_bytes == 16,
         "info");
    d.join_begin(true);
    for (int s = 0; s <= g.rank(); ++s) {
      m.linear.zero_grad();
      m.step(d);
      want(m.gradient() == (s ? 1 : 1.5f), "joined");
    }
    d.join_end();
  });
}

TEST_F(DataParallels, TakesAListAndNamesWhatDiffers) {
  run([](const ProcessGroup& g) {
    Tensor w = haft::full({2}, float(g.rank())), b = haft::full({1}, float(g.rank()));
    w.set_requires_grad(true);
    haft::DataParallelOptions o;
    o.find_unused_parameters = 1;
    DataParallel d(NamedTensors{{"w", w}}, {b}, g, o);
    want(w.to_vector<float>() == std::vector<float>{0, 0}, "rank 0's");
    d.prepare();
    haft::sum(w * Tensor(haft::full({2}, float(g.rank())))).backward();
    want(w.grad().to_vector<float>() == std::vector<float>{0.5f, 0.5f}, "mean");
    try {
      DataParallel other(NamedTensors{{g.rank() ? "v" : "w", w}}, {}, g);
      want(false, "taken");
    } catch (const haft::Error& e) {
      want(e.code() == HAFT_ERROR_MISMATCH &&
               e.message().find("rank 0 has \"w float32 [2] trained\", rank 1 has \"v float32") !=
                   std::string::npos,
           e.message());
    }
    haft_tensor* y = nullptr;
    want(haft_data_parallel_forward(d.get(), w.get(), &y) == HAFT_ERROR_INVALID_ARGUMENT && !y,
         "a list has no forward");
    haft_data_parallel_options wrong = HAFT_DATA_PARALLEL_OPTIONS_INIT;
    wrong.static_graph = 2;
    haft_data_parallel* made = nullptr;
    haft_tensor* ws[] = {w.get()};
    want(haft_data_parallel_create_over(nullptr, ws, 1, nullptr, 0, g.get(), &wrong, &made) ==
             HAFT_ERROR_INVALID_ARGUMENT,
         "a flag of 2");
  });
}

TEST_F(DataParallels, CallsAHookForEachBucket) {
  run([](const ProcessGroup& g) {
    std::atomic<int> destroyed{0};
    Model m(g.rank());
    DataParallel d(m.linear, g);
    std::map<int, Tensor> halves;
    int finished = 0;
    d.set_hook(
        [&](const haft::GradientBucket& b, const ProcessGroup& group) {
          want(b.gradients.size() == 2 && b.parameters.size() == 2 && b.buffer.numel() == 2, "bucket");
          halves[b.index] = haft::cast(b.buffer, HAFT_FLOAT16);
          return group.all_reduce_async(halves[b.index]);
        },
        [&](const haft::GradientBucket& b, const ProcessGroup&) {
          haft::copy_(b.buffer, haft::mul_scalar(halves[b.index], 0.25));
          ++finished;
        });
    m.step(d);
    want(m.gradient() == 0.75f && finished == 1, "by the hook");
    m.linear.zero_grad();
    d.set_hook([](const haft::GradientBucket& b, const ProcessGroup&) {
      haft::fill_(b.buffer, 7);
      return Work();
    });
    m.step(d);
    want(m.gradient() == 7, "without a work");
    m.linear.zero_grad();
    d.set_hook([](const haft::GradientBucket&, const ProcessGroup&) -> Work {
      throw std::runtime_error("not today");
    });
    try {
      m.step(d);
      want(false, "it went on");
    } catch (const haft::Error& e) {
      want(e.message().find("not today") != std::string::npos, e.message());
    }
    d = DataParallel();
    m.linear.zero_grad();
    m.step(m.linear);
    want(m.gradient() == float(g.rank() + 1), "its hooks are gone");
    // The user's data goes with the hook.
    DataParallel e(m.linear, g);
    haft::check(haft_data_parallel_set_hook(
        e.get(),
        [](const haft_gradient_bucket*, haft_process_group*, haft_work**, void*) -> haft_status {
          return HAFT_OK;
        },
        nullptr, &destroyed, [](void* user) { ++*static_cast<std::atomic<int>*>(user); }));
    e.clear_hook();
    want(destroyed == 1, "destroy");
  });
}

TEST_F(DataParallels, CompressesAndAverages) {
  run([](const ProcessGroup& g) {
    Model m(g.rank());
    DataParallel d(m.linear, g);
    for (int kind = HAFT_COMPRESSION_FP16; kind <= HAFT_COMPRESSION_POWER_SGD; ++kind) {
      haft::CompressionOptions o;
      o.kind = kind;
      o.ratio = 1;
      d.set_compression(o);
      const auto sent = d.info().sent_bytes;
      m.linear.zero_grad();
      m.step(d);
      want(std::abs(m.gradient() - 1.5f) < 0.5f,
           "kind " + std::to_string(kind) + ": " + std::to_string(m.gradient()));
      want(d.info().sent_bytes > sent, "sent");
      const NamedTensors state = d.state_dict();
      want(state[0].first == "step" && state.size() == (kind < HAFT_COMPRESSION_INT8 ? 1u : 3u), "state");
      d.load_state_dict(state);
    }
    haft::CompressionOptions o;
    o.kind = 99;
    want(haft_data_parallel_set_compression(d.get(), &o) == HAFT_ERROR_INVALID_ARGUMENT, "kind 99");
    d.set_post_local(ProcessGroup(), 0);
    m.linear.zero_grad();
    m.step(d);
    want(m.gradient() == float(g.rank() + 1), "on its own");
    Tensor w = haft::full({1}, float(g.rank()));
    haft::ModelAveragerOptions every;
    every.period = 2;
    ModelAverager a({w}, g, every);
    want(a.step() && w.to_vector<float>()[0] == 0.5f, "average");
    want(!a.step(), "in between");
    a.load_state_dict(a.state_dict());
    every.period = 0;
    haft_tensor* ws[] = {w.get()};
    haft_model_averager* made = nullptr;
    want(haft_model_averager_create(ws, 1, g.get(), &every, &made) == HAFT_ERROR_INVALID_ARGUMENT,
         "period 0");
  });
}

// As a collector's thread may: the backward that runs ends whole, and then its hooks go.
TEST_F(DataParallels, AreLetGoOfInTheMidstOfABackward) {
  run([](const ProcessGroup& g) {
    const Module first = haft::nn::Linear(1, 1), last = haft::nn::Linear(1, 1),
                 net = haft::nn::Sequential({first, last});
    const Tensor x = haft::full({1, 1}, float(g.rank() + 1));
    DataParallel d(net, g);
    net.load_state_dict({{"0.weight", haft::full({1, 1}, 1)},
                         {"0.bias", haft::zeros({1})},
                         {"1.weight", haft::full({1, 1}, 1)},
                         {"1.bias", haft::zeros({1})}});
    Tensor weight = first.parameter("weight");
    const auto gradient = [&] { return weight.grad().to_vector<float>()[0]; };
    bool let_go = false;
    weight.add_hook([&](const Tensor&) {
      if (!let_go) std::thread([&] { d = DataParallel(); }).join();
      let_go = true;
      return Tensor();
    });
    haft::mean(d(x)).backward();
    want(let_go && gradient() == 1.5f, "the mean");
    net.zero_grad();
    haft::mean(net(x)).backward();
    want(gradient() == float(g.rank() + 1), "its hooks are gone");
  });
}

// Whoever lets go of the group first: it stays as long as data parallel needs it.
TEST_F(DataParallels, KeepTheirGroup) {
  run([](const ProcessGroup& g) {
    Model m(g.rank());
    DataParallel d;
    {
      const std::vector<std::int64_t> ranks{0, 1};
      ProcessGroup part = g.subgroup(ranks);
      d = DataParallel(m.linear, part);
    }
    m.step(d);
    want(m.gradient() == 1.5f, "mean");
  });
}

}  // namespace
