#!/usr/bin/env bash
# Every public header compiles alone, without a warning, in every language version that the contract names.
#
# usage: headers.sh INCLUDE_DIR CC CXX
set -euo pipefail
include=$1 cc=$2 cxx=$3
strict=(-Wall -Wextra -pedantic -Werror -fsyntax-only -I"$include")
failed=0

# alone COMPILER STANDARD LANGUAGE HEADER
alone() {
  local said
  if ! said=$(echo "#include <haft/$4>" | "$1" -std="$2" "${strict[@]}" -x "$3" - 2>&1); then
    printf 'haft/%s does not compile alone as %s:\n%s\n' "$4" "$2" "$(head -n 6 <<<"$said")"
    failed=1
  fi
}

count=0
for path in "$include"/haft/*; do
  header=${path##*/}
  case $header in
    *.hpp)
      for standard in c++17 c++20; do alone "$cxx" "$standard" c++ "$header"; done ;;
    *.h)
      for standard in c99 c11; do alone "$cc" "$standard" c "$header"; done
      for standard in c++11 c++17; do alone "$cxx" "$standard" c++ "$header"; done ;;
    *)
      echo "$path: neither .h nor .hpp"
      failed=1 ;;
  esac
  count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "no headers in $include/haft"; exit 1; }
echo "$count headers"
exit "$failed"
