// SIGHUP loads the models anew, SIGTERM and SIGINT end the service: on a thread of their own, one after the other. (On
// .NET 6 and newer PosixSignalRegistration does it without Mono.Posix.)
using System;
using System.Linq;
using System.Threading;
using Mono.Unix;
using Mono.Unix.Native;

sealed class Signals {
  readonly UnixSignal[] all = { new UnixSignal(Signum.SIGHUP), new UnixSignal(Signum.SIGTERM),
                                new UnixSignal(Signum.SIGINT) };

  internal Signals(Action reload, Action end) {
    new Thread(() => {
      for (;;) {
        UnixSignal.WaitAny(all, Timeout.Infinite);
        if (all[0].Reset()) reload();
        if (all.Skip(1).Count(s => s.Reset()) > 0) end();
      }
    }) { IsBackground = true }.Start();
  }
}
