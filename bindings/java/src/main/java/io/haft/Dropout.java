package io.haft;

/** Zeroes elements with a probability while training (torch.nn.Dropout). */
public class Dropout extends Module {
  /** With probability 0.5. */
  public Dropout() {
    this(0.5);
  }

  /** With a probability. */
  public Dropout(double p) {
    this(p, null);
  }

  /** From a generator of its own; null: the default one. */
  public Dropout(double p, Generator generator) {
    super(Haft.dropout(p, generator));
  }
}
