package io.haft;

/** An object that cannot be used now: another thread has it, or a callback called back into what calls it. */
public class StateException extends IllegalStateException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  StateException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
