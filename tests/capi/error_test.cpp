// The error record: what it says, whose it is, how long it lives; exceptions of callbacks by their tokens.
#include <cstring>
#include <thread>

#include "capi_testing.h"

namespace {

struct ErrorRecord : CapiTest {};

TEST_F(ErrorRecord, SaysFunctionArgumentGotWantedAndHint) {
  Tensor a = floats({1, 2, 3}), b = floats({1, 2, 3, 4});
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_add(a.get(), b.get(), &out), HAFT_ERROR_SHAPE, "haft_add: ");
  std::string text = haft_error_get_message();
  EXPECT_NE(text.find("3"), std::string::npos);
  EXPECT_NE(text.find("4"), std::string::npos);
  EXPECT_STREQ(last_error().function, "haft_add");
  EXPECT_FAILS(haft_mm(a.get(), b.get(), &out), HAFT_ERROR_SHAPE, "haft_mm");
  EXPECT_FAILS(haft_index_select(a.get(), 0, floats({0}).get(), &out), HAFT_ERROR_DTYPE, "index");
  EXPECT_EQ(out, nullptr);
}

// Compositions, whose parts have names of their own.
TEST_F(ErrorRecord, NamesTheOperatorThatWasCalled) {
  const Tensor x = haft::ones({2, 3}), below = haft::full({1}, -1, HAFT_INT64),
               two = haft::full({2, 3}, -2, HAFT_INT64);
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_index_copy(x.get(), 1, below.get(), haft::ones({2, 1}).get(), &out), HAFT_ERROR_INDEX,
               "haft_index_copy: [index_copy");
  EXPECT_EQ(std::string(haft_error_get_message()).find("scatter"), std::string::npos)
      << haft_error_get_message();
  EXPECT_FAILS(haft_multilabel_margin_loss(x.get(), two.get(), 1, &out), HAFT_ERROR_INDEX,
               "[multilabel_margin_loss");
  EXPECT_EQ(std::string(haft_error_get_message()).find("gather"), std::string::npos)
      << haft_error_get_message();
  EXPECT_FAILS(haft_scatter(x.get(), 1, below.get(), x.get(), &out), HAFT_ERROR_SHAPE, "[scatter]");
  EXPECT_EQ(out, nullptr);
}

TEST_F(ErrorRecord, StaysUntilTheNextFailureOrClear) {
  int64_t n = 0;
  EXPECT_EQ(haft_tensor_get_ndim(nullptr, &n), HAFT_ERROR_INVALID_ARGUMENT);
  std::string text = haft_error_get_message();
  Tensor a = floats({1});
  EXPECT_EQ(haft_tensor_get_ndim(a.get(), &n), HAFT_OK);
  EXPECT_EQ(haft_error_get_message(), text);
  haft_error_clear();
  EXPECT_STREQ(haft_error_get_message(), "");
  EXPECT_EQ(last_error().code, HAFT_OK);
  EXPECT_EQ(last_error().argument_index, -1);
}

TEST_F(ErrorRecord, BelongsToItsThread) {
  haft_error_clear();
  std::thread([] {
    int64_t n = 0;
    EXPECT_EQ(haft_tensor_get_ndim(nullptr, &n), HAFT_ERROR_INVALID_ARGUMENT);
    EXPECT_EQ(last_error().code, HAFT_ERROR_INVALID_ARGUMENT);
  }).join();
  EXPECT_EQ(last_error().code, HAFT_OK);
}

TEST_F(ErrorRecord, OlderAndNewerStructs) {
  int64_t n = 0;
  haft_tensor_get_ndim(nullptr, &n);
  EXPECT_EQ(haft_error_get_last(nullptr), HAFT_ERROR_INVALID_ARGUMENT);
  haft_error_info info = HAFT_ERROR_INFO_INIT;
  info.struct_size = 0;
  EXPECT_EQ(haft_error_get_last(&info), HAFT_ERROR_BAD_STRUCT);
  info.struct_size = 8;  // knows the code only
  info.argument_index = 77;
  EXPECT_EQ(haft_error_get_last(&info), HAFT_OK);
  EXPECT_EQ(info.code, HAFT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(info.argument_index, 77);
  struct {
    haft_error_info known;
    char future[32];
  } newer;
  std::memset(&newer, 0x55, sizeof newer);
  newer.known.struct_size = sizeof newer;
  EXPECT_EQ(haft_error_get_last(&newer.known), HAFT_OK);
  EXPECT_STREQ(newer.known.function, "haft_tensor_get_ndim");
}

TEST_F(ErrorRecord, StatusNames) {
  EXPECT_STREQ(haft_status_get_name(HAFT_OK), "HAFT_OK");
  EXPECT_STREQ(haft_status_get_name(HAFT_ERROR_STALE_HANDLE), "HAFT_ERROR_STALE_HANDLE");
  EXPECT_STREQ(haft_status_get_name(HAFT_END), "HAFT_END");
  EXPECT_STREQ(haft_status_get_name(HAFT_ERROR_QUEUE_FULL), "HAFT_ERROR_QUEUE_FULL");
  EXPECT_STREQ(haft_status_get_name(HAFT_ERROR_CANCELLED), "HAFT_ERROR_CANCELLED");
  EXPECT_STREQ(haft_status_get_name(HAFT_ERROR_TIMEOUT), "HAFT_ERROR_TIMEOUT");
  EXPECT_STREQ(haft_status_get_name(HAFT_ERROR_PEER_LOST), "HAFT_ERROR_PEER_LOST");
  EXPECT_STREQ(haft_status_get_name(HAFT_ERROR_MISMATCH), "HAFT_ERROR_MISMATCH");
  EXPECT_STREQ(haft_status_get_name(HAFT_ERROR_LINALG), "HAFT_ERROR_LINALG");
  EXPECT_STREQ(haft_status_get_name(12345), "HAFT_ERROR_UNKNOWN");
  EXPECT_EQ(haft_error_set(HAFT_OK, nullptr, 0), HAFT_ERROR_CALLBACK);
}

haft_status failing_hook(haft_tensor*, haft_tensor**, void*) {
  return haft_error_set(HAFT_ERROR_CALLBACK, "KeyError: \xe2\x98\x83", 4711);
}
haft_status silent_hook(haft_tensor*, haft_tensor**, void*) { return HAFT_ERROR_CALLBACK; }

TEST_F(ErrorRecord, CarriesTheCallersOwnException) {
  Tensor x = leaf({1});
  int64_t id = 0;
  ASSERT_EQ(haft_tensor_add_hook(x.get(), failing_hook, nullptr, nullptr, &id), HAFT_OK);
  EXPECT_FAILS(haft_tensor_backward(haft::square(x).get(), nullptr, 0), HAFT_ERROR_CALLBACK,
               "KeyError: \xe2\x98\x83");
  EXPECT_EQ(last_error().foreign_token, 4711u);
  EXPECT_STREQ(last_error().function, "haft_tensor_backward");
  ASSERT_EQ(haft_tensor_remove_hook(x.get(), id), HAFT_OK);
  // A callback that fails without a word does not inherit the words of an earlier one.
  ASSERT_EQ(haft_tensor_add_hook(x.get(), silent_hook, nullptr, nullptr, &id), HAFT_OK);
  EXPECT_FAILS(haft_tensor_backward(haft::square(x).get(), nullptr, 0), HAFT_ERROR_CALLBACK, "hook");
  EXPECT_EQ(last_error().foreign_token, 0u);
  EXPECT_EQ(std::string(haft_error_get_message()).find("KeyError"), std::string::npos);
}

}  // namespace
