#!/usr/bin/env bash
# What a machine with a GPU is for: builds there, holds the plug-in to the CPU's numbers, within ten minutes.
#
#   tests/gpu/run.sh [--build DIR] [--results DIR] [STEP ...]     default: every step; steps: machine build records cuda sanitizer engine speed
#
# Wants nvcc 13, CMake, ninja and a driver; oneDNN, Highway and GoogleTest from Debian's packages, or from the folder that tests/gpu/bring
# made on another machine (build/gpu_libraries). Each step has its own limit; one line a step at the end, and RESULTS/results.json.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build-gpu results=$root/build-gpu/results steps=()
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$2 results=${results/#$root\/build-gpu/$2}; shift ;;
    --results) results=$2; shift ;;
    -h|--help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "tests/gpu/run.sh: unknown option '$1'" >&2; exit 2 ;;
    *) steps+=("$1") ;;
  esac
  shift
done
[ ${#steps[@]} -gt 0 ] || steps=(machine build records cuda sanitizer engine speed)
mkdir -p "$results"
brought=$root/build/gpu_libraries
# Python's packages of NVIDIA have cuDNN and NCCL where the toolkit has not.
packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null || true)
export HAFT_CUDA_LIB_PATH=${HAFT_CUDA_LIB_PATH:-$packages/nvidia/cudnn/lib:$packages/nvidia/nccl/lib:$packages/nvidia/cu13/lib}
export LD_LIBRARY_PATH=$brought/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} HAFT_BACKEND_PATH=$build HAFT_TEST_DEVICE=cuda:0
failed=0

# step NAME SECONDS COMMAND...: its output in RESULTS/NAME.log.
step() {
  local name=$1 limit=$2 begin=$SECONDS
  shift 2
  [[ " ${steps[*]} " == *" $name "* ]] || return 0
  timeout "$limit" bash -c "$(declare -f machine build_all records cuda sanitizer engine speed); root=$root build=$build results=$results brought=$brought; $*" >"$results/$name.log" 2>&1
  local status=$?
  [ $status = 0 ] || failed=1
  printf '{"step": "%s", "status": %d, "seconds": %d}\n' "$name" $status $((SECONDS - begin)) >>"$results/steps.jsonl"
  printf '%-10s %s after %d s: %s\n' "$name" "$([ $status = 0 ] && echo passed || echo "FAILED ($status)")" $((SECONDS - begin)) "$(tail -n 1 "$results/$name.log")"
}

machine() {
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader
  nvcc --version | tail -n 1
  git -C "$root" log -1 --format='commit %h of %cs' 2>/dev/null || true
}
build_all() {
  local found=()
  [ ! -d "$brought" ] || found=(-DCMAKE_PREFIX_PATH="$brought" -DCMAKE_CXX_FLAGS="-isystem $brought/include" -DCMAKE_LIBRARY_PATH="$brought/lib")
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHAFT_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native \
    -DHAFT_BUILD_BINDINGS=OFF -DHAFT_BUILD_SAMPLES=OFF "${found[@]}" &&
    ninja -C "$build" haft haft_cuda haft_sim haft-doctor test_ops test_sim test_cuda
}
records() { "$build/tests/test_ops" --gtest_brief=1 --gtest_filter='*Device*'; }
# Sizes and mistakes that records do not have; the rest of test_cuda looks at the simulation.
cuda() { "$build/tests/test_cuda" --gtest_brief=1 --gtest_filter='Cuda*'; }
# The first record of each family under compute-sanitizer: reads and writes outside of memory.
sanitizer() {
  compute-sanitizer --tool memcheck --error-exitcode 9 "$build/tests/test_ops" --gtest_brief=1 \
    --gtest_filter='*Device.add:*Device.sum:*Device.softmax:*Device.mm:*Device.conv2d:*Device.index_put:*Device.sort:*Device.attention:*Device.lstm:*Device.layer_norm:*Device.cross_entropy'
}
# What one GPU can do of the engine's tests of devices.
engine() {
  "$build/tests/test_sim" --gtest_brief=1 --gtest_filter='SimEngine.TheSame*:SimEngine.ConvolutionP*:SimEngine.HigherD*:SimEngine.WritesA*:SimEngine.HostScalars*:SimEngine.WhatShares*:SimEngine.Probab*:SimReplay*:SimFused*:SimTraining.Opt*:SimTraining.StateGoes*'
}
speed() {
  g++ -std=c++17 -O2 -I "$root/capi/include" "$root/tests/gpu/speed.cpp" -o "$build/speed" -L "$build" -lhaft -Wl,-rpath,"$build" &&
    python3 "$root/tests/gpu/speed.py" "$build/speed"
}

rm -f "$results/steps.jsonl"
step machine 30 machine
step build 300 build_all
[ -x "$build/haft-doctor" ] && "$build/haft-doctor" >"$results/doctor.txt" 2>&1
step records 60 records
step cuda 60 cuda
step sanitizer 60 sanitizer
step engine 60 engine
step speed 120 speed
exit $failed
