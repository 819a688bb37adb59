package io.haft;

/** A request that a session has. Closing it does not cancel it. */
public class Request extends RequestOperators {
  private Request(long handle) {
    super(REQUEST, handle);
  }

  static Request adopt(long handle) {
    return new Request(handle);
  }
}
