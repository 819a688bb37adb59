// Fashion-MNIST, from the four IDX files of a folder, plain or .gz: grey pictures of ten kinds of clothing.
#ifndef SAMPLES_PICTURES_HPP
#define SAMPLES_PICTURES_HPP

#include <haft/haft.hpp>

#include <fstream>
#include <string>
#include <vector>

// Debian's package dataset-fashion-mnist.
constexpr const char* kFashion = "/usr/share/datasets/fashion-mnist";

// Batches of (n, 1, 28, 28) float32, from 0 to 1 and then as `more` makes them, and (n) int64. part is "train" or
// "t10k"; with `first`, only so many pictures.
inline haft::data::Loader pictures(const std::string& folder, const std::string& part, std::int64_t batch,
                                   std::int64_t seed, const std::vector<haft::data::Transform>& more = {},
                                   std::int64_t first = 0) {
  const auto find = [&](const std::string& name) {
    const std::string plain = folder + "/" + part + name;
    return std::ifstream(plain) ? plain : plain + ".gz";
  };
  haft::data::LoaderOptions options(batch, part == "train", 1);
  const haft::Tensor some = first ? haft::arange(0, first, 1, HAFT_INT64, HAFT_DEVICE_CPU) : haft::Tensor();
  options.seed = seed;
  options.indices = some.get();
  options.steps = {haft::data::to_float()};
  options.steps.insert(options.steps.end(), more.begin(), more.end());
  return {haft::data::idx_dataset(find("-images-idx3-ubyte"), find("-labels-idx1-ubyte")), options};
}

// The next batch, on this thread's device; false at the end.
inline bool next_batch(const haft::data::Loader& loader, std::vector<haft::Tensor>& batch) {
  if (!loader.next(batch)) return false;
  for (haft::Tensor& t : batch) t = haft::to(t, HAFT_DTYPE_NONE, haft::default_device());
  return true;
}

#endif
