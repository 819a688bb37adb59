#include <haft/data.h>

#include <cstddef>
#include <memory>

#include "capi/src/training_objects.h"
#include "core/io/file_datasets.h"
#include "core/io/idx_dataset.h"
#include "core/io/image_folder.h"
#include "core/ops/functions.h"

using namespace haft;
using namespace haft::capi;

template <>
constexpr uint32_t haft::capi::kFirstSize<haft_loader_options> = offsetof(haft_loader_options, num_replicas);

namespace {

struct DatasetObject final : HandleObject {
  Ref<Dataset> value;
};

struct TransformObject final : HandleObject {
  Ref<Transform> value;
};

Dataset& dataset_of(const haft_dataset* d) {
  return *object_of<DatasetObject>(d, HandleType::dataset, 0, "d").value;
}
// Kept for the time of a call: a callback may release the handle.
Ref<LoaderObject> loader_of(const haft_loader* l) {
  return Ref<LoaderObject>::share(&object_of<LoaderObject>(l, HandleType::loader, 0, "l"));
}

haft_dataset* hand_out_dataset(Ref<Dataset> d) {
  auto h = make_ref<DatasetObject>();
  h->value = std::move(d);
  return hand_out_object<haft_dataset>(HandleType::dataset, std::move(h));
}

template <class Make>
haft_status create_transform(const char* function, int out_index, haft_transform** out, Make&& make) {
  return boundary(function, [&] {
    check_out(out, out_index, "out");
    auto h = make_ref<TransformObject>();
    h->value = make();
    *out = hand_out_object<haft_transform>(HandleType::transform, std::move(h));
  });
}

Field field_from(const haft_field& f, int64_t number) {
  for (int64_t word : f.reserved) check_reserved(word, 1, "fields");
  if (f.ndim < 0 || f.ndim >= HAFT_MAX_DIMS)
    fail_argument(Code::shape,
                  concat("fields[", number, "].ndim is ", f.ndim, ", wanted 0..", HAFT_MAX_DIMS - 1), 1,
                  "fields");
  return {to_dtype(f.dtype, 1, "fields.dtype"), Shape(IntList(f.size, size_t(f.ndim)))};
}

LoaderOptions loader_options(const haft_loader_options* given) {
  haft_loader_options o = options_of(given, haft_loader_options HAFT_LOADER_OPTIONS_INIT, 1);
  LoaderOptions r;
  r.batch_size = o.batch_size;
  r.drop_last = to_bool(o.drop_last, 1, "options.drop_last");
  r.num_workers = o.num_workers;
  r.prefetch = o.prefetch;
  r.transform_field = o.transform_field;
  r.sampler.shuffle = to_bool(o.shuffle, 1, "options.shuffle");
  r.sampler.replacement = to_bool(o.replacement, 1, "options.replacement");
  if (o.num_samples != HAFT_NONE) {
    if (o.num_samples < 0)
      fail_argument(Code::invalid_argument,
                    concat("options.num_samples must not be negative, got ", o.num_samples), 1,
                    "options.num_samples");
    r.sampler.num_samples = o.num_samples;
  }
  r.sampler.drop_uneven = to_bool(o.drop_uneven, 1, "options.drop_uneven");
  r.sampler.num_replicas = o.num_replicas ? o.num_replicas : 1;
  r.sampler.rank = o.rank;
  r.sampler.indices = optional_arg(o.indices, 1, "options.indices");
  r.sampler.weights = optional_arg(o.weights, 1, "options.weights");
  if (o.transform_count < 0 || (o.transform_count && !o.transforms))
    fail_argument(Code::invalid_argument,
                  concat("options.transforms must be an array of transform_count >= 0 transforms, got ",
                         o.transforms ? "count " : "NULL with count ", o.transform_count),
                  1, "options.transforms");
  for (int64_t i = 0; i < o.transform_count; ++i)
    r.transforms.push_back(
        object_of<TransformObject>(o.transforms[i], HandleType::transform, 1, "options.transforms").value);
  if (o.device) r.device = to_device(o.device, 1, "options.device");
  r.pin_memory = to_bool(o.pin_memory, 1, "options.pin_memory");
  // Drawn last, so that a refused loader takes nothing from the stream.
  if (o.seed != HAFT_NONE) {
    r.seed = uint64_t(o.seed);
  } else if (o.num_replicas <= 1) {
    Generator& g = default_generator();
    r.seed = mix_seed(g.seed.load(), g.take(1), 0);
  }
  return r;
}

}  // namespace

