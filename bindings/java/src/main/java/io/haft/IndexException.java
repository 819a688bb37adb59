package io.haft;

/** An index outside its range. */
public class IndexException extends IndexOutOfBoundsException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  IndexException(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
