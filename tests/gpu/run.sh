#!/usr/bin/env bash
# What a machine with a GPU is for: builds there, holds the plug-in to the CPU's numbers, within ten minutes.
#
#   tests/gpu/run.sh [--build DIR] [--results DIR] [STEP ...]     default: every step:
#     machine build; side by side records cuda fusion sanitizer engine curves languages report; alone large products speed gpt2 resnet50 profile
#
# Wants nvcc 13, g++, CMake, ninja or make, and a driver; zlib, oneDNN, Highway and GoogleTest from Debian's packages, or from the folder that
# tests/gpu/bring made on another machine (build/gpu_libraries.tar.xz). `build` makes the engine, the plug-in and the test programs, which want nothing
# else; SWIG, Java, Mono and Python's headers are not used: what is to run in languages (`languages`, `resnet50`) comes built from
# tests/gpu/languages/bring (build/gpu_languages.tar.xz). Where minutes with the GPU are few, `tests/gpu/bring programs` brings what `build` makes as
# well (build/gpu_programs.tar.xz), and nothing is built; `bring all` is both (build/gpu_all.tar.xz). Each step has its own limit, and all together
# HAFT_GPU_SECONDS (590): what is left out for want of time says so. One line a step, and RESULTS/steps.jsonl; a step's output is RESULTS/STEP.log.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build-gpu given='' results='' steps=()
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$2 given=$2; shift ;;
    --results) results=$2; shift ;;
    -h|--help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "tests/gpu/run.sh: unknown option '$1'" >&2; exit 2 ;;
    *) steps+=("$1") ;;
  esac
  shift
done
[ ${#steps[@]} -gt 0 ] || steps=(machine build records cuda fusion sanitizer engine curves languages report large products speed gpt2 resnet50 profile)
[ -d "$root/build/gpu_programs" ] || [ ! -f "$root/build/gpu_all.tar.xz" ] || tar -C "$root/build" -xf "$root/build/gpu_all.tar.xz"
for folder in gpu_libraries gpu_languages gpu_programs; do
  [ -d "$root/build/$folder" ] || [ ! -f "$root/build/$folder.tar.xz" ] || tar -C "$root/build" -xf "$root/build/$folder.tar.xz"
done
[ ! -d "$root/build/gpu_programs" ] || build=${given:-$root/build/gpu_programs}
results=${results:-$build/results}
mkdir -p "$results"
deadline=$((SECONDS + ${HAFT_GPU_SECONDS:-590}))
brought=$root/build/gpu_libraries
# Python's packages of NVIDIA have cuDNN, NCCL and CUPTI where the toolkit has not.
packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null || true)
export HAFT_CUDA_LIB_PATH=${HAFT_CUDA_LIB_PATH:-$packages/nvidia/cudnn/lib:$packages/nvidia/nccl/lib:$packages/nvidia/cu13/lib}
export LD_LIBRARY_PATH=$brought/lib:$brought/lib/x86_64-linux-gnu:$root/build/gpu_programs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export HAFT_BACKEND_PATH=$build HAFT_TEST_DEVICE=cuda:0

# step NAME SECONDS: the function do_NAME, its output in RESULTS/NAME.log. A function that ends with 77 has been skipped for the reason that
# it printed last.
step() {
  local name=$1 limit=$2 begin=$SECONDS status said
  [[ " ${steps[*]} " == *" $name "* ]] || return 0
  [ $((deadline - SECONDS)) -ge "$limit" ] || limit=$((deadline - SECONDS))
  if [ "$limit" -lt 5 ]; then
    status=77
    echo "no time is left" >"$results/$name.log"
  else
    timeout "$limit" bash -c "$(declare -f); root=$root build=$build results=$results brought=$brought; do_$name" >"$results/$name.log" 2>&1
    status=$?
  fi
  case $status in
    0) said=passed ;;
    77) said=skipped ;;
    124) said="FAILED (over its $limit s)" ;;
    *) said="FAILED ($status)" ;;
  esac
  printf '{"step": "%s", "status": %d, "seconds": %d}\n' "$name" $status $((SECONDS - begin)) >>"$results/steps.jsonl"
  printf '%-10s %s after %d s: %s\n' "$name" "$said" $((SECONDS - begin)) "$(tail -n 1 "$results/$name.log")"
}
# A program that `build` makes, or that was brought here built: without it a step is skipped.
built() {
  [ -x "$build/$1" ] || { echo "$build/$1 was not built"; exit 77; }
}

