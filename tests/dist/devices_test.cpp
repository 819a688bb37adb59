// Collectives of tensors on devices: by the engine of the device's plug-in where each rank has a device of its own,
// else through host memory.
#include "core/backend/memory.h"
#include "core/backend/registry.h"
#include "ranks.h"

using namespace haft;
using namespace haft::dist;
using namespace haft::dist::testing;

namespace {

Device sim(int index) { return {load_backend(HAFT_SIM_DEVICE), uint16_t(index)}; }
Tensor there(std::vector<double> v, Device d) {
  return ops::to_device(numbers({int64_t(v.size())}, DType::f32, [&](int64_t i) { return v[size_t(i)]; }), d);
}
std::vector<double> here(const Tensor& t) {
  const Tensor h = ops::contiguous(ops::to_device(t, Device{}));
  std::vector<double> v;
  for (int64_t i = 0; i < h.numel(); ++i) v.push_back(at(h, i));
  return v;
}
void want(const Tensor& t, std::vector<double> v, const char* what) {
  if (here(t) != v) fail(Code::internal, concat(what, ": wrong numbers"));
}

// Ranks on devices of their own, and all on one.
class OnDevices : public ::testing::TestWithParam<bool> {
 protected:
  static Device device_of(const Group& g) { return sim(GetParam() ? g.rank() : 0); }
};

TEST_P(OnDevices, EveryKind) {
  const int n = 3;
  expect_none(run_threads(n, [&](Group& g) {
    const Device d = device_of(g);
    const int r = g.rank();
    Tensor x = there({1.0 + r, 2, 3}, d);
    g.run(all_reduce(x, ReduceOp::sum));
    want(x, {6, 6, 9}, "all_reduce");
    x = there({1.0 + r, double(-r)}, d);
    g.run(all_reduce(x, ReduceOp::max));
    want(x, {3, 0}, "max");
    x = there({double(r), 7}, d);
    g.run(job(Kind::broadcast, {}, {x}, 1));
    want(x, {1, 7}, "broadcast");
    x = there({double(r + 1)}, d);
    g.run(job(Kind::reduce, {x}, r == 2 ? std::vector<Tensor>{x} : std::vector<Tensor>{}, 2, ReduceOp::sum));
    if (r == 2) want(x, {6}, "reduce");
    std::vector<Tensor> all;
    for (int k = 0; k < n; ++k) all.push_back(there({0, 0}, d));
    g.run(job(Kind::all_gather, {there({double(r), 10.0 * r}, d)}, all));
    for (int k = 0; k < n; ++k) want(all[size_t(k)], {double(k), 10.0 * k}, "all_gather");
    std::vector<Tensor> parts;
    for (int k = 0; k < n; ++k) parts.push_back(there({double(k + r)}, d));
    x = there({0}, d);
    g.run(job(Kind::reduce_scatter, parts, {x}, -1, ReduceOp::sum));
    want(x, {3.0 * r + 3}, "reduce_scatter");
    std::vector<Tensor> to;
    for (int k = 0; k < n; ++k) to.push_back(there({0}, d));
    g.run(job(Kind::all_to_all, parts, to));
    for (int k = 0; k < n; ++k) want(to[size_t(k)], {double(r + k)}, "all_to_all");
    Tensor m = ops::to_device(numbers({2, 3}, DType::f32, [&](int64_t i) { return double(i + r); }), d);
    g.run(all_reduce(ops::transpose(m, 0, 1), ReduceOp::avg));  // strides of its own
    want(m, {1, 2, 3, 4, 5, 6}, "strided");
    x = there({double(r)}, d);
    if (r == 0) g.run(send(x, 1));
    if (r == 1) {
      g.receive(recv(x, 0));
      want(x, {0}, "recv");
    }
    Tensor bits = ops::to_device(numbers({2}, DType::i64, [&](int64_t) { return double(1 << r); }), d);
    g.run(all_reduce(bits, ReduceOp::bor));  // what no device engine does
    want(bits, {7, 7}, "bor");
  }));
}

TEST_P(OnDevices, AsynchronousCallsFollowTheWorkThatMadeTheirTensors) {
  expect_none(run_threads(2, [&](Group& g) {
    const Device d = device_of(g);
    std::vector<Ref<Work>> works;
    std::vector<Tensor> xs;
    for (int i = 0; i < 8; ++i) {
      Tensor x = there({double(i), 1}, d);
      for (int k = 0; k < 5; ++k) x = ops::add(x, x);
      xs.push_back(x);
      works.push_back(g.start(all_reduce(x, ReduceOp::sum)));
    }
    for (int i = 0; i < 8; ++i) {
      works[size_t(i)]->wait(Deadline::never());
      works[size_t(i)]->check();
      want(ops::add_scalar(xs[size_t(i)], 1), {64.0 * i + 1, 65}, "after the work");
    }
  }));
}

TEST_P(OnDevices, MismatchedCallsAreNamed) {
  const Failures f = run_threads(2, [&](Group& g) {
    const Device d = device_of(g);
    Tensor x = there({1, 2}, d);
    if (g.rank() == 0)
      g.run(all_reduce(x, ReduceOp::sum));
    else
      g.run(all_reduce(ops::to_device(x, Device{}), ReduceOp::sum));
  });
  for (const std::string& text : f) EXPECT_NE(text, "");
}

INSTANTIATE_TEST_SUITE_P(Ranks, OnDevices, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "OnDevicesOfTheirOwn" : "OnOneDevice"; });

TEST(Devices, OfOneCallAreOne) {
  expect_none(run_threads(2, [&](Group& g) {
    try {
      g.run(job(Kind::all_gather, {there({1}, sim(0))}, {there({1}, sim(0)), there({1}, sim(1))}));
      fail(Code::internal, "taken");
    } catch (const Error& e) {
      if (e.code != Code::device) throw;
    }
  }));
}

}  // namespace
