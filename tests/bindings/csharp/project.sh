#!/bin/sh
# project.sh CSPROJ BUILD VERSION MCS: the SDK-style project as msbuild reads it. Debian has no .NET SDK, but mono's xbuild: with
# the SDK's part taken off it evaluates the rest, names the sources, which are all there are and compile, and the version.
set -eu
project=$1 build=$2 version=$3 mcs=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
folder=$(dirname "$project")
sed 's/ Pack="[^"]*"//; s/ PackagePath="[^"]*"//; s/ BuildAction="[^"]*"//; s/CopyToOutputDirectory="[^"]*"//; s/ Link="[^"]*"//; s|<Project Sdk="Microsoft.NET.Sdk">|<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003" ToolsVersion="4.0">|; s|</Project>|<Target Name="Show"><Message Importance="high" Text="version=$(Version)" /><Message Importance="high" Text="frameworks=$(TargetFrameworks)" /><Message Importance="high" Text="source=@(Compile)" /><Message Importance="high" Text="native=@(None)" /></Target></Project>|; s|\$(MSBuildThisFileDirectory)|'"$folder"'/|g; s|Include="src/|Include="'"$folder"'/src/|' \
  "$project" > "$work/Haft.proj"
xbuild /nologo /verbosity:minimal /t:Show "/p:HaftBuild=$build" "$work/Haft.proj" > "$work/out" 2>&1 || { cat "$work/out" >&2; fail "xbuild does not read the project"; }
value() { sed -n "s/^[[:space:]]*$1=//p" "$work/out" | tr ';' '\n'; }
[ "$(value version)" = "$version" ] || fail "the project's version is '$(value version)', the library's $version"
[ "$(value frameworks | tr '\n' ' ')" = "netstandard2.1 net8.0 " ] || fail "frameworks: $(value frameworks)"
value source | sort > "$work/listed"
{ ls "$folder"/src/*.cs "$build"/bindings/csharp/generated/*.cs; echo "$build/bindings/csharp/AssemblyVersion.cs"; } | sort > "$work/there"
diff "$work/there" "$work/listed" || fail "the project lists other sources than there are"
for file in $(value native); do [ -f "$file" ] || fail "no native library $file"; done
# What the SDK defines for either framework. The warnings of the .NET build are errors of nobody here.
for symbol in NETSTANDARD2_1 NETCOREAPP3_0_OR_GREATER; do
  xargs "$mcs" -nologo -unsafe -target:library -r:System.Runtime.Serialization.dll -r:System.Numerics.dll "-define:$symbol" "-out:$work/Haft.dll" < "$work/listed" || fail "does not compile with $symbol"
done
echo "the project lists $(wc -l < "$work/listed") sources, version $version"
