// Training as one call, with progress and cancellation.
using System;
using System.Diagnostics;
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
  /// <summary>Time since the epoch began.</summary>
  public TimeSpan Elapsed { get; internal set; }
  /// <summary>Whether the epoch is over with this step.</summary>
  public bool EpochEnds { get { return Step == Steps; } }
}

/// <summary>The loop that most training is: forward, loss, backward, step.</summary>
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
    this.loss = loss ?? ((output, target) => output.CrossEntropy(target));
  }
  /// <summary>Changes the learning rate after every step; null: nothing does.</summary>
  public Scheduler Scheduler { get; set; }
  /// <summary>Limits the norm of the gradients; 0: no limit.</summary>
  public double MaxGradNorm { get; set; }
  /// <summary>How often progress is reported at most; the last step of an epoch always is.</summary>
  public TimeSpan ReportEvery { get; set; } = TimeSpan.FromMilliseconds(100);

  /// <summary>Trains on the batches of a loader: field 0 is the input, field 1 the target.</summary>
  /// <param name="loader">the batches</param>
  /// <param name="epochs">passes over them</param>
  /// <param name="progress">is told where training stands; null: nobody</param>
  /// <param name="cancellation">ends training after the step at hand</param>
  /// <returns>where training stood at its end</returns>
  /// <exception cref="OperationCanceledException">it was cancelled</exception>
  public TrainingProgress Fit(DataLoader loader, long epochs = 1, IProgress<TrainingProgress> progress = null, CancellationToken cancellation = default(CancellationToken)) {
    TrainingProgress at = null;
    for (long epoch = 1; epoch <= epochs; ++epoch) at = Epoch(loader, epoch, epochs, progress, cancellation);
    return at;
  }
  /// <summary>As <see cref="Fit"/>, on a thread of its own.</summary>
  /// <param name="loader">the batches</param>
  /// <param name="epochs">passes over them</param>
  /// <param name="progress">is told where training stands; null: nobody</param>
  /// <param name="cancellation">ends training after the step at hand</param>
  public Task<TrainingProgress> FitAsync(DataLoader loader, long epochs = 1, IProgress<TrainingProgress> progress = null,
                                         CancellationToken cancellation = default(CancellationToken)) {
    return Task.Factory.StartNew(() => Fit(loader, epochs, progress, cancellation), cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);
  }

  private TrainingProgress Epoch(DataLoader loader, long epoch, long epochs, IProgress<TrainingProgress> progress, CancellationToken cancellation) {
    var clock = Stopwatch.StartNew();
    TimeSpan reported = TimeSpan.Zero;
    long steps = loader.BatchCount, step = 0, samples = 0;
    bool classes = true;
    TrainingProgress at = null;
    module.Train();
    // The sums stay on the device: reading them waits for it.
    using (Tensor lossSum = Tensor.Zeros(Dims.Empty, DType.Float32))
    using (Tensor hits = Tensor.Zeros(Dims.Empty, DType.Int64)) {
      foreach (Tensor[] batch in loader.Enumerate(cancellation)) {
        using (new DisposeScope()) {
          try {
            Tensor output = module.Call(batch[0]), target = batch[1];
            Tensor value = loss(output, target);
            optimizer.ZeroGrad();
            value.Backward();
            if (MaxGradNorm > 0) Clip.GradNorm_(module.Parameters(), MaxGradNorm);
            optimizer.Step();
            if (Scheduler != null) Scheduler.Step();
            long n = batch[0].Size(0);
            classes = classes && output.NDim == 2 && target.NDim == 1 && !target.DType.IsFloatingPoint();
            using (new NoGrad()) {
              lossSum.Add_(value * n);
              if (classes) hits.Add_(output.Argmax(1).Eq(target).Sum());
            }
            samples += n;
          } finally {
            foreach (Tensor t in batch) t.Dispose();
          }
        }
        ++step;
        if (step != steps && (progress == null || clock.Elapsed - reported < ReportEvery)) continue;
        reported = clock.Elapsed;
        at = new TrainingProgress { Epoch = epoch, Epochs = epochs, Step = step, Steps = steps, Samples = samples, Loss = lossSum.Item() / samples,
                                    Accuracy = classes ? (double)hits.Item<long>() / samples : double.NaN, Elapsed = clock.Elapsed };
        if (progress != null) progress.Report(at);
      }
    }
    return at;
  }
}
}
