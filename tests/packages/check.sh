#!/usr/bin/env bash
# Installs one kind of package into a clean folder and trains a step from there, with the engine of the package.
#
#   check.sh tarball|debs|wheel|jar|maven|nupkg PACKAGES_FOLDER [PYTHON]
#   check.sh cuda PACKAGES_FOLDER       the plug-in for GPUs of each kind is found beside the engine
#   check.sh dotnet PACKAGES_FOLDER DOTNET
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
kind=$1 packages=$(cd "$2" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
unset LD_LIBRARY_PATH PYTHONPATH CLASSPATH MONO_PATH PKG_CONFIG_PATH

# bare "LIBRARY ..." COMMAND...: runs it on a system that lacks these libraries, where such a view of it can be had.
bare() {
  local libraries=$1 files=() name file
  shift
  for name in $libraries; do
    for file in /usr/lib/*/"$name" /lib/*/"$name"; do
      [ ! -e "$file" ] || files+=("$(realpath "$file")")
    done
  done
  if unshare -rm true 2>/dev/null; then
    unshare -rm bash -c 'for f in $1; do mount --bind /dev/null "$f"; done; shift; exec "$@"' bare "${files[*]}" "$@"
  else
    echo "no namespaces here: the system's libraries stay" >&2
    "$@"
  fi
}
parts="libgomp.so.1 libdnnl.so.2 libhwy.so.1 libOpenCL.so.1"  # whom no interpreter needs itself
# Everything that a shim needs comes with it. Java and C# need a C++ library for themselves, so Python opens theirs, too.
opens() {
  bare "$parts libstdc++.so.6" /usr/bin/python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1"
}

# What the step prints begins with the path of the engine that it used.
from_place() {
  local said
  said=$("$@")
  echo "$said"
  case $said in
    "$(realpath "$place")"/*) ;;
    *) echo "the engine is not the package's own (expected below $place)" >&2; exit 1 ;;
  esac
}

# The launcher needs nothing of the system but glibc.
launches() {
  [ "$(bare "$parts libstdc++.so.6 libz.so.1" "$1" --nproc-per-node 2 sh -c 'echo $RANK' | sort | tr '\n' ' ')" = "[0] 0 [1] 1 " ]
}

compile_c() {  # with what pkg-config says
  cc -std=c99 -Wall -Wextra "$here/step.c" -o "$place/step" $(pkg-config --cflags --libs haft) -Wl,-rpath,"$1"
}

case $kind in
  tarball)
    mkdir "$place/moved here"  # a name with a space: nothing may depend on where it lies
    tar -C "$place/moved here" --strip-components=1 -xzf "$packages"/haft-*-linux-x86_64.tar.gz
    ln -s "moved here" "$place/haft"
    export PKG_CONFIG_PATH=$place/haft/lib/pkgconfig
    compile_c "$place/haft/lib"
    launches "$place/haft/bin/haft-run"
    from_place bare "$parts libstdc++.so.6 libz.so.1" "$place/step"
    # Neither C++ library answers for the other, whichever is there first.
    c++ -shared -fPIC "$here/plugin.cpp" -o "$place/plugin.so"
    cc -std=c99 -Wall -Wextra "$here/host.c" -o "$place/host" $(pkg-config --cflags --libs haft) -Wl,-rpath,"$place/haft/lib"
    for first in "" libstdc++.so.6:libgomp.so.1; do
      LD_BIND_NOW=1 LD_PRELOAD=$first LD_DEBUG=bindings "$place/host" "$place/plugin.so" >"$place/said" 2>"$place/bindings"
      [ "$(cat "$place/said")" = "thrown 1.5" ]
      grep -q "file $place/plugin.so .* to /.*/libstdc++.so.6" "$place/bindings"
      if grep -E "file $place/plugin.so .* to $place/haft|file $place/haft.* to /.*/lib(stdc\+\+|gomp|z)\.so" "$place/bindings"; then
        echo "a library of the package and one of the system are bound to each other" >&2
        exit 1
      fi
    done
    mkdir "$place/cmake"
    printf 'cmake_minimum_required(VERSION 3.16)\nproject(user C)\nfind_package(Haft 1.0 REQUIRED)\nadd_executable(step "%s")\ntarget_link_libraries(step Haft::haft)\n' \
      "$here/step.c" >"$place/cmake/CMakeLists.txt"
    cmake -S "$place/cmake" -B "$place/cmake/build" -DCMAKE_PREFIX_PATH="$place/haft" >"$place/log" 2>&1 &&
      cmake --build "$place/cmake/build" >>"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
    from_place "$place/cmake/build/step" ;;
  debs)
    for deb in "$packages"/*.deb; do dpkg-deb -x "$deb" "$place"; done
    [ -f "$place/usr/share/doc/haft-samples/examples/c/fashion_mnist.c" ]
    libraries=$(dirname "$(find "$place" -name libhaft.so)")
    export PKG_CONFIG_PATH=$libraries/pkgconfig
    compile_c "$libraries"
    launches "$place/usr/bin/haft-run"
    from_place "$place/step"
    # A package built on it learns its dependency, and the newest symbol that it uses.
    dpkg-deb -R "$packages"/libhaft1_*.deb "$place/package"
    mkdir -p "$place/user/debian"
    printf 'Source: user\n\nPackage: user\nArchitecture: any\n' >"$place/user/debian/control"
    depends=$(cd "$place/user" && dpkg-shlibdeps -O -S"$place/package" -l"$libraries" "$place/step")
    [[ $depends == *"libhaft1 (>= 1.0)"* ]] || { echo "dpkg-shlibdeps found: $depends" >&2; exit 1; }
    # What was stripped lies below the build id, where a debugger finds the name and the line of a function.
    library=$(realpath "$libraries/libhaft.so")
    id=$(readelf -n "$library" | sed -n 's/.*Build ID: //p')
    debug=$place/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug
    [ "$(readelf -n "$debug" | sed -n 's/.*Build ID: //p')" = "$id" ]
    sections() { readelf -SW "$1" | grep -o ' \.[a-z_.]*' | tr -d ' '; }
    sections "$debug" | grep -x .debug_info >/dev/null
    sections "$debug" | grep -x .symtab >/dev/null
    if sections "$library" | grep -x '.debug_info\|.symtab'; then echo "the library is not stripped" >&2; exit 1; fi
    readelf -p .gnu_debuglink "$library" | grep "${id:2}.debug" >/dev/null
    address=$(nm -D "$library" | sed -n 's/ T haft_tensor_get_ndim@.*//p')
    addr2line -fe "$debug" "0x$address" | tr '\n' ' ' | grep '^haft_tensor_get_ndim .*capi/src/tensor.cpp:[0-9]' >/dev/null ||
      { addr2line -fe "$debug" "0x$address"; exit 1; }
    # The very same file serves the tarball's engine, whose functions patchelf has left where they were.
    tar -C "$place" -xzf "$(ls "$packages"/haft-*-linux-x86_64.tar.gz)" --wildcards '*/lib/libhaft.so.*'
    tarball=$(realpath "$place"/haft-*-linux-*/lib/libhaft.so.1)
    [ "$(readelf -n "$tarball" | sed -n 's/.*Build ID: //p')" = "$id" ]
    [ "$(nm -D "$tarball" | sed -n 's/ T haft_tensor_get_ndim@.*//p')" = "$address" ]
    tar -tzf "$(ls "$packages"/haft-*-debug.tar.gz)" | grep "/lib/debug/.build-id/${id:0:2}/${id:2}.debug$" >/dev/null
    [ "$(dpkg-deb -f "$packages"/libhaft1-dbgsym_*.deb Auto-Built-Package Build-Ids Section | tr '\n' ' ')" = \
      "Auto-Built-Package: debug-symbols Build-Ids: $id Section: debug " ]
    # Who publishes them is not known here.
    lintian --allow-root --fail-on error,warning --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$packages"/*.deb ;;
  wheel)
    python=${3:-/usr/bin/python3}
    tag=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
    /usr/bin/python3 -m installer --destdir="$place" --prefix=/opt "$packages"/haft-*-"$tag-$tag"-*.whl
    PYTHONPATH=$(dirname "$(find "$place" -path "*/haft/__init__.py" -printf '%h\n')")
    export PYTHONPATH
    launches "$(find "$place" -name haft-run -type f)"
    from_place bare "$parts libstdc++.so.6" "$python" -s "$here/step.py" ;;
  jar)
    jar=$(ls "$packages"/haft-*.pom) jar=${jar%.pom}  # with the version
    mkdir "$place/classes"
    javac -cp "$jar.jar" -d "$place/classes" "$here/Step.java" "$here/Named.java"
    # The natives are taken out of their jar into the user's cache.
    export XDG_CACHE_HOME=$place/cache
    from_place bare "$parts" java -cp "$place/classes:$jar.jar:$jar-linux-x64.jar" Step
    opens "$(find "$XDG_CACHE_HOME" -name libhaft_java.so)"
    java -cp "$place/classes:$jar.jar:$jar-linux-x64.jar" Named
    # On the module path both are modules, of the names that their manifests give.
    from_place java -p "$jar.jar:$jar-linux-x64.jar" --add-modules io.haft -cp "$place/classes" Step
    # What Maven's central repository asks for: sources of every class, and its documentation.
    listing() { python3 -m zipfile -l "$1" | sed '1d; s/ .*//' | sort; }
    listing "$jar.jar" | sed -n '/\$/d; s/\.class$/.java/p' >"$place/classes.txt"
    listing "$jar-sources.jar" >"$place/sources.txt"
    [ -s "$place/classes.txt" ] && [ -z "$(comm -23 "$place/classes.txt" "$place/sources.txt")" ] ||
      { echo "classes without a source:"; comm -23 "$place/classes.txt" "$place/sources.txt"; exit 1; }
    listing "$jar-javadoc.jar" | grep -x io/haft/Tensor.html >/dev/null  # to the end: who writes into a closed pipe fails
    for wanted in name description url licenses developers scm; do
      grep -q "<$wanted>" "$jar.pom" || { echo "the pom has no $wanted" >&2; exit 1; }
    done
    if grep '@' "$jar.pom"; then echo "the pom was not filled in" >&2; exit 1; fi
    listing "$jar.jar" | grep -x META-INF/native-image/io.haft/haft/jni-config.json >/dev/null ;;
  maven)
    # A repository as a publisher fills it, in the layout of Maven; its own plugins are Debian's.
    jar=$(ls "$packages"/haft-*.pom) jar=${jar%.pom}
    version=${jar##*/haft-}
    mkdir -p "$place/repository/io/haft/haft/$version"
    cp "$jar.pom" "$jar"*.jar "$place/repository/io/haft/haft/$version/"
    cp -r "$here/maven" "$place/service"
    mkdir -p "$place/service/src/main/java"
    cp "$here/Step.java" "$place/service/src/main/java/"
    (cd "$place/service" && mvn -B -q -o -Daether.offline.protocols=file -Dmaven.repo.local="$place/local" -Dhaft.version="$version" \
      -Drepository="file://$place/repository" compile jar:jar)
    export XDG_CACHE_HOME=$place/cache
    # The jar's manifest names what Maven found: haft, and by its pom the libraries of the platform.
    from_place java -jar "$place"/service/target/service-1.jar ;;
  nupkg)
    python3 -m zipfile -e "$packages"/Haft.*.nupkg "$place/package"
    # As a .NET build lays them out for an application.
    cp "$place"/package/lib/netstandard2.1/Haft.dll "$place"/package/runtimes/linux-x64/native/* "$place/"
    # The assembly is one of netstandard, which mcs does not look for by itself.
    mcs -nologo -lib:/usr/lib/mono/4.5/Facades -r:netstandard.dll -r:"$place/Haft.dll" -out:"$place/Step.exe" "$here/Step.cs"
    from_place bare "$parts" mono "$place/Step.exe"
    opens "$place/libhaft_csharp.so"
    # What it brings as source is compiled by applications that say so, and by no other.
    for define in HAFT_LOGGING NOTHING; do
      mcs -nologo -nowarn:436 -lib:/usr/lib/mono/4.5/Facades -r:netstandard.dll -r:"$place/Haft.dll" -target:library -define:$define -out:"$place/$define.dll" \
        "$here/../bindings/csharp/adapters/Packages.cs" "$place"/package/contentFiles/cs/any/Haft/HaftLogging.cs
    done
    grep -q HaftLogging "$place/HAFT_LOGGING.dll"
    grep -q 'files include="cs/any/Haft/HaftLogging.cs" buildAction="Compile"' "$place/package/Haft.nuspec"
    # What nuget.org shows of it, and the symbols of this very assembly, with paths of the repository.
    for wanted in '<license type="expression">Apache-2.0<' '<icon>icon.png<' '<repository type="git" url="http' '<projectUrl>http' '<readme>README.md<'; do
      grep -q "$wanted" "$place/package/Haft.nuspec" || { echo "the nuspec has no $wanted" >&2; exit 1; }
    done
    [ -f "$place/package/icon.png" ] && [ -f "$place/package/README.md" ]
    python3 -m zipfile -e "$packages"/Haft.*.snupkg "$place/symbols"
    grep -q SymbolsPackage "$place/symbols/Haft.nuspec"
    python3 - "$place/package/lib/netstandard2.1/Haft.dll" "$place/symbols/lib/netstandard2.1/Haft.pdb" <<'PY'
import sys
dll, pdb = (open(path, "rb").read() for path in sys.argv[1:])
at = dll.index(b"RSDS") + 4  # the debug directory: its GUID is the PDB's
assert pdb[:4] == b"BSJB" and dll[at:at + 16] in pdb, "the symbols are another assembly's"
assert dll[at + 20:].startswith(b"Haft.pdb\0") and b"Training.cs" in pdb, "where the sources lie"
PY
    # As it lies in the package.
    rm "$place/Haft.dll" "$place"/lib*.so*
    from_place env MONO_PATH="$place/package/lib/netstandard2.1" mono "$place/Step.exe" ;;
  cuda)
    # Here is no GPU, perhaps: that the plug-in itself says so shows that it was loaded, and the doctor names its file.
    loaded() {  # what says it
      grep -q "libhaft_cuda.so: NVIDIA's driver\|libhaft_cuda.so: the \|^device: cuda:0" <<<"$1" || { echo "$1" >&2; exit 1; }
    }
    mkdir "$place/tarball"
    tar -C "$place/tarball" --strip-components=1 -xzf "$packages"/haft-[0-9]*-linux-x86_64.tar.gz
    tar -C "$place/tarball" --strip-components=1 -xzf "$packages"/haft_cuda-*-linux-x86_64.tar.gz
    loaded "$("$place/tarball/bin/haft-doctor" || true)"
    /usr/bin/python3 -m installer --destdir="$place/wheel" --prefix=/opt "$packages"/haft-*-cp311-*.whl
    /usr/bin/python3 -m installer --destdir="$place/wheel" --prefix=/opt "$packages"/haft_cuda-*.whl
    PYTHONPATH=$(dirname "$(find "$place/wheel" -path "*/haft/__init__.py" -printf '%h\n')")
    loaded "$(PYTHONPATH=$PYTHONPATH /usr/bin/python3 -s -c 'import haft; print(haft.runtime.describe())')"
    jar=$(ls "$packages"/haft-*.pom) jar=${jar%.pom}
    mkdir "$place/classes"
    printf 'public class Says { public static void main(String[] a) { System.out.println(io.haft.Haft.describe()); } }' >"$place/Says.java"
    javac -cp "$jar.jar" -d "$place/classes" "$place/Says.java"
    loaded "$(XDG_CACHE_HOME=$place/cache java -cp "$place/classes:$jar.jar:$jar-linux-x64.jar:$jar-linux-x64-cuda.jar" Says)"
    for package in Haft HaftCuda; do python3 -m zipfile -e "$packages/$package".[0-9]*.nupkg "$place/nuget-$package"; done
    mkdir "$place/net"
    cp "$place"/nuget-Haft/lib/netstandard2.1/Haft.dll "$place"/nuget-Haft*/runtimes/linux-x64/native/* "$place/net/"
    printf 'class Says { static void Main() { System.Console.WriteLine(Haft.Runtime.Describe()); } }' >"$place/Says.cs"
    mcs -nologo -lib:/usr/lib/mono/4.5/Facades -r:netstandard.dll -r:"$place/net/Haft.dll" -out:"$place/net/Says.exe" "$place/Says.cs"
    loaded "$(mono "$place/net/Says.exe")"
    grep -q '<id>HaftCuda</id>' "$place/nuget-HaftCuda/HaftCuda.nuspec"
    for deb in "$packages"/libhaft1_*.deb "$packages"/libhaft-cuda_*.deb; do dpkg-deb -x "$deb" "$place/debs"; done
    libraries=$(dirname "$(find "$place/debs" -name libhaft_cuda.so)")
    [ -e "$libraries/libhaft.so.1" ]
    loaded "$(LD_LIBRARY_PATH=$libraries "$place/tarball/bin/haft-doctor" || true)"
    [[ $(dpkg-deb -f "$packages"/libhaft-cuda_*.deb Depends) == "libhaft1 (= "* ]] ;;
  dotnet)
    # On a .NET: the same step, and what mono's EventSource and EventListener do not do.
    python3 -m zipfile -e "$packages"/Haft.*.nupkg "$place/package"
    cp "$place"/package/lib/netstandard2.1/Haft.dll "$place"/package/runtimes/linux-x64/native/* "$place/"
    compile() { mcs -nologo -lib:/usr/lib/mono/4.5/Facades -r:netstandard.dll -r:"$place/Haft.dll" "$@"; }
    compile -out:"$place/Step.dll" "$here/Step.cs"
    # The name lets it see haft's own.
    adapters=$here/../bindings/csharp/adapters
    compile -define:REAL_TRACING -define:HAFT_LOGGING -out:"$place/HaftTests.dll" "$adapters/Adapters.cs" "$adapters/Packages.cs" \
      "$place"/package/contentFiles/cs/any/Haft/HaftLogging.cs
    echo '{"runtimeOptions": {"rollForward": "Major", "framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"}}}' >"$place/runtimeconfig.json"
    export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1  # without ICU
    from_place "$3" exec --runtimeconfig "$place/runtimeconfig.json" "$place/Step.dll"
    "$3" exec --runtimeconfig "$place/runtimeconfig.json" "$place/HaftTests.dll" ;;
  *) echo "check.sh: no kind '$kind'" >&2; exit 2 ;;
esac
