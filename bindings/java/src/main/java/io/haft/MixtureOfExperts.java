package io.haft;

/**
 * A layer of experts that are spread over the ranks of a group: tokens go to the ranks of their experts and come back. All ranks make it,
 * and call it together. It takes a tensor of shape (..., width) and answers one of the same shape, and a loss (arXiv:2101.03961) that is 1
 * when experts are equally loaded. Gradients of experts are of the sum of all ranks' losses; those of the router are this rank's part of it.
 * What fails on a rank, in an expert say, kills the group. docs/pipelines.md tells more. Since 1.0.
 *
 * <pre>{@code
 * Tensor[] y = moe.call(new Tensor[] {tokens});  // y[0]: what the experts make of them, y[1]: the loss of the load
 * }</pre>
 */
public class MixtureOfExperts extends Module {
  /** How tokens find experts. */
  public static final class Options {
    private int topK = 2;
    private double capacityFactor;
    private boolean normalize = true;

    /**
     * Experts a token; default: 2.
     *
     * @param experts how many
     * @return this
     */
    public Options topK(int experts) {
      topK = experts;
      return this;
    }

    /**
     * An expert takes factor * topK * tokens / experts of each rank's tokens, and what finds no room is left out; default: it takes all that come.
     *
     * @param factor 0: all that come
     * @return this
     */
    public Options capacityFactor(double factor) {
      capacityFactor = factor;
      return this;
    }

    /**
     * Whether the weights of a token's experts add up to 1, when it has several; default: they do.
     *
     * @param on whether so
     * @return this
     */
    public Options normalize(boolean on) {
      normalize = on;
      return this;
    }
  }

  /**
   * Two experts a token, of as much room as it wants.
   *
   * @param group of the ranks; the layer keeps it
   * @param router answers, for (tokens, width), a logit for each of all experts; the same on every rank
   * @param experts this rank's, as many on every rank; each answers the shape that it takes
   */
  public MixtureOfExperts(ProcessGroup group, Module router, Module... experts) {
    this(group, router, experts, new Options());
  }

  /**
   * With options, which are the same on every rank.
   *
   * @param group of the ranks; the layer keeps it
   * @param router answers, for (tokens, width), a logit for each of all experts; the same on every rank
   * @param experts this rank's, as many on every rank; each answers the shape that it takes
   * @param o the options
   * @throws MismatchException ranks want different ones
   */
  public MixtureOfExperts(ProcessGroup group, Module router, Module[] experts, Options o) {
    super(ParallelCalls.mixtureOfExperts(group, router, o.topK, o.capacityFactor, o.normalize, experts));
    hold(group);
    hold("router", router);
    ModuleDict own = new ModuleDict();
    for (int i = 0; i < experts.length; i++) own.put(Integer.toString(group.rank() * experts.length + i), experts[i]);
    hold("experts", own);
  }
}
