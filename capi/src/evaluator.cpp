#include <haft/evaluator.h>

#include "capi/src/boundary.h"
#include "core/data/evaluator.h"

using namespace haft;
using namespace haft::capi;

namespace {

struct EvaluatorObject final : HandleObject {
  Ref<Evaluator> value;
};

// The evaluator for one call, which no other has meanwhile.
class Use {
  Ref<EvaluatorObject> object_;
  Exclusive use_;

 public:
  explicit Use(haft_evaluator* e)
      : object_(Ref<EvaluatorObject>::share(&object_of<EvaluatorObject>(e, HandleType::evaluator, 0, "e"))),
        use_(*object_, "evaluator") {}
  Evaluator* operator->() const { return object_->value.get(); }
};

}  // namespace

extern "C" {

haft_status haft_evaluator_create(int64_t num_classes, int64_t top_k, int64_t ignore_index,
                                  haft_evaluator** out) noexcept {
  return boundary("haft_evaluator_create", [&] {
    check_out(out, 3, "out");
    auto object = make_ref<EvaluatorObject>();
    object->value = make_ref<Evaluator>(EvaluatorOptions{num_classes, top_k, ignore_index});
    *out = hand_out_object<haft_evaluator>(HandleType::evaluator, std::move(object));
  });
}

haft_status haft_evaluator_retain(haft_evaluator* e) noexcept {
  return boundary("haft_evaluator_retain", [&] { retain_handle(e, HandleType::evaluator); });
}

void haft_evaluator_release(haft_evaluator* e) noexcept { release_handle(e, HandleType::evaluator); }

haft_status haft_evaluator_update(haft_evaluator* e, const haft_tensor* predictions,
                                  const haft_tensor* target) noexcept {
  return boundary("haft_evaluator_update",
                  [&] { Use(e)->update(arg(predictions, 1, "predictions"), arg(target, 2, "target")); });
}

haft_status haft_evaluator_add(haft_evaluator* e, const haft_tensor* values, double weight) noexcept {
  return boundary("haft_evaluator_add", [&] { Use(e)->add(arg(values, 1, "values"), weight); });
}

haft_status haft_evaluator_reset(haft_evaluator* e) noexcept {
  return boundary("haft_evaluator_reset", [&] { Use(e)->reset(); });
}

haft_status haft_evaluator_get_count(haft_evaluator* e, int64_t* out) noexcept {
  return boundary("haft_evaluator_get_count", [&] {
    check_out(out, 1, "out");
    *out = Use(e)->samples();
  });
}

haft_status haft_evaluator_get_accuracy(haft_evaluator* e, int64_t k, double* out) noexcept {
  return boundary("haft_evaluator_get_accuracy", [&] {
    check_out(out, 2, "out");
    *out = Use(e)->accuracy(k);
  });
}

haft_status haft_evaluator_get_mean(haft_evaluator* e, double* out) noexcept {
  return boundary("haft_evaluator_get_mean", [&] {
    check_out(out, 1, "out");
    *out = Use(e)->mean();
  });
}

haft_status haft_evaluator_confusion(haft_evaluator* e, haft_tensor** out) noexcept {
  return boundary("haft_evaluator_confusion", [&] {
    check_out(out, 1, "out");
    emit(out, Use(e)->confusion());
  });
}

haft_status haft_evaluator_scores(haft_evaluator* e, haft_tensor** precision, haft_tensor** recall,
                                  haft_tensor** f1) noexcept {
  return boundary("haft_evaluator_scores", [&] {
    check_out(precision, 1, "precision");
    check_out(recall, 2, "recall");
    check_out(f1, 3, "f1");
    auto [p, r, f] = Use(e)->scores();
    haft_tensor* made[3] = {};
    emit_all(made, {std::move(p), std::move(r), std::move(f)});
    *precision = made[0], *recall = made[1], *f1 = made[2];
  });
}

haft_status haft_evaluator_get_state(haft_evaluator* e, haft_tensor** out) noexcept {
  return boundary("haft_evaluator_get_state", [&] {
    check_out(out, 1, "out");
    emit(out, Use(e)->state());
  });
}

haft_status haft_evaluator_set_state(haft_evaluator* e, const haft_tensor* state) noexcept {
  return boundary("haft_evaluator_set_state", [&] { Use(e)->set_state(arg(state, 1, "state")); });
}

}  // extern "C"
