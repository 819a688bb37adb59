// What both programs share: each is a process of its own, with exceptions in place of a test runner.
using System;
using System.Runtime.InteropServices;

internal static class Checks {
  [DllImport("libc", EntryPoint = "_exit")] internal static extern void ExitNow(int status);

  internal static void Check(bool good, object what) {
    if (!good) throw new InvalidOperationException(what.ToString());
  }
  internal static E Fails<E>(Action call) where E : Exception {
    try {
      call();
    } catch (E e) {
      return e;
    }
    throw new InvalidOperationException("wanted " + typeof(E));
  }
}
