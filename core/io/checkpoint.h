// Checkpoints of a training run: whatever of model, optimizer, schedule, random numbers and loader is given,
// so that a new process goes on with the same numbers.
#pragma once
#include <functional>
#include <string>

#include "core/data/loader.h"
#include "core/dispatch/generator.h"
#include "core/io/checkpoint_file.h"
#include "core/nn/module.h"
#include "core/optim/scheduler.h"

namespace haft {

struct CheckpointParts {
  nn::Module* module = nullptr;
  Optimizer* optimizer = nullptr;
  Scheduler* scheduler = nullptr;
  Generator* generator = nullptr;
  DataLoader* loader = nullptr;
  bool default_generator = true;  // the process's own, which dropout and the like draw from
};

// Written atomically. `values` are the caller's own: epoch, step, best accuracy.
void save_checkpoint(const std::string& path, const CheckpointParts& parts, const CheckpointSection& values);
// Restores the parts that are given and answers the values. All or nothing: what the file lacks or what does
// not fit is found before anything changes.
CheckpointSection load_checkpoint(const std::string& path, const CheckpointParts& parts);

// For other kinds of files. All but tensors and the caller's values, by the part's name; optimizer: its state, if
// there is one.
std::map<std::string, CheckpointSection> checkpoint_sections(const CheckpointParts& parts,
                                                             const OptimizerState* optimizer);
struct CheckpointSource {
  CheckpointFile file;  // its sections
  std::string where;    // begins messages
  std::function<std::vector<nn::NamedTensor>()> module;
  std::function<std::map<std::string, Tensor>()> optimizer;
  bool strict = true;            // the module's names
  bool optimizer_parts = false;  // as Optimizer::decode_state takes it
};
void restore_checkpoint(const CheckpointSource& from, const CheckpointParts& parts);

}  // namespace haft
