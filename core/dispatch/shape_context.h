// What a shape rule sees and says: it reads inputs and attributes, may normalise both, and declares the outputs.
#pragma once
#include "core/dispatch/op_table.h"

namespace haft {

class ShapeContext {
 public:
  struct Out {
    DType dtype = DType::none;
    uint8_t layout = HAFT_LAYOUT_STRIDED;
    Shape sizes;
  };

  explicit ShapeContext(Call& c) : call_(c), attrs{c.words.data()} {}

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
    outs[k].dtype = t;
    outs[k].sizes.assign(sizes);
    outs[k].layout = layout;
  }
  void device(Device d) { out_device = d; }  // creation and copies between devices; others inherit it

  // VIEW rules answer with the view itself.
  void view(Tensor v) { view_result = std::move(v); }

  Call& call() { return call_; }

 private:
  Call& call_;
  SmallVec<uint64_t, 16> new_words_;
  std::vector<Tensor> owned_;
  std::vector<const Tensor*> inputs_;

 public:
  AttrReader attrs;
  Out outs[kMaxOutputs];
  Device out_device = kDefaultDevice;
  Tensor view_result;
};

}  // namespace haft