do_machine() {
  nvcc --version | tail -n 1
  g++ --version | head -n 1
  cmake --version | head -n 1
  git -C "$root" log -1 --format='commit %h of %cs' 2>/dev/null || true
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv,noheader
}
do_build() {
  [ "$build" != "$root/build/gpu_programs" ] || { echo "the programs were brought here built"; exit 77; }
  local found=() maker=(-G "Unix Makefiles") missing=()
  ! ninja --version >/dev/null 2>&1 || maker=(-G Ninja)
  for tool in nvcc:CUDA\ 13 g++:g++ cmake:cmake; do
    command -v "${tool%%:*}" >/dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/${tool%%:*}" ] || missing+=("${tool#*:}")
  done
  [ "${maker[1]}" = Ninja ] || command -v make >/dev/null || missing+=("ninja or make")
  for header in zlib.h:zlib1g-dev oneapi/dnnl/dnnl.hpp:libdnnl-dev hwy/highway.h:libhwy-dev gtest/gtest.h:libgtest-dev; do
    [ -e "/usr/include/${header%%:*}" ] || [ -e "$brought/include/${header%%:*}" ] || missing+=("${header#*:}")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    printf 'missing: %s' "${missing[0]}"
    [ ${#missing[@]} -lt 2 ] || printf ', %s' "${missing[@]:1}"
    echo "; packages of libraries (lib*, zlib1g-dev) may come from tests/gpu/bring, run on a machine that has them"
    exit 1
  fi
  [ ! -d "$brought" ] || found=(-DCMAKE_PREFIX_PATH="$brought" -DCMAKE_LIBRARY_PATH="$brought/lib/x86_64-linux-gnu" -DCMAKE_LIBRARY_ARCHITECTURE=x86_64-linux-gnu
    -DCMAKE_CXX_FLAGS="-isystem $brought/include" -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$brought/lib/x86_64-linux-gnu")
  cmake -S "$root" -B "$build" "${maker[@]}" -DCMAKE_BUILD_TYPE=Release -DHAFT_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES="${HAFT_GPU_ARCHITECTURES:-native}" \
    -DHAFT_BUILD_BINDINGS=OFF -DHAFT_BUILD_SAMPLES=OFF "${found[@]}" &&
    cmake --build "$build" -j "$(nproc)" --target haft haft_cuda haft_sim haft-doctor test_ops test_sim test_cuda || exit
  "$build/haft-doctor" >"$results/doctor.txt" 2>&1
  echo "built with ${maker[1]}: libhaft.so, libhaft_cuda.so, haft-doctor, test_ops, test_sim, test_cuda; left out: bindings, samples, all other tests"
}
# What the compiler made of the kernels, held to their budgets.
do_report() {
  [ -f "$build/libhaft_cuda.so" ] || { echo "there is no plug-in"; exit 77; }
  python3 "$root/tests/cuda/report/report.py" "$build/libhaft_cuda.so"
}
do_records() {
  built tests/test_ops
  "$build/tests/test_ops" --gtest_brief=1 --gtest_filter='*Device*'
}
# Sizes and mistakes that records do not have; the rest of test_cuda looks at the simulation.
do_cuda() {
  built tests/test_cuda
  "$build/tests/test_cuda" --gtest_brief=1 --gtest_filter='Cuda*-CudaFusion*:CudaLarge*'
}
# Tensors of more than 2^31 elements: wants 40 GiB of the GPU.
do_large() {
  built tests/test_cuda
  "$build/tests/test_cuda" --gtest_brief=1 --gtest_filter='CudaLarge*'
}
# Each operator of each type is a kernel that NVRTC compiles first: half the processors share that.
do_fusion() {
  built tests/test_cuda
  local processes=$((($(nproc) + 1) / 2)) running=() failed=0
  for ((i = 0; i < processes; ++i)); do
    GTEST_TOTAL_SHARDS=$processes GTEST_SHARD_INDEX=$i "$build/tests/test_cuda" --gtest_brief=1 --gtest_filter='CudaFusion*' &
    running+=($!)
  done
  for i in "${running[@]}"; do wait "$i" || failed=1; done
  return $failed
}
# The first record of each family under compute-sanitizer: reads and writes outside of memory.
do_sanitizer() {
  command -v compute-sanitizer >/dev/null || { echo "there is no compute-sanitizer"; exit 77; }
  built tests/test_ops
  compute-sanitizer --tool memcheck --error-exitcode 9 "$build/tests/test_ops" --gtest_brief=1 \
    --gtest_filter='*Device.add:*Device.sum:*Device.softmax:*Device.mm:*Device.conv2d:*Device.index_put:*Device.sort:*Device.attention:*Device.lstm:*Device.layer_norm:*Device.cross_entropy'
}
# What one GPU can do of the engine's tests of devices; SimProfile asks CUPTI, SimGroups is a
# group of one rank by NCCL.
do_engine() {
  built tests/test_sim
  "$build/tests/test_sim" --gtest_brief=1 --gtest_filter='SimEngine.TheSame*:SimEngine.ConvolutionP*:SimEngine.HigherD*:SimEngine.WritesA*:SimEngine.HostScalars*:SimEngine.WhatShares*:SimEngine.Probab*:SimReplay*:SimFused*:SimGroups*:SimLoader*:SimTraining.Opt*:SimTraining.StateGoes*:SimProfile*'
}
# Networks of three kinds learn as they do on the CPU, loss by loss, over 50 steps.
do_curves() {
  built tests/test_sim
  HAFT_TEST_STEPS=50 "$build/tests/test_sim" --gtest_brief=1 --gtest_filter='SimCurves*'
}
# A network learns in Python, Java and C#, each where it was brought and its run time is there.
do_languages() {
  local folder=$root/build/gpu_languages
  [ -f "$folder/run" ] || { echo "tests/gpu/languages/bring has made no $folder on another machine"; exit 77; }
  HAFT_BACKEND_PATH=$folder/lib bash "$folder/run" "$folder"
}
# A program of one file, linked with the library.
program() {
  g++ -std=c++17 -O2 -I "$root/capi/include" "$1" -o "$2" -L "$build" -lhaft -Wl,-rpath,"$build" -Wl,-rpath-link,"$brought/lib/x86_64-linux-gnu:$build"
}
# What else cuBLASLt would take for the products of GPT-2, beside its first choice.
do_products() {
  local nvcc=${CUDA_HOME:-/usr/local/cuda}/bin/nvcc
  [ -x "$nvcc" ] || nvcc=nvcc
  "$nvcc" -O2 -std=c++17 -arch=native "$root/tests/gpu/products.cu" -o "$build/products" -lcublasLt && "$build/products"
}
do_speed() {
  python3 -c 'import torch' 2>/dev/null || { echo "python3 has no torch to compare with"; exit 77; }
  program "$root/tests/gpu/speed.cpp" "$build/speed" && python3 "$root/tests/gpu/speed.py" "$build/speed"
}
# GPT-2 of 124 million parameters, tokens a second.
do_gpt2() {
  python3 -c 'import torch' 2>/dev/null || { echo "python3 has no torch to compare with"; exit 77; }
  program "$root/samples/cpp/gpt2.cpp" "$build/gpt2" && python3 "$root/tests/gpu/gpt2.py" "$build/gpt2" --rounds 1
}
# ResNet-50 from haft's package for Python, images a second.
do_resnet50() {
  python3 -c 'import torch' 2>/dev/null || { echo "python3 has no torch to compare with"; exit 77; }
  local folder=$root/build/gpu_languages
  [ -d "$folder/python/haft" ] || { echo "tests/gpu/languages/bring has made no $folder on another machine"; exit 77; }
  export PYTHONPATH=$folder/python HAFT_BACKEND_PATH=$folder/lib LD_LIBRARY_PATH=$folder/lib:$LD_LIBRARY_PATH
  python3 -c 'import haft' || { echo "the package in $folder is for another release of Python than $(python3 --version)"; exit 77; }
  python3 "$root/tests/gpu/resnet50.py" --rounds 1
}

# Where the time of a step goes, kernel by kernel, ours and PyTorch's.
do_profile() {
  built gpt2
  set -e
  "$build/gpt2" --device cuda:0 --batch 64 --steps 4 --warm 4 --every 4 --profile 1
  python3 "$root/tests/gpu/gpt2.py" torch compiled --steps 5 --profile
  [ -d "$root/build/gpu_languages/python/haft" ] || return 0
  export PYTHONPATH=$root/build/gpu_languages/python HAFT_BACKEND_PATH=$root/build/gpu_languages/lib LD_LIBRARY_PATH=$root/build/gpu_languages/lib:$LD_LIBRARY_PATH
  for side in haft compiled; do python3 "$root/tests/gpu/resnet50.py" --run $side --steps 3 --profile; done
}

rm -f "$results/steps.jsonl"
step machine 30
step build 330
# What no clock looks at.
step records 60 &
step cuda 90 &
step fusion 170 &
step sanitizer 120 &
step engine 90 &
step curves 60 &
step languages 120 &
step report 60 &
wait
step large 60
step products 60
step speed 120
step gpt2 150
step resnet50 150
step profile 150
! grep -qvE '"status": (0|77),' "$results/steps.jsonl"
