// DLPack: memory lent to and taken from other libraries, in both forms of the protocol.
#include "capi_testing.h"
#include "dlpack_structs.h"

namespace {

using Dlpack = CapiTest;

// What another library lends: 2 x 3 floats, column by column.
template <class Managed>
struct Foreign {
  float data[7] = {-1, 0, 3, 1, 4, 2, 5};
  int64_t shape[2] = {2, 3}, strides[2] = {1, 2};
  int deleted = 0;
  Managed managed{};

  Foreign() {
    managed.dl_tensor = {data, {1, 0}, 2, {2, 32, 1}, shape, strides, sizeof(float)};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* m) { ++static_cast<Foreign*>(m->manager_ctx)->deleted; };
  }
};

TEST_F(Dlpack, LendsItsMemory) {
  Tensor x = haft::transpose(floats({0, 1, 2, 3, 4, 5}, {2, 3}), 0, 1);
  for (bool versioned : {false, true}) {
    DLManagedTensor* old = versioned ? nullptr : x.to_dlpack();
    DLManagedTensorVersioned* lent = versioned ? x.to_dlpack_versioned() : nullptr;
    const DLTensor& d = versioned ? lent->dl_tensor : old->dl_tensor;
    EXPECT_EQ(d.data, x.data<float>());
    EXPECT_EQ(d.device.device_type, 1);
    EXPECT_EQ(d.ndim, 2);
    EXPECT_EQ(d.dtype.code, 2);
    EXPECT_EQ(d.dtype.bits, 32);
    EXPECT_EQ(d.shape[0], 3);
    EXPECT_EQ(d.strides[1], 3);
    static_cast<float*>(d.data)[5] = 50;
    EXPECT_EQ(x.to_vector<float>().back(), 50);
    if (versioned) {
      EXPECT_EQ(lent->version.major, 1u);
      EXPECT_EQ(lent->flags, 0u);
      x = Tensor();
      EXPECT_EQ(static_cast<float*>(d.data)[5], 50);  // the lent memory outlives the handle
      lent->deleter(lent);
    } else {
      old->deleter(old);
    }
  }
  DLManagedTensor* none = nullptr;
  EXPECT_FAILS(haft_tensor_to_dlpack(leaf({1}).get(), &none), HAFT_ERROR_AUTOGRAD, "detach");
  EXPECT_FAILS(haft_tensor_to_dlpack(floats({1}).get(), nullptr), HAFT_ERROR_INVALID_ARGUMENT, "out");
  haft::load_backend(HAFT_SIM_DEVICE);
  Tensor far = haft::to(floats({1}), HAFT_DTYPE_NONE, haft::device("sim:0"));
  EXPECT_FAILS(haft_tensor_to_dlpack(far.get(), &none), HAFT_ERROR_UNSUPPORTED, "sim:0");
  EXPECT_EQ(none, nullptr);
}

TEST_F(Dlpack, KnowsEveryDtype) {
  for (haft_dtype t = HAFT_BOOL; t <= HAFT_FLOAT8_E5M2; ++t) {
    if (!haft_dtype_get_name(t)) continue;  // a number that is kept
    Tensor x = haft::ones({3}, t), y = Tensor::from_dlpack(x.to_dlpack());
    EXPECT_EQ(y.dtype(), t);
    EXPECT_EQ(y.data<char>(), x.data<char>());
  }
}

template <class Managed>
void takes_memory() {
  Foreign<Managed> f;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) f.managed.version = {1, 3};
  {
    Tensor x = Tensor::from_dlpack(&f.managed), view = haft::select(x, 0, 1);
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
    f.data[1] = 9;
    EXPECT_EQ(x.to_vector<float>()[0], 9);
    x = Tensor();
    EXPECT_EQ(f.deleted, 0);
  }
  EXPECT_EQ(f.deleted, 1);
}
TEST_F(Dlpack, TakesMemory) {
  takes_memory<DLManagedTensor>();
  takes_memory<DLManagedTensorVersioned>();
}

TEST_F(Dlpack, CopiesWhatMayOnlyBeRead) {
  Foreign<DLManagedTensorVersioned> f;
  f.managed.version = {1, 0};
  f.managed.flags = 1;
  Tensor x = Tensor::from_dlpack(&f.managed);
  EXPECT_EQ(f.deleted, 1);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_NE(x.data<float>(), f.data + 1);
}

TEST_F(Dlpack, RefusesWhatItCannotHold) {
  haft_tensor* out = nullptr;
  Foreign<DLManagedTensor> f;
  const DLTensor good = f.managed.dl_tensor;
  auto refused = [&](haft_status status, const char* part) {
    EXPECT_FAILS(haft_tensor_from_dlpack(&f.managed, &out), status, part);
    f.managed.dl_tensor = good;
  };
  f.managed.dl_tensor.dtype = {5, 32, 1};
  refused(HAFT_ERROR_DTYPE, "code 5 with 32 bits");
  f.managed.dl_tensor.dtype.lanes = 4;  // four floats at once
  refused(HAFT_ERROR_DTYPE, "4 lanes");
  f.managed.dl_tensor.ndim = HAFT_MAX_DIMS + 1;
  refused(HAFT_ERROR_SHAPE, "9 dimensions");
  f.managed.dl_tensor.device = {7, 0};
  refused(HAFT_ERROR_UNSUPPORTED, "kind 7");
  f.managed.dl_tensor.byte_offset = 1;
  refused(HAFT_ERROR_INVALID_ARGUMENT, "aligned");
  EXPECT_FAILS(haft_tensor_from_dlpack(nullptr, &out), HAFT_ERROR_INVALID_ARGUMENT, "managed");
  Foreign<DLManagedTensorVersioned> v;
  v.managed.version = {2, 0};
  EXPECT_FAILS(haft_tensor_from_dlpack_versioned(&v.managed, &out), HAFT_ERROR_UNSUPPORTED, "2.0");
  EXPECT_EQ(f.deleted + v.deleted, 0);  // what is refused stays its owner's
  EXPECT_EQ(out, nullptr);
}

}  // namespace
