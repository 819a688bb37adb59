package service;

import io.haft.*;
import io.haft.Module;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** One model: its file of weights, and the session that runs what was made of it last. */
final class Model implements AutoCloseable {
  final String name;
  private final Path file;
  private final Options limits;
  private final Device device;
  private final boolean ofSentences;  // a folder of an encoder, not a file of weights
  private volatile InferenceSession session;  // null: no file has been good yet
  private Management.Registration bean;
  private volatile int version;
  private volatile String problem = "not loaded yet";

  Model(String name, Path file, boolean ofSentences, Device device, Options limits) {
    this.name = name;
    this.file = file;
    this.ofSentences = ofSentences;
    this.device = device;
    this.limits = limits;
  }

  /** Reads the file; whatever is wrong with it is logged, and what the model had goes on. */
  synchronized void load() {
    try {
      Module next = new OnDevice(ofSentences ? new Sentences(file) : Network.load(file), device);
      try {
        if (session == null) open(next);
        else update(next);
      } catch (RuntimeException e) {
        next.close();
        throw e;
      }
      version++;
      problem = null;
      Log.info("model.loaded", "model", name, "version", version, "file", file);
    } catch (RuntimeException e) {
      problem = e.getMessage();
      Log.error("model.refused", "model", name, "version", version, "file", file, "reason", problem);
    }
  }

  private void open(Module net) {
    InferenceSession s = new InferenceSession(net, new InferenceSession.Options().name(name)
        .maxBatch(limits.maxBatch).maxDelay(limits.maxDelay).maxQueue(limits.maxQueue).timeout(limits.timeout));
    try {
      warm(s, net);
      bean = Management.register(s, name);
      session = s;
    } catch (RuntimeException e) {
      s.close();
      throw e;
    }
  }

  /** A full batch: memory, threads and weights in the kernels' layout are there before the first client is. */
  private void warm(InferenceSession s, Module net) {
    try (Tensor x = ofSentences ? encoder(net).tokens(Collections.nCopies(limits.maxBatch, "warm")) : Tensor.zeros(limits.maxBatch, Network.PIXELS);
        Tensor y = s.run(x, Duration.ofMinutes(1))) {
      long classes = y.shape()[1], wanted = Network.NAMES.length;
      if (!ofSentences && classes != wanted) throw new IllegalArgumentException(file + " tells " + classes + " classes, wanted " + wanted);
    }
    s.resetMetrics();
  }

  /** The session tries it on inputs like those it has answered, which warms it up, and refuses what answers otherwise. */
  private void update(Module next) {
    Module before = session.module();
    session.update(next);
    before.close();  // its last batch is over
  }

  boolean isReady() {
    return session != null;
  }

  /** What is wrong with the file, in words; null: nothing. */
  String problem() {
    return problem;
  }

  int version() {
    return version;
  }

  /** What is asked of it: the last part of the path. */
  String verb() {
    return ofSentences ? "embed" : "predict";
  }

  /** Probabilities of rows of pixels, later. */
  CompletableFuture<Tensor[]> submit(float[] pixels) {
    try (Tensor x = Tensor.of(pixels, pixels.length / Network.PIXELS, Network.PIXELS)) {
      return session().submit(x);  // which has a share of x
    }
  }

  /** Embeddings, later. Another vocabulary wants another name: what waits when weights are exchanged is not read again. */
  CompletableFuture<Tensor[]> submit(List<String> sentences) {
    InferenceSession s = session();
    try (Tensor x = encoder(s.module()).tokens(sentences)) {
      return s.submit(x);
    }
  }

  private static Sentences encoder(Module net) {
    return (Sentences) ((OnDevice) net).net;
  }

  private InferenceSession session() {
    InferenceSession s = session;
    if (s == null) throw new Refusal(503, "model " + name + " is not there: " + problem);
    return s;
  }

  /** Answers what it has and takes nothing more; false when some was left after the time. */
  boolean drain(Duration limit) {
    InferenceSession s = session;
    return s == null || s.drain(limit);
  }

  @Override
  public synchronized void close() {
    if (session == null) return;
    bean.close();
    session.close();
    session.module().close();
  }
}
