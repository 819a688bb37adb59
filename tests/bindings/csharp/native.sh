#!/bin/sh
# native.sh FOLDER MONO MCS: what the shim imports, how natives are found and what is said when they are not, and how a
# process ends in the midst of everything.
set -eu
folder=$1 mono=$2 mcs=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# Of libhaft.so.1 the shim uses C functions only.
nm -D --defined-only "$folder/libhaft.so.1" | sed 's/.* //; s/@.*//' | sort -u > "$work/exports"
nm -D --undefined-only "$folder/libhaft_csharp.so" | sed 's/.* //; s/@.*//' | sort -u > "$work/imports"
grep -q '^haft_add$' "$work/imports" || fail "the shim does not import haft_add"
comm -12 "$work/exports" "$work/imports" | grep -v '^haft_' && fail "the shim imports more than haft_*"
readelf -d "$folder/libhaft_csharp.so" | grep NEEDED | grep haft | grep -v 'libhaft\.so\.1\]' && fail "the shim needs another library of haft"

cat > "$work/Program.cs" << 'CS'
using System;
using System.Threading;
using Haft;
class Endless : Dataset {
  public override long Count { get { return 1 << 20; } }
  public override Tensor[] GetItem(long i) { Thread.Sleep(1); return new[] { Tensor.Scalar(i) }; }
}
static class Program {
  static Tensor kept;
  static Module net;
  static DataLoader loader;
  static int Main(string[] arguments) {
    try {
      kept = Tensor.Of(1f, 2f) + 1;
    } catch (TypeInitializationException e) {
      Console.WriteLine(e.InnerException.Message);
      return 3;
    }
    net = new Sequential(new Linear(2, 2));
    loader = new DataLoader(new Endless(), 2, numWorkers: 3);
    Tensor x = Tensor.Rand(1, 2).RequiresGrad_();
    x.RegisterHook(g => g * 2);
    Tensor y = net.Call(x);
    Runtime.SetLogSink(LogLevel.Debug, (level, text) => {});
    var busy = new Thread(() => { for (;;) net.Call(x).Dispose(); }) { IsBackground = true };
    busy.Start();
    foreach (Tensor[] batch in loader) break;
    Console.WriteLine("fine");
    if (arguments.Length > 0) Environment.Exit(0);
    return 0;
  }
}
CS
"$mcs" -nologo -out:"$work/Program.exe" -r:"$folder/Haft.dll" "$work/Program.cs"

# Beside the assembly; with living objects, a running loader and a busy thread the process still ends.
cp "$folder"/* "$work"
for mode in "" exit; do
  for i in 1 2 3; do
    [ "$(timeout 60 "$mono" "$work/Program.exe" $mode)" = fine ] || fail "the end of a process ($mode), code $?"
  done
done

# In the layout of a package, and by HAFT_NATIVE_PATH.
mkdir -p "$work/runtimes/linux-x64/native" "$work/else where"
mv "$work"/lib*.so* "$work/runtimes/linux-x64/native"
[ "$(timeout 60 "$mono" "$work/Program.exe")" = fine ] || fail "runtimes/linux-x64/native"
mv "$work/runtimes/linux-x64/native"/* "$work/else where"
[ "$(HAFT_NATIVE_PATH="$work/else where" timeout 60 "$mono" "$work/Program.exe")" = fine ] || fail "HAFT_NATIVE_PATH"

# Missing: every path and the remedy.
said=$(timeout 60 "$mono" "$work/Program.exe") && fail "it ran without its libraries"
for text in "$work/libhaft_csharp.so: no such file" "runtimes/linux-x64/native" HAFT_NATIVE_PATH; do
  case $said in
    *"$text"*) ;;
    *) fail "the message lacks '$text': $said" ;;
  esac
done
# The shim alone, without the library.
cp "$work/else where/libhaft_csharp.so" "$work"
said=$(timeout 60 "$mono" "$work/Program.exe") && fail "it ran without libhaft.so.1"
case $said in
  *libhaft.so.1*) ;;
  *) fail "the message lacks libhaft.so.1: $said" ;;
esac
echo "native libraries: fine"
