#!/bin/bash -e
# loading.sh JAVA JAR CLASSES: where the libraries are looked for, what is said when they do not serve, and how the
# virtual machine ends.
java=$1 jar=$2 classes=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
main() { timeout 60 "$java" "$@" -cp "$jar:$classes" io.haft.tests.Main $what 2>&1; }
fail() { echo "FAILED: $*"; exit 1; }
what=where

# From the jar, unpacked into the user's cache once.
mkdir "$work/tmp" "$work/natives" "$work/clash" "$work/cache"
export XDG_CACHE_HOME=$work/cache
from_cache() {
  out=$(main "$@") || fail "$step: $out"
  [[ $out == "$work/cache/haft/"*"/libhaft.so.1 2.0" ]] || fail "$step: $out"
  engine=${out% 2.0} folder=$(dirname "$engine")
  [ "$(ls -A "$work/cache/haft")" == "$(basename "$folder")" ] || fail "$step, left behind: $(ls -RA "$work/cache/haft")"
}
step="the first start" && from_cache
before=$(stat -c '%i %Y' "$engine")
step="the second start" && from_cache
[ "$(stat -c '%i %Y' "$engine")" == "$before" ] || fail "the second start unpacked again"
printf x | dd of="$engine" bs=1 seek=100000 conv=notrunc status=none
step="damaged bytes" && from_cache
[ "$(stat -c %i "$engine")" != "${before% *}" ] || fail "damaged bytes were loaded"
truncate -s 1000 "$folder/libhaft_java.so"
step="a file cut short" && from_cache
mv "$engine" "$work/elsewhere" && ln -s "$work/elsewhere" "$engine"
step="a link" && from_cache
[ ! -L "$engine" ] || fail "a link was followed"
rm -r "$folder" && mkdir "$work/cache/haft/.haft-new-killed" && touch -d '2 hours ago' "$work/cache/haft/.haft-new-killed"
unused() { mkdir -p "$1" && touch "$1/$2" && touch -d '31 days ago' "$1"; }
unused "$work/cache/haft/0.9.0-01234567" libhaft.so.1
step="what a killed process left, and a release that nobody uses" && from_cache
rm -r "$folder"
starts=()
for i in 1 2 3 4 5 6; do
  main > "$work/start$i" &
  starts+=($!)
done
for pid in "${starts[@]}"; do wait "$pid" || fail "six at once: $(cat "$work"/start*)"; done
[ "$(cat "$work"/start* | sort -u)" == "$engine 2.0" ] || fail "six at once: $(cat "$work"/start*)"
step="after six at once" && from_cache
# In a folder of the user's own nothing else is deleted, whatever it is called.
unused "$work/own/photos-20230101" beach.jpg && unused "$work/own/.new-year" party.jpg && unused "$work/own/0.9.0-01234567" libhaft.so.1
out=$(main -Dhaft.cache="$work/own") || fail "a folder of the user's own: $out"
[ -f "$work/own/photos-20230101/beach.jpg" ] && [ -f "$work/own/.new-year/party.jpg" ] || fail "the user's files are gone"
[ ! -e "$work/own/0.9.0-01234567" ] || fail "a release that nobody uses was left"

# A folder that others may write to is not trusted.
chmod 777 "$folder"
out=$(main -Djava.io.tmpdir="$work/tmp") || fail "a folder of everybody's: $out"
[[ $out == "$work/tmp/haft-"*"/libhaft.so.1 2.0" ]] || fail "a folder of everybody's: $out"
chmod 700 "$folder"

# Fifty applications one after the other: one engine, and the class loader of each is collected.
what="redeploy 50"
out=$(main) || fail "fifty applications: $out"
[[ $out == *"50 times, 0 class loaders left"* ]] || fail "fifty applications: $out"
what=where

# Eight at the same moment.
what="together 8"
out=$(main) || fail "eight at once: $out"
[[ $out == "8 at once: [$engine]" ]] || fail "eight at once: $out"
what=where

