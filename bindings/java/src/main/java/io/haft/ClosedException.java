package io.haft;

/** A call on an object that is closed. */
public class ClosedException extends StateException {
  private static final long serialVersionUID = 1;

  ClosedException(HaftFailure.Details details) {
    super(details);
  }

  ClosedException(String message) {
    this(HaftFailure.Details.of(8, message));
  }
}
