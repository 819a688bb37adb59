// A recommender of two towers: one makes a vector of a user, the other of an item, and the two lie close where he
// will like it (Yi et al., 2019).
//
//   c++ -std=c++17 two_tower.cpp $(pkg-config --cflags --libs haft)
//   ./a.out [--steps 2000] [--users 1000] [--items 400]
//
// Tastes are made up here, and nobody but their maker knows them: the towers see who took what, and in a batch each
// user tells his item from those of the others. Of each user one item is held back; the sample tells how often it is
// among the ten that are recommended to him.
#include <algorithm>
#include <cmath>

#include "options.hpp"

namespace {

namespace nn = haft::nn;
namespace optim = haft::optim;
using haft::Tensor;

constexpr long kTastes = 6, kTaken = 20, kWidth = 32, kBatch = 256, kShown = 10;

struct Random {
  std::uint64_t state;
  double operator()() {  // from 0 to 1
    state = state * 6364136223846793005u + 1442695040888963407u;
    return double(state >> 40) / double(1 << 24);
  }
};

// Who took what: kTaken items of each user, those that he likes most on that day; the last one is held back.
struct Taken {
  long users, items;
  std::vector<std::int64_t> who, what, held;

  Taken(long user_count, long item_count, std::uint64_t seed) : users(user_count), items(item_count) {
    Random draw{seed * 977 + 7};
    std::vector<double> tastes(std::size_t((users + items) * kTastes));
    for (double& t : tastes) t = 2 * draw() - 1;
    for (long u = 0; u < users; ++u) {
      std::vector<std::pair<double, std::int64_t>> liked;
      for (long i = 0; i < items; ++i) {
        double sum = -std::log(-std::log(draw() + 1e-9) + 1e-9);  // the day's mood
        for (long k = 0; k < kTastes; ++k)
          sum += 5 * tastes[std::size_t(u * kTastes + k)] * tastes[std::size_t((users + i) * kTastes + k)];
        liked.emplace_back(-sum, i);
      }
      std::partial_sort(liked.begin(), liked.begin() + kTaken, liked.end());
      const std::size_t back = std::size_t(draw() * kTaken);
      for (std::size_t n = 0; n < kTaken; ++n) {
        if (n == back)
          held.push_back(liked[n].second);
        else
          who.push_back(u), what.push_back(liked[n].second);
      }
    }
  }
};

// Numbers (n) to vectors (n, kWidth) of length 1.
nn::Module tower(std::int64_t count) {
  return nn::Sequential({nn::Embedding(count, kWidth), nn::Linear(kWidth, 2 * kWidth), nn::ReLU(),
                         nn::Linear(2 * kWidth, kWidth)});
}
Tensor vectors(const nn::Module& tower, const Tensor& numbers) {
  const Tensor x = tower(numbers);
  return x / haft::sqrt(haft::sum(haft::square(x), {1}, true) + 1e-12);
}

// How many users have what they were held back among the first; what they took already is not shown again.
double recall(const nn::Module& users, const nn::Module& items, const Taken& taken) {
  const haft::NoGrad off;
  const Tensor u = vectors(users, haft::arange(0, taken.users)),
               i = vectors(items, haft::arange(0, taken.items));
  const Tensor near = haft::matmul(u, haft::transpose(i, 0, 1));
  const std::vector<float> numbers = near.to_vector<float>();
  std::vector<char> had(numbers.size());
  for (std::size_t n = 0; n < taken.who.size(); ++n)
    had[std::size_t(taken.who[n] * taken.items + taken.what[n])] = 1;
  long found = 0;
  for (long user = 0; user < taken.users; ++user) {
    const std::size_t row = std::size_t(user * taken.items);
    long before = 0;
    for (std::size_t item = 0; item < std::size_t(taken.items); ++item)
      before +=
          !had[row + item] && numbers[row + item] > numbers[row + std::size_t(taken.held[std::size_t(user)])];
    found += before < kShown;
  }
  return 100 * double(found) / double(taken.users);
}

void run(Options& o) {
  if (o["--items"] < 2 * kTaken)
    throw std::runtime_error("--items wants at least " + std::to_string(2 * kTaken));
  const Taken taken(o["--users"], o["--items"], std::uint64_t(o["--seed"]));
  const long steps = o["--steps"];
  const nn::Module users = tower(taken.users), items = tower(taken.items);
  std::vector<Tensor> parameters = users.parameters();
  for (const Tensor& t : items.parameters()) parameters.push_back(t);
  const optim::Optimizer adam = optim::adam(parameters, 3e-3);
  const optim::Scheduler schedule = optim::cosine_annealing_lr(adam, steps);
  const Tensor who = Tensor::from(taken.who), what = Tensor::from(taken.what), own = haft::arange(0, kBatch);
  std::printf("%ld users took %zu of %ld items; chance recommends what was held back to %.1f %%\n",
              taken.users, taken.who.size(), taken.items, 100.0 * kShown / double(taken.items - kTaken + 1));
  double mean = 0;
  for (long step = 1; step <= steps; ++step) {
    const Tensor rows = haft::randint(0, std::int64_t(taken.who.size()), {kBatch}, HAFT_INT64);
    const Tensor u = vectors(users, haft::index_select(who, 0, rows)),
                 i = vectors(items, haft::index_select(what, 0, rows));
    const Tensor loss = haft::cross_entropy(haft::matmul(u, haft::transpose(i, 0, 1)) * 10.0, own);
    adam.zero_grad();
    loss.backward();
    adam.step();
    schedule.step();
    mean = step == 1 ? loss.item() : 0.98 * mean + 0.02 * loss.item();
    if (step % 200 == 0 || step == steps) {
      std::printf("step %5ld  loss %.4f\n", step, mean);
      std::fflush(stdout);
    }
  }
  std::printf("recommended: %.1f %% of what was held back\n", recall(users, items, taken));
}

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "[OPTION NUMBER]...",
            {{"--steps", 2000, 1, "steps of 256 pairs of a user and an item"},
             {"--users", 1000, 1, "who takes 20 items each"},
             {"--items", 400, 40, "of which they take"}});
  try {
    run(o);
  } catch (const std::exception& e) {
    Options::fail(argv[0], e.what());
  }
}
