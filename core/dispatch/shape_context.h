// What a shape rule sees and says: it reads inputs and attributes, may normalise both, and declares the outputs.
#pragma once
#include <deque>
#include <memory>

#include "core/dispatch/op_table.h"

namespace haft {

class ShapeContext {
 public:
  // Not initialised until out() declares it: a context is made for every call.
  struct Out {
    DType dtype;
    uint8_t layout, ndim;
    int64_t dims[HAFT_MAX_DIMS];
    IntList sizes() const { return {dims, ndim}; }
  };

  explicit ShapeContext(const Call& c)
      : op_(c.op), inputs_(c.inputs()), words_(c.words), attrs{c.words.data()} {}

  OpId op() const { return op_; }
  const char* name() const { return op_name(op_); }
  int n_in() const { return int(inputs_.size()); }
  bool has(int i) const { return i < n_in() && inputs_[size_t(i)]->defined(); }
  const Tensor& in(int i) const { return *inputs_[size_t(i)]; }
  // Replaces an input, through operators that are recorded themselves (a cast, a contiguous copy).
  void set_in(int i, Tensor t);
  // Replaces all of them, where their number changes (a mask that becomes several indices).
  void set_inputs(std::vector<Tensor> all);
  // Replaces a word or, for lists whose length changes, all words.
  void set_word(int at, uint64_t w) { words_[size_t(at)] = w; }
  void set_words(AttrWriter& w);

  void out(int k, DType t, IntList sizes, uint8_t layout = HAFT_LAYOUT_STRIDED) {
    if (sizes.size() > HAFT_MAX_DIMS) [[unlikely]]
      checked_numel(sizes);  // says why
    Out& o = outs[k];
    o.dtype = t;
    o.layout = layout;
    o.ndim = uint8_t(sizes.size());
    for (int i = 0; i < o.ndim; ++i) o.dims[i] = sizes[i];
  }
  void device(Device d) { out_device = d; }  // creation and copies between devices; others inherit it

  // VIEW rules answer with the view itself.
  void view(Tensor v) { view_result = std::move(v); }

  // The call as the rule leaves it; these live as long as the context.
  Inputs inputs() const { return inputs_; }
  std::span<uint64_t> words() const { return words_; }

 private:
  OpId op_;
  Inputs inputs_;
  std::span<uint64_t> words_;
  SmallVec<uint64_t, 16> new_words_;
  struct Replaced {
    std::deque<Tensor> owned;  // addresses stay
    std::vector<const Tensor*> inputs;
  };
  std::unique_ptr<Replaced> replaced_;

 public:
  AttrReader attrs;
  Out outs[kMaxOutputs];
  Device out_device = kDefaultDevice;
  Tensor view_result;
};

}  // namespace haft
