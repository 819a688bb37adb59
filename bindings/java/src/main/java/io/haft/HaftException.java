package io.haft;

/** A failure that has no kind of its own in Java: of gradients, devices, plug-ins, callbacks, or of haft itself. */
public class HaftException extends RuntimeException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  HaftException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
