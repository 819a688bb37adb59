package io.haft;

/**
 * The scale of losses, whose gradients would vanish in float16 (torch.amp.GradScaler). A step with an infinite gradient is
 * left out, and the scale grows and shrinks by that:
 *
 * <pre>{@code
 * scaler.scale(loss).backward();
 * scaler.step(optimizer);
 * scaler.update();
 * }</pre>
 */
public class GradScaler extends GradScalerOperators {
  /** Begins at 65536, doubles after 2000 good steps and halves after a bad one. */
  public GradScaler() {
    this(65536, 2, 0.5, 2000, true);
  }

  /**
   * A scaler.
   *
   * @param initScale what losses are multiplied by first
   * @param growthFactor above 1
   * @param backoffFactor between 0 and 1
   * @param growthInterval steps without infinities after which the scale grows
   * @param enabled false: everything passes through
   */
  public GradScaler(double initScale, double growthFactor, double backoffFactor, long growthInterval, boolean enabled) {
    super(GRAD_SCALER, Haft.makeGradScaler(initScale, growthFactor, backoffFactor, growthInterval, enabled).steal());
  }

  private GradScaler(long handle) {
    super(GRAD_SCALER, handle);
  }

  static GradScaler adopt(long handle) {
    return new GradScaler(handle);
  }

  /**
   * Goes on from what a checkpoint kept.
   *
   * @param scale of the next step
   * @param growthFactor above 1
   * @param backoffFactor between 0 and 1
   * @param growthInterval steps without infinities after which the scale grows
   * @param growthTracker how many of them there were
   */
  public void setState(double scale, double growthFactor, double backoffFactor, long growthInterval, long growthTracker) {
    Haft.setGradScalerState(this, scale, growthFactor, backoffFactor, growthInterval, growthTracker);
  }
}
