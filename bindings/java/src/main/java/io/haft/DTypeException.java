package io.haft;

/** An element type that the operation does not take. */
public class DTypeException extends InvalidArgumentException {
  private static final long serialVersionUID = 1;

  DTypeException(HaftFailure.Details details) {
    super(details);
  }
}
