package io.haft;

/** What the profiler recorded. */
public class Profile extends ProfileOperators {
  private Profile(long handle) {
    super(PROFILE, handle);
  }

  static Profile adopt(long handle) {
    return new Profile(handle);
  }
}
