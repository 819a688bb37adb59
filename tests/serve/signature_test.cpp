// What a session knows of its requests changes under its mutex, so that clients of different sizes must not make it
// allocate.
#include "core/serve/signature.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "core/init.h"
#include "core/ops/functions.h"

namespace {
thread_local int64_t allocations = 0;
}  // namespace

// Aligned and array forms come here by default; the others' are the library's.
void* operator new(size_t n) {
  ++allocations;
  if (void* p = std::malloc(n ? n : 1)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace haft::serve {
namespace {

Tensor of(IntList sizes) { return ops::zeros(sizes, DType::f32, Device{}); }

TEST(Signature, SizesThatAlternateNeedNoMemory) {
  init();
  const Tensor small[] = {of(Shape{1, 3})}, large[] = {of(Shape{1, 5, 7})}, out[] = {of(Shape{1, 2})};
  Signature s;
  auto both = [&] {
    s.learn(small, out, false);
    EXPECT_TRUE(s.fits(small, false) && !s.fits(large, false));
    s.learn(large, out, false);
    EXPECT_TRUE(s.fits(large, false) && !s.fits(small, false));
  };
  both();
  const int64_t before = allocations;
  for (int i = 0; i < 100; ++i) both();
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(s.sample()[0].numel(), 35);
}

}  // namespace
}  // namespace haft::serve
