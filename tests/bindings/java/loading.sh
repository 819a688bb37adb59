#!/bin/bash -e
# loading.sh JAVA JAR CLASSES: where the libraries are looked for, what is said when they do not serve, and how the
# virtual machine ends.
java=$1 jar=$2 classes=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
main() { timeout 60 "$java" "$@" -cp "$jar:$classes" io.haft.tests.Main $what 2>&1; }
fail() { echo "FAILED: $*"; exit 1; }
what=where

# From the jar, leaving nothing behind.
mkdir "$work/tmp" "$work/natives" "$work/clash" "$work/cache"
out=$(main -Djava.io.tmpdir="$work/tmp") || fail "from the jar: $out"
[[ $out == "$work/tmp/haft-"*"/libhaft.so.1 2.0" ]] || fail "from the jar: $out"
[ -z "$(ls -A "$work/tmp")" ] || fail "left behind: $(ls -R "$work/tmp")"

# The property goes first.
(cd "$work" && unzip -q "$jar" 'io/haft/native/linux-x64/*' && mv io/haft/native/linux-x64/* natives)
out=$(main -Dhaft.library.path="$work/natives") || fail "by the property: $out"
[[ $out == "$work/natives/libhaft.so.1 2.0" ]] || fail "by the property: $out"
out=$(main -Dhaft.library.path="$work/nowhere") && fail "a wrong folder was taken"
[[ $out == *UnsatisfiedLinkError*haft.library.path*"$work/nowhere"* ]] || fail "a wrong folder: $out"

# A temporary folder that takes no files, then one that runs no programs: the user's cache.
touch "$work/file"
out=$(XDG_CACHE_HOME=$work/cache main -Djava.io.tmpdir="$work/file") || fail "in the cache: $out"
[[ $out == "$work/cache/haft/"*"/libhaft.so.1 2.0" ]] || fail "in the cache: $out"
out=$(XDG_CACHE_HOME=$work/file main -Djava.io.tmpdir="$work/file") && fail "no folder, and it loaded"
[[ $out == *haft.library.path*"$work/file"*java.library.path* ]] || fail "no folder at all: $out"
if unshare -rm true 2> "$work/refused"; then
  mkdir "$work/noexec"
  export -f main
  out=$(java=$java jar=$jar classes=$classes what=where XDG_CACHE_HOME=$work/cache unshare -rm bash -c \
    "mount -t tmpfs -o noexec none $work/noexec && main -Djava.io.tmpdir=$work/noexec") || fail "noexec: $out"
  [[ $out == "$work/cache/haft/"*"/libhaft.so.1 2.0" ]] || fail "noexec: $out"
fi

# Another major version: both paths are named.
cp "$work/natives/libhaft_java.so" "$work/clash"
echo 'HAFT_1.0 { global: haft_*; local: *; };' > "$work/versions"
{
  echo 'int haft_get_version_number(void) { return 2000001; } const char* haft_get_library_path(void) { return PATH; }'
  nm -D --undefined-only "$work/natives/libhaft_java.so" | sed -n 's/.* \(haft_[a-z0-9_]*\)@.*/\1/p' | grep -vx 'haft_get_version_number\|haft_get_library_path' |
    sed 's/.*/void &(void) {}/'
} > "$work/engine.c"
engine() { cc -shared -fPIC -DPATH="\"$work/clash/libhaft.so.1\"" -Wl,-soname,libhaft.so.1 -Wl,--version-script="$work/versions" "$work/engine.c" -o "$work/clash/libhaft.so.1"; }
engine
out=$(main -Dhaft.library.path="$work/clash") && fail "another version was taken"
[[ $out == *"$work/clash/libhaft_java.so"*"found 2.0.1 at $work/clash/libhaft.so.1"* ]] || fail "another version: $out"
sed -i '/haft_conv2d_create/d' "$work/engine.c"
engine
out=$(main -Dhaft.library.path="$work/clash") && fail "a release without a function was taken"
[[ $out == *"$work/clash/libhaft.so.1 and $work/clash/libhaft_java.so are of different releases"* ]] || fail "a release without a function: $out"

# Of the engine the shim asks for haft_* and nothing else.
foreign=$(nm -D --undefined-only "$work/natives/libhaft_java.so" | awk '$1 == "U" && $2 !~ /@/ && $2 !~ /^haft_/')
[ -z "$foreign" ] || fail "the shim imports $foreign"
exported=$(nm -D --defined-only "$work/natives/libhaft_java.so" | awk '$3 !~ /^(Java_io_haft_|JNI_OnLoad)/')
[ -z "$exported" ] || fail "the shim exports $exported"

# The end of the machine in the middle of work.
for what in exit return halt exit return; do
  out=$(main -Xcheck:jni) || fail "the end by $what: $? $out"
  [[ $out == leaving ]] || fail "the end by $what: $out"
done
echo "all is well"
