// What a shape rule sees and says: it reads inputs and attributes, may normalise both, and declares the
// outputs.
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

  explicit ShapeContext(Call& c) : call_(c), attrs{c.words.data()} {}

  OpId op() const { return call_.op; }
  const char* name() const { return op_name(call_.op); }
  int n_in() const { return call_.n_in; }
  bool has(int i) const { return i < call_.n_in && call_.in[i]->defined(); }
  const Tensor& in(int i) const { return *call_.in[i]; }
  // Replaces an input, through operators that are recorded themselves (a cast, a contiguous copy).
  void set_in(int i, Tensor t);
  // Replaces all of them, where their number changes (a mask that becomes several indices).
  void set_inputs(std::vector<Tensor> all);
  // Replaces a word or, for lists whose length changes, all words.
  void set_word(int at, uint64_t w) { call_.words[at] = w; }
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

  Call& call() { return call_; }

 private:
  Call& call_;
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
