#!/bin/sh
# adapters.sh SOURCES TESTS BUILD MCS MONO: haft's C# and what adapts it to .NET's monitoring, against what mono lacks: an EventSource that
# works, and the interfaces of Microsoft.Extensions.Logging and System.Diagnostics.Metrics.
set -eu
sources=$1 tests=$2 build=$3 mcs=$4 mono=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# 436: types here in place of mono's.
"$mcs" -nologo -unsafe -nowarn:436,1573,1591 -r:System.Runtime.Serialization.dll -r:System.Numerics.dll -define:NETSTANDARD2_1 -define:HAFT_LOGGING "-out:$work/Adapters.exe" "$sources"/src/*.cs "$sources"/extensions/*.cs \
  "$build"/bindings/csharp/generated/*.cs "$build/bindings/csharp/AssemblyVersion.cs" "$tests"/adapters/*.cs
HAFT_NATIVE_PATH="$build/csharp" "$mono" "$work/Adapters.exe"
