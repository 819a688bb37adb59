package service;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.haft.Tensor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The service in HTTP. No thread waits for a model: a reader hands the rows to their session and takes the next request, and
 * a writer has work once an answer is there. So requests wait in one place, the sessions' queues, whose limits refuse what is
 * too much.
 */
final class Front {
  private static final String JSON = "application/json";
  private final Options limits;
  private final Models models;
  private final Gate gate = new Gate();
  private final Figures figures = new Figures();
  private final HttpServer server;
  private final ExecutorService readers, writers;
  private volatile boolean ending;

  Front(Options limits, Models models) throws IOException {
    this.limits = limits;
    this.models = models;
    // Without it the server's two packets an answer meet the client's delayed acknowledgement: 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    System.setProperty("sun.net.httpserver.maxReqTime", String.valueOf(limits.bodyTime.toSeconds()));
    // A client that still sends when it is refused hears why, up to so many bytes more.
    System.setProperty("sun.net.httpserver.drainAmount", String.valueOf(Math.max(1 << 16, limits.maxBody)));
    server = HttpServer.create(new InetSocketAddress(limits.address, limits.port), 1024);
    readers = Executors.newFixedThreadPool(limits.threads);
    writers = Executors.newFixedThreadPool(limits.threads);
    server.setExecutor(readers);
    server.createContext("/", http -> Call.send(http, 404, JSON, Json.object("error", "no such page")));
    server.createContext("/health/live", http -> Call.send(http, 200, JSON, Json.object("status", "live")));
    server.createContext("/health/ready", this::ready);
    server.createContext("/metrics", http -> Call.send(http, 200, Figures.TYPE, figures.text(models, gate)));
    server.createContext("/models", http -> Call.send(http, 200, JSON, Json.object("models", models.states())));
    server.createContext("/models/", this::predict);
  }

  void start() {
    server.start();
    Log.info("listening", "address", limits.address, "port", server.getAddress().getPort());
  }

  private void ready(HttpExchange http) throws IOException {
    boolean ready = models.isReady() && !ending;
    String status = ending ? "draining" : ready ? "ready" : "starting";
    Call.send(http, ready ? 200 : 503, JSON, Json.object("status", status, "models", models.states()));
  }

  // ---- POST /models/NAME/predict and /models/NAME/embed ----

  private void predict(HttpExchange http) {
    Call call = new Call(http, gate, figures);
    if (!gate.enter()) {
      call.refuse(503, "the service ends");
      return;
    }
    CompletableFuture<Tensor[]> answer;
    try {
      answer = ask(call);
    } catch (Throwable t) {
      answer = CompletableFuture.failedFuture(t);
    } finally {
      gate.arrived();
    }
    answer.whenCompleteAsync((outputs, failure) -> {
      try {
        if (failure == null) call.answer(outputs[0]);
        else call.fail(failure);
      } catch (Throwable t) {  // also Errors: nobody else would answer the client
        call.fail(t);
      } finally {
        gate.leave();
      }
    }, writers);
  }

  private CompletableFuture<Tensor[]> ask(Call call) throws IOException {
    String[] parts = call.path().split("/", -1);  // "", "models", NAME, "predict"
    boolean known = parts.length == 4 && (parts[3].equals("predict") || parts[3].equals("embed"));
    if (!known) throw new Refusal(404, "no such page; POST /models/NAME/predict or /models/NAME/embed");
    if (!call.method().equals("POST")) throw new Refusal(405, "POST pictures or sentences");
    Model model = models.get(parts[2]);
    if (!parts[3].equals(model.verb())) throw new Refusal(404, "POST /models/" + model.name + "/" + model.verb());
    call.isFor(model);
    byte[] body = call.body(limits.maxBody);
    if (model.verb().equals("embed")) return model.submit(Texts.read(body, limits.maxRows));
    return model.submit(Pictures.read(body, limits.maxRows));
  }

  // ---- the end ----

  /** Takes nothing new and answers what it has; false when the time was too short for some of it. */
  boolean drain() {
    ending = true;  // load balancers see it at /health/ready
    Log.info("ending", "linger", limits.linger);
    pause(limits.linger);
    gate.shut();
    Log.info("draining", "in_flight", gate.open());
    long end = System.nanoTime() + limits.drain.toNanos();
    boolean all = gate.awaitArrivals(until(end)) & models.drain(until(end)) & gate.awaitEmpty(until(end));
    server.stop(all ? 1 : 0);  // within a second those that it refused meanwhile have their answers, too
    readers.shutdown();
    writers.shutdown();
    Log.info("drained", "all", all, "answers", figures.total(), "taken", gate.taken());
    return all;
  }

  private static Duration until(long end) {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  private static void pause(Duration time) {
    try {
      Thread.sleep(time.toMillis());
    } catch (InterruptedException e) {
      throw new IllegalStateException("the end of the service was interrupted", e);
    }
  }
}
