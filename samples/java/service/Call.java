package service;

import com.sun.net.httpserver.HttpExchange;
import io.haft.*;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** One request to a model: its id, its body within the limits, and its one answer, which is logged and counted. */
final class Call {
  private final HttpExchange http;
  private final Gate gate;
  private final Figures figures;
  private final String id;
  private final long begun = System.nanoTime();
  private String model = "";  // once it is known that there is one
  private boolean embeds;
  private int rows;

  Call(HttpExchange http, Gate gate, Figures figures) {
    this.http = http;
    this.gate = gate;
    this.figures = figures;
    String given = http.getRequestHeaders().getFirst("X-Request-Id");
    boolean good = given != null && given.matches("[A-Za-z0-9._-]{1,64}");
    id = good ? given : String.format("%016x", ThreadLocalRandom.current().nextLong());
  }

  String path() {
    return http.getRequestURI().getPath();
  }

  String method() {
    return http.getRequestMethod();
  }

  void isFor(Model m) {
    model = m.name;
    embeds = m.verb().equals("embed");
  }

  /** The whole body; one that is too large is refused before it is read, when it says so. */
  byte[] body(int most) throws IOException {
    String length = http.getRequestHeaders().getFirst("Content-Length");
    boolean tooLarge = length != null && Long.parseLong(length) > most;
    byte[] body = tooLarge ? null : http.getRequestBody().readNBytes(most + 1);
    if (tooLarge || body.length > most) throw new Refusal(413, "the body is larger than " + most + " bytes");
    return body;
  }

  // ---- the answer ----

  /** What the model has said, which is closed. */
  void answer(Tensor said) {
    try (said) {
      if (embeds) embeddings(said.toFloatArray(), (int) said.size(1));
      else predictions(said.toFloatArray());
    }
  }

  private void embeddings(float[] numbers, int width) {
    List<Json.Text> out = new ArrayList<>();
    for (rows = 0; rows < numbers.length / width; rows++)
      out.add(new Json.Text(Arrays.toString(Arrays.copyOfRange(numbers, rows * width, (rows + 1) * width))));
    send(200, Json.object("request", id, "model", model, "embeddings", out));
  }

  /** Probabilities, ten a row. */
  private void predictions(float[] scores) {
    int classes = Network.NAMES.length;
    List<Json.Text> out = new ArrayList<>();
    for (rows = 0; rows < scores.length / classes; rows++) {
      int best = 0;
      List<Float> row = new ArrayList<>();
      for (int k = 0; k < classes; k++) {
        row.add(scores[rows * classes + k]);
        if (row.get(k) > row.get(best)) best = k;
      }
      out.add(new Json.Text(Json.object("class", best, "name", Network.NAMES[best], "scores", row)));
    }
    send(200, Json.object("request", id, "model", model, "predictions", out));
  }

  /** What a failure means to the client. */
  void fail(Throwable t) {
    if (t instanceof Refusal r) {
      refuse(r.status, r.getMessage());
    } else if (t instanceof QueueFullException) {
      refuse(429, "model " + model + " has as many requests as may wait");
    } else if (t instanceof CancelledException) {
      refuse(503, "the service ends");
    } else if (t instanceof MemoryLimitException) {
      refuse(503, "model " + model + " has no memory left for it");
    } else if (t instanceof TimeLimitException) {
      refuse(504, "model " + model + " did not answer in time");
    } else if (t instanceof IOException) {
      gone(t);
    } else {
      Log.error("failure", "request", id, "model", model, "exception", Log.trace(t));
      refuse(500, "internal error");
    }
  }

  void refuse(int status, String why) {
    if (status == 429 || status == 503) http.getResponseHeaders().set("Retry-After", "1");
    send(status, Json.object("request", id, "error", why), "error", why);
  }

  private void send(int status, String json, Object... more) {
    figures.answered(model, status);
    http.getResponseHeaders().set("X-Request-Id", id);
    if (gate.isShut()) http.getResponseHeaders().set("Connection", "close");  // the next request goes to somebody else
    try {
      send(http, status, "application/json", json);
    } catch (IOException e) {
      gone(e);
      return;
    }
    List<Object> all = new ArrayList<>(List.of("request", id, "model", model, "status", status));
    all.addAll(List.of("rows", rows, "ms", milliseconds()));
    all.addAll(List.of(more));
    Object[] fields = all.toArray();
    // The figures tell of answers and of overload; what is worth a line each are mistakes and trouble.
    if (status < 400 || status == 429) Log.debug("request", fields);
    else if (status < 500) Log.info("request", fields);
    else Log.warning("request", fields);
  }

  /** The client has gone, or took too long. */
  private void gone(Throwable t) {
    Log.info("request.gone", "request", id, "model", model, "ms", milliseconds(), "reason", t.toString());
    http.close();
  }

  private double milliseconds() {
    return Math.round((System.nanoTime() - begun) / 1e4) / 1e2;
  }

  /** Answers any exchange. */
  static void send(HttpExchange http, int status, String type, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    http.getResponseHeaders().set("Content-Type", type);
    boolean head = http.getRequestMethod().equals("HEAD");
    http.sendResponseHeaders(status, head ? -1 : body.length);
    try (OutputStream out = http.getResponseBody()) {
      if (!head) out.write(body);
    }
  }
}
