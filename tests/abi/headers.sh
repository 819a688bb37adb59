#!/usr/bin/env bash
# Every public header compiles alone, without a warning, in the oldest language version that the contract names, and all of
# them together in the others.
#
# usage: headers.sh INCLUDE_DIR CC CXX
set -euo pipefail
include=$1 cc=$2 cxx=$3
strict=(-Wall -Wextra -pedantic -Werror -fsyntax-only -I"$include")
failed=0

# compiles COMPILER STANDARD LANGUAGE HEADER...
compiles() {
  local said
  if ! said=$(printf '#include <haft/%s>\n' "${@:4}" | "$1" -std="$2" "${strict[@]}" -x "$3" - 2>&1); then
    printf '%s: does not compile as %s:\n%s\n' "${*:4}" "$2" "$(head -n 6 <<<"$said")"
    failed=1
  fi
}

c=(haft_dl.h) cpp=()  # that one wants to be the first
for path in "$include"/haft/*; do
  header=${path##*/}
  case $header in
    *.hpp)
      cpp+=("$header")
      compiles "$cxx" c++17 c++ "$header" ;;
    *.h)
      [ "$header" = haft_dl.h ] || c+=("$header")
      compiles "$cc" c99 c "$header"
      compiles "$cxx" c++11 c++ "$header" ;;
    *)
      echo "$path: neither .h nor .hpp"
      failed=1 ;;
  esac
done
[ ${#c[@]} -gt 1 ] && [ ${#cpp[@]} -gt 0 ] || { echo "no headers in $include/haft"; exit 1; }
compiles "$cc" c11 c "${c[@]}"
compiles "$cxx" c++17 c++ "${c[@]}"
compiles "$cxx" c++20 c++ "${cpp[@]}"
echo "$((${#c[@]} + ${#cpp[@]})) headers"
exit "$failed"
