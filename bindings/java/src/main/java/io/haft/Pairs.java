package io.haft;

/** Height and width in an array; one number stands for both. */
final class Pairs {
  private Pairs() {}

  static long height(long[] pair, String name) {
    if (pair == null || pair.length < 1 || pair.length > 2) throw new IllegalArgumentException(name + " wants one number, or height and width");
    return pair[0];
  }

  static long width(long[] pair, String name) {
    height(pair, name);
    return pair[pair.length - 1];
  }
}
