package io.haft;

/** The processes of a group called different things. The message has both calls. */
public class MismatchException extends HaftException {
  private static final long serialVersionUID = 1;

  MismatchException(HaftFailure.Details details) {
    super(details);
  }
}
