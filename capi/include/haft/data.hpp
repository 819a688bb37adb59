// Datasets and the loader in C++17 over haft/data.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_DATA_HPP
#define HAFT_DATA_HPP
#include <haft/optim.hpp>

namespace haft {
namespace data {

class Dataset : public haft::detail::Handle<haft_dataset, haft_dataset_retain, haft_dataset_release> {
 public:
  using Handle::Handle;
  std::int64_t size() const {
    std::int64_t n = 0;
    check(haft_dataset_get_size(get(), &n));
    return n;
  }
  /// How many classes have names: those of an image folder.
  std::int64_t class_count() const {
    std::int64_t n = 0;
    check(haft_dataset_get_class_count(get(), &n));
    return n;
  }
  /// The name of the class that labels call by this number.
  std::string class_name(std::int64_t index) const {
    const char* name = nullptr;
    check(haft_dataset_get_class_name(get(), index, &name));
    return name;
  }
  /// The labels of all items, int64 (size), without reading the rest of them.
  Tensor targets() const {
    haft_tensor* t = nullptr;
    check(haft_dataset_targets(get(), &t));
    return Tensor(t);
  }
  /// One item, a tensor a field, without transforms.
  std::vector<Tensor> operator[](std::int64_t index) const {
    std::vector<haft_tensor*> ts(8);
    std::int64_t n = 0;
    haft_status s = haft_dataset_item(get(), index, ts.data(), 8, &n);
    if (s == HAFT_ERROR_INVALID_ARGUMENT && n > 8) {
      ts.resize(static_cast<std::size_t>(n));
      s = haft_dataset_item(get(), index, ts.data(), n, &n);
    }
    check(s);
    return haft::detail::adopt(ts.data(), n);
  }
};

inline Dataset tensor_dataset(const std::vector<Tensor>& tensors) {
  auto ts = haft::detail::handles(tensors);
  haft_dataset* d = nullptr;
  check(haft_tensor_dataset_create(ts.data(), static_cast<std::int64_t>(ts.size()), &d));
  return Dataset(d);
}
inline Dataset idx_dataset(const std::string& images_path, const std::string& labels_path) {
  haft_dataset* d = nullptr;
  check(haft_idx_dataset_create(images_path.c_str(), labels_path.c_str(), &d));
  return Dataset(d);
}

/// The rows of a table of numbers as text: float32 (columns) and, with label_column, the label apart, of int64 or
/// float32. A negative label_column counts from the end.
inline Dataset csv_dataset(const std::string& path, std::int64_t label_column = HAFT_NONE,
                           haft_dtype label_dtype = HAFT_INT64, std::int64_t skip_lines = 0, char delimiter = ',') {
  haft_dataset* d = nullptr;
  check(haft_csv_dataset_create(path.c_str(), delimiter, skip_lines, label_column, label_dtype, &d));
  return Dataset(d);
}
/// Pictures and labels of binary files: of CIFAR-10 with label_bytes 1, of CIFAR-100 with 2. uint8 (3, 32, 32) and
/// int64.
inline Dataset cifar_dataset(std::int64_t label_bytes, const std::vector<std::string>& paths) {
  std::vector<const char*> texts;
  for (auto& p : paths) texts.push_back(p.c_str());
  haft_dataset* d = nullptr;
  check(haft_cifar_dataset_create(texts.data(), static_cast<std::int64_t>(texts.size()), label_bytes, &d));
  return Dataset(d);
}

/// Pictures in folders root/<class>/...: uint8 (channels, H, W), each as large as its file says, and int64. The loader
/// decodes them on its threads.
inline Dataset image_folder_dataset(const std::string& root, std::int64_t channels = 3) {
  haft_dataset* d = nullptr;
  check(haft_image_folder_dataset_create(root.c_str(), channels, &d));
  return Dataset(d);
}
/// The same for files anywhere.
inline Dataset image_files_dataset(const std::vector<std::string>& paths, const std::vector<std::int64_t>& labels,
                                   std::int64_t channels = 3) {
  if (paths.size() != labels.size())
    check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "image_files_dataset: wanted as many labels as paths", 0));
  std::vector<const char*> texts;
  for (auto& p : paths) texts.push_back(p.c_str());
  haft_dataset* d = nullptr;
  check(haft_image_files_dataset_create(texts.data(), labels.data(), static_cast<std::int64_t>(texts.size()), channels,
                                        &d));
  return Dataset(d);
}

inline haft_field field(haft_dtype dtype, const std::vector<std::int64_t>& size) {
  haft_field f = HAFT_FIELD_INIT;
  f.dtype = dtype;
  f.ndim = static_cast<std::int32_t>(size.size());
  for (std::size_t i = 0; i < size.size() && i < HAFT_MAX_DIMS; ++i) f.size[i] = size[i];
  return f;
}
/// Items that `read` writes into dense memory, one address a field; called on the loader's threads.
inline Dataset callback_dataset(std::int64_t size, const std::vector<haft_field>& fields,
                                std::function<void(std::int64_t index, void* const* fields)> read,
                                bool one_at_a_time = false) {
  using Fn = std::function<void(std::int64_t, void* const*)>;
  auto own = std::make_unique<Fn>(std::move(read));
  haft_dataset* d = nullptr;
  check(haft_callback_dataset_create(
      size, fields.data(), static_cast<std::int64_t>(fields.size()),
      [](std::int64_t index, void* const* out, void* user) -> haft_status {
        return haft::detail::guarded([&] { (*static_cast<Fn*>(user))(index, out); });
      },
      own.get(), haft::detail::destroy<Fn>, one_at_a_time, &d));
  own.release();
  return Dataset(d);
}

using Transform = haft::detail::Handle<haft_transform, haft_transform_retain, haft_transform_release>;

