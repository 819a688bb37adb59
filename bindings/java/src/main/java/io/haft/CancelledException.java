package io.haft;

/** Somebody cancelled the work, or closed what would do it. */
public class CancelledException extends java.util.concurrent.CancellationException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  CancelledException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
