// Sharded checkpoints of what trains: module, optimizer, schedule, loader and random numbers.
#pragma once
#include "core/io/checkpoint.h"
#include "core/parallel/sharded_checkpoint.h"

namespace haft::parallel {

// A rank gives what it has: of parameters and states that are cut its part, of all others the whole, which is the
// same on every rank. Random numbers are those of each rank.
void save_sharded_parts(Ref<dist::Group> group, const std::string& folder,
                        std::span<const TensorPiece> pieces, const CheckpointParts& parts,
                        const CheckpointSection& values, ShardedSave::Done done);
// Not collective. What does not fit is found before anything changes. Random numbers go on where there are some of
// this rank's number.
void load_sharded_parts(ShardedReader& from, int rank, std::span<const TensorPiece> pieces, bool cast,
                        const CheckpointParts& parts);

}  // namespace haft::parallel
