#!/usr/bin/env bash
# Installs into one folder, moves the tree elsewhere and compiles a client against it through pkg-config and through CMake.
#
# usage: install.sh BUILD_DIR CLIENT_SOURCE CC
set -euo pipefail
build=$1 source=$2 cc=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" --strip >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved tree"
prefix="$work/moved tree"
for file in lib/libhaft.so lib/libhaft.so.1 include/haft/haft.h include/haft/haft.hpp lib/pkgconfig/haft.pc share/doc/haft/LICENSE; do
  [ -e "$prefix/$file" ] || { echo "not installed: $file"; exit 1; }
done
if readelf -dW "$prefix/lib/libhaft.so" | grep -E 'RPATH|RUNPATH'; then
  echo "the installed library carries a search path"
  exit 1
fi
if readelf -SW "$prefix/lib/libhaft.so" | grep '\.debug_info' >/dev/null; then
  echo "the installed library carries debug information"
  exit 1
fi

# pkg-config escapes the blank in the path, hence eval.
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
eval "$cc -std=c99 -Wall -Wextra -Werror '$source' -o '$work/by_pkg_config' $(pkg-config --cflags --libs 'haft >= 1.0') -lm -Wl,-rpath,'$prefix/lib'"
"$work/by_pkg_config"

if ! { cmake -S "$here/install" -B "$work/cmake" -DSOURCE="$source" -DCMAKE_PREFIX_PATH="$prefix" && cmake --build "$work/cmake"; } >"$work/log" 2>&1; then
  cat "$work/log"
  exit 1
fi
"$work/cmake/client"
echo "pkg-config and CMake clients ran from a moved tree"
