// What checkpoints are made of, behind the handles of a call.
#pragma once
#include <haft/io.h>

#include <optional>

#include "capi/src/module_handle.h"
#include "capi/src/training_objects.h"
#include "core/io/checkpoint.h"

namespace haft::capi {

// The parts behind their handles, kept and marked as in use for the time of a call.
class Parts {
  Ref<nn::Module> module_;
  Ref<OptimizerObject> optimizer_;
  Ref<SchedulerObject> scheduler_;
  Ref<LoaderObject> loader_;
  std::optional<Exclusive> use_optimizer_, use_scheduler_, use_loader_;

 public:
  CheckpointParts parts;

  Parts(const haft_checkpoint_parts* given, int index) {
    haft_checkpoint_parts p =
        options_of(given, haft_checkpoint_parts HAFT_CHECKPOINT_PARTS_INIT, index, "parts");
    parts.default_generator = to_bool(p.default_generator, index, "parts.default_generator");
    if (p.module) module_ = module_arg(p.module, index, "parts.module");
    if (p.optimizer)
      optimizer_ = Ref<OptimizerObject>::share(
          &object_of<OptimizerObject>(p.optimizer, HandleType::optimizer, index, "parts.optimizer"));
    if (p.scheduler)
      scheduler_ = Ref<SchedulerObject>::share(
          &object_of<SchedulerObject>(p.scheduler, HandleType::scheduler, index, "parts.scheduler"));
    if (p.loader)
      loader_ = Ref<LoaderObject>::share(
          &object_of<LoaderObject>(p.loader, HandleType::loader, index, "parts.loader"));
    parts.generator = to_generator(p.generator, index, "parts.generator");
    parts.module = module_.get();
    if (optimizer_) {
      use_optimizer_.emplace(*optimizer_, "optimizer");
      parts.optimizer = optimizer_->value.get();
    }
    if (scheduler_) {
      use_scheduler_.emplace(*scheduler_, "scheduler");
      parts.scheduler = scheduler_->value.get();
    }
    if (loader_) {
      use_loader_.emplace(*loader_, "loader");
      parts.loader = loader_->value.get();
    }
  }
};

CheckpointSection values_arg(const haft_key_value* values, int64_t count, int index);
haft_key_value value_to(const std::string& key, const CheckpointValue& v);  // lives as long as both

}  // namespace haft::capi
