using System;

namespace Haft {

/// <summary>Mixed precision in this thread while it lives: operators compute in bfloat16 or float16 where that is safe, in float32 where it is not
/// (torch.autocast). Parameters stay what they are. Regions nest; backward runs outside, in the types of forward.</summary>
/// <example><code>
/// using (new Autocast()) loss = F.CrossEntropy(net.Call(x), y);
/// loss.Backward();
/// </code></example>
public sealed class Autocast : ThreadMode {
  /// <summary>Begins here.</summary>
  /// <param name="device">its type counts; the default value: the thread's default device</param>
  /// <param name="dtype">BFloat16 or Float16; None: the device type's own, bfloat16 on the CPU</param>
  /// <param name="enabled">false: nothing is cast inside</param>
  /// <param name="cacheEnabled">whether casts of weights are kept until the outermost region ends</param>
  public Autocast(Device device = default(Device), DType dtype = DType.None, bool enabled = true, bool cacheEnabled = true) : base(Functions.AutocastPop) {
    Functions.AutocastPush(device, dtype, enabled, cacheEnabled);
  }
}

/// <summary>The scale of losses, whose gradients would vanish in float16 (torch.amp.GradScaler). A step with an infinite gradient is left out, and
/// the scale grows and shrinks by that.</summary>
/// <example><code>
/// scaler.Scale(loss).Backward();
/// scaler.Step(optimizer);
/// scaler.Update();
/// </code></example>
public partial class GradScaler : IDisposable {
  internal GradScaler(IntPtr p) { swigCPtr = new NativeHandle(p); }
  /// <summary>A scaler.</summary>
  /// <param name="initScale">what losses are multiplied by first</param>
  /// <param name="growthFactor">above 1</param>
  /// <param name="backoffFactor">between 0 and 1</param>
  /// <param name="growthInterval">steps without infinities after which the scale grows</param>
  /// <param name="enabled">false: everything passes through</param>
  public GradScaler(double initScale = 65536, double growthFactor = 2, double backoffFactor = 0.5, long growthInterval = 2000, bool enabled = true) {
    swigCPtr = Functions.MakeGradScaler(initScale, growthFactor, backoffFactor, growthInterval, enabled).swigCPtr;
  }
  /// <summary>Goes on from what a checkpoint kept.</summary>
  /// <param name="scale">of the next step</param>
  /// <param name="growthFactor">above 1</param>
  /// <param name="backoffFactor">between 0 and 1</param>
  /// <param name="growthInterval">steps without infinities after which the scale grows</param>
  /// <param name="growthTracker">how many of them there were</param>
  public void SetState(double scale, double growthFactor, double backoffFactor, long growthInterval, long growthTracker) {
    Functions.SetGradScalerState(this, scale, growthFactor, backoffFactor, growthInterval, growthTracker);
  }
  /// <summary>Gives the native object up.</summary>
  public void Dispose() { GiveUp(); }
}
}
