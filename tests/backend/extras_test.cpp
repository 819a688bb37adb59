// What a device may offer beside kernels and memory: facts, scratch, recordings, fused kernels, collectives.
#include "core/backend/capture.h"
#include "core/backend/commit.h"
#include "core/backend/fused.h"
#include "core/backend/scratch.h"
#include "tests/backend/sim_fixture.h"

namespace haft {
namespace {

TEST(Properties, NameTheDevice) {
  haft_backend_properties p = device_properties(sim(2));
  EXPECT_STREQ(p.name, "Simulated accelerator");
  EXPECT_EQ(p.total_memory, int64_t(1) << 30);
  EXPECT_EQ(p.compute_major, 1);
  EXPECT_STREQ(p.pci, "0000:00:02.0");
  EXPECT_STREQ(p.uuid, "sim-0002");
  EXPECT_HAS(std::string(p.runtime), HAFT_VERSION);
  haft_backend_properties host = device_properties(Device{});
  EXPECT_NE(host.name[0], 0);
  EXPECT_GT(host.total_memory, int64_t(1) << 20);
  EXPECT_GT(host.multiprocessors, 0);
  EXPECT_EQ(error_of([] { device_properties(sim(9)); }).code, Code::device);
}

TEST(Properties, AreToldToPeople) {
  const std::string there = describe_device(sim(1)), cpu = describe_device(Device{});
  EXPECT_HAS(cpu, "device: cpu\nname: ");
  EXPECT_HAS(cpu, "\nprocessors: ");
  EXPECT_HAS(there, "device: sim:1\nname: Simulated accelerator\nversion: 1.0");
  EXPECT_HAS(there, "\nhost: of simulated device 1");
  EXPECT_HAS(error_of([] { describe_device(sim(40)); }).message, "40");
}

TEST(Scratch, ComesFromTheStreamsCacheAndGoesBackThere) {
  const Device d = sim(2);
  synchronize(d);
  int64_t live = device_memory_stats(d).live;
  void *first, *second;
  char error[256] = "";
  haft_kernel_call call = {};
  call.error = error;
  call.error_size = sizeof error;
  {
    KernelScratch scratch(d);
    call.engine = &scratch;
    ASSERT_EQ(kernel_scratch(&call, 10000, &first), 0);
    ASSERT_EQ(kernel_scratch(&call, 10000, &second), 0);
    EXPECT_NE(first, second);
    EXPECT_EQ(device_memory_stats(d).live, live + 20000);
    set_device_memory_limit(d, live + 20000);
    void* none = nullptr;
    EXPECT_EQ(kernel_scratch(&call, 1, &none), int32_t(Code::out_of_memory));
    EXPECT_HAS(std::string(error), "no memory for 1 bytes on sim:2");
    EXPECT_EQ(none, nullptr);
    set_device_memory_limit(d, 0);
  }
  EXPECT_EQ(device_memory_stats(d).live, live);
  EXPECT_EQ(device_alloc(d, 0).p, nullptr);
  DeviceBlock again = device_alloc(d, 10000);
  EXPECT_TRUE(again.p == first || again.p == second);
  device_free(d, again, 10000);
  call.engine = nullptr;
  EXPECT_EQ(kernel_scratch(&call, 1, &first), int32_t(Code::invalid_argument));
}

// ---- recordings ----

class Capture : public testing::Test {
 protected:
  const Device d = sim(3);
  haft_raw_stream s = create_stream(d);
  StreamGuard on{d, s};
  Ref<MemoryArena> arena = make_ref<MemoryArena>(d);