extern "C" {

haft_status haft_tensor_dataset_create(haft_tensor* const* tensors, int64_t count,
                                       haft_dataset** out) noexcept {
  return boundary("haft_tensor_dataset_create", [&] {
    check_out(out, 2, "out");
    ListArg ts = list_arg(tensors, count, 0, "tensors");
    *out = hand_out_dataset(make_ref<TensorDataset>(ts));
  });
}

haft_status haft_idx_dataset_create(const char* images_path, const char* labels_path,
                                    haft_dataset** out) noexcept {
  return boundary("haft_idx_dataset_create", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    *out = hand_out_dataset(open_idx_dataset(std::string(to_text(images_path, 0, "images_path")),
                                             std::string(to_text(labels_path, 1, "labels_path"))));
  });
}

haft_status haft_csv_dataset_create(const char* path, int32_t delimiter, int64_t skip_lines,
                                    int64_t label_column, haft_dtype label_dtype,
                                    haft_dataset** out) noexcept {
  return boundary("haft_csv_dataset_create", [&] {
    CancelGuard guard;
    check_out(out, 5, "out");
    CsvOptions options;
    if (delimiter <= 0 || delimiter > 127 || delimiter == '\n' || delimiter == '"')
      fail_argument(Code::invalid_argument, concat("delimiter must be a character of ASCII, got ", delimiter),
                    1, "delimiter");
    if (skip_lines < 0)
      fail_argument(Code::invalid_argument, concat("skip_lines must not be negative, got ", skip_lines), 2,
                    "skip_lines");
    const DType type = label_column == HAFT_NONE ? DType::i64 : to_dtype(label_dtype, 4, "label_dtype");
    if (type != DType::i64 && type != DType::f32)
      fail_argument(Code::dtype, concat("label_dtype must be int64 or float32, got ", dtype_name(type)), 4,
                    "label_dtype");
    options.delimiter = char(delimiter);
    options.skip_lines = skip_lines;
    options.label_column = label_column;
    options.whole_labels = type == DType::i64;
    *out = hand_out_dataset(open_csv_dataset(std::string(to_text(path, 0, "path")), options));
  });
}

haft_status haft_cifar_dataset_create(const char* const* paths, int64_t count, int64_t label_bytes,
                                      haft_dataset** out) noexcept {
  return boundary("haft_cifar_dataset_create", [&] {
    CancelGuard guard;
    check_out(out, 3, "out");
    if (count < 0 || (count && !paths))
      fail_argument(Code::invalid_argument, "paths must be an array of count >= 0 paths", 0, "paths");
    std::vector<std::string> files;
    for (int64_t i = 0; i < count; ++i) files.emplace_back(to_text(paths[i], 0, "paths"));
    *out = hand_out_dataset(open_cifar_dataset(files, label_bytes));
  });
}

haft_status haft_image_folder_dataset_create(const char* root, int64_t channels,
                                             haft_dataset** out) noexcept {
  return boundary("haft_image_folder_dataset_create", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    *out = hand_out_dataset(open_image_folder(std::string(to_text(root, 0, "root")), channels));
  });
}

