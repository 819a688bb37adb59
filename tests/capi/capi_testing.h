// What the tests of the C interface share: fixtures that count handles, small tensors, what an error record says.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "training_testing.h"

using CapiTest = TrainingTest;
using haft::Tensor;

inline Tensor floats(const std::vector<float>& v, const haft::IntArray& size) {
  return Tensor::from(v.data(), size);
}
inline Tensor floats(const std::vector<float>& v) { return Tensor::from(v); }
inline Tensor leaf(const std::vector<float>& v) { return Tensor::from(v).set_requires_grad(); }

// The status that a call of the C++ interface ends with.
template <class F>
haft_status code_of(F&& f) {
  try {
    f();
    return HAFT_OK;
  } catch (const haft::Error& e) {
    return e.code();
  }
}
// Every request of a session at rest ended in exactly one way.
inline void expect_balanced(const haft_session_metrics& m) {
  EXPECT_EQ(m.requests, m.completed + m.failed + m.refused + m.cancelled + m.timed_out + m.invalid);
  EXPECT_EQ(m.queue_length, 0);
  EXPECT_EQ(m.running, 0);
}

// A failed call names its function, its argument and the argument's place.
#define EXPECT_FAILS_AT(call, status, index, name)                          \
  do {                                                                      \
    EXPECT_EQ((call), (status)) << haft_error_get_message();                \
    haft_error_info record_ = last_error();                                 \
    EXPECT_EQ(record_.code, (status));                                      \
    EXPECT_EQ(record_.argument_index, (index)) << haft_error_get_message(); \
    EXPECT_STREQ(record_.argument, (name)) << haft_error_get_message();     \
    EXPECT_EQ(std::string(record_.function).rfind("haft_", 0), 0u);         \
    EXPECT_STRNE(record_.message, "");                                      \
  } while (0)
