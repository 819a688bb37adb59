package io.haft;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;

/**
 * The loop that most training is: forward, loss, backward, step; after every epoch the validation.
 *
 * <pre>{@code
 * TrainingProgress end = new Trainer(net, adam).validation(held).patience(3).restoreBest(true).fit(loader, 20, new ProgressBar(20));
 * }</pre>
 *
 * An interrupt of its thread ends it with a CancellationException after the step at hand, at once where it waits for a batch; so
 * does a {@link CancelToken}.
 */
public final class Trainer {
  private final Module module;
  private final Optimizer optimizer;
  private final BinaryOperator<Tensor> loss;
  private Scheduler scheduler;
  private DataLoader validation;
  private double maxGradNorm, minDelta;
  private long patience, reportEvery = 100_000_000;
  private boolean restoreBest;

  /**
   * For a module of one input and one output, whose loss is the cross entropy.
   *
   * @param module what is trained
   * @param optimizer what changes its parameters
   */
  public Trainer(Module module, Optimizer optimizer) {
    this.module = Objects.requireNonNull(module, "module is null");
    this.optimizer = Objects.requireNonNull(optimizer, "optimizer is null");
    loss = null;
  }

  /**
   * With a loss of its own, as {@code new MSELoss()::call}.
   *
   * @param module what is trained
   * @param optimizer what changes its parameters
   * @param loss of output and target, one element
   */
  public Trainer(Module module, Optimizer optimizer, BinaryOperator<Tensor> loss) {
    this.module = Objects.requireNonNull(module, "module is null");
    this.optimizer = Objects.requireNonNull(optimizer, "optimizer is null");
    this.loss = Objects.requireNonNull(loss, "loss is null");
  }

  /**
   * Changes the learning rate after every step.
   *
   * @param scheduler steps after the optimizer; null: nothing does
   * @return this
   */
  public Trainer scheduler(Scheduler scheduler) {
    this.scheduler = scheduler;
    return this;
  }

  /**
   * Batches whose loss is computed after every epoch, in evaluation mode. It then says which epoch is the best.
   *
   * @param validation the batches; null: none
   * @return this
   */
  public Trainer validation(DataLoader validation) {
    this.validation = validation;
    return this;
  }

  /**
   * Limits the norm of the gradients.
   *
   * @param norm the limit; 0: none
   * @return this
   */
  public Trainer maxGradNorm(double norm) {
    maxGradNorm = norm;
    return this;
  }

  /**
   * Ends training early.
   *
   * @param epochs how many may pass without a better loss; 0: any number
   * @return this
   */
  public Trainer patience(long epochs) {
    patience = epochs;
    return this;
  }

  /**
   * What counts as a better loss.
   *
   * @param delta how much lower it must be; default 0
   * @return this
   */
  public Trainer minDelta(double delta) {
    minDelta = delta;
    return this;
  }

  /**
   * Whether the module has the weights and buffers of its best epoch when training is over.
   *
   * @param on false, the default: those of the last
   * @return this
   */
  public Trainer restoreBest(boolean on) {
    restoreBest = on;
    return this;
  }

  /**
   * How often progress is reported at most; the end of an epoch always is. Default: ten times a second.
   *
   * @param every the time from one report to the next
   * @return this
   */
  public Trainer reportEvery(Duration every) {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    reportEvery = every.compareTo(longest) > 0 ? Long.MAX_VALUE : every.toNanos();
    return this;
  }

  /**
   * Trains on the batches of a loader: field 0 is the input, field 1 the target.
   *
   * @param loader the batches
   * @param epochs passes over them
   * @return where training stood at its end
   */
  public TrainingProgress fit(DataLoader loader, long epochs) {
    return run(loader, epochs, null);
  }

  /**
   * Trains and tells how it goes.
   *
   * @param loader the batches
   * @param epochs passes over them
   * @param progress hears where training stands, on this thread, as a {@link ProgressBar} does; what it throws ends training
   * @return where training stood at its end
   */
  public TrainingProgress fit(DataLoader loader, long epochs, Consumer<? super TrainingProgress> progress) {
    return run(loader, epochs, Objects.requireNonNull(progress, "progress is null"));
  }

  private TrainingProgress run(DataLoader loader, long epochs, Consumer<? super TrainingProgress> progress) {
    Objects.requireNonNull(loader, "loader is null");
    TensorsFunction called = loss == null ? null : fields -> new Tensor[] {loss.apply(fields[0], fields[1])};
    TrainingProgress at = null;
    try (Module function = called == null ? null : Haft.callbackModule("Loss", called)) {
      Training run = new Training(module, optimizer, loader, function, scheduler, validation, epochs, maxGradNorm, patience, minDelta, restoreBest, false,
          progress == null ? Long.MAX_VALUE : reportEvery);
      try {
        loader.takeOver();
        if (validation != null) validation.takeOver();
        while (step(run, loader)) {
          if (run.isDue()) {
            at = progress(run);
            if (progress != null) progress.accept(at);
          }
          if (Thread.currentThread().isInterrupted()) throw new CancellationException("training: the thread was interrupted");
        }
      } finally {
        run.delete();
      }
    } finally {
      Reference.reachabilityFence(module);  // the engine holds an own module's object weakly
    }
    return at;
  }

  private boolean step(Training run, DataLoader loader) {
    try {
      return Interrupts.run(() -> {
        loader.interrupt();
        if (validation != null) validation.interrupt();
      }, run::step);
    } catch (CancelledException e) {
      if (!Thread.currentThread().isInterrupted()) throw e;
      throw (CancellationException) new CancellationException("training: the thread was interrupted").initCause(e);
    }
  }

  private static TrainingProgress progress(Training run) {
    long[] n = run.counts();
    return new TrainingProgress(n[TrainingPlaces.epoch], n[TrainingPlaces.epochs], n[TrainingPlaces.step], n[TrainingPlaces.steps],
        n[TrainingPlaces.samples], run.loss(), run.accuracy(), run.validationLoss(), run.validationAccuracy(), n[TrainingPlaces.bestEpoch],
        n[TrainingPlaces.stoppedEarly] != 0, Duration.ofNanos(run.elapsed()));
  }
}
