package io.haft;

/** Makes the exception for a status. Called by the shim. */
final class Failures {
  private Failures() {}

  static Throwable make(int code, String function, int index, String argument, String reason, String hint, String message) {
    HaftFailure.Details d = new HaftFailure.Details(code, function, index, argument, reason, hint, message);
    return switch (code) {
      case 1, 7, 9, 16 -> new InvalidArgumentException(d);
      case 2 -> new ShapeException(d);
      case 3 -> new DTypeException(d);
      case 5 -> new IndexException(d);
      case 6 -> argument.equals("memoryLimit") ? new MemoryLimitException(d) : new MemoryError(d);
      case 8 -> new ClosedException(d);
      case 10, 18, 19 -> new StateException(d);
      case 21 -> new QueueFullException(d);
      case 22 -> new CancelledException(d);
      case 23 -> new TimeLimitException(d);
      case 24 -> new PeerLostException(d);
      case 25 -> new MismatchException(d);
      case 26 -> new LinAlgException(d);
      case 14, 15 -> new FileException(d);
      default -> new HaftException(d);
    };
  }

  /** As what the engine counts the exception of a callback; 17: a failure of its own. */
  static int status(Throwable t) {
    if (t instanceof HaftFailure f && f.code() != 0) return f.code();
    return t instanceof IllegalArgumentException ? 1 : 17;
  }

  static Throwable closed(Object o) {
    return new ClosedException(o.getClass().getSimpleName() + " is closed");
  }
}
