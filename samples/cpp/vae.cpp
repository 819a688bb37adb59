// A variational autoencoder learns to draw clothing (Kingma and Welling, arXiv:1312.6114): Fashion-MNIST.
//
//   c++ -std=c++17 vae.cpp $(pkg-config --cflags --libs haft)
//   ./a.out [FOLDER] [--steps 6000] [--latent 20]
//
// One half says where a picture may lie among 20 numbers, the other draws it from there. What both need to tell a
// picture that they have never seen is measured in nats, and has a bound below it: the fewer the better. At the end
// it draws pictures that nobody has made.
#include "../c/terminal.h"
#include "options.hpp"
#include "pictures.hpp"

namespace {

namespace nn = haft::nn;
using haft::Tensor;

constexpr std::int64_t kPixels = 28 * 28, kHidden = 400;

struct Vae {
  std::int64_t latent;
  nn::Module encoder, decoder;

  explicit Vae(std::int64_t size)
      : latent(size),
        encoder(nn::Sequential(
            {nn::Flatten(), nn::Linear(kPixels, kHidden), nn::ReLU(), nn::Linear(kHidden, 2 * size)})),
        decoder(nn::Sequential({nn::Linear(size, kHidden), nn::ReLU(), nn::Linear(kHidden, kPixels)})) {}

  std::vector<Tensor> parameters() const {
    std::vector<Tensor> all = encoder.parameters();
    for (const Tensor& t : decoder.parameters()) all.push_back(t);
    return all;
  }

  // The negative evidence lower bound of pictures (n, 1, 28, 28), in nats a picture.
  Tensor loss(const Tensor& x) const {
    const std::vector<Tensor> parts = haft::chunk(encoder(x), 2, 1);
    const Tensor &mean = parts[0], &log_variance = parts[1];
    const Tensor place = mean + haft::exp(log_variance * 0.5) * haft::randn_like(mean);
    const Tensor drawn = haft::binary_cross_entropy_with_logits(decoder(place), haft::flatten(x, 1), Tensor(),
                                                                Tensor(), HAFT_REDUCTION_SUM);
    const Tensor surprise = haft::sum(haft::square(mean) + haft::exp(log_variance) - log_variance - 1.0) *
                            0.5;  // against a normal place
    return (drawn + surprise) / double(x.size(0));
  }
};

double test(const Vae& vae, const haft::data::Loader& loader) {
  const haft::NoGrad off;
  double sum = 0;
  long count = 0;
  loader.reset();
  for (std::vector<Tensor> batch; next_batch(loader, batch); ++count) sum += vae.loss(batch[0]).item();
  return sum / double(count);  // all batches are of one size
}

void draw(const Vae& vae) {
  const haft::NoGrad off;
  const Tensor drawn = haft::sigmoid(vae.decoder(haft::randn({6, vae.latent}))) * 255.0;
  const std::vector<float> numbers = drawn.to_vector<float>();
  const std::vector<unsigned char> grey(numbers.begin(), numbers.end());
  picture pictures[6] = {};
  for (int i = 0; i < 6; ++i) pictures[i].grey = &grey[std::size_t(i * kPixels)];
  draw_pictures(pictures, 6, 28);
}

void run(Options& o) {
  const std::string folder = o.rest.empty() ? kFashion : o.rest[0];
  const auto training = pictures(folder, "train", 100, o["--seed"]),
             testing = pictures(folder, "t10k", 500, 0);
  const Vae vae(o["--latent"]);
  const haft::optim::Optimizer optimizer = haft::optim::adam(vae.parameters(), o.number("--lr"));
  const long steps = o["--steps"];
  double mean = 0;
  std::vector<Tensor> batch;
  for (long step = 1; step <= steps; ++step) {
    while (!next_batch(training, batch)) training.reset();  // again from the beginning, in another order
    const Tensor loss = vae.loss(batch[0]);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    mean = step == 1 ? loss.item() : 0.99 * mean + 0.01 * loss.item();
    if (step % 200 == 0 || step == steps) {
      std::printf("step %5ld  %.2f nats a picture\n", step, mean);
      std::fflush(stdout);
    }
  }
  std::printf("held out: %.2f nats a picture\n", test(vae, testing));
  draw(vae);
}

}  // namespace

int main(int argc, char** argv) {
  Options o(argc, argv, "[FOLDER] [OPTION NUMBER]...",
            {{"--steps", 6000, 1, "steps of 100 pictures; 600 are all of them once"},
             {"--latent", 20, 1, "numbers that a picture is drawn from"},
             {"--lr", 1e-3, 0, "learning rate of Adam"}});
  try {
    run(o);
  } catch (const std::exception& e) {
    Options::fail(argv[0], e.what());
  }
}
