package io.haft;

/** Sizes that do not fit together. */
public class ShapeException extends InvalidArgumentException {
  private static final long serialVersionUID = 1;

  ShapeException(HaftFailure.Details details) {
    super(details);
  }
}