  void add(const Numbers<float>& a, const Numbers<float>& b, const Numbers<float>& out,
           haft_raw_stream stream) {
    EXPECT_EQ(call_kernel(OpId::add, {a.view(), b.view()}, {out.view()}, {}, stream).status, 0);
  }
};

TEST_F(Capture, ReplaysOverTheSameAddressesWithWhatTheyHold) {
  Numbers<float> x(d, {1, 2}), out(d, {0, 0});
  Ref<DeviceGraph> graph;
  void* between;
  {
    DeviceCapture capture(arena);
    Ref<Storage> t = new_storage(thread_state(), d, 8);  // of the arena, free after the recording
    between = t->data;
    haft_tensor_view tmp = view_of(d, t->data, DType::f32, {2});
    EXPECT_EQ(call_kernel(OpId::add, {x.view(), x.view()}, {tmp}, {}, s).status, 0);
    EXPECT_EQ(call_kernel(OpId::add, {tmp, x.view()}, {out.view()}, {}, s).status, 0);
    graph = capture.end();
  }
  EXPECT_EQ(out.read(), (std::vector<float>{0, 0}));  // recorded, not run
  // Nobody else gets the arena's memory, and it stays though nobody but the graph holds it.
  arena.reset();
  std::vector<Ref<Storage>> others;
  for (int i = 0; i < 4; ++i)
    EXPECT_NE(others.emplace_back(new_storage(thread_state(), d, 8))->data, between);
  graph->replay();
  EXPECT_EQ(out.read(), (std::vector<float>{3, 6}));
  x.write({10, 20});
  graph->replay();
  EXPECT_EQ(out.read(), (std::vector<float>{30, 60}));
  out.write({0, 0});
  StreamGuard off(d, 0);
  synchronize(d);
  graph->replay();  // on any stream
  EXPECT_EQ(out.read(), (std::vector<float>{30, 60}));
}

TEST_F(Capture, ArenasReuseTheirBlocksAndLiveAsLongAsTheirTensors) {
  int64_t reserved = device_memory_stats(d).reserved;
  int64_t used = device_memory_stats(d).total - device_memory_stats(d).free;
  Ref<Storage> kept;
  {
    ArenaScope scope(*arena);
    void* p = new_storage(thread_state(), d, 3000)->data;
    EXPECT_EQ(new_storage(thread_state(), d, 3000)->data, p);
    kept = new_storage(thread_state(), d, 3000);
    EXPECT_EQ(kept->data, p);
    EXPECT_HAS(error_of([&] { decommit(*kept); }).message, "belongs to a recording");
    StreamGuard off(d, 0);  // other streams of the scope have their own blocks of the arena
    EXPECT_NE(new_storage(thread_state(), d, 3000)->data, p);
  }
  EXPECT_EQ(device_memory_stats(d).reserved, reserved);
  arena.reset();
  EXPECT_EQ(device_memory_stats(d).total - device_memory_stats(d).free, used + 2 * 3072);
  kept.reset();
  EXPECT_EQ(device_memory_stats(d).total - device_memory_stats(d).free, used);
}

TEST_F(Capture, OtherStreamsJoinByEvents) {
  haft_raw_stream t = create_stream(d);
  haft_raw_event fork = create_event(d), join = create_event(d);
  Numbers<float> x(d, {1}), y(d, {0}), z(d, {0});
  synchronize(d);
  Ref<DeviceGraph> graph;
  {
    DeviceCapture capture(arena);
    record_event(d, fork, s);
    wait_event(d, fork, t);
    add(x, x, y, t);
    record_event(d, join, t);
    wait_event(d, join, s);
    add(y, x, z, s);
    graph = capture.end();
  }
  graph->replay();
  EXPECT_EQ(z.read(), std::vector<float>{3});
  {
    DeviceCapture capture(arena);
    record_event(d, fork, s);
    wait_event(d, fork, t);
    add(x, x, y, t);
    Error e = error_of([&] { capture.end(); });
    EXPECT_HAS(e.message, "before its stream has waited");
  }
  add(x, y, z, t);  // streams work again
  synchronize(d);
  for (haft_raw_event e : {fork, join}) destroy_event(d, e);
  destroy_stream(d, t);
}

TEST_F(Capture, RefusesWhatWaits) {
  Numbers<float> x(d, {1});
  synchronize(d);
  DeviceCapture capture(arena);
  EXPECT_EQ(error_of([&] { synchronize_stream(d, s); }).code, Code::unsupported);
  EXPECT_EQ(error_of([&] { synchronize(d); }).code, Code::unsupported);
  EXPECT_EQ(error_of([&] { x.read(); }).code, Code::unsupported);
  EXPECT_EQ(error_of([&] { x.write({2}); }).code, Code::unsupported);
  EXPECT_EQ(error_of([&] { DeviceCapture again(arena); }).code, Code::busy);
}

// What streams let go of while something is recorded waits for its end: events would become part of it.
TEST_F(Capture, RetiredMemoryWaitsForTheEndOfTheRecording) {
  static int released;
  released = 0;
  Numbers<float> memory(d, {1, 2});
  {
    DeviceCapture capture(arena);
    {
      Ref<Storage> lent = wrap_storage(
          d, memory.p, 8, [](Storage&) { ++released; }, nullptr);
      record_stream(*lent, d, s);
    }
    capture.end();
  }
  synchronize(d);
  synchronize(d);
  EXPECT_EQ(released, 1);
}

TEST(CaptureOfTheHost, IsRefused) {
  EXPECT_EQ(error_of([] { make_ref<MemoryArena>(Device{}); }).code, Code::unsupported);
}

// ---- fused kernels ----

// (x + y) * x > 2, and the product.
struct FusedExample {
  const uint8_t in_dtypes[2] = {HAFT_FLOAT32, HAFT_FLOAT32};
  haft_fused_step steps[3] = {};
  uint16_t out[2] = {3, 4};
  haft_fused_program program = {};

