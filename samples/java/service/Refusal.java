package service;

/** A request that is answered with an error, and with which status of HTTP. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;
  final int status;

  Refusal(int status, String message) {
    super(message, null, false, false);  // no stack: it is the client's mistake, or too much to do
    this.status = status;
  }
}
