#include "core/base/thread_state.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <thread>

namespace haft {
namespace {

TEST(ThreadState, IsPerThread) {
  ThreadState* mine = &thread_state();
  EXPECT_EQ(&thread_state(), mine);
  std::thread([&] {
    EXPECT_NE(&thread_state(), mine);
    EXPECT_TRUE(thread_state().grad_enabled);
    NoGradGuard guard;
    EXPECT_FALSE(thread_state().grad_enabled);
  }).join();
  EXPECT_TRUE(mine->grad_enabled);
  {
    NoGradGuard guard;
    EXPECT_FALSE(mine->grad_enabled);
  }
  EXPECT_TRUE(mine->grad_enabled);
}

std::atomic<int> destroyed{0};

TEST(ThreadState, SlotsAreDestroyedAtThreadExit) {
  destroyed = 0;
  std::thread([] {
    ThreadState& s = thread_state();
    s.slots[kSlotError] = new int(1);
    s.slot_destroy[kSlotError] = [](void* p) {
      delete static_cast<int*>(p);
      ++destroyed;
      // The state is still usable, and what a destroyer leaves behind is destroyed as well.
      ThreadState& s = thread_state();
      s.slots[kSlotScope] = new int(2);
      s.slot_destroy[kSlotScope] = [](void* q) {
        delete static_cast<int*>(q);
        ++destroyed;
      };
    };
  }).join();
  EXPECT_EQ(destroyed, 2);
}

TEST(ThreadState, WorksInLaterDestructors) {
  destroyed = 0;
  pthread_key_t key;
  // Made after ours, so its destructor runs after ours: it gets a new state, which is destroyed in its turn.
  thread_state();
  ASSERT_EQ(pthread_key_create(&key,
                               [](void*) {
                                 ThreadState& s = thread_state();
                                 s.slots[kSlotError] = new int(1);
                                 s.slot_destroy[kSlotError] = [](void* p) {
                                   delete static_cast<int*>(p);
                                   ++destroyed;
                                 };
                               }),
            0);
  std::thread([&] {
    thread_state();
    pthread_setspecific(key, &key);
  }).join();
  EXPECT_EQ(destroyed, 1);
  pthread_key_delete(key);
}

}  // namespace
}  // namespace haft
