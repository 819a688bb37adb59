package io.haft;

/**
 * A memory limit said no: that of a session, of the process or of a device. Unlike {@link MemoryError} it is no sign that the
 * machine has none left: answer "busy", or let go of results.
 */
public class MemoryLimitException extends RuntimeException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  MemoryLimitException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