  FusedExample() {
    steps[0] = {uint32_t(OpId::add), 2, HAFT_FLOAT32, HAFT_FLOAT32, {0, 1}, 0, 0};
    steps[1] = {uint32_t(OpId::mul), 2, HAFT_FLOAT32, HAFT_FLOAT32, {2, 0}, 0, 0};
    steps[2] = {uint32_t(OpId::gt_scalar), 1, HAFT_BOOL, HAFT_FLOAT32, {3}, 0, 2};
    program = {sizeof program, 2, 2, 3, in_dtypes, steps, out, "example"};
  }
};

TEST(Fused, RunsItsStepsAsOneKernel) {
  const Device d = sim(0);
  FusedExample e;
  Ref<FusedKernel> kernel = make_ref<FusedKernel>(d, e.program);
  Numbers<float> x(d, {1, 2, 3, 4}), y(d, {1, -1}), product(d, kUnset, 4);
  Numbers<bool> greater(d, kUnset, 4);
  haft_tensor_view vx = x.view({2, 2}), vy = y.view({2, 2}), vp = product.view({2, 2}),
                   vg = greater.view({2, 2});
  vy.strides[0] = 0;  // broadcast over rows
  vy.contiguous = 0;
  const haft_tensor_view *in[] = {&vx, &vy}, *out[] = {&vp, &vg};
  for (double bound : {2.0, 5.0}) {  // attributes belong to the launch
    AttrWriter w;
    w.add(Scalar(bound));
    kernel->launch(in, out, w.finish());
    EXPECT_EQ(product.read(), (std::vector<float>{2, 2, 12, 12}));
    char bits[4];
    copy_bytes(Device{}, bits, d, greater.p, 4, true);
    EXPECT_EQ(std::vector<char>(bits, bits + 4), (std::vector<char>{0, 0, 1, 1}));
  }
  EXPECT_EQ(error_of([&] { kernel->launch({in, 1}, out, {}); }).code, Code::invalid_argument);
}

TEST(Fused, RefusalsNameTheReason) {
  const Device d = sim(0);
  FusedExample e;
  {
    Environment env("HAFT_SIM_REFUSE", "mul");
    Error error = error_of([&] { FusedKernel(d, e.program); });
    EXPECT_EQ(error.code, Code::unsupported);
    EXPECT_HAS(error.message, "compiling the fused kernel example for sim:0: it cannot fuse mul");
  }
  e.steps[1].in[0] = 3;
  EXPECT_HAS(error_of([&] { FusedKernel(d, e.program); }).message, "not there yet");
  EXPECT_EQ(error_of([&] { FusedKernel(Device{}, e.program); }).code, Code::unsupported);
}

// ---- collectives ----

class Collectives : public testing::Test {
 protected:
  const haft_collectives& table = collectives(sim_type());
  std::vector<haft_raw_comm> comms;

