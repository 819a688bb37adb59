package io.haft;

/** A position in a stream of random numbers, the same on every device. */
public class Generator extends GeneratorOperators {
  /**
   * At the start of a seed's stream.
   *
   * @param seed where the numbers begin
   */
  public Generator(long seed) {
    super(GENERATOR, Haft.makeGenerator(seed).steal());
  }

  private Generator(boolean owned, long handle) {
    super(GENERATOR, handle);
  }

  static Generator adopt(long handle) {
    return new Generator(true, handle);
  }

  /**
   * Seed and position.
   *
   * @param seed names the stream
   * @param offset in blocks of four numbers
   */
  public record State(long seed, long offset) {}

  /** {@return where the stream stands} */
  public State state() {
    long[] s = Native.generatorState(handle(), this);
    return new State(s[0], s[1]);
  }

  /**
   * Goes to a position.
   *
   * @param s as state() answered
   */
  public void setState(State s) {
    Native.setGeneratorState(handle(), this, s.seed, s.offset);
  }
}
