#include "core/io/print.h"

#include <cstdio>

#include "core/backend/device.h"
#include "core/base/number.h"
#include "core/dispatch/host_access.h"
#include "core/tape/tape.h"

namespace haft {

namespace {

// Values of a tensor in row-major order as doubles or integers, and how each is written.
class Formatter {
 public:
  Formatter(const Tensor& t, const PrintOptions& o)
      : options_(o), dtype_(t.dtype()), sizes_(t.sizes()), summarize_(t.numel() > o.threshold) {
    read(t);
    if (is_float(dtype_)) choose_format();
    for (int64_t i : shown(0, 0)) width_ = std::max(width_, text(i).size());
  }

  std::string print(std::string prefix) const {
    if (values_.empty()) return prefix + "[]";
    return prefix + block(0, 0, int(prefix.size()));
  }

 private:
  void read(const Tensor& t) {
    values_.resize(size_t(t.numel()));
    integers_.resize(is_float(dtype_) ? 0 : values_.size());
    std::vector<unsigned char> raw(size_t(t.bytes()));
    copy_to_host(t, raw.data());
    visit_dtype(dtype_, [&]<class T>() {
      for (size_t i = 0; i < values_.size(); ++i) {
        T v;
        std::memcpy(&v, raw.data() + i * sizeof(T), sizeof(T));
        values_[i] = double(v);
        if constexpr (std::is_integral_v<T>) integers_[i] = int64_t(v);
      }
    });
  }

  // PyTorch's rule: integers as "1.", a wide range in scientific notation, else `precision` digits.
  void choose_format() {
    double low = INFINITY, high = 0;
    whole_ = true;
    for (int64_t i : shown(0, 0)) {
      double v = values_[size_t(i)], a = std::abs(v);
      if (!std::isfinite(v)) continue;
      whole_ &= v == std::ceil(v);
      if (a == 0) continue;
      low = std::min(low, a);
      high = std::max(high, a);
    }
    scientific_ =
        high > 0 && (whole_ ? high / low > 1e8 || high > 1e8 : high / low > 1e3 || high > 1e8 || low < 1e-4);
  }

  std::string text(int64_t i) const {
    if (dtype_ == DType::boolean) return integers_[size_t(i)] ? "True" : "False";
    if (!is_float(dtype_)) return std::to_string(integers_[size_t(i)]);
    double v = values_[size_t(i)];
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    std::string out;
    append_number(out, scientific_ ? 'e' : 'f', scientific_ || !whole_ ? options_.precision : 0, v);
    if (!scientific_ && whole_) out += '.';
    return out;
  }

  int64_t stride(int64_t dim) const {
    int64_t s = 1;
    for (int64_t d = dim + 1; d < sizes_.size(); ++d) s *= sizes_[d];
    return s;
  }

  // Positions along a dimension that are shown; -1 stands for the dots.
  std::vector<int64_t> positions(int64_t dim) const {
    int64_t n = sizes_[dim];
    std::vector<int64_t> p;
    for (int64_t i = 0; i < n; ++i) {
      if (summarize_ && n > 2 * options_.edge && i == options_.edge) {
        p.push_back(-1);
        i = n - options_.edge;
      }
      p.push_back(i);
    }
    return p;
  }

  std::vector<int64_t> shown(int64_t dim, int64_t offset) const {
    if (values_.empty()) return {};
    if (dim == sizes_.size()) return {offset};
    std::vector<int64_t> all;
    for (int64_t i : positions(dim)) {
      if (i < 0) continue;
      auto inner = shown(dim + 1, offset + i * stride(dim));
      all.insert(all.end(), inner.begin(), inner.end());
    }
    return all;
  }

  std::string block(int64_t dim, int64_t offset, int indent) const {
    if (dim == sizes_.size()) return text(offset);
    std::string out = "[";
    bool last = dim + 1 == sizes_.size();
    int64_t per_line = std::max<int64_t>(1, (options_.line_width - indent - 1) / int64_t(width_ + 2));
    std::string pad(size_t(indent) + 1, ' '),
        separator = last ? ", " : ",\n" + std::string(last ? 0 : size_t(sizes_.size() - dim - 2), '\n') + pad;
    int64_t at = 0;
    for (int64_t i : positions(dim)) {
      if (at) out += last && at % per_line == 0 ? ",\n" + pad : separator;
      ++at;
      if (i < 0) {
        out += last ? " ..." : "...";
      } else if (last) {
        std::string s = text(offset + i);
        out += std::string(width_ - s.size(), ' ') + s;
      } else {
        out += block(dim + 1, offset + i * stride(dim), indent + 1);
      }
    }
    return out + "]";
  }

  PrintOptions options_;
  DType dtype_;
  Shape sizes_;
  bool summarize_, whole_ = false, scientific_ = false;
  std::vector<double> values_;
  std::vector<int64_t> integers_;
  size_t width_ = 0;
};

}  // namespace

std::string tensor_text(const Tensor& t, const PrintOptions& options) {
  std::string out = Formatter(t, options).print("tensor(");
  if (t.numel() == 0 && t.ndim() != 1) {
    std::string size = concat(t.sizes());
    out += concat(", size=(", size.substr(1, size.size() - 2), ")");
  }
  bool usual = t.dtype() == DType::f32 || t.dtype() == DType::i64 || t.dtype() == DType::boolean;
  if (!usual || (t.numel() == 0 && t.dtype() != DType::f32)) out += concat(", dtype=", dtype_name(t.dtype()));
  if (!t.device().is_cpu()) out += concat(", device='", t.device(), "'");
  if (t.requires_grad()) {
    Ref<Node> n = gradient_node(*t.impl());
    if (n->is_leaf())
      out += ", requires_grad=True";
    else
      out += concat(", grad_fn=<", n->name(), ">");
  }
  return out + ")";
}

}  // namespace haft
