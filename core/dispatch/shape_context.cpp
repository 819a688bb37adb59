#include "core/dispatch/shape_context.h"

namespace haft {

void ShapeContext::set_in(int i, Tensor t) {
  if (!replaced_) {
    replaced_ = std::make_unique<Replaced>();
    replaced_->inputs.assign(inputs_.begin(), inputs_.end());
    inputs_ = replaced_->inputs;
  }
  replaced_->owned.push_back(std::move(t));
  replaced_->inputs[size_t(i)] = &replaced_->owned.back();
}

void ShapeContext::set_inputs(std::vector<Tensor> all) {
  if (!replaced_) replaced_ = std::make_unique<Replaced>();
  replaced_->inputs.clear();
  for (Tensor& t : all) replaced_->inputs.push_back(&replaced_->owned.emplace_back(std::move(t)));
  inputs_ = replaced_->inputs;
}

void ShapeContext::set_words(AttrWriter& w) {
  new_words_.assign(w.finish());
  words_ = {new_words_.data(), size_t(new_words_.size())};
  attrs.words = new_words_.data();
}

}  // namespace haft
