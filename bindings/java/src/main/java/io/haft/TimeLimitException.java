package io.haft;

/** The time that the caller gave has passed. */
public class TimeLimitException extends RuntimeException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  TimeLimitException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