  // Ranks 0..n-1 on sim:0..n-1, joined by one thread.
  void join(int n) {
    haft_unique_id id;
    Error e = Error(Code::ok, "");
    call([&](char* error, uint32_t size) { return table.unique_id(&id, error, size); });
    comms.resize(size_t(n));
    call([&](char* error, uint32_t size) { return table.group_begin(error, size); });
    for (int r = 0; r < n; ++r)
      call([&](char* error, uint32_t size) {
        return table.init(r, r, n, &id, 5000, &comms[size_t(r)], error, size);
      });
    call([&](char* error, uint32_t size) { return table.group_end(error, size); });
  }
  template <class F>
  void call(F&& f) {
    char error[512] = "";
    EXPECT_EQ(f(error, uint32_t(sizeof error)), 0) << error;
  }
  // The rank's call on its default stream.
  template <class F>
  void all(F&& f) {
    for (size_t r = 0; r < comms.size(); ++r)
      call([&](char* error, uint32_t size) { return f(int(r), comms[r], error, size); });
  }
  void TearDown() override {
    for (haft_raw_comm c : comms) table.destroy(c);
  }
};

TEST_F(Collectives, EveryOneOfThemOverThreeDevices) {
  join(3);
  std::vector<std::unique_ptr<Numbers<float>>> x, y, z;
  for (int r = 0; r < 3; ++r) {
    x.push_back(std::make_unique<Numbers<float>>(sim(r), std::vector<float>{float(r), float(10 * r), 1}));
    y.push_back(std::make_unique<Numbers<float>>(sim(r), kUnset, 3));
    z.push_back(std::make_unique<Numbers<float>>(sim(r), kUnset, 9));
  }
  auto in = [&](int r) { return x[size_t(r)]->p; };
  auto out = [&](int r) { return y[size_t(r)]->p; };
  auto wide = [&](int r) { return z[size_t(r)]->p; };
  using V = std::vector<float>;
  const int f32 = HAFT_FLOAT32;

  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.all_reduce(c, in(r), out(r), 3, f32, HAFT_COLLECTIVE_SUM, 0, e, n);
  });
  for (auto& v : y) EXPECT_EQ(v->read(), (V{3, 30, 3}));
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.all_reduce(c, in(r), out(r), 3, f32, HAFT_COLLECTIVE_AVG, 0, e, n);
  });
  for (auto& v : y) EXPECT_EQ(v->read(), (V{1, 10, 1}));
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.reduce(c, in(r), out(r), 3, f32, HAFT_COLLECTIVE_MAX, 2, 0, e, n);
  });
  EXPECT_EQ(y[2]->read(), (V{2, 20, 1}));
  EXPECT_EQ(y[0]->read(), (V{1, 10, 1}));
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.broadcast(c, in(r), out(r), 3, f32, 1, 0, e, n);
  });
  for (auto& v : y) EXPECT_EQ(v->read(), (V{1, 10, 1}));
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.all_gather(c, in(r), wide(r), 3, f32, 0, e, n);
  });
  for (auto& v : z) EXPECT_EQ(v->read(), (V{0, 0, 1, 1, 10, 1, 2, 20, 1}));
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.reduce_scatter(c, wide(r), out(r), 3, f32, HAFT_COLLECTIVE_SUM, 0, e, n);
  });
  for (int r = 0; r < 3; ++r) EXPECT_EQ(y[size_t(r)]->read(), (V{3 * float(r), 30 * float(r), 3}));
  // What rank r sends to k is 10 r + k; in place.
  for (int r = 0; r < 3; ++r) x[size_t(r)]->write({float(10 * r), float(10 * r + 1), float(10 * r + 2)});
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.all_to_all(c, in(r), in(r), 1, f32, 0, e, n);
  });
  for (int r = 0; r < 3; ++r) EXPECT_EQ(x[size_t(r)]->read(), (V{float(r), float(10 + r), float(20 + r)}));
  // A ring.
  all([&](int, haft_raw_comm, char* e, uint32_t n) { return table.group_begin(e, n); });
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.send(c, in(r), 3, f32, (r + 1) % 3, 0, e, n);
  });
  all([&](int r, haft_raw_comm c, char* e, uint32_t n) {
    return table.recv(c, out(r), 3, f32, (r + 2) % 3, 0, e, n);
  });
  all([&](int, haft_raw_comm, char* e, uint32_t n) { return table.group_end(e, n); });
  for (int r = 0; r < 3; ++r) EXPECT_EQ(y[size_t(r)]->read()[0], float((r + 2) % 3));
}

