#include <haft/io.h>

#include <memory>
#include <mutex>
#include <optional>

#include "capi/src/checkpoint_arguments.h"
#include "core/dispatch/host_access.h"
#include "core/io/arrays_file.h"
#include "core/io/atomic_file.h"
#include "core/io/graph_def.h"
#include "core/io/idx.h"
#include "core/io/jpeg.h"
#include "core/io/npy.h"
#include "core/io/npz.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "core/io/tensorboard.h"
#include "core/io/tensors.h"
#include "core/io/text.h"
#include "core/ops/functions.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct WeightsObject final : HandleObject {
  std::string path;
  std::unique_ptr<ArraysFile> file;
};

struct WriterObject final : HandleObject {
  std::mutex mutex;
  std::shared_ptr<EventWriter> writer;  // nullptr: closed
  std::string path;
};

struct CheckpointObject final : HandleObject {
  CheckpointSection values;
};

std::string path_arg(const char* path, int index, const char* name = "path") {
  return std::string(to_text(path, index, name));
}

const WeightsObject& weights_of(const haft_weights* w) {
  return object_of<WeightsObject>(w, HandleType::weights, 0, "w");
}
WriterObject& writer_object(const haft_writer* w) {
  return object_of<WriterObject>(w, HandleType::writer, 0, "w");
}

// The open file; it stays open until the call ends, whoever closes it meanwhile.
std::shared_ptr<EventWriter> writer_of(haft_writer* w) {
  WriterObject& h = writer_object(w);
  std::lock_guard lock(h.mutex);
  if (!h.writer)
    fail_argument(Code::invalid_argument, concat("w was closed: ", quoted(h.path, 4096)), 0, "w",
                  "create a writer for each file");
  return h.writer;
}

// The file, which has an array of that index.
const ArraysFile& file_with(const haft_weights* w, int64_t index) {
  const WeightsObject& h = weights_of(w);
  const int64_t count = int64_t(h.file->names().size());
  if (index < 0 || index >= count)
    fail_argument(Code::index,
                  concat("index ", index, " is outside the ", count, " tensors of ", quoted(h.path, 4096)), 1,
                  "index");
  return *h.file;
}

// Tensors with names, as arrays that own what they point to until the file is written.
std::vector<Array> named_arrays(const char* const* names, haft_tensor* const* tensors, int64_t count) {
  ListArg ts = list_arg(tensors, count, 1, "tensors");
  if (count && !names) fail_argument(Code::invalid_argument, "names is NULL", 0, "names");
  std::vector<Array> arrays;
  for (int64_t i = 0; i < count; ++i)
    arrays.push_back(to_array(path_arg(names[i], 0, "names"), ts.vector()[size_t(i)]));
  return arrays;
}

const CheckpointValue& value_of(const haft_checkpoint* c, const char* key) {
  auto& values = object_of<CheckpointObject>(c, HandleType::checkpoint, 0, "c").values;
  auto it = values.find(path_arg(key, 1, "key"));
  if (it == values.end())
    fail_argument(Code::invalid_argument, concat("the checkpoint holds no value ", quoted(key)), 1, "key");
  return it->second;
}

}  // namespace

extern "C" {

haft_status haft_weights_save(const char* const* names, haft_tensor* const* tensors, int64_t count,
                              const char* path) noexcept {
  return boundary("haft_weights_save", [&] {
    CancelGuard guard;
    const std::vector<Array> arrays = named_arrays(names, tensors, count);
    write_safetensors(path_arg(path, 3), std::vector<ArrayRef>(arrays.begin(), arrays.end()),
                      {{"format", "pt"}});
  });
}

haft_status haft_weights_open(const char* path, haft_weights** out) noexcept {
  return boundary("haft_weights_open", [&] {
    CancelGuard guard;
    check_out(out, 1, "out");
    auto h = make_ref<WeightsObject>();
    h->path = path_arg(path, 0);
    h->file = open_arrays(h->path);
    *out = hand_out_object<haft_weights>(HandleType::weights, std::move(h));
  });
}

haft_status haft_weights_retain(haft_weights* w) noexcept {
  return boundary("haft_weights_retain", [&] { retain_handle(w, HandleType::weights); });
}

void haft_weights_release(haft_weights* w) noexcept { release_handle(w, HandleType::weights); }

haft_status haft_weights_get_count(const haft_weights* w, int64_t* out) noexcept {
  return boundary("haft_weights_get_count", [&] {
    check_out(out, 1, "out");
    *out = int64_t(weights_of(w).file->names().size());
  });
}

haft_status haft_weights_get_name(const haft_weights* w, int64_t index, const char** out) noexcept {
  return boundary("haft_weights_get_name", [&] {
    check_out(out, 2, "out");
    *out = file_with(w, index).names()[size_t(index)].c_str();
  });
}

haft_status haft_weights_tensor(const haft_weights* w, int64_t index, haft_tensor** out) noexcept {
  return boundary("haft_weights_tensor", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    emit(out, to_tensor(file_with(w, index).read(index)));
  });
}

