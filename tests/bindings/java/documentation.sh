#!/bin/sh -e
# documentation.sh JAVAC LIST SOURCES: what an editor shows. Every public member of the classes in LIST (those that were generated)
# and in SOURCES has a comment, and every parameter a text; a setter of Options, which takes one value, is described by its comment.
javac=$1 list=$2 sources=$3
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
look() {
  "$javac" --release 17 -proc:none -Xdoclint:all/public -Xmaxwarns 100000 -d "$out" "$@" > "$out/log" 2>&1 || { cat "$out/log"; exit 1; }
  awk '/warning: no (comment|@param)/ {
    what = $0
    getline
    if ($0 !~ /^ +public Options [a-zA-Z0-9]+\(/) print what ": " $0
  }' "$out/log"
}
# The look itself sees what is missing.
mkdir "$out/bad"
printf 'public class Bad {\n  /** Answers x. */\n  public int f(int x) { return x; }\n}\n' > "$out/bad/Bad.java"
[ "$(look "$out/bad/Bad.java" | wc -l)" -eq 2 ] || { echo "javac does not look at documentation"; exit 1; }
look "@$list" "$sources"/*.java > "$out/missing"
cat "$out/missing"
[ ! -s "$out/missing" ]
