package io.haft;

/** Makes the exception for a status. Called by the shim. */
final class Failures {
  private Failures() {}

  static Throwable make(int code, String function, int index, String argument, String reason, String hint, String message) {
    if (code == 1 && !argument.isEmpty() && reason.startsWith(argument + " is NULL")) {  // as Java writes it
      String there = argument + " is NULL", here = argument + " is null";
      reason = reason.replace(there, here);
      message = message.replace(there, here);
    }
    HaftFailure.Details d = new HaftFailure.Details(code, function, index, argument, reason, hint, message);
    return switch (code) {
      case 1, 7, 9, 16 -> new InvalidArgumentException(d);
      case 2 -> new ShapeException(d);
      case 3 -> new DTypeException(d);
      case 5 -> new IndexException(d);
      case 6 -> new MemoryError(d);
      case 8 -> new ClosedException(d);
      case 10, 18, 19 -> new StateException(d);
      case 21 -> new QueueFullException(d);
      case 22 -> new CancelledException(d);
      case 23 -> new TimeLimitException(d);
      case 14, 15 -> new FileException(d);
      default -> new HaftException(d);
    };
  }

  static Throwable closed(Object o) {
    return new ClosedException(o.getClass().getSimpleName() + " is closed");
  }
}