haft_status haft_weights_find(const haft_weights* w, const char* name, haft_tensor** out) noexcept {
  return boundary("haft_weights_find", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    const WeightsObject& h = weights_of(w);
    const int64_t index = h.file->find(to_text(name, 1, "name"));
    if (index < 0)
      fail_argument(Code::invalid_argument, concat(quoted(h.path, 4096), " holds no tensor ", quoted(name)),
                    1, "name");
    emit(out, to_tensor(h.file->read(index)));
  });
}

haft_status haft_npz_save(const char* const* names, haft_tensor* const* tensors, int64_t count,
                          int32_t compressed, const char* path) noexcept {
  return boundary("haft_npz_save", [&] {
    CancelGuard guard;
    const bool deflated = to_bool(compressed, 3, "compressed");
    const std::vector<Array> arrays = named_arrays(names, tensors, count);
    write_npz(path_arg(path, 4), std::vector<ArrayRef>(arrays.begin(), arrays.end()), deflated);
  });
}

haft_status haft_npy_save(const haft_tensor* t, const char* path) noexcept {
  return boundary("haft_npy_save", [&] {
    CancelGuard guard;
    write_npy(path_arg(path, 1), to_array("array", arg(t, 0, "t")));
  });
}

haft_status haft_npy_load(const char* path, haft_tensor** out) noexcept {
  return boundary("haft_npy_load", [&] {
    CancelGuard guard;
    check_out(out, 1, "out");
    emit(out, to_tensor(read_npy(path_arg(path, 0))));
  });
}

haft_status haft_idx_load(const char* path, haft_tensor** out) noexcept {
  return boundary("haft_idx_load", [&] {
    CancelGuard guard;
    check_out(out, 1, "out");
    emit(out, to_tensor(read_idx(path_arg(path, 0))));
  });
}

haft_status haft_png_save(const haft_tensor* image, const char* path) noexcept {
  return boundary("haft_png_save", [&] {
    CancelGuard guard;
    const std::string png = encode_png(pixels_of(arg(image, 0, "image")));
    AtomicFile file(path_arg(path, 1));
    file.write(png);
    file.commit();
  });
}

haft_status haft_jpeg_save(const haft_tensor* image, int64_t quality, const char* path) noexcept {
  return boundary("haft_jpeg_save", [&] {
    CancelGuard guard;
    const std::string jpeg = encode_jpeg(pixels_of(arg(image, 0, "image")), quality);
    AtomicFile file(path_arg(path, 2));
    file.write(jpeg);
    file.commit();
  });
}

haft_status haft_image_load(const char* path, int64_t channels, haft_tensor** out) noexcept {
  return boundary("haft_image_load", [&] {
    CancelGuard guard;
    check_out(out, 2, "out");
    emit(out, read_image(path_arg(path, 0), channels));
  });
}

haft_status haft_image_decode(const haft_tensor* bytes, int64_t channels, haft_tensor** out) noexcept {
  return boundary("haft_image_decode", [&] {
    check_out(out, 2, "out");
    const Tensor& t = arg(bytes, 0, "bytes");
    if (t.dtype() != DType::u8 || t.ndim() != 1)
      fail_argument(Code::shape,
                    concat("bytes must be a vector of uint8, got ", dtype_name(t.dtype()), " ", t.sizes()), 0,
                    "bytes");
    std::vector<uint8_t> file(size_t(t.numel()));
    if (!file.empty()) copy_to_host(t, file.data());
    emit(out, decode_image(file, channels, "the picture"));
  });
}

