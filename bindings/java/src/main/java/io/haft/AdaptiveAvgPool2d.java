package io.haft;

/** Means over windows that give an image of a wanted size (torch.nn.AdaptiveAvgPool2d). */
public class AdaptiveAvgPool2d extends Module {
  /** height and width, or one number for both. */
  public AdaptiveAvgPool2d(long... size) {
    super(Haft.adaptiveAvgPool2d(size));
  }
}
