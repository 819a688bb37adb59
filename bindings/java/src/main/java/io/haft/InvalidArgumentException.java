package io.haft;

/** A value that no call may have. */
public class InvalidArgumentException extends IllegalArgumentException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  InvalidArgumentException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
