// A large network teaches a small one (Hinton, Vinyals and Dean, arXiv:1503.02531): Fashion-MNIST.
//
//   c++ -std=c++17 distill.cpp $(pkg-config --cflags --libs haft)
//   ./a.out [FOLDER] [--steps 3000] [--hidden 24] [--temperature 2] [--labels 1000]
//
// The teacher learns the labels. The student learns what the teacher thinks of each picture, also of the kinds that
// it is not, and never sees a label. Beside it the same student learns from the labels alone, of which it has a few.
#include "options.hpp"
#include "pictures.hpp"

namespace {

namespace nn = haft::nn;
namespace optim = haft::optim;
using haft::Tensor;

constexpr std::int64_t kPixels = 28 * 28, kClasses = 10, kTeacher = 800;

nn::Module network(const std::vector<std::int64_t>& hidden, double dropout) {
  nn::Module net = nn::Sequential({nn::Flatten()});
  std::int64_t width = kPixels;
  for (std::int64_t next : hidden) {
    for (const nn::Module& layer : {nn::Linear(width, next), nn::ReLU(), nn::Dropout(dropout)})
      net.append(layer);
    width = next;
  }
  net.append(nn::Linear(width, kClasses));
  return net;
}

// How far the student's probabilities are from the teacher's, both softened; times T^2 gradients keep their size.
Tensor distance(const Tensor& student, const Tensor& teacher, double temperature) {
  const Tensor p = haft::log_softmax(student / temperature, 1),
               q = haft::log_softmax(teacher / temperature, 1);
  return haft::kl_div(p, q, HAFT_REDUCTION_SUM, true) * (temperature * temperature / double(student.size(0)));
}

double accuracy(const nn::Module& net, const haft::data::Loader& loader) {
  const haft::NoGrad off;
  double right = 0;
  net.eval();
  loader.reset();
  for (std::vector<Tensor> batch; next_batch(loader, batch);)
    right += haft::sum(haft::eq(haft::argmax(net(batch[0]), 1), batch[1])).item();
  return 100 * right / double(loader.sample_count());
}

// Trains it to have a small loss(scores, pictures, labels).
template <class Loss>
void learn(const char* who, const nn::Module& net, const haft::data::Loader& loader, long steps, double rate,
           Loss loss) {
  const optim::Optimizer adam = optim::adam(net.parameters(), rate);
  const optim::Scheduler schedule = optim::cosine_annealing_lr(adam, steps);
  double mean = 0;
  std::vector<Tensor> batch;
  net.train();
  for (long step = 1; step <= steps; ++step) {
    while (!next_batch(loader, batch)) loader.reset();
    const Tensor l = loss(net(batch[0]), batch[0], batch[1]);
    adam.zero_grad();
    l.backward();
    adam.step();
    schedule.step();
    mean = step == 1 ? l.item() : 0.98 * mean + 0.02 * l.item();
    if (step % 500 && step != steps) continue;
    std::printf("%-14s step %5ld  loss %.4f\n", who, step, mean);
    std::fflush(stdout);
  }
}

void run(Options& o) {
  const std::string folder = o.rest.empty() ? kFashion : o.rest[0];
  const std::vector<haft::data::Transform> normal = {haft::data::normalize({0.2860}, {0.3530})};
  const auto training = pictures(folder, "train", 100, o["--seed"], normal),
             testing = pictures(folder, "t10k", 500, 0, normal);
  const auto few = pictures(folder, "train", 100, o["--seed"], normal, o["--labels"]);
  const long steps = o["--steps"];
  const double temperature = o.number("--temperature");
  const auto told = [](const Tensor& scores, const Tensor&, const Tensor& labels) {
    return haft::cross_entropy(scores, labels);
  };
  const nn::Module teacher = network({kTeacher, kTeacher}, 0.3), student = network({o["--hidden"]}, 0),
                   alone = network({o["--hidden"]}, 0);
  std::printf("a teacher of %ld parameters, a student of %ld\n", long(teacher.parameter_count()),
              long(student.parameter_count()));

  learn("teacher", teacher, training, steps, 1e-3, told);
  teacher.eval();
  learn("student", student, training, steps, 4e-3, [&](const Tensor& scores, const Tensor& x, const Tensor&) {
    const auto thoughts = [&] {
      const haft::NoGrad off;
      return teacher(x);
    };
    return distance(scores, thoughts(), temperature);
  });
  learn("student alone", alone, few, steps, 4e-3, told);
  std::printf("teacher: %.2f %% of the test's pictures\nstudent: %.2f %%\nstudent alone: %.2f %%\n",
              accuracy(teacher, testing), accuracy(student, testing), accuracy(alone, testing));
}

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "[FOLDER] [OPTION NUMBER]...",
            {{"--steps", 3000, 1, "steps of 100 pictures for each network; 600 are all of them once"},
             {"--hidden", 24, 1, "width of the student; the teacher has 800 twice"},
             {"--temperature", 2, 1, "how much the teacher's thoughts are softened"},
             {"--labels", 1000, 1, "pictures with labels that the student has when it is alone"}});
  try {
    run(o);
  } catch (const std::exception& e) {
    Options::fail(argv[0], e.what());
  }
}
