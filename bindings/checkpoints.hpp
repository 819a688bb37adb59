// Sharded checkpoints as the bindings call them: what is saved or loaded is put together by this thread, one plain
// value after the other.
#ifndef HAFT_BINDINGS_CHECKPOINTS_HPP
#define HAFT_BINDINGS_CHECKPOINTS_HPP
#include <locale>
#include <sstream>

#include "bindings/distributed.hpp"

namespace haft {
namespace bindings {

/// What this thread has put together is taken by the next save, load or clear.
class ShardedCheckpoints {
#ifndef SWIG
  friend class ShardedReader;
  struct Value {
    std::string key, text;
    haft_scalar number;
    bool is_text;
  };
  struct Content {
    std::vector<io::CheckpointPiece> pieces;
    std::vector<Value> values;
    nn::Module module;
    optim::Optimizer optimizer;
    optim::Scheduler scheduler;

    haft_checkpoint_parts parts() const {
      haft_checkpoint_parts p = HAFT_CHECKPOINT_PARTS_INIT;
      p.default_generator = 0;
      p.module = module.get();
      p.optimizer = optimizer.get();
      p.scheduler = scheduler.get();
      return p;
    }
    std::vector<haft_key_value> key_values() const {
      std::vector<haft_key_value> out;
      for (const Value& v : values)
        out.push_back(v.is_text ? io::value(v.key.c_str(), v.text.c_str())
                                : io::value(v.key.c_str(), v.number));
      return out;
    }
  };
  static Content& content() {
    static thread_local Content c;
    return c;
  }
  static Content take() {
    Content c = std::move(content());
    content() = Content();
    return c;
  }
  static void save_now(const ProcessGroup* g, const std::string& folder) {
    const Content c = take();
    const haft_checkpoint_parts p = c.parts();
    io::save_sharded(g, folder, c.pieces, &p, c.key_values());
  }
  static Future save_later(const ProcessGroup* g, const std::string& folder) {
    const Content c = take();
    const haft_checkpoint_parts p = c.parts();
    return io::save_sharded_async(g, folder, c.pieces, &p, c.key_values());
  }
  static void field(Bytes& out, const std::string& s) { out.bytes.append(s).push_back('\0'); }
#endif

 public:
  static void clear() { take(); }
  static void add(const std::string& name, const Tensor& t) { content().pieces.emplace_back(name, t); }
  static void add_box(const std::string& name, const Tensor& t, const std::vector<std::int64_t>& shape,
                      const std::vector<std::int64_t>& offsets) {
    content().pieces.push_back(io::CheckpointPiece::box(name, t, shape, offsets));
  }
  static void add_range(const std::string& name, const Tensor& t, const std::vector<std::int64_t>& shape,
                        std::int64_t first) {
    content().pieces.push_back(io::CheckpointPiece::range(name, t, shape, first));
  }
  static void add_integer(const std::string& key, std::int64_t v) {
    content().values.push_back({key, "", haft_scalar_int(v), false});
  }
  static void add_number(const std::string& key, double v) {
    content().values.push_back({key, "", haft_scalar_float(v), false});
  }
  static void add_flag(const std::string& key, bool v) {
    haft_scalar s = haft_scalar_int(v);
    s.kind = HAFT_SCALAR_BOOL;
    content().values.push_back({key, "", s, false});
  }
  static void add_text(const std::string& key, const std::string& v) {
    content().values.push_back({key, v, haft_scalar_none(), true});
  }
  static void set_module(const nn::Module& m) { content().module = m; }
  static void set_optimizer(const optim::Optimizer& o) { content().optimizer = o; }
  static void set_scheduler(const optim::Scheduler& s) { content().scheduler = s; }

  static void save(const ProcessGroup& g, const std::string& folder) { save_now(&g, folder); }
  static void save_alone(const std::string& folder) { save_now(nullptr, folder); }
  static Future save_async(const ProcessGroup& g, const std::string& folder) {
    return save_later(&g, folder);
  }
  static Future save_alone_async(const std::string& folder) { return save_later(nullptr, folder); }
  static void load(const std::string& folder, bool cast, int rank);
  static Bytes tensors(const std::string& folder);
  static Bytes values(const std::string& folder);
  static Tensor read_tensor(const std::string& folder, const std::string& name) {
    return io::ShardedCheckpoint(folder).tensor(name);
  }
  static void to_file(const std::string& folder, const std::string& path) {
    io::ShardedCheckpoint(folder).to_file(path);
  }
};

/// A checkpoint that is open: all of it is of one index, also when a save puts another one in its place meanwhile.
class ShardedReader {
#ifndef SWIG
  const io::ShardedCheckpoint c_;
  static void field(Bytes& out, const std::string& s) { ShardedCheckpoints::field(out, s); }
#endif

 public:
  explicit ShardedReader(const std::string& folder) : c_(folder) {}
  /// Fills what this thread has put together.
  void load(bool cast, int rank) const {
    const ShardedCheckpoints::Content c = ShardedCheckpoints::take();
    const haft_checkpoint_parts p = c.parts();
    c_.load(c.pieces, cast, &p, rank);
  }
  /// Of each tensor the number of its type, its sizes with commas between them, and its name, each with a 0 behind it.
  Bytes tensors() const {
    Bytes out;
    for (std::int64_t i = 0, n = c_.size(); i < n; ++i) {
      const haft_sharded_tensor_info t = c_.info(i);
      std::string sizes;
      for (std::int64_t d = 0; d < t.ndim; ++d) sizes += (d ? "," : "") + std::to_string(t.shape[d]);
      field(out, std::to_string(t.dtype));
      field(out, sizes);
      field(out, t.name);
    }
    return out;
  }
  /// Of each value its key, its kind ("b", "i", "d" or "s") and its text, each with a 0 behind it.
  Bytes values() const {
    Bytes out;
    for (const haft_key_value& v : c_.values()) {
      field(out, v.key);
      if (v.text) {
        field(out, "s");
        field(out, v.text);
        continue;
      }
      const bool is_float = v.number.kind == HAFT_SCALAR_FLOAT;
      std::ostringstream number;
      number.imbue(std::locale::classic());  // the program's may write a comma
      number.precision(17);
      if (is_float)
        number << v.number.v.d;
      else
        number << v.number.v.i;
      field(out, is_float ? "d" : v.number.kind == HAFT_SCALAR_BOOL ? "b" : "i");
      field(out, number.str());
    }
    return out;
  }
  Tensor read_tensor(const std::string& name) const { return c_.tensor(name); }
};

#ifndef SWIG
inline void ShardedCheckpoints::load(const std::string& folder, bool cast, int rank) {
  ShardedReader(folder).load(cast, rank);
}
inline Bytes ShardedCheckpoints::tensors(const std::string& folder) {
  return ShardedReader(folder).tensors();
}
inline Bytes ShardedCheckpoints::values(const std::string& folder) { return ShardedReader(folder).values(); }
#endif

}  // namespace bindings
}  // namespace haft
#endif
