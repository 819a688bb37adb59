// Checkpoints that ranks write together, in C++17 over haft/sharded_checkpoint.h. haft/haft.hpp includes it.
#include <haft/haft.hpp>  // before the guard: it includes this header at its end
#ifndef HAFT_SHARDED_CHECKPOINT_HPP
#define HAFT_SHARDED_CHECKPOINT_HPP
#include <haft/io.hpp>
#include <haft/process_group.hpp>
#include <haft/rpc.hpp>

namespace haft {
namespace io {

/// What a rank has, or wants to have, of a tensor: all of it, a box or a range of elements.
class CheckpointPiece {
 public:
  CheckpointPiece(std::string name, Tensor tensor) : name_(std::move(name)), tensor_(std::move(tensor)) {}
  /// A box of a whole of that shape.
  static CheckpointPiece box(std::string name, Tensor tensor, std::vector<std::int64_t> shape,
                             std::vector<std::int64_t> offsets) {
    if (shape.size() != offsets.size())
      check(haft_error_set(HAFT_ERROR_SHAPE, "a box has an offset for each dimension of the whole", 0));
    CheckpointPiece p(std::move(name), std::move(tensor));
    p.shape_ = std::move(shape);
    p.offsets_ = std::move(offsets);
    p.kind_ = Kind::box;
    return p;
  }
  /// The elements of a row-major whole of that shape from `first` on.
  static CheckpointPiece range(std::string name, Tensor tensor, std::vector<std::int64_t> shape, std::int64_t first) {
    CheckpointPiece p(std::move(name), std::move(tensor));
    p.shape_ = std::move(shape);
    p.first_ = first;
    p.kind_ = Kind::range;
    return p;
  }
#ifndef SWIG
  /// It points into this object.
  haft_checkpoint_piece c_piece() const {
    static const std::int64_t none = 0;  // the shape of a scalar is no NULL
    haft_checkpoint_piece p = HAFT_CHECKPOINT_PIECE_INIT;
    p.name = name_.c_str();
    p.tensor = tensor_.get();
    if (kind_ != Kind::whole) p.shape = shape_.empty() ? &none : shape_.data();
    if (kind_ == Kind::box) p.offsets = offsets_.empty() ? &none : offsets_.data();
    p.ndim = static_cast<std::int64_t>(shape_.size());
    p.first = first_;
    return p;
  }
#endif

 private:
  enum class Kind { whole, box, range };
  std::string name_;
  Tensor tensor_;
  std::vector<std::int64_t> shape_, offsets_;
  std::int64_t first_ = 0;
  Kind kind_ = Kind::whole;
};

namespace detail {
inline std::vector<haft_checkpoint_piece> c_pieces(const std::vector<CheckpointPiece>& pieces) {
  std::vector<haft_checkpoint_piece> out;
  for (const CheckpointPiece& p : pieces) out.push_back(p.c_piece());
  return out;
}
inline void save_sharded(const ProcessGroup* g, const std::string& folder, const std::vector<CheckpointPiece>& pieces,
                         const haft_checkpoint_parts* parts, const std::vector<haft_key_value>& values,
                         haft_future** out) {
  const std::vector<haft_checkpoint_piece> ps = c_pieces(pieces);
  check(haft_sharded_checkpoint_save(g ? g->get() : nullptr, folder.c_str(), ps.data(),
                                     static_cast<std::int64_t>(ps.size()), parts, values.data(),
                                     static_cast<std::int64_t>(values.size()), out));
}
}  // namespace detail

/// Saves what the ranks have. All ranks of the group call it; NULL: this process alone. parts: NULL: none.
inline void save_sharded(const ProcessGroup* group, const std::string& folder,
                         const std::vector<CheckpointPiece>& pieces, const haft_checkpoint_parts* parts = nullptr,
                         const std::vector<haft_key_value>& values = {}) {
  detail::save_sharded(group, folder, pieces, parts, values, nullptr);
}
/// The same with what tensors hold now; files are written while the program goes on.
inline Future save_sharded_async(const ProcessGroup* group, const std::string& folder,
                                 const std::vector<CheckpointPiece>& pieces,
                                 const haft_checkpoint_parts* parts = nullptr,
                                 const std::vector<haft_key_value>& values = {}) {
  haft_future* f = nullptr;
  detail::save_sharded(group, folder, pieces, parts, values, &f);
  return Future(f);
}

/// A checkpoint that is open for reading.
class ShardedCheckpoint : public haft::detail::Handle<haft_sharded_checkpoint, haft_sharded_checkpoint_retain,
                                                      haft_sharded_checkpoint_release> {
 public:
  using Handle::Handle;
  explicit ShardedCheckpoint(const std::string& folder) {
    haft_sharded_checkpoint* c = nullptr;
    check(haft_sharded_checkpoint_open(folder.c_str(), &c));
    *this = ShardedCheckpoint(c);
  }
  std::int64_t size() const {
    std::int64_t n = 0;
    check(haft_sharded_checkpoint_get_count(get(), &n));
    return n;
  }
  haft_sharded_tensor_info info(std::int64_t index) const {
    haft_sharded_tensor_info i = HAFT_SHARDED_TENSOR_INFO_INIT;
    check(haft_sharded_checkpoint_get_tensor_info(get(), index, &i));
    return i;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (std::int64_t i = 0, n = size(); i < n; ++i) out.push_back(info(i).name);
    return out;
  }
  /// A whole tensor.
  Tensor tensor(const std::string& name) const {
    haft_tensor* t = nullptr;
    check(haft_sharded_checkpoint_tensor(get(), name.c_str(), &t));
    return Tensor(t);
  }
  /// Fills the pieces and restores the parts; rank: this one's number.
  void load(const std::vector<CheckpointPiece>& pieces, bool cast = false, const haft_checkpoint_parts* parts = nullptr,
            int rank = 0) const {
    const std::vector<haft_checkpoint_piece> ps = detail::c_pieces(pieces);
    check(haft_sharded_checkpoint_load(get(), ps.data(), static_cast<std::int64_t>(ps.size()), cast, parts, rank));
  }
  std::vector<haft_key_value> values() const {
    std::int64_t n = 0;
    check(haft_sharded_checkpoint_get_value_count(get(), &n));
    std::vector<haft_key_value> out(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i)
      check(haft_sharded_checkpoint_get_value(get(), i, &out[static_cast<std::size_t>(i)]));
    return out;
  }
  haft_key_value value(const std::string& key) const {
    haft_key_value v = HAFT_KEY_VALUE_INIT;
    check(haft_sharded_checkpoint_find_value(get(), key.c_str(), &v));
    return v;
  }
  /// One safetensors file with all tensors whole.
  void to_file(const std::string& path) const { check(haft_sharded_checkpoint_to_file(get(), path.c_str())); }
};

}  // namespace io
}  // namespace haft
#endif
