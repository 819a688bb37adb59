// Handles under many threads: owners that come and go, finalizer threads that release what others made,
// statistics and trimming meanwhile. The thread sanitizer looks at the same.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

#include "capi_testing.h"

namespace {

struct Threads : CapiTest {};

// What a garbage collector's finalizer thread does: it releases handles that it was handed.
class Finalizer {
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<haft_tensor*> waiting_;
  bool over_ = false;
  std::thread thread_;

 public:
  Finalizer() {
    thread_ = std::thread([this] {
      std::unique_lock lock(mutex_);
      for (;;) {
        more_.wait(lock, [&] { return over_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        haft_tensor* t = waiting_.front();
        waiting_.pop_front();
        lock.unlock();
        haft_tensor_release(t);
        lock.lock();
      }
    });
  }
  ~Finalizer() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    more_.notify_all();
    thread_.join();
  }
  void give(haft_tensor* t) {
    {
      std::lock_guard lock(mutex_);
      waiting_.push_back(t);
    }
    more_.notify_one();
  }
};

TEST_F(Threads, OwnersComeAndGo) {
  constexpr int kThreads = 4, kRounds = 400;
  static std::atomic<int> released;
  released = 0;
  static float memory[64] = {};
  int made = 0;
  {
    Finalizer first, second;
    Tensor shared = Tensor::over(memory, {64}, [](void*) { ++released; });
    ++made;
    std::atomic<int> wrapped{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int k = 0; k < kThreads; ++k)
      threads.emplace_back([&, k] {
        std::mt19937 random(unsigned(k) * 7919 + 1);
        for (int i = 0; i < kRounds; ++i) {
          Finalizer& finalizer = random() % 2 ? first : second;
          // One more owner of a handle that everyone has.
          wrong += haft_tensor_retain(shared.get()) != HAFT_OK;
          finalizer.give(shared.get());
          // A tensor of this thread, a view of it and a result that outlives both.
          haft_tensor *own = nullptr, *view = nullptr, *sum = nullptr;
          const int64_t size[] = {8, 8};
          float* data = memory;
          wrong += haft_tensor_from_memory(
                       data, size, nullptr, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, [](void*) { ++released; },
                       nullptr, &own) != HAFT_OK;
          ++wrapped;
          wrong += haft_select(own, 0, int64_t(random() % 8), &view) != HAFT_OK;
          finalizer.give(own);
          wrong +=
              haft_add(view, shared.get(), &sum) == HAFT_OK;  // shapes that do not fit: this thread's record
          wrong += std::string(haft_error_get_message()).find("haft_add") != 0;
          wrong += haft_add(view, view, &sum) != HAFT_OK;
          finalizer.give(view);
          if (random() % 2) {
            haft_tensor_release(sum);
          } else {
            finalizer.give(sum);
          }
        }
      });
    // Meanwhile: what a monitoring thread asks for.
    std::atomic<bool> over{false};
    std::thread monitor([&] {
      while (!over) {
        wrong += haft::live_handles() < 1;
        wrong += haft::memory_stats().live < 0;
        haft::trim_memory();
      }
    });
    for (std::thread& t : threads) t.join();
    over = true;
    monitor.join();
    EXPECT_EQ(wrong, 0);
    made += wrapped;
  }
  EXPECT_EQ(released, made);
}

// Handles of other kinds, on several threads at once.
TEST_F(Threads, ObjectsAreSharedAndDropped) {
  haft_module* net = haft::nn::Linear(8, 4).release();
  haft_generator* generator = nullptr;
  haft::check(haft_generator_create(1, &generator));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    haft::check(haft_module_retain(net));
    haft::check(haft_generator_retain(generator));
    threads.emplace_back([&, net, generator] {
      for (int i = 0; i < 100; ++i) {
        haft::Scope scope;
        const int64_t size[] = {2, 8};
        haft_tensor *x = nullptr, *y = nullptr, *w = nullptr;
        wrong += haft_rand(size, 2, HAFT_FLOAT32, HAFT_DEVICE_CPU, generator, &x) != HAFT_OK;
        wrong += haft_module_forward(net, x, &y) != HAFT_OK;
        wrong += haft_module_parameter(net, "weight", &w) != HAFT_OK;
      }
      haft_module_release(net);
      haft_generator_release(generator);
    });
  }
  haft_module_release(net);
  haft_generator_release(generator);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// Threads that train on one set of parameters, each with a graph of its own: every gradient arrives.
TEST_F(Threads, GradientsOfSharedParametersAddUp) {
  Tensor w = leaf({1, 2, 3});
  constexpr int kThreads = 4, kRounds = 100;
  std::vector<std::thread> threads;
  for (int k = 0; k < kThreads; ++k)
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) haft::sum(w * w).backward();
    });
  for (std::thread& t : threads) t.join();
  const float n = 2 * kThreads * kRounds;
  EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{n, 2 * n, 3 * n}));
}

}  // namespace
