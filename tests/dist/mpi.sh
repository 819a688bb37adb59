#!/usr/bin/env bash
# What groups do, with processes that mpirun starts as ranks and MPI as their engine: mpi.sh TEST_DIST
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TMPDIR=$folder  # an mpirun that ends takes away the folder that another begins to use
ranks() {  # how many, which tests are for so many, and perhaps what else may go wrong
  mkdir "$folder/$1"
  mpirun --allow-run-as-root --oversubscribe -n "$1" -x HAFT_TEST_ENGINE=mpi -x HAFT_TEST_WORLD="$folder/$1" \
    "$test_dist" --gtest_brief=1 --gtest_color=no --gtest_filter="$2" >"$folder/log" 2>&1 || [ "${3:-}" = unfinished ] || { cat "$folder/log"; exit 1; }
  # Each rank has passed some: a filter that finds nothing passes, too.
  [ "$(grep -o 'PASSED  \] [1-9]' "$folder/log" | wc -l)" = "$1" ] && [ "$(grep -c FAILED "$folder/log")" = 0 ] || { cat "$folder/log"; exit 1; }
}
test_dist=$1
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0  # Open MPI leaves much of its own behind
ranks 2 'Ranks/Collectives.*/1:Messages.LargeOnesCross:Messages.MisfitIsAMismatch:Messages.AskedForWhileTheyCome'
ranks 3 'Mismatch.CallShapeTypeRootReductionOrder:Groups.TensorsOfAnyStrides'
ranks 4 'Ranks/Collectives.Moves/3:Messages.TagsSourcesAndSizes:Groups.InPlaceParts'
ranks 5 'Groups.SplitAndSubgroup'
# A process with a thread that stays inside MPI does not end MPI, which mpirun holds against it.
rm -r "$folder/2"
ranks 2 'Engines.MpisRanksMeetBehindACommunicatorThatWasGivenUp' unfinished