TEST_F(Collectives, WaitForPeersInTheOrderOfTheirStreams) {
  join(2);
  Numbers<int64_t> a(sim(0), {1}), b(sim(1), {2});
  char error[256];
  HeldStream held(sim(1));
  ASSERT_EQ(table.all_reduce(comms[0], a.p, a.p, 1, HAFT_INT64, HAFT_COLLECTIVE_SUM, 0, error, sizeof error),
            0);
  ASSERT_EQ(table.all_reduce(comms[1], b.p, b.p, 1, HAFT_INT64, HAFT_COLLECTIVE_SUM, 0, error, sizeof error),
            0);
  haft_raw_event e = create_event(sim(0));
  record_event(sim(0), e, 0);
  EXPECT_FALSE(query_event(sim(0), e));  // its peer has not come
  held.let_go();
  EXPECT_EQ(a.read(), std::vector<int64_t>{3});
  EXPECT_EQ(b.read(), std::vector<int64_t>{3});
  destroy_event(sim(0), e);
}

TEST_F(Collectives, AnAbortFreesWhoWaits) {
  join(2);
  Numbers<float> a(sim(0), {1});
  char error[256] = "";
  ASSERT_EQ(
      table.all_reduce(comms[0], a.p, a.p, 1, HAFT_FLOAT32, HAFT_COLLECTIVE_SUM, 0, error, sizeof error), 0);
  int32_t status = -1;
  call([&](char* e, uint32_t n) { return table.async_error(comms[0], &status, e, n); });
  EXPECT_EQ(status, 0);
  call([&](char* e, uint32_t n) { return table.abort(comms[1], e, n); });
  call([&](char* e, uint32_t n) { return table.abort(comms[1], e, n); });
  synchronize(sim(0));  // the stream goes on
  EXPECT_EQ(table.async_error(comms[0], &status, error, sizeof error), 0);
  EXPECT_EQ(status, int32_t(Code::cancelled));
  EXPECT_HAS(std::string(error), "aborted by rank 1");
  EXPECT_EQ(table.broadcast(comms[0], a.p, a.p, 1, HAFT_FLOAT32, 0, 0, error, sizeof error),
            int32_t(Code::cancelled));
}

TEST_F(Collectives, RanksThatCallDifferentThingsAreTold) {
  join(2);
  Numbers<float> a(sim(0), {1, 2}), b(sim(1), {1, 2});
  char error[256] = "";
  ASSERT_EQ(
      table.all_reduce(comms[0], a.p, a.p, 2, HAFT_FLOAT32, HAFT_COLLECTIVE_SUM, 0, error, sizeof error), 0);
  ASSERT_EQ(
      table.all_reduce(comms[1], b.p, b.p, 1, HAFT_FLOAT32, HAFT_COLLECTIVE_SUM, 0, error, sizeof error), 0);
  synchronize(sim(0));
  synchronize(sim(1));
  int32_t status = 0;
  for (haft_raw_comm c : comms) {
    table.async_error(c, &status, error, sizeof error);
    EXPECT_EQ(status, int32_t(Code::invalid_argument));
    EXPECT_HAS(std::string(error), "ranks call different things");
  }
}

TEST_F(Collectives, ALatePeerIsATimeout) {
  haft_unique_id id;
  call([&](char* error, uint32_t size) { return table.unique_id(&id, error, size); });
  char error[256] = "";
  haft_raw_comm c = 0;
  EXPECT_EQ(table.init(0, 0, 2, &id, 20, &c, error, sizeof error), int32_t(Code::timeout));
  EXPECT_HAS(std::string(error), "1 of 2 ranks came in 20 ms");
  EXPECT_EQ(c, 0u);
}

TEST_F(Collectives, WhoHasNoneSaysSo) {
  Error e = error_of([] { collectives(kCpu); });
  EXPECT_EQ(e.code, Code::unsupported);
  EXPECT_HAS(e.message, "cpu");
}

}  // namespace
}  // namespace haft
