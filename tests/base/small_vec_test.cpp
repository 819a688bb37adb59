#include "core/base/small_vec.h"

#include <gtest/gtest.h>

namespace haft {
namespace {

// memcpy may not be called with a null pointer, not even for nothing: the undefined behaviour sanitizer says so.
TEST(SmallVec, NothingFromNowhereIsAppended) {
  SmallVec<int, 2> v{1};
  v.append(nullptr, 0);
  EXPECT_EQ(v.size(), 1);
  const int more[] = {2, 3, 4};
  v.append(more, 3);
  v.append(nullptr, 0);
  ASSERT_EQ(v.size(), 4);
  EXPECT_EQ(v.back(), 4);
  SmallVec<int, 2> empty;
  empty.assign({});
  empty.append(nullptr, 0);
  EXPECT_TRUE(empty.empty());
}

}  // namespace
}  // namespace haft