haft_status haft_image_files_dataset_create(const char* const* paths, const int64_t* labels, int64_t count,
                                            int64_t channels, haft_dataset** out) noexcept {
  return boundary("haft_image_files_dataset_create", [&] {
    CancelGuard guard;
    check_out(out, 4, "out");
    if (count < 0 || (count && (!paths || !labels)))
      fail_argument(Code::invalid_argument, "paths and labels must be arrays of count >= 0 entries",
                    paths ? 1 : 0, paths ? "labels" : "paths");
    std::vector<std::string> files;
    for (int64_t i = 0; i < count; ++i) files.emplace_back(to_text(paths[i], 0, "paths"));
    *out = hand_out_dataset(open_image_files(std::move(files), {labels, size_t(count)}, channels));
  });
}

haft_status haft_dataset_get_class_count(const haft_dataset* d, int64_t* out) noexcept {
  return boundary("haft_dataset_get_class_count", [&] {
    check_out(out, 1, "out");
    *out = int64_t(dataset_of(d).classes().size());
  });
}

haft_status haft_dataset_get_class_name(const haft_dataset* d, int64_t index, const char** out) noexcept {
  return boundary("haft_dataset_get_class_name", [&] {
    check_out(out, 2, "out");
    const std::span<const std::string> names = dataset_of(d).classes();
    if (index < 0 || index >= int64_t(names.size()))
      fail_argument(Code::index,
                    concat("class ", index, " is outside the dataset of ", int64_t(names.size()), " classes"),
                    1, "index");
    *out = names[size_t(index)].c_str();
  });
}

haft_status haft_dataset_targets(const haft_dataset* d, haft_tensor** out) noexcept {
  return boundary("haft_dataset_targets", [&] {
    check_out(out, 1, "out");
    const Dataset& data = dataset_of(d);
    const Field& last = data.fields().back();
    const int field = int(data.fields().size()) - 1;
    if (last.dtype != DType::i64 || !last.sizes.empty() || !data.size() || !data.address(field, 0))
      fail_argument(Code::unsupported, "the items' last fields are no labels that lie in memory", 0, "d");
    Tensor t = new_tensor(Shape{data.size()}, DType::i64);
    for (int64_t i = 0; i < data.size(); ++i)
      t.data<int64_t>()[i] = *static_cast<const int64_t*>(data.address(field, i));
    emit(out, std::move(t));
  });
}

haft_status haft_callback_dataset_create(int64_t size, const haft_field* fields, int64_t field_count,
                                         haft_dataset_read read, void* user, void (*destroy)(void*),
                                         int32_t one_at_a_time, haft_dataset** out) noexcept {
  return boundary("haft_callback_dataset_create", [&] {
    check_out(out, 7, "out");
    if (!read) fail_argument(Code::invalid_argument, "read is NULL", 3, "read");
    if (field_count < 0 || (field_count && !fields))
      fail_argument(Code::invalid_argument, "fields must be an array of field_count >= 0 descriptions", 1,
                    "fields");
    std::vector<Field> fs;
    for (int64_t i = 0; i < field_count; ++i) fs.push_back(field_from(fields[i], i));
    auto data = std::make_shared<UserData>(user, nullptr);
    auto call = [read, data](int64_t index, void* const* dst) {
      call_back("dataset", [&] { return read(index, dst, data->user); });
    };
    *out = hand_out_dataset(
        make_ref<CallbackDataset>(size, std::move(fs), call, to_bool(one_at_a_time, 6, "one_at_a_time")));
    data->destroy = destroy;  // only now: on failure the user's data stays the user's
  });
}

haft_status haft_dataset_retain(haft_dataset* d) noexcept {
  return boundary("haft_dataset_retain", [&] {
    dataset_of(d);
    retain_handle(d, HandleType::dataset);
  });
}

void haft_dataset_release(haft_dataset* d) noexcept { release_handle(d, HandleType::dataset); }

haft_status haft_dataset_get_size(const haft_dataset* d, int64_t* out) noexcept {
  return boundary("haft_dataset_get_size", [&] {
    check_out(out, 1, "out");
    *out = dataset_of(d).size();
  });
}

