package io.haft;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A model that is cut into stages on the ranks of a group, through which the micro-batches of a batch follow each other (docs/pipelines.md).
 * Rank r has the stages r, r + size, ... All ranks make it and call it together.
 *
 * <pre>{@code
 * Pipeline.Options options = new Pipeline.Options().microBatches(8).loss(new MSELoss());  // the loss: of the last rank
 * try (Pipeline pipeline = new Pipeline(world, stage, options)) {
 *   Pipeline.Results r = pipeline.step(first ? new Tensor[] {batch} : null, last ? target : null);
 *   optimizer.step();
 * }
 * }</pre>
 *
 * <p>Whatever fails on a rank kills the group: that rank throws what it was, the others {@link CancelledException} with the reason, at the
 * latest from their next call. An interruption does the same. Since 1.0.
 */
public class Pipeline extends PipelineOperators {
  /** In which order a rank takes its forwards and backwards. */
  public enum Schedule {
    /** All forwards, then all backwards. */
    GPIPE,
    /** Backwards as soon as they can, so that fewer micro-batches are held. */
    ONE_F_ONE_B,
    /** Several stages a rank, which makes ranks wait less. */
    INTERLEAVED_1F1B
  }

  /** What a pipeline is made with: the same on every rank, but for the loss. */
  public static final class Options {
    private Schedule schedule = Schedule.ONE_F_ONE_B;
    private int microBatches = 1;
    private boolean scaleGradients = true;
    private Module loss;

    /**
     * The order of forwards and backwards; default: ONE_F_ONE_B.
     *
     * @param schedule which
     * @return this
     */
    public Options schedule(Schedule schedule) {
      this.schedule = Objects.requireNonNull(schedule, "schedule is null");
      return this;
    }

    /**
     * Equal parts of a batch; default: 1.
     *
     * @param parts how many
     * @return this
     */
    public Options microBatches(int parts) {
      microBatches = parts;
      return this;
    }

    /**
     * Whether gradients are divided by the number of micro-batches, for a loss that is a mean over its rows; default: they are.
     *
     * @param on false: for one that is a sum
     * @return this
     */
    public Options scaleGradients(boolean on) {
      scaleGradients = on;
      return this;
    }

    /**
     * On the last stage's rank: a module of that stage's results and the target; default: none, to evaluate only.
     *
     * @param loss answers one element
     * @return this
     */
    public Options loss(Module loss) {
      this.loss = loss;
      return this;
    }
  }

  /**
   * What a rank gets of a step; the caller closes it.
   *
   * @param outputs of the last stage, for the whole batch; empty on other ranks and when nobody asked for them
   * @param losses (micro-batches) on the last stage's rank; null on others and without a target
   */
  public record Results(Tensor[] outputs, Tensor losses) implements AutoCloseable {
    /** Closes the tensors. */
    @Override
    public void close() {
      for (Tensor t : outputs) t.close();
      if (losses != null) losses.close();
    }
  }

  /**
   * What a pipeline is.
   *
   * @param stages of all ranks
   * @param microBatches equal parts of a batch
   * @param hasFirst whether this rank gives the inputs
   * @param hasLast whether this rank gives the target and gets losses and outputs
   * @param peakLive micro-batches whose activations this rank's stages held at once in the last step, added up
   * @param bubble the share of a step in which ranks wait when all forwards and backwards take equally long
   */
  public record Info(int stages, int microBatches, boolean hasFirst, boolean hasLast, int peakLive, double bubble) {}

  /**
   * One thing that a rank did.
   *
   * @param isBackward whether it was a backward
   * @param stage of which stage
   * @param microBatch of which micro-batch
   * @param live micro-batches held after it
   */
  public record Action(boolean isBackward, int stage, int microBatch, int live) {}

  private static final Tensor[] NONE = {};
  private final ProcessGroup group;  // these are reachable as long as this is
  private final Module[] stages;
  private final Module loss;

