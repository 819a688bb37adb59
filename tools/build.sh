# Sourced by the scripts beside it: configure, build and stage with little output, and what matters of the log on failure.

# run_logged LOG WHAT COMMAND...: one line on the terminal; what the command said only if it fails.
run_logged() {
  local log=$1 what=$2 start=$SECONDS
  shift 2
  printf '%s ... ' "$what"
  if ! "$@" >"$log" 2>&1; then
    printf 'failed\n'
    # From the first failing step on; the whole is in the log.
    { sed -n '/^FAILED\|[Ee]rror/,$p' "$log" | head -n 60; echo "(all of it: $log)"; } >&2
    return 1
  fi
  printf '%s s\n' $((SECONDS - start))
}

# build DIR CMAKE_OPTION... -- TARGET...: configures (a quick check when nothing changed) and builds.
build() {
  local dir=$1 options=()
  shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  [ $# -eq 0 ] || shift
  mkdir -p "$dir"
  run_logged "$dir/configure.log" "Configuring ${dir#"$root"/}" cmake -S "$root" -B "$dir" -G Ninja "${options[@]}"
  run_logged "$dir/build.log" "Building ${dir#"$root"/}" ninja -C "$dir" -j "$(nproc)" "$@"
}

# stage BUILD_DIR PREFIX: the installed tree, stripped as a package would be.
stage() {
  run_logged "$1/install.log" "Installing ${2#"$root"/}" cmake --install "$1" --prefix "$2" --strip
}
