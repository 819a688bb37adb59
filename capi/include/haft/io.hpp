// Files in C++17 over haft/io.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_IO_HPP
#define HAFT_IO_HPP
#include <haft/data.hpp>
#include <haft/nn.hpp>

namespace haft {
namespace io {

namespace detail {
// Names and handles of a list, as long as that lives.
struct Named {
  std::vector<const char*> names;
  std::vector<haft_tensor*> tensors;
  explicit Named(const std::vector<std::pair<std::string, Tensor>>& all) {
    for (auto& t : all) {
      names.push_back(t.first.c_str());
      tensors.push_back(t.second.get());
    }
  }
  std::int64_t size() const { return static_cast<std::int64_t>(tensors.size()); }
};
}  // namespace detail

/// Writes named tensors into a safetensors file.
inline void save_safetensors(const std::vector<std::pair<std::string, Tensor>>& tensors, const std::string& path) {
  const detail::Named all(tensors);
  check(haft_weights_save(all.names.data(), all.tensors.data(), all.size(), path.c_str()));
}
/// Writes named tensors into a .npz file of NumPy's, stored or compressed.
inline void save_npz(const std::vector<std::pair<std::string, Tensor>>& tensors, const std::string& path,
                     bool compressed = false) {
  const detail::Named all(tensors);
  check(haft_npz_save(all.names.data(), all.tensors.data(), all.size(), compressed, path.c_str()));
}

/// A mapped file of named tensors: safetensors, NumPy's .npz, or a state that torch.save wrote.
class Weights : public haft::detail::Handle<haft_weights, haft_weights_retain, haft_weights_release> {
 public:
  using Handle::Handle;
  explicit Weights(const std::string& path) {
    haft_weights* w = nullptr;
    check(haft_weights_open(path.c_str(), &w));
    *this = Weights(w);
  }
  std::int64_t size() const {
    std::int64_t n = 0;
    check(haft_weights_get_count(get(), &n));
    return n;
  }
  std::string name(std::int64_t index) const {
    const char* s = nullptr;
    check(haft_weights_get_name(get(), index, &s));
    return s;
  }
  Tensor operator[](std::int64_t index) const {
    haft_tensor* t = nullptr;
    check(haft_weights_tensor(get(), index, &t));
    return Tensor(t);
  }
  Tensor operator[](const std::string& name) const {
    haft_tensor* t = nullptr;
    check(haft_weights_find(get(), name.c_str(), &t));
    return Tensor(t);
  }
  std::vector<std::pair<std::string, Tensor>> all() const {
    std::vector<std::pair<std::string, Tensor>> out;
    for (std::int64_t i = 0, n = size(); i < n; ++i) out.emplace_back(name(i), (*this)[i]);
    return out;
  }
};

inline void save_npy(const Tensor& t, const std::string& path) { check(haft_npy_save(t.get(), path.c_str())); }
inline Tensor load_npy(const std::string& path) {
  haft_tensor* t = nullptr;
  check(haft_npy_load(path.c_str(), &t));
  return Tensor(t);
}

/// The tensor of an IDX file, plain or gzipped.
inline Tensor load_idx(const std::string& path) {
  haft_tensor* t = nullptr;
  check(haft_idx_load(path.c_str(), &t));
  return Tensor(t);
}

/// Writes a picture (C, H, W) of bytes, or of floats in [0, 1], into a PNG file.
inline void save_png(const Tensor& image, const std::string& path) { check(haft_png_save(image.get(), path.c_str())); }

/// Writes a picture of 1 or 3 channels into a JPEG file; quality 1 to 100.
inline void save_jpeg(const Tensor& image, const std::string& path, std::int64_t quality = 75) {
  check(haft_jpeg_save(image.get(), quality, path.c_str()));
}
/// A picture out of a PNG, JPEG, PGM or PPM file: uint8 (C, H, W). channels: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA,
/// 0 those of the file.
inline Tensor load_image(const std::string& path, std::int64_t channels = 0) {
  haft_tensor* t = nullptr;
  check(haft_image_load(path.c_str(), channels, &t));
  return Tensor(t);
}
/// A picture out of the bytes of such a file, uint8 (N).
inline Tensor decode_image(const Tensor& bytes, std::int64_t channels = 0) {
  haft_tensor* t = nullptr;
  check(haft_image_decode(bytes.get(), channels, &t));
  return Tensor(t);
}
/// A picture as the bytes of a PNG file; level 0 to 9: how hard to compress.
inline Tensor encode_png(const Tensor& image, std::int64_t level = 6) {
  haft_tensor* t = nullptr;
  check(haft_image_encode(image.get(), HAFT_IMAGE_PNG, level, &t));
  return Tensor(t);
}
/// A picture of 1 or 3 channels as the bytes of a JPEG file; quality 1 to 100.
inline Tensor encode_jpeg(const Tensor& image, std::int64_t quality = 75) {
  haft_tensor* t = nullptr;
  check(haft_image_encode(image.get(), HAFT_IMAGE_JPEG, quality, &t));
  return Tensor(t);
}

/// An event file for TensorBoard.
class Writer : public haft::detail::Handle<haft_writer, haft_writer_retain, haft_writer_release> {
 public:
  using Handle::Handle;
  explicit Writer(const std::string& folder) {
    haft_writer* w = nullptr;
    check(haft_writer_create(folder.c_str(), &w));
    *this = Writer(w);
  }
  void add_scalar(const std::string& tag, double value, std::int64_t step) const {
    check(haft_writer_add_scalar(get(), tag.c_str(), value, step));
  }
  void add_histogram(const std::string& tag, const Tensor& values, std::int64_t step) const {
    check(haft_writer_add_histogram(get(), tag.c_str(), values.get(), step));
  }
  /// Adds a picture (C, H, W) of bytes, or of floats in [0, 1]. wall_time: seconds since 1970; 0: now.
  void add_image(const std::string& tag, const Tensor& image, std::int64_t step, double wall_time = 0) const {
    check(haft_writer_add_image(get(), tag.c_str(), image.get(), step, wall_time));
  }
  /// Adds a text, which TensorBoard reads as Markdown. wall_time: seconds since 1970; 0: now.
  void add_text(const std::string& tag, const std::string& text, std::int64_t step, double wall_time = 0) const {
    check(haft_writer_add_text(get(), tag.c_str(), text.c_str(), step, wall_time));
  }
  /// Adds what a module computes for its inputs as a graph: it runs once, and what is recorded is drawn in boxes of its
  /// parts.
  void add_graph(const nn::Module& module, const std::vector<Tensor>& inputs) const {
    auto in = haft::detail::handles(inputs);
    check(haft_writer_add_graph(get(), module.get(), in.data(), static_cast<std::int64_t>(in.size())));
  }
  /// Adds the graph behind tensors as it was recorded. names: of the parameters; begins, ends and paths: the scopes of
  /// haft_graph_scope.
  void add_recorded_graph(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs,
                          const std::vector<std::string>& names, const std::vector<Tensor>& parameters,
                          const std::vector<std::int64_t>& begins, const std::vector<std::int64_t>& ends,
                          const std::vector<std::string>& paths) const {
    if (names.size() != parameters.size() || begins.size() != paths.size() || ends.size() != paths.size())
      check(haft_error_set(
          HAFT_ERROR_INVALID_ARGUMENT,
          "add_recorded_graph: wanted a name for each parameter, and begin, end and path of each scope", 0));
    auto in = haft::detail::handles(inputs), out = haft::detail::handles(outputs),
         ps = haft::detail::handles(parameters);
    std::vector<const char*> texts;
    for (auto& name : names) texts.push_back(name.c_str());
    std::vector<haft_graph_scope> scopes;
    for (std::size_t i = 0; i < paths.size(); ++i) scopes.push_back({begins[i], ends[i], paths[i].c_str()});
    check(haft_writer_add_recorded_graph(get(), in.data(), static_cast<std::int64_t>(in.size()), out.data(),
                                         static_cast<std::int64_t>(out.size()), texts.data(), ps.data(),
                                         static_cast<std::int64_t>(ps.size()), scopes.data(),
                                         static_cast<std::int64_t>(scopes.size())));
  }
  /// An event of your own: the bytes of TensorFlow's message Event (event.proto).
  void add_event(const void* event, std::int64_t size) const { check(haft_writer_add_event(get(), event, size)); }
  void flush() const { check(haft_writer_flush(get())); }
  void close() const { check(haft_writer_close(get())); }
  std::string path() const {
    return haft::detail::text_of(
        [this](char* b, std::int64_t n, std::int64_t* needed) { return haft_writer_get_path(get(), b, n, needed); });
  }
};

/// What a checkpoint saves or restores; set the members that matter.
struct CheckpointParts : haft_checkpoint_parts {
  CheckpointParts() : haft_checkpoint_parts(HAFT_CHECKPOINT_PARTS_INIT) {}
};

inline haft_key_value value(const char* key, const Scalar& number) {
  haft_key_value v = HAFT_KEY_VALUE_INIT;
  v.key = key;
  v.number = number.get();
  return v;
}
inline haft_key_value value(const char* key, const char* text) {
  haft_key_value v = HAFT_KEY_VALUE_INIT;
  v.key = key;
  v.text = text;
  return v;
}

inline void save_checkpoint(const std::string& path, const haft_checkpoint_parts& parts,
                            const std::vector<haft_key_value>& values = {}) {
  check(haft_checkpoint_save(path.c_str(), &parts, values.data(), static_cast<std::int64_t>(values.size())));
}

/// The values that stood beside the parts.
class Checkpoint : public haft::detail::Handle<haft_checkpoint, haft_checkpoint_retain, haft_checkpoint_release> {
 public:
  using Handle::Handle;
  /// Restores the parts.
  Checkpoint(const std::string& path, const haft_checkpoint_parts& parts) {
    haft_checkpoint* c = nullptr;
    check(haft_checkpoint_load(path.c_str(), &parts, &c));
    *this = Checkpoint(c);
  }
  haft_scalar number(const std::string& key) const {
    haft_scalar s = haft_scalar_none();
    check(haft_checkpoint_get_number(get(), key.c_str(), &s));
    return s;
  }
  std::string text(const std::string& key) const {
    const char* s = nullptr;
    check(haft_checkpoint_get_text(get(), key.c_str(), &s));
    return s;
  }
};

}  // namespace io
}  // namespace haft
#endif
