package io.haft;

/** A process of the group is gone. The message names its rank. */
public class PeerLostException extends HaftException {
  private static final long serialVersionUID = 1;

  PeerLostException(HaftFailure.Details details) {
    super(details);
  }
}
