// Failed calls as exceptions of .NET: the standard class where there is one, with haft's details beside the message.
using System;
using System.Diagnostics.CodeAnalysis;
using System.IO;

namespace Haft {

/// <summary>Why a call failed; the numbers are those of the C interface.</summary>
public enum ErrorCode {
  /// <summary>Nothing failed.</summary>
  None = 0,
  /// <summary>A value that no call may have.</summary>
  InvalidArgument = 1,
  /// <summary>Sizes that do not fit together.</summary>
  Shape = 2,
  /// <summary>An element type that the operation does not take.</summary>
  DType = 3,
  /// <summary>Different devices, or one that does not exist.</summary>
  Device = 4,
  /// <summary>An index outside its range.</summary>
  Index = 5,
  /// <summary>The allocator or its limit said no.</summary>
  OutOfMemory = 6,
  /// <summary>A size that memory cannot hold.</summary>
  Overflow = 7,
  /// <summary>A handle that was released.</summary>
  StaleHandle = 8,
  /// <summary>A handle of another type.</summary>
  WrongHandle = 9,
  /// <summary>Another thread is using the object.</summary>
  Busy = 10,
  /// <summary>The graph cannot do this: freed, spoiled in place, or not there.</summary>
  Autograd = 11,
  /// <summary>This device, dtype, engine or object does not do it, or not while it records.</summary>
  Unsupported = 12,
  /// <summary>A plug-in, driver or library is missing.</summary>
  Unavailable = 13,
  /// <summary>The system refused a file operation.</summary>
  IO = 14,
  /// <summary>A file's content is not what its format says.</summary>
  Corrupt = 15,
  /// <summary>Options of impossible size.</summary>
  BadStruct = 16,
  /// <summary>A callback failed.</summary>
  Callback = 17,
  /// <summary>The object did not survive fork().</summary>
  Forked = 18,
  /// <summary>A callback called back into what is calling it.</summary>
  Recursive = 19,
  /// <summary>As many requests wait as may.</summary>
  QueueFull = 21,
  /// <summary>Somebody said so, or what would do it is closed.</summary>
  Cancelled = 22,
  /// <summary>The time that the caller gave has passed.</summary>
  Timeout = 23,
  /// <summary>A process of the group is gone.</summary>
  PeerLost = 24,
  /// <summary>The processes of a group called different things.</summary>
  Mismatch = 25,
  /// <summary>A matrix that has no answer: singular, not positive definite, not finite, no convergence.</summary>
  LinAlg = 26,
  /// <summary>A bug in haft.</summary>
  Internal = 99
}

/// <summary>The details of a failed call.</summary>
public sealed class ErrorInfo {
  internal ErrorInfo(ErrorCode code, string text, string function, string argument, string message, string hint) {
    Code = code;
    Text = text;
    Function = function;
    Argument = argument;
    Message = message;
    Hint = hint;
  }
  /// <summary>Why.</summary>
  public ErrorCode Code { get; }
  /// <summary>All of it as one text.</summary>
  public string Text { get; }
  /// <summary>The native function that failed; may be empty.</summary>
  public string Function { get; }
  /// <summary>The argument at fault; may be empty.</summary>
  public string Argument { get; }
  /// <summary>What is wrong, with the sizes and values at hand.</summary>
  public string Message { get; }
  /// <summary>What to do about it; may be empty.</summary>
  public string Hint { get; }
}

/// <summary>What every exception of haft can tell, whatever its class.</summary>
public interface IHaftError {
  /// <summary>The details of the failed call.</summary>
  ErrorInfo Error { get; }
}

/// <summary>A failed call that no exception of .NET stands for.</summary>
public class HaftException : InvalidOperationException, IHaftError {
  internal HaftException(ErrorInfo error) : base(error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
  /// <summary>Why.</summary>
  public ErrorCode Code { get { return Error.Code; } }
  /// <summary>The native function that failed.</summary>
  public string Function { get { return Error.Function; } }
  /// <summary>The argument at fault; may be empty.</summary>
  public string Argument { get { return Error.Argument; } }
  /// <summary>What to do about it; may be empty.</summary>
  public string Hint { get { return Error.Hint; } }

  /// <summary>haft's details of any exception; null when it has none.</summary>
  /// <param name="e">any exception</param>
  [return: MaybeNull]
  public static ErrorInfo Of(Exception e) {
    var error = e as IHaftError;
    return error == null ? null : error.Error;
  }
}
/// <summary>The graph cannot be differentiated like that: freed, spoiled in place, or not there.</summary>
public sealed class AutogradException : HaftException {
  internal AutogradException(ErrorInfo error) : base(error) {}
}
/// <summary>Another thread is using the object, or a callback called back into what is calling it.</summary>
public sealed class BusyException : HaftException {
  internal BusyException(ErrorInfo error) : base(error) {}
}
/// <summary>A process of the group is gone. The message names its rank.</summary>
public sealed class PeerLostException : HaftException {
  internal PeerLostException(ErrorInfo error) : base(error) {}
}
/// <summary>The processes of a group called different things. The message has both calls.</summary>
public sealed class MismatchException : HaftException {
  internal MismatchException(ErrorInfo error) : base(error) {}
}
/// <summary>A matrix that has no answer: it is singular, not positive definite or not finite, or its iteration does not
/// converge. The message names the matrix of the batch.</summary>
public sealed class LinAlgException : HaftException {
  internal LinAlgException(ErrorInfo error) : base(error) {}
}
/// <summary>The object was made before fork() and belongs to the parent process. Make another one in this process.</summary>
public sealed class ForkedException : HaftException {
  internal ForkedException(ErrorInfo error) : base(error) {}
}
/// <summary>A session's queue is full: answer "busy" to the client, or try later.</summary>
public sealed class QueueFullException : HaftException {
  internal QueueFullException(ErrorInfo error) : base(error) {}
}
/// <summary>A memory limit said no: that of a session, of the process or of a device. Unlike <see cref="HaftOutOfMemoryException"/>
/// it is no sign that the machine has none left: answer "busy", or let go of results.</summary>
public sealed class MemoryLimitException : HaftException {
  internal MemoryLimitException(ErrorInfo error) : base(error) {}
}
/// <summary>A request or a computation was cancelled.</summary>
public sealed class HaftCancelledException : OperationCanceledException, IHaftError {
  internal HaftCancelledException(ErrorInfo error) : base(error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
}
/// <summary>The time that the caller gave has passed.</summary>
public sealed class HaftTimeoutException : TimeoutException, IHaftError {
  internal HaftTimeoutException(ErrorInfo error) : base(error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
}
/// <summary>A device, plug-in or library is missing or different from the one wanted.</summary>
public sealed class DeviceException : HaftException {
  internal DeviceException(ErrorInfo error) : base(error) {}
}
/// <summary>A value that the call does not take.</summary>
public class HaftArgumentException : ArgumentException, IHaftError {
  internal HaftArgumentException(ErrorInfo error) : base(error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
  /// <summary>Why.</summary>
  public ErrorCode Code { get { return Error.Code; } }
  /// <summary>The native function that failed.</summary>
  public string Function { get { return Error.Function; } }
  /// <summary>The argument at fault; may be empty.</summary>
  public string Argument { get { return Error.Argument; } }
  /// <inheritdoc/>
  public override string ParamName { get { return Error.Argument; } }
  /// <summary>What to do about it; may be empty.</summary>
  public string Hint { get { return Error.Hint; } }
}
/// <summary>An argument that must not be null.</summary>
public sealed class HaftNullException : ArgumentNullException, IHaftError {
  internal HaftNullException(ErrorInfo error) : base(error.Argument, error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
}
/// <summary>Sizes that do not fit together.</summary>
public sealed class ShapeException : HaftArgumentException {
  internal ShapeException(ErrorInfo error) : base(error) {}
}
/// <summary>An element type that the operation does not take.</summary>
public sealed class DTypeException : HaftArgumentException {
  internal DTypeException(ErrorInfo error) : base(error) {}
}
/// <summary>An index outside its range.</summary>
public sealed class HaftIndexException : ArgumentOutOfRangeException, IHaftError {
  internal HaftIndexException(ErrorInfo error) : base(error.Argument, error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
}
/// <summary>The allocator said no: the machine or the device has no more. See <see cref="MemoryLimitException"/> for limits.</summary>
public sealed class HaftOutOfMemoryException : OutOfMemoryException, IHaftError {
  internal HaftOutOfMemoryException(ErrorInfo error) : base(error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
}
/// <summary>This device, dtype, engine or object does not do it, or not while it records; or the file is of a newer version.</summary>
public sealed class HaftNotSupportedException : NotSupportedException, IHaftError {
  internal HaftNotSupportedException(ErrorInfo error) : base(error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
}
/// <summary>The system refused a file operation, or a file's content is not what its format says.</summary>
public sealed class HaftIOException : IOException, IHaftError {
  internal HaftIOException(ErrorInfo error) : base(error.Text) { Error = error; }
  /// <inheritdoc/>
  public ErrorInfo Error { get; }
}

internal static class Errors {
  // The engine says "x is no live tensor handle: ...".
  private static Exception Disposed(ErrorInfo e) {
    const string before = " is no live ", after = " handle";
    int from = e.Message.IndexOf(before, StringComparison.Ordinal);
    int to = from < 0 ? -1 : e.Message.IndexOf(after, from + before.Length, StringComparison.Ordinal);
    if (to < 0) return new ObjectDisposedException(e.Function, e.Text);
    from += before.Length;
    return Disposed(e.Message.Substring(from, to - from), e.Function);
  }
  internal static ObjectDisposedException Disposed(string what, string function) {
    return new ObjectDisposedException(char.ToUpperInvariant(what[0]) + what.Substring(1),
                                       "Haft: " + (function.Length == 0 ? "" : Spoken(function) + " was given a " + what + " that was disposed; ") +
                                           "dispose a " + what + " behind its last use" +
                                           (what == "tensor" ? ", and take what a DisposeScope shall leave alive out with Keep or MoveOut" : ""));
  }
  // "haft_session_run" as SessionRun.
  private static string Spoken(string function) {
    string[] parts = function.Split('_');
    string name = "";
    for (int i = parts[0] == "haft" ? 1 : 0; i < parts.Length; ++i)
      if (parts[i].Length > 0) name += char.ToUpperInvariant(parts[i][0]) + parts[i].Substring(1);
    return name;
  }
  internal static Exception Make(ErrorInfo e) {
    switch (e.Code) {
      case ErrorCode.InvalidArgument:
        if (e.Argument.Length > 0 && e.Message.StartsWith(e.Argument + " is null", StringComparison.Ordinal)) return new HaftNullException(e);
        return new HaftArgumentException(e);
      case ErrorCode.Overflow:
      case ErrorCode.WrongHandle: return new HaftArgumentException(e);
      case ErrorCode.Shape: return new ShapeException(e);
      case ErrorCode.DType: return new DTypeException(e);
      case ErrorCode.Index: return new HaftIndexException(e);
      case ErrorCode.OutOfMemory:
        if (e.Argument == "memoryLimit") return new MemoryLimitException(e);
        return new HaftOutOfMemoryException(e);
      case ErrorCode.StaleHandle: return Disposed(e);
      case ErrorCode.Busy:
      case ErrorCode.Recursive: return new BusyException(e);
      case ErrorCode.QueueFull: return new QueueFullException(e);
      case ErrorCode.Cancelled: return new HaftCancelledException(e);
      case ErrorCode.Timeout: return new HaftTimeoutException(e);
      case ErrorCode.Autograd: return new AutogradException(e);
      case ErrorCode.Device:
      case ErrorCode.Unavailable: return new DeviceException(e);
      case ErrorCode.Unsupported: return new HaftNotSupportedException(e);
      case ErrorCode.PeerLost: return new PeerLostException(e);
      case ErrorCode.Mismatch: return new MismatchException(e);
      case ErrorCode.LinAlg: return new LinAlgException(e);
      case ErrorCode.Forked: return new ForkedException(e);
      case ErrorCode.IO:
      case ErrorCode.Corrupt: return new HaftIOException(e);
      default: return new HaftException(e);
    }
  }
}
}
