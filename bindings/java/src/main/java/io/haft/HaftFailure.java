package io.haft;

/**
 * What every exception of haft tells. Each also is the kind that Java's own libraries throw: see {@link HaftException},
 * {@link InvalidArgumentException}, {@link ShapeException}, {@link DTypeException}, {@link IndexException},
 * {@link ClosedException}, {@link StateException}, {@link FileException}, {@link CancelledException},
 * {@link QueueFullException}, {@link TimeLimitException}, {@link PeerLostException}, {@link MismatchException},
 * {@link LinAlgException}, {@link MemoryLimitException} and {@link MemoryError}.
 */
public interface HaftFailure {
  /** The facts of a failed call. */
  Details details();

  /** The status of the C interface. */
  default int code() {
    return details().code();
  }

  /** Its name, for example "HAFT_ERROR_SHAPE". */
  default String status() {
    return Haft.statusName(code());
  }

  /** The function of the C interface that failed; may be empty. */
  default String function() {
    return details().function();
  }

  /** The argument at fault; may be empty. */
  default String argument() {
    return details().argument();
  }

  /** Its position, from 0; -1: none. */
  default int argumentIndex() {
    return details().argumentIndex();
  }

  /** What went wrong, without function and hint. */
  default String reason() {
    return details().reason();
  }

  /** What to do about it; may be empty. */
  default String hint() {
    return details().hint();
  }

  /** The facts of a failed call. */
  record Details(int code, String function, int argumentIndex, String argument, String reason, String hint, String message) implements java.io.Serializable {
    static Details of(int code, String message) {
      return new Details(code, "", -1, "", message, "", message);
    }
  }
}
