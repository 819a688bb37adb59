package io.haft;

/**
 * A matrix that has no answer: it is singular, not positive definite or not finite, or its iteration does not converge.
 * The message names the matrix of the batch.
 */
public class LinAlgException extends HaftException {
  private static final long serialVersionUID = 1;

  LinAlgException(HaftFailure.Details details) {
    super(details);
  }
}