inline Transform to_float(double scale = 1.0 / 255) {
  haft_transform* t = nullptr;
  check(haft_to_float_transform_create(scale, &t));
  return Transform(t);
}
inline Transform normalize(const std::vector<double>& mean, const std::vector<double>& std) {
  haft_transform* t = nullptr;
  if (mean.size() != std.size())
    check(haft_error_set(HAFT_ERROR_INVALID_ARGUMENT, "normalize: wanted as many deviations as means", 0));
  check(haft_normalize_transform_create(mean.data(), std.data(), static_cast<std::int64_t>(mean.size()), &t));
  return Transform(t);
}
inline Transform random_crop(std::int64_t height, std::int64_t width, std::int64_t padding = 0) {
  haft_transform* t = nullptr;
  check(haft_random_crop_transform_create(height, width, padding, &t));
  return Transform(t);
}
inline Transform random_horizontal_flip(double probability = 0.5) {
  haft_transform* t = nullptr;
  check(haft_random_horizontal_flip_transform_create(probability, &t));
  return Transform(t);
}
inline Transform random_rotation(double degrees) {
  haft_transform* t = nullptr;
  check(haft_random_rotation_transform_create(degrees, &t));
  return Transform(t);
}

inline Transform random_vertical_flip(double probability = 0.5) {
  haft_transform* t = nullptr;
  check(haft_random_vertical_flip_transform_create(probability, &t));
  return Transform(t);
}
/// To height and width, or, with a width of 0, so that height is that of the shorter side.
inline Transform resize(std::int64_t height, std::int64_t width = 0,
                        std::int64_t mode = HAFT_INTERPOLATE_LINEAR_ANTIALIAS) {
  haft_transform* t = nullptr;
  check(haft_resize_transform_create(height, width, mode, &t));
  return Transform(t);
}
/// A random part of an area from scale and a ratio of width to height from ratio, in another size.
inline Transform random_resized_crop(std::int64_t height, std::int64_t width, double scale_low = 0.08,
                                     double scale_high = 1, double ratio_low = 3. / 4, double ratio_high = 4. / 3,
                                     std::int64_t mode = HAFT_INTERPOLATE_LINEAR_ANTIALIAS) {
  haft_transform* t = nullptr;
  check(
      haft_random_resized_crop_transform_create(height, width, scale_low, scale_high, ratio_low, ratio_high, mode, &t));
  return Transform(t);
}
inline Transform center_crop(std::int64_t height, std::int64_t width) {
  haft_transform* t = nullptr;
  check(haft_center_crop_transform_create(height, width, &t));
  return Transform(t);
}
inline Transform grayscale(std::int64_t channels = 1) {
  haft_transform* t = nullptr;
  check(haft_grayscale_transform_create(channels, &t));
  return Transform(t);
}
inline Transform color_jitter(double brightness = 0, double contrast = 0, double saturation = 0, double hue = 0) {
  haft_transform* t = nullptr;
  check(haft_color_jitter_transform_create(brightness, contrast, saturation, hue, &t));
  return Transform(t);
}

/// Set what haft_loader_options holds; `transforms` goes in as Transform objects.
struct LoaderOptions : haft_loader_options {
  std::vector<Transform> steps;
  LoaderOptions(std::int64_t batch = 1, bool shuffled = false, int workers = 0)
      : haft_loader_options(HAFT_LOADER_OPTIONS_INIT) {
    batch_size = batch;
    shuffle = shuffled;
    num_workers = workers;
  }
};

/// for (std::vector<haft::Tensor> b; loader.next(b);) ...; loader.reset();
class Loader : public haft::detail::Handle<haft_loader, haft_loader_retain, haft_loader_release> {
 public:
  using Handle::Handle;
  Loader(const Dataset& dataset, const LoaderOptions& options) {
    std::vector<haft_transform*> ts;
    for (const Transform& t : options.steps) ts.push_back(t.get());
    haft_loader_options o = options;
    if (!ts.empty()) {
      o.transforms = ts.data();
      o.transform_count = static_cast<std::int64_t>(ts.size());
    }
    haft_loader* l = nullptr;
    check(haft_loader_create(dataset.get(), &o, &l));
    *this = Loader(l);
  }
  /// The next batch, a tensor a field; false at the end of the epoch.
  bool next(std::vector<Tensor>& batch) const {
    std::vector<haft_tensor*> ts(8);
    std::int64_t n = 0;
    haft_status s = haft_loader_next(get(), ts.data(), 8, &n);
    if (s == HAFT_ERROR_INVALID_ARGUMENT && n > 8) {
      ts.resize(static_cast<std::size_t>(n));
      s = haft_loader_next(get(), ts.data(), n, &n);
    }
    batch.clear();
    if (s == HAFT_END) return false;
    check(s);
    batch = haft::detail::adopt(ts.data(), n);
    return true;
  }
  void reset() const { check(haft_loader_reset(get())); }
  /// Where the loader stands: seed, epoch, batches delivered.
  struct State {
    std::int64_t seed, epoch, batch;
  };
  State state() const {
    State s{};
    check(haft_loader_get_state(get(), &s.seed, &s.epoch, &s.batch));
    return s;
  }
  void set_state(const State& s) const { check(haft_loader_set_state(get(), s.seed, s.epoch, s.batch)); }
  void cancel() const { check(haft_loader_cancel(get())); }
  std::int64_t batch_count() const {
    std::int64_t n = 0;
    check(haft_loader_get_batch_count(get(), &n));
    return n;
  }
  std::int64_t sample_count() const {
    std::int64_t n = 0;
    check(haft_loader_get_sample_count(get(), &n));
    return n;
  }
};

}  // namespace data
}  // namespace haft
#endif
