// What the losses of modules.def have in common.
namespace Haft {

/// <summary>A loss: a module of a prediction and its target. Weights are buffers, so that they move and are saved with it.</summary>
public abstract class Loss : Module {
  internal Loss(Module made) : base(made) {}
  /// <summary>The loss, with hooks.</summary>
  /// <param name="input">the prediction</param>
  /// <param name="target">what it should be</param>
  public Tensor Call(Tensor input, Tensor target) { return Call(new[] { input, target })[0]; }
  /// <summary>The loss; <see cref="Call(Tensor, Tensor)"/> runs hooks, too.</summary>
  /// <param name="input">the prediction</param>
  /// <param name="target">what it should be</param>
  public Tensor Forward(Tensor input, Tensor target) { return ForwardMany(new[] { input, target })[0]; }
}
}
