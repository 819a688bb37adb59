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
"$mcs" -nologo -nowarn:219,414 -out:"$work/Program.exe" -r:"$folder/Haft.dll" "$work/Program.cs"
cat > "$work/First.cs" << 'CS'
using System;
using System.Collections.Generic;
using System.Threading;
using Haft;
static class First {
  static readonly Dictionary<string, Action> calls = new Dictionary<string, Action> {
    { "constructor", () => new Generator(1) },
    { "generated", () => Tensor.Ones(new Dims(2)) },
    { "data", () => Tensor.Of(1f) },
    { "module", () => new ReLU() },
    { "mode", () => new NoGrad().Dispose() },
    { "number", () => Console.Write(Runtime.LiveHandles == 0 ? "" : "handles ") },
    { "setter", () => Runtime.ManualSeed(3) },
    { "cancel", () => new CancelScope(CancellationToken.None).Dispose() },
  };
  static int Main(string[] arguments) {
    string said = "fine";
    var together = new Barrier(arguments.Length);
    var threads = new List<Thread>();
    foreach (string name in arguments) {
      Action call = calls[name];
      var thread = new Thread(() => {
        together.SignalAndWait();
        try {
          call();
        } catch (TypeInitializationException e) {
          said = e.InnerException.Message;
        } catch (Exception e) {
          said = name + ": " + e;
        }
      });
      thread.Start();
      threads.Add(thread);
    }
    foreach (Thread thread in threads) thread.Join();
    Console.WriteLine(said);
    return said == "fine" ? 0 : 3;
  }
}
CS
"$mcs" -nologo -out:"$work/First.exe" -r:"$folder/Haft.dll" "$work/First.cs"
first="constructor generated data module mode number setter cancel"

# Runs Program.exe, which has to say "fine" and to end well. Mono itself aborts now and then where a process ends beside a thread
# that calls native code, be that malloc and free alone: such an end is tried again.
fine() {
  for attempt in 1 2 3 4 5; do
    code=0
    said=$(timeout 60 "$mono" "$work/Program.exe" "$@" 2> "$work/stderr") || code=$?
    [ $code = 134 ] && [ "$said" = fine ] || break
  done
  [ "$code $said" = "0 fine" ] || fail "code $code, said '$said' $(cat "$work/stderr")"
}

# Beside the assembly; with living objects, a running loader and a busy thread the process still ends.
cp "$folder"/* "$work"
for mode in "" exit; do
  for i in 1 2 3; do fine $mode; done
done

# In the layout of a package, and by HAFT_NATIVE_PATH.
mkdir -p "$work/runtimes/linux-x64/native" "$work/else where"
mv "$work"/lib*.so* "$work/runtimes/linux-x64/native"
fine
# Whatever is called first, and from several threads at once.
for call in $first "$first" "generated generated data module"; do
  said=$(timeout 60 "$mono" "$work/First.exe" $call) || fail "first call $call: $said"
done
mv "$work/runtimes/linux-x64/native"/* "$work/else where"
(export HAFT_NATIVE_PATH="$work/else where"; fine)
# HAFT_NATIVE_PATH comes first, before what lies beside the assembly.
echo 'this is no library' | tee "$work/libhaft_csharp.so" > "$work/libhaft.so.1"
(export HAFT_NATIVE_PATH="$work/else where"; fine)
cp "$work/else where"/* "$work"
(export HAFT_NATIVE_PATH="$work/else where" LD_DEBUG=files LD_DEBUG_OUTPUT="$work/opened"; fine)
said=$(cat "$work"/opened.*)
case $said in
  *"calling init: $work/libhaft"*) fail "the library beside the assembly was loaded besides HAFT_NATIVE_PATH's" ;;
  *"calling init: $work/else where/libhaft_csharp.so"*) ;;
  *) fail "HAFT_NATIVE_PATH was not loaded" ;;
esac
rm "$work"/lib*.so*

contains() {  # SAID TEXT...
  text=$1
  shift
  for part; do
    case $text in
      *"$part"*) ;;
      *) fail "the message lacks '$part': $text" ;;
    esac
  done
}
# A library of another version: both files by their paths.
echo 'int haft_get_version_number(void) { return 2000001; }' > "$work/other.c"
cc -shared -fPIC -o "$work/other.so" "$work/other.c"
said=$(LD_PRELOAD="$work/other.so" HAFT_NATIVE_PATH="$work/else where" timeout 60 "$mono" "$work/Program.exe") && fail "it ran with another version"
contains "$said" "$work/else where/libhaft_csharp.so" "$work/else where/libhaft.so.1 is 2.0.1" "Install a haft"

# Missing: every path and the remedy, whatever is called first.
for call in $first; do
  said=$(HAFT_NATIVE_PATH="$work/no where" timeout 60 "$mono" "$work/First.exe" $call) && fail "it ran without its libraries"
  contains "$said" "$work/no where/libhaft_csharp.so: no such file" "$work/libhaft_csharp.so: no such file" \
    "$work/runtimes/linux-x64/native/libhaft_csharp.so: no such file" "or name their folder in HAFT_NATIVE_PATH"
done
# The shim alone, without the library.
cp "$work/else where/libhaft_csharp.so" "$work"
said=$(timeout 60 "$mono" "$work/Program.exe") && fail "it ran without libhaft.so.1"
contains "$said" "libhaft.so.1: cannot open shared object file"
echo "native libraries: fine"