haft_status haft_dataset_item(const haft_dataset* d, int64_t index, haft_tensor** outs, int64_t capacity,
                              int64_t* count) noexcept {
  return boundary("haft_dataset_item", [&] {
    check_list_out(outs, capacity, count, 2, "outs");
    auto keep = Ref<Dataset>::share(&dataset_of(d));  // a callback may release the handle
    if (index < 0 || index >= keep->size())
      fail_argument(Code::index,
                    concat("index ", index, " is outside the dataset of ", keep->size(), " items"), 1,
                    "index");
    std::vector<Tensor> ts;
    std::vector<void*> dst;
    const bool wanted = capacity >= int64_t(keep->fields().size());
    for (const Field& f : keep->fields()) {
      const bool varied = ts.empty() && keep->varies() && wanted;
      ts.push_back(varied ? keep->varied(index) : new_tensor(f.sizes, f.dtype));
      dst.push_back(varied ? nullptr : ts.back().data<void>());
    }
    if (wanted) keep->read(index, dst.data());
    emit_list(outs, capacity, count, std::move(ts));
  });
}

haft_status haft_to_float_transform_create(double scale, haft_transform** out) noexcept {
  return create_transform("haft_to_float_transform_create", 1, out, [&] { return make_to_float(scale); });
}

haft_status haft_normalize_transform_create(const double* mean, const double* std, int64_t count,
                                            haft_transform** out) noexcept {
  return create_transform("haft_normalize_transform_create", 3, out, [&] {
    if (count <= 0 || !mean || !std)
      fail_argument(Code::invalid_argument, "mean and std must be arrays of count >= 1 numbers", mean ? 1 : 0,
                    mean ? "std" : "mean");
    return make_normalize({mean, size_t(count)}, {std, size_t(count)});
  });
}

haft_status haft_random_crop_transform_create(int64_t height, int64_t width, int64_t padding,
                                              haft_transform** out) noexcept {
  return create_transform("haft_random_crop_transform_create", 3, out,
                          [&] { return make_random_crop(height, width, padding); });
}

haft_status haft_random_horizontal_flip_transform_create(double probability, haft_transform** out) noexcept {
  return create_transform("haft_random_horizontal_flip_transform_create", 1, out,
                          [&] { return make_random_horizontal_flip(probability); });
}

haft_status haft_random_rotation_transform_create(double degrees, haft_transform** out) noexcept {
  return create_transform("haft_random_rotation_transform_create", 1, out,
                          [&] { return make_random_rotation(degrees); });
}

haft_status haft_random_vertical_flip_transform_create(double probability, haft_transform** out) noexcept {
  return create_transform("haft_random_vertical_flip_transform_create", 1, out,
                          [&] { return make_random_vertical_flip(probability); });
}

haft_status haft_resize_transform_create(int64_t height, int64_t width, int64_t mode,
                                         haft_transform** out) noexcept {
  return create_transform("haft_resize_transform_create", 3, out,
                          [&] { return make_resize(height, width, mode); });
}

haft_status haft_random_resized_crop_transform_create(int64_t height, int64_t width, double scale_low,
                                                      double scale_high, double ratio_low, double ratio_high,
                                                      int64_t mode, haft_transform** out) noexcept {
  return create_transform("haft_random_resized_crop_transform_create", 7, out, [&] {
    return make_random_resized_crop(height, width, {scale_low, scale_high}, {ratio_low, ratio_high}, mode);
  });
}

haft_status haft_center_crop_transform_create(int64_t height, int64_t width, haft_transform** out) noexcept {
  return create_transform("haft_center_crop_transform_create", 2, out,
                          [&] { return make_center_crop(height, width); });
}

haft_status haft_grayscale_transform_create(int64_t channels, haft_transform** out) noexcept {
  return create_transform("haft_grayscale_transform_create", 1, out,
                          [&] { return make_grayscale(channels); });
}

haft_status haft_color_jitter_transform_create(double brightness, double contrast, double saturation,
                                               double hue, haft_transform** out) noexcept {
  return create_transform("haft_color_jitter_transform_create", 4, out,
                          [&] { return make_color_jitter(brightness, contrast, saturation, hue); });
}

