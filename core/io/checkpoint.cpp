#include "core/io/checkpoint.h"

#include <optional>

#include "core/io/tensors.h"
#include "core/io/text.h"

namespace haft {

namespace {

constexpr const char *kModule = "module", *kOptimizer = "optimizer", *kScheduler = "scheduler",
                     *kGenerator = "generator", *kDefaultGenerator = "default_generator", *kLoader = "loader",
                     *kValues = "values";
constexpr std::string_view kModulePrefix = "module.", kOptimizerPrefix = "optimizer.";

CheckpointSection generator_section(const Generator& g) {
  return {{"seed", int64_t(g.seed.load())}, {"offset", int64_t(g.offset.load())}};
}

struct GeneratorState {
  uint64_t seed, offset;
};
GeneratorState generator_state(const CheckpointFile& file, const char* section) {
  return {uint64_t(checkpoint_value<int64_t>(file, section, "seed")),
          uint64_t(checkpoint_value<int64_t>(file, section, "offset"))};
}
void restore(Generator& g, const GeneratorState& s) noexcept {
  g.seed.store(s.seed);
  g.offset.store(s.offset);
}

// The doubles of a section; whatever else it holds is read by name.
std::map<std::string, double> numbers_of(const CheckpointSection& section) {
  std::map<std::string, double> out;
  for (auto& [key, value] : section)
    if (auto* d = std::get_if<double>(&value)) out[key] = *d;
  return out;
}

// Calls f(name without the prefix, array).
template <class F>
void arrays_under(const CheckpointFile& file, std::string_view prefix, F&& f) {
  for (const Array& a : file.arrays)
    if (std::string_view(a.name).starts_with(prefix)) f(a.name.substr(prefix.size()), a);
}

}  // namespace

std::map<std::string, CheckpointSection> checkpoint_sections(const CheckpointParts& parts,
                                                             const OptimizerState* optimizer) {
  std::map<std::string, CheckpointSection> sections;
  if (parts.module) sections[kModule] = {{"type", parts.module->type()}};
  if (optimizer) {
    CheckpointSection& section = sections[kOptimizer];
    section["type"] = optimizer->type;
    for (auto& [key, value] : optimizer->numbers) section[key] = value;
  }
  if (parts.scheduler) {
    CheckpointSection& section = sections[kScheduler];
    section["type"] = std::string(parts.scheduler->type());
    for (auto& [key, value] : parts.scheduler->state()) section[key] = value;
  }
  if (parts.generator) sections[kGenerator] = generator_section(*parts.generator);
  if (parts.default_generator) sections[kDefaultGenerator] = generator_section(default_generator());
  if (parts.loader) {
    LoaderState s = parts.loader->state();
    sections[kLoader] = {{"seed", int64_t(s.seed)}, {"epoch", s.epoch}, {"batch", s.batch}};
  }
  return sections;
}

void save_checkpoint(const std::string& path, const CheckpointParts& parts, const CheckpointSection& values) {
  std::vector<Array> arrays;  // they own what they point to until the file is written
  if (parts.module) {
    nn::ReadingTree reading(*parts.module);
    for (const nn::NamedTensor& t : parts.module->state_dict())
      arrays.push_back(to_array(std::string(kModulePrefix) + t.name, t.tensor));
  }
  std::optional<OptimizerState> s;
  if (parts.optimizer) {
    s = parts.optimizer->state();
    for (auto& [key, tensor] : s->tensors)
      arrays.push_back(to_array(std::string(kOptimizerPrefix) + key, tensor));
  }
  auto sections = checkpoint_sections(parts, s ? &*s : nullptr);
  sections[kValues] = values;
  write_checkpoint(path, sections, std::vector<ArrayRef>(arrays.begin(), arrays.end()));
}

void restore_checkpoint(const CheckpointSource& from, const CheckpointParts& parts) {
  const CheckpointFile& file = from.file;
  auto need = [&](const void* part, const char* section) {
    if (part && !file.sections.count(section))
      fail(Code::invalid_argument, concat(from.where, ": holds no ", section),
           "leave out the parts that were not saved", section);
  };
  need(parts.module, kModule);
  need(parts.optimizer, kOptimizer);
  need(parts.scheduler, kScheduler);
  need(parts.generator, kGenerator);
  need(parts.loader, kLoader);
  if (parts.scheduler) {
    const std::string& type = checkpoint_value<std::string>(file, kScheduler, "type");
    if (type != parts.scheduler->type())
      fail(Code::invalid_argument,
           concat(from.where, ": its scheduler is a ", quoted(type), ", the given one a ",
                  parts.scheduler->type()),
           {}, kScheduler);
  }

  // First everything that may fail ...
  std::optional<nn::Changing> changing;
  nn::Module::StateCopies weights;
  if (parts.module) {
    const std::vector<nn::NamedTensor> state = from.module();
    changing.emplace(*parts.module);
    weights = parts.module->decode_state(state, from.strict);
  }
  std::vector<ParameterGroup> groups;
  if (parts.optimizer) {
    OptimizerState s;
    s.type = checkpoint_value<std::string>(file, kOptimizer, "type");
    s.numbers = numbers_of(file.sections.at(kOptimizer));
    s.tensors = from.optimizer();
    groups = parts.optimizer->decode_state(s, from.optimizer_parts);
  }
  Scheduler::Progress progress;
  if (parts.scheduler) progress = parts.scheduler->decode_state(numbers_of(file.sections.at(kScheduler)));
  LoaderState place;
  if (parts.loader) {
    place = {uint64_t(checkpoint_value<int64_t>(file, kLoader, "seed")),
             checkpoint_value<int64_t>(file, kLoader, "epoch"),
             checkpoint_value<int64_t>(file, kLoader, "batch")};
    parts.loader->check_state(place);
  }
  std::optional<GeneratorState> own, common;
  if (parts.generator) own = generator_state(file, kGenerator);
  if (parts.default_generator && file.sections.count(kDefaultGenerator))
    common = generator_state(file, kDefaultGenerator);

  // ... then what is left: copies and moves.
  nn::Module::take_state(weights);
  if (parts.loader) parts.loader->set_state(place);
  if (parts.optimizer) parts.optimizer->take_state(std::move(groups));
  if (parts.scheduler) parts.scheduler->take_state(std::move(progress));
  if (own) restore(*parts.generator, *own);
  if (common) restore(default_generator(), *common);
}

CheckpointSection load_checkpoint(const std::string& path, const CheckpointParts& parts) {
  CheckpointSource from{read_checkpoint(path), concat("checkpoint ", quoted(path, 4096)), {}, {}};
  from.module = [&] {
    std::vector<nn::NamedTensor> state;
    arrays_under(from.file, kModulePrefix, [&](std::string name, const Array& a) {
      state.push_back({std::move(name), to_tensor(a)});
    });
    return state;
  };
  from.optimizer = [&] {
    std::map<std::string, Tensor> state;
    arrays_under(from.file, kOptimizerPrefix,
                 [&](std::string name, const Array& a) { state[std::move(name)] = to_tensor(a); });
    return state;
  };
  restore_checkpoint(from, parts);
  auto values = from.file.sections.find(kValues);
  return values == from.file.sections.end() ? CheckpointSection() : std::move(values->second);
}

}  // namespace haft
