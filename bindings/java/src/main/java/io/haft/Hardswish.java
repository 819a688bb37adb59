package io.haft;

/** x * clamp(x + 3, 0, 6) / 6 (torch.nn.Hardswish). */
public class Hardswish extends Module {
  /** Without parameters. */
  public Hardswish() {
    super(Haft.hardswish());
  }
}
