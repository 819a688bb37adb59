#include <cstring>

#include "core/schema/op_hash.h"
#include "tests/backend/sim_fixture.h"

namespace haft {
namespace {

haft_backend table_named(const char* name) {
  haft_backend t = {};
  t.struct_size = sizeof t;
  t.abi = HAFT_BACKEND_ABI;
  t.name = name;
  t.device_count = [](int32_t* n, char*, uint32_t) { return *n = 2, 0; };
  t.alloc = [](int32_t, int64_t bytes, haft_raw_stream, void** out, char*, uint32_t) {
    return *out = std::malloc(bytes), 0;
  };
  t.free = [](int32_t, void* p, int64_t, haft_raw_stream) { std::free(p); };
  t.kernel = [](uint32_t, int32_t dtype, char* reason, uint32_t size) -> haft_kernel_fn {
    if (dtype == HAFT_FLOAT32) return [](const haft_kernel_call*) { return 0; };
    std::snprintf(reason, size, "only float32 here");
    return nullptr;
  };
  t.copy_to_host = [](int32_t, void* dst, const void* src, int64_t n, haft_raw_stream, uint32_t, char*,
                      uint32_t) { return std::memcpy(dst, src, n), 0; };
  t.copy_from_host = t.copy_to_host;
  t.copy_peer = [](int32_t, void* dst, int32_t, const void* src, int64_t n, haft_raw_stream, char*,
                   uint32_t) { return std::memcpy(dst, src, n), 0; };
  t.synchronize = [](int32_t, char*, uint32_t) { return 0; };
  return t;
}

class Registry : public testing::Test {
  void SetUp() override { sim_type(); }
};

TEST_F(Registry, DevicesHaveTextAndPack) {
  EXPECT_EQ(device_text(Device{}), "cpu");
  EXPECT_EQ(device_text(sim(2)), "sim:2");
  EXPECT_EQ(device_text({31, 4}), "device type 31:4");
  EXPECT_EQ(parse_device("cpu"), Device{});
  EXPECT_EQ(parse_device("cpu:0"), Device{});
  EXPECT_EQ(parse_device("sim"), sim(0));
  EXPECT_EQ(parse_device("sim:3"), sim(3));
  for (Device d : {Device{}, sim(3), Device{31, 65535}, Device{40000, 1}})
    EXPECT_EQ(Device::unpack(d.pack()), d);
}

TEST_F(Registry, RefusesTextThatIsNoDevice) {
  for (const char* text : {"", ":", ":1", "sim:", "sim:x", "sim:1x", "sim:-1", "sim:99999999999", "Sim",
                           "../sim", "sim/0", "a_name_that_is_too_long:0"})
    EXPECT_EQ(error_of([&] { parse_device(text); }).code, Code::invalid_argument) << text;
}

TEST_F(Registry, NamesTheDevicesThatExist) {
  device_count(sim_type());
  Error e = error_of([] { parse_device("sim:4"); });
  EXPECT_EQ(e.code, Code::device);
  EXPECT_HAS(e.message, "sim:4 does not exist");
  EXPECT_HAS(e.message, "sim:0..3");
  EXPECT_EQ(error_of([] { parse_device("cpu:1"); }).code, Code::device);
  e = error_of([] { check_device({30, 0}); });
  EXPECT_EQ(e.code, Code::device);
  EXPECT_HAS(e.message, "number 30");
}

TEST_F(Registry, ChecksTables) {
  auto refused = [](haft_backend t, Code code, const char* part) {
    Error e = error_of([&] { register_backend(&t); });
    EXPECT_EQ(e.code, code) << e.message;
    EXPECT_HAS(e.message, part);
  };
  EXPECT_EQ(error_of([] { register_backend(nullptr); }).code, Code::invalid_argument);
  haft_backend t = table_named("bad");
  t.abi = 7;
  refused(t, Code::unavailable, "version 7");
  // Of another version only the two numbers in front mean anything: the rest is not looked at.
  std::memset(reinterpret_cast<char*>(&t) + 8, 0xa5, sizeof t - 8);
  for (uint32_t size : {8u, 40u, uint32_t(sizeof t), ~0u}) {
    t.struct_size = size;
    const Error e = error_of([&] { register_backend(&t); });
    EXPECT_EQ(e.code, Code::unavailable);
    EXPECT_EQ(e.message, "backend: built for version 7 of the device seam; this haft speaks version 1");
  }
  t = table_named("bad");
  t.version = "2.5";
  t.ops_hash = 0x1234;
  refused(t, Code::unavailable, "bad 2.5: built with the operators 0000000000001234; this haft");
  char own[24];
  std::snprintf(own, sizeof own, "%016llx", static_cast<unsigned long long>(kOpsHash));
  refused(t, Code::unavailable, own);
  t = table_named("bad");
  t.struct_size = 8;
  refused(t, Code::bad_struct, "struct_size is 8");
  for (const char* name : {"", "Bad", "0bad", "b/d", "a_name_that_is_too_long"})
    refused(table_named(name), Code::invalid_argument, "name");
  refused(table_named(nullptr), Code::invalid_argument, "name");
  refused(table_named("cpu"), Code::invalid_argument, "cpu");
  refused(table_named("sim"), Code::invalid_argument, "registered already");
  t = table_named("bad");
  t.copy_peer = nullptr;
  refused(t, Code::invalid_argument, "copy_peer");
  t = table_named("bad");
  t.event_query = [](int32_t, haft_raw_event, int32_t*, char*, uint32_t) { return 0; };
  refused(t, Code::invalid_argument, "event_query");
  t = table_named("bad");
  t.pinned_free = [](int32_t, void*, int64_t) {};
  refused(t, Code::invalid_argument, "pinned_free");
  t = table_named("bad");
  t.capture_end = [](int32_t, haft_raw_stream, haft_raw_graph*, char*, uint32_t) { return 0; };
  refused(t, Code::invalid_argument, "capture_end");
  EXPECT_EQ(find_backend("bad"), kNoDevice);
}

TEST_F(Registry, TakesATableOfTheSameOperators) {
  static haft_backend t = table_named("same_build");
  t.ops_hash = kOpsHash;
  EXPECT_GE(register_backend(&t), kFirstPlugin);
}

// where's condition is a mask: what it chooses between says which kernel.
TEST_F(Registry, TheTypedInputChoosesTheKernel) {
  haft_tensor_view mask = view_of({}, nullptr, DType::boolean, {0}),
                   x = view_of({}, nullptr, DType::f64, {0});
  const haft_tensor_view *masked[] = {&mask, &x, &x}, *plain[] = {&x, &mask}, *absent[] = {nullptr, &x};
  const haft_tensor_view* out[] = {&mask};
  EXPECT_EQ(&typing_view(OpId::where, masked, out), &x);
  EXPECT_EQ(&typing_view(OpId::masked_fill, plain, out), &x);
  EXPECT_EQ(&typing_view(OpId::add, absent, out), &x);
  EXPECT_EQ(&typing_view(OpId::arange, {}, out), &mask);
}

// An older plug-in ends before the slots that were added later; they count as NULL.
TEST_F(Registry, TakesShorterTables) {
  static haft_backend t = table_named("shorter");
  t.struct_size = offsetof(haft_backend, stream_create);
  t.stream_create = [](int32_t, haft_raw_stream*, char*, uint32_t) { return 1; };
  uint16_t type = register_backend(&t);
  EXPECT_EQ(register_backend(&t), type);
  EXPECT_GE(type, kFirstPlugin);
  EXPECT_FALSE(backend(type).has_streams());
  Device d = parse_device("shorter:1");
  EXPECT_EQ(create_stream(d), 0u);
  EXPECT_TRUE(query_event(d, create_event(d)));
  Numbers<float> a(d, {1, 2, 3});
  EXPECT_EQ(a.read(), (std::vector<float>{1, 2, 3}));
}

TEST_F(Registry, CudaHasItsNumber) {
  static haft_backend t = table_named("cuda");
  EXPECT_EQ(register_backend(&t), kCuda);
}

TEST_F(Registry, RefusalsNameOperatorDeviceAndDtype) {
  static haft_backend t = table_named("narrow");
  const BackendEntry& b = backend(register_backend(&t));
  EXPECT_NE(b.kernel(OpId::add, DType::f32), nullptr);
  EXPECT_EQ(b.kernel(OpId::add, DType::f32), b.kernel(OpId::mul, DType::f32));
  Error e = error_of([&] { b.kernel(OpId::conv2d, DType::f64); });
  EXPECT_EQ(e.code, Code::unsupported);
  EXPECT_EQ(e.message, "[conv2d] device narrow has no kernel for float64: only float32 here");
  EXPECT_HAS(e.hint, "haft_to");
}

TEST_F(Registry, AsksAgainWhatWasRefused) {
  const BackendEntry& b = backend(sim_type());
  {
    Environment env("HAFT_SIM_REFUSE", "sort,conv2d:float64");
    EXPECT_EQ(error_of([&] { b.kernel(OpId::sort, DType::f32); }).code, Code::unsupported);
    Error e = error_of([&] { b.kernel(OpId::conv2d, DType::f64); });
    EXPECT_HAS(e.message, "[conv2d] device sim has no kernel for float64");
    EXPECT_NE(b.kernel(OpId::conv2d, DType::f32), nullptr);
  }
  EXPECT_NE(b.kernel(OpId::sort, DType::f32), nullptr);
  Environment env("HAFT_SIM_REFUSE", "sort");
  EXPECT_NE(b.kernel(OpId::sort, DType::f32), nullptr);  // the answer was kept
}

}  // namespace
}  // namespace haft
