#!/usr/bin/env bash
# The ABI of libhaft.so as libabigail reads it from debug information, against the committed dump of the last release.
# Additions are allowed, as are new fields at the end of a struct that carries its size; anything else fails.
#
# usage: baseline.sh dump LIBRARY CAPI OUTPUT      writes a dump (tools/abi-baseline calls this)
#        baseline.sh compare LIBRARY CAPI          compares with CAPI/abi/baseline.abi.xz
set -euo pipefail
mode=$1 library=$2 capi=$3
here=$(cd "$(dirname "$0")" && pwd)

dump() {
  abidw --headers-dir "$capi/include/haft" --drop-private-types --no-corpus-path --no-comp-dir-path --no-show-locs \
    --type-id-style hash --out-file "$1" "$library"
}

case $mode in
  dump) dump "$4" ;;
  compare)
    baseline=$capi/abi/baseline.abi.xz
    [ -f "$baseline" ] || { echo "$baseline is missing: tools/abi-baseline makes it"; exit 1; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    xz -dc "$baseline" >"$work/baseline.abi"
    dump "$work/now.abi"
    # Leaf changes: what differs within a struct counts though all of haft_api is let grow.
    if ! abidiff --leaf-changes-only --no-added-syms --suppressions "$here/allowed.suppr" "$work/baseline.abi" "$work/now.abi"; then
      echo "The ABI differs from the last release's: a change like this needs a new function or a new ABI major."
      exit 1
    fi ;;
  *) echo "baseline.sh: dump or compare" >&2; exit 2 ;;
esac
