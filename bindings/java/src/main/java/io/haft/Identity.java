package io.haft;

/** x itself (torch.nn.Identity). */
public class Identity extends Module {
  /** Without parameters. */
  public Identity() {
    super(Haft.identity());
  }
}
