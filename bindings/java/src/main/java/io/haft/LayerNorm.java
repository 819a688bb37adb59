package io.haft;

/** Normalisation over the last dimensions (torch.nn.LayerNorm). */
public class LayerNorm extends Module {
  /** Over dimensions of these sizes. */
  public LayerNorm(long... shape) {
    super(Haft.layerNorm(shape));
  }

  /** With eps, with or without weight and bias. */
  public LayerNorm(long[] shape, double eps, boolean affine, Build build) {
    super(Haft.layerNorm(shape, eps, affine, build));
  }
}
