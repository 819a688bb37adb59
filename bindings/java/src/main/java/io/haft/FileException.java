package io.haft;

/** The system refused a file operation, or a file does not hold what its format says. */
public class FileException extends java.io.UncheckedIOException implements HaftFailure {
  private static final long serialVersionUID = 1;
  private final HaftFailure.Details details;

  FileException(HaftFailure.Details details) {
    super(new java.io.IOException(details.message()));
    this.details = details;
  }

  @Override
  public HaftFailure.Details details() {
    return details;
  }

  @Override
  public String getMessage() {
    return details.message();
  }
}
