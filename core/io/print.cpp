#include "core/io/print.h"

#include <cstdio>

#include "core/backend/device.h"
#include "core/base/number.h"
#include "core/base/thread_state.h"
#include "core/dispatch/host_access.h"
#include "core/ops/functions.h"
#include "core/tape/tape.h"
#include "core/tensor/batched.h"

namespace haft {

namespace {

// What is shown of a tensor: of a long one the edges along each dimension that has more.
Tensor shown_part(const Tensor& t, const PrintOptions& o) {
  Tensor x = t;
  if (t.numel() <= o.threshold) return x;
  NoGradGuard no_grad;
  for (int d = 0; d < t.ndim(); ++d)
    if (const int64_t n = x.size(d); n > 2 * o.edge)
      x = ops::cat({{ops::narrow(x, d, 0, o.edge), ops::narrow(x, d, n - o.edge, o.edge)}}, d);
  return x;
}

// Values in row-major order as doubles or integers, and how each is written.
class Formatter {
 public:
  Formatter(const Tensor& t, const PrintOptions& o)
      : options_(o), dtype_(real_dtype(t.dtype())), whole_(t.sizes()) {
    NoGradGuard none;
    Tensor x = shown_part(t, o);
    sizes_ = Shape(x.sizes());
    if (is_complex(t.dtype())) {  // both parts have a format of their own
      PrintOptions all = o;
      all.threshold = INT64_MAX;
      imaginary_ = std::make_unique<Formatter>(ops::imag(x), all);
      x = ops::real(x);
    }
    read(x);
    if (is_float(dtype_))
      choose_format();
    else
      for (size_t i = 0; i < values_.size(); ++i) width_ = std::max(width_, text(i).size());
  }

  std::string print(int indent) const { return values_.empty() ? "[]" : block(0, 0, indent); }

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

  // PyTorch's rule: integers as "1.", a wide range in scientific notation, else `precision` digits. What is no
  // number, or 0, has no part in it.
  void choose_format() {
    double low = INFINITY, high = 0;
    for (double v : values_) {
      const double a = std::abs(v);
      if (!std::isfinite(v) || a == 0) continue;
      integral_ &= v == std::ceil(v);
      low = std::min(low, a);
      high = std::max(high, a);
    }
    if (high == 0) return;
    scientific_ = high / low > 1e3 || high > 1e8 || (!integral_ && low < 1e-4);
    for (size_t i = 0; i < values_.size(); ++i)
      if (std::isfinite(values_[i]) && values_[i] != 0) width_ = std::max(width_, text(i).size());
    if (options_.scientific >= 0) scientific_ = options_.scientific != 0;
  }

  std::string text(size_t i) const {
    if (dtype_ == DType::boolean) return integers_[i] ? "True" : "False";
    if (!is_float(dtype_)) return std::to_string(integers_[i]);
    const double v = values_[i];
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
    std::string out;
    append_number(out, scientific_ ? 'e' : 'f', scientific_ || !integral_ ? options_.precision : 0, v);
    if (!scientific_ && integral_) out += '.';
    return out;
  }

  std::string padded(size_t i) const {
    std::string s = text(i);
    if (!sizes_.empty()) s.insert(0, width_ - std::min(width_, s.size()), ' ');
    if (!imaginary_) return s;
    const std::string other = imaginary_->text(i);
    return s + (other[0] == '-' ? "" : "+") + other + "j";
  }
  size_t column_width() const { return width_ + (imaginary_ ? imaginary_->width_ + 1 : 0); }

  std::string block(int dim, int64_t offset, int indent) const {
    if (dim == int(sizes_.size())) return padded(size_t(offset));
    const bool last = dim + 1 == int(sizes_.size());
    int64_t step = 1;
    for (int64_t d = dim + 1; d < sizes_.size(); ++d) step *= sizes_[d];
    std::vector<std::string> items;
    for (int64_t i = 0; i < sizes_[dim]; ++i) {
      if (sizes_[dim] < whole_[dim] && i == options_.edge) items.push_back(last ? " ..." : "...");
      items.push_back(block(dim + 1, offset + i * step, indent + 1));
    }
    const std::string pad(size_t(indent) + 1, ' ');
    const std::string between =
        last ? ", " : ",\n" + std::string(sizes_.size() - size_t(dim) - 2, '\n') + pad;
    const size_t a_line =
        size_t(std::max<int64_t>(1, (options_.line_width - indent) / int64_t(column_width() + 2)));
    std::string out = "[";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i) out += last && i % a_line == 0 ? ",\n" + pad : between;
      out += items[i];
    }
    return out + "]";
  }

  PrintOptions options_;
  DType dtype_;
  Shape whole_, sizes_;  // of the tensor, and of what is shown
  bool integral_ = true, scientific_ = false;
  std::vector<double> values_;
  std::vector<int64_t> integers_;
  size_t width_ = 1;
  std::unique_ptr<Formatter> imaginary_;
};

std::string notes_of(const Tensor& t) {
  std::string notes;
  auto note = [&](const std::string& text) { notes += (notes.empty() ? "" : "\n") + text; };
  if (!t.device().is_cpu()) note(concat("device='", t.device(), "'"));
  if (t.numel() == 0 && t.ndim() != 1) {
    const std::string size = concat(t.sizes());
    note(concat("size=(", size.substr(1, size.size() - 2), ")"));
  }
  const DType type = t.dtype();
  const bool usual = type == DType::f32 || type == DType::c64 || type == DType::i64 || type == DType::boolean;
  if (!usual || (t.numel() == 0 && t.dtype() != DType::f32)) note(concat("dtype=", dtype_name(t.dtype())));
  if (t.requires_grad()) {
    Ref<Node> n = gradient_node(*t.impl());
    note(n->is_leaf() ? "requires_grad=True" : concat("grad_fn=<", n->name(), ">"));
  }
  return notes;
}

}  // namespace

std::string tensor_text(const Tensor& t, const PrintOptions& options) {
  if (is_batched(t)) {  // as PyTorch shows it: a function under vmap may be looked at while it runs
    PrintOptions inner = options;
    inner.notes.reset();
    const bool many = place_of(*t.impl()).many;
    return concat(many ? "BatchedTensor(bdim=0, value=\n" : "BatchedTensor(value=\n",
                  tensor_text(value_of(*t.impl()), inner), "\n)");
  }
  const size_t indent = options.name.size() + 1;
  std::string out = options.name + "(" + Formatter(t, options).print(int(indent));
  size_t column = out.size() - (out.rfind('\n') + 1);  // npos + 1 is 0
  const std::string notes = options.notes ? *options.notes : notes_of(t);
  for (size_t at = 0; at < notes.size();) {
    const size_t end = std::min(notes.find('\n', at), notes.size()), size = end - at;
    if (column + size + 2 > size_t(options.line_width)) {
      out += ",\n" + std::string(indent, ' ');
      column = indent + size;
    } else {
      out += ", ";
      column += size + 2;
    }
    out.append(notes, at, size);
    at = end + 1;
  }
  return out + ")";
}

}  // namespace haft