  /**
   * With one stage a rank.
   *
   * @param group of the ranks
   * @param stage this rank's
   * @param o the options
   */
  public Pipeline(ProcessGroup group, Module stage, Options o) {
    this(group, new Module[] {stage}, o);
  }

  /**
   * With several stages a rank, which the interleaved schedule wants.
   *
   * @param group of the ranks; its messages' tags from 2^30 on are the pipeline's
   * @param stages this rank's, as many on every rank; each takes what the one before it answers, up to 64 tensors
   * @param o the options
   * @throws MismatchException ranks want different pipelines
   */
  public Pipeline(ProcessGroup group, Module[] stages, Options o) {
    super(PIPELINE, ParallelCalls.makePipeline(group, stages, o.schedule.ordinal(), o.microBatches, o.loss, o.scaleGradients).steal());
    this.group = group;
    this.stages = stages.clone();
    loss = o.loss;
  }

  private Pipeline(long handle) {
    super(PIPELINE, handle);
    group = null;
    stages = null;
    loss = null;
  }

  static Pipeline adopt(long handle) {
    return new Pipeline(handle);
  }

  /** {@return the group of its ranks} */
  public ProcessGroup group() {
    return group;
  }

  /** {@return this rank's stages, in order} */
  public List<Module> stages() {
    return List.of(stages);
  }

  /**
   * One step of training without its outputs.
   *
   * @param inputs as below
   * @param target as below
   * @return the losses
   */
  public Results step(Tensor[] inputs, Tensor target) {
    return step(inputs, target, false);
  }

  /**
   * One step of training: forwards and backwards of all micro-batches. Gradients are added to those of the parameters; optimizers are the
   * caller's.
   *
   * @param inputs on the first stage's rank: what the stage takes, each with the whole batch in its first dimension; null on others
   * @param target on the last stage's rank: the loss's, with the batch in its first dimension; null on others
   * @param wantOutputs whether the last stage's results are kept
   * @return on the last stage's rank the losses and the outputs
   * @throws ShapeException the batch has no equal parts, or results change their shape from one micro-batch to the next
   */
  public Results step(Tensor[] inputs, Tensor target, boolean wantOutputs) {
    return run(inputs, target, true, wantOutputs);
  }

  /**
   * Forwards alone, without gradients. Modules stay in the mode they are in.
   *
   * @param inputs as for a step
   * @param target as for a step; null: no losses
   * @return on the last stage's rank the outputs, and losses where there is a target
   */
  public Results evaluate(Tensor[] inputs, Tensor target) {
    return run(inputs, target, false, true);
  }

  private Results run(Tensor[] inputs, Tensor target, boolean train, boolean wantOutputs) {
    Tensor[] all = ProcessGroup.run(group, () -> ParallelCalls.runPipeline(this, inputs == null ? NONE : inputs, target, train, wantOutputs));
    return new Results(java.util.Arrays.copyOfRange(all, 1, all.length), all[0]);
  }

  /** {@return what the pipeline is} */
  public Info info() {
    long[] n = ParallelCalls.pipelineNumbers(this);
    return new Info((int) n[PipelinePlaces.stages], (int) n[PipelinePlaces.microBatches], n[PipelinePlaces.hasFirst] != 0,
        n[PipelinePlaces.hasLast] != 0, (int) n[PipelinePlaces.peakLive], ParallelCalls.pipelineBubble(this));
  }

  /** {@return what this rank did in the last step, in order} */
  public List<Action> trace() {
    long[] n = ParallelCalls.pipelineTrace(this);
    List<Action> out = new ArrayList<>(n.length / ActionPlaces.SIZE);
    for (int i = 0; i < n.length; i += ActionPlaces.SIZE)
      out.add(new Action(n[i + ActionPlaces.isBackward] != 0, (int) n[i + ActionPlaces.stage], (int) n[i + ActionPlaces.microBatch],
          (int) n[i + ActionPlaces.live]));
    return out;
  }
}