haft_status haft_transform_retain(haft_transform* t) noexcept {
  return boundary("haft_transform_retain", [&] { retain_handle(t, HandleType::transform); });
}

void haft_transform_release(haft_transform* t) noexcept { release_handle(t, HandleType::transform); }

haft_status haft_loader_create(const haft_dataset* dataset, const haft_loader_options* options,
                               haft_loader** out) noexcept {
  return boundary("haft_loader_create", [&] {
    check_out(out, 2, "out");
    Ref<Dataset> d = object_of<DatasetObject>(dataset, HandleType::dataset, 0, "dataset").value;
    auto h = make_ref<LoaderObject>();
    h->value = make_ref<DataLoader>(std::move(d), loader_options(options));
    *out = hand_out_object<haft_loader>(HandleType::loader, std::move(h));
  });
}

haft_status haft_loader_retain(haft_loader* l) noexcept {
  return boundary("haft_loader_retain", [&] {
    loader_of(l);
    retain_handle(l, HandleType::loader);
  });
}

void haft_loader_release(haft_loader* l) noexcept {
  CancelGuard guard;
  release_handle(l, HandleType::loader);
}

haft_status haft_loader_next(haft_loader* l, haft_tensor** outs, int64_t capacity, int64_t* count) noexcept {
  bool more = true;
  haft_status s = boundary("haft_loader_next", [&] {
    CancelGuard guard;
    check_list_out(outs, capacity, count, 1, "outs");
    auto h = loader_of(l);
    Exclusive use(*h, "loader");
    const int64_t fields = h->value->field_count();
    std::vector<Tensor> batch(size_t(capacity < fields ? fields : 0));
    const LoaderState before = h->value->state();
    try {
      if (batch.empty()) more = h->value->next(&batch);
      if (more) emit_list(outs, capacity, count, std::move(batch));  // fails when capacity is too small
    } catch (...) {
      if (is_out_of_memory()) h->value->set_state(before);  // the next call makes this batch again
      throw;
    }
    if (!more) *count = fields;
  });
  return s == HAFT_OK && !more ? HAFT_END : s;
}

haft_status haft_loader_reset(haft_loader* l) noexcept {
  return boundary("haft_loader_reset", [&] {
    CancelGuard guard;
    auto h = loader_of(l);
    Exclusive use(*h, "loader");
    h->value->reset();
  });
}

haft_status haft_loader_cancel(haft_loader* l) noexcept {
  return boundary("haft_loader_cancel", [&] { loader_of(l)->value->cancel(); });
}

haft_status haft_loader_get_batch_count(const haft_loader* l, int64_t* out) noexcept {
  return boundary("haft_loader_get_batch_count", [&] {
    check_out(out, 1, "out");
    *out = loader_of(l)->value->batches();
  });
}

haft_status haft_loader_get_sample_count(const haft_loader* l, int64_t* out) noexcept {
  return boundary("haft_loader_get_sample_count", [&] {
    check_out(out, 1, "out");
    *out = loader_of(l)->value->samples();
  });
}

haft_status haft_loader_get_state(haft_loader* l, int64_t* seed, int64_t* epoch, int64_t* batch) noexcept {
  return boundary("haft_loader_get_state", [&] {
    check_out(seed, 1, "seed");
    check_out(epoch, 2, "epoch");
    check_out(batch, 3, "batch");
    auto h = loader_of(l);
    Exclusive use(*h, "loader");
    LoaderState s = h->value->state();
    *seed = int64_t(s.seed);
    *epoch = s.epoch;
    *batch = s.batch;
  });
}

haft_status haft_loader_set_state(haft_loader* l, int64_t seed, int64_t epoch, int64_t batch) noexcept {
  return boundary("haft_loader_set_state", [&] {
    CancelGuard guard;
    auto h = loader_of(l);
    Exclusive use(*h, "loader");
    h->value->set_state({uint64_t(seed), epoch, batch});
  });
}

}  // extern "C"
