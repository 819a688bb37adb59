// Files as a user of the library has them; a training run that goes on from a checkpoint with the same numbers.
#include <cmath>
#include <fstream>
#include <iterator>

#include "training_testing.h"

namespace {

namespace data = haft::data;
namespace io = haft::io;
namespace nn = haft::nn;
namespace optim = haft::optim;
using haft::Tensor;
using Io = TrainingTest;

std::string slurp(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(f), {}};
}

TEST_F(Io, Weights) {
  TempFolder folder;
  std::string path = folder / "w.safetensors";
  Tensor big = haft::randn({100, 3}), strided = haft::transpose(big, 0, 1);
  io::save_safetensors({{"b.weight", big}, {"a", Tensor::from<int64_t>({1, 2})}, {"t", strided}}, path);
  Tensor kept;
  {
    io::Weights w(path);
    EXPECT_EQ(w.size(), 3);
    EXPECT_EQ(w.all().size(), 3u);
    kept = w["b.weight"];
    EXPECT_EQ(kept.sizes(), (std::vector<int64_t>{100, 3}));
    EXPECT_EQ(w["t"].to_vector<float>(), strided.to_vector<float>());
    EXPECT_EQ(w["a"].to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
    haft_tensor* t = nullptr;
    EXPECT_FAILS(haft_weights_find(w.get(), "c", &t), HAFT_ERROR_INVALID_ARGUMENT, "'c'");
    EXPECT_FAILS(haft_weights_tensor(w.get(), 3, &t), HAFT_ERROR_INDEX, "3 tensors");
    // Writing into a mapped tensor leaves the file alone.
    std::string before = slurp(path);
    std::vector<float> zeros(300);
    haft::check(haft_tensor_write(w["b.weight"].get(), zeros.data(), 1200));
    EXPECT_EQ(slurp(path), before);
    kept = w["b.weight"];
  }
  EXPECT_EQ(kept.numel(), 300);
  EXPECT_EQ(kept.to_vector<float>()[0], 0);
  haft_weights* w = nullptr;
  EXPECT_FAILS(haft_weights_open((folder / "none").c_str(), &w), HAFT_ERROR_IO, "none");
  std::ofstream(path) << "not weights at all";
  EXPECT_FAILS(haft_weights_open(path.c_str(), &w), HAFT_ERROR_CORRUPT, "w.safetensors");
  const char* names[] = {"x", "x"};
  haft_tensor* ts[] = {big.get(), big.get()};
  EXPECT_FAILS(haft_weights_save(names, ts, 2, path.c_str()), HAFT_ERROR_INVALID_ARGUMENT, "x");
}

TEST_F(Io, Npz) {
  TempFolder folder;
  const Tensor x = haft::randn({20, 30});
  for (bool compressed : {false, true}) {
    io::save_npz({{"x", haft::transpose(x, 0, 1)}, {"größe", Tensor::from<int64_t>({1, 2})}},
                 folder / "a.npz", compressed);
    io::Weights w(folder / "a.npz");
    EXPECT_EQ(w.size(), 2);
    EXPECT_EQ(w.name(1), "größe");
    EXPECT_EQ(w["x"].to_vector<float>(), haft::transpose(x, 0, 1).to_vector<float>());
    EXPECT_EQ(w["größe"].to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
    // A member is compared with its checksum when it is read.
    std::string bytes = slurp(folder / "a.npz");
    bytes[400] ^= 1;
    std::ofstream(folder / "b.npz", std::ios::binary) << bytes;
    io::Weights bent(folder / "b.npz");
    haft_tensor* t = nullptr;
    EXPECT_FAILS(haft_weights_find(bent.get(), "x", &t), HAFT_ERROR_CORRUPT, "b.npz");
    EXPECT_EQ(bent[1].to_vector<int64_t>(), (std::vector<int64_t>{1, 2}));
  }
  const char* names[] = {"x", "x"};
  haft_tensor* ts[] = {x.get(), x.get()};
  EXPECT_FAILS(haft_npz_save(names, ts, 2, 0, (folder / "a.npz").c_str()), HAFT_ERROR_INVALID_ARGUMENT,
               "'x'");
  EXPECT_FAILS(haft_npz_save(names, ts, 1, 2, (folder / "a.npz").c_str()), HAFT_ERROR_INVALID_ARGUMENT,
               "compressed");
  // A module reads its state out of one.
  nn::Module net = nn::Linear(3, 2), same = nn::Linear(3, 2);
  io::save_npz(net.state_dict(), folder / "net.npz");
  same.load(folder / "net.npz");
  EXPECT_EQ(same.state_dict()[0].second.to_vector<float>(), net.state_dict()[0].second.to_vector<float>());
}

TEST_F(Io, Npy) {
  TempFolder folder;
  Tensor x = haft::randn({2, 3});
  io::save_npy(haft::transpose(x, 0, 1), folder / "x.npy");
  Tensor y = io::load_npy(folder / "x.npy");
  EXPECT_EQ(y.sizes(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(y.to_vector<float>(), haft::transpose(x, 0, 1).to_vector<float>());
  EXPECT_FAILS(haft_npy_save(haft::cast(x, HAFT_BFLOAT16).get(), (folder / "b.npy").c_str()),
               HAFT_ERROR_DTYPE, "bfloat16");
}

TEST_F(Io, PicturesAreRead) {
  TempFolder folder;
  const Tensor x = haft::cast(haft::reshape(haft::arange(0, 24, 1), {4, 2, 3}), HAFT_UINT8);
  io::save_png(x, folder / "x.png");
  EXPECT_EQ(io::load_image(folder / "x.png").to_vector<std::uint8_t>(), x.to_vector<std::uint8_t>());
  EXPECT_EQ(io::load_image(folder / "x.png", 1).sizes(), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(io::decode_image(io::encode_png(x)).to_vector<std::uint8_t>(), x.to_vector<std::uint8_t>());
  haft_tensor* out = nullptr;
  EXPECT_FAILS(haft_image_load((folder / "y.png").c_str(), 0, &out), HAFT_ERROR_IO, "y.png");
  EXPECT_FAILS(haft_image_load((folder / "x.png").c_str(), 7, &out), HAFT_ERROR_INVALID_ARGUMENT, "got 7");
  EXPECT_FAILS(haft_image_decode(x.get(), 0, &out), HAFT_ERROR_SHAPE, "[4, 2, 3]");
  EXPECT_FAILS(haft_image_encode(x.get(), 2, 6, &out), HAFT_ERROR_INVALID_ARGUMENT, "HAFT_IMAGE_");
  EXPECT_FAILS(haft_image_encode(x.get(), HAFT_IMAGE_PNG, 10, &out), HAFT_ERROR_INVALID_ARGUMENT, "0 to 9");
  const Tensor grey = haft::full({1, 8, 8}, 100, HAFT_UINT8);
  const haft_status s = haft_jpeg_save(grey.get(), 90, (folder / "x.jpg").c_str());
  if (s == HAFT_ERROR_UNAVAILABLE) GTEST_SKIP() << "no libturbojpeg";
  EXPECT_EQ(s, HAFT_OK);
  EXPECT_EQ(io::load_image(folder / "x.jpg", 3).to_vector<std::uint8_t>(),
            std::vector<std::uint8_t>(192, 100));
  EXPECT_EQ(io::decode_image(io::encode_jpeg(grey)).to_vector<std::uint8_t>(),
            std::vector<std::uint8_t>(64, 100));
}

TEST_F(Io, FoldersOfPictures) {
  TempFolder folder;
  for (const char* name : {"b", "a"}) {
    std::filesystem::create_directory(folder / name);
    io::save_png(haft::full({3, 2, name[0] - 'a' + 2}, 7, HAFT_UINT8),
                 folder / (std::string(name) + "/1.png"));
  }
  const data::Dataset d = data::image_folder_dataset(folder.path());
  ASSERT_EQ(d.class_count(), 2);
  EXPECT_EQ(d.class_name(0) + d.class_name(1), "ab");
  EXPECT_EQ(d.targets().to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(d[1][0].sizes(), (std::vector<std::int64_t>{3, 2, 3}));
  EXPECT_EQ(d[1][1].to_vector<std::int64_t>(), std::vector<std::int64_t>{1});
  data::LoaderOptions options(2, false, 1);
  options.steps = {data::random_resized_crop(2, 2), data::to_float(1)};
  data::Loader loader(d, options);
  std::vector<Tensor> batch;
  ASSERT_TRUE(loader.next(batch));
  EXPECT_EQ(batch[0].to_vector<float>(), std::vector<float>(24, 7));
  const data::Dataset files = data::image_files_dataset({folder / "a/1.png"}, {5}, 1);
  EXPECT_EQ(files.class_count(), 0);
  EXPECT_EQ(files[0][1].to_vector<std::int64_t>(), std::vector<std::int64_t>{5});
  const char* name = nullptr;
  haft_tensor* targets = nullptr;
  EXPECT_FAILS(haft_dataset_get_class_name(d.get(), 2, &name), HAFT_ERROR_INDEX, "2 classes");
  const data::Dataset rows = data::tensor_dataset({haft::zeros({3, 2})});
  EXPECT_FAILS(haft_dataset_targets(rows.get(), &targets), HAFT_ERROR_UNSUPPORTED, "labels");
}

TEST_F(Io, GraphsForTensorBoard) {
  TempFolder folder;
  auto net = nn::Sequential({nn::Linear(3, 4), nn::Tanh()});
  {
    io::Writer w(folder / "a");
    w.add_graph(net, {haft::ones({2, 3})});
    const std::string events = slurp(w.path());
    for (const char* name :
         {"input/input", "Sequential/Linear[0]/weight", "Sequential/Linear[0]/bias",
          "Sequential/Linear[0]/Linear", "Sequential/Tanh[1]/Tanh", "output/output", "_output_shapes"})
      EXPECT_NE(events.find(name), std::string::npos) << name;
    EXPECT_FALSE(net.parameters()[0].grad());
    EXPECT_FAILS(haft_writer_add_graph(w.get(), net.get(), nullptr, 1), HAFT_ERROR_INVALID_ARGUMENT,
                 "inputs");
  }
  io::Writer w(folder / "b");
  Tensor x = haft::ones({2}), weight = haft::ones({2});
  x.set_requires_grad(true);
  weight.set_requires_grad(true);
  const Tensor first = haft::exp(x), second = haft::mul(first, weight);
  w.add_recorded_graph({x}, {second}, {"Net/weight"}, {weight}, {0, haft::grad_fn(first).id()},
                       {haft::grad_fn(second).id() + 1, haft::grad_fn(second).id() + 1},
                       {"Net", "Net/Inner"});
  const std::string events = slurp(w.path());
  for (const char* name : {"Net/Exp", "Net/Inner/Mul", "Net/weight"})
    EXPECT_NE(events.find(name), std::string::npos) << name;
  EXPECT_EQ(events.find("Net/Inner/Exp"), std::string::npos);

  // An input that was computed before is a node once, and what is called like an input is one of its own.
  io::Writer part(folder / "c");
  part.add_recorded_graph({first}, {second}, {"input/weight"}, {weight}, {}, {}, {});
  const std::string drawn = slurp(part.path());
  auto count = [&](const std::string& text) {
    int n = 0;
    for (size_t at = 0; (at = drawn.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count("input/input"), 2);  // its node, and where it is read
  EXPECT_EQ(count("input/weight"), 2);
  EXPECT_EQ(count("Exp"), 0);
}

TEST_F(Io, PicturesAndTexts) {
  TempFolder folder;
  const Tensor grey = Tensor::from(std::vector<float>{0, 0.5f, 1, 2}.data(), {1, 2, 2});
  io::save_png(grey, folder / "x.png");
  const std::string png = slurp(folder / "x.png");
  EXPECT_EQ(png.substr(0, 24), std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\2", 24));
  io::Writer w(folder.path());
  w.add_image("picture", haft::cast(haft::mul_scalar(haft::clamp(grey, 0.0, 1.0), 255.0), HAFT_UINT8), 3,
              1700000000.5);
  w.add_text("notes", "größer", 4);
  const std::string events = slurp(w.path());
  EXPECT_NE(events.find(png), std::string::npos);  // the same pixels
  EXPECT_NE(events.find("größer"), std::string::npos);
  EXPECT_NE(events.find("notes/text_summary"), std::string::npos);
  EXPECT_FAILS(haft_png_save(haft::zeros({2, 2}).get(), "x"), HAFT_ERROR_SHAPE, "[2, 2]");
  EXPECT_FAILS(haft_png_save(haft::zeros({2, 2, 2}).get(), "x"), HAFT_ERROR_INVALID_ARGUMENT, "2 x 2 x 2");
  EXPECT_FAILS(haft_png_save(haft::zeros({1, 2, 2}, HAFT_INT64).get(), "x"), HAFT_ERROR_DTYPE, "int64");
  EXPECT_FAILS(haft_writer_add_text(w.get(), "", "x", 0, 0), HAFT_ERROR_INVALID_ARGUMENT, "tag is empty");
  EXPECT_FAILS(haft_writer_add_image(w.get(), "x", haft::zeros({1, 0, 2}).get(), 0, 0),
               HAFT_ERROR_INVALID_ARGUMENT, "0 x 2");
}

TEST_F(Io, Idx) {
  TempFolder folder;
  std::ofstream(folder / "x") << std::string("\0\0\x08\x01\0\0\0\x03\x01\x02\xff", 11);
  Tensor x = io::load_idx(folder / "x");
  EXPECT_EQ(x.dtype(), HAFT_UINT8);
  EXPECT_EQ(x.to_string(), "tensor([  1,   2, 255], dtype=uint8)");
  haft_tensor* out = nullptr;
  std::ofstream(folder / "x") << "nothing of the kind";
  EXPECT_FAILS(haft_idx_load((folder / "x").c_str(), &out), HAFT_ERROR_CORRUPT, "x");
  EXPECT_FAILS(haft_idx_load((folder / "y").c_str(), &out), HAFT_ERROR_IO, "y");
}

TEST_F(Io, Writer) {
  TempFolder folder;
  io::Writer w(folder / "runs");
  w.add_scalar("loss/train", 0.5, 1);
  w.add_histogram("weights", haft::randn({50}), 1);
  w.flush();
  EXPECT_EQ(w.path().find(folder.path()), 0u);
  w.add_event("\x10\x07\x1a\x05mine!", 9);  // step 7, file_version
  EXPECT_FAILS(haft_writer_add_event(w.get(), "", 0), HAFT_ERROR_INVALID_ARGUMENT, "0 bytes");
  std::string text = slurp(w.path());
  EXPECT_NE(text.find("mine!"), std::string::npos);
  EXPECT_NE(text.find("loss/train"), std::string::npos);
  EXPECT_NE(text.find("weights"), std::string::npos);
  EXPECT_FAILS(haft_writer_add_histogram(w.get(), "x", Tensor::from<float>({NAN}).get(), 1),
               HAFT_ERROR_INVALID_ARGUMENT, "finite");
  EXPECT_FAILS(haft_writer_add_scalar(w.get(), "", 1, 1), HAFT_ERROR_INVALID_ARGUMENT, "tag");
  w.close();
  w.close();
  EXPECT_FAILS(haft_writer_add_scalar(w.get(), "loss/train", 1, 2), HAFT_ERROR_INVALID_ARGUMENT, "closed");
}

// A network with dropout and running statistics, a schedule, a shuffling loader with random transforms.
struct Training {
  haft_generator* noise = nullptr;
  nn::Module net;
  optim::Optimizer optimizer;
  optim::Scheduler scheduler;
  data::Loader loader;

  static data::Dataset images() {
    haft::manual_seed(1);
    Tensor x = haft::cast(haft::randint(0, 256, {40, 1, 8, 8}), HAFT_UINT8), y = haft::randint(0, 10, {40});
    return data::tensor_dataset({x, y});
  }
  Training(int64_t seed, int workers, bool adam) {
    data::Dataset d = images();
    haft::manual_seed(seed);
    haft::check(haft_generator_create(seed, &noise));
    net = nn::Sequential({nn::Conv2d(1, 16, 3, {1, 1}), nn::BatchNorm2d(16), nn::ReLU(), nn::Flatten(),
                          nn::Dropout(0.5), nn::Linear(16 * 64, 10)});
    optim::SgdOptions sgd(0.01);
    sgd.momentum = 0.9;
    optimizer = adam ? optim::adam(net.parameters(), 0.01) : optim::sgd(net.parameters(), sgd);
    scheduler = optim::cosine_annealing_lr(optimizer, 20);
    data::LoaderOptions o(12, true, workers);  // four batches an epoch
    o.steps = {data::random_crop(8, 8, 2), data::random_horizontal_flip(), data::to_float(),
               data::normalize({0.5}, {0.25})};
    loader = data::Loader(d, o);
  }
  Training(const Training&) = delete;
  ~Training() { haft_generator_release(noise); }

  io::CheckpointParts parts() const {
    io::CheckpointParts p;
    p.module = net.get();
    p.optimizer = optimizer.get();
    p.scheduler = scheduler.get();
    p.generator = noise;
    p.loader = loader.get();
    return p;
  }
  std::vector<double> train(int steps) {
    std::vector<double> losses;
    std::vector<Tensor> b;
    while (int(losses.size()) < steps) {
      if (!loader.next(b)) {
        loader.reset();
        continue;
      }
      haft_tensor* extra = nullptr;
      const int64_t size[] = {12};
      haft::check(haft_rand(size, 1, HAFT_FLOAT32, HAFT_DEVICE_CPU, noise, &extra));
      optimizer.zero_grad();
      Tensor loss = haft::add(haft::cross_entropy(net(b[0]), b[1]), haft::mean(Tensor(extra)));
      loss.backward();
      optimizer.step();
      scheduler.step();
      losses.push_back(loss.item());
    }
    return losses;
  }
};

TEST_F(Io, TrainingGoesOnFromACheckpoint) {
  TempFolder folder;
  std::string path = folder / "run.ckpt";
  for (bool adam : {false, true}) {
    std::vector<double> rest;
    {
      Training run(11, 0, adam);
      run.train(5);
      io::save_checkpoint(
          path, run.parts(),
          {io::value("step", int64_t(5)), io::value("best", 0.75), io::value("note", "first try")});
      rest = run.train(6);
    }
    for (int workers : {0, 2}) {
      Training run(99, workers, adam);  // other weights, other random numbers
      run.train(3);
      io::Checkpoint c(path, run.parts());
      EXPECT_EQ(c.number("step").v.i, 5);
      EXPECT_EQ(c.number("best").v.d, 0.75);
      EXPECT_EQ(c.text("note"), "first try");
      EXPECT_THROW(c.number("note"), haft::Error);
      EXPECT_THROW(c.text("other"), haft::Error);
      EXPECT_EQ(run.train(6), rest) << "adam " << adam << " workers " << workers;
    }
  }
}

TEST_F(Io, CheckpointsSayWhatDoesNotFit) {
  TempFolder folder;
  std::string path = folder / "run.ckpt";
  Training run(1, 0, true);
  io::CheckpointParts all = run.parts();
  run.train(1);
  io::CheckpointParts p;
  p.module = run.net.get();
  io::save_checkpoint(path, p);
  EXPECT_FAILS(haft_checkpoint_load(path.c_str(), &all, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
               "holds no optimizer");
  nn::Module other = nn::Linear(2, 3);
  p.module = other.get();
  EXPECT_NE(haft_checkpoint_load(path.c_str(), &p, nullptr), HAFT_OK);
  // A checkpoint of momentum does not go into Adam.
  Training sgd(1, 0, false);
  sgd.train(1);
  io::CheckpointParts from, to;
  from.optimizer = sgd.optimizer.get();
  to.optimizer = run.optimizer.get();
  io::save_checkpoint(path, from);
  EXPECT_FAILS(haft_checkpoint_load(path.c_str(), &to, nullptr), HAFT_ERROR_INVALID_ARGUMENT, "SGD");
  // Nothing changes unless everything fits: here the optimizer does not, then the loader.
  Training target(7, 0, true);
  target.train(2);
  auto state = [&] {
    std::vector<float> all;
    for (Tensor& t : target.net.parameters())
      for (float v : t.to_vector<float>()) all.push_back(v);
    for (float v : target.net.buffer("1.running_mean").to_vector<float>()) all.push_back(v);
    int64_t seed = 0, offset = 0;
    haft::check(haft_generator_get_state(target.noise, &seed, &offset));
    all.push_back(float(seed));
    all.push_back(float(offset));
    all.push_back(float(target.optimizer.lr()));
    return all;
  };
  const std::vector<float> before = state();
  io::save_checkpoint(path, sgd.parts());
  io::CheckpointParts into = target.parts();
  EXPECT_FAILS(haft_checkpoint_load(path.c_str(), &into, nullptr), HAFT_ERROR_INVALID_ARGUMENT, "SGD");
  EXPECT_EQ(state(), before);
  data::LoaderOptions half(24, true, 0);
  data::Dataset few = Training::images();
  data::Loader other_loader(few, half);
  into.loader = other_loader.get();
  run.train(2);
  io::save_checkpoint(path, run.parts());
  EXPECT_FAILS(haft_checkpoint_load(path.c_str(), &into, nullptr), HAFT_ERROR_INVALID_ARGUMENT,
               "loader: cannot go to batch");
  EXPECT_EQ(state(), before);
  into.loader = target.loader.get();
  EXPECT_EQ(haft_checkpoint_load(path.c_str(), &into, nullptr), HAFT_OK) << haft_error_get_message();
  EXPECT_NE(state(), before);

  io::save_checkpoint(path, from);
  std::string whole = slurp(path);
  std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_FAILS(haft_checkpoint_load(path.c_str(), &to, nullptr), HAFT_ERROR_CORRUPT, "run.ckpt");
  haft_key_value twice[] = {io::value("a", 1.0), io::value("a", 2.0)};
  EXPECT_FAILS(haft_checkpoint_save(path.c_str(), nullptr, twice, 2), HAFT_ERROR_INVALID_ARGUMENT, "twice");
  twice[1].reserved[1] = 1;
  EXPECT_FAILS(haft_checkpoint_save(path.c_str(), nullptr, twice + 1, 1), HAFT_ERROR_BAD_STRUCT, "reserved");
  io::CheckpointParts bad;
  bad.struct_size = 3;
  EXPECT_FAILS(haft_checkpoint_save(path.c_str(), &bad, nullptr, 0), HAFT_ERROR_BAD_STRUCT, "struct_size");
}

}  // namespace
