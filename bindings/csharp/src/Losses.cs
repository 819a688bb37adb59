// What the losses of modules.def have in common.
namespace Haft {

/// <summary>A loss: a module of a prediction and its target, or of three tensors. Weights are buffers, so that they move and are saved with it.</summary>
public abstract class Loss : Module {
  internal Loss(Module made) : base(made) {}
  /// <summary>The loss, with hooks.</summary>
  /// <param name="input">the prediction</param>
  /// <param name="target">what it should be</param>
  public Tensor Call(Tensor input, Tensor target) { return Call(new[] { input, target })[0]; }
  /// <summary>The loss of three tensors, with hooks: two inputs and their target, or what the class says.</summary>
  /// <param name="first">the first input</param>
  /// <param name="second">the second</param>
  /// <param name="third">the third</param>
  public Tensor Call(Tensor first, Tensor second, Tensor third) { return Call(new[] { first, second, third })[0]; }
  /// <summary>The loss; <see cref="Call(Tensor, Tensor)"/> runs hooks, too.</summary>
  /// <param name="input">the prediction</param>
  /// <param name="target">what it should be</param>
  public Tensor Forward(Tensor input, Tensor target) { return ForwardMany(new[] { input, target })[0]; }
}
}