# The property goes first.
(cd "$work" && unzip -q "$jar" 'io/haft/native/linux-x64/*' && mv io/haft/native/linux-x64/* natives)
out=$(main -Dhaft.library.path="$work/natives") || fail "by the property: $out"
[[ $out == "$work/natives/libhaft.so.1 2.0" ]] || fail "by the property: $out"
out=$(main -Dhaft.library.path="$work/nowhere") && fail "a wrong folder was taken"
[[ $out == *UnsatisfiedLinkError*haft.library.path*"$work/nowhere"* ]] || fail "a wrong folder: $out"

what="redeploy 3"
out=$(main -Dhaft.library.path="$work/natives") || fail "three applications by the property: $out"
[[ $out == *"3 times, 0 class loaders left"* ]] || fail "three applications by the property: $out"
what=where

# A cache that takes no files, then one that runs no programs: the temporary folder.
touch "$work/file"
out=$(XDG_CACHE_HOME=$work/file main -Djava.io.tmpdir="$work/tmp") || fail "in the temporary folder: $out"
[[ $out == "$work/tmp/haft-"*"/libhaft.so.1 2.0" ]] || fail "in the temporary folder: $out"
out=$(XDG_CACHE_HOME=$work/file main -Djava.io.tmpdir="$work/file") && fail "no folder, and it loaded"
[[ $out == *haft.library.path*"$work/file"*java.library.path* ]] || fail "no folder at all: $out"
if unshare -rm true 2> "$work/refused"; then
  mkdir "$work/noexec"
  export -f main
  out=$(java=$java jar=$jar classes=$classes what=where XDG_CACHE_HOME=$work/noexec unshare -rm bash -c \
    "mount -t tmpfs -o noexec none $work/noexec && main -Djava.io.tmpdir=$work/tmp") || fail "noexec: $out"
  [[ $out == "$work/tmp/haft-"*"/libhaft.so.1 2.0" ]] || fail "noexec: $out"
fi

# Another major version: both paths are named.
cp "$work/natives/libhaft_java.so" "$work/clash"
echo 'HAFT_1.0 { global: haft_*; local: *; };' > "$work/versions"
{
  echo 'int haft_get_version_number(void) { return 2000001; } const char* haft_get_library_path(void) { return PATH; }'
  nm -D --undefined-only "$work/natives/libhaft_java.so" | sed -n 's/.* \(haft_[a-z0-9_]*\)@.*/\1/p' | grep -vx 'haft_get_version_number\|haft_get_library_path' |
    sed 's/.*/void &(void) {}/'
} > "$work/engine.c"
make_engine() { cc -shared -fPIC -DPATH="\"$work/clash/libhaft.so.1\"" -Wl,-soname,libhaft.so.1 -Wl,--version-script="$work/versions" "$work/engine.c" -o "$work/clash/libhaft.so.1"; }
make_engine
out=$(main -Dhaft.library.path="$work/clash") && fail "another version was taken"
[[ $out == *"$work/clash/libhaft_java.so"*"found 2.0.1 at $work/clash/libhaft.so.1"* ]] || fail "another version: $out"
# The same engine there already, of somebody else's in this process.
out=$(LD_PRELOAD=$work/clash/libhaft.so.1 main) && fail "another engine of the process was taken"
[[ $out == *"has loaded the engine $work/clash/libhaft.so.1, and $engine is what this jar comes with"*"found 2.0.1"* ]] || fail "another engine of the process: $out"
sed -i '/haft_conv2d_create/d' "$work/engine.c"
make_engine
out=$(main -Dhaft.library.path="$work/clash") && fail "a release without a function was taken"
[[ $out == *"$work/clash/libhaft.so.1 and $work/clash/libhaft_java.so are of different releases"* ]] || fail "a release without a function: $out"

# Of the engine the shim asks for haft_* and nothing else.
foreign=$(nm -D --undefined-only "$work/natives/libhaft_java.so" | awk '$1 == "U" && $2 !~ /@/ && $2 !~ /^haft_/')
[ -z "$foreign" ] || fail "the shim imports $foreign"
exported=$(nm -D --defined-only "$work/natives/libhaft_java.so" | awk '$3 !~ /^(Java_io_haft_|JNI_On(Load|Unload))/')
[ -z "$exported" ] || fail "the shim exports $exported"

# The end of the machine in the middle of work.
for what in exit return halt exit return; do
  out=$(main -Xcheck:jni) || fail "the end by $what: $? $out"
  [[ $out == leaving ]] || fail "the end by $what: $out"
done
echo "all is well"