haft_status haft_image_encode(const haft_tensor* image, int32_t format, int64_t quality,
                              haft_tensor** out) noexcept {
  return boundary("haft_image_encode", [&] {
    check_out(out, 3, "out");
    if (format != HAFT_IMAGE_PNG && format != HAFT_IMAGE_JPEG)
      fail_argument(Code::invalid_argument, concat("format must be one of HAFT_IMAGE_*, got ", format), 1,
                    "format");
    if (format == HAFT_IMAGE_PNG && (quality < 0 || quality > 9))
      fail_argument(Code::invalid_argument, concat("quality of a PNG is 0 to 9, got ", quality), 2,
                    "quality");
    const Pixels p = pixels_of(arg(image, 0, "image"));
    const std::string file = format == HAFT_IMAGE_PNG ? encode_png(p, int(quality)) : encode_jpeg(p, quality);
    Tensor t = new_tensor(Shape{int64_t(file.size())}, DType::u8);
    std::memcpy(t.data<void>(), file.data(), file.size());
    emit(out, std::move(t));
  });
}

haft_status haft_writer_create(const char* folder, haft_writer** out) noexcept {
  return boundary("haft_writer_create", [&] {
    CancelGuard guard;
    check_out(out, 1, "out");
    auto h = make_ref<WriterObject>();
    h->writer = std::make_shared<EventWriter>(path_arg(folder, 0, "folder"));
    h->path = h->writer->path();
    *out = hand_out_object<haft_writer>(HandleType::writer, std::move(h));
  });
}

haft_status haft_writer_retain(haft_writer* w) noexcept {
  return boundary("haft_writer_retain", [&] { retain_handle(w, HandleType::writer); });
}

void haft_writer_release(haft_writer* w) noexcept {
  CancelGuard guard;
  release_handle(w, HandleType::writer);
}

haft_status haft_writer_add_scalar(haft_writer* w, const char* tag, double value, int64_t step) noexcept {
  return boundary("haft_writer_add_scalar", [&] {
    CancelGuard guard;
    writer_of(w)->add_scalar(to_text(tag, 1, "tag"), float(value), step);
  });
}

haft_status haft_writer_add_histogram(haft_writer* w, const char* tag, const haft_tensor* values,
                                      int64_t step) noexcept {
  return boundary("haft_writer_add_histogram", [&] {
    CancelGuard guard;
    auto writer = writer_of(w);
    NoGradGuard no_grad;
    Tensor x = ops::cast(arg(values, 2, "values"), DType::f64);
    std::vector<double> v(size_t(x.numel()));
    copy_to_host(x, v.data());
    writer->add_histogram(to_text(tag, 1, "tag"), v, step);
  });
}

haft_status haft_writer_add_image(haft_writer* w, const char* tag, const haft_tensor* image, int64_t step,
                                  double wall_time) noexcept {
  return boundary("haft_writer_add_image", [&] {
    CancelGuard guard;
    auto writer = writer_of(w);
    const Pixels p = pixels_of(arg(image, 2, "image"));
    writer->add_image(to_text(tag, 1, "tag"), encode_png(p), p.height, p.width, p.channels, step, wall_time);
  });
}

haft_status haft_writer_add_text(haft_writer* w, const char* tag, const char* text, int64_t step,
                                 double wall_time) noexcept {
  return boundary("haft_writer_add_text", [&] {
    CancelGuard guard;
    writer_of(w)->add_text(to_text(tag, 1, "tag"), to_text(text, 2, "text"), step, wall_time);
  });
}

haft_status haft_writer_add_graph(haft_writer* w, haft_module* module, haft_tensor* const* inputs,
                                  int64_t input_count) noexcept {
  return boundary("haft_writer_add_graph", [&] {
    CancelGuard guard;
    auto writer = writer_of(w);
    Ref<nn::Module> m = module_arg(module, 1, "module");
    ListArg in = optional_list_arg(inputs, input_count, 2, "inputs");
    writer->add_graph(module_graph_def(*m, in));
  });
}

haft_status haft_writer_add_recorded_graph(haft_writer* w, haft_tensor* const* inputs, int64_t input_count,
                                           haft_tensor* const* outputs, int64_t output_count,
                                           const char* const* names, haft_tensor* const* parameters,
                                           int64_t parameter_count, const haft_graph_scope* scopes,
                                           int64_t scope_count) noexcept {
  return boundary("haft_writer_add_recorded_graph", [&] {
    CancelGuard guard;
    auto writer = writer_of(w);
    ListArg in = optional_list_arg(inputs, input_count, 1, "inputs"),
            out = list_arg(outputs, output_count, 3, "outputs"),
            ps = list_arg(parameters, parameter_count, 6, "parameters");
    if (parameter_count && !names) fail_argument(Code::invalid_argument, "names is NULL", 5, "names");
    if (scope_count < 0 || (scope_count && !scopes))
      fail_argument(Code::invalid_argument, "scopes must be an array of scope_count >= 0 scopes", 8,
                    "scopes");
    std::vector<nn::NamedTensor> named;
    const std::span<const Tensor> tensors = ps;
    for (size_t i = 0; i < tensors.size(); ++i)
      named.push_back({std::string(to_text(names[i], 5, "names")), tensors[i]});
    std::vector<GraphScope> spans;
    for (int64_t i = 0; i < scope_count; ++i)
      spans.push_back({uint64_t(scopes[i].begin), uint64_t(scopes[i].end),
                       std::string(to_text(scopes[i].path, 8, "scopes"))});
    writer->add_graph(graph_def(in, out, named, spans));
  });
}

