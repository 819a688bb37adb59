// What stands around cuSOLVER's decompositions: recordings, which hold none, and exchanged rows as it leaves them.
#include "core/cuda/linalg.h"
#include "tests/cuda/cuda_testing.h"

namespace haft::cuda {

void k_cholesky_factor(const Call& c);
void k_eigh_factors(const Call& c);
void k_svd_factors(const Call& c);

namespace {

struct Decompositions : CudaTest {
  haft_kernel_call raw{};
  Call call(OpId op, haft_raw_stream s = 0) {
    raw.struct_size = sizeof raw;
    raw.op = uint32_t(op);
    raw.dtype = uint8_t(DType::f32);
    raw.stream = s;
    return Call(raw);
  }
};

TEST_F(Decompositions, AreNotRecorded) {
  const haft_raw_stream s = stream();
  void *p = memory(36, s), *factor = memory(36, s), *info = memory(4, s);
  haft_tensor_view matrix{}, result{}, status{};
  matrix.data = p, matrix.dtype = uint8_t(DType::f32), matrix.ndim = 2, matrix.contiguous = 1;
  matrix.numel = 9, matrix.sizes[0] = matrix.sizes[1] = 3, matrix.strides[0] = 3, matrix.strides[1] = 1;
  result = matrix, result.data = factor;
  status.data = info, status.dtype = uint8_t(DType::i32), status.numel = 1, status.contiguous = 1;
  const haft_tensor_view *in[] = {&matrix}, *out[] = {&result, &status};
  raw.in = in, raw.n_in = 1, raw.out = out, raw.n_out = 2;
  must(table().stream_synchronize, 0, s);
  must(table().capture_begin, 0, s);
  try {
    k_cholesky_factor(call(OpId::cholesky_factor, s));
    ADD_FAILURE() << "the library may wait where nothing can";
  } catch (const Error& e) {
    EXPECT_EQ(e.code, Code::unsupported);
    expect_has(e.message, "a decomposition by cuSOLVER cannot be recorded");
  }
  must(table().capture_end, 0, s, static_cast<haft_raw_graph*>(nullptr));
  free(p, 36, s), free(factor, 36, s), free(info, 4, s);
  table().stream_destroy(0, s);
}

// Of which the next call that waits is told, once.
TEST_F(Decompositions, IterationsWithoutAnEndAreTold) {
  const std::vector<int> ones(8, 0x3f800000);
  void *given = memory(32), *values = memory(16), *u = memory(32), *vt = memory(32);
  write(given, ones);
  auto view = [](void* p, std::initializer_list<int64_t> sizes) {
    haft_tensor_view v{};
    v.data = p, v.dtype = uint8_t(DType::f32), v.contiguous = 1, v.ndim = uint8_t(sizes.size()), v.numel = 1;
    std::copy(sizes.begin(), sizes.end(), v.sizes);
    for (int d = v.ndim; d-- > 0;) v.strides[d] = v.numel, v.numel *= v.sizes[d];
    return v;
  };
  const haft_tensor_view a = view(given, {2, 2, 2}), s = view(values, {2, 2}), left = view(u, {2, 2, 2}),
                         right = view(vt, {2, 2, 2});
  const haft_tensor_view *in[] = {&a}, *of_eigh[] = {&s, &left}, *of_svd[] = {&left, &s, &right};
  raw.in = in, raw.n_in = 1;
  const uint64_t words[] = {1};
  raw.attrs = words, raw.n_attrs = 1;
  for (const bool eigh : {true, false}) {
    raw.out = eigh ? of_eigh : of_svd, raw.n_out = eigh ? 2 : 3;
    for (const int unended : {0, 2}) {
      cuda_on_host::unended = unended;
      eigh ? k_eigh_factors(call(OpId::eigh_factors)) : k_svd_factors(call(OpId::svd_factors));
      const Answer told = cuda::call(table().stream_synchronize, 0, haft_raw_stream(0));
      EXPECT_EQ(told.status, unended ? int32_t(Code::linalg) : 0) << told.text;
      if (unended)
        expect_has(told.text, eigh ? "[linalg_eigh] matrix 0 of the batch: the iteration has no end"
                                   : "[linalg_svd] matrix 0 of the batch: the iteration has no end");
      must(table().stream_synchronize, 0, haft_raw_stream(0));
    }
  }
  free(given, 32), free(values, 16), free(u, 32), free(vt, 32);
}

TEST_F(Decompositions, RowsThatAreNoneStay) {
  // Of two matrices with four rows and three columns.
  const std::vector<int64_t> exchanged{3, 0, 3, -1, 9, 4};
  void *given = memory(48), *pivots = memory(24), *order = memory(64);
  must(table().copy_from_host, 0, given, static_cast<const void*>(exchanged.data()), int64_t(48),
       haft_raw_stream(0), 0u);
  order_of_rows(call(OpId::lu_factors), static_cast<const int64_t*>(given), 2, 3, 4,
                static_cast<int32_t*>(pivots), static_cast<int64_t*>(order));
  EXPECT_EQ(read(pivots, 6), (std::vector<int>{3, 2, 3, 1, 2, 4}));
  // Words of eight bytes.
  EXPECT_EQ(read(order, 16), (std::vector<int>{2, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 3, 0, 2, 0}));
  free(given, 48), free(pivots, 24), free(order, 64);
}

}  // namespace
}  // namespace haft::cuda
