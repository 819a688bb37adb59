package io.haft;

/** As many requests wait for a session as may. */
public class QueueFullException extends java.util.concurrent.RejectedExecutionException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  QueueFullException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