haft_status haft_writer_add_event(haft_writer* w, const void* event, int64_t size) noexcept {
  return boundary("haft_writer_add_event", [&] {
    CancelGuard guard;
    if (!event || size < 1)
      fail_argument(Code::invalid_argument,
                    concat("an event of ", size, " bytes", event ? "" : " at NULL", ", wanted at least 1"), 1,
                    "event");
    writer_of(w)->add_event({static_cast<const char*>(event), size_t(size)});
  });
}

haft_status haft_writer_flush(haft_writer* w) noexcept {
  return boundary("haft_writer_flush", [&] {
    CancelGuard guard;
    writer_of(w)->flush();
  });
}

haft_status haft_writer_close(haft_writer* w) noexcept {
  return boundary("haft_writer_close", [&] {
    CancelGuard guard;
    WriterObject& h = writer_object(w);
    std::shared_ptr<EventWriter> last;
    {
      std::lock_guard lock(h.mutex);
      last = std::exchange(h.writer, nullptr);
    }
    if (last) last->flush();
  });
}

haft_status haft_writer_get_path(const haft_writer* w, char* buffer, int64_t capacity,
                                 int64_t* needed) noexcept {
  return boundary("haft_writer_get_path",
                  [&] { emit_text(writer_object(w).path, buffer, capacity, needed); });
}

haft_status haft_checkpoint_save(const char* path, const haft_checkpoint_parts* parts,
                                 const haft_key_value* values, int64_t value_count) noexcept {
  return boundary("haft_checkpoint_save", [&] {
    CancelGuard guard;
    const CheckpointSection section = values_arg(values, value_count, 2);
    Parts p(parts, 1);
    save_checkpoint(path_arg(path, 0), p.parts, section);
  });
}

haft_status haft_checkpoint_load(const char* path, const haft_checkpoint_parts* parts,
                                 haft_checkpoint** out) noexcept {
  return boundary("haft_checkpoint_load", [&] {
    CancelGuard guard;
    Parts p(parts, 1);
    auto h = make_ref<CheckpointObject>();
    h->values = load_checkpoint(path_arg(path, 0), p.parts);
    if (out) *out = hand_out_object<haft_checkpoint>(HandleType::checkpoint, std::move(h));
  });
}

haft_status haft_checkpoint_retain(haft_checkpoint* c) noexcept {
  return boundary("haft_checkpoint_retain", [&] { retain_handle(c, HandleType::checkpoint); });
}

void haft_checkpoint_release(haft_checkpoint* c) noexcept { release_handle(c, HandleType::checkpoint); }

haft_status haft_checkpoint_get_number(const haft_checkpoint* c, const char* key, haft_scalar* out) noexcept {
  return boundary("haft_checkpoint_get_number", [&] {
    check_out(out, 2, "out");
    const CheckpointValue& v = value_of(c, key);
    if (auto* b = std::get_if<bool>(&v)) {
      *out = haft_scalar_int(*b);
      out->kind = HAFT_SCALAR_BOOL;
    } else if (auto* i = std::get_if<int64_t>(&v)) {
      *out = haft_scalar_int(*i);
    } else if (auto* d = std::get_if<double>(&v)) {
      *out = haft_scalar_float(*d);
    } else {
      fail_argument(Code::invalid_argument, concat("the value ", quoted(key), " is a text"), 1, "key",
                    "read it with haft_checkpoint_get_text");
    }
  });
}

haft_status haft_checkpoint_get_text(const haft_checkpoint* c, const char* key, const char** out) noexcept {
  return boundary("haft_checkpoint_get_text", [&] {
    check_out(out, 2, "out");
    auto* text = std::get_if<std::string>(&value_of(c, key));
    if (!text)
      fail_argument(Code::invalid_argument, concat("the value ", quoted(key), " is a number"), 1, "key",
                    "read it with haft_checkpoint_get_number");
    *out = text->c_str();
  });
}

}  // extern "C"
