package io.haft;

/** The allocator said no: the machine or the device has no more. See {@link MemoryLimitException} for limits. */
public class MemoryError extends OutOfMemoryError implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  MemoryError(HaftFailure.Details details) {
    super(details.message());
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }
}
