#include "core/parallel/sharded_parts.h"

#include "core/io/text.h"
#include "core/ops/functions.h"
#include "core/parallel/shard_of.h"

namespace haft::parallel {

namespace {

constexpr const char *kModule = "module.", *kOptimizer = "optimizer.", *kValues = "values";

TensorPiece plain_piece(std::string name, const Tensor& t) {
  TensorPiece p;
  p.name = std::move(name);
  p.tensor = t;
  return p;
}

// `t`, the shard or of the shard's shape, in the place of the rows that this rank has.
TensorPiece rows_piece(std::string name, const ShardOf& s, const Tensor& t) {
  TensorPiece p = plain_piece(std::move(name), t);
  p.whole = false;
  p.shape.assign(t.sizes().begin(), t.sizes().end());
  p.offsets.assign(p.shape.size(), 0);
  p.shape[0] = s.rows;
  p.offsets[0] = std::min(s.first, s.rows);
  return p;
}

// What this rank has of a module's parameter or buffer.
TensorPiece module_piece(const nn::NamedTensor& t) {
  const auto s = shard_of(t.tensor);
  return s ? rows_piece(kModule + t.name, *s, s->shard) : plain_piece(kModule + t.name, t.tensor);
}

// Calls f(name, parameter's number, parameter) for every tensor that the optimizer's state may have.
template <class F>
void each_state(const Optimizer& o, F&& f) {
  int64_t number = 0;
  for (int64_t g = 0; g < o.group_count(); ++g)
    for (const Tensor& p : o.group(g).parameters) {
      for (const auto& slot : o.kind().slots) f(concat("state.", number, ".", slot.name), number, p);
      ++number;
    }
}

// The piece of a parameter's state that this rank has, of the shape that it has it in.
TensorPiece state_piece(const Optimizer& o, std::string name, int64_t number, const Tensor& parameter,
                        Tensor t) {
  if (const auto s = whole_of(parameter)) return rows_piece(std::move(name), *s, t);
  TensorPiece p = plain_piece(std::move(name), std::move(t));
  if (!o.sharding()) return p;
  p.whole = false;
  p.flat = true;
  p.shape.assign(parameter.sizes().begin(), parameter.sizes().end());
  p.first = o.sharding()->range(number).first;
  return p;
}

std::string of_rank(const char* section, int rank) { return concat(section, ".", rank); }

}  // namespace

void save_sharded_parts(Ref<dist::Group> group, const std::string& folder,
                        std::span<const TensorPiece> pieces, const CheckpointParts& parts,
                        const CheckpointSection& values, ShardedSave::Done done) {
  std::vector<TensorPiece> all;
  std::optional<nn::ReadingTree> reading;
  std::optional<OptimizerState> state;
  std::map<std::string, CheckpointSection> sections;
  try {
    all.assign(pieces.begin(), pieces.end());
    if (parts.module) {
      reading.emplace(*parts.module);
      for (const nn::NamedTensor& t : parts.module->state_dict()) all.push_back(module_piece(t));
    }
    if (parts.optimizer) {
      state = parts.optimizer->state_parts();
      each_state(*parts.optimizer, [&](const std::string& name, int64_t number, const Tensor& p) {
        auto at = state->tensors.find(name);
        if (at != state->tensors.end())
          all.push_back(state_piece(*parts.optimizer, kOptimizer + name, number, p, at->second));
      });
    }
    sections = checkpoint_sections(parts, state ? &*state : nullptr);
    for (const char* name : {"generator", "default_generator"})
      if (auto s = sections.extract(name)) {
        s.key() = of_rank(name, group ? group->rank() : 0);
        sections.insert(std::move(s));
      }
    sections[kValues] = values;
  } catch (...) {
    tell_failed_save(group);
    throw;
  }
  save_sharded(std::move(group), folder, all, sections, std::move(done));
}

void load_sharded_parts(ShardedReader& from, int rank, std::span<const TensorPiece> pieces, bool cast,
                        const CheckpointParts& given) {
  const ShardedIndex& index = from.index();
  CheckpointParts parts = given;
  CheckpointSource source;
  source.where = concat("checkpoint ", quoted(from.folder(), 4096));
  source.file.sections = index.sections;
  source.optimizer_parts = true;
  for (const char* name : {"generator", "default_generator"})
    if (auto s = source.file.sections.extract(of_rank(name, rank))) {
      s.key() = name;
      source.file.sections.insert(std::move(s));
    } else if (std::string_view(name) == "generator") {
      parts.generator = nullptr;  // of a rank that was not there
    }
  // A module with parameters that are spread: each rank reads its rows, and what others have is whole.
  std::vector<TensorPiece> spread;
  if (parts.module)
    for (const nn::NamedTensor& t : parts.module->state_dict())
      if (shard_of(t.tensor)) {
        for (const nn::NamedTensor& each : parts.module->state_dict()) spread.push_back(module_piece(each));
        break;
      }
  source.strict = spread.empty();  // otherwise check() below is
  source.module = [&] {
    std::vector<nn::NamedTensor> state;
    for (const ShardedTensor& t : index.tensors)
      if (spread.empty() && t.name.starts_with(kModule))
        state.push_back({t.name.substr(std::strlen(kModule)), from.whole(t)});
    return state;
  };
  source.optimizer = [&] {
    std::map<std::string, Tensor> state;
    const Optimizer& o = *parts.optimizer;
    each_state(o, [&](const std::string& name, int64_t number, const Tensor& p) {
      const ShardedTensor* t = index.find(kOptimizer + name);
      if (!t) return;
      Tensor mine;
      if (o.sharding()) {
        const int64_t count = o.sharding()->range(number).second;
        mine = new_tensor(IntList(&count, 1), p.dtype());
      } else if (whole_of(p)) {
        mine = new_tensor(p.sizes(), p.dtype());
      } else {
        state[name] = from.whole(*t);
        return;
      }
      const TensorPiece piece = state_piece(o, kOptimizer + name, number, p, mine);
      from.load(std::span(&piece, 1), true);
      state[name] = std::move(mine);
    });
    return state;
  };
  const auto wanted = from.check(pieces, cast),
             rows = from.check(spread, true, spread.empty() ? "" : kModule);
  restore_checkpoint(source, parts);
  from.fill(spread, rows);
  from.fill(pieces, wanted);
}

}  // namespace haft::parallel
