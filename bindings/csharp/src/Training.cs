// Training as one call, with progress and cancellation.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;

namespace Haft {

/// <summary>Where a training run stands.</summary>
public sealed class TrainingProgress {
  /// <summary>The epoch, from 1.</summary>
  public long Epoch { get; internal set; }
  /// <summary>Epochs in all.</summary>
  public long Epochs { get; internal set; }
  /// <summary>The step in the epoch, from 1.</summary>
  public long Step { get; internal set; }
  /// <summary>Steps an epoch.</summary>
  public long Steps { get; internal set; }
  /// <summary>Items seen in this epoch.</summary>
  public long Samples { get; internal set; }
  /// <summary>The mean loss of this epoch so far.</summary>
  public double Loss { get; internal set; }
  /// <summary>The part of this epoch's items that were classified right; NaN where targets are no classes.</summary>
  public double Accuracy { get; internal set; }
  /// <summary>The mean loss of the validation at the end of this epoch; NaN before, and without one.</summary>
  public double ValidationLoss { get; internal set; }
  /// <summary>The part of the validation's items that were classified right; NaN as its loss is.</summary>
  public double ValidationAccuracy { get; internal set; }
  /// <summary>The epoch with the lowest loss, of the validation where there is one; 0: none yet.</summary>
  public long BestEpoch { get; internal set; }
  /// <summary>Whether the run is over because its loss got no better.</summary>
  public bool StoppedEarly { get; internal set; }
  /// <summary>Time since the epoch began.</summary>
  public TimeSpan Elapsed { get; internal set; }
  /// <summary>Whether the epoch is over with this step.</summary>
  public bool EpochEnds { get { return Step == Steps; } }
}

/// <summary>The loop that most training is: forward, loss, backward, step; after every epoch the validation.</summary>
public sealed class Trainer {
  private readonly Module module;
  private readonly Optimizer optimizer;
  private readonly Func<Tensor, Tensor, Tensor> loss;

  /// <summary>For a module of one input and one output.</summary>
  /// <param name="module">what is trained</param>
  /// <param name="optimizer">what changes its parameters</param>
  /// <param name="loss">of output and target, one element; null: cross entropy</param>
  public Trainer(Module module, Optimizer optimizer, Func<Tensor, Tensor, Tensor> loss = null) {
    if (module == null) throw new ArgumentNullException("module");
    if (optimizer == null) throw new ArgumentNullException("optimizer");
    this.module = module;
    this.optimizer = optimizer;
    this.loss = loss;
  }
  /// <summary>Changes the learning rate after every step; null: nothing does.</summary>
  [MaybeNull]
  public Scheduler Scheduler { get; set; }
  /// <summary>Batches whose loss is computed after every epoch, in evaluation mode; it then says which epoch is the best. null: none.</summary>
  [MaybeNull]
  public DataLoader Validation { get; set; }
  /// <summary>Limits the norm of the gradients; 0: no limit.</summary>
  public double MaxGradNorm { get; set; }
  /// <summary>Training ends early after so many epochs without a better loss; 0: never.</summary>
  public long Patience { get; set; }
  /// <summary>How much lower a loss must be to count as better.</summary>
  public double MinDelta { get; set; }
  /// <summary>Whether the module has the weights and buffers of its best epoch when training is over, not those of the last.</summary>
  public bool RestoreBest { get; set; }
  /// <summary>How often progress is reported at most; the last step of an epoch always is.</summary>
  public TimeSpan ReportEvery { get; set; } = TimeSpan.FromMilliseconds(100);

  /// <summary>Trains on the batches of a loader: field 0 is the input, field 1 the target.</summary>
  /// <param name="loader">the batches</param>
  /// <param name="epochs">passes over them, at most</param>
  /// <param name="progress">is told where training stands; null: nobody</param>
  /// <param name="cancellation">ends training after the step at hand</param>
  /// <returns>where training stood at its end</returns>
  /// <exception cref="OperationCanceledException">it was cancelled</exception>
  public TrainingProgress Fit(DataLoader loader, long epochs = 1, IProgress<TrainingProgress> progress = null, CancellationToken cancellation = default(CancellationToken)) {
    if (loader == null) throw new ArgumentNullException("loader");
    long every = progress == null ? long.MaxValue : 100 * Math.Min(ReportEvery.Ticks, long.MaxValue / 100);
    cancellation.ThrowIfCancellationRequested();
    DataLoader validation = Validation;
    TrainingProgress at = null;
    using (Module function = loss == null ? null : Functions.CallbackModule("Loss", new TensorsBridge(x => new[] { loss(x[0], x[1]) })))
    using (var run = new Training(module, optimizer, loader, function, Scheduler, validation, epochs, MaxGradNorm, Patience, MinDelta, RestoreBest, loader.TakeResume(), every))
    using (cancellation.Register(loader.Cancel))
    using (cancellation.Register(() => validation?.Cancel())) {
      try {
        while (run.Step()) {
          if (run.IsDue()) {
            at = Progress(run);
            if (progress != null) progress.Report(at);
          }
          cancellation.ThrowIfCancellationRequested();
        }
      } catch (HaftCancelledException) when (cancellation.IsCancellationRequested) {
        throw new OperationCanceledException(cancellation);
      }
    }
    GC.KeepAlive(module);  // the engine holds the object of an own module weakly
    return at;
  }
  /// <summary>As <see cref="Fit"/>, on a thread of its own.</summary>
  /// <param name="loader">the batches</param>
  /// <param name="epochs">passes over them, at most</param>
  /// <param name="progress">is told where training stands; null: nobody</param>
  /// <param name="cancellation">ends training after the step at hand</param>
  public Task<TrainingProgress> FitAsync(DataLoader loader, long epochs = 1, IProgress<TrainingProgress> progress = null,
                                         CancellationToken cancellation = default(CancellationToken)) {
    return Task.Factory.StartNew(() => Fit(loader, epochs, progress, cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);
  }

  private static TrainingProgress Progress(Training run) {
    long[] n = run.Counts();
    return new TrainingProgress { Epoch = n[TrainingPlaces.epoch], Epochs = n[TrainingPlaces.epochs], Step = n[TrainingPlaces.step],
                                  Steps = n[TrainingPlaces.steps], Samples = n[TrainingPlaces.samples], Loss = run.Loss(),
                                  Accuracy = run.Accuracy(), ValidationLoss = run.ValidationLoss(),
                                  ValidationAccuracy = run.ValidationAccuracy(), BestEpoch = n[TrainingPlaces.bestEpoch],
                                  StoppedEarly = n[TrainingPlaces.stoppedEarly] != 0, Elapsed = TimeSpan.FromTicks(run.Elapsed() / 100) };
  }
}
}
